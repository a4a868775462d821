// SPDX-License-Identifier: Apache-2.0
// The time-stepper interface.
#pragma once

#include <functional>
#include <string>

#include "vinci/base/clock.h"
#include "vinci/base/registry.h"
#include "vinci/collision/contact.h"
#include "vinci/complementarity/problem.h"
#include "vinci/model/actuation.h"
#include "vinci/model/controller.h"
#include "vinci/model/joint_columns.h"
#include "vinci/model/state.h"
#include "vinci/stepping/report.h"

namespace vinci {

// One contact with what the step found for it; the rows of the recording.
struct SolvedContact {
  Contact contact;                     // at the start of the step, or where its frame is taken
  Vector3 tangent_1, tangent_2;        // world, unit
  Vector3 impulse = Vector3::Zero();   // N s on b: normal, tangent 1, tangent 2
  Vector3 velocity = Vector3::Zero();  // m/s of b relative to a at the end of the step, same axes
  double friction = 0.0;               // μ along tangent 1
  double friction_2 = 0.0;             // and along tangent 2: another where it has an axis
  // Of contacts with moments, about normal, tangent 1, tangent 2: N m s on b, and rad/s of b
  // relative to a at the end of the step.
  Vector3 moment = Vector3::Zero(), turning = Vector3::Zero();
};

// What acts at a constraint of an event-driven motion, or does not: a contact is free, in contact
// or ballistic (inside without force), and sticks or slides where it has friction; a machine of the
// scene is in the state of its number.
struct ConstraintMode {
  EntityKey key;
  int point = 0;                     // of a contact that several points stand for, else 0
  int state = 0;                     // ConstraintState, or of a machine its number
  double gap = 0.0, gap_rate = 0.0;  // h in its own unit, and per s; of a machine 0
  Vector3 force = Vector3::Zero();   // λ: N along normal, tangent 1, tangent 2
};

// A change of it within a step.
struct StepEvent {
  double time = 0.0;  // s
  int from = 0;       // state before
  ConstraintMode after;
};

// States of constraints in events and recordings.
enum class ConstraintState { free, frictionless, sticking, sliding, ballistic };
inline constexpr int constraint_state_count = 5;
const char* to_string(ConstraintState state);  // "free", "contact", "sticking", ...

class ImpactLaw;        // impact_law.h
class SolutionWitness;  // solution_witness.h
class StepDiagnosis;    // step_diagnosis.h

// What a step is given. The pieces are owned by the Simulation.
struct StepInput {
  const Model* model = nullptr;
  const Model* before = nullptr;  // of the last step, where a change has made another one of it
  // The time of the next change within the step (s), for steppers that are event-driven, and what
  // makes it in a state of that time: model and controllers are other ones then.
  double next_change = infinity;
  std::function<void(State&)> change = {};
  CollisionDetector* detector = nullptr;
  Solver* solver = nullptr;
  int threads = 1;                  // on which islands of a step may be solved side by side
  Accuracy accuracy;                // of the run, the same as its solver's
  ImpactLaw* impact_law = nullptr;  // for steppers that apply one
  std::span<const NamedController> controllers;  // in the order in which they act
  // Of controllers that have acted in this step, which is made in parts; null: they act.
  const LinearForces* held_forces = nullptr;
  SolutionWitness* witness = nullptr;  // sees what is solved; null: nobody
  StepDiagnosis* diagnosis = nullptr;  // asks of answers that stay whether there are others
  // Asked in steps that last, beside the solver's own: what it throws ends the step. Null: nobody.
  Interruption* interruption = nullptr;
};

bool equal_poses(const std::vector<Pose>& a, const std::vector<Pose>& b);  // bit for bit

// Contacts that were looked for before the step that needs them (checked_stepper.h).
struct ContactsAhead {
  std::vector<Pose> poses;    // where; empty: nothing is known
  std::vector<double> reach;  // m, per body
  ContactSet contacts;
  bool serves = false;  // whatever reach is asked for up to this one, its contacts are among these

  bool is_at(const std::vector<Pose>& others) const { return equal_poses(poses, others); }
};

// What a step works on; it keeps its memory between steps.
struct StepWorkspace {
  ContactSet contacts;
  ComplementarityProblem problem;
  Solution solution;
  VectorX forces_before;    // of a controller's turn
  LinearForces controlled;  // of the controllers in this step
  VectorX foreseen;         // packed velocities at the end of the step without contact
  ContactsAhead ahead;
};

// What a method asks of the positions at the end of its steps, as shares of the half thickness of
// the thinner of two shapes (geometry/shape.h).
struct OverlapRule {
  double removed = 0.0;    // share of an overlap that is taken out of positions, not velocities
  double tolerated = 0.0;  // overlaps up to it are left alone
  // A step that makes a deeper one is cut and made again. An overlap of half the thickness and more
  // may lead out on the other side.
  double deepest = 0.25;
  // Overlaps that no layer knows of: beyond it they are taken out of positions, and a step that
  // ends with one is not certified.
  double unexplained = 0.05;
};

// What a step leaves besides the state and its report.
struct StepOutput {
  std::vector<SolvedContact> contacts;
  std::vector<SolvedJoint> joints;    // of all joints
  VectorX controls;                   // State::controls of the next state
  std::vector<StepEvent> events;      // of an event-driven step, in their order
  std::vector<ConstraintMode> modes;  // at its end, sorted by key and point; others: none
  bool controllers_acted = false;     // set by step_forces()
};

struct StepContext {
  StepInput in;
  StepWorkspace work;
  StepOutput out;
};

class TimeStepper {
 public:
  virtual ~TimeStepper() = default;
  // "" if this method can run the model, otherwise the reason in words.
  virtual std::string why_not(const Model& model) const = 0;
  // What of a model that it runs may end the run, in words; "" where nothing is known to.
  virtual std::string caution(const Model&) const { return {}; }
  // A problem with one contact, of the laws and the form that the steps of this model will have;
  // lets a caller ask a solver beforehand whether it takes them.
  virtual ComplementarityProblem probe(const Model& model) const = 0;
  // What a run begins with besides the initial state: called once for it, before the first frame.
  virtual void prepare(StepContext& context, State& state);
  // Advances the state by h > 0 seconds, in as many smaller steps as the method wants: impulses of
  // a contact are then their sums, and the residual is the worst of them. The caller counts steps
  // and sets the time afterwards. Throws only what a controller, a motion or a solver of the caller
  // throws, and then leaves context.out.contacts as it was; does not allocate once settled.
  virtual StepReport step(StepContext& context, State& state, double h) = 0;
  // Whether it leaves events and modes: recordings then have tables for them.
  virtual bool is_event_driven() const { return false; }
  virtual OverlapRule overlap_rule() const { return {}; }
  // Whether bodies give way at this contact, so that an overlap is no violation.
  virtual bool yields(const Model&, const Contact&) const { return false; }
  // By how much they do until rigid cores meet, m.
  virtual double give(const Model&, const Contact&) const { return 0.0; }
  // How far bodies are from bearing on each other at every contact, m: from their layers as the
  // state has them pressed in, or from their cores. Below 0 they overlap by more than their layers
  // know. False: nothing gives way, and the gaps say it.
  virtual bool rooms(const Model&, const State&, const ContactSet&, std::vector<double>&) {
    return false;
  }
  // The contacts at this state from which the method makes out its layers, and the reach that shows
  // them, m per body. Null: nothing gives way. They hold until the method is asked again.
  virtual const ContactSet* view(StepContext&, const State&, std::vector<double>&) {
    return nullptr;
  }
  // Bodies were displaced: layers follow as far as what they hold allows.
  virtual void follow(StepContext&, State&) {}
  // "" if its steps apply this law (context.in.impact_law) with this solver, otherwise the reason.
  virtual std::string why_not_law(const Model& model, const ImpactLaw& law,
                                  const Solver& solver) const;
};

using StepperRegistry = Registry<TimeStepper>;
void add_builtin_steppers(StepperRegistry& registry);

}  // namespace vinci
