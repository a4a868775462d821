// SPDX-License-Identifier: Apache-2.0
// By the implicit function theorem: with R(q, v, v', λ, u) = 0 the rows of a mode,
//   d(v', λ) = −(∂R/∂(v', λ))⁻¹ ∂R/∂(q, v, u) d(q, v, u).
#include "vinci/hybrid/linearise.h"

#include <Eigen/Dense>

#include "vinci/base/error.h"
#include "vinci/hybrid/equations.h"

namespace vinci {

LinearSystem linearise(const ConstrainedSystem& system, double time, const VectorX& positions,
                       const VectorX& velocities, const VectorX& inputs,
                       const std::vector<ContactState>& states) {
  ModeEquations equations(system);
  SystemFrame<double>& frame = equations.frame();
  frame.time = time;
  frame.positions = positions;
  frame.velocities = velocities;
  frame.inputs = inputs;
  if (!consistent_forces(system, time, positions, velocities, inputs, states, frame.accelerations,
                         frame.multipliers))
    throw Error("no linear system: the constraints that act do not determine the accelerations");
  const int n = equations.coordinates(), m = equations.constraints();
  const int k = system.input_count(), rows = equations.rows();
  MatrixX forces;
  equations.force_matrix(states, forces);
  MatrixX others(rows, 2 * n + k);
  ModeEquations::Direction direction = equations.zero_direction();
  const auto add = [&](VectorX& argument, int first) {
    for (Eigen::Index j = 0; j < argument.size(); ++j) {
      argument[j] = 1.0;
      equations.slope(states, direction, others.col(first + j));
      argument[j] = 0.0;
    }
  };
  add(direction.positions, 0);
  add(direction.velocities, n);
  add(direction.inputs, 2 * n);
  const MatrixX answer = -forces.fullPivLu().solve(others);

  LinearSystem linear;
  linear.a.setZero(2 * n, 2 * n);
  linear.a.topRightCorner(n, n).setIdentity();
  linear.a.bottomRows(n) = answer.topLeftCorner(n, 2 * n);
  linear.b.setZero(2 * n, k);
  linear.b.bottomRows(n) = answer.topRightCorner(n, k);
  linear.c.setZero(2 * n + m, 2 * n);
  linear.c.topRows(2 * n).setIdentity();
  linear.c.bottomRows(m) = answer.bottomLeftCorner(m, 2 * n);
  linear.d.setZero(2 * n + m, k);
  linear.d.bottomRows(m) = answer.bottomRightCorner(m, k);
  return linear;
}

Equilibrium equilibrium(const ConstrainedSystem& system, double time, const VectorX& guess,
                        const VectorX& inputs, const std::vector<ContactState>& states) {
  ModeEquations equations(system);
  SystemFrame<double>& frame = equations.frame();
  frame.time = time;
  frame.positions = guess;
  frame.inputs = inputs;
  const int n = equations.coordinates(), m = equations.constraints();
  VectorX rows(n + m);
  MatrixX matrix(n + m, n + m);
  Equilibrium result;
  double before = infinity;
  for (result.iterations = 0; result.iterations < 100; ++result.iterations) {
    equations.residual(states, rows);
    // Rows beside what their parts amount to: at rest only rounding is left.
    ModeEquations::Direction direction = equations.zero_direction();
    for (int j = 0; j < n; ++j) {
      direction.positions[j] = 1.0;
      equations.slope(states, direction, matrix.col(j));
      direction.positions[j] = 0.0;
    }
    for (int j = 0; j < m; ++j) {
      direction.multipliers[j] = 1.0;
      equations.slope(states, direction, matrix.col(n + j));
      direction.multipliers[j] = 0.0;
    }
    const VectorX change = -matrix.completeOrthogonalDecomposition().solve(rows);
    if (!change.allFinite()) break;
    frame.positions += change.head(n);
    frame.multipliers += change.tail(m);
    const double size = 1.0 + frame.positions.lpNorm<Eigen::Infinity>();
    const double moved = change.head(n).lpNorm<Eigen::Infinity>() / size;
    if (moved <= 1e-15 || (moved < 1e-10 && moved >= before)) {
      equations.residual(states, rows);
      const double scale = 1.0 + frame.multipliers.lpNorm<Eigen::Infinity>() +
                           matrix.lpNorm<Eigen::Infinity>() * machine_epsilon;
      result.found = rows.lpNorm<Eigen::Infinity>() <= 1e-9 * scale;
      break;
    }
    before = moved;
  }
  result.positions = frame.positions;
  result.multipliers = frame.multipliers;
  return result;
}

}  // namespace vinci
