// SPDX-License-Identifier: Apache-2.0
// How the unknowns of a step move a body: its own free velocities, or in reduced coordinates the
// rates of the joints that it hangs on, and the free velocities of the body at their root.
#pragma once

#include <span>

#include "vinci/kinematics/joint_motion.h"
#include "vinci/model/model.h"

namespace vinci {

// The joint that a body hangs on in reduced coordinates, or −1.
inline int joint_above(const Model& model, int body) {
  return model.tree_joint.empty() ? -1 : model.tree_joint[static_cast<std::size_t>(body)];
}
// Whether the rates of a joint are unknowns, or prescribed: the joint is one that a body hangs on.
inline bool is_of_tree(const Model& model, int joint) {
  const int body = model.joints[static_cast<std::size_t>(joint)].body_b;
  return body >= 0 && joint_above(model, body) == joint;
}

// Calls take(unknown, linear, angular) per unknown: the velocity of the body's centre of mass and
// its angular velocity, along axes of the world, by a unit of it. In no order.
template <class Take>
void visit_columns(const Model& model, std::span<const Pose> poses, int body, Take take) {
  const auto center = [&](int b) -> Vector3 {
    return poses[static_cast<std::size_t>(b)] * model.bodies[static_cast<std::size_t>(b)].mass.center;
  };
  const Vector3 own = center(body);
  int at = body;
  for (int j = joint_above(model, at); j >= 0;
       j = at < 0 ? -1 : joint_above(model, at)) {
    const Joint& joint = model.joints[static_cast<std::size_t>(j)];
    const Pose a = joint.body_a < 0 ? Pose() : poses[static_cast<std::size_t>(joint.body_a)];
    const Pose& b = poses[static_cast<std::size_t>(at)];
    const Vector3 arm = own - b * joint.frame_b.position;
    JointAxes axes;
    const int count = joint_axes(joint, a, b, axes);
    for (int k = 0; k < count; ++k) {
      const Twist& axis = axes[static_cast<std::size_t>(k)];
      take(model.rate_index[static_cast<std::size_t>(joint.first_rate + k)], axis.at(arm),
           axis.angular);
    }
    at = joint.body_a;
  }
  if (at < 0) return;
  const Body& root = model.bodies[static_cast<std::size_t>(at)];
  const Vector3 arm = at == body ? Vector3::Zero() : Vector3(own - center(at));
  for (int i = root.velocity_offset; i < root.velocity_offset + root.velocity_size; ++i) {
    const int unknown = model.free_index[static_cast<std::size_t>(i)];
    if (unknown < 0) continue;
    const int coordinate = model.coordinate[static_cast<std::size_t>(i)];
    if (coordinate < 3) {
      take(unknown, Vector3::Unit(coordinate), Vector3::Zero());
    } else {
      const Vector3 axis = Vector3::Unit(coordinate - 3);
      take(unknown, axis.cross(arm), axis);
    }
  }
}

}  // namespace vinci
