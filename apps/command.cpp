// SPDX-License-Identifier: Apache-2.0
// Flags, errors and JSON shared by the subcommands.
#include "apps/command.h"

#include <cmath>

#include <fmt/format.h>

#include "apps/text.h"
#include "vinci/base/expression.h"
#include "vinci/model/run_options.h"
#include "vinci/robots/robot_file.h"

namespace vinci {
namespace {

// "name=value" at its first '='.
std::pair<std::string, std::string> assignment(const std::string& text, const std::string& flag,
                                               const std::string& form) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw Error(fmt::format("'{}' is not an assignment; accepted: {}", text, form), flag);
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::string value_name(const OptionSpec& spec) {
  const char* names[] = {"NUMBER", "INTEGER", "true|false", "NAME"};
  return names[spec.fallback.index()];
}

std::string flag_text(const OptionSpec& spec) {
  std::string text = spec.text;
  for (char& c : text)
    if (c == '`') c = '\'';
  const std::string fallback = to_string(spec.fallback);
  if (!spec.choices.empty()) text += " Accepted: " + accepted(spec) + ".";
  return text + " [" + fallback + (spec.unit.empty() ? "" : " " + spec.unit) + "]";
}

}  // namespace

CLI::App* add_subcommand(CLI::App& app, const std::string& name, const std::string& text) {
  CLI::App* subcommand = app.add_subcommand(name, text);
  subcommand->get_formatter()->column_width(28);
  return subcommand;
}

void add_json_flag(CLI::App& subcommand, Command& command, const std::string& text) {
  subcommand.add_flag("--json", command.json, text);
}

void add_plugin_flag(CLI::App& subcommand, std::vector<std::string>& libraries) {
  subcommand
      .add_option("--plugin", libraries,
                  "Load a shared library with further detectors, steppers, solvers or impact laws.")
      ->type_name("LIBRARY")
      ->allow_extra_args(false)
      ->take_all();
}

void add_choice_flags(CLI::App& subcommand, ChoiceFlags& flags) {
  subcommand.add_option("--set", flags.parameters, "Set a parameter of the scene.")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false)
      ->take_all();
  subcommand
      .add_option("--option", flags.plugin_options,
                  "Set an option of a plugin, e.g. solver.tolerance=1e-12.")
      ->type_name("KIND.NAME=VALUE")
      ->allow_extra_args(false)
      ->take_all();
  add_plugin_flag(subcommand, flags.libraries);
  subcommand
      .add_option("--allow-path", flags.allowed,
                  "Let scenes read included files and meshes in this folder, too.")
      ->type_name("FOLDER")
      ->allow_extra_args(false)
      ->take_all();
  const std::string group = "The run's choices, over the scene's [default]";
  for (const OptionSpec& spec : run_option_table().specs()) {
    // A flag that the command has already keeps its meaning.
    if (subcommand.get_option_no_throw("--" + spec.name) != nullptr) continue;
    if (std::holds_alternative<bool>(spec.fallback)) {
      // Without a value, so that it cannot take the scene for one; --name=false takes it back.
      subcommand
          .add_flag_function(
              "--" + spec.name,
              [&flags, name = spec.name](std::int64_t times) {
                flags.options[name] = times > 0 ? "true" : "false";
              },
              flag_text(spec))
          ->group(group);
      continue;
    }
    subcommand
        .add_option_function<std::string>(
            "--" + spec.name,
            [&flags, name = spec.name](const std::string& text) { flags.options[name] = text; },
            flag_text(spec))
        ->type_name(value_name(spec))
        ->group(group);
  }
}

double number_of(const std::string& text, const std::string& flag) {
  try {
    const double value = Expression::parse(text, {}).value({});
    if (std::isfinite(value)) return value;
  } catch (const Error& error) {
    throw Error(fmt::format("'{}': {}", text, error.message()), flag);
  }
  throw Error(fmt::format("'{}' is not finite", text), flag);
}

RunOverrides overrides_of(const ChoiceFlags& flags) {
  RunOverrides overrides;
  overrides.options = flags.options;
  for (const std::string& text : flags.parameters) {
    const auto [name, value] = assignment(text, "--set", "name=value, e.g. mu=0.3");
    overrides.parameters[name] = number_of(value, "--set " + name);
  }
  for (const std::string& text : flags.plugin_options) {
    const std::string form = "kind.option=value, e.g. solver.tolerance=1e-12";
    const auto [key, value] = assignment(text, "--option", form);
    const auto dot = key.find('.');
    if (dot == std::string::npos || dot == 0 || dot + 1 == key.size())
      throw Error(fmt::format("'{}' names no option of a plugin; accepted: {}", text, form),
                  "--option");
    overrides.plugin_options[{key.substr(0, dot), key.substr(dot + 1)}] = value;
  }
  return overrides;
}

std::shared_ptr<const Plugins> plugins_of(const std::vector<std::string>& libraries) {
  auto plugins = std::make_shared<Plugins>(builtin_plugins());
  for (const std::string& library : libraries) load_plugin(*plugins, library);
  return plugins;
}

Scene load_scene(const std::string& file, const Plugins& plugins, const ChoiceFlags& flags) {
  return Scene::load(file, [&](const RunChoices& run) { return check_run(run, plugins); },
                     {flags.allowed.begin(), flags.allowed.end()});
}

Simulation make_simulation(const Scene& scene, const RunOverrides& overrides,
                           const std::shared_ptr<const Plugins>& plugins) {
  try {
    return Simulation(scene, overrides, plugins);
  } catch (const SceneError&) {
    throw;
  } catch (const Error& error) {
    if (!overrides.options.contains(error.where())) throw;
    throw Error(error.message(), "--" + error.where());
  }
}

void print(const Json& json) {
  const std::string text = json.dump(2, ' ', false, Json::error_handler_t::replace);
  say(stdout, "{}\n", text);
}

Json to_json(const RunSummary& summary) {
  return Json::parse(summary_json(summary));
}

Json errors_json(const std::exception& error) {
  Json errors = Json::array();
  if (const auto* scene = dynamic_cast<const SceneError*>(&error)) {
    for (const Diagnostic& mistake : scene->diagnostics())
      errors.push_back({{"file", mistake.file},
                        {"line", mistake.line},
                        {"key", mistake.key},
                        {"message", mistake.message}});
  } else if (const auto* robot = dynamic_cast<const RobotError*>(&error)) {
    for (const RobotMistake& mistake : robot->mistakes())
      errors.push_back(
          {{"file", mistake.file}, {"line", mistake.line}, {"message", mistake.message}});
  } else if (const auto* known = dynamic_cast<const Error*>(&error)) {
    errors.push_back({{"where", known->where()}, {"message", known->message()}});
  } else {
    errors.push_back({{"message", error.what()}});
  }
  return errors;
}

void print_error(const std::exception& error, const Command& command, int exit_code) {
  if (command.json) {
    print({{"ok", false}, {"exit_code", exit_code}, {"errors", errors_json(error)}});
    return;
  }
  if (const auto* scene = dynamic_cast<const SceneError*>(&error)) {
    for (const Diagnostic& mistake : scene->diagnostics()) say(stderr, "{}\n", mistake.text());
    return;
  }
  say(stderr, "{}\n", error.what());
}

}  // namespace vinci
