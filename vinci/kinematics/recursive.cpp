// SPDX-License-Identifier: Apache-2.0
// Kinematics of trees.
#include "vinci/kinematics/recursive.h"

#include "vinci/kinematics/joint_tree.h"

namespace vinci {
namespace {

const Pose world_frame;

const Pose& pose_of(const std::vector<Pose>& poses, int body) {
  return body < 0 ? world_frame : poses[static_cast<std::size_t>(body)];
}

Vector3 center_of(const Model& model, int body) {
  return body < 0 ? Vector3::Zero() : model.bodies[static_cast<std::size_t>(body)].mass.center;
}

// The place of joint_pose() alone, without its sines.
Vector3 joint_shift(const Joint& joint, const double* q) {
  switch (joint.kind) {
    case JointKind::prismatic:
      return {0.0, 0.0, q[0]};
    case JointKind::screw:
      return {0.0, 0.0, joint.pitch * q[0]};
    case JointKind::cylindrical:
      return {0.0, 0.0, q[1]};
    case JointKind::planar:
      return {q[0], q[1], 0.0};
    case JointKind::fixed:
    case JointKind::revolute:
    case JointKind::universal:
    case JointKind::ball:
      break;
  }
  return Vector3::Zero();
}

}  // namespace

void place_tree(const Model& model, const VectorX& joint_positions, std::vector<Pose>& poses) {
  for (const int body : model.tree_order) {
    const Joint& joint = model.joints[model.tree_joint[body]];
    const Pose motion = joint_pose(joint, joint_positions.data() + joint.first_coordinate);
    Pose& pose = poses[static_cast<std::size_t>(body)];
    if (hangs_as_a(model, body))
      pose =
          pose_of(poses, joint.body_b) * joint.frame_b * motion.inverse() * joint.frame_a.inverse();
    else
      pose = pose_of(poses, joint.body_a) * joint.frame_a * motion * joint.frame_b.inverse();
    pose.rotation.normalize();
  }
}

void Tree::place(const Model& model, const std::vector<Pose>& poses,
                 const VectorX& joint_positions) {
  model_ = &model;
  links_.resize(model.tree_order.size());
  link_of_.assign(model.bodies.size(), -1);
  inertia_.resize(model.bodies.size());
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const Matrix3 r = poses[b].rotation.toRotationMatrix();
    inertia_[b].noalias() = r * model.bodies[b].mass.inertia * r.transpose();
  }
  for (std::size_t i = 0; i < links_.size(); ++i) {
    Link& link = links_[i];
    link.body = model.tree_order[i];
    link_of_[static_cast<std::size_t>(link.body)] = static_cast<int>(i);
    link.joint = model.tree_joint[link.body];
    link.parent = parent_body(model, link.body);
    const Joint& joint = model.joints[link.joint];
    const Pose &a = pose_of(poses, joint.body_a), &b = pose_of(poses, joint.body_b);
    link.freedoms = joint_axes(joint, a, b, link.axes);
    link.first_rate = joint.first_rate;
    link.first_unknown = link.freedoms > 0 ? model.rate_index[joint.first_rate] : -1;
    // From the centres of mass of a and b to P.
    const Vector3 shift = joint_shift(joint, joint_positions.data() + joint.first_coordinate);
    const Vector3 from_a = a.rotation * (joint.frame_a.position + joint.frame_a.rotation * shift -
                                         center_of(model, joint.body_a));
    const Vector3 from_b = b.rotation * (joint.frame_b.position - center_of(model, joint.body_b));
    const bool turned = joint.body_a == link.body;
    link.arm = turned ? -from_a : -from_b;
    link.parent_arm = turned ? from_b : from_a;
    for (int k = 0; k < link.freedoms; ++k) {
      const std::size_t place = static_cast<std::size_t>(k);
      if (turned) {
        link.axes[place].linear = -link.axes[place].linear;
        link.axes[place].angular = -link.axes[place].angular;
      }
      link.own[place] = is_carried_by_b(joint.kind, k) != turned;
    }
  }
}

void Tree::spread_velocities(const VectorX& joint_rates, VectorX& velocities) const {
  for (const Link& link : links_) {
    Twist twist;
    if (link.parent >= 0) {
      twist = unpacked(model_->bodies[link.parent], velocities);
      twist.linear = twist.at(link.parent_arm);
    }
    for (int k = 0; k < link.freedoms; ++k) {
      const Twist& axis = link.axes[static_cast<std::size_t>(k)];
      twist.linear += joint_rates[link.first_rate + k] * axis.linear;
      twist.angular += joint_rates[link.first_rate + k] * axis.angular;
    }
    twist.linear = twist.at(link.arm);
    pack(model_->bodies[link.body], twist, velocities);
  }
}

void Tree::spread_unknowns(const VectorX& unknowns, VectorX& velocities,
                           VectorX& joint_rates) const {
  for (int i = 0; i < model_->velocity_count; ++i)
    if (model_->free_index[i] >= 0) velocities[i] = unknowns[model_->free_index[i]];
  for (int i = 0; i < model_->joint_rate_count; ++i)
    if (model_->rate_index[i] >= 0) joint_rates[i] = unknowns[model_->rate_index[i]];
  spread_velocities(joint_rates, velocities);
}

void Tree::gather_unknowns(const VectorX& velocities, const VectorX& joint_rates,
                           VectorX& unknowns) const {
  unknowns.resize(model_->free_count);
  for (int i = 0; i < model_->velocity_count; ++i)
    if (model_->free_index[i] >= 0) unknowns[model_->free_index[i]] = velocities[i];
  for (int i = 0; i < model_->joint_rate_count; ++i)
    if (model_->rate_index[i] >= 0) unknowns[model_->rate_index[i]] = joint_rates[i];
}

void Tree::columns(int body, std::vector<BodyColumn>& columns) const {
  columns.clear();
  Vector3 offset = Vector3::Zero();  // from the centre of mass of `at` to that of the body
  int at = body;
  while (at >= 0 && link_of(at) >= 0) {
    const Link& link = links_[static_cast<std::size_t>(link_of(at))];
    offset += link.arm;
    for (int k = 0; k < link.freedoms; ++k) {
      const Twist& axis = link.axes[static_cast<std::size_t>(k)];
      columns.push_back({link.first_unknown + k, {axis.at(offset), axis.angular}});
    }
    offset += link.parent_arm;
    at = link.parent;
  }
  if (at < 0) return;
  const Body& root = model_->bodies[at];
  for (int entry = root.velocity_offset; entry < root.velocity_offset + root.velocity_size;
       ++entry) {
    if (model_->free_index[entry] < 0) continue;
    Twist twist;
    const int coordinate = model_->coordinate[entry];
    (coordinate < 3 ? twist.linear : twist.angular)[coordinate % 3] = 1.0;
    columns.push_back({model_->free_index[entry], {twist.at(offset), twist.angular}});
  }
}

void Tree::jacobian(int body, const Vector3& arm, MatrixX& jacobian) const {
  jacobian.setZero(6, model_->free_count);
  Vector3 offset = arm;
  int at = body;
  const auto write = [&](int unknown, const Twist& twist) {
    jacobian.col(unknown).head<3>() = twist.at(offset);
    jacobian.col(unknown).tail<3>() = twist.angular;
  };
  while (at >= 0 && link_of(at) >= 0) {
    const Link& link = links_[static_cast<std::size_t>(link_of(at))];
    offset += link.arm;
    for (int k = 0; k < link.freedoms; ++k)
      write(link.first_unknown + k, link.axes[static_cast<std::size_t>(k)]);
    offset += link.parent_arm;
    at = link.parent;
  }
  if (at < 0) return;
  const Body& root = model_->bodies[at];
  for (int entry = root.velocity_offset; entry < root.velocity_offset + root.velocity_size;
       ++entry) {
    if (model_->free_index[entry] < 0) continue;
    Twist twist;
    const int coordinate = model_->coordinate[entry];
    (coordinate < 3 ? twist.linear : twist.angular)[coordinate % 3] = 1.0;
    write(model_->free_index[entry], twist);
  }
}

double Tree::kinetic_energy(const VectorX& velocities, const VectorX& joint_rates) const {
  double energy = 0.0;
  for (std::size_t b = 0; b < model_->bodies.size(); ++b) {
    const Body& body = model_->bodies[b];
    const Twist twist = unpacked(body, velocities);
    energy += 0.5 * body.mass.mass * twist.linear.squaredNorm() +
              0.5 * twist.angular.dot(inertia_[b] * twist.angular);
  }
  for (const Link& link : links_)
    for (int k = 0; k < link.freedoms; ++k) {
      const double rate = joint_rates[link.first_rate + k];
      energy += 0.5 * model_->joints[link.joint].freedoms[k].armature * rate * rate;
    }
  return energy;
}

double potential_energy(const Model& model, const std::vector<Pose>& poses) {
  double energy = 0.0;
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const MassProperties& mass = model.bodies[b].mass;
    energy -= mass.mass * model.gravity.dot(poses[b] * mass.center);
  }
  return energy;
}

void add_weights(const Model& model, VectorX& forces) {
  for (const Body& body : model.bodies)
    for (int i = 0; i < body.velocity_size; ++i) {
      const int entry = body.velocity_offset + i, coordinate = model.coordinate[entry];
      if (coordinate < 3) forces[entry] += body.mass.mass * model.gravity[coordinate];
    }
}

Twist unpacked(const Body& body, const VectorX& packed) {
  Twist twist;
  const int first = body.velocity_offset;
  if (body.velocity_size == 3) {
    twist.linear = Vector3(packed[first], packed[first + 1], 0.0);
    twist.angular.z() = packed[first + 2];
  } else if (body.velocity_size == 6) {
    twist.linear = packed.segment<3>(first);
    twist.angular = packed.segment<3>(first + 3);
  }
  return twist;
}

void pack(const Body& body, const Twist& twist, VectorX& packed) {
  const int first = body.velocity_offset;
  if (body.velocity_size == 3) {
    packed[first] = twist.linear.x();
    packed[first + 1] = twist.linear.y();
    packed[first + 2] = twist.angular.z();
  } else if (body.velocity_size == 6) {
    packed.segment<3>(first) = twist.linear;
    packed.segment<3>(first + 3) = twist.angular;
  }
}

}  // namespace vinci
