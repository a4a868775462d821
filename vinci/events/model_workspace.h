// SPDX-License-Identifier: Apache-2.0
// What one evaluation of a model's equations works on. Included by model_system*.cpp alone.
#pragma once

#include "vinci/events/model_system.h"

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

}  // namespace vinci
