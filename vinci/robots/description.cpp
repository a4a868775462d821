// SPDX-License-Identifier: Apache-2.0
#include "vinci/robots/description.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace vinci {

const char* to_string(RobotShapeKind kind) {
  constexpr const char* names[] = {"box", "cylinder", "sphere", "capsule", "ellipsoid", "mesh"};
  return names[static_cast<int>(kind)];
}

const char* to_string(RobotJointKind kind) {
  constexpr const char* names[] = {"fixed",     "revolute", "prismatic", "screw",   "cylindrical",
                                   "universal", "ball",     "planar",    "floating"};
  return names[static_cast<int>(kind)];
}

const char* to_string(RobotActuatorKind kind) {
  constexpr const char* names[] = {"motor", "velocity", "position"};
  return names[static_cast<int>(kind)];
}

int freedom_count(RobotJointKind kind) {
  constexpr int counts[] = {0, 1, 1, 1, 2, 2, 3, 3, 6};
  return counts[static_cast<int>(kind)];
}

const RobotLink* RobotDescription::find_link(const std::string& link) const {
  const auto found = std::find_if(links.begin(), links.end(),
                                  [&](const RobotLink& other) { return other.name == link; });
  return found == links.end() ? nullptr : &*found;
}

const RobotJoint* RobotDescription::find_joint(const std::string& joint) const {
  const auto found = std::find_if(joints.begin(), joints.end(),
                                  [&](const RobotJoint& other) { return other.name == joint; });
  return found == joints.end() ? nullptr : &*found;
}

const RobotJoint* RobotDescription::joint_above(const std::string& link) const {
  const auto found = std::find_if(joints.begin(), joints.end(),
                                  [&](const RobotJoint& joint) { return joint.child == link; });
  return found == joints.end() ? nullptr : &*found;
}

double RobotDescription::mass() const {
  double sum = 0.0;
  for (const RobotLink& link : links)
    if (link.inertial) sum += link.inertial->mass;
  return sum;
}

std::string RobotDescription::where(const RobotPlace& place) const {
  const std::string file =
      files.empty() ? std::string("robot") : files[static_cast<std::size_t>(place.file)];
  return place.line > 0 ? fmt::format("{}:{}", file, place.line) : file;
}

std::vector<Pose> poses_at_zero(const RobotDescription& robot) {
  std::map<std::string, const RobotJoint*> above;
  for (const RobotJoint& joint : robot.joints) above[joint.child] = &joint;
  std::map<std::string, Pose> found;
  std::vector<Pose> poses;
  for (const RobotLink& link : robot.links) {
    const auto joint = above.find(link.name);
    const Pose pose =
        joint == above.end() ? Pose{} : found[joint->second->parent] * joint->second->origin;
    found[link.name] = pose;
    poses.push_back(pose);
  }
  return poses;
}

Quaternion rotation_of(const Vector3& roll_pitch_yaw) {
  const auto about = [](double angle, const Vector3& axis) {
    const double half = 0.5 * angle;
    const double s = std::sin(half);
    return Quaternion(std::cos(half), s * axis.x(), s * axis.y(), s * axis.z());
  };
  return (about(roll_pitch_yaw.z(), Vector3::UnitZ()) *
          about(roll_pitch_yaw.y(), Vector3::UnitY()) * about(roll_pitch_yaw.x(), Vector3::UnitX()))
      .normalized();
}

Vector3 roll_pitch_yaw(const Quaternion& rotation) {
  // A turn about one axis keeps the digits of its angle.
  for (int i = 0; i < 3; ++i) {
    const Vector3 other = rotation.vec() - rotation.vec()[i] * Vector3::Unit(i);
    const double angle =
        std::remainder(2.0 * std::atan2(rotation.vec()[i], rotation.w()), 2.0 * M_PI);
    if (other.isZero(0.0) && (i != 1 || std::abs(angle) <= 0.5 * M_PI))
      return angle * Vector3::Unit(i);
  }
  const Matrix3 r = rotation.toRotationMatrix();
  // Where the pitch is a right angle any yaw will do: the roll is what remains after it.
  const double yaw = std::atan2(r(1, 0), r(0, 0));
  const double pitch = std::atan2(-r(2, 0), std::hypot(r(0, 0), r(1, 0)));
  const double s = std::sin(yaw), c = std::cos(yaw);
  const double roll = std::atan2(s * r(0, 2) - c * r(1, 2), c * r(1, 1) - s * r(0, 1));
  return {roll, pitch, yaw};
}

}  // namespace vinci
