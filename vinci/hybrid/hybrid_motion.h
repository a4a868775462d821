// SPDX-License-Identifier: Apache-2.0
// The motion of a constrained system through touching and parting, event by event [Bortoff 2020,
// section 2]. Per contact there are three states:
//
//   free       λ = 0                     h falls through 0            -> contact
//   contact    h'' + α₁ h' + p(h) = 0    λ falls through 0            -> ballistic
//   ballistic  λ = 0                     h rises through 0            -> free
//                                        h <= 0 and h' falls to 0     -> contact
//                                        h falls through 0            -> contact
//
// A contact that becomes ballistic while it still sinks in (other forces pull it off) takes up
// force again where the constraint would ask for it.
//
// Between events the equations are one differential-algebraic system of index 1, integrated by IDA
// of SUNDIALS with exact Jacobians; λ and v' are consistent at the start and after every event.
// Events at the same time are taken in the order of the constraints.
#pragma once

#include <memory>
#include <vector>

#include "vinci/hybrid/constrained_system.h"

namespace vinci {

enum class ContactState { free, contact, ballistic };
const char* to_string(ContactState state);

struct HybridEvent {
  double time = 0.0;  // s
  int constraint = 0;
  ContactState from = ContactState::free, to = ContactState::free;
  double gap = 0.0, gap_rate = 0.0;  // h, h'
  VectorX positions, velocities;
  VectorX multipliers;  // after it
};

struct HybridOptions {
  double accuracy = 1e-9;    // relative and absolute, of positions and velocities
  int most_events = 100000;  // of a motion; more end it with a Failure
};

class HybridMotion {
 public:
  // Begins at `time` with all inputs 0. A contact begins in contact if h <= 0 and the constraint
  // asks for λ >= 0; it is ballistic if h <= 0 otherwise.
  HybridMotion(const ConstrainedSystem& system, const HybridOptions& options,
               const VectorX& positions, const VectorX& velocities, double time = 0.0);
  // Continues from known states: bit for bit what the motion that they come from does.
  HybridMotion(const ConstrainedSystem& system, const HybridOptions& options,
               const VectorX& positions, const VectorX& velocities,
               const std::vector<ContactState>& states, const std::vector<bool>& sinking,
               double time);
  ~HybridMotion();
  HybridMotion(const HybridMotion&) = delete;
  HybridMotion& operator=(const HybridMotion&) = delete;

  void set_inputs(const VectorX& inputs);  // held from now on
  // To a later time. Throws Failure where the integrator gives up or constraints that act are not
  // independent, with their names; the motion is then where it got to.
  void advance(double time);

  double time() const { return time_; }
  const VectorX& positions() const { return positions_; }
  const VectorX& velocities() const { return velocities_; }
  const VectorX& accelerations() const { return accelerations_; }
  const VectorX& multipliers() const { return multipliers_; }
  const std::vector<ContactState>& states() const { return states_; }  // of links: contact
  // Per constraint: ballistic since it was sinking in.
  const std::vector<bool>& sinking() const { return sinking_; }
  const std::vector<HybridEvent>& events() const { return events_; }
  std::int64_t integrator_steps() const { return integrator_steps_; }
  std::int64_t evaluations() const { return evaluations_; }

 private:
  class Integrator;
  struct Watch;  // what ends a smooth part

  void find_forces();
  Eigen::Matrix<Series<double>, Eigen::Dynamic, 1> gaps() const;
  bool pulls(int constraint) const;
  bool settle_states();
  void change(int constraint, ContactState to);
  void happen(const Watch& watch);

  const ConstrainedSystem& system_;
  HybridOptions options_;
  double time_ = 0.0;
  VectorX positions_, velocities_, accelerations_, multipliers_, inputs_;
  std::vector<ContactState> states_;
  std::vector<bool> sinking_;
  std::vector<HybridEvent> events_;
  std::int64_t integrator_steps_ = 0, evaluations_ = 0;
};

// v' and λ of a state, with the constraints that act; false where they are not determined.
bool consistent_forces(const ConstrainedSystem& system, double time, const VectorX& positions,
                       const VectorX& velocities, const VectorX& inputs,
                       const std::vector<ContactState>& states, VectorX& accelerations,
                       VectorX& multipliers);

}  // namespace vinci
