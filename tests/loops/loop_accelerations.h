// SPDX-License-Identifier: Apache-2.0
// Accelerations of a mechanism with loops by two ways: recursions over the tree with the rows that
// close it, and all bodies with all joints at once (tests/kinematics/maximal.h).
#pragma once

#include <Eigen/QR>

#include "tests/kinematics/maximal.h"
#include "vinci/formulation/joint_blocks.h"
#include "vinci/kinematics/tree_dynamics.h"

namespace vinci::test {

inline VectorX solve_singular(const MatrixX& matrix, const VectorX& right) {
  Eigen::CompleteOrthogonalDecomposition<MatrixX> factors;
  factors.setThreshold(1e-9);
  factors.compute(matrix);
  VectorX answer = factors.solve(right);
  answer += factors.solve(right - matrix * answer);
  return answer;
}

class LoopAccelerations {
 public:
  // The model has a tree. Velocities that open loops are taken out.
  LoopAccelerations(const Model& model, const State& state) : state_(state) {
    made_.model = model;
    made_.poses = state.poses;
    made_.positions = state.joint_positions;
    made_.rates = state.joint_rates;
    made_.velocities = state.velocities;
    made_.prescribed.setZero(model.velocity_count);
    tree_.place(made_.model, made_.poses, made_.positions);
    blocks_.find_held(
        {.model = made_.model, .state = state_, .placed = made_.poses, .tree = tree_, .h = 1.0}, {},
        {});
    const int unknowns = model.free_count, count = static_cast<int>(blocks_.held().size());
    rows_.setZero(count, unknowns);
    for (int i = 0; i < count; ++i)
      for (int k = 0; k < unknowns; ++k)
        if (const int row = blocks_.held()[static_cast<std::size_t>(i)].row; row >= 0)
          rows_(i, k) = blocks_.rate(row, VectorX::Unit(unknowns, k));
    VectorX u;
    tree_.gather_unknowns(made_.velocities, made_.rates, u);
    if (count > 0) u -= solve_singular(rows_, rows_ * u);
    tree_.spread_unknowns(u, made_.velocities, made_.rates);
  }

  int loop_rows() const { return static_cast<int>(rows_.rows()); }
  int rank() const {
    Eigen::ColPivHouseholderQR<MatrixX> factors;
    factors.setThreshold(1e-9);
    return static_cast<int>(rows_.rows() > 0 ? factors.compute(rows_).rank() : 0);
  }
  double largest_error() const {
    VectorX errors;
    blocks_.errors(made_.model, {state_.poses, state_.joint_positions, state_.coupling_offsets},
                   errors);
    return errors.size() > 0 ? errors.cwiseAbs().maxCoeff() : 0.0;
  }

  // Packed, under weights and efforts per joint rate.
  VectorX maximal(const VectorX& efforts) const {
    VectorX forces = VectorX::Zero(made_.model.velocity_count);
    add_weights(made_.model, forces);
    return MaximalSystem::accelerations(made_, forces, efforts);
  }
  VectorX reduced(const VectorX& efforts) {
    const Model& model = made_.model;
    VectorX forces = VectorX::Zero(model.velocity_count);
    add_weights(model, forces);
    TreeMatrix mass;
    VectorX bias;
    dynamics_.mass(tree_, mass);
    const TreeMotion motion{made_.velocities, made_.rates, forces, &made_.prescribed};
    dynamics_.bias(tree_, motion, bias);
    const VectorX products = dynamics_.accelerations();
    const int n = model.free_count, m = loop_rows();
    MatrixX matrix = MatrixX::Zero(n + m, n + m);
    VectorX right = VectorX::Zero(n + m), column;
    for (int i = 0; i < n; ++i) {
      mass.multiply(VectorX::Unit(n, i), column);
      matrix.col(i).head(n) = column;
    }
    right.head(n) = -bias;
    for (int i = 0; i < model.joint_rate_count; ++i)
      if (model.rate_index[static_cast<std::size_t>(i)] >= 0)
        right[model.rate_index[static_cast<std::size_t>(i)]] += efforts[i];
    add_loop_efforts(efforts, right);
    matrix.topRightCorner(n, m) = -rows_.transpose();
    matrix.bottomLeftCorner(m, n) = rows_;
    for (int i = 0; i < m; ++i) {
      const MaximalSystem::Row row = full_row(blocks_.held()[static_cast<std::size_t>(i)]);
      right[n + i] = -row.bias - row.values.dot(products);
    }
    const VectorX answer = solve_singular(matrix, right).head(n);
    VectorX needed;
    dynamics_.inverse(tree_, motion, answer, needed);
    return dynamics_.accelerations();
  }

 private:
  MaximalSystem::Row full_row(const HeldRow& held) const {
    if (held.of == HeldRow::Of::coupling)
      return MaximalSystem::coupling_row(
          made_, made_.model.couplings[static_cast<std::size_t>(held.index)]);
    return MaximalSystem::joint_rows_of(made_, held.index)[static_cast<std::size_t>(held.part)];
  }

  // Of joints that close loops: on the unknowns that move their bodies.
  void add_loop_efforts(const VectorX& efforts, VectorX& right) const {
    const Model& model = made_.model;
    const auto pose = [&](int b) {
      return b < 0 ? Pose() : made_.poses[static_cast<std::size_t>(b)];
    };
    for (int j = 0; j < static_cast<int>(model.joints.size()); ++j) {
      if (!is_loop_joint(model, j)) continue;
      const Joint& joint = model.joints[static_cast<std::size_t>(j)];
      const Vector3 point = pose(joint.body_b) * joint.frame_b.position;
      for (int k = 0; k < rate_count(joint.kind); ++k) {
        const Twist row = rate_row(joint, pose(joint.body_a), pose(joint.body_b), k);
        for (const auto& [b, sign] : {std::pair(joint.body_a, -1.0), {joint.body_b, 1.0}}) {
          if (b < 0) continue;
          MatrixX jacobian;
          tree_.jacobian(b, point - center_of_mass(model, made_.poses, b), jacobian);
          Vector6 wrench;
          wrench << row.linear, row.angular;
          right += sign * efforts[joint.first_rate + k] * (jacobian.transpose() * wrench);
        }
      }
    }
  }

  State state_;
  JointedModel made_;
  Tree tree_;
  TreeDynamics dynamics_;
  JointBlocks blocks_;
  MatrixX rows_;
};

}  // namespace vinci::test
