// SPDX-License-Identifier: Apache-2.0
// Newton's method on the conditions of Karush, Kuhn and Tucker [Nocedal 2006, chapters 11 and 18]:
//
//   f(q, x) + Hᵀ(q) λ = 0,   h(q) = 0,   x' = 0
//
// Its matrix has the curvature of the constraints, weighted with λ: without it a bead on a bent
// wire is at rest everywhere. So forces come first, as far as they balance where the state is.
#include <algorithm>

#include <Eigen/Dense>

#include "vinci/hybrid/linearise.h"

namespace vinci {
namespace {

constexpr int most_newton_steps = 200;
constexpr double dependent_rows = 1e-12;
constexpr double balanced = 1e-9;  // of forces, beside 1 N
constexpr double closed = 1e-9;    // of lengths, beside 1 m
constexpr double carried = 1e-9;   // of h' and h'' at rest, by what the scene prescribes

class Rest {
 public:
  Rest(const ConstrainedSystem& system, const HybridState& guess, const VectorX& inputs);

  Equilibrium find();

 private:
  VectorX rows();
  MatrixX matrix();
  void balance_forces();
  void move(const VectorX& change);
  bool step();

  ModeEquations equations_;
  const HybridMode& mode_;
  SystemFrame<double>& frame_;
  int n_, k_;
  std::vector<int> active_, held_;  // that have a force; of these, those that have a row
  double scale_ = 1.0;              // of forces, N
};

Rest::Rest(const ConstrainedSystem& system, const HybridState& guess, const VectorX& inputs)
    : equations_(system),
      mode_(guess.mode),
      frame_(equations_.frame()),
      n_(equations_.coordinates()),
      k_(equations_.extras()) {
  equations_.set(guess, inputs);
  if (frame_.extras.size() != k_) frame_.extras = VectorX::Zero(k_);
  frame_.velocities.setZero();
  frame_.accelerations.setZero();
  frame_.multipliers.setZero();
  equations_.slips().setZero();
  for (int i = 0; i < equations_.constraints(); ++i) {
    const ContactState state = mode_.states[static_cast<std::size_t>(i)];
    if (acts(state)) active_.push_back(i);
    // What sticks is held wherever it is.
    if (acts(state) && state != ContactState::sticking) held_.push_back(i);
  }
}

// Balance and forces of sliding in units of forces, then gaps, then further states.
VectorX Rest::rows() {
  VectorX all(equations_.rows());
  equations_.residual(mode_, all);
  const auto held = static_cast<Eigen::Index>(held_.size());
  VectorX result(n_ + held + k_);
  result.head(n_) = all.head(n_) / scale_;
  for (Eigen::Index i = 0; i < held; ++i) {
    const int at = held_[static_cast<std::size_t>(i)];
    const bool slides = mode_.states[static_cast<std::size_t>(at)] == ContactState::sliding;
    result[n_ + i] = slides ? all[n_ + at] / scale_ : frame_.gaps[at].value - mode_.anchors[at];
  }
  result.tail(k_) = frame_.extra_rates;
  return result;
}

MatrixX Rest::matrix() {
  const auto held = static_cast<Eigen::Index>(held_.size());
  const auto count = static_cast<Eigen::Index>(active_.size());
  MatrixX result(n_ + held + k_, n_ + count + k_);
  VectorX all(equations_.rows());
  const auto add = [&](ModeEquations::Argument argument, int place, Eigen::Index column,
                       double unit) {
    equations_.slope(mode_, argument, place, all);
    result.col(column).head(n_) = all.head(n_) / scale_;
    for (Eigen::Index i = 0; i < held; ++i) {
      const int at = held_[static_cast<std::size_t>(i)];
      const bool slides = mode_.states[static_cast<std::size_t>(at)] == ContactState::sliding;
      result(n_ + i, column) = slides ? all[n_ + at] / scale_ : equations_.gap_slope(at);
    }
    for (int i = 0; i < k_; ++i) result(n_ + held + i, column) = equations_.extra_slope(i);
    result.col(column) *= unit;
  };
  using Argument = ModeEquations::Argument;
  for (int j = 0; j < n_; ++j) add(Argument::positions, j, j, 1.0);
  for (Eigen::Index j = 0; j < count; ++j)
    add(Argument::multipliers, active_[static_cast<std::size_t>(j)], n_ + j, scale_);
  for (int j = 0; j < k_; ++j) add(Argument::extras, j, n_ + count + j, 1.0);
  return result;
}

void Rest::move(const VectorX& change) {
  const auto count = static_cast<Eigen::Index>(active_.size());
  frame_.positions += change.head(n_);
  for (Eigen::Index j = 0; j < count; ++j)
    frame_.multipliers[active_[static_cast<std::size_t>(j)]] += scale_ * change[n_ + j];
  frame_.extras += change.tail(k_);
}

// The least forces that balance as much as forces can.
void Rest::balance_forces() {
  const auto count = static_cast<Eigen::Index>(active_.size());
  if (count == 0 || n_ == 0) return;
  frame_.multipliers.setZero();
  Eigen::CompleteOrthogonalDecomposition<MatrixX> factors;
  factors.setThreshold(dependent_rows);
  factors.compute(matrix().block(0, n_, n_, count));
  const VectorX forces = -factors.solve(rows().head(n_));
  for (Eigen::Index j = 0; j < count; ++j)
    frame_.multipliers[active_[static_cast<std::size_t>(j)]] = scale_ * forces[j];
}

// A step that leaves less than there was: Newton's, shorter ones of its direction, then those of
// Levenberg and Marquardt. False where none does.
bool Rest::step() {
  const VectorX left = rows();
  const MatrixX slopes = matrix();
  const VectorX positions = frame_.positions, multipliers = frame_.multipliers,
                extras = frame_.extras;
  const auto helps = [&](const VectorX& change, double share) {
    if (!change.allFinite()) return false;
    move(change);
    const double now = rows().norm();
    if (now <= (1.0 - 1e-3 * share) * left.norm()) return true;
    frame_.positions = positions;
    frame_.multipliers = multipliers;
    frame_.extras = extras;
    return false;
  };
  const double numbers = 1.0 + positions.norm() + multipliers.norm() / scale_;
  if (left.norm() <= 16.0 * machine_epsilon * numbers || slopes.cols() == 0) return false;
  Eigen::CompleteOrthogonalDecomposition<MatrixX> factors;
  factors.setThreshold(dependent_rows);
  factors.compute(slopes);
  const VectorX full = -factors.solve(left);
  for (double share = 1.0; share > 1e-3; share *= 0.5)
    if (helps(share * full, share)) return true;
  const MatrixX square = slopes.transpose() * slopes;
  const VectorX down = slopes.transpose() * left;
  const double size = square.diagonal().maxCoeff();
  for (double damping = 1e-6; damping < 1e6; damping *= 10.0) {
    MatrixX damped = square;
    damped.diagonal().array() += damping * size;
    if (helps(-damped.ldlt().solve(down), 0.1)) return true;
  }
  return false;
}

Equilibrium Rest::find() {
  scale_ = std::max(1.0, n_ > 0 ? rows().head(n_).lpNorm<Eigen::Infinity>() : 0.0);
  balance_forces();
  Equilibrium result;
  while (result.iterations < most_newton_steps && step()) ++result.iterations;
  // Of forces that are open the least.
  const VectorX forces = frame_.multipliers;
  const double left = rows().norm();
  balance_forces();
  if (rows().norm() > left + dependent_rows) frame_.multipliers = forces;
  const VectorX last = rows();
  const double force =
      1.0 + (forces.size() > 0 ? frame_.multipliers.lpNorm<Eigen::Infinity>() : 0.0) +
      (n_ > 0 ? matrix().leftCols(n_).lpNorm<Eigen::Infinity>() * scale_ * machine_epsilon : 0.0);
  const double length = 1.0 + (n_ > 0 ? frame_.positions.lpNorm<Eigen::Infinity>() : 0.0);
  result.found = last.allFinite();
  double worst = 0.0;
  for (Eigen::Index i = 0; i < last.size(); ++i) {
    const auto held = i - n_;
    const bool is_held = i >= n_ && held < static_cast<Eigen::Index>(held_.size());
    const int constraint = is_held ? held_[static_cast<std::size_t>(held)] : -1;
    const bool is_force =
        i < n_ ||
        (is_held && mode_.states[static_cast<std::size_t>(constraint)] == ContactState::sliding);
    const double size = std::abs(last[i]) * (is_force ? scale_ : 1.0);
    const double share = size / (is_force  ? balanced * force
                                 : is_held ? closed * length
                                           : balanced);
    result.found = result.found && share <= 1.0;
    result.imbalance = std::max(result.imbalance, size);
    if (share <= worst) continue;
    worst = share;
    result.worst_left = size;
    result.worst_row = i < n_    ? static_cast<int>(i)
                       : is_held ? n_ + constraint
                                 : static_cast<int>(i - static_cast<Eigen::Index>(held_.size())) +
                                       equations_.constraints();
  }
  // What the scene moves carries along what it touches.
  for (const int i : active_) {
    if (mode_.states[static_cast<std::size_t>(i)] == ContactState::sliding) continue;
    const double moved = std::max(std::abs(frame_.gaps[i].first), std::abs(frame_.gaps[i].second));
    if (moved <= carried) continue;
    result.found = false;
    if (moved / carried <= worst) continue;
    worst = moved / carried;
    result.worst_left = moved;
    result.worst_row = n_ + i;
  }
  result.positions = frame_.positions;
  result.multipliers = frame_.multipliers;
  result.extras = frame_.extras;
  return result;
}

}  // namespace

Equilibrium equilibrium(const ConstrainedSystem& system, const HybridState& guess,
                        const VectorX& inputs) {
  return Rest(system, guess, inputs).find();
}

}  // namespace vinci
