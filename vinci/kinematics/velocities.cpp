// SPDX-License-Identifier: Apache-2.0
// Rates from velocities of bodies.
#include "vinci/kinematics/velocities.h"

#include "vinci/kinematics/joint_motion.h"
#include "vinci/kinematics/joint_tree.h"

namespace vinci {
namespace {

// Velocity of a body at a point of the world, and its angular velocity.
Twist twist_at(const Model& model, std::span<const Pose> poses, const VectorX& velocities, int body,
               const Vector3& point) {
  if (body < 0) return {};
  const Body& own = model.bodies[static_cast<std::size_t>(body)];
  const Twist twist = body_twist(model, velocities, body);
  return {twist.at(point - poses[static_cast<std::size_t>(body)] * own.mass.center), twist.angular};
}

}  // namespace

void read_loop_rates(const Model& model, std::span<const Pose> poses, const VectorX& velocities,
                     VectorX& joint_rates) {
  const auto pose_of = [&](int body) {
    return body < 0 ? Pose() : poses[static_cast<std::size_t>(body)];
  };
  for (int j = 0; j < static_cast<int>(model.joints.size()); ++j) {
    if (!is_loop_joint(model, j)) continue;
    const Joint& joint = model.joints[static_cast<std::size_t>(j)];
    const Pose a = pose_of(joint.body_a), b = pose_of(joint.body_b);
    const Vector3 point = b * joint.frame_b.position;
    const Twist of_a = twist_at(model, poses, velocities, joint.body_a, point);
    const Twist of_b = twist_at(model, poses, velocities, joint.body_b, point);
    for (int k = 0; k < rate_count(joint.kind); ++k) {
      const Twist row = rate_row(joint, a, b, k);
      joint_rates[joint.first_rate + k] =
          row.linear.dot(of_b.linear - of_a.linear) + row.angular.dot(of_b.angular - of_a.angular);
    }
  }
}

}  // namespace vinci
