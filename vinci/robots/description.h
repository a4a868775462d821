// SPDX-License-Identifier: Apache-2.0
// What a model file says of a robot, as plain data: links, joints between them, what drives them,
// and where each of these was written. SI units; poses as in vinci/base/math.h.
//
// A joint places its child against its parent: with q = 0 the child's frame has the pose `origin`
// in the parent's. It moves about or along `axis` through `anchor`, both in the child's frame.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "vinci/base/math.h"

namespace vinci {

// A line of one of the files that a model was read from.
struct RobotPlace {
  int file = 0;  // index into RobotDescription::files
  int line = 0;  // from 1; 0 if there is none
};

struct RobotInertial {
  double mass = 0.0;                  // kg
  Pose pose;                          // of the centre of mass and the axes, in the link's frame
  Matrix3 inertia = Matrix3::Zero();  // kg m², about the centre of mass, along the axes of `pose`
  RobotPlace place;

  // The inertia along the axes of the link.
  Matrix3 inertia_in_link() const {
    const Matrix3 turn = pose.rotation.toRotationMatrix();
    return turn * inertia * turn.transpose();
  }
};

enum class RobotShapeKind { box, cylinder, sphere, capsule, ellipsoid, mesh };
const char* to_string(RobotShapeKind kind);

struct RobotGeometry {
  std::string name;
  RobotShapeKind kind = RobotShapeKind::box;
  // Whole lengths of a box; radius and length of a cylinder (whole) or capsule (between the centres
  // of its ends), both along z; radius of a sphere; semi-axes of an ellipsoid. m
  Vector3 size = Vector3::Zero();
  std::string file;                             // of a mesh: where it lies, links followed
  Vector3 scale = Vector3::Ones();              // of a mesh, m per unit of the file
  Pose origin;                                  // in the link's frame
  std::optional<std::array<double, 4>> colour;  // red, green, blue, opacity: 0 to 1
  std::optional<double> friction;               // Coulomb's coefficient
  RobotPlace place;
};

struct RobotLink {
  std::string name;
  std::optional<RobotInertial> inertial;
  std::vector<RobotGeometry> visuals, collisions;
  RobotPlace place;

  bool has_mass() const { return inertial && inertial->mass > 0.0; }
};

enum class RobotJointKind {
  fixed,
  revolute,
  prismatic,
  screw,
  cylindrical,  // turns about the axis, then shifts along it
  universal,    // turns about `axis`, then about `axis2`
  ball,
  planar,  // shifts across `axis`, then turns about it
  floating,
};
const char* to_string(RobotJointKind kind);
int freedom_count(RobotJointKind kind);  // 0 to 3; of a floating joint 6

// Along one freedom, in rad and N m or in m and N.
struct RobotFreedom {
  double lower = -infinity, upper = infinity;  // of q
  double effort = infinity;                    // largest
  double velocity = infinity;                  // largest speed
  double damping = 0.0, friction = 0.0;
  double stiffness = 0.0, rest = 0.0;  // of a spring, slack at q = rest
  double armature = 0.0;               // rotor inertia times the ratio squared, kg m² or kg

  bool is_limited() const { return lower > -infinity || upper < infinity; }
};

// q = multiplier · (q of `joint`) + offset
struct RobotMimic {
  std::string joint;
  double multiplier = 1.0, offset = 0.0;
  RobotPlace place;
};

struct RobotJoint {
  std::string name;
  RobotJointKind kind = RobotJointKind::fixed;
  std::string parent, child;
  Pose origin;
  Vector3 axis = Vector3::UnitZ();     // unit, in the child's frame
  Vector3 axis2 = Vector3::UnitX();    // of a universal joint: the same, of the second turn
  Vector3 anchor = Vector3::Zero();    // m, in the child's frame
  double pitch = 0.0;                  // of a screw, m/rad
  std::vector<RobotFreedom> freedoms;  // freedom_count(kind), of a floating joint none
  std::optional<RobotMimic> mimic;
  RobotPlace place;
};

enum class RobotActuatorKind { motor, velocity, position };
const char* to_string(RobotActuatorKind kind);

// A position servo has the effort k (q* − q) − d v, a velocity servo d (v* − v); in units of the
// joint, gears counted.
struct RobotActuator {
  std::string name, joint;
  int freedom = 0;
  RobotActuatorKind kind = RobotActuatorKind::motor;
  double stiffness = 0.0, damping = 0.0;
  double gear = 1.0;                           // turns of the motor per turn of the joint
  double lower = -infinity, upper = infinity;  // of what it is told
  double effort = infinity;                    // largest, at the joint
  RobotPlace place;
};

// Two links that a tree does not connect: their points coincide (connect), or their poses do
// (weld).
struct RobotConstraint {
  enum class Kind { connect, weld };
  std::string name;
  Kind kind = Kind::connect;
  std::string first, second;
  // The common frame in that of each link; of `connect` the positions count.
  Pose in_first, in_second;
  RobotPlace place;
};

struct RobotDescription {
  std::string name;
  std::string format;              // urdf, mjcf or sdf
  std::vector<std::string> files;  // as messages show them; the first is the model
  std::vector<RobotLink> links;    // the root first, then every link after its parent
  std::vector<RobotJoint> joints;
  std::vector<RobotActuator> actuators;
  std::vector<RobotConstraint> constraints;
  std::vector<std::pair<std::string, std::string>> exclusions;  // links that do not collide
  bool self_collide = true;  // links that are no neighbours collide with each other
  Pose base;                 // of the root link
  bool base_is_free = false;

  // What the file has and this has not, with how often; and what is odd but accepted.
  struct Remark {
    RobotPlace place;  // the first time
    std::string text;
    int count = 1;
  };
  std::vector<Remark> left_out, warnings;

  const RobotLink* find_link(const std::string& link) const;
  const RobotJoint* find_joint(const std::string& joint) const;
  // The joint whose child the link is; nullptr of the root.
  const RobotJoint* joint_above(const std::string& link) const;
  double mass() const;                               // kg, of all links
  std::string where(const RobotPlace& place) const;  // file:line
};

// Pose of every link, in the order of `links`, with all coordinates zero: in the frame of the root.
std::vector<Pose> poses_at_zero(const RobotDescription& robot);

// R = Rz(yaw) Ry(pitch) Rx(roll), and back: roll and yaw in [−π, π], pitch in [−π/2, π/2].
Quaternion rotation_of(const Vector3& roll_pitch_yaw);
Vector3 roll_pitch_yaw(const Quaternion& rotation);

}  // namespace vinci
