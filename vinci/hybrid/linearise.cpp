// SPDX-License-Identifier: Apache-2.0
// By the implicit function theorem: with R(q, v, v', λ, x, u) = 0 the rows of a mode,
//   d(v', λ) = −(∂R/∂(v', λ))⁻¹ ∂R/∂(q, v, x, u) d(q, v, x, u).
#include "vinci/hybrid/linearise.h"

#include <algorithm>

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
  MatrixX basis = MatrixX::Identity(size, size);
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
    basis = qr.householderQ() * MatrixX::Identity(size, kernel.cols());
  }
  const Eigen::Index left = basis.cols();
  // Those before others among equals.
  const Eigen::ColPivHouseholderQR<MatrixX> best(basis.transpose());
  for (Eigen::Index i = 0; i < left; ++i)
    result.states.push_back(best.colsPermutation().indices()[i]);
  std::sort(result.states.begin(), result.states.end());
  MatrixX own(left, size), pushed(left, parts.system.input_count()), kept(left, left);
  for (Eigen::Index i = 0; i < left; ++i) {
    const int at = result.states[static_cast<std::size_t>(i)];
    own.row(i) = parts.system.a.row(at);
    pushed.row(i) = parts.system.b.row(at);
    kept.row(i) = basis.row(at);
  }
  // Columns of the kernel have length 1, and are known to rounding of that.
  const double least = 4.0 * size * machine_epsilon;
  basis = (basis.cwiseAbs().array() <= least).select(0.0, basis).eval();
  result.basis = clean_product(basis, kept.inverse());
  result.system.a = clean_product(own, result.basis);
  result.system.b = pushed;
  result.system.c = clean_product(parts.system.c, result.basis);
  result.system.d = parts.system.d;
  return result;
}

}  // namespace vinci
