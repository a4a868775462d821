// SPDX-License-Identifier: Apache-2.0
// The steps of one round.
#include "vinci/newton/newton_round.h"

#include <algorithm>
#include <cmath>

#include "vinci/complementarity/law_ball.h"

namespace vinci {

namespace {

// Of the first-order decrease of θ: at least so much, the usual constant of Armijo's rule, and
// (Goldstein and Price) at most so much.
constexpr double least_decrease = 1e-4, most_decrease = 0.9;
constexpr int most_halvings = 14;  // down to least_decrease of the step

}  // namespace

void NewtonRound::prepare(const ComplementarityProblem& problem, const Judge& judge) {
  matrix_.prepare(problem, judge.scales());
  std::size_t entries = 0;
  for (const Block& block : problem.blocks)
    entries += static_cast<std::size_t>(block.size) * static_cast<std::size_t>(block.size);
  A_.resize(entries);
  B_.resize(entries);
  phi_.resize(problem.rows());
  frozen_.setZero(static_cast<long>(problem.blocks.size()));
}

// Φ, and A = ∂Φ/∂λ + ρ s ∂Φ/∂w, B = ∂Φ/∂w, at λ and w_.
void NewtonRound::evaluate(const ComplementarityProblem& problem, const Judge& judge,
                           const VectorX& lambda, bool derivatives) {
  double *A = A_.data(), *B = B_.data();
  for (std::size_t number = 0; number < problem.blocks.size(); ++number) {
    const Block& block = problem.blocks[number];
    const int row = block.offset, size = block.size;
    const double* const s = judge.scales().data() + row;
    const double* const weight = judge.weights().data() + row;
    const auto velocity = [&](int i) {
      return weight[i] * w_[row + i] +
             rules_.proximity * s[i] * (lambda[row + i] - center_[row + i]);
    };
    if (block.law == Law::equality) {
      for (int i = 0; i < size; ++i) phi_[row + i] = velocity(i);
      std::fill(A, A + size * size, 0.0);
      std::fill(B, B + size * size, 0.0);
      for (int i = 0; i < size; ++i) B[i * size + i] = 1.0;
    } else {
      double x[largest_mapped_block], w[largest_mapped_block];
      for (int i = 0; i < size; ++i) x[i] = s[i] * lambda[row + i], w[i] = velocity(i);
      const MapPoint point{s[0], rules_.frozen ? frozen_[static_cast<long>(number)] : -1.0,
                           s[0] / s[size - 1]};
      evaluate_map(rules_.map, block, point, x, w, phi_.data() + row, derivatives ? A : nullptr,
                   derivatives ? B : nullptr);
    }
    for (int k = 0; k < size * size && derivatives; ++k) {
      A[k] = s[k % size] * (A[k] + rules_.proximity * B[k]);
      B[k] *= weight[k % size];
    }
    A += size * size, B += size * size;
  }
}

// θ at solution.lambda.
double NewtonRound::measure(const ComplementarityProblem& problem, Judge& judge,
                            Solution& solution) {
  const Residual residual = judge.measure(problem, solution);
  if (!std::isfinite(residual.relative)) return std::numeric_limits<double>::infinity();
  if (residual.relative < best_.relative) {
    best_ = residual;
    best_lambda_ = solution.lambda;
  }
  w_ = judge.w();
  evaluate(problem, judge, solution.lambda, false);
  return 0.5 * phi_.squaredNorm();
}

bool NewtonRound::direction(const ComplementarityProblem& problem, const Judge& judge,
                            const VectorX& lambda) {
  evaluate(problem, judge, lambda, true);
  if (!matrix_.factor(A_, B_)) return false;
  motion_.setZero(problem.unknowns());
  step_ = -phi_;
  return matrix_.solve(motion_, step_);
}

// Along step_ from solution.lambda; false, and back at the start, where no length is good enough.
bool NewtonRound::search(const ComplementarityProblem& problem, Judge& judge, double theta,
                         double reference, Solution& solution, double& reached) {
  from_ = solution.lambda;
  double lower = 0.0, upper = 1.0, length = 1.0;
  for (int halving = 0; halving < most_halvings; ++halving) {
    solution.lambda = from_ + length * step_;
    reached = measure(problem, judge, solution);
    const double slope = -2.0 * theta * length;
    const bool low = reached <= reference + least_decrease * slope;
    if (rules_.search == LineSearch::none && std::isfinite(reached)) return true;
    if (low && (rules_.search != LineSearch::goldstein_price || length == 1.0 ||
                reached >= theta + most_decrease * slope))
      return true;
    (low ? lower : upper) = length;
    length = 0.5 * (lower + upper);
  }
  if (lower > 0.0) return true;  // between too short and too long there was nothing to choose
  solution.lambda = from_;
  reached = measure(problem, judge, solution);
  return false;
}

NewtonRound::Outcome NewtonRound::run(const ComplementarityProblem& problem, Judge& judge,
                                      const Rules& rules, Solution& solution) {
  rules_ = rules;
  center_ = solution.lambda;
  best_.relative = std::numeric_limits<double>::infinity();
  best_lambda_ = center_;
  if (rules.frozen) {
    judge.measure(problem, solution);
    for (std::size_t b = 0; b < problem.blocks.size(); ++b) {
      const Block& block = problem.blocks[b];
      if (block.law == Law::coulomb)
        frozen_[static_cast<long>(b)] =
            block.friction * law::norm(block.size - 1, judge.w().data() + block.offset + 1);
    }
  }
  Outcome outcome;
  double theta = measure(problem, judge, solution);
  recent_.assign(1, theta);
  while (std::isfinite(theta)) {
    outcome.reached = (outcome.steps > 0 && std::sqrt(2.0 * theta) <= rules.target) ||
                      rules.accuracy.is_settled(best_);
    if (outcome.reached || outcome.steps >= rules.steps || rules.until->passed()) break;
    if (!direction(problem, judge, solution.lambda)) break;
    ++outcome.steps;
    const double reference = *std::max_element(recent_.begin(), recent_.end());
    if (!search(problem, judge, theta, reference, solution, theta)) break;
    if (static_cast<int>(recent_.size()) >= rules.memory) recent_.erase(recent_.begin());
    recent_.push_back(theta);
  }
  return outcome;
}

}  // namespace vinci
