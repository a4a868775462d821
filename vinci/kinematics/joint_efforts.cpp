// SPDX-License-Identifier: Apache-2.0
// Through the rows of the rates: a row times an effort is a force on b at P and a moment.
#include "vinci/kinematics/joint_efforts.h"

#include "vinci/kinematics/joint_motion.h"

namespace vinci {

void add_joint_efforts(const Model& model, const std::vector<Pose>& poses,
                       Eigen::Ref<const VectorX> efforts, Eigen::Ref<VectorX> forces) {
  const auto add = [&](int b, const Vector3& point, const Vector3& force, const Vector3& moment) {
    if (b < 0) return;
    const Body& body = model.bodies[static_cast<std::size_t>(b)];
    const Vector3 arm = point - poses[static_cast<std::size_t>(b)] * body.mass.center;
    const Vector3 turning = moment + arm.cross(force);
    for (int i = 0; i < body.velocity_size; ++i) {
      const int entry = body.velocity_offset + i, coordinate = model.coordinate[entry];
      forces[entry] += (coordinate < 3 ? force : turning)[coordinate % 3];
    }
  };
  for (const Joint& joint : model.joints) {
    const auto pose = [&](int body) {
      return body < 0 ? Pose() : poses[static_cast<std::size_t>(body)];
    };
    const Pose a = pose(joint.body_a), b = pose(joint.body_b);
    const Vector3 point = b * joint.frame_b.position;
    for (int k = 0; k < rate_count(joint.kind); ++k) {
      const double effort = efforts[joint.first_rate + k];
      if (effort == 0.0) continue;
      const Twist row = rate_row(joint, a, b, k);
      add(joint.body_b, point, effort * row.linear, effort * row.angular);
      add(joint.body_a, point, -effort * row.linear, -effort * row.angular);
    }
  }
}

Twist unknown_load(const Model& model, const Tree* tree, int body, const VectorX& forces) {
  Vector6 load = Vector6::Zero();
  const Body& own = model.bodies[static_cast<std::size_t>(body)];
  for (int i = own.velocity_offset; i < own.velocity_offset + own.velocity_size; ++i)
    if (const int unknown = model.free_index[static_cast<std::size_t>(i)]; unknown >= 0)
      load[model.coordinate[static_cast<std::size_t>(i)]] = forces[unknown];
  if (tree != nullptr && tree->link_of(body) >= 0) {
    const Tree::Link& link = tree->links()[static_cast<std::size_t>(tree->link_of(body))];
    const JointKind kind = model.joints[static_cast<std::size_t>(link.joint)].kind;
    for (int k = 0; k < link.freedoms; ++k) {
      const Twist& axis = link.axes[static_cast<std::size_t>(k)];
      const double effort = forces[link.first_unknown + k];
      if (is_turning(kind, k))
        load.tail<3>() += effort * axis.angular.normalized();
      else
        load.head<3>() += effort * axis.linear.normalized();
    }
  }
  return {load.head<3>(), load.tail<3>()};
}

}  // namespace vinci
