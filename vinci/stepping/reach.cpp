// SPDX-License-Identifier: Apache-2.0
// Reach of the bodies, foreseen and corrected.
#include "vinci/stepping/reach.h"

#include <algorithm>
#include <cmath>

namespace vinci {
namespace {

// How much farther than foreseen a body may get before the step starts again: contact turns it,
// gravity pulls it.
constexpr double reach_factor = 1.5;
// The least reach, of the body's size: contacts of a body that nothing moves survive rounding.
constexpr double least_reach = 1e-7;

}  // namespace

// A bound on how far any point of the body gets in the step with these velocities, m.
double Reach::travel(const Model& model, const VectorX& velocities, int body, double h) const {
  if (model.bodies[body].velocity_size == 0) return 0.0;
  const Twist twist = body_twist(model, velocities, body);
  const double turning = twist.angular.norm();
  return h * (twist.linear.norm() + (turning > 0.0 ? turning * radius_[body] : 0.0));
}

// An unbounded body that turns matters only out to the farthest bounded one.
void Reach::foresee(const Model& model, const StepEnds& ends, double h) {
  const State& state = ends.now;
  const int count = static_cast<int>(model.bodies.size());
  radius_.resize(model.bodies.size());
  reach_.resize(model.bodies.size());
  for (int b = 0; b < count; ++b) {
    radius_[b] = model.bodies[b].bounding_radius;
    if (std::isfinite(radius_[b]) || model.bodies[b].velocity_size == 0) continue;
    const Vector3 center = center_of_mass(model, state.poses, b);
    radius_[b] = 0.0;
    for (int other = 0; other < count; ++other)
      if (std::isfinite(model.bodies[other].bounding_radius))
        radius_[b] =
            std::max(radius_[b], (center_of_mass(model, state.poses, other) - center).norm() +
                                     model.bodies[other].bounding_radius);
  }
  for (int b = 0; b < count; ++b) {
    const Body& body = model.bodies[b];
    if (body.velocity_size == 0) {
      reach_[b] = 0.0;
      continue;
    }
    double distance =
        std::max(travel(model, state.velocities, b, h), travel(model, ends.foreseen, b, h));
    if (body.is_prescribed()) {
      const Quaternion turn = ends.placed[b].rotation * state.poses[b].rotation.conjugate();
      const double angle = 2.0 * std::atan2(turn.vec().norm(), std::abs(turn.w()));
      distance = std::max(
          distance,
          (center_of_mass(model, ends.placed, b) - center_of_mass(model, state.poses, b)).norm() +
              angle * radius_[b]);
    }
    reach_[b] = reach_factor * distance + least_reach * radius_[b];
  }
}

void Reach::set(const Model& model, double distance) {
  reach_.resize(model.bodies.size());
  for (std::size_t b = 0; b < model.bodies.size(); ++b)
    reach_[b] = model.bodies[b].velocity_size == 0 ? 0.0 : distance;
}

bool Reach::outrun(const Model& model, const VectorX& velocities, double h) {
  bool outran = false;
  for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b) {
    const double distance = travel(model, velocities, b, h);
    if (!(distance > reach_[b]) || !std::isfinite(distance)) continue;
    reach_[b] = std::max(reach_factor * distance, 2.0 * reach_[b]);
    outran = true;
  }
  return outran;
}

}  // namespace vinci
