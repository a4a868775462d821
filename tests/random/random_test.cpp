// SPDX-License-Identifier: Apache-2.0
// 100,000 random problems: what is called solved is solved, what is called impossible is proved,
// and nothing crashes, never ends or answers with numbers that are none. Environment:
//
//   VINCI_RANDOM_COUNT   problems over all families [100000]
//   VINCI_RANDOM_SEED    other problems [1]
//   VINCI_RANDOM_ONLY    one number: that problem of each family alone
//   VINCI_RANDOM_SAVE    a folder: problems that failed are saved there
//
// Each problem has its own seed, from the family's name, its number and VINCI_RANDOM_SEED.
#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <ostream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/random/families.h"
#include "tests/random/oracle.h"
#include "vinci/base/hash.h"
#include "vinci/complementarity/problem_file.h"
#include "vinci/complementarity/solver.h"
#include "vinci/solvers/builtin.h"

namespace vinci::test {

// For the messages of a failure.
void PrintTo(const Family& family, std::ostream* stream) {
  *stream << family.text;
}

namespace {

constexpr double tolerance = 1e-8;
constexpr int largest_size = 200;  // rows; all sizes from 1 are equally likely on a log scale
constexpr double plainly_wrong = 1e-4;
constexpr int compare_every = 8;  // of the problems with one solution
constexpr int largest_path = 60;  // rows for quadratic-cone: a path through more takes many pivots

long environment(const char* name, long otherwise) {
  const char* const text = std::getenv(name);
  return text ? std::atol(text) : otherwise;
}

// What is being solved, for the message of a crash.
char current[256] = "";

void tell_of_crash(int signal) {
  [[maybe_unused]] auto done =
      write(STDERR_FILENO, current, std::char_traits<char>::length(current));
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

struct Count {
  std::string family;
  int problems = 0, solved = 0, inaccurate = 0, no_solution = 0, limit = 0, refused = 0;
  int expected = 0;             // theory says what must come out
  int failed = 0, unknown = 0;  // it did not; and is not known for it
  int compared = 0;             // answers of other solvers
  int noise = 0;                // solved by the judge, whose rounding is above the tolerance
  int resolution = 0;           // of these, below the resolution of double precision
  int wrong = 0, misjudged = 0, unproved = 0, not_finite = 0, disagreeing = 0;
  double worst = 0.0;             // residual of an answer called solved, by the oracle
  long iterations = 0, most = 0;  // of all methods tried; in one problem
};

class Table : public testing::Environment {
 public:
  void add(const Count& count) {
    counts_.push_back(count);
    print_row(count);  // at once, for a run that is stopped
  }
  void TearDown() override {
    if (counts_.size() < 2) return;
    fmt::print(
        "\n{:27} {:>6} {:>6} {:>5} {:>5} {:>5} {:>5} | {:>6} {:>6} {:>6} {:>5} {:>5} | {:>8} "
        "{:>9} {:>9}\n",
        "family", "count", "solved", "inacc", "none", "limit", "refus", "expect", "failed", "resol",
        "noise", "comp", "worst", "mean it", "max it");
    for (const Count& count : counts_) print_row(count);
  }

 private:
  static void print_row(const Count& c) {
    fmt::print(
        "{:27} {:6} {:6} {:5} {:5} {:5} {:5} | {:6} {:6} {:6} {:5} {:5} | {:8.1e} {:9.1f} {:9}\n",
        c.family, c.problems, c.solved, c.inaccurate, c.no_solution, c.limit, c.refused, c.expected,
        c.failed, c.resolution, c.noise, c.compared, c.worst,
        static_cast<double>(c.iterations) / c.problems, c.most);
    std::fflush(stdout);
  }
  std::vector<Count> counts_;
};
Table* const table = static_cast<Table*>(testing::AddGlobalTestEnvironment(new Table));

class RandomProblems : public testing::TestWithParam<Family> {
 protected:
  void SetUp() override {
    for (const int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGALRM}) std::signal(signal, tell_of_crash);
    add_builtin_solvers(registry_);
    for (const auto& entry : registry_.entries()) solvers_[entry.name] = make(entry, tolerance);
  }

  static std::unique_ptr<Solver> make(const SolverRegistry::Entry& entry, double asked) {
    OptionValues options(entry.options);
    if (entry.options.find("tolerance")) options.set("tolerance", asked);
    return entry.make(options);
  }

  static int draw_size(Draw& draw) {
    return static_cast<int>(draw.log_uniform(1.0, largest_size + 1.0));
  }

  RandomProblem problem(long number) {
    Hash hash;
    for (const char* c = GetParam().name; *c; ++c) hash.add(static_cast<std::uint64_t>(*c));
    hash.add(static_cast<std::uint64_t>(environment("VINCI_RANDOM_SEED", 1)));
    hash.add(static_cast<std::uint64_t>(number));
    Draw draw(hash.value());
    const int size = draw_size(draw);
    return GetParam().make(draw, size);
  }

  void complain(const std::string& what, const RandomProblem& random) {
    std::string place;
    if (const char* const folder = std::getenv("VINCI_RANDOM_SAVE")) {
      std::filesystem::create_directories(folder);
      place = fmt::format("{}/{}-{}.h5", folder, GetParam().name, number_);
      save_problem(place, random.problem);
    }
    complaints_.push_back(fmt::format("{} {} ({} rows): {} {}", GetParam().name, number_,
                                      random.problem.rows(), what, place));
  }

  void solve(const RandomProblem& random);
  void check_answer(const RandomProblem& random, const Solver& solver, const SolveReport& report,
                    const Solution& solution);
  void check_theory(const RandomProblem& random, const SolveReport& report);
  void compare_solvers(const RandomProblem& random);

  static bool first_seed() { return environment("VINCI_RANDOM_SEED", 1) == 1; }
  static bool is_known(long number) {
    const auto& failures = GetParam().failures;
    return first_seed() && std::any_of(failures.begin(), failures.end(), [&](const auto& failure) {
             return failure.number == number;
           });
  }
  bool has_failed(long number) const {
    return std::find(failed_.begin(), failed_.end(), number) != failed_.end();
  }

  SolverRegistry registry_{"solver"};
  std::map<std::string, std::unique_ptr<Solver>> solvers_;
  Count count_;
  long number_ = 0;
  std::vector<long> failed_;
  std::vector<std::string> complaints_;
};

// The facts that hold for every answer of every solver.
void RandomProblems::check_answer(const RandomProblem& random, const Solver& solver,
                                  const SolveReport& report, const Solution& solution) {
  if (report.status == SolveStatus::refused) return;
  if (!solution.lambda.allFinite() || !solution.u.allFinite()) {
    ++count_.not_finite;
    return complain(fmt::format("{} answers with numbers that are none", report.solver), random);
  }
  const Oracle oracle(random.problem);
  const Measured measured = oracle.measure(solution);
  // The two judges agree, to what rounding does to the first.
  const double apart = std::abs(report.residual.relative - measured.relative);
  if (!(apart <= 1e-3 * measured.relative + 4.0 * measured.rounding)) {
    ++count_.misjudged;
    complain(fmt::format("{} has the residual {:.3e}, judged as {:.3e}", report.solver,
                         measured.relative, report.residual.relative),
             random);
  }
  if (report.status == SolveStatus::solved) {
    count_.worst = std::max(count_.worst, measured.relative);
    // One per cent for the judge's rounding where the residual is at the tolerance. Where w is a
    // difference of far larger numbers, doubles λ cannot say more than that rounding; but nothing
    // that is plainly wrong may be called solved, whatever the noise.
    count_.noise += measured.rounding > tolerance;
    if (!(measured.relative <= std::min(1.01 * tolerance + measured.rounding, plainly_wrong))) {
      ++count_.wrong;
      complain(
          fmt::format("{} calls a residual of {:.2e} solved, judged as {:.2e}, rounding {:.1e}",
                      report.solver, measured.relative, report.residual.relative,
                      report.residual.rounding),
          random);
    }
  }
  if (report.status == SolveStatus::no_solution) {
    const VectorX* const y = solver.certificate();
    const double defect = y ? oracle.certificate_defect(*y) : 1.0;
    if (!(defect <= 1e-10)) {
      ++count_.unproved;
      complain(
          fmt::format("{} proves nothing: {} {}", report.solver,
                      y ? fmt::format("defect {:.1e}", defect) : "no certificate", report.note),
          random);
    }
  }
}

void RandomProblems::check_theory(const RandomProblem& random, const SolveReport& report) {
  const bool resolved = report.residual.relative <= report.residual.rounding;
  if (random.theory == Theory::solvable) {
    ++count_.expected;
    if (report.status == SolveStatus::solved) return;
    if (resolved) ++count_.resolution;
    if (resolved) return;
  } else if (random.theory == Theory::impossible) {
    ++count_.expected;
    if (report.status == SolveStatus::no_solution) return;
  } else {
    return;
  }
  ++count_.failed;
  failed_.push_back(number_);
  if (is_known(number_)) return;
  ++count_.unknown;
  complain(fmt::format("{} ends with {}, residual {:.1e}, rounding {:.1e} {}", report.solver,
                       to_string(report.status), report.residual.relative, report.residual.rounding,
                       report.note),
           random);
}

void RandomProblems::solve(const RandomProblem& random) {
  const ComplementarityProblem& problem = random.problem;
  ASSERT_EQ(problem.why_invalid(), "") << GetParam().name << " " << number_;
  ++count_.problems;
  Solver& solver = *solvers_.at("auto");
  Solution solution{VectorX::Zero(problem.unknowns()), VectorX::Zero(problem.rows())};
  SolveReport report;
  if (solver.why_not(problem).empty()) report = solver.solve(problem, solution);
  long iterations = 0;
  for (const Attempt& attempt : solver.attempts()) iterations += attempt.iterations;
  count_.iterations += iterations;
  count_.most = std::max(count_.most, iterations);
  switch (report.status) {
    case SolveStatus::solved:
      ++count_.solved;
      break;
    case SolveStatus::inaccurate:
      ++count_.inaccurate;
      break;
    case SolveStatus::no_solution:
      ++count_.no_solution;
      break;
    case SolveStatus::limit:
      ++count_.limit;
      break;
    case SolveStatus::refused:
      ++count_.refused;
      break;
  }
  check_answer(random, solver, report, solution);
  check_theory(random, report);
  if (random.unique && number_ % compare_every == 0) compare_solvers(random);
}

// λ of every solver that takes the problem, where there is one solution only.
void RandomProblems::compare_solvers(const RandomProblem& random) {
  const ComplementarityProblem& problem = random.problem;
  VectorX first = random.known;
  for (const auto& entry : registry_.entries()) {
    const auto solver = make(entry, 1e-12);
    if (!solver->why_not(problem).empty()) continue;
    if (entry.name == "quadratic-cone" && problem.rows() > largest_path) continue;
    Solution solution{VectorX::Zero(problem.unknowns()), VectorX::Zero(problem.rows())};
    SolveReport report = solver->solve(problem, solution);
    // Near enough to be compared, not near enough to be called solved at 1e-12.
    if (report.residual.relative <= tolerance) report.status = SolveStatus::solved;
    check_answer(random, *solver, report, solution);
    if (!(report.residual.relative <= 1e-10)) continue;
    ++count_.compared;
    if (first.size() == 0) first = solution.lambda;
    const double difference = (solution.lambda - first).norm();
    if (difference <= 1e-6 * first.norm()) continue;
    ++count_.disagreeing;
    complain(fmt::format("{} finds another solution, {:.1e} away", entry.name,
                         difference / first.norm()),
             random);
  }
}

TEST_P(RandomProblems, end_with_a_true_status) {
  double weights = 0.0;
  for (const auto& families : {scalar_families(), contact_families()})
    for (const Family& family : families) weights += family.weight;
  const auto total = static_cast<double>(environment("VINCI_RANDOM_COUNT", 100000));
  const long count = std::lround(std::ceil(total * GetParam().weight / weights));
  const long only = environment("VINCI_RANDOM_ONLY", -1);
  count_.family = GetParam().name;
  for (number_ = only < 0 ? 0 : only; number_ < (only < 0 ? count : only + 1); ++number_) {
    *fmt::format_to_n(current, sizeof current - 2, "while solving {} number {} of seed {}\n",
                      GetParam().name, number_, environment("VINCI_RANDOM_SEED", 1))
         .out = '\0';
    solve(problem(number_));
  }
  table->add(count_);
  EXPECT_EQ(count_.wrong, 0) << "called solved, and are not";
  EXPECT_EQ(count_.misjudged, 0) << "have another residual than the judge says";
  EXPECT_EQ(count_.unproved, 0) << "called impossible without a proof";
  EXPECT_EQ(count_.not_finite, 0) << "have answers that are not finite";
  EXPECT_EQ(count_.disagreeing, 0) << "have one solution, and solvers that disagree on it";
  EXPECT_EQ(count_.unknown, 0) << "are not what theory says";
  EXPECT_GT(count_.problems, 0);
  for (const KnownFailure& failure : GetParam().failures)
    EXPECT_TRUE(!first_seed() || only >= 0 || failure.number >= count || has_failed(failure.number))
        << failure.number << " (" << failure.reason << ") is no failure any more: off the list";
  constexpr std::size_t shown = 10;
  for (std::size_t i = 0; i < std::min(complaints_.size(), shown); ++i)
    fmt::print("{}\n", complaints_[i]);
  if (complaints_.size() > shown) fmt::print("and {} more\n", complaints_.size() - shown);
}

const auto name_of = [](const testing::TestParamInfo<Family>& info) { return info.param.name; };
INSTANTIATE_TEST_SUITE_P(scalar, RandomProblems, testing::ValuesIn(scalar_families()), name_of);
INSTANTIATE_TEST_SUITE_P(contact, RandomProblems, testing::ValuesIn(contact_families()), name_of);

}  // namespace
}  // namespace vinci::test
