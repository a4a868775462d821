// SPDX-License-Identifier: Apache-2.0
// Columns of the table of answers.
#include "apps/solve_table.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "apps/text.h"

namespace vinci {
namespace {

constexpr std::size_t solver_width = 24;  // the longest name, indented
constexpr std::size_t status_width = 11;

double number(const Json& value) {
  return value.is_number() ? value.get<double>() : std::numeric_limits<double>::infinity();
}

std::string milliseconds(const Json& value) {
  const double ms = 1e3 * number(value);
  return fmt::format("{:.{}f}", ms, ms < 1.0 ? 4 : ms < 100.0 ? 2 : 0);
}

}  // namespace

SolveTable::SolveTable(const std::vector<std::string>& files, bool verbose)
    : width_(4), verbose_(verbose) {
  for (const std::string& file : files) width_ = std::max(width_, columns(file));
  width_ = std::min<std::size_t>(width_, 44);
}

void SolveTable::print_header() const {
  say(stdout, "{}  class    rows  {}  {}   residual  iterations      cpu ms\n",
      padded("file", width_), padded("solver", solver_width), padded("status", status_width));
}

std::string SolveTable::row(const std::string& file, const std::string& kind,
                            const std::string& rows, const std::string& solver, const Json& result,
                            const char* seconds) const {
  const std::string status = result["status"];
  const bool measured = status != "refused" && status != "unreadable";
  std::string line = fmt::format("{}  {:6}  {:>5}  {}  {}", padded(shortened(file, width_), width_),
                                 kind, rows, padded(shortened(solver, solver_width), solver_width),
                                 padded(status, status_width));
  if (measured)
    line += fmt::format("  {:>9}  {:>10}  {:>10}", short_number(number(result["residual"])),
                        result["iterations"].get<int>(), milliseconds(result[seconds]));
  return line;
}

void SolveTable::print(const Json& answer) {
  ++answers_;
  ++statuses_[answer["status"]];
  if (answer["cpu_seconds"].is_number()) seconds_ += answer["cpu_seconds"].get<double>();
  const Json& tried = answer["tried"];
  const std::string file = answer["file"], by = answer["by"], note = answer["note"];
  std::string solver = answer["solver"];
  const bool several = tried.size() > 1;
  // One attempt of another solver fits into the line; several have a line each.
  if (!several && !by.empty() && by != solver) solver += ": " + by;
  const bool again = file == last_file_;  // another solver on the same problem
  std::string line =
      row(again ? "" : file, again ? "" : answer["class"].get<std::string>(),
          again ? "" : fmt::format("{}", answer["size"].get<int>()), solver, answer, "cpu_seconds");
  const bool telling = answer["status"] != "solved" || verbose_;
  if (!note.empty() && telling) line += "  " + note;
  say(stdout, "{}\n", line);
  if (several || (verbose_ && !tried.empty()))
    for (const Json& attempt : tried)
      say(stdout, "{}\n",
          row("", "", "", "  " + attempt["solver"].get<std::string>(), attempt, "seconds"));
  for (const Json& solution : answer.value("solutions", Json::array())) {
    const int dimension = solution["dimension"];
    say(stdout, "  {}; {}, residual {}\n", solution["modes"].get<std::string>(),
        dimension == 0 ? "isolated" : fmt::format("a continuum of dimension {}", dimension),
        short_number(number(solution["residual"])));
  }
  last_file_ = file;
  std::fflush(stdout);
}

void SolveTable::print_total() const {
  if (answers_ < 2) return;
  std::string text;
  for (const auto& [status, count] : statuses_)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, status);
  say(stdout, "{}: {}; {} ms\n", plural(answers_, "answer"), text, milliseconds(seconds_));
}

}  // namespace vinci
