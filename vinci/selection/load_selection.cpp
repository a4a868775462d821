// SPDX-License-Identifier: Apache-2.0
#include "vinci/selection/load_selection.h"

#include <algorithm>
#include <cmath>

#include <Eigen/QR>

namespace vinci {
namespace {

constexpr const char* rule_name = "selection";
// Up to here islands are not looked for: it costs more than to take the problem as it is.
constexpr int whole_rows = 36, whole_unknowns = 6;
// With a tolerance from here on, loads and speeds are not those of the limit, but within it.
constexpr double loose = 1e-6;
// Of the tolerance: what springs may give way by, and what their equations may lack.
constexpr double softer = 0.1;
// Rows from which contacts count as many: the path of all of them costs less than to try states.
constexpr int many = 12;
// Of the speed without loads: what loads that hardly change leave, those of a pile that stands.
constexpr double quiet = 0.01;
// Of the tolerance that all parts share: the rest is left to the rounding of the whole.
constexpr double shared = 0.99;
// What the equations of the central path may lack where Newton's method goes on from there.
constexpr double centred = 1e-8;
// Of the speed of contacts without loads: the most that a row may be unsure.
constexpr double most_unsure = 1e-9;

// Whether loads may be open. The rule does not take moments; where the rows of all contacts are
// independent, as those of one contact per body are, the motion leaves nothing of them open.
bool has_choice(const ComplementarityProblem& problem) {
  const bool moments = std::any_of(problem.blocks.begin(), problem.blocks.end(),
                                   [](const Block& block) { return block.law == Law::moments; });
  if (!moments || problem.rows() > problem.unknowns() || problem.rows() > LoadSelection::largest)
    return true;
  MatrixX columns = MatrixX(problem.J.view()).transpose();
  for (int i = 0; i < columns.cols(); ++i) columns.col(i).normalize();
  return Eigen::ColPivHouseholderQR<MatrixX>(columns).rank() < problem.rows();
}

}  // namespace

SolveReport LoadSelection::solve(const ComplementarityProblem& problem, Solver& solver,
                                 const Accuracy& accuracy, Solution& solution,
                                 const VectorX* velocities) {
  biases_ = nullptr;
  return solve_parts(problem, solver, accuracy, solution, velocities);
}

SolveReport LoadSelection::solve(ComplementarityProblem& problem, Solver& solver,
                                 const Accuracy& accuracy, Solution& solution,
                                 const VectorX* velocities, double resolution) {
  biases_ = &problem.b;
  resolution_ = resolution;
  return solve_parts(problem, solver, accuracy, solution, velocities);
}

SolveReport LoadSelection::solve_parts(const ComplementarityProblem& problem, Solver& solver,
                                       const Accuracy& accuracy, Solution& solution,
                                       const VectorX* velocities) {
  report_ = {};
  tried_ = corrected_ = false;
  velocities_ = velocities;
  start_ = solution.lambda;
  // Whether the problem is taken as it is; otherwise islands_ are its parts.
  whole_ = problem.rows() <= whole_rows || problem.unknowns() <= whole_unknowns ||
           islands_.find(problem) == 1;
  const int parts = whole_ ? 1 : islands_.count();
  block_count_ = problem.blocks.size();
  if (!whole_) whole_judge_.prepare(problem);
  found_.assign(static_cast<std::size_t>(parts), 0);
  int missing = parts, steps = 0;
  if (solver.leaves_choice()) {
    for (int i = 0; i < parts; ++i) {
      steps_ = 0;
      if (!select_part(problem, i, accuracy, false, solution)) continue;
      found_[static_cast<std::size_t>(i)] = 1;
      --missing;
      steps += steps_;
    }
    if (missing == 0) {
      SolveReport solve{SolveStatus::inaccurate, measure(problem, solution), steps, rule_name, ""};
      conclude(solve, accuracy);
      return solve;
    }
    answers_ = solution.lambda;
  }
  SolveReport solve = solver.solve(problem, solution);
  tried_ = solver.leaves_choice();
  if (solve.status == SolveStatus::refused || solve.status == SolveStatus::no_solution) {
    report_ = {};
    return solve;
  }
  best_residual_ = solve.residual;
  bool changed = false;
  for (int i = 0; i < parts; ++i) {
    changed = changed || is_within(problem, i);
    if (found_[static_cast<std::size_t>(i)]) {
      islands_.gather_rows(i, answers_, part_start_);
      islands_.scatter_rows(i, part_start_, solution.lambda);
      changed = true;
    } else if (!select_part(problem, i, accuracy, true, solution) &&
               has_choice(whole_ ? problem : part_)) {
      ++report_.missed;
    }
  }
  if (!changed) return solve;
  const Residual residual = measure(problem, solution);
  if (!accuracy.is_solved(solve.residual) && accuracy.is_solved(residual)) solve.solver = rule_name;
  solve.residual = residual;
  solve.status = SolveStatus::inaccurate;
  conclude(solve, accuracy);
  return solve;
}

bool LoadSelection::is_within(const ComplementarityProblem& problem, int island) const {
  return (whole_ ? std::min(problem.rows(), problem.unknowns())
                 : std::min(islands_.rows(island), islands_.unknowns(island))) <= largest;
}

// What is asked of a part. Where loads need not be exact, parts share what is asked of all.
Accuracy LoadSelection::share_of(const ComplementarityProblem& part, const Judge& judge,
                                 const Accuracy& accuracy) const {
  if (whole_ || accuracy.tolerance < loose) return accuracy;
  const double size = static_cast<double>(part.blocks.size()) / static_cast<double>(block_count_);
  return {shared * accuracy.tolerance * std::sqrt(size) * whole_judge_.free_norm() /
          judge.free_norm()};
}

// The rule's answer of a part into the solution, which holds that of a solver where it is `solved`;
// then the better of both where the rule has none as exact as asked for.
bool LoadSelection::select_part(const ComplementarityProblem& problem, int island,
                                const Accuracy& accuracy, bool solved, Solution& solution) {
  bool found = false;
  if (whole_) {
    found = select(problem, start_, velocities_, accuracy, solved ? &solution : nullptr);
    if (found || solved) std::swap(solution, best_);
  } else {
    islands_.extract(problem, island, part_);
    islands_.gather_rows(island, start_, part_start_);
    if (solved) {
      islands_.gather_rows(island, solution.lambda, part_solution_.lambda);
      islands_.gather_unknowns(island, solution.u, part_solution_.u);
      best_residual_ = judge_(part_, part_solution_);
    }
    if (velocities_ != nullptr) islands_.gather_unknowns(island, *velocities_, part_velocities_);
    VectorX* const whole = biases_;
    if (whole) biases_ = &part_.b;
    found = select(part_, part_start_, velocities_ != nullptr ? &part_velocities_ : nullptr,
                   accuracy, solved ? &part_solution_ : nullptr);
    if (found || solved) islands_.scatter_rows(island, best_.lambda, solution.lambda);
    if (whole && !shifted_.empty()) {
      islands_.scatter_rows(island, part_.b, *whole);
      corrected_ = true;
    }
    biases_ = whole;
  }
  report_.chosen += found && open_ ? 1 : 0;
  return found;
}

// Of all parts together, with the velocities that follow from the loads.
Residual LoadSelection::measure(const ComplementarityProblem& problem, Solution& solution) {
  if (whole_) return best_residual_;
  if (corrected_) whole_judge_.prepare(problem);
  const Residual residual = whole_judge_.measure(problem, solution);
  solution.u = whole_judge_.u();
  return residual;
}

bool LoadSelection::select(const ComplementarityProblem& problem, const VectorX& start,
                           const VectorX* velocities, const Accuracy& accuracy,
                           const Solution* solved) {
  shifted_.clear();
  if (solved)
    best_ = *solved;
  else
    best_residual_.relative = std::numeric_limits<double>::infinity();
  const bool within = std::min(problem.rows(), problem.unknowns()) <= largest;
  const bool loosely = accuracy.tolerance >= loose;
  if (!within && (!loosely || tried_)) return false;
  judge_.prepare(problem);
  const Accuracy asked = share_of(problem, judge_, accuracy);
  if (loosely && !tried_ && problem.rows() > many && goes_by_path(problem, start, asked, within))
    return true;
  if (!within || !read(problem)) return false;
  if (!tried_ && apply_rule(problem, start, velocities, asked)) return true;
  if (solved == nullptr || loosely) return false;
  units_.to_units(solved->lambda, lambda_);
  leads(problem, accuracy,
        limit_.settle(lambda_));  // it depends on the solver: no answer of the rule
  return false;
}

// The path of many contacts whose loads change. What stands is left to the ways that are exact.
bool LoadSelection::goes_by_path(const ComplementarityProblem& problem, const VectorX& start,
                                 const Accuracy& accuracy, bool within) {
  trial_.lambda = start;
  trial_.u.setZero(problem.unknowns());
  const Residual begun = judge_.measure(problem, trial_);
  if (within ? begun.relative <= quiet : accuracy.is_solved(begun)) return false;
  open_ = problem.rows() > problem.unknowns();
  return found_by_path(problem, start, accuracy);
}

bool LoadSelection::found_by_path(const ComplementarityProblem& problem, const VectorX& start,
                                  const Accuracy& accuracy) {
  Residual measured;
  const bool found = soft_.find(problem, judge_, start, accuracy, trial_, measured);
  steps_ += soft_.steps();
  if (!found) return false;
  best_ = trial_;
  best_residual_ = measured;
  return true;
}

bool LoadSelection::read(const ComplementarityProblem& problem) {
  if (!judge_.regular() || !judge_.mass().block_diagonal() || !units_.read(problem)) return false;
  units_.scales(judge_.scales(), scales_);
  return limit_.load(units_.problem(), judge_.mass(), units_.units(), scales_);
}

// Whether springs that were `begun` with lead to an answer, if need be stiffer ones.
bool LoadSelection::leads(const ComplementarityProblem& problem, const Accuracy& accuracy,
                          bool begun) {
  for (; begun; begun = limit_.harden())
    if (limit_.reach(lambda_) && is_answer(problem, accuracy, limit_.w())) return true;
  return false;
}

// From the central path of the same springs.
bool LoadSelection::begin_centred() {
  centre_.find(units_.problem(), units_.units(), scales_, lambda_,
               {CompliantLimit::first_compliance, centred});
  return limit_.settle(lambda_);
}

// Where loads need not be exact, those of softer springs will do as they are.
bool LoadSelection::is_centre_enough(const ComplementarityProblem& problem, const VectorX& start,
                                     const Accuracy& accuracy) {
  if (found_by_path(problem, start, accuracy)) {
    units_.to_units(best_.lambda, lambda_);
    limit_.measure(lambda_);
    return true;
  }
  const double share = softer * accuracy.tolerance;
  centre_.find(units_.problem(), units_.units(), scales_, lambda_, {share, share});
  limit_.measure(lambda_);
  return is_answer(problem, accuracy, limit_.w());
}

bool LoadSelection::apply_rule(const ComplementarityProblem& problem, const VectorX& start,
                               const VectorX* velocities, const Accuracy& accuracy) {
  const auto led_by = [&](bool begun) { return leads(problem, accuracy, begun); };
  const auto rests = [&] { return rest_.find(lambda_) && is_answer(problem, accuracy, rest_.w()); };
  units_.to_units(start, begun_);
  rest_.load(units_.problem(), judge_.mass(), units_.units(), scales_);
  open_ = true;
  const bool led = led_by(limit_.go_on(begun_)) ||
                   (accuracy.tolerance >= loose && !units_.has_pyramids()
                        ? is_centre_enough(problem, start, accuracy)
                        : led_by(limit_.stiffen()) || led_by(limit_.jam()) ||
                              led_by(begin_centred()) || led_by(limit_.come_together()));
  const double speed = judge_.free_norm() / std::sqrt(static_cast<double>(problem.rows()));
  const CompliantRest::Foretelling begun{begun_, limit_.begun_w(), speed, velocities};
  steps_ += limit_.steps();
  if (!led) return rest_.stood_still(begun) && rests();
  if (!rest_.foretold(begun, lambda_, limit_.w()) || !rests()) open_ = limit_.left_open();
  return true;
}

// Measures the limit at hand; true where it is as exact as asked for. The best answer is kept.
bool LoadSelection::is_answer(const ComplementarityProblem& problem, const Accuracy& accuracy,
                              const VectorX& w) {
  units_.from_units(lambda_, w, scales_, trial_.lambda);
  trial_.u.resize(problem.unknowns());
  Residual measured = judge_.measure(problem, trial_);
  bool exact = accuracy.is_settled(measured);
  const std::size_t kept = shifted_.size();
  if (!exact && biases_ && close_together(w)) {
    const Residual agreed = judge_.measure(problem, trial_);
    exact = accuracy.is_settled(agreed);
    if (exact)
      measured = agreed;
    else
      take_back(kept);
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
  const std::size_t kept = shifted_.size();
  for (const ContactUnit& unit : units_.units()) {
    const double lacks = w[unit.first];
    const bool closed = lambda_[unit.first] > 0.0 || lacks < 0.0;
    if (!unit.touches() || !closed || lacks == 0.0 || std::abs(lacks) > most) continue;
    const int row = units_.given_row(unit.first);
    shifted_.emplace_back(row, (*biases_)[row]);
    (*biases_)[row] -= lacks;
  }
  return shifted_.size() > kept;
}

void LoadSelection::take_back(std::size_t kept) {
  for (; shifted_.size() > kept; shifted_.pop_back())
    (*biases_)[shifted_.back().first] = shifted_.back().second;
}

}  // namespace vinci
