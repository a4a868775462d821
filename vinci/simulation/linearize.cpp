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

constexpr double agreeing = 1e-3;  // share by which a map and steps may differ
// Of the speed: differences of steps have the errors of the solver in them.
constexpr double solved = 1e-6;

// By what share of the larger one the map and steps differ along a direction of the state, from
// both sides. One that agrees is enough: near what is not smooth only one side does, and a
// deviation may be too small for the accuracy of the solver.
double difference(Simulation& simulation, const MadeStep& step, const StepMap& map,
                  const VectorX& direction, double speed) {
  const VectorX here = rates_of(step, step.after);
  const VectorX expected = map.system.a.bottomRows(here.size()) * direction;
  const LinearForces held{step.held_forces, {}};
  double least = infinity;
  for (const double share : {1e-3, 1e-4, 1e-5, 1e-6}) {
    std::vector<VectorX> ends;
    for (const double sign : {1.0, -1.0}) {
      simulation.set_state(deviating(step, sign * share * direction));
      simulation.hold_controllers(step.held_forces.size() > 0 ? &held : nullptr);
      const StepReport report = simulation.step();
      simulation.hold_controllers(nullptr);
      if (report.substeps <= 1)
        ends.push_back(sign * (rates_of(step, simulation.state()) - here) / share);
    }
    if (ends.size() == 2) ends.push_back(0.5 * (ends[0] + ends[1]));
    for (const VectorX& end : ends) {
      const double size =
          std::max(end.lpNorm<Eigen::Infinity>(), expected.lpNorm<Eigen::Infinity>());
      const double off = (end - expected).lpNorm<Eigen::Infinity>() - solved * speed;
      least = std::min(least, off > 0.0 ? off / size : 0.0);
    }
    if (least <= agreeing) break;
  }
  return least;
}

}  // namespace

// Positions and rates each by themselves: what a spring does in a short step is little beside what
// the rates carry on.
void check_map(Simulation& simulation, const MadeStep& step, const StepMap& map) {
  const VectorX here = rates_of(step, step.after);
  const Eigen::Index n = here.size();
  if (n == 0) return;
  const double speed = std::max({here.lpNorm<Eigen::Infinity>(),
                                 rates_of(step, step.before).lpNorm<Eigen::Infinity>(),
                                 step.h * step.model->gravity.norm(), 1e-6});
  double most = 0.0;
  for (const bool positions : {true, false}) {
    // Without a pattern, the same in every run, and no entry small.
    VectorX direction = VectorX::Zero(2 * n);
    for (Eigen::Index i = 0; i < n; ++i) {
      const double turn = 0.6180339887498949 * static_cast<double>((positions ? 0 : n) + i + 1);
      const double share = turn - std::floor(turn);
      direction[positions ? i : n + i] =
          0.5 * (share < 0.5 ? -0.5 - share : share) * speed * (positions ? step.h : 1.0);
    }
    most = std::max(most, difference(simulation, step, map, direction, speed));
  }
  simulation.set_state(step.after);
  if (most > agreeing)
    throw Error(fmt::format("the step has no map that is known: steps from states that deviate "
                            "differ from it by {} %; accepted: another time, or --of model",
                            short_number(100.0 * most)),
                "of");
}

namespace {

// Share of what its weight does to a body in a step, below which one that rests stays.
constexpr double resting_share = 1e-6;

// As near to the time as a state of the run is, where that is not at the time itself: a note.
// Event-driven runs have states at all times. Returns the state at the start of the step at hand.
State run_to(Simulation& simulation, double time, std::vector<std::string>& notes) {
  const double h = simulation.step_size();
  const double end = static_cast<double>(simulation.total_steps()) * h;
  if (!(time >= 0.0) || !(time <= end * (1.0 + 1e-12)))
    throw Error(fmt::format("{} s is not a time of the run; accepted: 0 to {} s, and more with a "
                            "longer duration",
                            short_number(time), short_number(end)),
                "at");
  const auto check = [&] {
    if (simulation.has_ended())
      throw Failure(fmt::format("the run ends at {} s, before the time asked for",
                                short_number(simulation.state().time)),
                    "at");
  };
  const double nearest = std::round(time / h);
  const bool is_at_step = std::abs(time - nearest * h) <= 1e-9 * h + 1e-15 * time;
  const bool within = !is_at_step && simulation.is_event_driven();
  const double last = within ? std::floor(time / h) : nearest;
  while (static_cast<double>(simulation.state().step) < last) {
    simulation.step();
    check();
  }
  State begin = simulation.state();
  if (within) {
    simulation.advance_within(time);
    check();
  } else if (!is_at_step) {
    notes.push_back(
        fmt::format("the run has states at its steps alone; this is the one nearest to "
                    "{} s",
                    time));
  }
  return begin;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "'" : ", '") + name + "'";
  return text;
}

// Controllers: networks flow with the model unless all is held; others hold the forces that they
// gave where the step began.
void take_controllers(const Simulation& simulation, const State& begin, bool open_loop,
                      LinearPoint& point, std::vector<std::string>& notes) {
  const Model& model = simulation.model();
  const State& state = simulation.state();
  VectorX forces, held = VectorX::Zero(model.velocity_count);
  applied_forces(model, begin, forces);
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
      memory = begin.controls.segment(first - size, size);
      item.controller->act(model, begin, simulation.step_size(), forces, memory);
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

// Off equilibria the matrices are those of one choice of coordinates: x = T z with a T that changes
// along the motion has A_z = T⁻¹ (A T − T'), with other poles.
void tell_of_motion(const LinearScene& scene, std::vector<std::string>& notes) {
  if (scene.is_equilibrium) return;
  notes.push_back(
      "off equilibria matrices and poles are those of the coordinates at hand: in others, such as "
      "ones that move with a body, they differ, and they do not tell of stability");
  std::vector<std::string> turning;
  for (const NamedNumber& rate : scene.rates) {
    const std::string name = rate.name.substr(0, rate.name.find(".turn_"));
    const bool is_new = turning.empty() || turning.back() != name;
    if (name != rate.name && rate.value != 0.0 && is_new) turning.push_back(name);
  }
  if (!turning.empty())
    notes.push_back(
        fmt::format("the turn of {} is measured by Rodrigues parameters from where the "
                    "state has it: spinning alone gives them poles",
                    listed(turning)));
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
  result.limits = scene.limits;
  result.kinks = scene.kinks;
  if (scene.forces_are_open)
    result.notes.push_back(
        "constraints that act depend on each other: motion is determined, their forces are one "
        "choice of many");
}

void check_finite(const MatrixX& matrix, const std::vector<std::string>& rows,
                  const std::vector<std::string>& columns) {
  for (Eigen::Index j = 0; j < matrix.cols(); ++j)
    for (Eigen::Index i = 0; i < matrix.rows(); ++i)
      if (!std::isfinite(matrix(i, j)))
        throw Error(
            fmt::format("no linear system: the derivative of {} by {} is not finite here; "
                        "accepted: a state in which all laws have derivatives",
                        rows[static_cast<std::size_t>(i)], columns[static_cast<std::size_t>(j)]),
            "at");
}

void check_finite(const LinearSystem& system) {
  check_finite(system.a, system.states, system.states);
  check_finite(system.b, system.states, system.inputs);
  check_finite(system.c, system.outputs, system.states);
  check_finite(system.d, system.outputs, system.inputs);
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
  if (const std::string frames = values.text("contact-frames");
      frames != "start" && frames != "driven")
    throw Error(fmt::format("the map of a step is known for contacts that are taken at its start, "
                            "not for 'contact-frames: {}'; accepted: start, driven, or --of model",
                            frames),
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
  check_finite(map.system);
  if (map.limits.empty() && map.kinks.empty()) check_map(simulation, step, map);
  if (!wishes.equilibrium) {
    const VectorX rates = rates_of(step, step.before), next = rates_of(step, step.after);
    const double moving =
        rates.size() > 0 ? std::max(rates.lpNorm<Eigen::Infinity>(), next.lpNorm<Eigen::Infinity>())
                         : 0.0;
    result.is_equilibrium =
        moving <= std::max(1e-9, resting_share * step.h * step.model->gravity.norm());
    result.imbalance = rates.size() > 0 ? (next - rates).lpNorm<Eigen::Infinity>() / step.h : 0.0;
  }
  result.system = map.system;
  result.is_step = true;
  result.coordinates = map.coordinates;
  result.rates = map.rates;
  result.accelerations.clear();
  result.inputs = map.inputs;
  result.outputs = map.outputs;
  result.constraints = map.constraints;
  result.limits = map.limits;
  result.kinks = map.kinks;
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
  Linearization result;
  const State begin = run_to(simulation, options.at, result.notes);
  using Of = LinearizeOptions::Of;
  const bool is_step =
      options.of == Of::step || (options.of == Of::stepper && !simulation.is_event_driven());
  if (is_step && simulation.is_event_driven())
    throw Error("event-driven motion has no steps of its own; accepted: --of model", "of");
  result.time = simulation.state().time;
  LinearPoint point;
  point.model = &simulation.model();
  point.state = simulation.state();
  take_laws(simulation, point);
  take_controllers(simulation, begin, options.open_loop || is_step, point, result.notes);
  if (is_step) {
    take_step(simulation, options, point, result);
  } else {
    const LinearScene scene = linear_scene(point, options.wishes);
    check_finite(scene.system);
    take(scene, result);
    tell_of_motion(scene, result.notes);
  }
  return result;
}

}  // namespace vinci
