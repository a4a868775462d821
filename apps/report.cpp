// SPDX-License-Identifier: Apache-2.0
// The summary of a run, the table of several, the profile of its stages.
#include "apps/report.h"

#include <algorithm>

#include <fmt/format.h>

#include "apps/table.h"
#include "apps/text.h"

namespace vinci {
namespace {

double wall(const RunSummary& summary) {
  return std::max(summary.wall_seconds, 1e-9);
}

std::string residual_text(const RunResult& result) {
  const RunSummary& summary = result.summary;
  if (summary.steps == 0) return "no step was made";
  const std::string worst = fmt::format(
      "{} relative, in step {}", short_number(summary.worst_residual), summary.worst_residual_step);
  if (summary.inexact_steps == 0)
    return fmt::format("{}; every step within {}", worst, short_number(result.accept));
  return fmt::format("{}; {} ABOVE {}", worst, plural(summary.inexact_steps, "step"),
                     short_number(result.accept));
}

std::string energy_change(const RunSummary& summary) {
  return short_number(summary.energy_last - summary.energy_first);
}

}  // namespace

RunResult result_of(const Recording& recording, const std::string& name) {
  RunResult result;
  result.name = name;
  result.title = recording.title();
  result.recording = recording.path();
  result.summary = recording.summary();
  result.frames = recording.frames();
  result.total_steps = recording.total_steps();
  const FrameInfo last = recording.info(recording.frames() - 1);
  result.step = last.step;
  result.time = last.time;
  const Json options = Json::parse(recording.options_json(), nullptr, false);
  if (options.is_object() && options.contains("run") && options["run"].is_object()) {
    result.step_size = options["run"].value("step", 0.0);
    result.accept = options["run"].value("accept", 0.0);
  }
  std::error_code code;
  result.bytes = std::filesystem::file_size(recording.path(), code);
  return result;
}

void print_summary(const RunResult& result) {
  const RunSummary& s = result.summary;
  fmt::print("{}\n", result.title.empty() ? result.name : result.title);
  auto line = [](const char* key, const std::string& text) {
    fmt::print("  {}{}\n", padded(key, 16), text);
  };
  line("steps", fmt::format("{} of {}, {} s each: {} s simulated", result.step, result.total_steps,
                            short_number(result.step_size), short_number(result.time)));
  if (s.substeps > s.steps)
    line("substeps", fmt::format("{}, {:.1f} per step", s.substeps,
                                 static_cast<double>(s.substeps) / static_cast<double>(s.steps)));
  if (s.coarse_steps > 0)
    line("coarse",
         fmt::format("{}: the layers ask for shorter substeps than `most-substeps` allows",
                     plural(s.coarse_steps, "step")));
  line("wall time", fmt::format("{} s, {} times real time", short_number(s.wall_seconds),
                                short_number(result.time / wall(s))));
  line("contacts", fmt::format("mean {:.1f}, most {}", s.contacts_mean, s.contacts_max));
  line("worst residual", residual_text(result));
  line("penetration", fmt::format("deepest {} m", short_number(s.worst_penetration)));
  line("energy", fmt::format("first {:.6g} J, last {:.6g} J", s.energy_first, s.energy_last));
  if (s.fallback_steps > 0)
    line("fallback", fmt::format("{} had no solution and left out the stabilisation",
                                 plural(s.fallback_steps, "step")));
  if (s.free_steps > 0)
    line("not unique",
         fmt::format("the motion of {}: nothing holds '{}' in some direction, and it took "
                     "the least motion",
                     plural(s.free_steps, "step"), s.free_body));
  if (s.impacts > 0) line("impacts", fmt::format("{} whose time was found", s.impacts));
  line("state hash", s.state_hash);
  line("recording", fmt::format("{} ({}, {})", result.recording.string(),
                                plural(result.frames, "frame"), byte_count(result.bytes)));
  if (!result.problems.empty())
    line("problems",
         fmt::format("{} in {}", plural(static_cast<std::int64_t>(result.problems.size()), "file"),
                     std::filesystem::path(result.problems.front()).parent_path().string()));
}

void print_profile(const RunSummary& summary) {
  const double steps = summary.steps > 0 ? static_cast<double>(summary.steps) : 1.0;
  double known = 0.0;
  for (const double seconds : summary.stage_seconds) known += seconds;
  fmt::print("\n  {:<10}{:>12}{:>14}{:>9}\n", "stage", "total s", "mean us/step", "share");
  auto line = [&](const char* name, double seconds) {
    fmt::print("  {:<10}{:>12.6f}{:>14.2f}{:>8.1f}%\n", name, seconds, seconds / steps * 1e6,
               100.0 * seconds / wall(summary));
  };
  for (std::size_t i = 0; i < summary.stage_seconds.size(); ++i)
    line(to_string(static_cast<Stage>(i)), summary.stage_seconds[i]);
  line("recording", std::max(0.0, summary.wall_seconds - known));
  line("all", summary.wall_seconds);
}

void print_table(const std::vector<RunResult>& results) {
  std::vector<Column> cells{
      {"", "scene", {}, true},    {"", "steps", {}},        {"contacts", "most", {}},
      {"worst", "residual", {}},  {"inexact", "steps", {}}, {"deepest", "overlap m", {}},
      {"energy", "change J", {}}, {"wall", "time s", {}},   {"", "recording", {}, true}};
  bool all_whole = true;
  for (const RunResult& result : results) {
    const RunSummary& s = result.summary;
    const bool whole = !s.diverged && s.ending.empty() && result.step >= result.total_steps;
    all_whole = all_whole && whole;
    const std::string row[] = {shortened(result.name, 24),
                               std::to_string(s.steps) + (whole ? "" : "*"),
                               std::to_string(s.contacts_max),
                               short_number(s.worst_residual),
                               std::to_string(s.inexact_steps),
                               short_number(s.worst_penetration),
                               energy_change(s),
                               fmt::format("{:.2f}", s.wall_seconds),
                               result.recording.string()};
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i].rows.push_back(row[i]);
  }
  const bool narrow =
      table_width(cells) > static_cast<std::size_t>(std::max(terminal_width(stdout), 80));
  if (narrow) cells.pop_back();
  print_heads(cells);
  for (std::size_t i = 0; i < results.size(); ++i) print_row(cells, i);
  if (!all_whole) fmt::print("* stopped or diverged before its end\n");
  if (narrow && !results.empty())
    fmt::print("Recordings: {}\n", (results.front().recording.parent_path() / "*.h5").string());
}

Json to_json(const RunResult& result) {
  const RunSummary& s = result.summary;
  Json json = {{"scene", result.name},
               {"title", result.title},
               {"recording", result.recording.string()},
               {"bytes", result.bytes},
               {"frames", result.frames},
               {"step", result.step},
               {"total_steps", result.total_steps},
               {"time", result.time},
               {"step_size", result.step_size},
               {"accept", result.accept},
               {"complete", result.step >= result.total_steps},
               {"interrupted", result.interrupted},
               {"real_time_factor", result.time / wall(s)}};
  json.update(to_json(s));
  if (!result.problems.empty()) json["problems"] = result.problems;
  return json;
}

}  // namespace vinci
