// SPDX-License-Identifier: Apache-2.0
// `vinci plan --robot`: paths of joints.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/plan_flags.h"
#include "apps/stop_signal.h"
#include "apps/text.h"
#include "vinci/base/clock.h"
#include "vinci/passage/passage_recording.h"
#include "vinci/passage/robot_passage.h"

namespace vinci {
namespace {

RobotPassageQuery query_of(const PlanFlags& flags, const PlanNumbers& numbers) {
  RobotPassageQuery query;
  query.choice.robot = flags.robot;
  query.choice.tip = flags.tip;
  query.choice.joints = names_in(flags.joints, "--joints");
  query.choice.hold = names_in(flags.hold, "--hold");
  for (const std::string& text : flags.carried)
    for (const auto& [body, link] : assignments(text, "--carry", "body=link"))
      if (!query.choice.carried.emplace(body, link).second)
        throw Error(fmt::format("'{}' is given twice", body), "--carry");
  query.goal = plan_ranges(flags.goal, numbers, "--goal");
  query.bounds = plan_ranges(flags.bounds, numbers, "--bounds");
  query.clearance = numbers(flags.clearance, "--clearance");
  query.self_clearance = numbers(flags.self_clearance, "--self-clearance");
  query.resolution = numbers(flags.resolution, "--resolution");
  query.effort = flags.effort;
  query.seed = flags.seed;
  query.stop = [] { return stop_wanted(); };
  return query;
}

std::map<std::string, double> start_of(const std::string& text, const PlanNumbers& numbers) {
  std::map<std::string, double> start;
  for (const auto& [name, value] : assignments(text, "--start", "joint=value"))
    if (!start.emplace(name, numbers(value, "--start " + name)).second)
      throw Error(fmt::format("'{}' is given twice", name), "--start");
  return start;
}

Json configuration_json(const RobotPassageResult& result, const VectorX& x) {
  Json json = Json::object();
  for (std::size_t k = 0; k < result.joints.size(); ++k)
    json[result.joints[k]] = x[static_cast<Eigen::Index>(k)];
  return json;
}

Json trajectory_json(const RobotPassageResult& result) {
  Json points = Json::array();
  for (const VectorX& knot : result.knots)
    points.push_back(std::vector<double>(knot.begin(), knot.end()));
  return {{"duration", result.trajectory->duration()},
          {"smooth", result.smooth},
          {"times", result.times},
          {"points", points}};
}

Json robot_json(const RobotPassageQuery& query, const RobotPassageResult& result, double seconds) {
  Json path = Json::array();
  for (const VectorX& x : result.path) path.push_back(configuration_json(result, x));
  Json start = Json::object();
  for (const auto& [name, value] : query.start) start[name] = value;
  Json json = {{"start", start},
               {"status", to_string(result.status)},
               {"note", result.note},
               {"length", result.length},
               {"least_gap", result.least_gap},
               {"samples", result.samples},
               {"queries", result.queries},
               {"seconds", seconds},
               {"path", path}};
  if (result.trajectory) json["trajectory"] = trajectory_json(result);
  return json;
}

std::string configuration_text(const RobotPassageResult& result, const VectorX& x) {
  std::string text;
  for (std::size_t k = 0; k < result.joints.size(); ++k)
    text += fmt::format("{}{} {:.4g}", text.empty() ? "" : ", ", result.joints[k],
                        x[static_cast<Eigen::Index>(k)]);
  return text;
}

void print_robot(const std::string& name, const std::string& start,
                 const RobotPassageResult& result, double seconds) {
  say(stdout, "{}{}: {}\n", name, start.empty() ? "" : " from " + start, to_string(result.status));
  say(stdout, "  {}\n", result.note);
  if (result.status == PassageStatus::found) {
    say(stdout, "  {}, {} m long, gap at least {} m, {} s{}\n",
        plural(static_cast<std::int64_t>(result.path.size()), "configuration"),
        short_number(result.length), short_number(result.least_gap),
        short_number(result.trajectory->duration()), result.smooth ? "" : " with stops in between");
    say(stdout, "  ends at {}\n", configuration_text(result, result.path.back()));
  }
  say(stdout, "  {}, {} of the detector, {} s\n", plural(result.samples, "sample"),
      plural(result.queries, "call"), short_number(seconds));
}

void record(const PlanRun& run, const RobotPassageQuery& query, const RobotPassageResult& result,
            const std::string& file) {
  try {
    record_motion(file, run.simulation.scene(), overrides_of(run.flags.choices).parameters,
                  run.plugins, query, result, run.flags.overwrite);
  } catch (const Error& error) {
    throw Failure(error);
  }
}

}  // namespace

int plan_robot(const PlanRun& run) {
  const PlanFlags& flags = run.flags;
  const PlanNumbers numbers(run.simulation.model());
  RobotPassageQuery query = query_of(flags, numbers);
  std::vector<std::map<std::string, double>> starts;
  for (const std::string& text : flags.starts) starts.push_back(start_of(text, numbers));
  if (starts.empty()) starts.emplace_back();

  listen_for_stop();
  const auto detector = run.plugins->detectors.make(run.simulation.options().text("detector"));
  const std::string name = !flags.robot.empty() ? flags.robot
                           : !flags.tip.empty() ? flags.tip
                                                : fmt::format("{}", fmt::join(flags.joints, ", "));
  Json passages = Json::array();
  std::vector<std::string> joints;
  bool all_found = true;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    query.start = starts[i];
    const Stopwatch clock;
    const RobotPassageResult result = find_robot_passage(run.simulation.model(), *detector, query);
    const double seconds = clock.seconds();
    if (result.status == PassageStatus::stopped) return exit_stopped();
    const bool found = result.status == PassageStatus::found;
    all_found = all_found && found;
    joints = result.joints;
    passages.push_back(robot_json(query, result, seconds));
    if (!run.command.json)
      print_robot(name, flags.starts.empty() ? "" : flags.starts[i], result, seconds);
    if (flags.output.empty() || !found) continue;
    const std::string file = recording_of(flags, i);
    record(run, query, result, file);
    passages.back()["recording"] = file;
    if (!run.command.json) say(stdout, "  {}\n", file);
  }
  const int code = all_found ? exit_good : exit_failed;
  if (run.command.json)
    print({{"ok", all_found},
           {"exit_code", code},
           {"scene", flags.scene},
           {"robot", name},
           {"joints", joints},
           {"passages", passages}});
  return code;
}

}  // namespace vinci
