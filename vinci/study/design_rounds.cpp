// SPDX-License-Identifier: Apache-2.0
#include "vinci/study/design_rounds.h"

#include <algorithm>
#include <numeric>

#include "vinci/study/study_data.h"

namespace vinci {

std::vector<std::uint64_t> look_schedule(const StudyData& data) {
  const std::uint64_t most = data.kind == StudyKind::map ? data.map.most : data.sample.count;
  std::vector<std::uint64_t> schedule;
  if (data.map.adaptive) {
    // Twice as many each time: few looks, and at most twice what an interval asked for.
    for (std::uint64_t count = data.map.first; count < most; count *= 2) schedule.push_back(count);
  } else if (data.stop.is_given()) {
    for (std::uint64_t count = data.stop.every; count < most; count += data.stop.every)
      schedule.push_back(count);
  }
  schedule.push_back(most);
  return schedule;
}

DesignRounds::DesignRounds(Study study)
    : study_(std::move(study)), schedule_(look_schedule(study_.data())) {
  sampler_ = std::make_shared<const CaseSampler>(study_.data(), schedule_.back());
  if (schedule_.size() > 1) counts_.resize(sampler_->designs());
}

bool DesignRounds::is_settled(const VerdictCounts& counts) const {
  const StudyData& data = study_.data();
  const StopSpec& stop = data.stop;
  if (!data.map.adaptive) {
    if (counts.successes < stop.successes || counts.failures < stop.failures) return false;
    if (stop.width <= 0.0) return true;
  }
  const Probability it = probability_of(study_, counts);
  const double width = it.upper - it.lower;
  if (!data.map.adaptive) return width <= stop.width;
  const double threshold = data.map.threshold;
  return (data.map.width > 0.0 && width <= data.map.width) ||
         (threshold > 0.0 && (it.lower > threshold || it.upper < threshold));
}

void DesignRounds::count_last(const ResultSource& results) {
  const Plan& plan = *plan_;
  results.read(plan.first, plan.size * plan.designs.size(), [&](const CaseResult& result) {
    counts_[plan.designs[(result.number - plan.first) / plan.size]].add(result.verdict);
  });
}

std::optional<Round> DesignRounds::next(const ResultSource& results) {
  if (round_ == schedule_.size()) return std::nullopt;
  auto plan = std::make_shared<Plan>();
  if (round_ == 0) {
    plan->designs.resize(sampler_->designs());
    std::iota(plan->designs.begin(), plan->designs.end(), 0u);
  } else {
    count_last(results);
    plan->first = plan_->first + plan_->size * plan_->designs.size();
    plan->begin = schedule_[round_ - 1];
    for (const std::uint32_t design : plan_->designs)
      if (!is_settled(counts_[design])) plan->designs.push_back(design);
  }
  plan->size = schedule_[round_] - plan->begin;
  round_ = plan->designs.empty() ? schedule_.size() : round_ + 1;
  if (plan->designs.empty()) return std::nullopt;
  plan_ = plan;
  // The study keeps what the sampler looks at.
  return Round{plan->first, plan->size * plan->designs.size(),
               [plan, sampler = sampler_, study = study_](std::uint64_t number) {
                 const std::uint64_t place = number - plan->first;
                 return sampler->at(number, plan->designs[place / plan->size],
                                    plan->begin + place % plan->size);
               }};
}

std::optional<std::uint64_t> DesignRounds::expected() const {
  return sampler_->designs() * schedule_.back();
}

}  // namespace vinci
