// SPDX-License-Identifier: Apache-2.0
// Rounds of the augmented Lagrangian, each minimised by damped Newton steps.
#include "vinci/newton/augmented_lagrangian.h"

#include <algorithm>
#include <cmath>

#include "vinci/base/settings.h"
#include "vinci/complementarity/law_moments.h"
#include "vinci/complementarity/laws.h"

namespace vinci {
namespace {

constexpr const char* augmented_lagrangian_name = "augmented-lagrangian";
// M + Jᵀ ρ P′J has terms ρ times those of M, with ρ over the judge's scale: beyond 1e9 rounding
// leaves M fewer than seven digits.
constexpr double largest_penalty = 1e9;
constexpr double penalty_growth = 10.0;
// Friction coefficient of a projection onto the cone: beyond it its edge is within 1e-4 rad of the
// tangent plane, and the projection all but that onto a half space.
constexpr double largest_cone = 1e4;
// Where the exact law takes over from its fixed point: a round on the cone gains a factor of about
// ρ then, and what is left is the shift.
constexpr double exact_penalty = 1e4;
constexpr int steps_of_round = 40;       // far more than a convex round takes
constexpr int most_idle = 8;             // rounds in a row without a gain: ρ has grown by 1e8
constexpr double polished_under = 1e-2;  // relative residual: most of the active set shows
// A round is solved to this part of the residual that it began with, and to a thousandth at least:
// its own answer is off by more.
constexpr double of_before = 1e-2, at_least = 1e-3;
constexpr double gain = 0.3;        // of a round that counts as one
constexpr double most_worse = 3.0;  // residual over that before of a round that is kept
constexpr double descent = 1e-3;    // of |F| along a step, as a part of its length

}  // namespace

AugmentedLagrangianSolver::AugmentedLagrangianSolver(const Settings& settings)
    : NewtonSolver(augmented_lagrangian_name, {settings.tolerance},
                   {settings.max_iterations, settings.largest}),
      first_penalty_(settings.penalty) {}

void AugmentedLagrangianSolver::start(const ComplementarityProblem& problem) {
  center_ = candidate_.lambda;
  u_ = judge_.u();
  shift_.setZero(problem.rows());
  impulse_.resize(problem.rows());
  weights_.resize(problem.unknowns());
  largest_scale_ = 0.0;
  for (const Block& block : problem.blocks)
    largest_scale_ = std::max(largest_scale_, judge_.scales()[block.offset]);
  for (int row = 0; row < problem.unknowns(); ++row)
    for (int k = problem.M.starts[row]; k < problem.M.starts[row + 1]; ++k)
      if (problem.M.indices[k] == row) weights_[row] = 1.0 / problem.M.values[k];
}

// F(u); leaves y and P(y).
void AugmentedLagrangianSolver::evaluate(const ComplementarityProblem& problem, const VectorX& u) {
  scratch_ = problem.b + shift_;
  problem.J.multiply_add(u.data(), scratch_.data());
  y_.resize(problem.rows());
  for (const Block& block : problem.blocks) {
    for (int i = 0; i < block.size; ++i) {
      const int row = block.offset + i;
      const double rho = row_penalty(block, judge_.scales(), i, penalty_);
      impulse_[row] = y_[row] = center_[row] - rho * scratch_[row];
    }
    apply_projection(block, projection_, impulse_.data() + block.offset,
                     contact_length(block, judge_.scales()));
  }
  force_ = -problem.p;
  problem.M.multiply_add(u.data(), force_.data());
  scratch_ = -impulse_;
  problem.J.multiply_transposed_add(scratch_.data(), force_.data());
}

// Convex round: moves along the step until the slope has fallen to half of what it was. The slope
// of a convex function grows along a line: bisection. Slopes keep their digits where values lose
// them.
void AugmentedLagrangianSolver::search_slope(const ComplementarityProblem& problem, double slope) {
  double lower = 0.0, upper = 1.0, length = 1.0;
  for (int halving = 0; halving < 30; ++halving) {
    trial_ = u_ + length * step_;
    evaluate(problem, trial_);
    const double now = force_.dot(step_);
    if (now > -0.5 * slope)
      upper = length;
    else if (now < 0.5 * slope && length < 1.0)
      lower = length;
    else
      break;
    length = 0.5 * (lower + upper);
  }
  u_ = trial_;
}

// Exact round: moves along the step until |F| falls; false if it does not.
bool AugmentedLagrangianSolver::search_norm(const ComplementarityProblem& problem) {
  const double before = force_norm();
  double length = 1.0;
  for (int halving = 0; halving < 12; ++halving, length *= 0.5) {
    trial_ = u_ + length * step_;
    evaluate(problem, trial_);
    if (force_norm() <= (1.0 - descent * length) * before) {
      u_ = trial_;
      return true;
    }
  }
  evaluate(problem, u_);
  return false;
}

double AugmentedLagrangianSolver::force_norm() const {
  return std::sqrt((force_.array().square() * weights_.array()).sum());
}

// Newton steps until F is as small as a velocity of `target` makes it; false where nothing moved.
bool AugmentedLagrangianSolver::minimise(const ComplementarityProblem& problem, double target) {
  evaluate(problem, u_);
  for (int inner = 0; inner < steps_of_round && !out_of_limits(); ++inner) {
    if (!newton_.assemble(problem, judge_.scales(), penalty_, projection_, y_)) return false;
    ++iterations_;
    step_ = -force_;
    newton_.solve(step_);
    const double slope = force_.dot(step_);
    if (!std::isfinite(slope)) return false;
    if (projection_ == Projection::cone) {
      if (slope >= 0.0) return true;  // at the minimum, to rounding
      search_slope(problem, slope);
      if (-slope <= target * target / largest_scale_) return true;
    } else {
      if (!search_norm(problem)) return inner > 0;
      if (force_norm() <= target * std::sqrt(1.0 / largest_scale_)) return true;
    }
  }
  return true;
}

// The next round: λ̄ and, on the cone, the shift that makes it Coulomb's law at the fixed point.
void AugmentedLagrangianSolver::prepare_round(const ComplementarityProblem& problem) {
  shift_.setZero();
  if (projection_ == Projection::coulomb) return;
  for (const Block& block : problem.blocks) {
    const double* const w = judge_.w().data() + block.offset;
    if (block.law == Law::coulomb)
      shift_[block.offset] = block.friction * law::norm(block.size - 1, w + 1);
    if (block.law == Law::moments)
      shift_[block.offset] = law::moments_shift(law::balls_of(block), w) - w[0];
  }
}

// Judges the impulses of the round, polished where that helps; true if they are solved.
bool AugmentedLagrangianSolver::judge_round(const ComplementarityProblem& problem) {
  candidate_.lambda = impulse_;
  for (const Block& block : problem.blocks)
    project(block, 1.0, candidate_.lambda.data() + block.offset);
  Residual residual = judge_.measure(problem, candidate_);
  round_residual_ = residual.relative;
  if (residual.relative < polished_under && !settled(residual))
    residual = polish_.improve(problem, operator_, judge_, {accuracy(), 6, nullptr, &until_},
                               candidate_, residual);
  return offer(candidate_.lambda, residual);
}

// The rounds in any other form than the velocities': ρ is 1/penalty of the proximal term.
void AugmentedLagrangianSolver::iterate_rows(const ComplementarityProblem& problem) {
  rows_round_.prepare(problem, judge_);
  penalty_ = first_penalty_;
  NewtonRound::Rules rules;
  rules.accuracy = accuracy();
  rules.until = &until_;
  rules.memory = 5;
  // The cone's projection is of no use where contacts have moments, nor where the cone is all but a
  // half space.
  const bool convex =
      std::none_of(problem.blocks.begin(), problem.blocks.end(), [](const Block& block) {
        return block.law == Law::moments || block.friction > largest_cone;
      });
  int idle = 0;  // rounds without a gain
  double before = best_residual().relative;
  while (!out_of_limits() && idle < most_idle) {
    rules.frozen = convex && penalty_ < exact_penalty;
    rules.map = rules.frozen ? LawMap::natural : LawMap::alart_curnier;
    rules.proximity = 1.0 / penalty_;
    rules.target = std::min(of_before * before, at_least) * judge_.free_norm();
    rules.steps = std::min(steps_of_round, limits_.max_iterations - iterations_);
    center_ = candidate_.lambda;
    iterations_ += rows_round_.run(problem, judge_, rules, candidate_).steps;
    impulse_ = candidate_.lambda;
    if (judge_round(problem)) return;
    const bool good = round_residual_ < most_worse * before;
    idle = round_residual_ < gain * before ? 0 : idle + 1;
    if (good) before = round_residual_;
    candidate_.lambda = good ? impulse_ : center_;
    penalty_ = std::min(penalty_ * (good ? penalty_growth : 0.1), largest_penalty);
  }
}

void AugmentedLagrangianSolver::iterate(const ComplementarityProblem& problem) {
  if (problem.unknowns() == 0 || !problem.C.empty()) return iterate_rows(problem);
  start(problem);
  penalty_ = first_penalty_;
  projection_ = Projection::cone;
  const bool exact_differs = std::any_of(
      problem.blocks.begin(), problem.blocks.end(),
      [](const Block& block) { return block.law == Law::coulomb || block.law == Law::moments; });
  int idle = 0;  // rounds without a gain
  double before = best_residual().relative;
  while (!out_of_limits() && idle < most_idle) {
    prepare_round(problem);
    kept_u_ = u_;
    const bool moved =
        minimise(problem, std::min(of_before * before, at_least) * judge_.free_norm());
    if (!moved && projection_ == Projection::cone) return;
    if (moved && judge_round(problem)) return;
    // An exact round may end far away, at another solution of its own equations: go back.
    const bool good =
        moved && (projection_ == Projection::cone || round_residual_ < most_worse * before);
    const bool gained = good && round_residual_ < gain * before;
    if (good) {
      center_ = impulse_;
      before = round_residual_;
    } else {
      u_ = kept_u_;
    }
    candidate_.lambda = center_;
    judge_.measure(problem, candidate_);
    idle = gained ? 0 : idle + 1;
    // Slow rounds: the impulses must change much along directions that move nothing.
    if (!good)
      penalty_ *= 0.1;
    else if (projection_ == Projection::cone || !gained)
      penalty_ = std::min(penalty_ * penalty_growth, largest_penalty);
    if (exact_differs && penalty_ >= exact_penalty) projection_ = Projection::coulomb;
  }
}

SolverRegistry::Entry augmented_lagrangian_entry() {
  using Settings = AugmentedLagrangianSolver::Settings;
  return entry_of<Solver, AugmentedLagrangianSolver>(
      augmented_lagrangian_name,
      "Augmented Lagrangian with semi-smooth Newton steps; every law, any redundancy.",
      "Alart, Curnier 1991; Acary et al. 2011",
      {{&Settings::tolerance, "tolerance", "Relative residual asked of the judge.", "", 0.0, 1.0},
       {&Settings::max_iterations, "max-iterations", "Newton steps before giving up.", "", 0, 1e9},
       {&Settings::penalty, "penalty",
        "ρ of the first round; it grows tenfold per round up to 1e9.", "", 1e-6, 1e6},
       {&Settings::largest, "largest", "Unknowns up to which the Newton matrix is factored.", "", 1,
        1e7}});
}

}  // namespace vinci
