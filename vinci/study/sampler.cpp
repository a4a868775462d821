// SPDX-License-Identifier: Apache-2.0
#include "vinci/study/sampler.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "vinci/base/error.h"

namespace vinci {

Distribution distribution_of(const DistributionSpec& spec) {
  const Truncation range{spec.from, spec.to};
  switch (spec.kind) {
    case DistributionKind::uniform:
      return Distribution::uniform(spec.a, spec.b);
    case DistributionKind::normal:
      return Distribution::normal(spec.a, spec.b, range);
    case DistributionKind::lognormal:
      return Distribution::lognormal(spec.a, spec.b, range);
    case DistributionKind::triangular:
      return Distribution::triangular(spec.a, spec.c, spec.b);
    case DistributionKind::exponential:
      return Distribution::exponential(spec.a, range);
    case DistributionKind::discrete:
      return Distribution::discrete(spec.values, spec.weights);
    case DistributionKind::measured:
      return Distribution::measured(spec.values, spec.smooth);
    case DistributionKind::grid:
      break;
  }
  throw Error("a grid is not drawn");
}

std::pair<double, double> ends_of(const DistributionSpec& spec) {
  if (spec.kind == DistributionKind::grid) {
    const auto [least, greatest] = std::minmax_element(spec.values.begin(), spec.values.end());
    return {*least, *greatest};
  }
  const Distribution distribution = distribution_of(spec);
  return {distribution.least(), distribution.greatest()};
}

std::uint64_t stream_seed(std::uint64_t seed, std::uint64_t stream) {
  return stream == 0 ? seed : mixed(mixed(seed) + stream);
}

UncertainSpace::UncertainSpace(const StudyData& study) {
  for (const UncertainParameter& it : study.uncertain)
    distributions_.push_back(distribution_of(it.distribution));
  if (study.correlation.size() > 0) copula_.emplace(study.correlation);
}

void UncertainSpace::append(std::span<double> point, std::vector<double>& values) const {
  if (copula_) copula_->apply(point);
  for (std::size_t i = 0; i < distributions_.size(); ++i)
    values.push_back(distributions_[i].quantile(point[i]));
}

CaseSampler::CaseSampler(const StudyData& study, std::uint64_t most, std::uint64_t stream)
    : study_(study), designs_(study.designs.size()), most_(most), common_(study.sample.common) {
  constexpr std::uint64_t of_designs = 1u << 16;  // no other stream has this number
  const auto points = [&](SampleMethod method, std::uint64_t seed, std::size_t count,
                          std::uint64_t slices) {
    const int dimensions = static_cast<int>(count);
    if (method == SampleMethod::sobol) return DesignPoints::sobol(seed, dimensions);
    if (method == SampleMethod::latin_hypercube)
      return DesignPoints::latin_hypercube(seed, dimensions, slices);
    return DesignPoints::monte_carlo(seed, dimensions);
  };
  if (study.kind == StudyKind::sample && study.sample.designs > 0) {
    designs_ = study.sample.designs;
    design_points_.emplace(
        points(study.method, stream_seed(study.seed, of_designs), study.design.size(), designs_));
  }
  if (study.uncertain.empty() || study.method == SampleMethod::grid) return;
  space_.emplace(study);
  points_seed_ = stream_seed(study.seed, stream);
  if (!common_ && study.method == SampleMethod::latin_hypercube) return;
  points_ = std::make_shared<const DesignPoints>(
      points(study.method, points_seed_, study.uncertain.size(), most));
}

std::vector<double> CaseSampler::design_at(const StudyData& study, std::span<const double> point) {
  std::vector<double> values;
  for (std::size_t i = 0; i < study.design.size(); ++i) {
    const DesignParameter& it = study.design[i];
    if (it.is_range) {
      values.push_back(it.from + (it.to - it.from) * point[i]);
      continue;
    }
    const auto count = static_cast<double>(it.values.size());
    values.push_back(it.values[static_cast<std::size_t>(std::min(point[i] * count, count - 1.0))]);
  }
  return values;
}

std::vector<double> CaseSampler::design(std::uint64_t design) const {
  if (!design_points_) return study_.designs[design];
  std::vector<double> point(study_.design.size());
  design_points_->point(design, point);
  return design_at(study_, point);
}

std::shared_ptr<const DesignPoints> CaseSampler::points_of(std::uint64_t design) const {
  if (points_) return points_;
  const std::lock_guard<std::mutex> lock(own_mutex_);
  if (!own_points_ || own_design_ != design) {
    own_design_ = design;
    own_points_ = std::make_shared<const DesignPoints>(
        DesignPoints::latin_hypercube(stream_seed(points_seed_, (std::uint64_t{1} << 32) + design),
                                      static_cast<int>(study_.uncertain.size()), most_));
  }
  return own_points_;
}

// The last parameter runs fastest.
void CaseSampler::append_grid(std::uint64_t sample, std::vector<double>& values) const {
  const std::size_t first = values.size();
  values.resize(first + study_.uncertain.size());
  for (std::size_t i = study_.uncertain.size(); i-- > 0;) {
    const std::vector<double>& grid = study_.uncertain[i].distribution.values;
    values[first + i] = grid[sample % grid.size()];
    sample /= grid.size();
  }
}

StudyCase CaseSampler::at(std::uint64_t number, std::uint32_t design, std::uint64_t sample,
                          std::vector<double> design_values) const {
  StudyCase item{number, design, sample, std::move(design_values)};
  item.values.reserve(study_.parameters.size());
  if (space_) {
    std::vector<double> point(study_.uncertain.size());
    const bool runs_on = points_ && !common_;  // one sequence through all designs
    points_of(design)->point(runs_on ? design * most_ + sample : sample, point);
    space_->append(point, item.values);
  } else {
    append_grid(sample, item.values);
  }
  return item;
}

StudyCase CaseSampler::at(std::uint64_t number, std::uint32_t design, std::uint64_t sample) const {
  return at(number, design, sample, this->design(design));
}

}  // namespace vinci
