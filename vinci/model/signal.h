// SPDX-License-Identifier: Apache-2.0
// Numbers of a model in motion by name: what expressions, controllers and linear systems read, and
// where they push.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace vinci {

struct Model;
struct State;

// What can be read. Names:
//   BODY.x .y .z  BODY.angle (planar)       of the frame's origin, m; the angle with its turns, rad
//   BODY.roll .pitch .yaw (spatial)         rad, R = Rz(yaw) Ry(pitch) Rx(roll)
//   BODY.vx .vy .vz .wx .wy .wz .spin       of the origin, m/s; about world axes, rad/s
//   JOINT.position JOINT.rate               its coordinates in their own unit; of several freedoms
//                                           JOINT.position_0, ...
struct CoordinateRead {
  enum class Kind { body, joint } kind = Kind::body;
  int index = 0;       // of the body or the joint
  int coordinate = 0;  // of the body 0..5 (5: yaw, or the angle of a planar body); of the joint its
                       // freedom
  bool is_rate = false;

  bool operator==(const CoordinateRead&) const = default;
};

// Where a force or a torque may act. Names:
//   BODY.force_x .force_y .force_z          N, at the centre of mass, along world axes
//   BODY.torque (planar) .torque_x ...      N m about it
//   JOINT.effort                            N or N m along a freedom; also JOINT.torque where it
//                                           turns, JOINT.force where it shifts; JOINT.effort_0, ...
struct ForceInput {
  enum class Kind { body, joint } kind = Kind::body;
  int index = 0;
  int coordinate = 0;  // of the body 0..5, of the joint its freedom

  bool operator==(const ForceInput&) const = default;
};

std::optional<CoordinateRead> find_coordinate(const Model& model, const std::string& name);
std::optional<ForceInput> find_force(const Model& model, const std::string& name);
// As they are spelt above, with the unit behind: "ball.x [m]".
std::string signal_name(const Model& model, const CoordinateRead& read);
std::string signal_name(const Model& model, const ForceInput& force);
std::string signal_unit(const Model& model, const CoordinateRead& read);
std::string signal_unit(const Model& model, const ForceInput& force);
// All of them, and their names in the same order.
std::vector<CoordinateRead> coordinates(const Model& model);
std::vector<std::string> coordinate_names(const Model& model);
std::vector<std::string> force_names(const Model& model);

// The angle of a planar body without its turns is in [−π, π].
double read_coordinate(const Model& model, const State& state, const CoordinateRead& read);

}  // namespace vinci
