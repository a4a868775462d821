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
  result.facts = recording.facts();
  result.frames = recording.frames();
  std::error_code code;
  result.bytes = std::filesystem::file_size(recording.path(), code);
  return result;
}

void print_summary(const RunResult& result) {
  say(stdout, "{}\n", result.title.empty() ? result.name : result.title);
  const auto line = [](const std::string& key, const std::string& text) {
    say(stdout, "  {}{}\n", padded(key, 16), text);
  };
  for (const auto& [label, words] : summary_lines(result.summary, result.facts)) line(label, words);
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
  say(stdout, "\n  {:<10}{:>12}{:>14}{:>9}\n", "stage", "total s", "mean us/step", "share");
  auto line = [&](const char* name, double seconds) {
    say(stdout, "  {:<10}{:>12.6f}{:>14.2f}{:>8.1f}%\n", name, seconds, seconds / steps * 1e6,
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
      {"worst", "residual", {}},  {"not", "certified", {}}, {"overlap", "m", {}},
      {"energy", "change J", {}}, {"wall", "time s", {}},   {"", "recording", {}, true}};
  bool all_whole = true;
  for (const RunResult& result : results) {
    const RunSummary& s = result.summary;
    const bool whole =
        !s.diverged() && s.ending == 0 && result.facts.step >= result.facts.total_steps;
    all_whole = all_whole && whole;
    const std::string row[] = {shortened(result.name, 24),
                               std::to_string(s.steps) + (whole ? "" : "*"),
                               std::to_string(s.contacts_max),
                               short_number(s.worst_residual),
                               std::to_string(s.uncertified_steps),
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
  if (!all_whole) say(stdout, "* stopped or diverged before its end\n");
  if (narrow && !results.empty())
    say(stdout, "Recordings: {}\n", (results.front().recording.parent_path() / "*.h5").string());
}

Json to_json(const RunResult& result) {
  const RunSummary& s = result.summary;
  Json json = {{"scene", result.name},
               {"title", result.title},
               {"recording", result.recording.string()},
               {"bytes", result.bytes},
               {"frames", result.frames},
               {"step", result.facts.step},
               {"total_steps", result.facts.total_steps},
               {"time", result.facts.time},
               {"step_size", result.facts.step_size},
               {"accept", result.facts.accept},
               {"complete", result.facts.step >= result.facts.total_steps},
               {"interrupted", result.interrupted},
               {"real_time_factor", result.facts.time / wall(s)}};
  json.update(to_json(s));
  if (!result.problems.empty()) json["problems"] = result.problems;
  return json;
}

}  // namespace vinci
