// SPDX-License-Identifier: Apache-2.0
// Options of a recorded run, and its steps once more.
#include "apps/recorded_run.h"

#include "vinci/model/run_options.h"
#include "vinci/recording/replay.h"

namespace vinci {
namespace {

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace

RunOverrides recorded_overrides(const Recording& recording, const Scene& scene) {
  RunOverrides overrides;
  const Json json = Json::parse(recording.options_json(), nullptr, false);
  const Json none = Json::object();
  auto part = [&](const Json& parent, const std::string& key) {
    const Json found = parent.is_object() ? parent.value(key, none) : none;
    return found.is_object() ? found : none;
  };
  if (json.is_object() && json.contains("code") && json["code"].is_array() &&
      !json["code"].empty()) {
    std::string names;
    for (const Json& name : json["code"]) names += (names.empty() ? "" : ", ") + text_of(name);
    throw Error(
        "code of a calling program took part in the run, which a recording does not hold (" +
            names + "); continue it from that program",
        recording.path().string());
  }
  const Json run = part(json, "run"), plugins = part(json, "plugins");
  const Json parameters = part(json, "set_parameters");
  for (const auto& [name, value] : parameters.items())
    if (value.is_number()) overrides.parameters[name] = value.get<double>();
  OptionValues written(run_option_table());
  for (const auto& [name, text] : scene.run(overrides.parameters).values)
    written.set_text(name, text);
  const Json base = Json::parse(written.to_json());
  for (const auto& [name, value] : run.items())
    if (base.value(name, Json()) != value) overrides.options[name] = text_of(value);
  for (const auto& [kind, values] : plugins.items())
    if (values.is_object())
      for (const auto& [name, value] : values.items())
        overrides.plugin_options[{kind, name}] = text_of(value);
  return overrides;
}

ComplementarityProblem recorded_problem(const Recording& recording, std::int64_t step,
                                        const std::shared_ptr<const Plugins>& plugins) {
  const Scene scene = Scene::parse(recording.scene_text(), recording.path().stem().string());
  Simulation simulation(scene, recorded_overrides(recording, scene), plugins);
  replay_step(recording, step, simulation);
  return simulation.problem();
}

}  // namespace vinci
