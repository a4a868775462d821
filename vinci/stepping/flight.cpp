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

double WatchedGap::meeting() const {
  return meeting_time(gap, rate, acceleration);
}

bool WatchedGap::strikes_within(double time) const {
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

double Flight::least_speed(const JointLimit& limit) const {
  return rules_.speed + 1.5 * std::abs(rate_change_[limit.rate]);
}

WatchedGap Flight::watched(const Model& model, const std::vector<Pose>& poses,
                           const VectorX& velocities, const Contact& contact) const {
  return {contact.gap, normal_speed(model, poses, velocities, contact),
          normal_speed(model, poses, change_, contact) / rules_.step,
          least_speed(model, poses, contact)};
}

WatchedGap Flight::watched(const JointLimit& limit, const VectorX& rates) const {
  return {limit.gap, limit.speed(rates), limit.speed(rate_change_) / rules_.step,
          least_speed(limit)};
}

bool Flight::is_included(const EntityKey& key) const {
  return std::binary_search(included_.begin(), included_.end(), key);
}

void Flight::include(const EntityKey& key) {
  included_.insert(std::upper_bound(included_.begin(), included_.end(), key), key);
}

bool Flight::leaves_out(const WatchedGap& parabola, double duration, bool carried, bool rebounds) {
  bool leaves = false;
  if (parabola.gap <= rules_.touch) {
    // A contact that carried load is no impact: its normal turned.
    struck_ = struck_ || ((!carried || rebounds) && parabola.rate < -parabola.least);
    // A rebound that comes back slowly within the flight is none: nothing would meet it there.
    const double back =
        meeting_time(std::max(0.0, parabola.gap), parabola.rate, parabola.acceleration);
    const bool slow =
        back <= duration && -(parabola.rate + parabola.acceleration * back) <= parabola.least;
    leaves = rebounds && parabola.rate > 0.0 && !slow;
  } else {
    const bool meets = parabola.meeting() <= duration;
    leaves = !meets || parabola.strikes_within(duration);
  }
  if (leaves) watched_.push_back(parabola);
  return leaves;
}

void Flight::sort(const FlightEnds& ends, ContactSet& contacts) {
  struck_ = false;
  watched_.clear();
  contacts_out_.clear();
  change_ = rules_.step / ends.duration * (ends.foreseen - ends.state.velocities);
  if (!ends.model.joints.empty()) sort_limits(ends);
  if (!rules_.watches) return;
  MemoryCursor impulses(ends.state.memory.impulses);
  MemoryCursor rebounds(ends.state.memory.rebounds);
  std::erase_if(contacts, [&](const Contact& contact) {
    const bool carried = impulses.find(contact.key) != nullptr;
    const bool rebounding = rebounds.find(contact.key) != nullptr;
    if (is_included(contact.key)) return false;
    const WatchedGap gap = watched(ends.model, ends.state.poses, ends.state.velocities, contact);
    const bool leaves = leaves_out(gap, ends.duration, carried, rebounding);
    if (leaves) contacts_out_.push_back(contact);
    return leaves;
  });
}

void Flight::sort_limits(const FlightEnds& ends) {
  const Memory& memory = ends.state.memory;
  rate_change_ = rules_.step / ends.duration * (ends.foreseen_rates - ends.state.joint_rates);
  limits_.clear();
  limits_out_.clear();
  find_limits(ends.model, ends.state.joint_positions, found_limits_);
  for (const JointLimit& limit : found_limits_) {
    bool carried = false;
    for (const ImpulseMemory& record : records_of(memory.impulses, limit.key))
      carried = carried || record.impulse[0] > 0.0;
    const bool rebounds = !records_of(memory.rebounds, limit.key).empty();
    if (rules_.watches && !is_included(limit.key) &&
        leaves_out(watched(limit, ends.state.joint_rates), ends.duration, carried, rebounds))
      limits_out_.push_back(limit);
    else
      limits_.push_back(limit.key);
  }
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

bool Flight::outrun(const FlightEnds& ends, const VectorX& next, const VectorX& next_rates) {
  bool outran = false;
  // A free body keeps to its parabola, which was looked at.
  const auto consider = [&](const EntityKey& key, double gap, double rate, double foreseen,
                            double least) {
    const bool pushed = std::abs(rate - foreseen) > 1e-9 * std::abs(rate);
    const bool meets = pushed && gap + ends.duration * rate < 0.0;
    if (!meets || -rate > least) return;
    include(key);
    outran = true;
  };
  const auto speed = [&](const VectorX& velocities, const Contact& contact) {
    return normal_speed(ends.model, ends.state.poses, velocities, contact);
  };
  for (const Contact& contact : contacts_out_)
    consider(contact.key, contact.gap, speed(next, contact), speed(ends.foreseen, contact),
             least_speed(ends.model, ends.state.poses, contact));
  for (const JointLimit& limit : limits_out_)
    consider(limit.key, limit.gap, limit.speed(next_rates), limit.speed(ends.foreseen_rates),
             least_speed(limit));
  return outran;
}

}  // namespace vinci
