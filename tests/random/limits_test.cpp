// SPDX-License-Identifier: Apache-2.0
// Limits of time: every solver is stopped at half of the time that it takes without one. It ends
// within 110 % of the limit, beside what it costs to prepare, and its answer is judged all the
// same.
#include <algorithm>
#include <ctime>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/random/families.h"
#include "tests/random/oracle.h"
#include "vinci/solvers/solver.h"

namespace vinci::test {
namespace {

constexpr int rows = 900;
constexpr double shortest = 0.02;  // s: what is faster cannot be timed
constexpr double longest = 1.0;    // s, of a solve without a limit of its own

// The solvers look at the wall clock; processor time is at most that, and not disturbed by others.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Timed {
  SolveReport report;
  Solution solution;
  double seconds = 0.0;
};

Timed solve_within(const SolverRegistry::Entry& entry, const ComplementarityProblem& problem,
                   double seconds) {
  OptionValues options(entry.options);
  // Not to be reached, so that time is what ends the solve.
  if (entry.options.find("tolerance")) options.set("tolerance", 1e-15);
  if (const OptionSpec* spec = entry.options.find("max-iterations"))
    options.set("max-iterations", static_cast<long>(std::min(spec->upper, 1e9)));
  const auto solver = entry.make(options);
  solver->limit_time(seconds);
  Timed timed;
  timed.solution = {VectorX::Zero(problem.unknowns()), VectorX::Zero(problem.rows())};
  const double start = cpu_seconds();
  timed.report = solver->solve(problem, timed.solution);
  timed.seconds = cpu_seconds() - start;
  return timed;
}

const Family& family(const std::string& name) {
  for (const auto& families : {scalar_families(), contact_families()})
    for (const Family& candidate : families)
      if (candidate.name == name) return candidate;
  throw std::invalid_argument(name);
}

class TimeLimit : public testing::TestWithParam<const char*> {};

TEST_P(TimeLimit, is_honoured_within_a_tenth_by_every_solver) {
  Draw draw(7);
  const RandomProblem random = family(GetParam()).make(draw, rows);
  const ComplementarityProblem& problem = random.problem;
  const Oracle oracle(problem);
  SolverRegistry registry("solver");
  add_builtin_solvers(registry);
  int stopped = 0;
  for (const auto& entry : registry.entries()) {
    if (!entry.make(OptionValues(entry.options))->why_not(problem).empty()) continue;
    const Timed least = solve_within(entry, problem, 1e-9);
    const double limit = 0.5 * solve_within(entry, problem, longest).seconds;
    if (limit < 0.5 * shortest) continue;
    const Timed timed = solve_within(entry, problem, limit);
    EXPECT_LE(timed.seconds, 1.1 * limit + least.seconds)
        << entry.name << " needs " << least.seconds << " s to prepare";
    fmt::print("{:22} {:10} after {:.3f} s of {:.3f} s, {:.3f} s to prepare\n", entry.name,
               to_string(timed.report.status), timed.seconds, limit, least.seconds);
    stopped += timed.report.status == SolveStatus::limit;
    EXPECT_TRUE(timed.solution.lambda.allFinite()) << entry.name;
    const double measured = oracle.measure(timed.solution).relative;
    EXPECT_NEAR(timed.report.residual.relative, measured, 1e-3 * measured + 1e-10) << entry.name;
    if (timed.report.status == SolveStatus::solved) {
      EXPECT_LE(measured, 1.1e-15) << entry.name;
    }
  }
  EXPECT_GT(stopped, 0) << "the problem is too easy to test a limit";
}

INSTANTIATE_TEST_SUITE_P(large, TimeLimit,
                         testing::Values("contact_planar_velocity", "lcp_singular", "mlcp",
                                         "cone_convex"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace vinci::test
