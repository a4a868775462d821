// SPDX-License-Identifier: Apache-2.0
// Solves that somebody wants to end.
#include <chrono>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

#include "tests/support/contact_scenes.h"
#include "tests/support/cpu_time.h"
#include "tests/support/zero.h"
#include "vinci/complementarity/solver.h"
#include "vinci/newton/interior_point.h"
#include "vinci/proofs/all_solutions.h"
#include "vinci/solvers/builtin.h"

namespace vinci {
namespace {

// Rows without friction, which every solver takes, and more of them than the small one does.
ComplementarityProblem frictionless() {
  ComplementarityProblem problem;
  const int n = 60;
  MatrixX W = MatrixX::Identity(n, n) * 2.0;
  for (int i = 0; i + 1 < n; ++i) W(i, i + 1) = W(i + 1, i) = -0.9;
  problem.C = SparseRows::from_dense(W);
  problem.J = SparseRows::from_dense(MatrixX::Zero(n, 0));
  problem.b = VectorX::Constant(n, -1.0);
  for (int i = 0; i < n; ++i) problem.blocks.push_back({.law = Law::nonnegative, .offset = i});
  return problem;
}

// An interruption is not asked in its first 20 ms.
void wait_until_it_asks() {
  std::this_thread::sleep_for(std::chrono::milliseconds(25));
}

class Interrupted : public ::testing::TestWithParam<std::string> {
 protected:
  static std::unique_ptr<Solver> solver() {
    SolverRegistry registry("solver");
    add_builtin_solvers(registry);
    return registry.make(GetParam());
  }
};

TEST_P(Interrupted, a_solve_ends_when_it_is_wanted_and_says_so) {
  const ComplementarityProblem problem = frictionless();
  const auto method = solver();
  ASSERT_EQ(method->why_not(problem), "");
  int asked = 0;
  method->stop_when([&] { return ++asked > 0; });
  wait_until_it_asks();
  Solution solution = zero(problem);
  const SolveReport report = method->solve(problem, solution);
  EXPECT_EQ(asked, 1);  // a yes is not asked for again
  EXPECT_EQ(report.status, SolveStatus::limit);
  EXPECT_STREQ(report.note, "interrupted");
}

TEST_P(Interrupted, an_exception_leaves_the_solve_and_the_solver_goes_on_as_new) {
  const ComplementarityProblem problem = frictionless();
  Solution expected = zero(problem), solution = zero(problem);
  ASSERT_EQ(solver()->solve(problem, expected).status, SolveStatus::solved);
  const auto method = solver();
  method->stop_when([]() -> bool { throw std::runtime_error("enough"); });
  wait_until_it_asks();
  EXPECT_THROW(method->solve(problem, solution), std::runtime_error);
  method->stop_when({});
  solution = zero(problem);
  EXPECT_EQ(method->solve(problem, solution).status, SolveStatus::solved);
  EXPECT_EQ(solution.lambda, expected.lambda);
}

TEST_P(Interrupted, who_never_wants_it_changes_no_bit) {
  const ComplementarityProblem problem = frictionless();
  Solution expected = zero(problem), solution = zero(problem);
  solver()->solve(problem, expected);
  const auto method = solver();
  method->stop_when([] { return false; });
  wait_until_it_asks();
  EXPECT_EQ(method->solve(problem, solution).status, SolveStatus::solved);
  EXPECT_EQ(solution.lambda, expected.lambda);
}

INSTANTIATE_TEST_SUITE_P(Solvers, Interrupted,
                         ::testing::Values("auto", "gauss-seidel", "lemke", "principal-pivoting",
                                           "interior-point", "semismooth-newton",
                                           "augmented-lagrangian", "admm", "quadratic-cone"),
                         [](const auto& each) {
                           std::string name = each.param;
                           for (char& c : name)
                             if (c == '-') c = '_';
                           return name;
                         });

// In units of a Newton step with all that comes before it: one until the wish, five after it.
TEST(Interrupted, a_long_solve_ends_soon_after_the_wish) {
  const ComplementarityProblem problem = scenes::brick_wall(16, 16);
  SolverRegistry registry("solver");
  add_builtin_solvers(registry);
  const SolverRegistry::Entry& entry = registry.at("auto");
  OptionValues options(entry.options);
  options.set("tolerance", 0.0);  // never satisfied
  const auto method = entry.make(options);
  Solution solution = zero(problem);
  InteriorPointSolver once({.tolerance = 0.0, .max_iterations = 1});
  const double step = test::cpu_seconds_of([&] { once.solve(problem, solution); });
  solution = zero(problem);
  const double start = test::cpu_seconds();
  double wish = 0.0;
  method->stop_when([&] {
    wish = test::cpu_seconds();
    return wish > start + step;
  });
  const SolveReport report = method->solve(problem, solution);
  EXPECT_LE(test::cpu_seconds() - wish, 5.0 * step);
  EXPECT_EQ(report.status, SolveStatus::limit);
  EXPECT_STREQ(report.note, "interrupted");
  EXPECT_LT(report.residual.relative, 1.0);
}

TEST(Interrupted, a_search_for_all_solutions_ends_incomplete) {
  ComplementarityProblem problem;
  const int n = 20;
  problem.C = SparseRows::from_dense(-MatrixX::Identity(n, n));
  problem.J = SparseRows::from_dense(MatrixX::Zero(n, 0));
  problem.b = VectorX::Ones(n);
  for (int i = 0; i < n; ++i) problem.blocks.push_back({.law = Law::nonnegative, .offset = i});
  Interruption interruption([] { return true; });
  AllSolutionsLimits limits;
  limits.solutions = 1 << 30;
  limits.interruption = &interruption;
  const AllSolutions found = all_solutions(problem, limits);
  EXPECT_LT(found.solutions.size(), std::size_t{1} << n);  // all of them would take minutes
  EXPECT_FALSE(found.complete);
  EXPECT_EQ(found.note, "interrupted");
}

}  // namespace
}  // namespace vinci
