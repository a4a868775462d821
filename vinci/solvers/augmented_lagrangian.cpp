// SPDX-License-Identifier: Apache-2.0
// Rounds of the augmented Lagrangian, each minimised by damped Newton steps.
#include "vinci/solvers/augmented_lagrangian.h"

#include <algorithm>
#include <cmath>

#include "vinci/complementarity/law_coulomb.h"
#include "vinci/complementarity/laws.h"
#include "vinci/solvers/newton_matrix.h"

namespace vinci {
namespace {

constexpr const char* name = "augmented-lagrangian";
constexpr double largest_penalty = 1e7;  // beyond it the Newton matrix loses the digits of M
constexpr double penalty_growth = 10.0;

}  // namespace

struct AugmentedLagrangianSolver::Newton {
  NewtonMatrix matrix;
};

AugmentedLagrangianSolver::AugmentedLagrangianSolver(const Settings& settings)
    : settings_(settings), newton_(std::make_unique<Newton>()) {}
AugmentedLagrangianSolver::~AugmentedLagrangianSolver() = default;

const char* AugmentedLagrangianSolver::refusal(const ComplementarityProblem& problem) const {
  if (problem.unknowns() == 0) return "there is no u: this method works on the velocities";
  if (!problem.C.empty()) return "C couples rows (a friction pyramid, a compliance): use lemke";
  if (problem.unknowns() > settings_.largest) return "more unknowns than the option 'largest'";
  return nullptr;
}

std::string AugmentedLagrangianSolver::why_not(const ComplementarityProblem& problem) const {
  if (std::string why = problem.why_invalid(); !why.empty()) return why;
  if (const char* reason = refusal(problem)) return reason;
  MassFactor mass;
  return mass.factor(problem.M) ? "" : "M is singular";
}

void AugmentedLagrangianSolver::begin(const ComplementarityProblem& problem, Solution& solution) {
  if (solution.lambda.size() != problem.rows() || !solution.lambda.allFinite())
    solution.lambda.setZero(problem.rows());
  for (const Block& block : problem.blocks)
    project(block, 1.0, solution.lambda.data() + block.offset);
  best_residual_ = judge_.measure(problem, solution);
  best_.lambda = solution.lambda;
  candidate_ = solution;
  center_ = solution.lambda;
  u_ = judge_.u();
  shift_.setZero(problem.rows());
  iterations_ = 0;
}

// Value of the function of this round at u; leaves y and P(y).
double AugmentedLagrangianSolver::evaluate(const ComplementarityProblem& problem, double penalty,
                                           const VectorX& u) {
  scratch_ = problem.b + shift_;
  problem.J.multiply_add(u.data(), scratch_.data());
  double value = -problem.p.dot(u);
  y_.resize(problem.rows());
  for (const Block& block : problem.blocks) {
    const double rho = penalty / judge_.scales()[block.offset];
    auto y = y_.segment(block.offset, block.size);
    auto impulse = impulse_.segment(block.offset, block.size);
    y = center_.segment(block.offset, block.size) -
        rho * scratch_.segment(block.offset, block.size);
    impulse = y;
    project(block, 1.0, impulse.data());
    value += (0.5 * y.squaredNorm() - 0.5 * (y - impulse).squaredNorm()) / rho;
  }
  force_.setZero(problem.unknowns());
  problem.M.multiply_add(u.data(), force_.data());
  return value + 0.5 * u.dot(force_);
}

// F(u) from what evaluate() left.
void AugmentedLagrangianSolver::gradient(const ComplementarityProblem& problem) {
  force_ -= problem.p;
  scratch_ = -impulse_;
  problem.J.multiply_transposed_add(scratch_.data(), force_.data());
}

// Newton with backtracking until F is small against `target`; false where no step was possible.
bool AugmentedLagrangianSolver::minimise(const ComplementarityProblem& problem, double penalty,
                                         double target) {
  double value = evaluate(problem, penalty, u_);
  gradient(problem);
  for (int inner = 0; inner < 50 && iterations_ < settings_.max_iterations; ++inner) {
    if (!newton_->matrix.assemble(problem, judge_.scales(), penalty, y_)) return inner > 0;
    ++iterations_;
    step_ = -force_;
    newton_->matrix.solve(step_);
    const double slope = force_.dot(step_);
    if (!std::isfinite(slope)) return inner > 0;
    double length = 1.0;
    bool moved = false;
    for (int halving = 0; halving < 30; ++halving, length *= 0.5) {
      trial_ = u_ + length * step_;
      const double now = evaluate(problem, penalty, trial_);
      // Near the minimum the differences drown in rounding: a full step is then as good as known.
      if (now <= value + 1e-4 * length * slope + 1e-14 * std::abs(value)) {
        value = now;
        moved = true;
        break;
      }
    }
    if (!moved) {
      evaluate(problem, penalty, u_);
      return inner > 0;
    }
    u_ = trial_;
    gradient(problem);
    if (-slope <= target) break;
  }
  return true;
}

// Judges the impulses of the round; true if they are solved.
bool AugmentedLagrangianSolver::keep(const ComplementarityProblem& problem, Solution& solution) {
  candidate_.lambda = impulse_;
  Residual residual = judge_.measure(problem, candidate_);
  if (residual.relative < 1e-2 && !is_solved(residual, settings_.tolerance))
    residual =
        polish_.improve(problem, operator_, judge_, {settings_.tolerance, 6}, candidate_, residual);
  if (residual.relative < best_residual_.relative) {
    best_residual_ = residual;
    best_.lambda = candidate_.lambda;
  }
  solution.lambda = best_.lambda;
  return is_solved(best_residual_, settings_.tolerance);
}

SolveReport AugmentedLagrangianSolver::solve(const ComplementarityProblem& problem,
                                             Solution& solution) {
  SolveReport report;
  report.solver = name;
  report.residual.relative = std::numeric_limits<double>::infinity();
  if (!problem.why_invalid().empty()) {
    report.note = "the problem is not valid";
    return report;
  }
  judge_.prepare(problem);
  if (const char* reason = refusal(problem); reason || !operator_.prepare(problem)) {
    report.note = reason ? reason : "M is singular";
    return report;
  }
  impulse_.resize(problem.rows());
  begin(problem, solution);
  bool solved = is_solved(best_residual_, settings_.tolerance);
  double penalty = settings_.penalty;
  int idle = 0;  // rounds without a gain
  while (!solved && iterations_ < settings_.max_iterations && idle < 6) {
    for (const Block& block : problem.blocks)
      if (block.law == Law::coulomb)
        shift_[block.offset] =
            block.friction * judge_.w().segment(block.offset + 1, block.size - 1).norm();
    // Energy that matters: the tolerance squared, in the unit of ½ uᵀM u.
    const double momentum = std::abs(problem.p.dot(u_)) + 1e-300;
    const double before = best_residual_.relative;
    const double target = momentum * std::pow(std::min(1e-2 * before, 1e-3), 2);
    if (!minimise(problem, penalty, target)) break;
    center_ = impulse_;
    solved = keep(problem, solution);
    // The next round starts from its own impulses, not from polished ones.
    candidate_.lambda = center_;
    judge_.measure(problem, candidate_);
    idle = best_residual_.relative < 0.5 * before ? 0 : idle + 1;
    penalty = std::min(penalty * penalty_growth, largest_penalty);
  }
  solution.lambda = best_.lambda;
  report.residual = judge_.measure(problem, solution);
  solution.u = judge_.u();
  report.iterations = iterations_;
  report.status = is_solved(report.residual, settings_.tolerance) ? SolveStatus::solved
                  : iterations_ >= settings_.max_iterations       ? SolveStatus::limit
                                                                  : SolveStatus::inaccurate;
  return report;
}

SolverRegistry::Entry augmented_lagrangian_entry() {
  const AugmentedLagrangianSolver::Settings fallback;
  OptionTable options{
      {"tolerance", "Relative residual asked of the judge.", fallback.tolerance, "", 0.0, 1.0},
      {"max-iterations", "Newton steps before giving up.", long{fallback.max_iterations}, "", 0,
       1e9},
      {"penalty", "ρ of the first round; it grows tenfold a round up to 1e7.", fallback.penalty, "",
       1e-6, 1e6},
      {"largest", "Unknowns up to which the Newton matrix is factored.", long{fallback.largest}, "",
       1, 1e7},
  };
  return {name,
          "Augmented Lagrangian with semi-smooth Newton steps on the velocities; every law, any "
          "redundancy.",
          "Lee et al. 2025; Acary et al. 2011", options, [](const OptionValues& values) {
            AugmentedLagrangianSolver::Settings settings;
            settings.tolerance = values.real("tolerance");
            settings.max_iterations = static_cast<int>(values.integer("max-iterations"));
            settings.penalty = values.real("penalty");
            settings.largest = static_cast<int>(values.integer("largest"));
            return std::make_unique<AugmentedLagrangianSolver>(settings);
          }};
}

}  // namespace vinci
