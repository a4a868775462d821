// SPDX-License-Identifier: Apache-2.0
// Names of coordinates and forces, and their values at a state.
#include "vinci/model/signal.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "vinci/model/model.h"
#include "vinci/model/state.h"

namespace vinci {
namespace {

constexpr std::array<const char*, coordinate_count> rate_names = {"vx", "vy", "vz",
                                                                  "wx", "wy", "wz"};
constexpr std::array<const char*, coordinate_count> push_names = {
    "force_x", "force_y", "force_z", "torque_x", "torque_y", "torque_z"};

bool has_coordinate(const Body& body, int k) {
  return body.freedom != Freedom::planar || k < 2 || k == 5;
}

std::string coordinate_of(const Body& body, const CoordinateRead& read) {
  const bool plane = body.freedom == Freedom::planar && read.coordinate == 5;
  if (read.is_rate) return plane ? "spin" : rate_names[static_cast<std::size_t>(read.coordinate)];
  return plane ? "angle" : coordinate_name(Freedom::spatial, read.coordinate);
}

std::string push_of(const Body& body, int coordinate) {
  return body.freedom == Freedom::planar && coordinate == 5
             ? "torque"
             : push_names[static_cast<std::size_t>(coordinate)];
}

std::string counted(const Joint& joint, const char* what, int freedom) {
  return joint.name + "." + what +
         (rate_count(joint.kind) > 1 ? "_" + std::to_string(freedom) : "");
}

// Calls found(read) for everything that can be read, until it says true.
template <class Found>
bool any_coordinate(const Model& model, const Found& found) {
  for (std::size_t b = 0; b < model.bodies.size(); ++b)
    for (int k = 0; k < coordinate_count; ++k)
      for (const bool rate : {false, true})
        if (has_coordinate(model.bodies[b], k) &&
            found(CoordinateRead{CoordinateRead::Kind::body, static_cast<int>(b), k, rate}))
          return true;
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    if (model.joints[j].kind == JointKind::ball) continue;  // its coordinates are a quaternion
    for (int k = 0; k < rate_count(model.joints[j].kind); ++k)
      for (const bool rate : {false, true})
        if (found(CoordinateRead{CoordinateRead::Kind::joint, static_cast<int>(j), k, rate}))
          return true;
  }
  return false;
}

template <class Found>
bool any_force(const Model& model, const Found& found) {
  for (std::size_t b = 0; b < model.bodies.size(); ++b)
    for (int k = 0; k < coordinate_count; ++k)
      if (model.bodies[b].freedom != Freedom::fixed && has_coordinate(model.bodies[b], k) &&
          found(ForceInput{ForceInput::Kind::body, static_cast<int>(b), k}))
        return true;
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    for (int k = 0; k < rate_count(model.joints[j].kind); ++k)
      if (found(ForceInput{ForceInput::Kind::joint, static_cast<int>(j), k})) return true;
  return false;
}

}  // namespace

std::string signal_name(const Model& model, const CoordinateRead& read) {
  if (read.kind == CoordinateRead::Kind::joint)
    return counted(model.joints[static_cast<std::size_t>(read.index)],
                   read.is_rate ? "rate" : "position", read.coordinate);
  const Body& body = model.bodies[static_cast<std::size_t>(read.index)];
  return body.name + "." + coordinate_of(body, read);
}

std::string signal_name(const Model& model, const ForceInput& force) {
  if (force.kind == ForceInput::Kind::joint)
    return counted(model.joints[static_cast<std::size_t>(force.index)], "effort", force.coordinate);
  const Body& body = model.bodies[static_cast<std::size_t>(force.index)];
  return body.name + "." + push_of(body, force.coordinate);
}

std::string signal_unit(const Model& model, const CoordinateRead& read) {
  const bool turns =
      read.kind == CoordinateRead::Kind::body
          ? read.coordinate >= 3
          : is_turning(model.joints[static_cast<std::size_t>(read.index)].kind, read.coordinate);
  return std::string(turns ? "rad" : "m") + (read.is_rate ? "/s" : "");
}

std::string signal_unit(const Model& model, const ForceInput& force) {
  const bool turns =
      force.kind == ForceInput::Kind::body
          ? force.coordinate >= 3
          : is_turning(model.joints[static_cast<std::size_t>(force.index)].kind, force.coordinate);
  return turns ? "N m" : "N";
}

std::optional<CoordinateRead> find_coordinate(const Model& model, const std::string& name) {
  std::optional<CoordinateRead> result;
  any_coordinate(model, [&](const CoordinateRead& read) {
    if (signal_name(model, read) != name) return false;
    result = read;
    return true;
  });
  return result;
}

std::optional<ForceInput> find_force(const Model& model, const std::string& name) {
  std::optional<ForceInput> result;
  any_force(model, [&](const ForceInput& force) {
    bool is_it = signal_name(model, force) == name;
    if (!is_it && force.kind == ForceInput::Kind::joint) {
      const Joint& joint = model.joints[static_cast<std::size_t>(force.index)];
      const char* what = is_turning(joint.kind, force.coordinate) ? "torque" : "force";
      is_it = counted(joint, what, force.coordinate) == name;
    }
    if (is_it) result = force;
    return is_it;
  });
  return result;
}

std::vector<CoordinateRead> coordinates(const Model& model) {
  std::vector<CoordinateRead> all;
  any_coordinate(model, [&](const CoordinateRead& read) {
    all.push_back(read);
    return false;
  });
  return all;
}

std::vector<std::string> coordinate_names(const Model& model) {
  std::vector<std::string> names;
  for (const CoordinateRead& read : coordinates(model)) names.push_back(signal_name(model, read));
  return names;
}

std::vector<std::string> force_names(const Model& model) {
  std::vector<std::string> names;
  any_force(model, [&](const ForceInput& force) {
    names.push_back(signal_name(model, force));
    return false;
  });
  return names;
}

double read_coordinate(const Model& model, const State& state, const CoordinateRead& read) {
  const auto index = static_cast<std::size_t>(read.index);
  if (read.kind == CoordinateRead::Kind::joint) {
    const Joint& joint = model.joints[index];
    return read.is_rate ? state.joint_rates[joint.first_rate + read.coordinate]
                        : state.joint_positions[joint.first_coordinate + read.coordinate];
  }
  const Pose& pose = state.poses[index];
  if (read.is_rate) {
    const Twist twist = body_twist(model, state.velocities, read.index);
    if (read.coordinate >= 3) return twist.angular[read.coordinate - 3];
    const Vector3 arm = pose.rotation * model.bodies[index].mass.center;
    return (twist.linear - twist.angular.cross(arm))[read.coordinate];
  }
  if (read.coordinate < 3) return pose.position[read.coordinate];
  const Matrix3 turn = pose.rotation.toRotationMatrix();
  switch (read.coordinate) {
    case 3:
      return std::atan2(turn(2, 1), turn(2, 2));
    case 4:
      return std::atan2(-turn(2, 0), std::hypot(turn(0, 0), turn(1, 0)));
    default:
      return std::atan2(turn(1, 0), turn(0, 0));
  }
}

}  // namespace vinci
