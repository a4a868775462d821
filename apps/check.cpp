// SPDX-License-Identifier: Apache-2.0
// `vinci check`: every mistake of every scene given, and one line for each good one.
#include <set>

#include <fmt/format.h>

#include "apps/command.h"
#include "apps/text.h"

namespace vinci {
namespace {

struct CheckFlags {
  std::vector<std::string> scenes;
  ChoiceFlags choices;
};

// Pairs of bodies that begin inside each other, with their depth in m; depths of rounding do not
// count. The first step pushes them apart.
Json overlaps(const Simulation& simulation, const Plugins& plugins) {
  const Model& model = simulation.model();
  const std::vector<double> reach(model.bodies.size(), 0.0);
  ContactSet contacts;
  plugins.detectors.make(simulation.options().text("detector"))
      ->detect(model, simulation.state().poses, reach, contacts);
  std::map<std::pair<int, int>, double> deepest;
  for (const Contact& contact : contacts) {
    const double size = std::min(model.bodies[contact.body_a].bounding_radius,
                                 model.bodies[contact.body_b].bounding_radius);
    if (-contact.gap <= 1e-6 * size) continue;
    double& depth = deepest[{contact.body_a, contact.body_b}];
    depth = std::max(depth, -contact.gap);
  }
  Json list = Json::array();
  for (const auto& [pair, depth] : deepest)
    list.push_back({{"bodies", {model.bodies[pair.first].name, model.bodies[pair.second].name}},
                    {"depth", depth}});
  return list;
}

Json facts(const std::string& file, const Simulation& simulation, const Plugins& plugins) {
  const Model& model = simulation.model();
  std::int64_t moving = 0;
  for (const Body& body : model.bodies) moving += body.velocity_size > 0 ? 1 : 0;
  std::set<std::string> kinds;
  for (const PlacedShape& placed : model.shapes) kinds.insert(kind_of(placed.shape));
  return {{"file", file},
          {"ok", true},
          {"title", simulation.scene().title()},
          {"world", to_string(model.world)},
          {"bodies", model.bodies.size()},
          {"moving", moving},
          {"shapes", model.shapes.size()},
          {"kinds", kinds},
          {"steps", simulation.total_steps()},
          {"step", simulation.step_size()},
          {"stepper", simulation.options().text("stepper")},
          {"solver", simulation.options().text("solver")},
          {"overlaps", overlaps(simulation, plugins)}};
}

void print_good(const Json& scene) {
  const auto kinds = scene["kinds"].get<std::vector<std::string>>();
  const std::string list = kinds.empty() ? "" : fmt::format(" ({})", fmt::join(kinds, ", "));
  fmt::print("{}: OK: {}, {} ({} moving), {}{}, {} of {} s\n", scene["file"].get<std::string>(),
             scene["world"].get<std::string>(), plural(scene["bodies"], "body"),
             scene["moving"].get<int>(), plural(scene["shapes"], "shape"), list,
             plural(scene["steps"], "step"), scene["step"].get<double>());
  for (const Json& overlap : scene["overlaps"])
    fmt::print(
        "{}: note: '{}' and '{}' begin {} m inside each other; the first step pushes them apart "
        "at {} m/s\n",
        scene["file"].get<std::string>(), overlap["bodies"][0].get<std::string>(),
        overlap["bodies"][1].get<std::string>(), short_number(overlap["depth"]),
        short_number(overlap["depth"].get<double>() / scene["step"].get<double>()));
}

int run_check(const CheckFlags& flags, const Command& command) {
  const auto plugins = plugins_of(flags.choices.libraries);
  const RunOverrides overrides = overrides_of(flags.choices);
  Json scenes = Json::array();
  int code = exit_good;
  for (const std::string& file : flags.scenes) {
    try {
      scenes.push_back(
          facts(file, make_simulation(load_scene(file, *plugins), overrides, plugins), *plugins));
      if (!command.json) print_good(scenes.back());
    } catch (const Error& error) {
      code = exit_bad_input;
      if (!command.json) {
        const bool placed = dynamic_cast<const SceneError*>(&error) != nullptr;
        if (!placed && error.where() != file) fmt::print(stderr, "{}: ", file);
        print_error(error, command, code);
        continue;
      }
      scenes.push_back({{"file", file}, {"ok", false}, {"errors", errors_json(error)}});
    }
  }
  if (command.json) print({{"ok", code == exit_good}, {"exit_code", code}, {"scenes", scenes}});
  return code;
}

}  // namespace

void add_check(CLI::App& app, Command& command) {
  auto flags = std::make_shared<CheckFlags>();
  CLI::App* subcommand =
      add_subcommand(app, "check", "Check scene files and report every mistake.");
  subcommand->add_option("scene", flags->scenes, "Scene files (YAML).")->type_name("")->required();
  add_choice_flags(*subcommand, flags->choices);
  add_json_flag(*subcommand, command);
  subcommand->callback([flags, &command] {
    command.action = [flags, &command] { return run_check(*flags, command); };
  });
}

}  // namespace vinci
