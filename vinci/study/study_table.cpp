// SPDX-License-Identifier: Apache-2.0
// The table of a study's cases.
#include <cmath>

#include <fmt/format.h>

#include "vinci/study/strategies.h"
#include "vinci/study/study_report.h"

namespace vinci {
namespace {

// The shortest that reads back equal; nothing for what is no number.
void add_number(std::string& row, double value) {
  if (!std::isnan(value)) fmt::format_to(std::back_inserter(row), "{}", value);
}

void add_text(std::string& row, const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) {
    row += text;
    return;
  }
  row += '"';
  for (const char c : text) row += c == '"' ? std::string("\"\"") : std::string(1, c);
  row += '"';
}

}  // namespace

std::string table_header(const Study& study) {
  std::string row = "number,design,sample";
  for (const StudyParameter& it : study.parameters()) row += "," + it.name;
  row += ",status,verdict,level";
  for (const StudyMeasure& it : study.measures()) row += "," + it.name;
  return row + ",message\n";
}

std::string table_row(const Study& study, const StudyCase& item, const CaseResult& result) {
  std::string row = fmt::format("{},{},{}", result.number, item.design, item.sample);
  for (const double value : item.values) {
    row += ',';
    add_number(row, value);
  }
  fmt::format_to(std::back_inserter(row), ",{},{},", to_string(result.status),
                 to_string(result.verdict));
  add_text(row, study.levels()[result.level].name);
  for (const double value : result.measures) {
    row += ',';
    add_number(row, value);
  }
  row += ',';
  add_text(row, result.message);
  return row + "\n";
}

void write_table(const Study& study, const ResultSource& results,
                 const std::function<void(std::string_view)>& write) {
  constexpr std::size_t block = 1 << 16;  // bytes at once
  const StudyCases cases(study, results);
  std::string text = table_header(study);
  results.read(0, std::min(results.size(), cases.size()), [&](const CaseResult& result) {
    text += table_row(study, cases.at(result.number), result);
    if (text.size() < block) return;
    write(text);
    text.clear();
  });
  write(text);
}

}  // namespace vinci
