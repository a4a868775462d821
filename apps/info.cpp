// SPDX-License-Identifier: Apache-2.0
// `vinci info`: what a recording holds and how its run went.
#include <fmt/format.h>

#include "apps/command.h"
#include "apps/constraints_text.h"
#include "apps/event_table.h"
#include "apps/recorded_run.h"
#include "apps/report.h"
#include "apps/text.h"

namespace vinci {
namespace {

struct InfoFlags {
  std::string recording;
  bool events = false;
};

std::string standing(const Recording& recording, const RunResult& result) {
  if (result.summary.diverged())
    return fmt::format("diverged in step {} (body '{}')", result.facts.step,
                       result.summary.diverged_body_name);
  if (result.summary.ending != 0)
    return fmt::format("ended in step {}: {}", result.facts.step, result.summary.ending_text());
  if (recording.has_writer()) return "still running";
  if (result.facts.step >= result.facts.total_steps) return "complete";
  const Json options = Json::parse(recording.options_json(), nullptr, false);
  const bool by_code = options.is_object() && options.contains("code");
  const std::string hint =
      by_code ? std::string(
                    "; code of a calling program took part, and only that program can continue it")
              : fmt::format("; continue with: vinci run --resume {}", result.recording.string());
  return (recording.finished() ? "stopped before its end" : "killed") + hint;
}

Json poses_json(const Recording& recording, const State& state) {
  Json bodies = Json::array();
  for (std::size_t i = 0; i < state.poses.size(); ++i) {
    const Pose& pose = state.poses[i];
    const Quaternion& q = pose.rotation;
    bodies.push_back({{"name", recording.body_names()[i]},
                      {"position", {pose.position.x(), pose.position.y(), pose.position.z()}},
                      {"rotation", {q.w(), q.x(), q.y(), q.z()}}});
  }
  return bodies;
}

void print_options(const Json& options) {
  if (!options.is_object()) return;
  auto line = [&](const char* key, const char* name) {
    const Json values = options.value(name, Json::object());
    std::string text;
    if (!values.is_object()) return;
    for (const auto& [option, value] : values.items())
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", option,
                          value.is_string() ? value.get<std::string>() : value.dump());
    if (!text.empty()) say(stdout, "  {}{}\n", padded(key, 16), wrapped(text, 62, 18));
  };
  line("parameters", "parameters");
  line("options", "run");
  const Json plugins = options.value("plugins", Json::object());
  if (!plugins.is_object()) return;
  for (const auto& [kind, values] : plugins.items()) {
    std::string text;
    if (!values.is_object()) continue;
    for (const auto& [option, value] : values.items())
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", option,
                          value.is_string() ? value.get<std::string>() : value.dump());
    if (!text.empty()) say(stdout, "  {}{}\n", padded(kind, 16), wrapped(text, 62, 18));
  }
}

void print_poses(const Recording& recording, const State& state) {
  constexpr std::size_t most = 20;  // bodies shown; the others are in the JSON and the tables
  std::size_t width = 4;
  const auto& names = recording.body_names();
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i)
    width = std::max(width, std::min<std::size_t>(columns(names[i]), 20));
  say(stdout, "\n  {} {:>11} {:>11} {:>11}   {}\n", padded("body", width), "x [m]", "y [m]",
      "z [m]", "rotation w x y z");
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i) {
    const Pose& pose = state.poses[i];
    const Quaternion& q = pose.rotation;
    say(stdout, "  {} {:>11.5g} {:>11.5g} {:>11.5g}   {:.4f} {:.4f} {:.4f} {:.4f}\n",
        padded(shortened(names[i], width), width), pose.position.x(), pose.position.y(),
        pose.position.z(), q.w(), q.x(), q.y(), q.z());
  }
  if (names.size() > most) say(stdout, "  and {} more\n", names.size() - most);
}

// The model with which the run began, if it has constraints or machines; null also of a recording
// whose scene this version does not read.
std::shared_ptr<const Model> switched_model(const Recording& recording) {
  const std::string& text = recording.scene_text();
  if (text.find("constraints") == std::string::npos && text.find("machines") == std::string::npos)
    return nullptr;
  try {
    const Scene scene = Scene::parse(recording.scene_text());
    return scene.compile(recorded_overrides(recording, scene).parameters);
  } catch (const Error&) {
    return nullptr;
  }
}

int run_info(const InfoFlags& flags, const Command& command) {
  const Recording recording(flags.recording);
  const RunResult result =
      result_of(recording, std::filesystem::path(flags.recording).stem().string());
  const State state = recording.state(recording.frames() - 1);
  const Json options = Json::parse(recording.options_json(), nullptr, false);
  const auto model = switched_model(recording);
  const Json constraints = model ? constraints_json(*model) : Json::array();
  const Json machines = model ? machines_json(*model) : Json::array();
  if (command.json) {
    Json json = {{"ok", true},
                 {"version", recording.version()},
                 {"created", recording.created()},
                 {"standing", standing(recording, result)},
                 {"finished", recording.finished()},
                 {"has_writer", recording.has_writer()},
                 {"options", options.is_discarded() ? Json() : options},
                 {"scene_text", recording.scene_text()},
                 {"constraints", constraints},
                 {"machines", machines}};
    json.update(to_json(result));
    json["bodies"] = poses_json(recording, state);
    if (flags.events) json["event_list"] = events_json(recording);
    print(json);
    return exit_good;
  }
  print_summary(result);
  say(stdout, "  {}{}\n", padded("run", 16), standing(recording, result));
  say(stdout, "  {}vinci {}, {}\n", padded("made by", 16), recording.version(),
      recording.created());
  print_options(options);
  print_constraints(constraints, machines);
  print_poses(recording, state);
  if (flags.events) print_events(recording);
  return exit_good;
}

}  // namespace

void add_info(CLI::App& app, Command& command) {
  auto flags = std::make_shared<InfoFlags>();
  CLI::App* subcommand =
      add_subcommand(app, "info", "Summarise a recording: where it comes from, how the run went.");
  subcommand->add_option("recording", flags->recording, "The recording (RUN.h5).")
      ->type_name("")
      ->required();
  subcommand->add_flag("--events", flags->events, "List the events of event-driven steps.");
  add_json_flag(*subcommand, command);
  subcommand->callback([flags, &command] {
    command.action = [flags, &command] { return run_info(*flags, command); };
  });
}

}  // namespace vinci
