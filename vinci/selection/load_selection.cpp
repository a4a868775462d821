// SPDX-License-Identifier: Apache-2.0
#include "vinci/selection/load_selection.h"

#include <cmath>

namespace vinci {
namespace {

constexpr int whole_rows = 36;  // up to here islands are not looked for
constexpr double alike = 1e-7;  // answers that differ by less are one

bool differ(const VectorX& a, const VectorX& b) {
  const double size = std::max(a.cwiseAbs().maxCoeff(), b.cwiseAbs().maxCoeff());
  return (a - b).cwiseAbs().maxCoeff() > alike * size;
}

}  // namespace

SelectionReport LoadSelection::operator()(const ComplementarityProblem& problem,
                                          const VectorX& start, const Accuracy& accuracy,
                                          SolveReport& solve, Solution& solution) {
  SelectionReport report;
  if (solve.status == SolveStatus::refused || solve.status == SolveStatus::no_solution)
    return report;
  const auto count = [&](Found found) {
    report.chosen += found == Found::other ? 1 : 0;
    report.missed += found == Found::none ? 1 : 0;
  };
  Residual residual = solve.residual;
  if (problem.rows() <= whole_rows) {
    count(select(problem, start, accuracy, solution, residual));
  } else {
    for (int i = 0, end = islands_.find(problem); i < end; ++i) {
      if (islands_.rows(i) > most_rows) {
        ++report.missed;
        continue;
      }
      islands_.extract(problem, i, part_);
      islands_.gather_rows(i, start, part_start_);
      islands_.gather_rows(i, solution.lambda, part_solution_.lambda);
      islands_.gather_unknowns(i, solution.u, part_solution_.u);
      Residual own = judge_(part_, part_solution_);
      const Found found = select(part_, part_start_, accuracy, part_solution_, own);
      count(found);
      islands_.scatter_rows(i, part_solution_.lambda, solution.lambda);
      islands_.scatter_unknowns(i, part_solution_.u, solution.u);
    }
    residual = judge_(problem, solution);
    solution.u = judge_.u();
  }
  const bool failed = !accuracy.is_solved(solve.residual);
  solve.residual = residual;
  if (failed && accuracy.is_solved(residual)) solve.solver = "selection";
  solve.status = SolveStatus::inaccurate;
  conclude(solve, accuracy);
  return report;
}

LoadSelection::Found LoadSelection::select(const ComplementarityProblem& problem,
                                           const VectorX& start, const Accuracy& accuracy,
                                           Solution& solution, Residual& residual) {
  if (!units_.read(problem) || !condensation_.condense(units_.problem())) return Found::none;
  judge_.prepare(problem);
  limit_.load(condensation_.W(), condensation_.q(), units_.units());
  best_residual_ = residual;
  best_.lambda = solution.lambda;
  best_.u = solution.u;
  const auto leads = [&](bool begun) {
    for (; begun; begun = limit_.harden())
      if (limit_.reach(lambda_) && is_answer(problem, accuracy)) return true;
    return false;
  };
  units_.to_units(start, lambda_);
  bool found = leads(limit_.go_on(lambda_)) || leads(limit_.stiffen()) || leads(limit_.jam());
  if (!found) {
    units_.to_units(solution.lambda, lambda_);
    found = leads(limit_.go_on(lambda_));
  }
  const bool other = found && differ(best_.lambda, solution.lambda);
  std::swap(solution, best_);
  residual = best_residual_;
  return !found ? Found::none : other ? Found::other : Found::same;
}

// Measures the limit at hand; true where it is as exact as asked for. The best answer is kept.
bool LoadSelection::is_answer(const ComplementarityProblem& problem, const Accuracy& accuracy) {
  units_.from_units(lambda_, limit_.w(), trial_.lambda);
  trial_.u.resize(problem.unknowns());
  const Residual measured = judge_.measure(problem, trial_);
  const bool exact = accuracy.is_settled(measured) || measured.relative <= accuracy.acceptable();
  if (!exact && !(measured.relative < best_residual_.relative)) return false;
  best_residual_ = measured;
  best_.lambda = trial_.lambda;
  best_.u = judge_.u();
  return exact;
}

}  // namespace vinci
