// SPDX-License-Identifier: Apache-2.0
// Systems of the reference cases, written by hand.
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "vinci/hybrid/linearise.h"

namespace vinci {

inline constexpr double g = 9.81;
inline constexpr ContactState free_state = ContactState::free, sticks = ContactState::sticking,
                              slides = ContactState::sliding, in_contact = ContactState::contact;

inline VectorX two(double x, double y) {
  VectorX v(2);
  v << x, y;
  return v;
}

inline nlohmann::json reference(const std::string& name) {
  std::ifstream file(std::string(VINCI_SOURCE_DIR "/tests/data/reference/") + name + ".json");
  return nlohmann::json::parse(file);
}

// m x'' = −k (x − rest) − c x' + u + steady + λ, h = x.
class WallMass : public ConstrainedSystemOf<WallMass> {
 public:
  double mass = 1.0, stiffness = 0.0, damping = 0.0, rest = 0.0, steady = 0.0;
  explicit WallMass(const Stabilisation& stabilisation)
      : constraints_{{"wall", ConstraintKind::contact, stabilisation}} {}
  int coordinate_count() const override { return 1; }
  int input_count() const override { return 1; }
  const std::vector<Constraint>& constraints() const override { return constraints_; }
  template <class T>
  void evaluate_as(SystemFrame<T>& frame) const {
    const T &x = frame.positions[0], &v = frame.velocities[0], &a = frame.accelerations[0];
    frame.balance[0] = mass * a + stiffness * (x - rest) + damping * v - frame.inputs[0] - steady -
                       frame.multipliers[0];
    frame.gaps[0] = {x, v, a};
  }

 private:
  std::vector<Constraint> constraints_;
};

// m₁ at a spring and a damper on m₂, which touches the wall; u acts on m₁.
class TwoMasses : public ConstrainedSystemOf<TwoMasses> {
 public:
  double m1 = 1.0, m2 = 1.0, stiffness = 0.0, damping = 0.0;
  explicit TwoMasses(const Stabilisation& stabilisation)
      : constraints_{{"wall", ConstraintKind::contact, stabilisation}} {}
  int coordinate_count() const override { return 2; }
  int input_count() const override { return 1; }
  const std::vector<Constraint>& constraints() const override { return constraints_; }
  template <class T>
  void evaluate_as(SystemFrame<T>& frame) const {
    const auto &x = frame.positions, &v = frame.velocities, &a = frame.accelerations;
    const T force = stiffness * (x[0] - x[1]) + damping * (v[0] - v[1]);
    frame.balance[0] = m1 * a[0] + force - frame.inputs[0];
    frame.balance[1] = m2 * a[1] - force - frame.multipliers[0];
    frame.gaps[0] = {x[1], v[1], a[1]};
  }

 private:
  std::vector<Constraint> constraints_;
};

// The maze of Bortoff 2020, section 3, as the reference corrects it: q = (angle of the maze, x and
// y of the ball, its angle), a ring under the ball and rolling on it; u turns the maze.
class Maze : public ConstrainedSystemOf<Maze> {
 public:
  double maze_inertia, ball_mass, ball_inertia, ring, ball, around, gravity = 9.81;
  Maze(const nlohmann::json& parameters, const Stabilisation& stabilisation, bool kinematic)
      : maze_inertia(parameters["Jm"]),
        ball_mass(parameters["mb"]),
        ball_inertia(parameters["Jb"]),
        ring(parameters["rm"]),
        ball(parameters["rb"]),
        around(kinematic ? ring + ball : ring),
        constraints_{{"ring", ConstraintKind::contact, stabilisation},
                     {"rolling", ConstraintKind::link, stabilisation}} {}
  int coordinate_count() const override { return 4; }
  int input_count() const override { return 1; }
  const std::vector<Constraint>& constraints() const override { return constraints_; }
  template <class T>
  void evaluate_as(SystemFrame<T>& frame) const {
    Series<T> q[4];
    for (int i = 0; i < 4; ++i)
      q[i] = {frame.positions[i], frame.velocities[i], frame.accelerations[i]};
    const double reach = ring + ball;
    frame.gaps[0] = q[1] * q[1] + q[2] * q[2] - reach * reach;
    frame.gaps[1] = ball * q[3] + ring * q[0] + around * atan2(q[1], q[2]);
    const T &x = frame.positions[1], &y = frame.positions[2];
    const T square = x * x + y * y;
    const T &push = frame.multipliers[0], &roll = frame.multipliers[1];
    const auto& a = frame.accelerations;
    frame.balance[0] = maze_inertia * a[0] - ring * roll - frame.inputs[0];
    frame.balance[1] = ball_mass * a[1] - 2.0 * x * push - around * y / square * roll;
    frame.balance[2] =
        ball_mass * a[2] + ball_mass * gravity - 2.0 * y * push + around * x / square * roll;
    frame.balance[3] = ball_inertia * a[3] - ball * roll;
  }

 private:
  std::vector<Constraint> constraints_;
};

}  // namespace vinci
