// SPDX-License-Identifier: Apache-2.0
#include "vinci/study/study_columns.h"

#include <cmath>
#include <map>

#include "vinci/storage/hdf5_file.h"
#include "vinci/study/strategies.h"
#include "vinci/study/study_report.h"

namespace vinci {

StudyColumns columns_of(const Study& study, const ResultSource& results) {
  const StudyCases cases(study, results);
  const auto rows = static_cast<Eigen::Index>(results.size());
  StudyColumns columns;
  columns.number = columns.design = columns.sample = VectorX(rows);
  columns.parameters.assign(study.parameters().size(), VectorX(rows));
  columns.measures.assign(study.measures().size(), VectorX(rows));
  Eigen::Index row = 0;
  results.read(0, results.size(), [&](const CaseResult& result) {
    const StudyCase item = cases.at(result.number);
    columns.number[row] = static_cast<double>(item.number);
    columns.design[row] = item.design;
    columns.sample[row] = static_cast<double>(item.sample);
    for (std::size_t i = 0; i < columns.parameters.size(); ++i)
      columns.parameters[i][row] = item.values[i];
    for (std::size_t i = 0; i < columns.measures.size(); ++i)
      columns.measures[i][row] = i < result.measures.size() ? result.measures[i] : std::nan("");
    columns.status.push_back(static_cast<int>(result.status));
    columns.verdict.push_back(static_cast<int>(result.verdict));
    columns.level.push_back(static_cast<int>(result.level));
    columns.message.push_back(result.message);
    ++row;
  });
  return columns;
}

void write_columns(const Study& study, const StudyColumns& columns,
                   const std::filesystem::path& path) {
  Hdf5File file(path, Hdf5File::Mode::create);
  file.write_reals("number", columns.number);
  file.write_reals("design", columns.design);
  file.write_reals("sample", columns.sample);
  for (std::size_t i = 0; i < columns.parameters.size(); ++i)
    file.write_reals("parameters/" + study.parameters()[i].name, columns.parameters[i]);
  for (std::size_t i = 0; i < columns.measures.size(); ++i)
    file.write_reals("measures/" + study.measures()[i].name, columns.measures[i]);
  file.write_integers("status", columns.status);
  file.write_integers("verdict", columns.verdict);
  file.write_integers("level", columns.level);
  std::vector<std::string> statuses, verdicts, levels;
  for (int i = 0; i < case_status_count; ++i)
    statuses.push_back(to_string(static_cast<CaseStatus>(i)));
  for (int i = 0; i < 3; ++i) verdicts.push_back(to_string(static_cast<Verdict>(i)));
  file.write_texts("status_names", statuses);
  for (const StudyLevel& level : study.levels()) levels.push_back(level.name);
  file.write_texts("verdict_names", verdicts);
  file.write_texts("level_names", levels);
  // Each of them once: most cases have none.
  std::vector<std::string> texts{""};
  std::map<std::string, int> places{{"", 0}};
  std::vector<int> message;
  for (const std::string& text : columns.message) {
    const auto [place, is_new] = places.emplace(text, static_cast<int>(texts.size()));
    if (is_new) texts.push_back(text);
    message.push_back(place->second);
  }
  file.write_integers("message", message);
  file.write_texts("message_names", texts);
  file.write_text("study", study.source());
  file.commit();
}

}  // namespace vinci
