// SPDX-License-Identifier: Apache-2.0
// A second way to the accelerations of joined bodies, which shares no code with the recursions: the
// equations of all bodies and all joints at once. Rows and the second derivatives of their errors
// are written out here again.
#pragma once

#include <Eigen/QR>

#include "tests/kinematics/joint_models.h"
#include "vinci/kinematics/joint_rows.h"

namespace vinci::test {

class MaximalSystem {
 public:
  // Packed accelerations under packed forces and the efforts of the joints (per joint rate).
  static VectorX accelerations(const JointedModel& made, const VectorX& forces,
                               const VectorX& efforts) {
    MaximalSystem system(made);
    return system.solve(forces, efforts);
  }

  // One row over the packed entries of all bodies, and what the velocities add to its derivative.
  struct Row {
    VectorX values;
    double bias = 0.0;
  };
  // What a joint forbids, in the order of joint_rows.h, and what a coupling does.
  static std::vector<Row> joint_rows_of(const JointedModel& made, int joint) {
    std::vector<Row> rows;
    MaximalSystem(made).add_rows(made.model.joints[static_cast<std::size_t>(joint)], rows);
    return rows;
  }
  static Row coupling_row(const JointedModel& made, const Coupling& coupling) {
    const MaximalSystem system(made);
    const Joint& a = made.model.joints[static_cast<std::size_t>(coupling.joint_a)];
    Row row = system.coordinate(made.model.joints[static_cast<std::size_t>(coupling.joint_b)]);
    const Row first = system.coordinate(a);
    row.values -= coupling.ratio * first.values;
    row.bias -= coupling.ratio * first.bias;
    return row;
  }

 private:
  struct Moving {
    Vector3 center = Vector3::Zero(), linear = Vector3::Zero(), angular = Vector3::Zero();
    Pose pose;
  };

  explicit MaximalSystem(const JointedModel& made) : made_(made) {
    for (std::size_t b = 0; b < made.model.bodies.size(); ++b) {
      Moving body;
      body.pose = made.poses[b];
      body.center = body.pose * made.model.bodies[b].mass.center;
      for (int i = 0; i < made.model.bodies[b].velocity_size; ++i) {
        const int entry = made.model.bodies[b].velocity_offset + i;
        const int c = made.model.coordinate[entry];
        (c < 3 ? body.linear : body.angular)[c % 3] = made.velocities[entry];
      }
      bodies_.push_back(body);
    }
  }

  const Moving& body(int b) const {
    static const Moving world;
    return b < 0 ? world : bodies_[static_cast<std::size_t>(b)];
  }

  VectorX values(const Joint& joint, const Vector3& point, const Vector3& linear,
                 const Vector3& angular) const {
    VectorX row = VectorX::Zero(made_.model.velocity_count);
    for (const auto& [b, sign] : {std::pair(joint.body_a, -1.0), std::pair(joint.body_b, 1.0)}) {
      if (b < 0) continue;
      const Body& own = made_.model.bodies[b];
      const Vector3 turning = angular + (point - body(b).center).cross(linear);
      for (int i = 0; i < own.velocity_size; ++i) {
        const int entry = own.velocity_offset + i, c = made_.model.coordinate[entry];
        row[entry] += sign * (c < 3 ? linear : turning)[c % 3];
      }
    }
    return row;
  }

  // e · (P − P_A), e fixed in A.
  Row place(const Joint& joint, const Vector3& e) const {
    const Moving &a = body(joint.body_a), &b = body(joint.body_b);
    const Vector3 p = b.pose * joint.frame_b.position, o = a.pose * joint.frame_a.position;
    const Vector3 rb = p - b.center, ra = o - a.center, d = p - o;
    const Vector3 rate = b.linear + b.angular.cross(rb) - a.linear - a.angular.cross(ra);
    const Vector3 centripetal =
        b.angular.cross(b.angular.cross(rb)) - a.angular.cross(a.angular.cross(ra)) -
        a.angular.cross(a.angular.cross(d)) - 2.0 * a.angular.cross(rate - a.angular.cross(d));
    return {values(joint, p, e, Vector3::Zero()), e.dot(centripetal)};
  }
  // e_A · f_B.
  Row across(const Joint& joint, const Vector3& e, const Vector3& f) const {
    const Moving &a = body(joint.body_a), &b = body(joint.body_b);
    const double bias = e.dot(b.angular.cross(b.angular.cross(f))) +
                        2.0 * a.angular.cross(e).dot(b.angular.cross(f)) +
                        f.dot(a.angular.cross(a.angular.cross(e)));
    return {values(joint, Vector3::Zero(), Vector3::Zero(), f.cross(e)), bias};
  }
  // The angular velocities agree along an axis that both carry.
  Row together(const Joint& joint, const Vector3& e) const {
    return {values(joint, Vector3::Zero(), Vector3::Zero(), e), 0.0};
  }

  // Of a joint of one freedom.
  Row coordinate(const Joint& joint) const {
    const Vector3 z =
        body(joint.body_a).pose.rotation * (joint.frame_a.rotation * Vector3::UnitZ());
    return joint.kind == JointKind::prismatic ? place(joint, z) : together(joint, z);
  }

  void add_rows(const Joint& joint, std::vector<Row>& rows) const {
    const Moving &a = body(joint.body_a), &b = body(joint.body_b);
    const Quaternion ra = a.pose.rotation * joint.frame_a.rotation;
    const Quaternion rb = b.pose.rotation * joint.frame_b.rotation;
    const Vector3 x = ra * Vector3::UnitX(), y = ra * Vector3::UnitY(), z = ra * Vector3::UnitZ();
    const Vector3 xb = rb * Vector3::UnitX(), zb = rb * Vector3::UnitZ();
    const JointKind kind = joint.kind;
    if (made_.model.world == World::planar) {
      if (kind == JointKind::prismatic) {
        rows.push_back(place(joint, Vector3::UnitZ().cross(z)));
      } else {
        rows.push_back(place(joint, a.pose.rotation * Vector3::UnitX()));
        rows.push_back(place(joint, a.pose.rotation * Vector3::UnitY()));
      }
      if (kind != JointKind::revolute) rows.push_back(together(joint, Vector3::UnitZ()));
      return;
    }
    if (kind != JointKind::planar) {
      rows.push_back(place(joint, x));
      rows.push_back(place(joint, y));
    }
    if (kind != JointKind::prismatic && kind != JointKind::cylindrical && kind != JointKind::screw)
      rows.push_back(place(joint, z));
    if (kind == JointKind::fixed || kind == JointKind::prismatic)
      for (const Vector3& e : {x, y, z}) rows.push_back(together(joint, e));
    if (kind == JointKind::universal) rows.push_back(across(joint, z, xb));
    if (kind == JointKind::revolute || kind == JointKind::screw || kind == JointKind::planar ||
        kind == JointKind::cylindrical) {
      rows.push_back(across(joint, x, zb));
      rows.push_back(across(joint, y, zb));
    }
    if (kind == JointKind::screw) {
      Row row = place(joint, z);
      row.values -= joint.pitch * together(joint, z).values;
      rows.push_back(row);
    }
  }

  VectorX solve(const VectorX& forces, const VectorX& efforts) {
    const Model& model = made_.model;
    std::vector<Row> rows;
    VectorX load = forces;
    for (const Joint& joint : model.joints) {
      add_rows(joint, rows);
      const Pose &a = body(joint.body_a).pose, &b = body(joint.body_b).pose;
      for (int k = 0; k < rate_count(joint.kind); ++k) {
        const Twist row = rate_row(joint, a, b, k);
        load += efforts[joint.first_rate + k] *
                values(joint, b * joint.frame_b.position, row.linear, row.angular);
      }
    }
    for (const Coupling& coupling : model.couplings) rows.push_back(coupling_row(made_, coupling));
    const int n = model.velocity_count, m = static_cast<int>(rows.size());
    MatrixX matrix = MatrixX::Zero(n + m, n + m);
    VectorX right = VectorX::Zero(n + m);
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      const Body& own = model.bodies[b];
      const Matrix3 r = bodies_[b].pose.rotation.toRotationMatrix();
      Matrix6 inertia = Matrix6::Zero();
      inertia.topLeftCorner<3, 3>() = own.mass.mass * Matrix3::Identity();
      inertia.bottomRightCorner<3, 3>() = r * own.mass.inertia * r.transpose();
      Vector6 spin = Vector6::Zero();
      spin.tail<3>() =
          bodies_[b].angular.cross(inertia.bottomRightCorner<3, 3>() * bodies_[b].angular);
      for (int i = 0; i < own.velocity_size; ++i) {
        const int row = own.velocity_offset + i, c = model.coordinate[row];
        if (own.drives[static_cast<std::size_t>(c)].prescribed) {
          matrix(row, row) = 1.0;
          right[row] = made_.prescribed[row];
          continue;
        }
        right[row] = load[row] - spin[c];
        for (int j = 0; j < own.velocity_size; ++j)
          matrix(row, own.velocity_offset + j) =
              inertia(c, model.coordinate[own.velocity_offset + j]);
        for (int i2 = 0; i2 < m; ++i2)
          matrix(row, n + i2) = -rows[static_cast<std::size_t>(i2)].values[row];
      }
    }
    for (int i = 0; i < m; ++i) {
      matrix.row(n + i).head(n) = rows[static_cast<std::size_t>(i)].values.transpose();
      right[n + i] = -rows[static_cast<std::size_t>(i)].bias;
    }
    // Rows that follow from others leave loads open, not accelerations.
    Eigen::CompleteOrthogonalDecomposition<MatrixX> factors;
    factors.setThreshold(1e-9);
    factors.compute(matrix);
    VectorX answer = factors.solve(right);
    answer += factors.solve(right - matrix * answer);
    return answer.head(n);
  }

  const JointedModel& made_;
  std::vector<Moving> bodies_;
};

}  // namespace vinci::test
