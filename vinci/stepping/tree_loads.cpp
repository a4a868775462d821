// SPDX-License-Identifier: Apache-2.0
// Loads on bodies, and what joints bear of them.
#include "vinci/stepping/tree_loads.h"

#include "vinci/kinematics/joint_tree.h"

namespace vinci {

void TreeLoads::push(const Model& model, int b, const Vector3& arm, const Vector3& force,
                     const Vector3& moment) {
  if (b < 0 || model.bodies[b].velocity_size == 0) return;
  Twist load = unpacked(model.bodies[b], borne_);
  load.linear += force;
  load.angular += arm.cross(force) + moment;
  pack(model.bodies[b], load, borne_);
}

void TreeLoads::add_contact(const Model& model, const std::vector<Pose>& poses,
                            const SolvedContact& solved, const ContactArms* arms, double time) {
  const Contact& contact = solved.contact;
  const bool support = contact.key.kind == EntityKind::support;
  const auto along = [&](const Vector3& own) -> Vector3 {
    return ((support ? 0.0 : own[0]) * contact.normal + own[1] * solved.tangent_1 +
            own[2] * solved.tangent_2) /
           time;
  };
  const Vector3 point = 0.5 * (contact.point_a + contact.point_b);
  const auto arm = [&](int b) -> Vector3 { return point - center_of_mass(model, poses, b); };
  const Vector3 force = along(solved.impulse), moment = along(solved.moment);
  push(model, contact.body_b, arms ? arms->b : arm(contact.body_b), force, moment);
  if (!support) push(model, contact.body_a, arms ? arms->a : arm(contact.body_a), -force, -moment);
}

void TreeLoads::add_loop_joints(const Model& model, const std::vector<Pose>& poses,
                                std::span<const SolvedJoint> joints, double time) {
  const auto pose = [&](int b) { return b < 0 ? Pose() : poses[static_cast<std::size_t>(b)]; };
  for (int j = 0; j < static_cast<int>(model.joints.size()); ++j) {
    if (!is_loop_joint(model, j)) continue;
    const Joint& joint = model.joints[static_cast<std::size_t>(j)];
    const SolvedJoint& own = joints[static_cast<std::size_t>(j)];
    JointAxes axes;
    const int count = joint_axes(joint, pose(joint.body_a), pose(joint.body_b), axes);
    Vector3 force = own.impulse / time, moment = own.moment / time;
    for (int k = 0; k < count; ++k) {
      const double effort = (own.motor[k] + own.friction[k] + own.limit[k]) / time;
      (is_turning(joint.kind, k) ? moment : force) +=
          effort * (is_turning(joint.kind, k) ? axes[k].angular : axes[k].linear);
    }
    const Vector3 point = pose(joint.body_b) * joint.frame_b.position;
    const auto arm = [&](int b) {
      return b < 0 ? point : Vector3(point - center_of_mass(model, poses, b));
    };
    push(model, joint.body_b, arm(joint.body_b), force, moment);
    push(model, joint.body_a, arm(joint.body_a), -force, -moment);
  }
}

void TreeLoads::collect(const Tree& tree, const Motion& motion, double time,
                        std::vector<SolvedJoint>& joints) {
  const Model& model = tree.model();
  dynamics_.inverse(tree, {motion.velocities, motion.rates, borne_, &motion.prescribed},
                    motion.change, efforts_);
  for (std::size_t i = 0; i < tree.links().size(); ++i) {
    const Tree::Link& link = tree.links()[i];
    Twist wrench = dynamics_.joint_wrench(static_cast<int>(i));
    // What acts along freedoms is none of what the joint keeps together.
    for (int k = 0; k < link.freedoms; ++k) {
      const Twist& axis = link.axes[static_cast<std::size_t>(k)];
      const double along = wrench.linear.dot(axis.linear) + wrench.angular.dot(axis.angular);
      if (is_turning(model.joints[link.joint].kind, k))
        wrench.angular -= along / axis.angular.squaredNorm() * axis.angular;
      else
        wrench.linear -= along / axis.linear.squaredNorm() * axis.linear;
    }
    const double sign = hangs_as_a(model, link.body) ? -time : time;
    joints[static_cast<std::size_t>(link.joint)].impulse = sign * wrench.linear;
    joints[static_cast<std::size_t>(link.joint)].moment = sign * wrench.angular;
  }
}

}  // namespace vinci
