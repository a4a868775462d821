// SPDX-License-Identifier: Apache-2.0
// What one evaluation of a model's equations works on. Included by model_system*.cpp alone.
#pragma once

#include "vinci/base/expression_number.h"
#include "vinci/events/model_system.h"
#include "vinci/kinematics/joint_tree.h"
#include "vinci/model/actuation.h"

namespace vinci {

template <class T>
struct ModelSystem::Workspace {
  std::vector<SeriesFrame<T>> frames;   // of bodies
  std::vector<BodyMotion<T>> motions;   // the same
  std::vector<BodyLoad<T>> loads;       // about the origins of bodies
  std::vector<SeriesFrame<T>> joint_b;  // frame B of every joint in the world
  VectorOf<T> efforts;                  // along the coordinates of joints that bodies hang on
  std::vector<PairMotion<T>> pairs;
  std::vector<std::array<Series3<T>, 3>> axes;  // per pair: normal and tangents
  VectorOf<T> reads, states, rates, forces;     // of a network
  BodyMotion<T> world;
  SeriesFrame<T> world_frame = resting_frame<T>(Pose{});
  std::vector<Series<T>> variables;

  const BodyMotion<T>& motion(int body) const {
    return body < 0 ? world : motions[static_cast<std::size_t>(body)];
  }
  const SeriesFrame<T>& frame(int body) const {
    return body < 0 ? world_frame : frames[static_cast<std::size_t>(body)];
  }
  void push_at(int body, const Vector3Of<T>& force, const Vector3Of<T>& at) {
    if (body >= 0)
      push(loads[static_cast<std::size_t>(body)], motions[static_cast<std::size_t>(body)], force,
           at);
  }
  void twist(int body, const Vector3Of<T>& moment) {
    if (body >= 0) loads[static_cast<std::size_t>(body)].moment += moment;
  }
};

template <class T>
Vector3Of<T> value_of(const Series3<T>& series) {
  return {series[0].value, series[1].value, series[2].value};
}
template <class T>
Vector3Of<T> first_of(const Series3<T>& series) {
  return {series[0].first, series[1].first, series[2].first};
}

template <class T>
Series<T> of_jet(const Jet& jet) {
  return {T(jet.value), T(jet.first), T(jet.second)};
}

template <class T>
Vector3Of<T> column(const SeriesMatrix<T>& rotation, int k) {
  return {rotation[0][k].value, rotation[1][k].value, rotation[2][k].value};
}
template <class T>
Series3<T> column_series(const SeriesMatrix<T>& rotation, int k) {
  return {rotation[0][k], rotation[1][k], rotation[2][k]};
}
template <class T>
T dot(const Vector3Of<T>& a, const Vector3Of<T>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
template <class T>
Vector3Of<T> times(const T& factor, const Vector3Of<T>& a) {
  return {factor * a[0], factor * a[1], factor * a[2]};
}
inline double nearest_turn(double angle, double to) {
  return angle + 2.0 * M_PI * std::round((to - angle) / (2.0 * M_PI));
}
// The nearest angle to `reference` of a direction given by sine and cosine.
template <class T>
Series<T> angle_near(double reference, const Series<T>& sine, const Series<T>& cosine) {
  const double s = std::sin(reference), c = std::cos(reference);
  return reference +
         atan2(scaled(sine, c) - scaled(cosine, s), scaled(cosine, c) + scaled(sine, s));
}
// A coordinate's own time derivative as a series without its second derivative.
template <class T>
Series<T> rate_of(const Series<T>& series) {
  return {series.first, series.second, T(0.0)};
}

// Velocity of a body at a point that moves over it, and its derivative.
template <class T>
struct PointVelocity {
  Vector3Of<T> value, first;
  PointVelocity(const BodyMotion<T>& body, const Vector3Of<T>& point, const Vector3Of<T>& moves) {
    const Vector3Of<T> arm = point - body.position;
    value = body.velocity + body.turning.cross(arm);
    first = body.acceleration + body.turning_acceleration.cross(arm) +
            body.turning.cross(moves - body.velocity);
  }
};

template <class T>
double ModelSystem::turn(const VectorOf<T>& positions, double time, int body) const {
  const Model& model = *parts_.model;
  const auto here = [&](int i) { return plain(positions[i]); };
  double change = 0.0;
  int at = body;
  for (; at >= 0 && is_hung(at); at = parent_body(model, at)) {
    const int j = model.tree_joint[at];
    if (model.joints[j].kind != JointKind::revolute) continue;
    const double moved =
        here(first_of_joint_[j]) - parts_.state.joint_positions[model.joints[j].first_coordinate];
    change += hangs_as_a(model, at) ? -moved : moved;
  }
  if (at < 0 || model.bodies[at].velocity_size == 0) return angles_[body] + change;
  const Body& root = model.bodies[at];
  if (root.drives[5].prescribed) {
    change += prescribed_coordinate(root, 5, time).value -
              prescribed_coordinate(root, 5, parts_.state.time).value;
    return angles_[body] + change;
  }
  int angle = first_of_body_[at];
  while (coordinates_[angle].kind != Coordinate::Kind::angle) ++angle;
  return at == body ? here(angle) : angles_[body] + change + here(angle) - angles_[at];
}

template <class T>
T clamped(const T& x, double limit) {
  if (x > T(limit)) return T(limit);
  return x < T(-limit) ? T(-limit) : x;
}

}  // namespace vinci
