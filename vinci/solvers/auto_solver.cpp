// SPDX-License-Identifier: Apache-2.0
#include "vinci/solvers/auto_solver.h"

#include <algorithm>
#include <cmath>

#include "vinci/base/settings.h"

namespace vinci {

namespace {

// Methods are kept for so many sizes of problems; beyond, all are made anew.
constexpr std::size_t most_shapes = 64;
// Of the tolerance; the rest is left to the rounding of the whole.
constexpr double share = 0.99;
// Asked of all islands before the digits of each, where time is limited.
constexpr double rough = 1e-3;

}  // namespace

AutoSolver::AutoSolver(const Settings& settings)
    : SolveFrame("auto", {settings.tolerance}),
      settings_(settings),
      spare_(std::make_unique<Cascade>(settings)) {}

std::string AutoSolver::refusal(const ComplementarityProblem& problem) const {
  return (spare_ ? *spare_ : *shapes_.front().methods).why_not(problem);
}

Cascade& AutoSolver::methods(int rows, int unknowns) {
  const auto before = [](const Shape& a, const std::pair<int, int>& b) {
    return std::pair(a.rows, a.unknowns) < b;
  };
  auto place = std::lower_bound(shapes_.begin(), shapes_.end(), std::pair(rows, unknowns), before);
  if (place != shapes_.end() && place->rows == rows && place->unknowns == unknowns)
    return *place->methods;
  if (shapes_.size() >= most_shapes) {
    shapes_.clear();
    place = shapes_.end();
  }
  auto fresh = spare_ ? std::move(spare_) : std::make_unique<Cascade>(settings_);
  return *shapes_.insert(place, {rows, unknowns, std::move(fresh)})->methods;
}

const char* AutoSolver::prepare(const ComplementarityProblem&) {
  log_.clear();
  certificate_ = nullptr;
  return nullptr;
}

SolveFrame::Ending AutoSolver::run(const ComplementarityProblem& problem, Solution& solution) {
  // A small problem costs less than to take it apart.
  const bool small = problem.rows() <= SmallSolver::largest;
  if (!small && islands_.find(problem) > 1 && (judge_.prepare(problem), judge_.regular()))
    return solve_islands(problem, solution);
  const SolveReport report = solve_connected(problem, solution, accuracy());
  if (report.status == SolveStatus::no_solution)
    certificate_ = methods(problem.rows(), problem.unknowns()).certificate();
  credit(report.solver);
  iterations_ = report.iterations;
  offer(solution.lambda, report.residual, &solution.u);
  return {report.status, report.note};
}

// The small method spends less than a look at the clock.
SolveReport AutoSolver::solve_connected(const ComplementarityProblem& problem, Solution& solution,
                                        const Accuracy& asked) {
  if (SmallSolver::takes(problem)) {
    small_.ask(asked);
    const SolveReport report = small_.solve_valid(problem, solution);
    if (report.status != SolveStatus::refused)
      log_.add({report.solver, report.status, report.residual.relative, report.iterations, 0.0});
    if (report.status == SolveStatus::solved) return report;
  }
  if (PyramidSolver::takes(problem)) {
    const Stopwatch watch;
    pyramids_.ask(asked);
    pyramids_.limit_by(until_);
    const SolveReport report = pyramids_.solve_valid(problem, solution);
    if (report.status != SolveStatus::refused)
      log_.add({report.solver, report.status, report.residual.relative, report.iterations,
                watch.seconds()});
    if (report.status == SolveStatus::solved) return report;
  }
  return methods(problem.rows(), problem.unknowns())
      .solve(problem, solution, {accuracy(), asked, until_, log_});
}

// Per island, the tolerance that makes all of them together meet the one asked for.
void AutoSolver::share_tolerance() {
  const VectorX &q = judge_.w(), &weight = judge_.weights();
  const double least = std::numeric_limits<double>::epsilon();
  const double islands = islands_.count();
  shares_.resize(static_cast<std::size_t>(islands_.count()));
  for (int k = 0; k < islands_.count(); ++k) {
    double norm = 0.0;
    for (const int row : islands_.rows_of(k))
      norm = judge_.maximum_norm() ? std::max(norm, std::abs(q[row]))
                                   : std::hypot(norm, weight[row] * q[row]);
    const double part = judge_.maximum_norm() ? 1.0 : std::sqrt(islands);
    shares_[k].tolerance =
        share * accuracy().tolerance * judge_.free_norm() / (part * (norm < least ? 1.0 : norm));
  }
}

void AutoSolver::take_part(const ComplementarityProblem& problem, int island,
                           const Solution& solution) {
  islands_.extract(problem, island, part_);
  islands_.gather_rows(island, solution.lambda, part_solution_.lambda);
  islands_.gather_unknowns(island, solution.u, part_solution_.u);
  part_guess_.lambda = part_solution_.lambda;
  part_guess_.u = part_solution_.u;
}

// The answer of an island, unless its guess was better by the judge.
void AutoSolver::keep_better(int island, const Residual& residual, Solution& solution) {
  if (!part_solution_.lambda.allFinite()) return;
  const bool worse = !(residual.relative <= part_judge_(part_, part_guess_).relative);
  if (!worse) islands_.scatter_rows(island, part_solution_.lambda, solution.lambda);
}

// Where time is short, no island shall wait for the last digits of another.
void AutoSolver::answer_roughly(const ComplementarityProblem& problem, Solution& solution) {
  for (int k = 0; k < islands_.count() && !until_.passed(); ++k) {
    take_part(problem, k, solution);
    Accuracy asked = shares_[k];
    asked.tolerance *= std::max(1.0, rough / accuracy().tolerance);
    const SolveReport answer = solve_connected(part_, part_solution_, asked);
    if (answer.status != SolveStatus::no_solution) keep_better(k, answer.residual, solution);
  }
}

// Every island by itself, then the verdict on all.
SolveFrame::Ending AutoSolver::solve_islands(const ComplementarityProblem& problem,
                                             Solution& solution) {
  share_tolerance();
  const Residual guessed = judge_.measure(problem, solution);
  if (accuracy().is_solved(guessed)) {  // the guess will do
    offer(solution.lambda, guessed, &judge_.u());
    return {};
  }
  offer(solution.lambda, guessed, &judge_.u());
  if (std::isfinite(until_.remaining())) answer_roughly(problem, solution);
  Ending ending;
  std::size_t furthest = 0;
  for (int k = 0; k < islands_.count() && ending.status != SolveStatus::no_solution; ++k) {
    take_part(problem, k, solution);
    const SolveReport answer = solve_connected(part_, part_solution_, shares_[k]);
    iterations_ += answer.iterations;
    // Of all islands' answers, the method named is the one tried last.
    const std::size_t place = log_.place(answer.solver);
    const bool none = answer.status == SolveStatus::no_solution;
    if (place >= furthest || none) {
      furthest = place;
      credit(answer.solver);
      ending.note = answer.note;
    }
    if (none) {
      ending.status = SolveStatus::no_solution;
      keep_certificate(k, methods(part_.rows(), part_.unknowns()).certificate());
    }
    keep_better(k, answer.residual, solution);
  }
  offer(solution.lambda, judge_.measure(problem, solution), &judge_.u());
  if (ending.status != SolveStatus::no_solution && until_.passed())
    ending.status = SolveStatus::limit;
  return ending;
}

void AutoSolver::keep_certificate(int island, const VectorX* part) {
  if (part == nullptr) return;
  whole_certificate_.setZero(judge_.w().size());
  islands_.scatter_rows(island, *part, whole_certificate_);
  certificate_ = &whole_certificate_;
}

SolverRegistry::Entry auto_entry() {
  using Settings = AutoSolver::Settings;
  return entry_of<Solver, AutoSolver>(
      "auto",
      "Splits into islands, chooses by laws and size, falls back, returns the best answer by "
      "the judge.",
      "",
      {{&Settings::tolerance, "tolerance", "Relative residual asked of the judge.", "", 0.0, 1.0},
       {&Settings::max_iterations, "max-iterations", "Sweeps of Gauss–Seidel before giving up.", "",
        0, 1e9},
       {&Settings::largest_newton, "largest-newton",
        "Rows and unknowns of an island up to which the Newton methods are tried.", "", 0, 1e7},
       {&Settings::largest_lemke, "largest-lemke",
        "Rows of an island up to which Lemke's method is tried.", "", 0, 1e6}});
}

}  // namespace vinci
