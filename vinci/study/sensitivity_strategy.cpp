// SPDX-License-Identifier: Apache-2.0
#include "vinci/study/sensitivity_strategy.h"

#include <fmt/format.h>

#include "vinci/study/study_data.h"

namespace vinci {
namespace {

// What is dropped is not like the rest: indices of the rest are those of another function.
constexpr double most_dropped = 0.05;
// With fewer rows that carry the variance, intervals do not cover what they promise.
constexpr double fewest_carriers = 40.0;

}  // namespace

SensitivityStrategy::SensitivityStrategy(Study study) : study_(std::move(study)) {
  const StudyData& data = study_.data();
  const auto dimensions = static_cast<int>(data.uncertain.size());
  if (data.sensitivity.morris)
    points_ = std::make_shared<const Points>(
        MorrisTrajectories(data.seed, dimensions, data.sensitivity.count, data.sensitivity.levels));
  else
    points_ = std::make_shared<const Points>(
        SobolIndices(DesignPoints::sobol(data.seed, 2 * dimensions), data.sensitivity.count));
  space_ = std::make_shared<const UncertainSpace>(data);
  count_ = std::visit([](const auto& points) { return points.count(); }, *points_);
}

std::optional<Round> SensitivityStrategy::next(const ResultSource&) {
  if (given_) return std::nullopt;
  given_ = true;
  return Round{0, count_, [points = points_, space = space_, study = study_](std::uint64_t number) {
                 std::vector<double> point(static_cast<std::size_t>(space->dimensions()));
                 std::visit([&](const auto& it) { it.point(number, point); }, *points);
                 StudyCase item{number, 0, number, study.data().designs[0]};
                 space->append(point, item.values);
                 return item;
               }};
}

void SensitivityStrategy::conclude(const ResultSource& results, StudyReport& report) const {
  if (results.size() < count_) return;
  const StudyData& data = study_.data();
  std::vector<std::vector<double>> values(data.sensitivity.measures.size());
  results.read(0, count_, [&](const CaseResult& result) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const int measure = data.sensitivity.measures[i];
      double value = no_number;
      if (measure < 0 && result.verdict != Verdict::unknown)
        value = result.verdict == Verdict::success ? 1.0 : 0.0;
      if (measure >= 0 && is_whole(result.status))
        value = result.measures[static_cast<std::size_t>(measure)];
      values[i].push_back(value);
    }
  });
  for (std::size_t i = 0; i < values.size(); ++i) {
    const int measure = data.sensitivity.measures[i];
    add_indices(measure < 0 ? "success" : data.measures[static_cast<std::size_t>(measure)].name,
                values[i], report);
  }
}

void SensitivityStrategy::add_indices(const std::string& measure, std::span<const double> values,
                                      StudyReport& report) const {
  const StudyData& data = study_.data();
  const auto add = [&](std::size_t i) -> SensitivityIndex& {
    SensitivityIndex& index = report.sensitivity.emplace_back();
    index.measure = measure;
    index.parameter = data.uncertain[i].name;
    return index;
  };
  const auto withhold = [&](SensitivityIndex& index, const std::string& reason) {
    index.first = index.first_lower = index.first_upper = no_number;
    index.total = index.total_lower = index.total_upper = no_number;
    index.reason = reason;
  };
  const auto share_of = [](std::uint64_t part, std::uint64_t rest) {
    return static_cast<double>(part) / static_cast<double>(part + rest);
  };
  if (const auto* morris = std::get_if<MorrisTrajectories>(points_.get())) {
    const std::vector<MorrisEffect> effects = morris->analyse(values, data.confidence);
    for (std::size_t i = 0; i < effects.size(); ++i) {
      SensitivityIndex& index = add(i);
      index.first = effects[i].mean_size;
      index.first_lower = effects[i].mean_size_interval.low;
      index.first_upper = effects[i].mean_size_interval.high;
      index.total = effects[i].deviation;
      index.rows = effects[i].count;
      index.dropped = data.sensitivity.count - effects[i].count;
      if (index.rows < 2 || share_of(index.dropped, index.rows) > most_dropped)
        withhold(index, fmt::format("{} of {} effects have a case without a number", index.dropped,
                                    data.sensitivity.count));
    }
    return;
  }
  const SobolAnalysis analysis = std::get<SobolIndices>(*points_).analyse(values, data.confidence);
  for (std::size_t i = 0; i < analysis.indices.size(); ++i) {
    const SobolIndex& it = analysis.indices[i];
    SensitivityIndex& index = add(i);
    index.first = it.first;
    index.first_lower = it.first_interval.low;
    index.first_upper = it.first_interval.high;
    index.total = it.total;
    index.total_lower = it.total_interval.low;
    index.total_upper = it.total_interval.high;
    index.rows = analysis.rows;
    index.dropped = analysis.dropped;
    if (share_of(index.dropped, index.rows) > most_dropped)
      withhold(index, fmt::format("{} of {} rows have a case without a number", index.dropped,
                                  index.rows + index.dropped));
    else if (!(analysis.variance > 0.0))
      withhold(index, "the numbers are all equal");
    else if (analysis.carriers < fewest_carriers)
      withhold(index, fmt::format("too few events: the variance rests on some {:.0f} of {} rows",
                                  analysis.carriers, index.rows));
  }
}

}  // namespace vinci
