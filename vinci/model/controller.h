// SPDX-License-Identifier: Apache-2.0
// Forces given by code: a control law, an actuator, a disturbance. A scene cannot name a
// controller; a program hands it to the Simulation.
#pragma once

#include "vinci/base/math.h"
#include "vinci/model/model.h"
#include "vinci/model/state.h"

namespace vinci {

class Controller {
 public:
  virtual ~Controller() = default;
  // Numbers that it carries from step to step: an integral, a filter. They begin as zeros and lie
  // in State::controls, so that a state continues a run bit for bit. The same number always.
  virtual int memory_size() const { return 0; }
  // Adds generalised forces for the step of h seconds that begins at the state, held through it.
  // `forces` is packed as the velocities are: N at the centre of mass and N m about it, world axes;
  // it holds what gravity, the scene and earlier controllers gave, and entries of prescribed
  // coordinates are ignored. `memory` holds its memory_size() numbers as the last step left them,
  // to be advanced in place; a step that fails leaves them as they were. Called once per step. May
  // throw: the exception leaves Simulation::step(), and the state stays.
  virtual void act(const Model& model, const State& state, double h, Eigen::Ref<VectorX> forces,
                   Eigen::Ref<VectorX> memory) = 0;
  // Adds c >= 0 per packed entry, how much the force that act() has just given falls per velocity:
  // −∂f/∂v in N s/m and N m s. The step then takes that force at its end, f − c (v_end − v_start),
  // so that a damping controller takes energy at any step size. Without it forces are held.
  virtual void damp(const Model&, const State&, double, Eigen::Ref<VectorX>) {}
};

}  // namespace vinci
