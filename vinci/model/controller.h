// SPDX-License-Identifier: Apache-2.0
// Forces by a law of control: what a scene names under `controllers`, or code of the caller: an
// actuator, a disturbance.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "vinci/base/math.h"
#include "vinci/model/model.h"
#include "vinci/model/state.h"

namespace vinci {

class Controller {
 public:
  virtual ~Controller() = default;
  // Numbers that it carries from step to step: an integral, a filter, and what recordings keep of
  // it. They begin as begin() says, else as zeros, and lie in State::controls, so that a state
  // continues a run bit for bit. The same number always.
  virtual int memory_size() const { return 0; }
  // Names of these numbers with their units: "effort_elbow [N m]". None: they are only counted.
  virtual std::vector<std::string> memory_columns() const { return {}; }
  virtual void begin(const Model&, const State&, Eigen::Ref<VectorX> memory) { memory.setZero(); }
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

struct NamedController {
  std::string name;  // for messages and recordings
  std::shared_ptr<Controller> controller;
};

// A controller as a scene has it: numbers that do not change, of which each run makes its own one.
class ControllerDescription {
 public:
  ControllerDescription(std::string name, std::string kind)
      : name_(std::move(name)), kind_(std::move(kind)) {}
  virtual ~ControllerDescription() = default;
  const std::string& name() const { return name_; }
  const std::string& kind() const { return kind_; }  // "pd"
  virtual std::shared_ptr<Controller> make(const Model& model) const = 0;
  // "" if it makes sense in a motion of this name, otherwise why not.
  virtual std::string why_not(const std::string& motion) const = 0;

 private:
  std::string name_, kind_;
};

// Names of State::controls: "tracker.effort_elbow [N m]", else "mine.memory_0 [1]".
std::vector<std::string> control_columns(const std::vector<NamedController>& controllers);

}  // namespace vinci
