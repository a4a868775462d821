// SPDX-License-Identifier: Apache-2.0
// What a step up to an impact leaves out: contacts that are apart and will meet too fast for the
// ordinary step, whose time of impact is searched (impact_time.h).
//
// A contact is taken along as ordinary where it touches, or where the parabola
//   ψ(t) = ψ + ψ̇ t + ½ a t²,  a from the applied forces alone,
// meets the surface within the step at a speed up to
//   v_least = speed + 1.5 (|a_a| + |a_b|) H,
// a_a and a_b the accelerations of the two bodies there, along the normal, H the whole step: what
// forces make in a step cannot be told apart from the drift of a resting or rolling contact (on a
// convex surface at most √2 |a| H), and its rebound would hardly outlast the step. The sum, because
// one of the two may be held by others. Limits of joints are gaps along one coordinate and are
// treated alike, in m or rad.
#pragma once

#include <vector>

#include "vinci/collision/contact.h"
#include "vinci/stepping/joint_limits.h"

namespace vinci {

struct FlightRules {
  bool watches = true;  // leave contacts out; otherwise all that may touch take part
  bool strikes = true;  // do nothing where an impact is due at the start
  double touch = 0.0;   // m: gaps up to it are closed
  double speed = 0.0;   // m/s: slower impacts are left to the ordinary step
  double step = 0.0;    // s: H
};

// A gap of a contact or a limit that is left out.
struct WatchedGap {
  double gap = 0.0;           // ψ at the start, m or rad
  double rate = 0.0;          // ψ̇ there
  double acceleration = 0.0;  // a
  double least = 0.0;         // v_least
  // When the parabola meets the surface coming down, s from the start, infinity if it does not.
  double meeting() const;
  // Whether it does so within this time at a speed above v_least.
  bool strikes_within(double time) const;
};

// First t > 0 with ψ + ψ̇ t + ½ a t² = 0 where it falls, or infinity.
double meeting_time(double gap, double rate, double acceleration);

// The ends of a flight of `duration` seconds: the state, and packed velocities and rates of joints
// at the end that the applied forces alone lead to.
struct FlightEnds {
  const Model& model;
  const State& state;
  const VectorX& foreseen;
  const VectorX& foreseen_rates;
  double duration = 0.0;
};

// Pose of a body that nothing touches, moved by the mean of its velocities at the two ends: exact
// under constant forces, of second order in a free rotation. The velocity product turned it in the
// axes of the start; `next` gets it in those of the end.
Pose advance_flying(const Model& model, const State& state, int body, double h, VectorX& next);

class Flight {
 public:
  void begin(const FlightRules& rules) {
    rules_ = rules;
    included_.clear();
  }
  const FlightRules& rules() const { return rules_; }

  // Sorts the contacts at the start: those that stay take part as ordinary ones. Those
  // that outrun() found stay in any case. Limits likewise: limits().
  void sort(const FlightEnds& ends, ContactSet& contacts);
  // With the velocities and rates that came out: whether a contact or a limit that was left out
  // would be met slowly. It takes part from the next sort() on.
  bool outrun(const FlightEnds& ends, const VectorX& next, const VectorX& next_rates);

  const std::vector<WatchedGap>& left_out() const { return watched_; }
  // The limits of joints that take part, ascending.
  const std::vector<EntityKey>& limits() const { return limits_; }
  // A contact or a limit touches at the start and closes faster than an ordinary one may: an impact
  // is due.
  bool is_struck() const { return struck_; }
  // How a contact at these poses moves by itself.
  WatchedGap watched(const Model& model, const std::vector<Pose>& poses, const VectorX& velocities,
                     const Contact& contact) const;
  WatchedGap watched(const JointLimit& limit, const VectorX& rates) const;

 private:
  double least_speed(const Model& model, const std::vector<Pose>& poses,
                     const Contact& contact) const;
  double least_speed(const JointLimit& limit) const;
  bool is_included(const EntityKey& key) const;
  void include(const EntityKey& key);
  bool leaves_out(const WatchedGap& gap, double duration, bool carried, bool rebounds);
  void sort_limits(const FlightEnds& ends);

  FlightRules rules_;
  bool struck_ = false;
  VectorX change_;       // of the packed velocities in H by the applied forces
  VectorX rate_change_;  // of the rates of joints
  std::vector<WatchedGap> watched_;
  std::vector<Contact> contacts_out_;
  std::vector<JointLimit> found_limits_, limits_out_;
  std::vector<EntityKey> limits_;
  std::vector<EntityKey> included_;
};

}  // namespace vinci
