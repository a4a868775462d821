// SPDX-License-Identifier: Apache-2.0
// Choosing the plugins of a run, and the step loop.
#include "vinci/simulation/simulation.h"

#include <algorithm>
#include <cmath>

namespace vinci {
namespace {

// A mistake in the run's choices, at the place in the scene where the option was written.
[[noreturn]] void refuse(const Scene& scene, const RunOverrides& overrides,
                         const std::string& option, const std::string& message) {
  const auto place = scene.run().places.find(option);
  if (place == scene.run().places.end() || overrides.options.contains(option))
    throw Error(message, option);
  throw SceneError({{place->second.first, place->second.second, "run." + option, message}});
}

OptionValues run_options(const Scene& scene, const RunOverrides& overrides) {
  OptionValues values(run_option_table());
  auto set = [&](const std::string& name, const std::string& text) {
    try {
      values.set_text(name, text);
    } catch (const Error& error) {
      refuse(scene, overrides, name, error.message());
    }
  };
  for (const auto& [name, text] : scene.run().values) set(name, text);
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
                           const RunOverrides& overrides, const OptionValues& run) {
  OptionValues values(entry.options);
  auto set = [&](const std::string& name, const std::string& text) {
    if (!entry.options.find(name))
      refuse(scene, overrides, kind, unknown_option(kind, entry, name));
    try {
      values.set_text(name, text);
    } catch (const Error& error) {
      refuse(scene, overrides, kind, name + ": " + error.message());
    }
  };
  // A scene's options belong to the plugin it names; another one chosen by the caller starts from
  // its defaults.
  const bool as_written = !overrides.options.contains(kind);
  if (as_written)
    for (const auto& [key, text] : scene.run().plugin_values)
      if (key.first == kind) set(key.second, text);
  for (const auto& [key, text] : overrides.plugin_options)
    if (key.first == kind) set(key.second, text);
  for (const OptionSpec& spec : entry.options.specs())
    if (scene.run().values.contains(spec.name) || overrides.options.contains(spec.name))
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
  return mistakes;
}

Simulation::Simulation(Scene scene, const RunOverrides& overrides)
    : Simulation(std::move(scene), overrides, std::make_shared<const Plugins>(builtin_plugins())) {}

Simulation::Simulation(Scene scene, const RunOverrides& overrides,
                       std::shared_ptr<const Plugins> plugins)
    : plugins_(std::move(plugins)),
      scene_(std::move(scene)),
      options_(run_options(scene_, overrides)) {
  for (const auto& [key, text] : overrides.plugin_options)
    if (key.first != "stepper" && key.first != "detector" && key.first != "solver")
      throw Error("unknown plugin kind '" + key.first + "'; accepted: stepper, detector, solver",
                  key.first + "." + key.second);
  auto make = [&]<class Interface>(const Registry<Interface>& registry) {
    const std::string& kind = registry.kind();
    try {
      const auto& entry = registry.at(options_.text(kind));
      plugin_options_[kind] = plugin_values<Interface>(kind, entry, scene_, overrides, options_);
      return entry.make(plugin_options_[kind]);
    } catch (const SceneError&) {
      throw;
    } catch (const Error& error) {
      if (!error.where().empty()) throw;
      refuse(scene_, overrides, kind, error.message());
    }
  };
  detector_ = make(plugins_->detectors);
  stepper_ = make(plugins_->steppers);
  solver_ = make(plugins_->solvers);

  set_parameters_ = overrides.parameters;
  compile();
  if (const std::string reason = stepper_->why_not(*model_); !reason.empty())
    refuse(scene_, overrides, "stepper", reason);
  if (const std::string reason = solver_->why_not(stepper_->probe(*model_)); !reason.empty())
    refuse(scene_, overrides, "solver", reason);

  h_ = options_.real("step");
  total_steps_ = std::llround(std::ceil(options_.real("duration") / h_ * (1.0 - 1e-12)));
  output_every_ = std::max<std::int64_t>(1, std::llround(options_.real("output-interval") / h_));
  state_ = initial_state(*model_);
  context_.detector = detector_.get();
  context_.solver = solver_.get();
}

void Simulation::compile() {
  model_ = scene_.compile(set_parameters_);
  context_.model = model_.get();
  ++model_version_;
}

const StepReport& Simulation::step() {
  apply_due_changes();
  report_ = stepper_->step(context_, state_, h_);
  state_.time = static_cast<double>(state_.step) * h_;  // no sum of rounded steps
  return report_;
}

bool Simulation::finished() const {
  return state_.step >= total_steps_ || diverged();
}

// A change takes effect in the first step that begins at or after its time.
void Simulation::apply_due_changes() {
  const auto& changes = scene_.changes();
  bool changed = false;
  while (next_change_ < changes.size() && changes[next_change_].at <= state_.time + 1e-9 * h_) {
    for (const auto& [name, value] : changes[next_change_].set) set_parameters_[name] = value;
    ++next_change_;
    changed = true;
  }
  if (changed) compile();
}

void Simulation::set_parameter(const std::string& name, double value) {
  std::map<std::string, double> changed = set_parameters_;
  changed[name] = value;
  auto model = scene_.compile(changed);
  set_parameters_ = std::move(changed);
  model_ = std::move(model);
  context_.model = model_.get();
  ++model_version_;
}

void Simulation::set_state(const State& state) {
  if (state.poses.size() != model_->bodies.size() ||
      state.velocities.size() != model_->velocity_count)
    throw Error("the state belongs to another scene: it has " + std::to_string(state.poses.size()) +
                " bodies, the scene " + std::to_string(model_->bodies.size()));
  if (!is_finite(state)) throw Error("the state has numbers that are not finite");
  state_ = state;
  report_ = {};
}

}  // namespace vinci
