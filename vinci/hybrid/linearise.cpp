// SPDX-License-Identifier: Apache-2.0
// By the implicit function theorem: with R(q, v, v', λ, x, u) = 0 the rows of a mode,
//   d(v', λ) = −(∂R/∂(v', λ))⁻¹ ∂R/∂(q, v, x, u) d(q, v, x, u).
#include "vinci/hybrid/linearise.h"

#include <Eigen/Dense>

#include "vinci/base/error.h"

namespace vinci {
namespace {

struct Parts {
  LinearSystem system;
  ModeEquations::Slopes slopes;
  std::vector<int> sticking;
};

// Columns of q, v, x, then those of the slips that count.
MatrixX chosen(const MatrixX& all, int before, const std::vector<int>& sticking) {
  MatrixX result(all.rows(), before + static_cast<int>(sticking.size()));
  result.leftCols(before) = all.leftCols(before);
  for (std::size_t i = 0; i < sticking.size(); ++i)
    result.col(before + static_cast<int>(i)) = all.col(before + sticking[i]);
  return result;
}

Parts linear_parts(const ConstrainedSystem& system, const HybridState& state,
                   const VectorX& inputs) {
  ModeEquations equations(system);
  equations.set(state, inputs);
  if (state.extras.size() != equations.extras())
    equations.frame().extras = VectorX::Zero(equations.extras());
  if (!equations.solve(state.mode))
    throw Error("no linear system: the constraints that act do not determine the accelerations");
  Parts parts;
  equations.slopes(state.mode, parts.slopes, true);
  const int n = equations.coordinates(), m = equations.constraints(), k = equations.extras();
  const int in = system.input_count(), before = 2 * n + k;
  for (int i = 0; i < m; ++i)
    if (state.mode.states[i] == ContactState::sticking) parts.sticking.push_back(i);
  const auto slips = static_cast<int>(parts.sticking.size());
  const int size = before + slips;
  const auto of_state = [&](const MatrixX& all) { return chosen(all, before, parts.sticking); };
  const auto& slopes = parts.slopes;
  LinearSystem& linear = parts.system;
  linear.a.setZero(size, size);
  linear.a.block(0, n, n, n).setIdentity();
  linear.a.middleRows(n, n) = of_state(slopes.accelerations);
  linear.a.middleRows(2 * n, k) = of_state(slopes.extra_rates);
  linear.b.setZero(size, in);
  linear.b.middleRows(n, n) = slopes.accelerations.rightCols(in);
  linear.b.middleRows(2 * n, k) = slopes.extra_rates.rightCols(in);
  const MatrixX rates = of_state(slopes.gap_rates);
  for (int i = 0; i < slips; ++i) linear.a.row(before + i) = rates.row(parts.sticking[i]);
  linear.c.setZero(before + m + n, size);
  linear.c.topLeftCorner(before, before).setIdentity();
  linear.c.middleRows(before, m) = of_state(slopes.multipliers);
  linear.c.bottomRows(n) = linear.a.middleRows(n, n);
  linear.d.setZero(before + m + n, in);
  linear.d.middleRows(before, m) = slopes.multipliers.rightCols(in);
  linear.d.bottomRows(n) = linear.b.middleRows(n, n);
  return parts;
}

}  // namespace

MatrixX clean_product(const MatrixX& a, const MatrixX& b) {
  const MatrixX product = a * b, terms = a.cwiseAbs() * b.cwiseAbs();
  const double least = 4.0 * static_cast<double>(b.rows()) * machine_epsilon;
  return (product.cwiseAbs().array() <= least * terms.array()).select(0.0, product);
}

LinearSystem linearise(const ConstrainedSystem& system, const HybridState& state,
                       const VectorX& inputs) {
  return linear_parts(system, state, inputs).system;
}

EliminatedSystem linearise_eliminated(const ConstrainedSystem& system, const HybridState& state,
                                      const VectorX& inputs) {
  const Parts parts = linear_parts(system, state, inputs);
  const int n = system.coordinate_count(), before = 2 * n + system.extra_count();
  const int size = parts.system.state_count();
  const MatrixX gaps = chosen(parts.slopes.gaps, before, parts.sticking);
  const MatrixX rates = chosen(parts.slopes.gap_rates, before, parts.sticking);
  std::vector<Eigen::RowVectorXd> rows;
  for (int i = 0; i < static_cast<int>(state.mode.states.size()); ++i)
    if (state.mode.states[i] == ContactState::contact) {
      rows.push_back(gaps.row(i));
      rows.push_back(rates.row(i));
    }
  for (std::size_t i = 0; i < parts.sticking.size(); ++i) {
    rows.push_back(rates.row(parts.sticking[i]));
    rows.push_back(Eigen::RowVectorXd::Unit(size, before + static_cast<int>(i)));
  }
  EliminatedSystem result;
  result.basis = MatrixX::Identity(size, size);
  if (!rows.empty()) {
    MatrixX held(static_cast<int>(rows.size()), size);
    for (std::size_t i = 0; i < rows.size(); ++i)
      held.row(static_cast<int>(i)) = rows[i] / std::max(rows[i].norm(), 1e-300);
    Eigen::FullPivLU<MatrixX> factors(held);
    factors.setThreshold(1e-9);
    if (factors.dimensionOfKernel() == 0)
      throw Error("no linear system: the constraints that act leave nothing to move");
    // Orthonormal, so that it does not matter which coordinates were taken for pivots.
    const MatrixX kernel = factors.kernel();
    const Eigen::HouseholderQR<MatrixX> qr(kernel);
    result.basis = qr.householderQ() * MatrixX::Identity(size, kernel.cols());
    // Columns have length 1, and are known to rounding of that.
    const double least = 4.0 * size * machine_epsilon;
    result.basis = (result.basis.cwiseAbs().array() <= least).select(0.0, result.basis);
  }
  const MatrixX& basis = result.basis;
  const MatrixX turned = basis.transpose();
  result.system.a = clean_product(clean_product(turned, parts.system.a), basis);
  result.system.b = clean_product(turned, parts.system.b);
  result.system.c = clean_product(parts.system.c, basis);
  result.system.d = parts.system.d;
  return result;
}

Equilibrium equilibrium(const ConstrainedSystem& system, const HybridState& guess,
                        const VectorX& inputs) {
  ModeEquations equations(system);
  equations.set(guess, inputs);
  SystemFrame<double>& frame = equations.frame();
  const int n = equations.coordinates(), m = equations.constraints(), k = equations.extras();
  if (frame.extras.size() != k) frame.extras = VectorX::Zero(k);
  frame.velocities.setZero();
  frame.accelerations.setZero();
  frame.multipliers.setZero();
  equations.slips().setZero();
  const int size = n + m + k;
  VectorX rows(size);
  MatrixX matrix(size, size);
  const auto evaluate = [&] {
    equations.residual(guess.mode, rows.head(n + m));
    rows.tail(k) = frame.extra_rates;
  };
  using Argument = ModeEquations::Argument;
  const auto differentiate = [&](Argument argument, int count, int first) {
    for (int j = 0; j < count; ++j) {
      equations.slope(guess.mode, argument, j, matrix.col(first + j).head(n + m));
      for (int i = 0; i < k; ++i) matrix(n + m + i, first + j) = equations.extra_slope(i);
    }
  };
  Equilibrium result;
  double before = infinity;
  for (result.iterations = 0; result.iterations < 100; ++result.iterations) {
    evaluate();
    differentiate(Argument::positions, n, 0);
    differentiate(Argument::multipliers, m, n);
    differentiate(Argument::extras, k, n + m);
    const VectorX change = -matrix.completeOrthogonalDecomposition().solve(rows);
    if (!change.allFinite()) break;
    frame.positions += change.head(n);
    frame.multipliers += change.segment(n, m);
    frame.extras += change.tail(k);
    const double length = 1.0 + frame.positions.lpNorm<Eigen::Infinity>();
    const double moved = change.head(n).lpNorm<Eigen::Infinity>() / length;
    if (moved <= 1e-15 || (moved < 1e-10 && moved >= before)) {
      evaluate();
      const double scale = 1.0 + frame.multipliers.lpNorm<Eigen::Infinity>() +
                           matrix.lpNorm<Eigen::Infinity>() * machine_epsilon;
      result.imbalance = rows.lpNorm<Eigen::Infinity>();
      result.found = result.imbalance <= 1e-9 * scale;
      break;
    }
    before = moved;
  }
  result.positions = frame.positions;
  result.multipliers = frame.multipliers;
  result.extras = frame.extras;
  return result;
}

}  // namespace vinci
