// SPDX-License-Identifier: Apache-2.0
// The linear system that a model is near a state of its, or near an equilibrium, with inputs,
// outputs and the mode by names. Derivatives are exact (hybrid/linearise.h).
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "vinci/control/signal_network.h"
#include "vinci/events/model_system.h"
#include "vinci/hybrid/linearise.h"

namespace vinci {

struct LinearWishes {
  // Forces (model/signal.h) and signals that come to networks from outside, each also as
  // NAME=VALUE: its value at the point. None: all such signals; without them the efforts of all
  // joints; without joints all forces on bodies.
  std::vector<std::string> inputs;
  // Coordinates and rates; NAME.force and NAME.gap of a constraint; signals of networks. None: all
  // coordinates.
  std::vector<std::string> outputs;
  // NAME=STATE: what acts at a constraint. Others act as they do at the state.
  std::vector<std::string> mode;
  bool equilibrium = false;  // Newton from the state to a balance at rest
  bool eliminate = false;    // constraints that act are solved for
};

// A model in motion, and what acts on it besides.
struct LinearPoint {
  const Model* model = nullptr;
  State state;
  VectorX held_forces = {};  // ModelSystem::Parts
  std::vector<std::pair<const SignalNetwork*, VectorX>> networks = {};
  Stabilisation standard = settling_in(5e-3);
  double time_scale = 5e-3;  // s
};

// What acts at a constraint, at the point.
struct LinearConstraint {
  std::string name;
  ConstraintKind kind = ConstraintKind::contact;
  ContactState state = ContactState::free;
  bool named = false;  // in the wishes; else as it is at the state
  double gap = 0.0;    // h in its own unit; of friction the slip's velocity
  double force = 0.0;  // λ
};

struct NamedNumber {
  std::string name;  // with its unit: "ball.x [m]"
  double value = 0.0;
};

struct LinearScene {
  LinearSystem system;  // deviations from the point; all names have units
  State state;          // the point
  // The point in the coordinates of the system, with rates and, where it is no equilibrium, their
  // derivatives.
  std::vector<NamedNumber> coordinates, rates, accelerations, extras;
  std::vector<NamedNumber> inputs, outputs;
  std::vector<LinearConstraint> constraints;
  bool is_equilibrium = false;  // at rest, in balance
  int iterations = 0;           // of Newton's method, over all modes that were tried
  double imbalance = 0.0;       // largest row that is left
  // Why the system is that of one side alone (linear_limits.h); none: it is that of both.
  std::vector<std::string> limits, kinks;
  bool forces_are_open = false;  // constraints that act depend on each other: λ is one of many
  // Constraints eliminated: deviations of coordinates, rates and further states are basis x.
  MatrixX basis;
};

// Throws Error for names that nothing has and for modes that contradict the state; Failure where no
// equilibrium is found.
LinearScene linear_scene(const LinearPoint& point, const LinearWishes& wishes);

// The features that meet near a state: all within `reach` (m) of each other. Throws Error where
// bodies touch with features whose gap is not known as a function.
std::vector<ContactPair> pairs_within(const Model& model, const State& state, double reach);

// Inputs and outputs by their names; throws Error with the nearest name.
struct LinearInput {
  std::string name;  // with its unit
  std::optional<ForceInput> force;
  ModelSystem::OutsideSignal signal = {};  // where it is no force
  double value = 0.0;
};
using Networks = std::vector<std::pair<const SignalNetwork*, VectorX>>;
std::vector<LinearInput> find_inputs(const Model& model, const Networks& networks,
                                     const std::vector<std::string>& names);
// Their places among the inputs of a system, which has forces first.
std::vector<int> system_inputs(const std::vector<LinearInput>& inputs);

struct LinearOutput {
  enum class Kind { coordinate, force, gap, signal } kind = Kind::coordinate;
  std::string name;  // with its unit
  CoordinateRead read = {};
  int index = 0;  // of the constraint, or of the signal
  int network = 0;
};
std::vector<LinearOutput> find_outputs(const ModelSystem& system,
                                       const std::vector<std::string>& names);

// Values of outputs and how they change with (q, v, further states, inputs); forces come from
// elsewhere and are left zero.
struct OutputRows {
  VectorX values;
  MatrixX slopes;  // columns: q, v, x, u
};
OutputRows output_rows(const ModelSystem& system, const HybridState& state, const VectorX& inputs,
                       const std::vector<LinearOutput>& outputs);

// Names by which a constraint can be called: "ball-floor", "ball-floor.friction", ...
std::vector<std::string> constraint_aliases(const ModelSystem& system, int constraint);

}  // namespace vinci
