// SPDX-License-Identifier: Apache-2.0
// The time-stepper interface.
#pragma once

#include <string>

#include "vinci/base/registry.h"
#include "vinci/collision/contact.h"
#include "vinci/complementarity/problem.h"
#include "vinci/model/controller.h"
#include "vinci/model/state.h"
#include "vinci/stepping/report.h"

namespace vinci {

// One contact with what the step found for it; the rows of the recording.
struct SolvedContact {
  Contact contact;                     // at the start of the step
  Vector3 tangent_1, tangent_2;        // world, unit
  Vector3 impulse = Vector3::Zero();   // N s on b: normal, tangent 1, tangent 2
  Vector3 velocity = Vector3::Zero();  // m/s of b relative to a at the end of the step, same axes
  double friction = 0.0;               // μ
};

struct NamedController {
  std::string name;  // for messages and recordings
  std::shared_ptr<Controller> controller;
};

class ImpactLaw;  // impact_law.h

// What a step is given. The pieces are owned by the Simulation.
struct StepInput {
  const Model* model = nullptr;
  CollisionDetector* detector = nullptr;
  Solver* solver = nullptr;
  Accuracy accuracy;                             // of the run, the same as its solver's
  ImpactLaw* impact_law = nullptr;               // for steppers that apply one
  std::span<const NamedController> controllers;  // in the order in which they act
};

// What a step works on; it keeps its memory between steps.
struct StepWorkspace {
  ContactSet contacts;
  ComplementarityProblem problem;
  Solution solution;
  VectorX forces_before;  // of a controller's turn
};

// What a step leaves besides the state and its report.
struct StepOutput {
  std::vector<SolvedContact> contacts;
  VectorX controls;                // State::controls of the next state
  bool controllers_acted = false;  // set by step_forces()
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
  // "" if its steps apply this law (context.in.impact_law) with this solver, otherwise the reason.
  virtual std::string why_not_law(const Model& model, const ImpactLaw& law,
                                  const Solver& solver) const;
};

using StepperRegistry = Registry<TimeStepper>;
void add_builtin_steppers(StepperRegistry& registry);

}  // namespace vinci
