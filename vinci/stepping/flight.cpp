// SPDX-License-Identifier: Apache-2.0
// Which contacts a flight leaves out.
#include "vinci/stepping/flight.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "vinci/formulation/contact_motion.h"
#include "vinci/formulation/free_motion.h"

namespace vinci {
namespace {

double normal_speed(const Model& model, const std::vector<Pose>& poses, const VectorX& velocities,
                    const Contact& contact) {
  return contact.normal.dot(relative_velocity(model, poses, velocities, contact));
}

}  // namespace

// The root at which ψ falls is q/a or c/q of the stable pair of formulas: −(ψ̇ + √D)/a with
// D = ψ̇² − 2 a ψ, written without cancellation.
double meeting_time(double gap, double rate, double acceleration) {
  constexpr double never = std::numeric_limits<double>::infinity();
  const double discriminant = rate * rate - 2.0 * acceleration * gap;
  if (!(discriminant >= 0.0)) return never;
  const double root = std::sqrt(discriminant);
  double time = never;
  if (rate < 0.0)
    time = 2.0 * gap / (root - rate);
  else if (acceleration < 0.0)
    time = (rate + root) / -acceleration;
  return time >= 0.0 ? time : 0.0;
}

double WatchedContact::meeting() const {
  return meeting_time(contact.gap, rate, acceleration);
}

bool WatchedContact::strikes_within(double time) const {
  const double meets = meeting();
  return meets <= time && -(rate + acceleration * meets) > least;
}

double Flight::least_speed(const Model& model, const std::vector<Pose>& poses,
                           const Contact& contact) const {
  const Vector3 point = 0.5 * (contact.point_a + contact.point_b);
  const auto change = [&](int body) {
    const Vector3 arm = point - center_of_mass(model, poses, body);
    return std::abs(contact.normal.dot(body_twist(model, change_, body).at(arm)));
  };
  return rules_.speed + 1.5 * (change(contact.body_a) + change(contact.body_b));
}

WatchedContact Flight::watched(const Model& model, const std::vector<Pose>& poses,
                               const VectorX& velocities, const Contact& contact) const {
  return {contact, normal_speed(model, poses, velocities, contact),
          normal_speed(model, poses, change_, contact) / rules_.step,
          least_speed(model, poses, contact)};
}

bool Flight::leaves_out(const FlightEnds& ends, const Contact& contact, bool carried,
                        bool rebounds) {
  if (std::binary_search(included_.begin(), included_.end(), contact.key)) return false;
  const WatchedContact parabola =
      watched(ends.model, ends.state.poses, ends.state.velocities, contact);
  bool leaves = false;
  if (contact.gap <= rules_.touch) {
    // A contact that carried load is no impact: its normal turned.
    struck_ = struck_ || ((!carried || rebounds) && parabola.rate < -parabola.least);
    // A rebound that comes back slowly within the flight is none: nothing would meet it there.
    const double back =
        meeting_time(std::max(0.0, contact.gap), parabola.rate, parabola.acceleration);
    const bool slow =
        back <= ends.duration && -(parabola.rate + parabola.acceleration * back) <= parabola.least;
    leaves = rebounds && parabola.rate > 0.0 && !slow;
  } else {
    const bool meets = parabola.meeting() <= ends.duration;
    leaves = !meets || parabola.strikes_within(ends.duration);
  }
  if (leaves) left_out_.push_back(parabola);
  return leaves;
}

void Flight::sort(const FlightEnds& ends, ContactSet& contacts) {
  struck_ = false;
  left_out_.clear();
  change_ = rules_.step / ends.duration * (ends.foreseen - ends.state.velocities);
  if (!rules_.watches) return;
  MemoryCursor impulses(ends.state.memory.impulses);
  MemoryCursor rebounds(ends.state.memory.rebounds);
  std::erase_if(contacts, [&](const Contact& contact) {
    return leaves_out(ends, contact, impulses.find(contact.key) != nullptr,
                      rebounds.find(contact.key) != nullptr);
  });
}

Pose advance_flying(const Model& model, const State& state, int b, double h, VectorX& next) {
  const Body& body = model.bodies[b];
  const Twist before = body_twist(model, state.velocities, b), after = body_twist(model, next, b);
  const Twist mean{0.5 * (before.linear + after.linear), 0.5 * (before.angular + after.angular)};
  const bool turns_freely =
      body.velocity_size == 6 && model.free_index[body.velocity_offset + 3] >= 0;
  if (turns_freely)
    next.segment<3>(body.velocity_offset + 3) = exponential(h * mean.angular) * after.angular;
  return advanced(body, state.poses[b], mean, h);
}

bool Flight::outrun(const FlightEnds& ends, const VectorX& next) {
  bool outran = false;
  for (const WatchedContact& watched : left_out_) {
    const Contact& contact = watched.contact;
    const double rate = normal_speed(ends.model, ends.state.poses, next, contact);
    // A free body keeps to its parabola, which was looked at.
    const double foreseen = normal_speed(ends.model, ends.state.poses, ends.foreseen, contact);
    const bool pushed = std::abs(rate - foreseen) > 1e-9 * std::abs(rate);
    const bool meets = pushed && contact.gap + ends.duration * rate < 0.0;
    if (!meets || -rate > least_speed(ends.model, ends.state.poses, contact)) continue;
    included_.insert(std::upper_bound(included_.begin(), included_.end(), contact.key),
                     contact.key);
    outran = true;
  }
  return outran;
}

}  // namespace vinci
