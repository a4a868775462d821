// SPDX-License-Identifier: Apache-2.0
#include "vinci/selection/load_selection.h"

#include <algorithm>
#include <cmath>

namespace vinci {
namespace {

constexpr const char* rule_name = "selection";
constexpr int whole_rows = 36;  // up to here islands are not looked for
// Of the speed of contacts without loads: the most that a row may be unsure.
constexpr double most_unsure = 1e-9;

}  // namespace

SolveReport LoadSelection::solve(const ComplementarityProblem& problem, Solver& solver,
                                 const Accuracy& accuracy, Solution& solution) {
  report_ = {};
  SolveReport solve;
  if (solver.leaves_choice() && solve_alone(problem, accuracy, solve, solution)) return solve;
  report_ = {};
  start_ = solution.lambda;
  solve = solver.solve(problem, solution);
  if (solve.status != SolveStatus::refused && solve.status != SolveStatus::no_solution)
    select_among(problem, accuracy, solve, solution);
  return solve;
}

SolveReport LoadSelection::solve(ComplementarityProblem& problem, Solver& solver,
                                 const Accuracy& accuracy, Solution& solution, double resolution) {
  resolution_ = resolution;
  biases_ = &problem.b;
  const SolveReport report = solve(problem, solver, accuracy, solution);
  resolution_ = 0.0;
  biases_ = nullptr;
  return report;
}

// Whether the problem is taken as it is; otherwise islands_ are its parts.
bool LoadSelection::is_whole(const ComplementarityProblem& problem) {
  return problem.rows() <= whole_rows || islands_.find(problem) == 1;
}

// True, and all of it done, where the rule has an answer for every island.
bool LoadSelection::solve_alone(const ComplementarityProblem& problem, const Accuracy& accuracy,
                                SolveReport& solve, Solution& solution) {
  const bool whole = is_whole(problem);
  int steps = 0;
  if (whole) {
    if (!count(select(problem, solution.lambda, accuracy, nullptr))) return false;
    steps = limit_.steps();
  } else {
    whole_ = solution;
    for (int i = 0; i < islands_.count(); ++i) {
      islands_.extract(problem, i, part_);
      islands_.gather_rows(i, solution.lambda, part_start_);
      if (!count(select_part(i, accuracy, nullptr))) return false;
      steps += limit_.steps();
      islands_.scatter_rows(i, best_.lambda, whole_.lambda);
    }
    best_residual_ = judge_(problem, whole_);
    whole_.u = judge_.u();
  }
  std::swap(solution, whole ? best_ : whole_);
  solve = {SolveStatus::inaccurate, best_residual_, steps, rule_name, ""};
  conclude(solve, accuracy);
  return true;
}

// In place of the solver's answer, that of the rule where it has one.
void LoadSelection::select_among(const ComplementarityProblem& problem, const Accuracy& accuracy,
                                 SolveReport& solve, Solution& solution) {
  Residual residual = solve.residual;
  if (is_whole(problem)) {
    best_residual_ = solve.residual;
    count(select(problem, start_, accuracy, &solution));
    std::swap(solution, best_);
    residual = best_residual_;
  } else {
    for (int i = 0; i < islands_.count(); ++i) {
      islands_.extract(problem, i, part_);
      islands_.gather_rows(i, start_, part_start_);
      islands_.gather_rows(i, solution.lambda, part_solution_.lambda);
      islands_.gather_unknowns(i, solution.u, part_solution_.u);
      best_residual_ = judge_(part_, part_solution_);
      count(select_part(i, accuracy, &part_solution_));
      islands_.scatter_rows(i, best_.lambda, solution.lambda);
      islands_.scatter_unknowns(i, best_.u, solution.u);
    }
    residual = judge_(problem, solution);
    solution.u = judge_.u();
  }
  if (!accuracy.is_solved(solve.residual) && accuracy.is_solved(residual)) solve.solver = rule_name;
  solve.residual = residual;
  solve.status = SolveStatus::inaccurate;
  conclude(solve, accuracy);
}

// Island i, which is part_.
bool LoadSelection::select_part(int i, const Accuracy& accuracy, const Solution* solved) {
  VectorX* const whole = biases_;
  if (whole) biases_ = &part_.b;
  const bool found = select(part_, part_start_, accuracy, solved);
  if (whole && !shifted_.empty()) islands_.scatter_rows(i, part_.b, *whole);
  biases_ = whole;
  return found;
}

bool LoadSelection::count(bool found) {
  report_.chosen += found && open_ ? 1 : 0;
  report_.missed += found ? 0 : 1;
  return found;
}

bool LoadSelection::select(const ComplementarityProblem& problem, const VectorX& start,
                           const Accuracy& accuracy, const Solution* solved) {
  shifted_.clear();
  if (solved)
    best_ = *solved;
  else
    best_residual_.relative = std::numeric_limits<double>::infinity();
  if (!units_.read(problem)) return false;
  if (std::min(problem.unknowns(), units_.problem().rows()) > largest) return false;
  judge_.prepare(problem);
  if (!judge_.regular() || !judge_.mass().block_diagonal()) return false;
  units_.scales(judge_.scales(), scales_);
  if (!limit_.load(units_.problem(), judge_.mass(), units_.units(), scales_)) return false;
  const auto leads = [&](bool begun) {
    for (; begun; begun = limit_.harden())
      if (limit_.reach(lambda_) && is_answer(problem, accuracy, limit_.w())) return true;
    return false;
  };
  const auto rests = [&] { return rest_.find(lambda_) && is_answer(problem, accuracy, rest_.w()); };
  units_.to_units(start, begun_);
  rest_.load(units_.problem(), judge_.mass(), units_.units(), scales_);
  open_ = true;
  if (leads(limit_.go_on(begun_)) || leads(limit_.stiffen()) || leads(limit_.jam())) {
    const double speed = judge_.free_norm() / std::sqrt(static_cast<double>(problem.rows()));
    if (rest_.foretold({begun_, limit_.begun_w(), speed}, lambda_, limit_.w()) && rests())
      return true;
    open_ = limit_.left_open();
    return true;
  }
  if (rests()) return true;
  if (solved == nullptr) return false;
  units_.to_units(solved->lambda, lambda_);
  const bool found = leads(limit_.go_on(lambda_));
  open_ = limit_.left_open();
  return found;
}

// Measures the limit at hand; true where it is as exact as asked for. The best answer is kept.
bool LoadSelection::is_answer(const ComplementarityProblem& problem, const Accuracy& accuracy,
                              const VectorX& w) {
  units_.from_units(lambda_, w, scales_, trial_.lambda);
  trial_.u.resize(problem.unknowns());
  Residual measured = judge_.measure(problem, trial_);
  bool exact = accuracy.is_settled(measured);
  if (!exact && biases_ && close_together(w)) {
    const Residual agreed = judge_.measure(problem, trial_);
    exact = accuracy.is_settled(agreed);
    if (exact)
      measured = agreed;
    else
      take_back();
  }
  if (!exact && !(measured.relative < best_residual_.relative)) return false;
  best_residual_ = measured;
  best_.lambda = trial_.lambda;
  best_.u = judge_.u();
  return exact;
}

// Changes b by what closed contacts lack, where that is less than anyone knows. True where it did.
bool LoadSelection::close_together(const VectorX& w) {
  const double speed = judge_.free_norm() / std::sqrt(static_cast<double>(biases_->size()));
  const double most = std::min(resolution_, most_unsure * speed);
  for (const ContactUnit& unit : units_.units()) {
    const double lacks = w[unit.first];
    const bool closed = lambda_[unit.first] > 0.0 || lacks < 0.0;
    if (!unit.touches() || !closed || lacks == 0.0 || std::abs(lacks) > most) continue;
    const int row = units_.given_row(unit.first);
    shifted_.emplace_back(row, (*biases_)[row]);
    (*biases_)[row] -= lacks;
  }
  return !shifted_.empty();
}

void LoadSelection::take_back() {
  for (const auto& [row, was] : shifted_) (*biases_)[row] = was;
  shifted_.clear();
}

}  // namespace vinci
