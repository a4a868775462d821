// SPDX-License-Identifier: Apache-2.0
// Joints in the equations of a model: their frames and coordinates, what acts along them, and the
// rows of those that close loops.
#include <map>

#include "vinci/events/model_workspace.h"
#include "vinci/kinematics/joint_rows.h"
#include "vinci/kinematics/joint_tree.h"

namespace vinci {
namespace {

enum class SpatialRow { x, y, z, rx, ry, rz, px, py, universal, pitch };

}  // namespace

template <class T>
SeriesFrame<T> ModelSystem::joint_frame(const SystemFrame<T>& frame, int j) const {
  const Joint& joint = parts_.model->joints[j];
  const int at = first_of_joint_[j];
  const auto q = [&](int k) {
    return Series<T>(frame.positions[at + k], frame.velocities[at + k],
                     frame.accelerations[at + k]);
  };
  SeriesFrame<T> result = resting_frame<T>(Pose{});
  switch (joint.kind) {
    case JointKind::fixed:
      break;
    case JointKind::revolute:
      result.rotation = rotation_about_z(q(0));
      break;
    case JointKind::prismatic:
      result.position[2] = q(0);
      break;
    case JointKind::screw:
      result.rotation = rotation_about_z(q(0));
      result.position[2] = scaled(q(0), joint.pitch);
      break;
    case JointKind::cylindrical:
      result.rotation = rotation_about_z(q(0));
      result.position[2] = q(1);
      break;
    case JointKind::universal:
      result.rotation = product(rotation_about_z(q(0)), rotation_about_x(q(1)));
      break;
    case JointKind::ball: {
      const double* r = parts_.state.joint_positions.data() + joint.first_coordinate;
      const Series3<T> s(q(0), q(1), q(2));
      result.rotation = product(rotation_of_rodrigues(s),
                                Matrix3(Quaternion(r[0], r[1], r[2], r[3]).toRotationMatrix()));
      break;
    }
    case JointKind::planar:
      result.rotation = rotation_about_z(q(2));
      result.position[0] = q(0);
      result.position[1] = q(1);
      break;
  }
  return result;
}

template <class T>
Series<T> ModelSystem::joint_coordinate(const SystemFrame<T>& frame, const Workspace<T>& work,
                                        int j, int k) const {
  const Joint& joint = parts_.model->joints[j];
  if (is_tree_joint(j)) {
    const int at = first_of_joint_[j] + k;
    return {frame.positions[at], frame.velocities[at], frame.accelerations[at]};
  }
  const SeriesFrame<T> against =
      inverse(work.frame(joint.body_a) * joint.frame_a) * work.joint_b[static_cast<std::size_t>(j)];
  const auto& r = against.rotation;
  const double before = parts_.state.joint_positions[joint.first_coordinate + k];
  switch (joint.kind) {
    case JointKind::prismatic:
      return against.position[2];
    case JointKind::cylindrical:
      if (k == 1) return against.position[2];
      break;
    case JointKind::universal:
      if (k == 0) return angle_near(before, r[1][0], r[0][0]);
      return angle_near(before, r[2][1], r[2][2]);
    case JointKind::planar:
      if (k < 2) return against.position[k];
      break;
    default:
      break;
  }
  return angle_near(before, r[1][0] - r[0][1], r[0][0] + r[1][1]);
}

template <class T>
void ModelSystem::push_joint(Workspace<T>& work, int j, int k, const T& effort) const {
  const Joint& joint = parts_.model->joints[j];
  if (is_tree_joint(j) && joint.kind != JointKind::ball) {
    work.efforts[first_of_joint_[j] + k] += effort;
    return;
  }
  const SeriesFrame<T> a = work.frame(joint.body_a) * joint.frame_a;
  const SeriesFrame<T>& b = work.joint_b[static_cast<std::size_t>(j)];
  Vector3Of<T> force = Vector3Of<T>::Constant(T(0.0)), moment = force;
  const auto along = [&](const SeriesFrame<T>& frame, int axis) {
    return times<T>(effort, column<T>(frame.rotation, axis));
  };
  switch (joint.kind) {
    case JointKind::fixed:
      return;
    case JointKind::prismatic:
      force = along(a, 2);
      break;
    case JointKind::cylindrical:
      (k == 0 ? moment : force) = along(a, 2);
      break;
    case JointKind::universal:
      moment = k == 0 ? along(a, 2) : along(b, 0);
      break;
    case JointKind::ball:
      moment = along(b, k);
      break;
    case JointKind::planar:
      (k == 2 ? moment : force) = along(a, k);
      break;
    case JointKind::revolute:
    case JointKind::screw:
      moment = along(a, 2);
      break;
  }
  const Vector3Of<T> at = value_of<T>(b.position);
  work.push_at(joint.body_b, force, at);
  work.push_at(joint.body_a, Vector3Of<T>(-force), at);
  work.twist(joint.body_b, moment);
  work.twist(joint.body_a, Vector3Of<T>(-moment));
}

// Springs, dampers, rotor inertia and motors of joints.
template <class T>
void ModelSystem::add_joint_forces(const SystemFrame<T>& frame, Workspace<T>& work) const {
  const Model& model = *parts_.model;
  for (int j = 0; j < static_cast<int>(model.joints.size()); ++j) {
    const Joint& joint = model.joints[j];
    for (int k = 0; k < static_cast<int>(joint.freedoms.size()); ++k) {
      const JointFreedom& freedom = joint.freedoms[k];
      const Motor& motor = freedom.motor;
      if (freedom.damping == 0.0 && freedom.stiffness == 0.0 && freedom.armature == 0.0 &&
          motor.kind == MotorKind::none)
        continue;
      if (joint.kind == JointKind::ball) {
        // Dampers alone: along the axes of B.
        const BodyMotion<T>&a = work.motion(joint.body_a), &b = work.motion(joint.body_b);
        const Vector3Of<T> axis = column<T>(work.joint_b[static_cast<std::size_t>(j)].rotation, k);
        push_joint(work, j, k,
                   T(-freedom.damping * dot<T>(axis, Vector3Of<T>(b.turning - a.turning))));
        continue;
      }
      const Series<T> q = joint_coordinate(frame, work, j, k);
      T effort = -freedom.stiffness * (q.value - T(freedom.rest)) - freedom.damping * q.first -
                 freedom.armature * q.second;
      const T now(frame.time);
      switch (motor.kind) {
        case MotorKind::none:
          break;
        case MotorKind::effort: {
          const std::array<T, 3> variables{now, q.value, q.first};
          effort += clamped<T>(vinci::evaluate<T>(motor.target, variables), motor.limit);
          break;
        }
        case MotorKind::velocity: {
          const std::array<T, 1> variables{now};
          effort += clamped<T>(
              motor.damping * (vinci::evaluate<T>(motor.target, variables) - q.first), motor.limit);
          break;
        }
        case MotorKind::position: {
          const std::array<Jet, 1> variables{Jet{frame.time, 1.0, 0.0}};
          const Jet target = motor.target.jet(variables);
          effort += clamped<T>(motor.stiffness * (T(target.value) - q.value) +
                                   motor.damping * (T(target.first) - q.first),
                               motor.limit);
          break;
        }
      }
      push_joint(work, j, k, effort);
    }
  }
}

// Rows of a joint that closes a loop (kinematics/joint_rows.h): places along axes of A, and
// e_A · f_B, which changes with (ω_b − ω_a) · (f × e).
template <class T>
void ModelSystem::write_joint_row(SystemFrame<T>& frame, Workspace<T>& work, int i) const {
  const Joint& joint = parts_.model->joints[rows_[i].item];
  const SeriesFrame<T> a = work.frame(joint.body_a) * joint.frame_a;
  const SeriesFrame<T>& b = work.joint_b[static_cast<std::size_t>(rows_[i].item)];
  Series3<T> offset;
  for (int k = 0; k < 3; ++k) offset[k] = b.position[k] - a.position[k];
  const T& multiplier = frame.multipliers[i];
  Series<T> error(0.0);
  Vector3Of<T> force = Vector3Of<T>::Constant(T(0.0)), moment = force;
  const auto place = [&](const Series3<T>& axis) {
    error += dot<T>(axis, offset);
    force = times<T>(multiplier, value_of<T>(axis));
  };
  const auto across = [&](int in_a, int in_b, double share) {
    const Series3<T> e = column_series<T>(a.rotation, in_a), f = column_series<T>(b.rotation, in_b);
    error += scaled(dot<T>(e, f), share);
    moment += times<T>(share * multiplier, Vector3Of<T>(value_of<T>(f).cross(value_of<T>(e))));
  };
  // Half the antisymmetric part of the turn: sines of it.
  const auto rotation = [&](int axis) {
    const int j = (axis + 1) % 3, k = (axis + 2) % 3;
    across(k, j, 0.5);
    across(j, k, -0.5);
  };
  const int row = rows_[i].part;
  if (parts_.model->world == World::planar) {
    if (joint.kind == JointKind::prismatic && row == 0) {
      // Across the axis of sliding, in the plane.
      const Series3<T> z = column_series<T>(a.rotation, 2);
      place({-z[1], z[0], Series<T>(0.0)});
    } else if (joint.kind != JointKind::prismatic && row < 2) {
      Series3<T> axis = Series3<T>::Constant(Series<T>(0.0));
      const SeriesFrame<T>& body = work.frame(joint.body_a);
      for (int k = 0; k < 3; ++k) axis[k] = body.rotation[k][row];
      place(axis);
    } else {
      // The angle of one body against the other, from where the frames have it.
      const auto& r = work.frame(joint.body_b).rotation;
      const auto& s = work.frame(joint.body_a).rotation;
      const Pose rest = joint.frame_a * joint.frame_b.inverse();
      const double angle = planar_angle(rest.rotation);
      const Series<T> sine = r[1][0] * s[0][0] - r[0][0] * s[1][0];
      const Series<T> cosine = r[0][0] * s[0][0] + r[1][0] * s[1][0];
      error += scaled(sine, std::cos(angle)) - scaled(cosine, std::sin(angle));
      moment[2] = multiplier * (cosine.value * std::cos(angle) + sine.value * std::sin(angle));
    }
  } else {
    // The rows of every kind in the order of joint_rows().
    using enum SpatialRow;
    static const std::map<JointKind, std::vector<SpatialRow>> lists = {
        {JointKind::fixed, {x, y, z, rx, ry, rz}},    {JointKind::prismatic, {x, y, rx, ry, rz}},
        {JointKind::revolute, {x, y, z, px, py}},     {JointKind::planar, {z, px, py}},
        {JointKind::screw, {x, y, px, py, pitch}},    {JointKind::cylindrical, {x, y, px, py}},
        {JointKind::universal, {x, y, z, universal}}, {JointKind::ball, {x, y, z}}};
    const auto axis = [&](int k) { return column_series<T>(a.rotation, k); };
    switch (lists.at(joint.kind)[static_cast<std::size_t>(row)]) {
      case x:
        place(axis(0));
        break;
      case y:
        place(axis(1));
        break;
      case z:
        place(axis(2));
        break;
      case rx:
        rotation(0);
        break;
      case ry:
        rotation(1);
        break;
      case rz:
        rotation(2);
        break;
      case px:
        across(0, 2, 1.0);
        break;
      case py:
        across(1, 2, 1.0);
        break;
      case universal:
        across(2, 0, 1.0);
        break;
      case pitch: {
        place(axis(2));
        const Series<T> angle = joint_coordinate(frame, work, rows_[i].item, 0);
        error -= scaled(angle, joint.pitch);
        moment -= times<T>(joint.pitch * multiplier, column<T>(a.rotation, 2));
        break;
      }
    }
  }
  frame.gaps[i] = error;
  const Vector3Of<T> at = value_of<T>(b.position);
  work.push_at(joint.body_b, force, at);
  work.push_at(joint.body_a, Vector3Of<T>(-force), at);
  work.twist(joint.body_b, moment);
  work.twist(joint.body_a, Vector3Of<T>(-moment));
}

template SeriesFrame<double> ModelSystem::joint_frame(const SystemFrame<double>&, int) const;
template SeriesFrame<Dual<double>> ModelSystem::joint_frame(const SystemFrame<Dual<double>>&,
                                                            int) const;
template Series<double> ModelSystem::joint_coordinate(const SystemFrame<double>&,
                                                      const Workspace<double>&, int, int) const;
template Series<Dual<double>> ModelSystem::joint_coordinate(const SystemFrame<Dual<double>>&,
                                                            const Workspace<Dual<double>>&, int,
                                                            int) const;
template void ModelSystem::push_joint(Workspace<double>&, int, int, const double&) const;
template void ModelSystem::push_joint(Workspace<Dual<double>>&, int, int,
                                      const Dual<double>&) const;
template void ModelSystem::add_joint_forces(const SystemFrame<double>&, Workspace<double>&) const;
template void ModelSystem::add_joint_forces(const SystemFrame<Dual<double>>&,
                                            Workspace<Dual<double>>&) const;
template void ModelSystem::write_joint_row(SystemFrame<double>&, Workspace<double>&, int) const;
template void ModelSystem::write_joint_row(SystemFrame<Dual<double>>&, Workspace<Dual<double>>&,
                                           int) const;

}  // namespace vinci
