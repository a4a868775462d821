// SPDX-License-Identifier: Apache-2.0
// ADMM with a balanced penalty and a Newton finish.
#include "vinci/splitting/admm.h"

#include <algorithm>
#include <cmath>

#include "vinci/base/settings.h"
#include "vinci/complementarity/law_moments.h"
#include "vinci/complementarity/laws.h"
#include "vinci/newton/projections.h"

namespace vinci {

namespace {

constexpr const char* admm_name = "admm";
// Of s: beyond, W + D has fewer than eight digits of W, or of D.
constexpr double smallest_penalty = 1e-8, largest_penalty = 1e8;
// |s (x − y)| over |D (y − y before)|, both velocities: outside this window ρ moves by the factor.
constexpr double smallest_ratio = 1.0, largest_ratio = 100.0, penalty_change = 0.3;
constexpr int balance_interval = 20, check_interval = 10;  // iterations
// The first finish, as soon as most of the set is found; each later one waits half as long again.
constexpr int first_polish = 10, polish_steps = 10;
// Without a gain of a tenth over this many iterations more of them will not help.
constexpr int patience = 2000;

}  // namespace

AdmmSolver::AdmmSolver(const Settings& settings)
    : SolveFrame(admm_name, {settings.tolerance}), settings_(settings) {}

const char* AdmmSolver::prepare(const ComplementarityProblem& problem) {
  return operator_.prepare(problem) ? nullptr : singular_mass;
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
    if (block.law == Law::moments)  // s, and s/ℓ² for the moments
      for (int i = block.offset; i < block.offset + block.size; ++i)
        metric_[i] = judge_.scales()[i] * (judge_.scales()[i] / judge_.scales()[block.offset]);
}

bool AdmmSolver::set_penalty(double penalty) {
  penalty_ = penalty;
  D_ = penalty * metric_;
  return factor_.factor(D_);
}

// σ = μ |ŵ_t| (and μ_r |ŵ_r|, μ_τ |ŵ_s|), ŵ = −z.
void AdmmSolver::renew_shift(const ComplementarityProblem& problem) {
  for (const Block& block : problem.blocks) {
    const double* const z = z_.data() + block.offset;
    if (block.law == Law::coulomb)
      shift_[block.offset] = block.friction * law::norm(block.size - 1, z + 1);
    else if (block.law == Law::moments)
      shift_[block.offset] = law::moments_shift(law::balls_of(block), z) - z[0];
  }
}

// The point of the law's set that is nearest in the metric of D.
void AdmmSolver::project_block(const Block& block, double* x) const {
  apply_projection(block, Projection::cone, x, contact_length(block, judge_.scales()));
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
void AdmmSolver::judge_iterate(const ComplementarityProblem& problem, bool polish_now) {
  candidate_.lambda = y_;
  Residual residual = judge_.measure(problem, candidate_);
  if (polish_now && !settled(residual))
    residual = polish_.improve(problem, operator_, judge_,
                               {accuracy(), polish_steps, nullptr, &until_}, candidate_, residual);
  if (residual.relative < std::min(best_residual().relative, 0.9 * gained_)) {
    gained_ = residual.relative;
    last_gain_ = iterations_;
  }
  offer(candidate_.lambda, residual);
}

SolveFrame::Ending AdmmSolver::run(const ComplementarityProblem& problem, Solution& solution) {
  constexpr Ending singular{SolveStatus::inaccurate, "W + D is singular"};
  gained_ = offer_guess(problem, solution).relative;
  last_gain_ = 0;
  if (settled(best_residual())) return {};
  candidate_ = solution;
  take_guess(problem);
  factor_.prepare(problem, operator_);
  if (!set_penalty(settings_.penalty)) return singular;
  int interval = first_polish, next_polish = first_polish;
  const double small = accuracy().tolerance * judge_.free_norm();
  while (!settled(best_residual()) && iterations_ - last_gain_ < patience) {
    if (iterations_ >= settings_.max_iterations || until_.passed()) return {SolveStatus::limit};
    iterate(problem);
    ++iterations_;
    const bool polish_now = settings_.polish && iterations_ >= next_polish;
    if (polish_now || (last_primal_ <= small && last_dual_ <= small) ||
        iterations_ % check_interval == 0 || iterations_ == settings_.max_iterations)
      judge_iterate(problem, polish_now);
    if (polish_now) next_polish = iterations_ + (interval += interval / 2);
    if (settings_.adaptive && (polish_now || iterations_ % balance_interval == 0) &&
        !balance(polish_now))
      return singular;
  }
  return {SolveStatus::inaccurate, "no further progress"};
}

SolverRegistry::Entry admm_entry() {
  using Settings = AdmmSolver::Settings;
  return entry_of<Solver, AdmmSolver>(
      admm_name, "ADMM with an adaptive penalty, finished by Newton on the active set.",
      "Carpentier, Le Lidec, Montaut 2024; Boyd et al. 2011",
      {{&Settings::tolerance, "tolerance", "Relative residual asked of the judge.", "", 0.0, 1.0},
       {&Settings::max_iterations, "max-iterations", "Iterations before giving up.", "", 0, 1e9},
       {&Settings::penalty, "penalty",
        "ρ of the start, in W + ρ diag(s) with s the mean diagonal of W in a block [Boyd et al. "
        "2011, 3.1].",
        "", smallest_penalty, largest_penalty},
       {&Settings::adaptive, "adaptive",
        "Move ρ where |s (x − y)| over |ρ s (y − y before)| leaves 1 to 100, and down where the "
        "finish fails [after Boyd et al. 2011, 3.4.1]."},
       {&Settings::relaxation, "relaxation", "α in x̂ = α x + (1 − α) y [Boyd et al. 2011, 3.4.3].",
        "", 0.1, 1.9},
       {&Settings::polish, "polish", "Finish by Newton's method on the active set."}});
}

}  // namespace vinci
