// SPDX-License-Identifier: Apache-2.0
#include "vinci/study/measure_counts.h"

#include <algorithm>
#include <cmath>

#include "vinci/study/study_data.h"

namespace vinci {
namespace {

constexpr double shares_of_quantiles[] = {0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99};

}  // namespace

MeasureCounts::MeasureCounts(const Study& study)
    : study_(study),
      draws_(draws_of(study)),
      level_(level_at_each(study.confidence(), study.looks())) {
  for (std::size_t i = 0; i < study.levels().size(); ++i) {
    place_.push_back(simulations_.size());
    if (!study.levels()[i].geometric) simulations_.push_back(i);
  }
  counts_.assign(study.measures().size() * simulations_.size(),
                 {{}, infinity, -infinity, KeptNumbers(study.seed())});
}

std::size_t MeasureCounts::level_of(const CaseResult& result) const {
  for (auto it = result.levels.rbegin(); it != result.levels.rend(); ++it)
    if (!study_.levels()[it->level].geometric) return it->level;
  return result.level;
}

bool MeasureCounts::is_drawn(std::size_t level) const {
  return draws_.per_design && !study_.levels()[level].per_design;
}

void MeasureCounts::add(const CaseResult& result) {
  const std::size_t level = level_of(result);
  if (study_.levels()[level].geometric) return;
  for (std::size_t i = 0; i < result.measures.size(); ++i) {
    const double value = result.measures[i];
    if (!std::isfinite(value)) continue;
    Count& count = counts_[i * simulations_.size() + place_[level]];
    count.mean.add(value);
    count.least = std::min(count.least, value);
    count.greatest = std::max(count.greatest, value);
    if (draws_.overall && is_drawn(level)) count.kept.add(result.number, value);
  }
}

void MeasureCounts::add_to_design(const CaseResult& result, std::uint32_t design) {
  const std::size_t level = level_of(result);
  if (study_.levels()[level].geometric) return;
  const std::size_t first = design * counts_.size();
  if (of_designs_.size() < first + counts_.size()) of_designs_.resize(first + counts_.size());
  for (std::size_t i = 0; i < result.measures.size(); ++i)
    if (std::isfinite(result.measures[i]))
      of_designs_[first + i * simulations_.size() + place_[level]].add(result.measures[i]);
}

MeasureSummary MeasureCounts::summary(std::size_t measure, std::size_t level) const {
  const Count& count = counts_[measure * simulations_.size() + place_[level]];
  MeasureSummary summary;
  summary.name = study_.measures()[measure].name;
  summary.level = study_.levels()[level].name;
  summary.count = count.mean.count();
  if (summary.count == 0) return summary;
  summary.least = count.least;
  summary.greatest = count.greatest;
  summary.drawn = draws_.overall && is_drawn(level);
  if (!summary.drawn) return summary;
  summary.mean = count.mean.mean();
  summary.deviation = std::sqrt(count.mean.variance());
  const Interval interval = count.mean.interval(level_);
  summary.mean_lower = interval.low;
  summary.mean_upper = interval.high;
  std::vector<double> values = count.kept.values();
  std::sort(values.begin(), values.end());
  summary.quantiles_of = values.size();
  for (const double share : shares_of_quantiles) {
    const QuantileEstimate it = estimate_quantile(values, share, level_);
    summary.quantiles.push_back({share, it.value, it.interval.low, it.interval.high});
  }
  return summary;
}

std::vector<MeasureSummary> MeasureCounts::summaries() const {
  std::vector<MeasureSummary> summaries;
  for (std::size_t i = 0; i < study_.measures().size(); ++i) {
    const std::size_t before = summaries.size();
    for (const std::size_t level : simulations_)
      if (MeasureSummary it = summary(i, level); it.count > 0) summaries.push_back(std::move(it));
    if (summaries.size() == before) summaries.emplace_back().name = study_.measures()[i].name;
  }
  return summaries;
}

std::vector<DesignMeasure> MeasureCounts::of_design(std::uint32_t design) const {
  std::vector<DesignMeasure> measures;
  const std::size_t first = design * counts_.size();
  for (std::size_t k = 0; k < counts_.size() && first + k < of_designs_.size(); ++k) {
    const RunningMean& mean = of_designs_[first + k];
    if (mean.count() == 0) continue;
    const std::size_t level = simulations_[k % simulations_.size()];
    DesignMeasure& it = measures.emplace_back();
    it.name = study_.measures()[k / simulations_.size()].name;
    it.level = study_.levels()[level].name;
    it.count = mean.count();
    it.mean = mean.mean();
    it.drawn = is_drawn(level);
    if (!it.drawn) continue;
    const Interval interval = mean.interval(level_);
    it.mean_lower = interval.low;
    it.mean_upper = interval.high;
  }
  return measures;
}

}  // namespace vinci
