// SPDX-License-Identifier: Apache-2.0
// Unknowns, packed velocities and rates.
#include "vinci/kinematics/velocities.h"

namespace vinci {
namespace {

void gather(const Model& model, const VectorX& packed, const VectorX& rates, VectorX& u) {
  u.resize(model.free_count);
  for (int i = 0; i < model.velocity_count; ++i)
    if (const int unknown = model.free_index[static_cast<std::size_t>(i)]; unknown >= 0)
      u[unknown] = packed[i];
  for (std::size_t r = 0; r < model.rate_index.size(); ++r)
    if (const int unknown = model.rate_index[r]; unknown >= 0)
      u[unknown] = rates[static_cast<Eigen::Index>(r)];
}

Pose pose_of(std::span<const Pose> poses, int body) {
  return body < 0 ? Pose() : poses[static_cast<std::size_t>(body)];
}

// Velocity of a body at a point of the world, and its angular velocity.
Twist twist_at(const Model& model, std::span<const Pose> poses, const VectorX& packed, int body,
               const Vector3& point) {
  if (body < 0) return {};
  const Body& own = model.bodies[static_cast<std::size_t>(body)];
  const Twist twist = body_twist(model, packed, body);
  return {twist.at(point - poses[static_cast<std::size_t>(body)] * own.mass.center), twist.angular};
}

}  // namespace

void gather_unknowns(const Model& model, const Velocities& velocities, VectorX& u) {
  gather(model, velocities.packed, velocities.rates, u);
}
void gather_unknowns(const Model& model, const State& state, VectorX& u) {
  gather(model, state.velocities, state.joint_rates, u);
}

void carry_velocities(const Model& model, std::span<const Pose> poses, const VectorX& rates,
                      VectorX& packed) {
  for (const int b : model.tree_order) {
    const Joint& joint =
        model.joints[static_cast<std::size_t>(model.tree_joint[static_cast<std::size_t>(b)])];
    const Pose& pose = poses[static_cast<std::size_t>(b)];
    const Vector3 point = pose * joint.frame_b.position;
    Twist twist = twist_at(model, poses, packed, joint.body_a, point);
    JointAxes axes;
    const int count = joint_axes(joint, pose_of(poses, joint.body_a), pose, axes);
    for (int k = 0; k < count; ++k) {
      const Twist& axis = axes[static_cast<std::size_t>(k)];
      twist.linear += rates[joint.first_rate + k] * axis.linear;
      twist.angular += rates[joint.first_rate + k] * axis.angular;
    }
    const Body& body = model.bodies[static_cast<std::size_t>(b)];
    twist.linear = twist.at(pose * body.mass.center - point);
    if (body.velocity_size == 3)
      packed.segment<3>(body.velocity_offset) =
          Vector3(twist.linear.x(), twist.linear.y(), twist.angular.z());
    else
      packed.segment<6>(body.velocity_offset) << twist.linear, twist.angular;
  }
}

void read_rates(const Model& model, std::span<const Pose> poses, const VectorX& packed,
                VectorX& rates) {
  for (int j = 0; j < static_cast<int>(model.joints.size()); ++j) {
    if (is_of_tree(model, j)) continue;
    const Joint& joint = model.joints[static_cast<std::size_t>(j)];
    const Pose a = pose_of(poses, joint.body_a), b = pose_of(poses, joint.body_b);
    const Vector3 point = b * joint.frame_b.position;
    const Twist of_a = twist_at(model, poses, packed, joint.body_a, point);
    const Twist of_b = twist_at(model, poses, packed, joint.body_b, point);
    for (int k = 0; k < rate_count(joint.kind); ++k) {
      const Twist row = rate_row(joint, a, b, k);
      rates[joint.first_rate + k] = row.linear.dot(of_b.linear - of_a.linear) +
                                    row.angular.dot(of_b.angular - of_a.angular);
    }
  }
}

void spread_unknowns(const Model& model, std::span<const Pose> poses, const VectorX& u,
                     Velocities& velocities) {
  for (int i = 0; i < model.velocity_count; ++i)
    if (const int unknown = model.free_index[static_cast<std::size_t>(i)]; unknown >= 0)
      velocities.packed[i] = u[unknown];
  if (model.joints.empty()) return;
  for (std::size_t r = 0; r < model.rate_index.size(); ++r)
    if (const int unknown = model.rate_index[r]; unknown >= 0)
      velocities.rates[static_cast<Eigen::Index>(r)] = u[unknown];
  carry_velocities(model, poses, velocities.rates, velocities.packed);
  read_rates(model, poses, velocities.packed, velocities.rates);
}

}  // namespace vinci
