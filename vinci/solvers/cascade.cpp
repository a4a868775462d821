// SPDX-License-Identifier: Apache-2.0
#include "vinci/solvers/cascade.h"

#include <algorithm>
#include <cstring>

#include "vinci/solvers/small_solver.h"

namespace vinci {

namespace {

// Sweeps of the first attempt: as many as a few Newton steps cost.
constexpr int leash = 20;
// Sweeps that only see whether the problem is a simple one.
constexpr int look = 2;
// Rows without u beyond which the Newton finish of the sweeps costs as much as the interior point.
constexpr int large_to_sweep = 600;
// Rows and unknowns beyond which the central path costs less than sweeps and than dense equations.
constexpr int large_to_follow = 72;
// Rows of planar friction up to which pivoting costs less than sweeping would.
constexpr int small_to_pivot = 150;
// Rows up to which Lemke's method comes before Newton's.
constexpr int large_to_pivot = 1500;
// An answer as near as this is no sign of a contradiction: problems without a solution leave a
// residual of the order of one, badly posed ones some digits.
constexpr double feasible = 1e-6;
// Rows up to which the nonlinear form is tried where all others failed.
constexpr int largest_quadratic = 200;
// Where Newton was tried before, pivoting is worth its cost only up to here.
constexpr int largest_lemke_after_newton = 500;

bool is_scalar(const ComplementarityProblem& problem) {
  for (const Block& block : problem.blocks)
    if (block.law != Law::equality && block.law != Law::nonnegative && block.law != Law::box)
      return false;
  return true;
}

bool has_pyramids(const ComplementarityProblem& problem) {
  // A row that C couples to others but that has neither a diagonal nor a Jacobian.
  for (const Block& block : problem.blocks)
    for (int row = block.offset; row < block.offset + block.size; ++row) {
      if (problem.J.starts[row + 1] > problem.J.starts[row]) continue;
      bool diagonal = false;
      const int begin = problem.C.starts[row], end = problem.C.starts[row + 1];
      for (int k = begin; k < end; ++k)
        diagonal = diagonal || (problem.C.indices[k] == row && problem.C.values[k] != 0.0);
      if (!diagonal && end > begin) return true;
    }
  return false;
}

SemismoothNewtonSolver::Settings semismooth_settings(const Cascade::Settings& settings) {
  SemismoothNewtonSolver::Settings result;
  result.largest = settings.largest_newton;
  result.max_iterations = 60;
  return result;
}

bool has_moments(const ComplementarityProblem& problem) {
  return std::any_of(problem.blocks.begin(), problem.blocks.end(),
                     [](const Block& block) { return block.law == Law::moments; });
}

bool has_friction(const ComplementarityProblem& problem) {
  return std::any_of(problem.blocks.begin(), problem.blocks.end(),
                     [](const Block& block) { return block.law == Law::coulomb; });
}

}  // namespace

Cascade::Cascade(const Settings& settings)
    : settings_(settings),
      interior_({.largest = settings.largest_newton}),
      newton_({.largest = settings.largest_newton}),
      semismooth_(semismooth_settings(settings)) {}

std::string Cascade::why_not(const ComplementarityProblem& problem) const {
  const std::string sweeping = sweeping_.why_not(problem);
  if (sweeping.empty()) return {};
  const std::string pivoting = pivoting_.why_not(problem);
  if (pivoting.empty() || quadratic_.why_not(problem).empty()) return {};
  return sweeping == pivoting ? sweeping : "gauss-seidel: " + sweeping + "; lemke: " + pivoting;
}

// From the best answer so far; true if nothing better can be had.
bool Cascade::attempt(SolveFrame& method, Turn& turn) {
  const Stopwatch watch;
  method.ask(turn.terms.accuracy);
  method.limit_by(turn.terms.until);
  const SolveReport report = method.solve_valid(turn.problem, turn.solution);
  turn.terms.log.add(
      {report.solver, report.status, report.residual.relative, report.iterations, watch.seconds()});
  last_ = report.status;
  const bool proof = report.status == SolveStatus::no_solution;
  if (proof) certificate_ = method.certificate();
  if (proof || report.residual.relative < best_.residual.relative) {
    best_ = report;
    kept_ = turn.solution;
  } else {
    turn.solution = kept_;
  }
  return proof || turn.terms.accuracy.is_settled(best_.residual) || turn.terms.until.passed();
}

SolveReport Cascade::solve(const ComplementarityProblem& problem, Solution& solution,
                           const Terms& terms) {
  certificate_ = nullptr;
  best_ = {};
  best_.residual.relative = std::numeric_limits<double>::infinity();
  kept_ = solution;
  Turn turn{problem, solution, terms};
  const Traits traits = traits_of(problem);
  const bool again = traits.path_first && !traits.pivot_first;
  if (again) guess_ = solution;
  if (traits.pivot_first ? pivot_first(turn, traits) : sweep_first(turn, traits))
    return finish(turn);
  if (again && without_path(turn, traits)) return finish(turn);
  last_resort(turn, traits);
  return finish(turn);
}

// Once more from the guess, with sweeps in the place of the path; the better answer stays.
bool Cascade::without_path(Turn& turn, Traits traits) {
  const SolveReport report = best_;
  std::swap(first_, kept_);
  best_ = {};
  best_.residual.relative = std::numeric_limits<double>::infinity();
  turn.solution = kept_ = guess_;
  traits.path_first = false;
  const bool ended = sweep_first(turn, traits);
  const bool proof = best_.status == SolveStatus::no_solution;
  if (!proof && report.residual.relative < best_.residual.relative) {
    best_ = report;
    turn.solution = kept_ = first_;
  }
  return ended;
}

Cascade::Traits Cascade::traits_of(const ComplementarityProblem& problem) const {
  Traits traits;
  const int m = problem.rows();
  traits.pyramids = has_pyramids(problem);
  traits.linear = m <= settings_.largest_lemke &&
                  std::all_of(problem.blocks.begin(), problem.blocks.end(), LinearForm::is_linear);
  traits.scalar = is_scalar(problem);
  traits.newton = std::max(problem.unknowns(), m) <= settings_.largest_newton;
  const bool local = problem.unknowns() == 0;
  traits.path_first = std::min(m, problem.unknowns()) > large_to_follow && has_friction(problem) &&
                      path_.why_not(problem).empty();
  traits.pivot_first =
      traits.linear && (traits.pyramids || (local && (traits.scalar || m <= small_to_pivot)));
  return traits;
}

// Scalar laws, small linear problems and pyramids.
bool Cascade::pivot_first(Turn& turn, const Traits& traits) {
  if (!traits.pyramids && attempt_cheaply(turn, traits)) return true;
  if (turn.problem.rows() <= large_to_pivot && attempt(pivoting_, turn)) return true;
  if (traits.newton && newton_methods(turn)) return true;
  return turn.problem.rows() > large_to_pivot && attempt(pivoting_, turn);
}

// Whole blocks of rows change places; where other laws stand beside, two sweeps to see.
bool Cascade::attempt_cheaply(Turn& turn, const Traits& traits) {
  return traits.scalar ? attempt(principal_, turn) : sweep(turn, look);
}

bool Cascade::sweep_first(Turn& turn, const Traits& traits) {
  if (traits.path_first && attempt(path_, turn)) return true;
  const bool large = turn.problem.unknowns() == 0 && turn.problem.rows() > large_to_sweep;
  if (!traits.pyramids && !traits.path_first && sweep(turn, large && traits.newton ? look : leash))
    return true;
  if (traits.newton && newton_methods(turn)) return true;
  const bool worth = !traits.newton || turn.problem.rows() <= largest_lemke_after_newton;
  return traits.linear && worth && attempt(pivoting_, turn);
}

bool Cascade::newton_methods(Turn& turn) {
  if (attempt(interior_, turn)) return true;
  // So near it is rounding that is left, and no other method has less of it; but for moments, which
  // the first method does not take.
  if (best_.residual.relative <= turn.terms.whole.near() && !has_moments(turn.problem)) return true;
  return attempt(newton_, turn) || attempt(semismooth_, turn);
}

void Cascade::last_resort(Turn& turn, const Traits& traits) {
  const int m = turn.problem.rows();
  if (best_.residual.relative > feasible && prove_none(turn)) return;
  const bool singular = best_.status == SolveStatus::refused;
  if ((singular || m <= largest_quadratic) && attempt(quadratic_, turn)) return;
  if (!singular && traits.newton && has_moments(turn.problem) && start_anew(turn)) return;
  if (!traits.pyramids && !singular) sweep(turn, settings_.max_iterations);
}

// Where redundant contacts hardly roll or spin, Newton's method ends at one start and not at
// another: from nothing, or from normal impulses alone, with which all contacts hold.
bool Cascade::start_anew(Turn& turn) {
  const auto without_friction = [&] {
    for (const Block& block : turn.problem.blocks)
      if (block.law == Law::moments)
        turn.solution.lambda.segment(block.offset + 1, block.size - 1).setZero();
  };
  turn.solution.lambda.setZero();
  if (attempt(newton_, turn)) return true;
  without_friction();
  if (attempt(newton_, turn)) return true;
  without_friction();
  return attempt(semismooth_, turn);
}

// A proof that there is no solution, for laws whose cones are round.
bool Cascade::prove_none(Turn& turn) {
  if (!search_.prove(turn.problem)) return false;
  certificate_ = &search_.certificate();
  best_.status = SolveStatus::no_solution;
  best_.note = "a vector proves that no impulses satisfy the inequalities";
  return true;
}

bool Cascade::sweep(Turn& turn, int sweeps) {
  sweeping_.limit_iterations(std::min(sweeps, settings_.max_iterations));
  return attempt(sweeping_, turn);
}

SolveReport Cascade::finish(const Turn& turn) {
  if (best_.status == SolveStatus::no_solution || best_.status == SolveStatus::refused)
    return best_;
  const bool stopped = turn.terms.until.passed() || last_ == SolveStatus::limit;
  best_.status = stopped ? SolveStatus::limit : SolveStatus::inaccurate;
  conclude(best_, turn.terms.accuracy, turn.terms.until);
  return best_;
}

std::size_t AttemptLog::place(const char* solver) const {
  std::size_t i = 0;
  while (i < entries_.size() && std::strcmp(entries_[i].solver, solver) != 0) ++i;
  return i;
}

void AttemptLog::add(const Attempt& attempt) {
  const std::size_t i = place(attempt.solver);
  if (i == entries_.size()) {
    entries_.push_back(attempt);
    return;
  }
  Attempt& entry = entries_[i];
  entry.status = std::max(entry.status, attempt.status);
  entry.residual = std::max(entry.residual, attempt.residual);
  entry.iterations += attempt.iterations;
  entry.seconds += attempt.seconds;
}

}  // namespace vinci
