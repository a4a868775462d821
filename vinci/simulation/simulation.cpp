// SPDX-License-Identifier: Apache-2.0
// Choosing the plugins of a run, and the step loop.
#include "vinci/simulation/simulation.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "vinci/formulation/joint_closure.h"
#include "vinci/kinematics/joint_tree.h"
#include "vinci/model/element.h"
#include "vinci/stepping/checked_stepper.h"
#include "vinci/stepping/step_diagnosis.h"

namespace vinci {
namespace {

// A mistake in the run's choices, at the place in the scene where the option was written.
// `given`: options that the caller set over it.
[[noreturn]] void refuse(const Scene& scene, const std::map<std::string, std::string>& given,
                         const std::string& option, const std::string& message) {
  const auto place = scene.run().places.find(option);
  if (place == scene.run().places.end() || given.contains(option)) throw Error(message, option);
  throw SceneError({{place->second.first, place->second.second, "run." + option, message}});
}

OptionValues run_options(const Scene& scene, const RunChoices& choices,
                         const RunOverrides& overrides) {
  OptionValues values(run_option_table());
  auto set = [&](const std::string& name, const std::string& text) {
    try {
      values.set_text(name, text);
    } catch (const Error& error) {
      refuse(scene, overrides.options, name, error.message());
    }
  };
  for (const auto& [name, text] : choices.values) set(name, text);
  for (const auto& [name, text] : overrides.options) set(name, text);
  return values;
}

template <class Entry>
std::string unknown_option(const std::string& kind, const Entry& entry, const std::string& name) {
  std::vector<std::string> known;
  for (const OptionSpec& spec : entry.options.specs()) known.push_back(spec.name);
  const std::string guess = nearest(name, known);
  std::string list;
  for (const std::string& option : known) list += (list.empty() ? "" : ", ") + option;
  return "the " + kind + " '" + entry.name + "' has no option '" + name + "'" +
         (guess.empty() ? "" : " (did you mean '" + guess + "'?)") +
         "; accepted: " + (list.empty() ? "none" : list);
}

// Options of the plugin of one kind: the scene's, then the caller's, then the run's own of the same
// name that somebody set (motion, cone and directions are the run's, and the stepper's).
template <class Interface>
OptionValues plugin_values(const std::string& kind,
                           const typename Registry<Interface>::Entry& entry, const Scene& scene,
                           const RunChoices& choices, const RunOverrides& overrides,
                           const OptionValues& run) {
  OptionValues values(entry.options);
  auto set = [&](const std::string& name, const std::string& text) {
    if (!entry.options.find(name))
      refuse(scene, overrides.options, kind, unknown_option(kind, entry, name));
    try {
      values.set_text(name, text);
    } catch (const Error& error) {
      refuse(scene, overrides.options, kind, name + ": " + error.message());
    }
  };
  // A scene's options belong to the plugin it names; another one chosen by the caller starts from
  // its defaults.
  const bool as_written = !overrides.options.contains(kind);
  if (as_written)
    for (const auto& [key, text] : choices.plugin_values)
      if (key.first == kind) set(key.second, text);
  for (const auto& [key, text] : overrides.plugin_options)
    if (key.first == kind) set(key.second, text);
  for (const OptionSpec& spec : entry.options.specs())
    if (choices.values.contains(spec.name) || overrides.options.contains(spec.name))
      values.set(spec.name, run.value(spec.name));
  return values;
}

template <class Interface>
void check_plugin(const Registry<Interface>& registry, const RunChoices& run,
                  std::vector<Diagnostic>& mistakes) {
  const std::string& kind = registry.kind();
  const auto report = [&](const std::string& option, const std::string& message) {
    const auto place = run.places.find(option);
    if (place == run.places.end()) return mistakes.push_back({"", 0, "run." + option, message});
    mistakes.push_back({place->second.first, place->second.second, "run." + option, message});
  };
  const auto chosen = run.values.find(kind);
  if (chosen == run.values.end()) return;
  const auto* entry = registry.find(chosen->second);
  if (!entry) return report(kind, registry.unknown(chosen->second));
  OptionValues values(entry->options);
  for (const auto& [key, text] : run.plugin_values) {
    if (key.first != kind) continue;
    try {
      if (entry->options.find(key.second))
        values.set_text(key.second, text);
      else
        report(kind + "." + key.second, unknown_option(kind, *entry, key.second));
    } catch (const Error& error) {
      report(kind + "." + key.second, error.message());
    }
  }
}

}  // namespace

std::vector<Diagnostic> check_run(const RunChoices& run, const Plugins& plugins) {
  std::vector<Diagnostic> mistakes;
  check_plugin(plugins.detectors, run, mistakes);
  check_plugin(plugins.steppers, run, mistakes);
  check_plugin(plugins.solvers, run, mistakes);
  check_plugin(plugins.impact_laws, run, mistakes);
  return mistakes;
}

Simulation::Simulation(Scene scene, const RunOverrides& overrides)
    : Simulation(std::move(scene), overrides, std::make_shared<const Plugins>(builtin_plugins())) {}

Simulation::Simulation(Scene scene, const RunOverrides& overrides,
                       std::shared_ptr<const Plugins> plugins)
    : plugins_(std::move(plugins)),
      scene_(std::move(scene)),
      given_(overrides),
      choices_(scene_.run(overrides.parameters)) {
  choose();
  adopt_code();
  begin();
}

// What the run's choices name.
void Simulation::choose() {
  options_ = run_options(scene_, choices_, given_);
  for (const auto& [key, text] : given_.plugin_options)
    if (key.first != "stepper" && key.first != "detector" && key.first != "solver" &&
        key.first != "impact-law")
      throw Error("unknown plugin kind '" + key.first +
                      "'; accepted: stepper, detector, solver, impact-law",
                  key.first + "." + key.second);
  auto make = [&]<class Interface>(const Registry<Interface>& registry) {
    const std::string& kind = registry.kind();
    try {
      const auto& entry = registry.at(options_.text(kind));
      plugin_options_[kind] =
          plugin_values<Interface>(kind, entry, scene_, choices_, given_, options_);
      return entry.make(plugin_options_[kind]);
    } catch (const SceneError&) {
      throw;
    } catch (const Error& error) {
      if (!error.where().empty()) throw;
      refuse(scene_, given_.options, kind, error.message());
    }
  };
  detector_ = make(plugins_->detectors);
  stepper_ = std::make_shared<CheckedStepper>(make(plugins_->steppers));
  solver_ = make(plugins_->solvers);
  impact_law_ = make(plugins_->impact_laws);
  if (stops_) solver_->stop_when(stops_);
  set_accuracy();
}

// From the parameters to the first state.
void Simulation::begin() {
  use(0, {}, state_);
  if (!given_.parameters.empty()) check_changes(0, {});  // without any, Scene has done it
  if (const std::string reason = stepper_->why_not(*model_); !reason.empty())
    refuse(scene_, given_.options, "stepper", reason);
  for (const auto& controller : model_->controllers)
    if (const std::string reason = controller->why_not(options_.text("motion")); !reason.empty())
      refuse(scene_, given_.options, "motion", "controllers." + controller->name() + ": " + reason);
  if (const std::string reason = solver_->why_not(stepper_->probe(*model_)); !reason.empty())
    refuse(scene_, given_.options, "solver", reason);
  const bool own_law = options_.text("impact-law") != "newton";
  if (own_law || options_.text("impact-time") != "none")
    if (const std::string reason = stepper_->why_not_law(*model_, *impact_law_, *solver_);
        !reason.empty())
      refuse(scene_, given_.options, own_law ? "impact-law" : "impact-time", reason);

  h_ = options_.real("step");
  // Beyond, the number of a step is no longer exact in a double, and its time = step · h neither.
  constexpr double most_steps = 0x1p53;
  // The last step may be a part of one, but not one that only rounding left.
  const double ratio = options_.real("duration") / h_;
  const double steps = std::ceil(ratio - std::min(1e-12 * ratio, 0.5));
  if (steps > most_steps)
    refuse(scene_, given_.options, "duration",
           fmt::format("{} s are {:.3g} steps of {} s; accepted: at most 2^53 = {:.3g} steps",
                       options_.real("duration"), steps, h_, most_steps));
  total_steps_ = std::llround(steps);
  output_every_ = std::llround(std::clamp(options_.real("output-interval") / h_, 1.0, most_steps));
  first_model_ = stepped_model_ = model_;
  state_ = initial_state(*model_);
  begin_controllers();
  context_.in.detector = detector_.get();
  context_.in.solver = solver_.get();
  context_.in.impact_law = impact_law_.get();
  if (const std::string& asked = options_.text("diagnose"); asked != "off") {
    diagnosis_ = std::make_shared<StepDiagnosis>(asked == "all", options_.integer("seed"));
    context_.in.diagnosis = diagnosis_.get();
  }
  stepper_->prepare(context_, state_);
}

void Simulation::restart(const std::map<std::string, double>& parameters) {
  given_.parameters = parameters;
  if (scene_.run().has_parameters) {
    choices_ = scene_.run(parameters);
    context_.in.accuracy = {};
    choose();
  }
  code_parameters_.clear();
  first_model_ = stepped_model_ = nullptr;
  model_version_ = 0;
  report_ = {};
  context_.in.before = nullptr;
  context_.out = {};
  events_before_.clear();
  modes_before_.clear();
  forget_step();
  begin();
}

void Simulation::begin_controllers() {
  Eigen::Index size = 0, first = 0;
  for (const NamedController& item : controllers_) size += item.controller->memory_size();
  VectorX memory = VectorX::Zero(size);
  for (const NamedController& item : controllers_) {
    const Eigen::Index own = item.controller->memory_size();
    item.controller->begin(*model_, state_, memory.segment(first, own));
    first += own;
  }
  state_.controls = std::move(memory);
}

// The accuracy of the run is what is asked of its solver, where that is another one than the solver
// asks of itself; otherwise the usual one. It follows from values that a recording holds, not from
// who gave them, so that a run continues as it began. A step that meets what was asked is no
// failure.
void Simulation::set_accuracy() {
  const OptionValues& solver = plugin_options_["solver"];
  const OptionSpec* const spec = solver.table().find("tolerance");
  if (!spec || solver.value("tolerance") == spec->fallback) return;
  context_.in.accuracy.tolerance = solver.real("tolerance");
  const double acceptable = std::min(1.0, context_.in.accuracy.acceptable());
  if (!options_.is_given("accept") && acceptable > options_.real("accept"))
    options_.set("accept", acceptable);
}

// Names and checks the caller's code; motions are checked where a model takes them.
void Simulation::adopt_code() {
  const auto note = [&](const auto& registry) {
    const auto& entry = registry.at(options_.text(registry.kind()));
    if (entry.is_code) code_names_.push_back(registry.kind() + " " + entry.name);
  };
  note(plugins_->detectors);
  note(plugins_->steppers);
  note(plugins_->solvers);
  note(plugins_->impact_laws);
  for (const NamedController& item : given_.code.controllers) {
    if (!item.controller) throw Error("is no controller", item.name);
    if (item.controller->memory_size() < 0)
      throw Error("its memory has a negative size", item.name);
    code_names_.push_back("controller " + item.name);
  }
  for (const auto& [place, motion] : given_.code.motions) {
    if (!motion) throw Error("is no motion", place.first + "." + place.second);
    code_names_.push_back("motion " + place.first + "." + place.second);
  }
  std::sort(code_names_.begin(), code_names_.end());
}

namespace {

// The coordinate of a body that a motion replaces. Throws Error saying what the scene would need.
int prescribed_by_scene(const Body& body, const std::string& coordinate, const std::string& where) {
  std::vector<std::string> prescribed;
  int found = -1;
  for (int i = 0; i < coordinate_count; ++i) {
    const std::string name = coordinate_name(body.freedom, i);
    if (body.drives[static_cast<std::size_t>(i)].prescribed) prescribed.push_back(name);
    // Spatial bodies have a yaw; a planar one in a spatial world may be meant by either name.
    if (name == coordinate || (i == 5 && (coordinate == "yaw" || coordinate == "angle"))) found = i;
  }
  if (found >= 0 && body.drives[static_cast<std::size_t>(found)].prescribed) return found;
  std::string list;
  for (const std::string& name : prescribed) list += (list.empty() ? "" : ", ") + name;
  throw Error(
      fmt::format("the scene does not prescribe this coordinate, so no motion can replace it; "
                  "prescribed of this body: {}; to prescribe it write `motion: {{{}: 0}}` in the "
                  "scene's bodies.{}",
                  list.empty() ? "none" : list, coordinate, body.name),
      where);
}

bool has_finite_energy(const Model& model, const State& state) {
  if (!is_finite(state)) return false;
  // Squares of smaller numbers are finite with masses of up to 1e200 kg.
  constexpr double large = 1e50;
  const auto is_large = [](const Pose& pose) {
    return pose.position.lpNorm<Eigen::Infinity>() > large;
  };
  return (model.elements.empty() && state.velocities.lpNorm<Eigen::Infinity>() <= large &&
          std::none_of(state.poses.begin(), state.poses.end(), is_large)) ||
         std::isfinite(energy(model, state).total());
}

// The body of the largest energy; one that is not finite is larger than all others.
int wildest_body(const Model& model, const State& state) {
  const std::vector<double> energies = body_energies(model, state);
  int wildest = 0;
  for (std::size_t b = 0; b < energies.size(); ++b) {
    if (!std::isfinite(energies[b])) return static_cast<int>(b);
    if (std::abs(energies[b]) > std::abs(energies[static_cast<std::size_t>(wildest)]))
      wildest = static_cast<int>(b);
  }
  return wildest;
}

// Bodies stand where the joints of a new model have them; velocities, or rates of joints, stay.
void pose_joints(const Model& model, State& state) {
  if (!model.tree_order.empty()) place_tree(model, state.joint_positions, state.poses);
  JointClosure().close(model, state);
  if (model.tree_order.empty()) return;
  Tree tree;
  tree.place(model, state.poses, state.joint_positions);
  tree.spread_velocities(state.joint_rates, state.velocities);
}

}  // namespace

// The scene's model with the motions that code gives, and with what the run began with.
std::shared_ptr<const Model> Simulation::compiled(const Values& values) const {
  std::shared_ptr<const Model> model = scene_.compile(values);
  const bool begun = first_model_ && !model->elements.empty();
  if (given_.code.motions.empty() && !begun && model->joints.empty()) return model;
  auto driven = std::make_shared<Model>(*model);
  if (!driven->joints.empty())
    options_.text("coordinates") == "reduced" ? make_tree(*driven) : make_no_tree(*driven);
  for (std::size_t i = 0; begun && i < driven->elements.size(); ++i)
    driven->elements[i] =
        driven->elements[i]->begun_at(first_model_->elements[i]->place().distance);
  for (const auto& [place, motion] : given_.code.motions) {
    const std::string where = place.first + "." + place.second;
    const int body = driven->find_body(place.first);
    if (body < 0) {
      std::vector<std::string> names;
      for (const Body& other : driven->bodies) names.push_back(other.name);
      const std::string guess = nearest(place.first, names);
      throw Error("the motion is for a body that the scene does not have" +
                      (guess.empty() ? "" : " (did you mean '" + guess + "'?)"),
                  where);
    }
    Body& moved = driven->bodies[static_cast<std::size_t>(body)];
    const int coordinate = prescribed_by_scene(moved, place.second, where);
    moved.drives[static_cast<std::size_t>(coordinate)].motion = motion;
  }
  return driven;
}

namespace {

// Up to rounding.
bool is_same_time(double a, double b, double step) {
  return std::abs(a - b) <= 1e-9 * step + 4.0 * std::numeric_limits<double>::epsilon() * b;
}

}  // namespace

// The number of changes that are due in the step after `steps` ones. The one rule: a change takes
// effect in the first step that begins at or after its time, up to rounding.
std::size_t Simulation::changes_due(std::int64_t steps) const {
  const double begin = static_cast<double>(steps) * h_ + 1e-9 * h_;
  const auto& changes = scene_.changes();
  const auto after =
      std::upper_bound(changes.begin(), changes.end(), begin,
                       [](double time, const ParameterChange& change) { return time < change.at; });
  return static_cast<std::size_t>(after - changes.begin());
}

// The number of changes that have been made at the end of so many steps. Those within a step are
// made at their time if the motion goes from event to event, and wait for the next step if not.
std::size_t Simulation::changes_made(std::int64_t steps) const {
  if (!is_event_driven()) return changes_due(steps - 1);
  const double end = static_cast<double>(steps) * h_ - 1e-9 * h_;
  const auto& changes = scene_.changes();
  const auto after =
      std::lower_bound(changes.begin(), changes.end(), end,
                       [](const ParameterChange& change, double time) { return change.at < time; });
  return static_cast<std::size_t>(after - changes.begin());
}

// Tells the stepper of the next change within the step.
void Simulation::await_change() {
  context_.in.next_change = infinity;
  if (is_event_driven() && applied_changes_ < changes_made(state_.step + 1))
    context_.in.next_change = scene_.changes()[applied_changes_].at;
}

Simulation::Values Simulation::merged(std::size_t changes, const Values& code) const {
  Values values = given_.parameters;
  for (std::size_t i = 0; i < changes; ++i)
    for (const auto& [name, value] : scene_.changes()[i].set) values[name] = value;
  for (const auto& [name, value] : code) values[name] = value;
  return values;
}

// Every model that the changes from `first` on will ask for can be made, so that no step throws.
// Their number is bounded with the scene's size when the scene is loaded.
void Simulation::check_changes(std::size_t first, const Values& code) const {
  Values values = merged(first, code);
  for (std::size_t i = first; i < scene_.changes().size(); ++i) {
    const ParameterChange& change = scene_.changes()[i];
    for (const auto& [name, value] : change.set)
      if (!code.contains(name)) values[name] = value;
    try {
      static_cast<void>(scene_.compile(values));
    } catch (const SceneError& error) {
      std::vector<Diagnostic> mistakes = error.diagnostics();
      for (Diagnostic& mistake : mistakes)
        mistake.message += fmt::format(" (after the change at {} s)", change.at);
      throw SceneError(std::move(mistakes));
    }
  }
}

// Throws SceneError and changes nothing if the model cannot be made.
void Simulation::use(std::size_t changes, const Values& code, State& state) {
  Values values = merged(changes, code);
  auto model = compiled(values);
  Values kept = code;
  set_parameters_ = std::move(values);
  code_parameters_ = std::move(kept);
  applied_changes_ = changes;
  // Couplings hold what they held, moved by as much as their offsets.
  for (std::size_t i = 0; first_model_ && i < model->couplings.size(); ++i)
    state.coupling_offsets[static_cast<Eigen::Index>(i)] +=
        model->couplings[i].offset - model_->couplings[i].offset;
  model_ = std::move(model);
  controllers_.clear();
  for (const auto& controller : model_->controllers)
    controllers_.push_back({controller->name(), controller->make(*model_)});
  controllers_.insert(controllers_.end(), given_.code.controllers.begin(),
                      given_.code.controllers.end());
  context_.in.model = model_.get();
  context_.work.ahead = {};
  ++model_version_;
  if (first_model_ && !model_->joints.empty()) pose_joints(*model_, state);
}

void Simulation::stop_when(std::function<bool()> wanted) {
  stops_ = nullptr;
  if (wanted)
    stops_ = [wanted = std::move(wanted)] {
      if (wanted()) throw StepStopped();
      return false;
    };
  interruption_ = stops_ ? std::make_unique<Interruption>(stops_) : nullptr;
  context_.in.interruption = interruption_.get();
  solver_->stop_when(stops_);
}

// A step, or a part of one that is event-driven.
void Simulation::make(double h) {
  if (const std::size_t due = changes_due(state_.step); due > applied_changes_)
    use(due, code_parameters_, state_);
  await_change();
  const std::size_t changes = applied_changes_;
  context_.in.change = [this](State& state) {
    // What was seen at the start of the step is asked for at its end.
    ContactsAhead ahead = std::move(context_.work.ahead);
    use(applied_changes_ + 1, code_parameters_, state);
    context_.work.ahead = std::move(ahead);
    context_.in.controllers = controllers_;
    await_change();
  };
  context_.in.before = stepped_model_ == model_ ? nullptr : stepped_model_.get();
  context_.in.controllers = controllers_;
  context_.out.controllers_acted = controllers_.empty() || context_.in.held_forces != nullptr;
  swap_events();
  clear_events();
  try {
    const StepReport report = stepper_->step(context_, state_, h);
    if (!context_.out.controllers_acted)
      throw Error("takes no forces of controllers; a stepper gets its forces from step_forces()",
                  options_.text("stepper"));
    report_ = report;
    stepped_model_ = model_;
  } catch (...) {
    // With the model of its start; what a change does to a state is undone with the state.
    if (applied_changes_ != changes) use(changes, code_parameters_, state_);
    state_ = stepper_->start();
    swap_events();
    forget_step();
    throw;
  }
  if (!diverged() && !has_finite_energy(*model_, state_))
    report_.diverged_body = wildest_body(*model_, state_);
  if (diverged()) keep_last_finite();
}

const StepReport& Simulation::step() {
  const double begin = static_cast<double>(state_.step) * h_;
  make(is_same_time(state_.time, begin, h_) ? h_ : begin + h_ - state_.time);
  // Nobody else counts steps; the time is no sum of rounded steps.
  state_.step = stepper_->start().step + 1;
  state_.time = static_cast<double>(state_.step) * h_;
  return report_;
}

const StepReport& Simulation::advance_within(double time) {
  const double end = static_cast<double>(state_.step + 1) * h_;
  if (!is_event_driven() || !(time > state_.time) || !(time < end))
    throw Error(fmt::format("{} s; accepted: of an event-driven run a time between {} s and {} s",
                            time, state_.time, end));
  make(time - state_.time);
  state_.step = stepper_->start().step;
  if (!diverged()) state_.time = time;
  return report_;
}

// A run that diverged stays where it was last: nobody is handed numbers that are not finite.
void Simulation::keep_last_finite() {
  state_ = stepper_->start();
  context_.out.contacts.clear();
  clear_events();
}

std::string Simulation::caution() const {
  return stepper_->caution(*model_);
}

bool Simulation::is_event_driven() const {
  return stepper_->is_event_driven();
}

void Simulation::clear_events() {
  context_.out.events.clear();
  context_.out.modes.clear();
}

void Simulation::swap_events() {
  context_.out.events.swap(events_before_);
  context_.out.modes.swap(modes_before_);
}

// What was worked on; the contacts with their impulses are those of the last step that succeeded.
void Simulation::forget_step() {
  context_.work.contacts.clear();
  context_.work.ahead = {};
  context_.work.problem = {};
  context_.work.solution = {};
}

bool Simulation::has_ended() const {
  return diverged() || report_.ending != Ending::none;
}

bool Simulation::finished() const {
  return state_.step >= total_steps_ || has_ended();
}

void Simulation::set_parameter(const std::string& name, double value) {
  set_parameter(Values{{name, value}});
}

void Simulation::set_parameter(const std::map<std::string, double>& values) {
  Values code = values;
  code.insert(code_parameters_.begin(), code_parameters_.end());  // where no new value is given
  check_changes(applied_changes_, code);
  use(applied_changes_, code, state_);
}

void Simulation::read_joints(VectorX& numbers) const {
  const Model& model = *model_;
  numbers.resize(0);
  if (model.joints.empty()) return;
  std::vector<double> list;
  for (const VectorX* part :
       {&state_.joint_positions, &state_.joint_rates, &state_.coupling_offsets})
    list.insert(list.end(), part->begin(), part->end());
  const std::vector<SolvedJoint>& solved = context_.out.joints;
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const SolvedJoint own = j < solved.size() ? solved[j] : SolvedJoint();
    for (const Vector3* part : {&own.motor, &own.friction, &own.limit})
      for (int k = 0; k < rate_count(model.joints[j].kind); ++k) list.push_back((*part)[k] / h_);
    for (const Vector3* part : {&own.impulse, &own.moment})
      for (int k = 0; k < 3; ++k) list.push_back((*part)[k] / h_);
  }
  numbers = Eigen::Map<VectorX>(list.data(), static_cast<Eigen::Index>(list.size()));
}

void Simulation::check_state(const State& state) const {
  if (state.poses.size() != model_->bodies.size() ||
      state.velocities.size() != model_->velocity_count)
    throw Error("the state belongs to another scene: it has " + std::to_string(state.poses.size()) +
                " bodies, the scene " + std::to_string(model_->bodies.size()));
  if (state.joint_positions.size() != model_->joint_coordinate_count ||
      state.joint_rates.size() != model_->joint_rate_count ||
      state.coupling_offsets.size() != static_cast<Eigen::Index>(model_->couplings.size()))
    throw Error("the state belongs to another scene: it has other joints");
  if (state.controls.size() != state_.controls.size())
    throw Error(
        fmt::format("the state belongs to other controllers: it has {} numbers of their "
                    "memory, those of this simulation have {}",
                    state.controls.size(), state_.controls.size()));
  if (!is_finite(state)) throw Error("the state has numbers that are not finite");
  const double time = static_cast<double>(state.step) * h_;
  if (state.step < 0 || !is_same_time(state.time, time, h_))
    throw Error(
        fmt::format("the state belongs to another step size: after {} steps of {} s it has "
                    "the time {} s",
                    state.step, h_, state.time));
  for (std::size_t i = 0; i < state.poses.size(); ++i)
    if (!(std::abs(state.poses[i].rotation.norm() - 1.0) <= 1e-9))
      throw Error("the state has a rotation of body '" + model_->bodies[i].name +
                  "' that is not a unit quaternion");
  if (!state.memory.is_sorted()) throw Error("the state has memory that is not sorted by its keys");
}

void Simulation::set_state(const State& state) {
  check_state(state);
  // Those of its last step: what is due now is applied by the next one.
  const std::size_t changes = changes_made(state.step);
  if (changes != applied_changes_) {
    check_changes(changes, code_parameters_);
    use(changes, code_parameters_, state_);
  }
  state_ = state;
  stepped_model_ = model_;
  report_ = {};
  context_.out.contacts.clear();
  clear_events();
  forget_step();
}

}  // namespace vinci
