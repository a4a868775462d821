// SPDX-License-Identifier: Apache-2.0
// Prescribed motion and applied forces. With φ, θ, ψ for roll, pitch and yaw the angular velocity
// of R = Rz(ψ) Ry(θ) Rx(φ) in world axes is
//   ω = ψ' e_z + θ' Rz(ψ) e_y + φ' Rz(ψ) Ry(θ) e_x.
#include "vinci/model/actuation.h"

#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "vinci/base/error.h"
#include "vinci/model/motion.h"

namespace vinci {

namespace {

constexpr int roll = 3, pitch = 4, yaw = 5;

// Coordinate of the packed entry k of a body.
int coordinate_of(const Body& body, int k) {
  return body.freedom == Freedom::planar && k == 2 ? yaw : k;
}

bool rotation_is_prescribed(const Body& body) {
  return body.freedom != Freedom::fixed && body.drives[yaw].prescribed;
}

int translation_count(const Body& body) {
  return body.freedom == Freedom::spatial ? 3 : body.freedom == Freedom::planar ? 2 : 0;
}

Quaternion prescribed_rotation(const Body& body, double time) {
  const Quaternion about_z = rotation_about_z(prescribed_coordinate(body, yaw, time).value);
  if (body.freedom == Freedom::planar) return about_z;
  const double half_pitch = 0.5 * prescribed_coordinate(body, pitch, time).value;
  const double half_roll = 0.5 * prescribed_coordinate(body, roll, time).value;
  return about_z * Quaternion(std::cos(half_pitch), 0.0, std::sin(half_pitch), 0.0) *
         Quaternion(std::cos(half_roll), std::sin(half_roll), 0.0, 0.0);
}

Vector3 prescribed_angular_velocity(const Body& body, double time) {
  const Jet psi = prescribed_coordinate(body, yaw, time);
  if (body.freedom == Freedom::planar) return {0.0, 0.0, psi.first};
  const Jet theta = prescribed_coordinate(body, pitch, time);
  const double phi_rate = prescribed_coordinate(body, roll, time).first;
  const double s = std::sin(psi.value), c = std::cos(psi.value);
  const double level = phi_rate * std::cos(theta.value);
  return {level * c - theta.first * s, level * s + theta.first * c,
          psi.first - phi_rate * std::sin(theta.value)};
}

// What a drive reads as q.
double drive_coordinate(const Body& body, int coordinate, const Pose& pose) {
  if (coordinate < roll) return (pose * body.mass.center)[coordinate];
  if (body.freedom == Freedom::planar) return planar_angle(pose.rotation);
  return std::numeric_limits<double>::quiet_NaN();
}

// Force or torque of one drive.
double drive_force(const Body& body, int coordinate, double time, const Pose& pose, double v) {
  const std::array<double, 3> variables{time, drive_coordinate(body, coordinate, pose), v};
  return body.drives[static_cast<std::size_t>(coordinate)].expression.value(variables);
}

// A motion given by code, which may say anything.
Jet checked(const Jet& jet, const Body& body, int coordinate, double time) {
  if (std::isfinite(jet.value) && std::isfinite(jet.first) && std::isfinite(jet.second)) return jet;
  throw Error(fmt::format("the motion gave position {}, velocity {}, acceleration {} at {:.9g} s; "
                          "accepted: finite numbers",
                          jet.value, jet.first, jet.second, time),
              body.name + "." + coordinate_name(body.freedom, coordinate));
}

}  // namespace

Jet prescribed_coordinate(const Body& body, int coordinate, double time) {
  const Drive& drive = body.drives[static_cast<std::size_t>(coordinate)];
  if (drive.motion) return checked(drive.motion->at(time), body, coordinate, time);
  const std::array<Jet, 1> variables{Jet{time, 1.0, 0.0}};
  return drive.expression.jet(variables);
}

void place_prescribed(const Body& body, double time, Pose& pose) {
  if (rotation_is_prescribed(body)) {
    const Vector3 arm = pose.rotation * body.mass.center;
    pose.rotation = prescribed_rotation(body, time);
    const Vector3 shift = arm - pose.rotation * body.mass.center;
    for (int i = 0; i < translation_count(body); ++i) pose.position[i] += shift[i];
  }
  for (int i = 0; i < translation_count(body); ++i)
    if (body.drives[static_cast<std::size_t>(i)].prescribed)
      pose.position[i] = prescribed_coordinate(body, i, time).value;
}

void prescribe_velocities(const Model& model, double time, const std::vector<Pose>& poses,
                          VectorX& velocities) {
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const Body& body = model.bodies[b];
    if (body.velocity_size == 0 || !body.is_prescribed()) continue;
    Vector3 angular = body_twist(model, velocities, static_cast<int>(b)).angular;
    if (rotation_is_prescribed(body)) {
      angular = prescribed_angular_velocity(body, time);
      for (int k = translation_count(body); k < body.velocity_size; ++k)
        velocities[body.velocity_offset + k] = angular[coordinate_of(body, k) - roll];
    }
    const Vector3 swing = angular.cross(poses[b].rotation * body.mass.center);
    for (int i = 0; i < translation_count(body); ++i)
      if (body.drives[static_cast<std::size_t>(i)].prescribed)
        velocities[body.velocity_offset + i] =
            prescribed_coordinate(body, i, time).first + swing[i];
  }
}

void applied_forces(const Model& model, const State& state, VectorX& forces) {
  applied_forces(model, state, state.velocities, forces);
}

void applied_forces(const Model& model, const State& state, const VectorX& velocities,
                    VectorX& forces) {
  forces.resize(model.velocity_count);
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const Body& body = model.bodies[b];
    for (int k = 0; k < body.velocity_size; ++k) {
      const int entry = body.velocity_offset + k, coordinate = coordinate_of(body, k);
      double force = coordinate < roll ? body.mass.mass * model.gravity[coordinate] : 0.0;
      if (!body.drives[static_cast<std::size_t>(coordinate)].prescribed)
        force += drive_force(body, coordinate, state.time, state.poses[b], velocities[entry]);
      forces[entry] = force;
    }
  }
}

bool reads_velocity(const Drive& drive) {
  return !drive.prescribed && drive.expression.uses(2);
}

void force_slopes(const Model& model, const State& state, const VectorX& velocities,
                  VectorX& slopes) {
  slopes.setZero(model.velocity_count);
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const Body& body = model.bodies[b];
    for (int k = 0; k < body.velocity_size; ++k) {
      const int entry = body.velocity_offset + k, coordinate = coordinate_of(body, k);
      const Drive& drive = body.drives[static_cast<std::size_t>(coordinate)];
      if (!reads_velocity(drive)) continue;
      const std::array<Jet, 3> variables{Jet{state.time},
                                         Jet{drive_coordinate(body, coordinate, state.poses[b])},
                                         Jet{velocities[entry], 1.0, 0.0}};
      const double slope = drive.expression.jet(variables).first;
      if (std::isfinite(slope)) slopes[entry] = slope;
    }
  }
}

}  // namespace vinci
