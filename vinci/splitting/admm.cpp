// SPDX-License-Identifier: Apache-2.0
// ADMM with a balanced penalty and a Newton finish.
#include "vinci/splitting/admm.h"

#include <algorithm>
#include <cmath>

#include "vinci/complementarity/law_rolling.h"
#include "vinci/complementarity/laws.h"
#include "vinci/newton/newton_matrix.h"

namespace vinci {

namespace {

constexpr const char* admm_name = "admm";
constexpr const char* singular_mass = "M is singular: there is no W";
constexpr double smallest_penalty = 1e-8, largest_penalty = 1e8;
// |s (x − y)| over |D (y − y before)|, both velocities: outside this window ρ moves by the factor.
constexpr double smallest_ratio = 1.0, largest_ratio = 100.0, penalty_change = 0.3;
constexpr int balance_interval = 20, check_interval = 10;  // iterations
// The first finish, as soon as most of the set is found; each later one waits half as long again.
constexpr int first_polish = 10, polish_steps = 10;
// Without a gain of a tenth over this many iterations more of them will not help.
constexpr int patience = 2000;

}  // namespace

std::string AdmmSolver::why_not(const ComplementarityProblem& problem) const {
  if (std::string why = problem.why_invalid(); !why.empty()) return why;
  MassFactor mass;
  return mass.factor(problem.M) ? "" : singular_mass;
}

Residual AdmmSolver::start(const ComplementarityProblem& problem, Solution& solution) {
  if (solution.lambda.size() != problem.rows() || !solution.lambda.allFinite())
    solution.lambda.setZero(problem.rows());
  for (const Block& block : problem.blocks)
    project(block, 1.0, solution.lambda.data() + block.offset);
  Residual residual = judge_.measure(problem, solution);
  if (!(residual.relative <= 1.0)) {
    solution.lambda.setZero();
    for (const Block& block : problem.blocks)
      project(block, 1.0, solution.lambda.data() + block.offset);
    residual = judge_.measure(problem, solution);
  }
  candidate_.u = best_.u = solution.u;
  candidate_.lambda = best_.lambda = solution.lambda;
  iterations_ = last_gain_ = 0;
  gained_ = residual.relative;
  return best_residual_ = residual;
}

// y from the guess, z from the w that it makes.
void AdmmSolver::take_guess(const ComplementarityProblem& problem) {
  y_ = candidate_.lambda;
  x_ = y_;
  z_ = -judge_.w();
  shift_.setZero(problem.rows());
  renew_shift(problem);
  z_ -= shift_;
  before_.setZero(problem.rows());
  operator_.restart(before_);
  operator_.velocity(before_, free_);
  metric_ = judge_.scales().cwiseQuotient(judge_.weights());
  for (const Block& block : problem.blocks)
    if (block.law == Law::rolling)  // s, and s/ℓ² for the moments
      for (int i = block.offset; i < block.offset + block.size; ++i)
        metric_[i] = judge_.scales()[i] * (judge_.scales()[i] / judge_.scales()[block.offset]);
}

bool AdmmSolver::set_penalty(double penalty) {
  penalty_ = penalty;
  D_ = penalty * metric_;
  return factor_.factor(D_);
}

// σ = μ |ŵ_T| (and μ_r |ŵ_R|), ŵ = −z.
void AdmmSolver::renew_shift(const ComplementarityProblem& problem) {
  for (const Block& block : problem.blocks) {
    const double* const z = z_.data() + block.offset;
    if (block.law == Law::coulomb)
      shift_[block.offset] = block.friction * law::norm(block.size - 1, z + 1);
    else if (block.law == Law::rolling)
      shift_[block.offset] =
          law::rolling_shift(block.size, z, block.friction, block.rolling) - z[0];
  }
}

// The point of the law's set that is nearest in the metric of D.
void AdmmSolver::project_block(const Block& block, double* x) const {
  apply_map(block, ContactMap::cone, x, contact_length(block, judge_.scales()));
}

void AdmmSolver::iterate(const ComplementarityProblem& problem) {
  const double alpha = settings_.relaxation;
  right_ = D_.cwiseProduct(y_) - z_ - free_ - shift_;
  factor_.solve(right_, x_);
  before_ = y_;
  y_ = alpha * x_ + (1.0 - alpha) * y_ + z_.cwiseQuotient(D_);
  right_ = y_;
  for (const Block& block : problem.blocks) project_block(block, y_.data() + block.offset);
  z_ = D_.cwiseProduct(right_ - y_);
  renew_shift(problem);
  last_primal_ = judge_.scales().cwiseProduct(x_ - y_).norm();
  last_dual_ = penalty_ * judge_.scales().cwiseProduct(y_ - before_).norm();
}

// Where x and y are too far apart ρ rises, where y still moves it falls. Redundant contacts share
// their load through the small eigenvalues of W, which only a small ρ reaches: so the window lies
// on the side of small ρ, and within it ρ falls whenever the finish fails.
bool AdmmSolver::balance(bool finish_failed) {
  const double ratio = last_primal_ / last_dual_;
  double factor = 1.0;
  if (ratio > largest_ratio)
    factor = 1.0 / penalty_change;
  else if (ratio < smallest_ratio || (finish_failed && ratio < 0.1 * largest_ratio))
    factor = penalty_change;
  const double next = std::clamp(factor * penalty_, smallest_penalty, largest_penalty);
  return next == penalty_ || set_penalty(next);
}

// Judges y, polished if asked.
void AdmmSolver::judge_iterate(const ComplementarityProblem& problem, bool polish_now,
                               const Deadline& until) {
  candidate_.lambda = y_;
  Residual residual = judge_.measure(problem, candidate_);
  if (polish_now && !is_settled(residual, settings_.tolerance))
    residual =
        polish_.improve(problem, operator_, judge_,
                        {settings_.tolerance, polish_steps, nullptr, &until}, candidate_, residual);
  if (!(residual.relative < best_residual_.relative)) return;
  if (residual.relative < 0.9 * gained_) {
    gained_ = residual.relative;
    last_gain_ = iterations_;
  }
  best_residual_ = residual;
  best_.lambda = candidate_.lambda;
}

// False where there is no factor to go on with.
bool AdmmSolver::run(const ComplementarityProblem& problem, const Deadline& until) {
  take_guess(problem);
  factor_.prepare(problem, operator_);
  if (!set_penalty(settings_.penalty)) return false;
  int interval = first_polish, next_polish = first_polish;
  const double small = settings_.tolerance * judge_.free_norm();
  while (!is_settled(best_residual_, settings_.tolerance) &&
         iterations_ < settings_.max_iterations && iterations_ - last_gain_ < patience &&
         !until.passed()) {
    iterate(problem);
    ++iterations_;
    const bool polish_now = settings_.polish && iterations_ >= next_polish;
    if (polish_now || (last_primal_ <= small && last_dual_ <= small) ||
        iterations_ % check_interval == 0 || iterations_ == settings_.max_iterations)
      judge_iterate(problem, polish_now, until);
    if (polish_now) next_polish = iterations_ + (interval += interval / 2);
    if (settings_.adaptive && (polish_now || iterations_ % balance_interval == 0) &&
        !balance(polish_now))
      return false;
  }
  return true;
}

SolveReport AdmmSolver::solve(const ComplementarityProblem& problem, Solution& solution) {
  SolveReport report;
  report.solver = admm_name;
  report.residual.relative = std::numeric_limits<double>::infinity();
  if (!problem.why_invalid().empty()) {
    report.note = "the problem is not valid";
    return report;
  }
  const Deadline until = deadline();
  judge_.prepare(problem);
  if (!operator_.prepare(problem)) {
    report.note = singular_mass;
    report.residual = judge_.measure(problem, solution);
    return report;
  }
  bool factored = true;
  if (!is_settled(start(problem, solution), settings_.tolerance)) factored = run(problem, until);
  solution.lambda = best_.lambda;
  report.residual = judge_.measure(problem, solution);
  solution.u = judge_.u();
  report.iterations = iterations_;
  const bool settled = is_settled(report.residual, settings_.tolerance);
  const bool stalled = !factored || iterations_ - last_gain_ >= patience;
  report.status = verdict(report.residual, settings_.tolerance,
                          settled || stalled ? SolveStatus::inaccurate : SolveStatus::limit);
  if (report.status == SolveStatus::inaccurate)
    report.note = settled ? at_resolution : factored ? "no further progress" : "W + D is singular";
  return noted(report, until);
}

SolverRegistry::Entry admm_entry() {
  const AdmmSolver::Settings fallback;
  OptionTable options{
      {"tolerance", "Relative residual asked of the judge.", fallback.tolerance, "", 0.0, 1.0},
      {"max-iterations", "Iterations before giving up.", long{fallback.max_iterations}, "", 0, 1e9},
      {"penalty",
       "ρ of the start, in W + ρ diag(s) with s the mean diagonal of W in a block [Boyd et al. "
       "2011, 3.1].",
       fallback.penalty, "", smallest_penalty, largest_penalty},
      {"adaptive",
       "Move ρ where |s (x − y)| over |ρ s (y − y before)| leaves 1 to 100, and down where the "
       "finish fails [after Boyd et al. 2011, 3.4.1].",
       fallback.adaptive},
      {"relaxation", "α in x̂ = α x + (1 − α) y [Boyd et al. 2011, 3.4.3].", fallback.relaxation, "",
       0.1, 1.9},
      {"polish", "Finish by Newton's method on the active set.", fallback.polish},
  };
  return {admm_name, "ADMM with an adaptive penalty, finished by Newton on the active set.",
          "Carpentier, Le Lidec, Montaut 2024; Boyd et al. 2011", options,
          [](const OptionValues& values) {
            AdmmSolver::Settings settings;
            settings.tolerance = values.real("tolerance");
            settings.max_iterations = static_cast<int>(values.integer("max-iterations"));
            settings.penalty = values.real("penalty");
            settings.adaptive = values.flag("adaptive");
            settings.relaxation = values.real("relaxation");
            settings.polish = values.flag("polish");
            return std::make_unique<AdmmSolver>(settings);
          }};
}

}  // namespace vinci
