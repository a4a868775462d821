// SPDX-License-Identifier: Apache-2.0
// From a run to the point about which it is linear.
#include "vinci/simulation/linearize.h"

#include <cmath>
#include <set>

#include <fmt/format.h>

#include "vinci/base/words.h"
#include "vinci/control/signal_controller.h"
#include "vinci/model/actuation.h"

namespace vinci {
namespace {

void run_to(Simulation& simulation, double time) {
  if (!(time >= 0.0) || !std::isfinite(time))
    throw Error("is not a time of the run; accepted: 0 s or later", "at");
  const double last = std::round(time / simulation.step_size());
  while (static_cast<double>(simulation.state().step) < last) {
    simulation.step();
    if (simulation.has_ended())
      throw Failure(fmt::format("the run ends at {} s, before the time asked for",
                                short_number(simulation.state().time)),
                    "at");
  }
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "'" : ", '") + name + "'";
  return text;
}

// Controllers: networks flow with the model unless all is held; others hold their forces.
void take_controllers(const Simulation& simulation, bool open_loop, LinearPoint& point,
                      std::vector<std::string>& notes) {
  const Model& model = simulation.model();
  const State& state = simulation.state();
  VectorX forces, held = VectorX::Zero(model.velocity_count);
  applied_forces(model, state, forces);
  VectorX controls = state.controls;
  std::vector<std::string> holding, sampling;
  Eigen::Index first = 0;
  for (const NamedController& item : simulation.controllers()) {
    const Eigen::Index size = item.controller->memory_size();
    auto memory = controls.segment(first, size);
    first += size;
    if (const auto* signals = dynamic_cast<const SignalController*>(item.controller.get())) {
      const SignalNetwork& network = signals->network();
      VectorX own = memory.head(network.memory_size()), reads;
      read_coordinates(model, state, network, reads);
      network.sample(state.time, reads, own);
      if (!open_loop) {
        if (network.memory_size() > network.state_count()) sampling.push_back(item.name);
        point.networks.push_back({&network, own});
        continue;
      }
      VectorX pushes, rates;
      const Eigen::Index count = network.state_count();
      const VectorX states = own.head(count);
      pushes.setZero(static_cast<Eigen::Index>(network.drives().size()));
      rates.setZero(count);
      network.flow<double>(state.time, reads, states, own.tail(own.size() - count), pushes, rates);
      add_pushes(model, state, network, pushes, held);
    } else {
      const VectorX before = forces;
      item.controller->act(model, state, simulation.step_size(), forces, memory);
      held += forces - before;
    }
    holding.push_back(item.name);
  }
  if (!holding.empty()) {
    point.held_forces = held;
    notes.push_back(fmt::format("the forces of {} stay as they are at {} s", listed(holding),
                                short_number(state.time)));
  }
  if (!sampling.empty())
    notes.push_back(fmt::format("what {} samples is held as it is: the loop between two samples",
                                listed(sampling)));
}

// How contacts are driven to zero, by the stepper where it does that.
void take_laws(const Simulation& simulation, LinearPoint& point) {
  if (!simulation.is_event_driven()) return;
  const OptionValues& options = simulation.plugin_options().at("stepper");
  point.time_scale = options.real("time-scale");
  point.standard = settling_in(point.time_scale);
}

void take(const LinearScene& scene, Linearization& result) {
  result.system = scene.system;
  result.is_equilibrium = scene.is_equilibrium;
  result.iterations = scene.iterations;
  result.imbalance = scene.imbalance;
  result.coordinates = scene.coordinates;
  result.rates = scene.rates;
  result.accelerations = scene.accelerations;
  result.extras = scene.extras;
  result.inputs = scene.inputs;
  result.outputs = scene.outputs;
  result.constraints = scene.constraints;
  result.basis = scene.basis;
  if (scene.forces_are_open)
    result.notes.push_back(
        "constraints that act depend on each other: motion is determined, their forces are one "
        "choice of many");
}

void take_step(Simulation& simulation, const LinearizeOptions& options, const LinearPoint& point,
               Linearization& result) {
  const std::string stepper = simulation.options().text("stepper");
  if (stepper != "stewart-trinkle")
    throw Error(fmt::format("the map of a step of '{}' is not known; accepted: stewart-trinkle, or "
                            "the model itself with --of model",
                            stepper),
                "of");
  if (options.wishes.eliminate)
    throw Error("a step has no constraints to be eliminated; accepted with --of model",
                "eliminate");
  const OptionValues& values = simulation.plugin_options().at("stepper");
  if (values.text("motion") != "dynamic" || values.text("impact-time") != "none")
    throw Error(
        "the map of a step is known for dynamic motion without times of impacts; accepted "
        "otherwise: --of model",
        "of");
  LinearWishes wishes = options.wishes;
  if (wishes.equilibrium) {
    const LinearScene rest = linear_scene(point, wishes);
    for (const NamedNumber& input : rest.inputs)
      if (input.value != 0.0)
        throw Error("a step is made without them; accepted: inputs without values, or --of model",
                    "inputs");
    take(rest, result);
    simulation.set_state(rest.state);
  } else if (!wishes.mode.empty()) {
    throw Error("a step has the mode that it has; accepted with --equilibrium or --of model",
                "mode");
  }
  MadeStep step;
  step.model = point.model;
  step.before = simulation.state();
  step.h = simulation.step_size();
  step.overlaps_in_velocity = values.text("overlap") == "velocities";
  step.held_forces = point.held_forces;
  const std::shared_ptr<const Model> model = simulation.shared_model();
  const StepReport report = simulation.step();
  if (simulation.has_ended())
    throw Failure("the step that begins here is the last one of the run", "at");
  if (simulation.shared_model() != model)
    throw Error("the scene changes parameters in this step; accepted: another time", "at");
  if (report.substeps > 1)
    throw Error(
        "the step is made in parts, since bodies would be in each other; accepted: another "
        "time, or --of model",
        "of");
  if (report.removed_overlap > 0.0)
    throw Error(
        "the step takes an overlap of bodies out of their positions, which its map does not know; "
        "accepted: another time, `overlap: velocities`, or --of model",
        "of");
  step.after = simulation.state();
  step.contacts = simulation.contacts();
  const StepMap map = step_map(step, wishes);
  result.system = map.system;
  result.is_step = true;
  result.coordinates = map.coordinates;
  result.rates = map.rates;
  result.accelerations.clear();
  result.inputs = map.inputs;
  result.outputs = map.outputs;
  result.constraints = map.constraints;
  result.limits = map.limits;
  result.other = map.other;
}

}  // namespace

namespace {

// Each once, whatever value it has at the point.
void check_inputs(const std::vector<std::string>& inputs) {
  std::set<std::string> names;
  for (const std::string& input : inputs) {
    const std::string name = input.substr(0, input.find('='));
    if (!names.insert(name).second)
      throw Error("'" + name + "' is named twice; accepted: each input once", "inputs");
  }
}

}  // namespace

Linearization linearize_at(Simulation& simulation, const LinearizeOptions& options) {
  check_inputs(options.wishes.inputs);
  run_to(simulation, options.at);
  using Of = LinearizeOptions::Of;
  const bool is_step =
      options.of == Of::step || (options.of == Of::stepper && !simulation.is_event_driven());
  if (is_step && simulation.is_event_driven())
    throw Error("event-driven motion has no steps of its own; accepted: --of model", "of");
  Linearization result;
  result.time = simulation.state().time;
  LinearPoint point;
  point.model = &simulation.model();
  point.state = simulation.state();
  take_laws(simulation, point);
  take_controllers(simulation, options.open_loop || is_step, point, result.notes);
  if (is_step)
    take_step(simulation, options, point, result);
  else
    take(linear_scene(point, options.wishes), result);
  return result;
}

}  // namespace vinci
