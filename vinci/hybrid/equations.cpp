// SPDX-License-Identifier: Apache-2.0
// Rows of a mode and their exact derivatives.
#include "vinci/hybrid/equations.h"

namespace vinci {
namespace {

template <class T>
T constraint_row(const SystemFrame<T>& frame, const Constraint& constraint, ContactState state,
                 int i) {
  return state == ContactState::contact ? constraint.stabilisation.error(frame.gaps[i])
                                        : frame.multipliers[i];
}

void join(const VectorX& values, const VectorX& slopes, VectorOf<Dual<double>>& result) {
  for (Eigen::Index i = 0; i < values.size(); ++i) result[i] = {values[i], slopes[i]};
}

}  // namespace

void ModeEquations::residual(const std::vector<ContactState>& states, Eigen::Ref<VectorX> rows) {
  system_.evaluate(plain_);
  rows.head(coordinates()) = plain_.balance;
  for (int i = 0; i < constraints(); ++i)
    rows[coordinates() + i] = constraint_row(plain_, system_.constraints()[i], states[i], i);
}

ModeEquations::Direction ModeEquations::zero_direction() const {
  const VectorX zeros = VectorX::Zero(coordinates());
  return {zeros, zeros, zeros, VectorX::Zero(constraints()), VectorX::Zero(plain_.inputs.size())};
}

void ModeEquations::slope(const std::vector<ContactState>& states, const Direction& direction,
                          Eigen::Ref<VectorX> rows) {
  dual_.time = plain_.time;
  join(plain_.positions, direction.positions, dual_.positions);
  join(plain_.velocities, direction.velocities, dual_.velocities);
  join(plain_.accelerations, direction.accelerations, dual_.accelerations);
  join(plain_.multipliers, direction.multipliers, dual_.multipliers);
  join(plain_.inputs, direction.inputs, dual_.inputs);
  system_.evaluate(dual_);
  for (int i = 0; i < coordinates(); ++i) rows[i] = dual_.balance[i].slope;
  for (int i = 0; i < constraints(); ++i)
    rows[coordinates() + i] = constraint_row(dual_, system_.constraints()[i], states[i], i).slope;
}

void ModeEquations::force_matrix(const std::vector<ContactState>& states, MatrixX& matrix) {
  matrix.resize(rows(), rows());
  Direction direction = zero_direction();
  for (int j = 0; j < coordinates(); ++j) {
    direction.accelerations[j] = 1.0;
    slope(states, direction, matrix.col(j));
    direction.accelerations[j] = 0.0;
  }
  for (int j = 0; j < constraints(); ++j) {
    direction.multipliers[j] = 1.0;
    slope(states, direction, matrix.col(coordinates() + j));
    direction.multipliers[j] = 0.0;
  }
}

}  // namespace vinci
