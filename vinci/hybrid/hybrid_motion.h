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
// force again where the constraint would ask for it. Friction acts with its contact:
//
//   sticking   the slip is held          |λ| reaches its bound        -> sliding
//   sliding    |λ| is its bound          the slip comes to rest       -> sticking, or sliding back
//
// Machines switch constraints on and off where their guards change sign. Between events v' and λ
// follow from the state, and IDA of SUNDIALS integrates it with exact Jacobians. Events at the same
// time are taken in the order of the constraints.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "vinci/base/clock.h"
#include "vinci/hybrid/equations.h"

namespace vinci {

struct HybridEvent {
  double time = 0.0;    // s
  int constraint = -1;  // that changed, or −1: a machine
  ContactState from = ContactState::free, to = ContactState::free;
  int machine = -1, state_before = 0, state_after = 0;
  double gap = 0.0, gap_rate = 0.0;  // h, h'; of friction slip and its rate
  VectorX positions, velocities;
  VectorX multipliers;  // after it
};

struct HybridOptions {
  double accuracy = 1e-9;    // relative and absolute, of positions and velocities
  int most_events = 100000;  // of a motion; more end it with a Failure
  // Asked between steps of the integrator, events and trials; what it throws leaves the motion,
  // which is of no further use then. Null: nobody.
  Interruption* interruption = nullptr;
};

class HybridMotion {
 public:
  // Begins at `time` with all inputs, slips and further states 0, machines in their first states. A
  // contact begins in contact if h <= 0 and the constraint asks for λ >= 0; it is ballistic if
  // h <= 0 otherwise. Friction begins to stick where the slip is at rest.
  HybridMotion(const ConstrainedSystem& system, const HybridOptions& options,
               const VectorX& positions, const VectorX& velocities, double time = 0.0);
  // Continues from a state: bit for bit what the motion that it comes from does.
  HybridMotion(const ConstrainedSystem& system, const HybridOptions& options, HybridState state);
  ~HybridMotion();
  HybridMotion(const HybridMotion&) = delete;
  HybridMotion& operator=(const HybridMotion&) = delete;

  void set_inputs(const VectorX& inputs);  // held from now on
  void set_extras(const VectorX& extras);
  // Lets every contact whose state is not known choose it as at the start: after a change of what
  // acts that no event tells.
  void settle();
  // To a later time, or to a border of the system: false. Throws Failure where the integrator gives
  // up or constraints that act are not independent, with their names; the motion is then where it
  // got to.
  bool advance(double time);

  const HybridState& state() const { return state_; }
  double time() const { return state_.time; }
  const VectorX& positions() const { return state_.positions; }
  const VectorX& velocities() const { return state_.velocities; }
  const VectorX& extras() const { return state_.extras; }
  const VectorX& accelerations() const { return accelerations_; }
  const VectorX& multipliers() const { return multipliers_; }
  const std::vector<ContactState>& states() const { return state_.mode.states; }
  const std::vector<bool>& sinking() const { return state_.sinking; }
  const std::vector<HybridEvent>& events() const { return events_; }
  void forget_events() { events_.clear(); }
  // h, h', h'' of the present; of friction its slip.
  const Eigen::Matrix<Series<double>, Eigen::Dynamic, 1>& gaps() const { return gaps_; }
  double gap(int constraint) const { return gaps_[constraint].value; }
  // ∫ λ dt since the motion began here, per constraint.
  const VectorX& impulses() const { return impulses_; }
  // Per constraint: how far a contact was beyond its zero while it brought itself back.
  const VectorX& depths() const { return depths_; }
  // J, of impacts that ended here and threw back with more than they took.
  double given_energy() const { return given_energy_; }
  // What changed again and again within no time and was then held as it was for a moment, 0.01 ms
  // to 1 ms: a constraint, or a machine.
  struct Accumulation {
    double time = 0.0;
    int constraint = 0, machine = -1;
  };
  const std::vector<Accumulation>& accumulations() const { return accumulations_; }
  std::int64_t integrator_steps() const { return integrator_steps_; }
  std::int64_t evaluations() const { return evaluations_; }

 private:
  class Integrator;
  struct Watch;  // what ends a smooth part

  // What piles up is held: it does not change before `until`, s.
  struct Pile {
    double until = -infinity, length = 0.0;
    std::vector<double> silent;  // s, of the last passes that no event tells of
  };

  // hybrid_motion.cpp: changes and what they follow from.
  bool is_on(int constraint) const;
  void begin_states();
  HybridEvent event_now() const;
  void tell(HybridEvent event, int which);
  bool is_of(const HybridEvent& event, int which) const;
  bool closes_in(int which) const;
  bool is_held(int which) const;
  std::string name(int which) const;  // of a constraint, or beyond them of a machine
  void set_state(int constraint, ContactState to);
  void change(int constraint, ContactState to);
  void direct(int constraint, const Vector2& direction);
  void slide(int constraint, const Vector2& direction);
  void stick(int constraint);
  void stick_with(int constraint);
  void pass(const Passage& passage);
  void touch(int constraint);
  void catch_up(int which);
  bool follow();
  bool chooses_otherwise(int constraint);
  bool lets_go_with(int friction);
  bool is_worn_out(int which);
  void happen(const Watch& watch);
  void end_impacts();
  std::vector<Watch> watches();
  double open_gap() const;
  double rate_rounding() const;
  double nearest_jam() const;
  bool is_slow(int constraint);
  void watch_slip(int constraint, std::vector<Watch>& list);

  // settling.cpp: what fits.
  int directions(int constraint) const;
  bool try_forces();
  bool are_forces_fine() const;
  double force_scale();
  bool foresee(VectorX& forces);
  bool pulls(int constraint);
  double urge_rounding(int constraint);
  bool is_wanted(int constraint);
  bool settle_contact(int constraint);
  double grip(int constraint, const VectorX& forces) const;
  bool is_sticking_too_much(int constraint);
  bool slides_back(int constraint);
  Vector2 slip_rate(int constraint) const;
  bool settle_friction(int constraint);
  bool is_minded();
  bool rests_in_hold(int constraint) const;
  bool choose_forces();
  bool settle_once();
  bool settle_states();
  bool lets_go_too_early(const HybridState& before);
  bool search(const HybridState& before, std::size_t first_event);
  std::vector<ContactState> choices(int constraint) const;
  void take(const HybridState& before, const std::vector<Vector2>& along,
            const std::vector<std::vector<ContactState>>& open, std::int64_t number);
  bool fits(const HybridState& before);

  // jolt.cpp: impulses of contacts that friction keeps from pushing.
  bool closed_contact(int constraint) const;
  bool jolt(const HybridState& before, std::size_t first_event, double negligible);
  void take_slips();
  bool jam(double negligible, VectorX& changes, VectorX& given);

  // failing.cpp: what is told where it cannot go on.
  std::string why_nothing_fits(std::size_t first_event) const;
  [[noreturn]] void integrator_gave_up(const std::string& why, int worst);
  [[noreturn]] void give_up(const std::string& why) const;

  const ConstrainedSystem& system_;
  std::vector<Passage> passages_;
  HybridOptions options_;
  HybridState state_;
  VectorX inputs_, accelerations_, multipliers_, impulses_, depths_;
  double given_energy_ = 0.0;                              // J
  bool jams_ = false;                                      // forces have grown without bound
  bool are_determined_ = false;                            // these forces
  Eigen::Matrix<Series<double>, Eigen::Dynamic, 1> gaps_;  // with these forces
  ModeEquations equations_;
  std::vector<HybridEvent> events_;
  std::vector<Accumulation> accumulations_;
  std::vector<Pile> piles_;     // per constraint, then per machine
  std::size_t call_begin_ = 0;  // of events_: the first of this call of advance()
  std::int64_t integrator_steps_ = 0, evaluations_ = 0;
};

}  // namespace vinci
