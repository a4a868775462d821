// SPDX-License-Identifier: Apache-2.0
#include "vinci/study/draws.h"

#include <algorithm>

#include <fmt/format.h>

#include "vinci/study/study_data.h"

namespace vinci {

Draws draws_of(const Study& study) {
  const StudyData& data = study.data();
  const std::uint64_t designs = data.sample.designs > 0 ? data.sample.designs : data.designs.size();
  if (data.kind != StudyKind::sample && data.kind != StudyKind::map)
    return {
        false, false,
        fmt::format("cases of a study of kind '{}' are placed, not drawn", to_string(data.kind))};
  if (data.uncertain.empty())
    return {false, false, "nothing is uncertain: a design has one answer"};
  if (data.method == SampleMethod::grid)
    return {false, false, "the values of a grid are given, not drawn"};
  if (std::all_of(data.levels.begin(), data.levels.end(),
                  [](const StudyLevel& level) { return level.per_design; }))
    return {false, false, "all levels see the design alone: it has one answer"};
  if (designs > 1)
    return {true, false, fmt::format("there are {} designs, each with its own", designs)};
  return {true, true, ""};
}

bool has_answer_of_design(const Study& study, const CaseResult& result) {
  if (result.levels.empty()) return false;  // it never answered
  const auto sees_design = [&](const LevelResult& it) {
    return study.levels()[it.level].per_design;
  };
  const LevelResult& last = result.levels.back();
  if (study.levels()[last.level].rejects && last.verdict == Verdict::failure)
    return sees_design(last);
  return std::all_of(result.levels.begin(), result.levels.end(), sees_design);
}

bool may_reject_designs(const Study& study) {
  return std::any_of(study.levels().begin(), study.levels().end(),
                     [](const StudyLevel& level) { return level.per_design && level.rejects; });
}

bool may_leave_open(const Study& study) {
  const StudyData& data = study.data();
  for (std::size_t i = 0; i < data.levels.size(); ++i) {
    const StudyLevel& level = data.levels[i];
    const bool proves =
        !level.geometric || data.level_specs[i].passage.not_found != Verdict::unknown;
    if (level.confirms && !(level.rejects && proves)) return true;
  }
  return false;
}

}  // namespace vinci
