// SPDX-License-Identifier: Apache-2.0
// The linear system of a scene: of its model at a time or at an equilibrium
// (events/linear_scene.h), or of one time step there (events/step_map.h).
#pragma once

#include <string>
#include <vector>

#include "vinci/events/linear_scene.h"
#include "vinci/events/step_map.h"
#include "vinci/simulation/simulation.h"

namespace vinci {

struct LinearizeOptions {
  LinearWishes wishes;
  double at = 0.0;  // s
  // Networks of signals hold their forces instead of being part of the system.
  bool open_loop = false;
  enum class Of { stepper, model, step } of = Of::stepper;  // stepper: as the run moves
};

struct Linearization {
  LinearSystem system;
  bool is_step = false;
  double time = 0.0;
  bool is_equilibrium = false;
  int iterations = 0;
  double imbalance = 0.0;  // of a step the largest change of a velocity by time
  std::vector<NamedNumber> coordinates, rates, accelerations, extras, inputs, outputs;
  std::vector<LinearConstraint> constraints;
  MatrixX basis;  // LinearScene
  // Why it is the system of one side alone: LinearScene, StepMap.
  std::vector<std::string> limits, kinks;
  std::optional<LinearSystem> other;
  std::vector<std::string> notes;  // sentences, without a full stop
};

// Runs up to the time: event-driven runs exactly, others to the step that begins nearest to it,
// which a note tells. Throws Error for a time beyond the duration. Throws Error and Failure as
// linear_scene() and step_map() do; Failure where the run ends before.
Linearization linearize_at(Simulation& simulation, const LinearizeOptions& options);

// Compares a map with steps of the simulation that made this one, from states beside its start,
// with the forces of controllers held; throws Error where they differ. The simulation is then at
// the end of the step.
void check_map(Simulation& simulation, const MadeStep& step, const StepMap& map);

// One JSON object: the point, the mode, the matrices, and what follows from them: poles with their
// damping, zeros, hidden poles, channels with transfer functions and margins.
std::string linearization_json(const Linearization& linearization);

}  // namespace vinci
