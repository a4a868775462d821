// SPDX-License-Identifier: Apache-2.0
#include "vinci/study/rare_strategy.h"

#include <algorithm>
#include <cmath>

#include "vinci/study/study_data.h"

namespace vinci {
namespace {

std::unique_ptr<RareSampler> make_sampler(const StudyData& data) {
  const RareSpec& rare = data.rare;
  const auto dimensions = static_cast<int>(data.uncertain.size());
  if (rare.importance) {
    ImportanceOptions options;
    options.seed = data.seed;
    options.dimensions = dimensions;
    options.count = rare.count;
    options.final_count = 2 * rare.count;
    options.share = rare.share;
    options.most_rounds = rare.rounds;
    options.components = rare.components;
    return std::make_unique<ImportanceSampling>(options);
  }
  SubsetOptions options;
  options.seed = data.seed;
  options.dimensions = dimensions;
  options.parts = static_cast<std::uint64_t>(std::llround(1.0 / rare.share));
  // A whole number of chains.
  options.count = (rare.count + options.parts - 1) / options.parts * options.parts;
  options.most_levels = rare.rounds;
  return std::make_unique<SubsetSimulation>(options);
}

}  // namespace

RareStrategy::RareStrategy(Study study)
    : study_(std::move(study)),
      space_(std::make_shared<const UncertainSpace>(study_.data())),
      sampler_(make_sampler(study_.data())) {}

std::optional<Round> RareStrategy::next(const ResultSource& results) {
  if (sampler_->done()) return std::nullopt;
  if (rounds_ > 0) {
    std::vector<double> margins;
    results.read(first_, size_, [&](const CaseResult& result) {
      margins.push_back(is_whole(result.status) ? result.measures[study_.data().rare.measure]
                                                : no_number);
    });
    sampler_->tell(margins);
    if (sampler_->done()) return std::nullopt;
  }
  const auto points = std::make_shared<const MatrixX>(to_unit_cube(sampler_->points()));
  first_ += size_;
  size_ = static_cast<std::uint64_t>(points->cols());
  ++rounds_;
  return Round{first_, size_,
               [points, first = first_, space = space_, study = study_](std::uint64_t number) {
                 const VectorX column = points->col(static_cast<Eigen::Index>(number - first));
                 std::vector<double> point(column.begin(), column.end());
                 StudyCase item{number, 0, number, study.data().designs[0]};
                 space->append(point, item.values);
                 return item;
               }};
}

void RareStrategy::conclude(const ResultSource&, StudyReport& report) const {
  const RareEstimate estimate = sampler_->estimate(study_.data().confidence);
  RareSummary summary;
  summary.probability = estimate.probability;
  summary.lower = estimate.interval.low;
  summary.upper = estimate.interval.high;
  summary.variation = estimate.variation;
  summary.rounds = rounds_;
  summary.converged = estimate.complete;
  summary.unknown = estimate.unknown;
  summary.is_partial = estimate.is_partial();
  summary.elsewhere = std::max(estimate.led_elsewhere, estimate.found_elsewhere);
  report.rare = summary;
}

}  // namespace vinci
