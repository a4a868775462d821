// SPDX-License-Identifier: Apache-2.0
// Joints: what keeps two bodies together but for some freedoms, and what acts along these.
//
// Frame A is fixed to body a, frame B to body b; the joint's coordinates q say how B stands against
// A, its rates u how it moves there:
//
//   fixed        –                        nothing
//   revolute     Rz(q)                    u = q'
//   prismatic    Tz(q)                    u = q'
//   screw        Rz(q) Tz(p q)            u = q'; p is its pitch in m/rad
//   cylindrical  Rz(q₀) Tz(q₁)            u = q'
//   universal    Rz(q₀) Rx(q₁)            u = q'
//   ball         R(q), a unit quaternion  u: angular velocity of B against A, along B's axes
//   planar       Txy(q₀, q₁) Rz(q₂)       u = q', along A's axes
//
// In the plane fixed, revolute (z out of the plane) and prismatic (z in the plane) make sense.
// What acts along a freedom is positive where it drives b against a towards larger q.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "vinci/base/expression.h"
#include "vinci/base/math.h"

namespace vinci {

enum class JointKind { fixed, revolute, prismatic, screw, cylindrical, universal, ball, planar };
inline constexpr int joint_kind_count = 8;
// As scenes spell it, and back; nothing where it is none.
const char* to_string(JointKind kind);
std::optional<JointKind> joint_kind_named(const std::string& name);

int rate_count(JointKind kind);      // freedoms: 0 to 3
int position_count(JointKind kind);  // coordinates: the same, but 4 of a ball
// Whether freedom k turns (rad, N m) or shifts (m, N).
bool is_turning(JointKind kind, int freedom);

enum class MotorKind { none, effort, velocity, position };

// A motor along a freedom. With τ its effort (N or N m):
//   effort    τ = e(t, q, v), of the start of the step
//   velocity  τ = d (v*(t) − v)
//   position  τ = k (q*(t) − q) + d (v*(t) − v), v* the derivative of q*
// each cut off at ± limit. Servos are implicit in the step, so that they are stable at any gain
// (formulation/joint_blocks.h).
struct Motor {
  MotorKind kind = MotorKind::none;
  Expression target;       // e, v* or q*; variables t, q, v (servos: t alone)
  double stiffness = 0.0;  // k, N/m or N m/rad
  double damping = 0.0;    // d, N s/m or N m s/rad
  double limit = std::numeric_limits<double>::infinity();  // N or N m
};

// What acts along one freedom, in its own unit.
struct JointFreedom {
  double lower = -std::numeric_limits<double>::infinity();  // of q
  double upper = std::numeric_limits<double>::infinity();
  double restitution = 0.0;  // at both limits
  double friction = 0.0;     // N or N m: Coulomb's, up to which the freedom sticks
  double damping = 0.0;      // N s/m or N m s/rad
  double stiffness = 0.0;    // of a spring, N/m or N m/rad
  double rest = 0.0;         // q at which it is slack
  double armature = 0.0;     // kg or kg m²: rotor inertia, times its gear ratio squared
  Motor motor;
  double position = 0.0;  // q at the start; of a ball see Joint::rotation
  double velocity = 0.0;  // u at the start
  // What planned motions keep to, per s, s² and s³; a simulation does not ask.
  double velocity_limit = std::numeric_limits<double>::infinity();
  double acceleration_limit = std::numeric_limits<double>::infinity();
  double jerk_limit = std::numeric_limits<double>::infinity();

  bool is_limited() const { return lower > -infinity || upper < infinity; }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();
};

struct Joint {
  std::string name;
  JointKind kind = JointKind::fixed;
  int body_a = -1, body_b = -1;                  // −1: the world
  Pose frame_a, frame_b;                         // in the frames of the bodies
  double pitch = 0.0;                            // of a screw, m/rad
  std::vector<JointFreedom> freedoms;            // rate_count(kind) of them
  Quaternion rotation = Quaternion::Identity();  // of a ball: B against A at the start
  int first_coordinate = 0;                      // in State::joint_positions
  int first_rate = 0;                            // in State::joint_rates
};

// Coordinates at the start, position_count(kind) of them, and back.
void start_coordinates(const Joint& joint, double* q);
void set_start(Joint& joint, const double* q);

// Keeps a combination of two joint coordinates: q_b = ratio q_a + offset. With a breakaway effort
// it slips where holding it takes more, and holds the offset that it has then.
struct Coupling {
  std::string name;
  int joint_a = -1, freedom_a = 0;
  int joint_b = -1, freedom_b = 0;
  double ratio = 1.0, offset = 0.0;
  double breakaway = std::numeric_limits<double>::infinity();  // N or N m, along q_b
};

}  // namespace vinci
