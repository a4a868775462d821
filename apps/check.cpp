// SPDX-License-Identifier: Apache-2.0
// `vinci check`: every mistake of every scene given, and one line for each good one.
#include <set>

#include <fmt/format.h>

#include "apps/command.h"
#include "apps/constraints_text.h"
#include "apps/overlaps.h"
#include "apps/text.h"
#include "vinci/control/signal_controller.h"
#include "vinci/events/impact_energy.h"
#include "vinci/formulation/loop_analysis.h"

namespace vinci {
namespace {

struct CheckFlags {
  std::vector<std::string> scenes;
  ChoiceFlags choices;
};

Json names_of(const std::vector<int>& bodies, const Model& model) {
  Json names = Json::array();
  for (const int body : bodies) names.push_back(model.bodies[static_cast<std::size_t>(body)].name);
  return names;
}

// Of loops that have something to tell; of all, how many freedoms there are.
Json loops_of(const LoopAnalysis& analysis, const Model& model) {
  Json loops = Json::array();
  for (const LoopFacts& loop : analysis.loops)
    if (loop.redundant > 0 || loop.singular > 0)
      loops.push_back({{"name", loop.coupling >= 0
                                    ? model.couplings[static_cast<std::size_t>(loop.coupling)].name
                                    : model.joints[static_cast<std::size_t>(loop.joint)].name},
                       {"bodies", names_of(loop.bodies, model)},
                       {"rows", loop.rows},
                       {"redundant", loop.redundant},
                       {"singular", loop.singular}});
  return loops;
}

// Of the scene, of gains that change while it runs, and of what may end it.
std::vector<std::string> notes_of(const std::string& file, const Simulation& simulation) {
  std::vector<std::string> notes = simulation.scene().notes();
  for (const auto& controller : simulation.model().controllers)
    if (const auto* signals = dynamic_cast<const SignalDescription*>(controller.get()))
      for (const std::string& note :
           signals->network().gain_notes(simulation.options().real("duration")))
        notes.push_back(fmt::format("{}: note: {}", file, note));
  if (const std::string caution = simulation.caution(); !caution.empty())
    notes.push_back(fmt::format("{}: note: {}", file, caution));
  return notes;
}

Json facts(const std::string& file, const Simulation& simulation, const Plugins& plugins) {
  const Model& model = simulation.model();
  std::int64_t moving = 0;
  for (const Body& body : model.bodies) moving += body.velocity_size > 0 ? 1 : 0;
  std::set<std::string> kinds;
  for (const PlacedShape& placed : model.shapes) kinds.insert(kind_of(placed.shape));
  const Overlaps overlaps = find_overlaps(simulation, plugins);
  const LoopAnalysis loops = analyse_loops(model, simulation.state());
  Json gains = Json::array();
  for (const ImpactGain& gain : gains_of(simulation))
    gains.push_back(
        {{"what", gain.what}, {"gain", gain.gain}, {"speed", gain.speed}, {"text", text_of(gain)}});
  Json groups = Json::array();
  for (const OverlapGroup& group : overlaps.groups)
    groups.push_back({{"bodies", names_of(group.bodies, model)}, {"depth", group.depth}});
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
          {"notes", notes_of(file, simulation)},
          {"constraints", constraints_json(model)},
          {"machines", machines_json(model)},
          {"energy_gains", gains},
          {"freedoms", loops.freedoms},
          {"loops", loops_of(loops, model)},
          {"overlaps", groups},
          {"overlaps_complete", overlaps.is_complete}};
}

// "'a' and 'b'"; of many, the first.
std::string some_names(const Json& bodies) {
  constexpr std::size_t most = 3;
  std::string text;
  const std::size_t shown = bodies.size() > most + 1 ? most : bodies.size();
  for (std::size_t i = 0; i < shown; ++i)
    text += (i == 0                   ? "'"
             : i + 1 == bodies.size() ? " and '"
                                      : ", '") +
            bodies[i].get<std::string>() + "'";
  return shown < bodies.size() ? fmt::format("{} and {} more", text, bodies.size() - shown) : text;
}

void print_loop(const Json& scene, const Json& loop) {
  const std::string bodies =
      loop["bodies"].empty() ? "" : fmt::format(" of {}", some_names(loop["bodies"]));
  const auto told = [&](const char* key, const char* words) {
    const int count = loop[key];
    if (count > 0)
      say(stdout, "{}: note: loop '{}'{}: {} of its {} rows {}\n", scene["file"].get<std::string>(),
          loop["name"].get<std::string>(), bodies, count, loop["rows"].get<int>(), words);
  };
  told("redundant",
       "follow from others wherever it stands (redundant): the motion is as without them, and one "
       "rule chooses the loads that they share");
  told("singular",
       "follow from others where it begins (singular): from there it can move on in more ways than "
       "one");
}

void print_good(const Json& scene) {
  const auto kinds = scene["kinds"].get<std::vector<std::string>>();
  const std::string list = kinds.empty() ? "" : fmt::format(" ({})", fmt::join(kinds, ", "));
  std::string switched;
  if (!scene["constraints"].empty())
    switched += ", " + plural(static_cast<std::int64_t>(scene["constraints"].size()), "constraint");
  if (!scene["machines"].empty())
    switched += ", " + plural(static_cast<std::int64_t>(scene["machines"].size()), "machine");
  say(stdout, "{}: OK: {}, {} ({} moving), {}{}{}, {} of {} s\n", scene["file"].get<std::string>(),
      scene["world"].get<std::string>(), plural(scene["bodies"], "body"),
      scene["moving"].get<int>(), plural(scene["shapes"], "shape"), list, switched,
      plural(scene["steps"], "step"), scene["step"].get<double>());
  for (const Json& gain : scene["energy_gains"])
    say(stdout, "{}: warning: {}\n", scene["file"].get<std::string>(),
        gain["text"].get<std::string>());
  for (const Json& note : scene["notes"]) say(stdout, "{}\n", note.get<std::string>());
  for (const Json& loop : scene["loops"]) print_loop(scene, loop);
  for (const Json& overlap : scene["overlaps"])
    say(stdout,
        "{}: note: {} begin {}{} m inside each other; the first steps take that out of positions, "
        "or out of layers\n",
        scene["file"].get<std::string>(), some_names(overlap["bodies"]),
        overlap["bodies"].size() > 2 ? "up to " : "", short_number(overlap["depth"]));
  if (!scene["overlaps_complete"].get<bool>())
    say(stdout,
        "{}: note: so many bodies are near each other that overlaps of some only are told\n",
        scene["file"].get<std::string>());
}

int run_check(const CheckFlags& flags, const Command& command) {
  const auto plugins = plugins_of(flags.choices.libraries);
  const RunOverrides overrides = overrides_of(flags.choices);
  Json scenes = Json::array();
  int code = exit_good;
  for (const std::string& file : flags.scenes) {
    try {
      scenes.push_back(facts(
          file, make_simulation(load_scene(file, *plugins, flags.choices), overrides, plugins),
          *plugins));
      if (!command.json) print_good(scenes.back());
    } catch (const Error& error) {
      code = exit_bad_input;
      if (!command.json) {
        const bool placed = dynamic_cast<const SceneError*>(&error) != nullptr;
        if (!placed && error.where() != file) say(stderr, "{}: ", file);
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
