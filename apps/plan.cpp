// SPDX-License-Identifier: Apache-2.0
// `vinci plan`: can a body pass, can a robot get there? Searches a certified path from each start
// to the goal.
#include <algorithm>

#include <fmt/format.h>

#include "apps/plan_flags.h"
#include "apps/stop_signal.h"
#include "apps/text.h"
#include "vinci/base/clock.h"
#include "vinci/passage/passage.h"
#include "vinci/passage/passage_recording.h"

namespace vinci {
namespace {

// The body's pose in the scene with some coordinates replaced.
Pose start_of(const Body& body, const std::string& text, const PlanNumbers& numbers) {
  std::array<std::optional<double>, coordinate_count> given;
  for (const auto& [name, value] : assignments(text, "--start", "coordinate=value")) {
    int coordinate = 0;
    while (coordinate < coordinate_count &&
           !(has_coordinate(body, coordinate) && name == coordinate_name(body.freedom, coordinate)))
      ++coordinate;
    if (coordinate == coordinate_count)
      throw Error(fmt::format("'{}' is not a coordinate of '{}'", name, body.name), "--start");
    given[coordinate] = numbers(value, "--start " + name);
  }
  return with_coordinates(body, body.initial_pose, given);
}

int find_body(const Model& model, const std::string& name) {
  std::vector<std::string> movable;
  for (const Body& body : model.bodies)
    if (body.freedom != Freedom::fixed && !body.is_prescribed()) movable.push_back(body.name);
  if (name.empty() && movable.size() == 1) return model.find_body(movable.front());
  const int body = model.find_body(name);
  if (body >= 0) return body;
  if (movable.empty()) throw Error("the scene has no body that moves freely", "--body");
  throw Error(name.empty()
                  ? fmt::format("several bodies move; give one of {}", fmt::join(movable, ", "))
                  : fmt::format("there is no body '{}'; bodies that move: {}", name,
                                fmt::join(movable, ", ")),
              "--body");
}

Json pose_json(const Body& body, const Pose& pose) {
  Json json = Json::object();
  const std::array<double, coordinate_count> values = coordinates(body, pose);
  for (int i = 0; i < coordinate_count; ++i)
    if (has_coordinate(body, i)) json[coordinate_name(body.freedom, i)] = values[i];
  return json;
}

Json to_json(const Body& body, const Pose& start, const PassageResult& result, double seconds) {
  Json path = Json::array();
  for (const Pose& pose : result.path) path.push_back(pose_json(body, pose));
  return {{"start", pose_json(body, start)},
          {"status", to_string(result.status)},
          {"note", result.note},
          {"length", result.length},
          {"least_gap", result.least_gap},
          {"samples", result.samples},
          {"queries", result.queries},
          {"seconds", seconds},
          {"path", path}};
}

std::string pose_text(const Body& body, const Pose& pose) {
  std::string text;
  const std::array<double, coordinate_count> values = coordinates(body, pose);
  for (int i = 0; i < coordinate_count; ++i)
    if (has_coordinate(body, i))
      text +=
          fmt::format("{}{} {:.4g}{}", text.empty() ? "" : ", ", coordinate_name(body.freedom, i),
                      i < 3 ? values[i] : values[i] * 180.0 / M_PI, i < 3 ? "" : " deg");
  return text;
}

void print_result(const Body& body, const Pose& start, const PassageResult& result,
                  double seconds) {
  say(stdout, "{} from {}: {}\n", body.name, pose_text(body, start), to_string(result.status));
  say(stdout, "  {}\n", result.note);
  if (result.status == PassageStatus::found)
    say(stdout, "  {}, {} m long, gap at least {} m, ends at {}\n",
        plural(static_cast<std::int64_t>(result.path.size()), "pose"), short_number(result.length),
        short_number(result.least_gap), pose_text(body, result.path.back()));
  say(stdout, "  {}, {} of the detector, {} s\n", plural(result.samples, "sample"),
      plural(result.queries, "call"), short_number(seconds));
}

// Before the search, which may take long.
void check_recordings(const PlanFlags& flags) {
  if (flags.output.empty() || flags.overwrite) return;
  for (std::size_t i = 0; i < std::max<std::size_t>(flags.starts.size(), 1); ++i) {
    const std::string file = recording_of(flags, i);
    std::error_code code;
    if (std::filesystem::exists(file, code))
      throw Error("exists already; give --overwrite to replace it, or another place with --output",
                  file);
  }
}

void write_recording(const PlanFlags& flags, const Simulation& simulation,
                     const std::shared_ptr<const Plugins>& plugins, int body,
                     const PassageResult& result, const std::string& file) {
  try {
    record_path(file, simulation.scene(), overrides_of(flags.choices).parameters, plugins, body,
                result.path, flags.overwrite);
  } catch (const Error& error) {
    throw Failure(error);
  }
}

int run_plan(const PlanFlags& flags, const Command& command) {
  if (flags.moves_joints() && !flags.body.empty())
    throw Error("a body moves by itself; accepted: this or --robot, --joints and --tip", "--body");
  check_recordings(flags);
  const auto plugins = plugins_of(flags.choices.libraries);
  const Simulation simulation = make_simulation(load_scene(flags.scene, *plugins, flags.choices),
                                                overrides_of(flags.choices), plugins);
  if (flags.moves_joints()) return plan_robot({flags, command, simulation, plugins});
  if (!flags.hold.empty() || !flags.carried.empty() || flags.self_clearance != "0")
    throw Error("needs joints that move; accepted with --robot, --joints or --tip",
                !flags.hold.empty()      ? "--hold"
                : !flags.carried.empty() ? "--carry"
                                         : "--self-clearance");
  const Model& model = simulation.model();
  const PlanNumbers numbers(model);
  PassageQuery query;
  query.body = find_body(model, flags.body);
  const Body& body = model.bodies[query.body];
  query.goal = plan_ranges(flags.goal, numbers, "--goal");
  query.bounds = plan_ranges(flags.bounds, numbers, "--bounds");
  query.clearance = numbers(flags.clearance, "--clearance");
  query.resolution = numbers(flags.resolution, "--resolution");
  query.effort = flags.effort;
  query.seed = flags.seed;
  query.stop = [] { return stop_wanted(); };
  std::vector<Pose> starts;
  for (const std::string& text : flags.starts) starts.push_back(start_of(body, text, numbers));
  if (starts.empty()) starts.push_back(body.initial_pose);

  listen_for_stop();
  const auto detector = plugins->detectors.make(simulation.options().text("detector"));
  Json passages = Json::array();
  bool all_found = true;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    query.start = starts[i];
    const Stopwatch clock;
    const PassageResult result = find_passage(model, *detector, query);
    const double seconds = clock.seconds();
    if (result.status == PassageStatus::stopped) return exit_stopped();
    const bool found = result.status == PassageStatus::found;
    all_found = all_found && found;
    passages.push_back(to_json(body, starts[i], result, seconds));
    if (!command.json) print_result(body, starts[i], result, seconds);
    if (flags.output.empty() || !found) continue;
    const std::string file = recording_of(flags, i);
    write_recording(flags, simulation, plugins, query.body, result, file);
    passages.back()["recording"] = file;
    if (!command.json) say(stdout, "  {}\n", file);
  }
  const int code = all_found ? exit_good : exit_failed;
  if (command.json)
    print({{"ok", all_found},
           {"exit_code", code},
           {"scene", flags.scene},
           {"body", body.name},
           {"passages", passages}});
  return code;
}

}  // namespace

void add_plan(CLI::App& app, Command& command) {
  auto flags = std::make_shared<PlanFlags>();
  CLI::App* subcommand = add_subcommand(
      app, "plan", "Search a collision-free path of a body or a robot: can it pass at all?");
  auto add_list = [&](const char* name, std::vector<std::string>& values, const char* text,
                      const char* type) {
    return subcommand->add_option(name, values, text)
        ->type_name(type)
        ->allow_extra_args(false)
        ->take_all();
  };
  subcommand->add_option("scene", flags->scene, "Scene file (YAML).")->type_name("")->required();
  subcommand
      ->add_option("--body", flags->body, "The body that moves. [the only one that moves freely]")
      ->type_name("NAME");
  subcommand->add_option("--robot", flags->robot, "The robot whose joints move, instead of a body.")
      ->type_name("NAME");
  add_list("--joints", flags->joints, "The joints that move: 'elbow, wrist'.", "NAMES");
  add_list("--hold", flags->hold, "Joints that stand still all the same.", "NAMES");
  subcommand
      ->add_option(
          "--tip", flags->tip,
          "A body or frame whose pose is the goal; without --robot and --joints the joints "
          "that it hangs on move.")
      ->type_name("NAME");
  add_list("--carry", flags->carried, "Bodies that move along with others: 'phone=hand.palm'.",
           "BODY=LINK");
  add_list("--goal", flags->goal,
           "Where the motion must end: 'y=..-0.2, angle=-10 deg..10 deg', of joints 'elbow=0..1'. "
           "Ends that are missing are free.",
           "RANGES")
      ->required();
  add_list(
      "--start", flags->starts,
      "Begin elsewhere than the scene says: 'x=0.1, angle=90 deg'. May be given several times, "
      "for one search each.",
      "POSE");
  add_list(
      "--bounds", flags->bounds,
      "Where the body's origin may go: 'x=-1..1' [around all bodies, start and goal]; of joints "
      "their coordinates [their limits].",
      "RANGES");
  subcommand->add_option("--clearance", flags->clearance, "Gap to keep to all bodies, in m. [0]")
      ->type_name("NUMBER");
  subcommand
      ->add_option("--self-clearance", flags->self_clearance,
                   "Of joints: gap to keep between links, in m, at most the clearance. [0]")
      ->type_name("NUMBER");
  subcommand
      ->add_option("--resolution", flags->resolution,
                   "Room below which a motion is given up, in m. [1e-4 of the body's radius, or of "
                   "the longest lever]")
      ->type_name("NUMBER");
  subcommand
      ->add_option("--effort", flags->effort,
                   fmt::format("Random poses to try at most. [{}]", flags->effort))
      ->type_name("INTEGER");
  subcommand->add_option("--seed", flags->seed, "Of the random poses. [0]")->type_name("INTEGER");
  add_list("--set", flags->choices.parameters, "Set a parameter of the scene.", "NAME=VALUE");
  subcommand
      ->add_option_function<std::string>(
          "--detector",
          [flags](const std::string& name) { flags->choices.options["detector"] = name; },
          "Collision detector, over the scene's. [exact]")
      ->type_name("NAME");
  add_list("--allow-path", flags->choices.allowed,
           "A folder that the scene may read files from besides its own.", "FOLDER");
  add_plugin_flag(*subcommand, flags->choices.libraries);
  subcommand
      ->add_option("-o,--output", flags->output,
                   "Record the path, for 'vinci view'; of several starts 'path-1.h5', ...")
      ->type_name("PATH");
  subcommand->add_flag("--overwrite", flags->overwrite, "Replace recordings that exist.");
  add_json_flag(*subcommand, command);
  subcommand->callback([flags, &command] {
    command.action = [flags, &command] { return run_plan(*flags, command); };
  });
}

}  // namespace vinci
