// SPDX-License-Identifier: Apache-2.0
// Measures of many cases, level by level: numbers of two models are never put together.
#pragma once

#include <vector>

#include "vinci/sampling/interval.h"
#include "vinci/study/draws.h"
#include "vinci/study/kept_numbers.h"
#include "vinci/study/study_report.h"

namespace vinci {

class MeasureCounts {
 public:
  explicit MeasureCounts(const Study& study);

  // The level of which a case has its measures: the last simulation that was asked.
  std::size_t level_of(const CaseResult& result) const;
  void add(const CaseResult& result);
  void add_to_design(const CaseResult& result, std::uint32_t design);
  std::vector<MeasureSummary> summaries() const;
  std::vector<DesignMeasure> of_design(std::uint32_t design) const;

 private:
  struct Count {
    RunningMean mean;
    double least = infinity, greatest = -infinity;
    KeptNumbers kept;
  };
  bool is_drawn(std::size_t level) const;
  MeasureSummary summary(std::size_t measure, std::size_t level) const;

  Study study_;
  Draws draws_;
  double level_;  // of intervals: each holds at all looks at which runs may end
  std::vector<std::size_t> simulations_;  // levels that can measure
  std::vector<std::size_t> place_;        // of a level among them
  std::vector<Count> counts_;             // per measure and simulation
  std::vector<RunningMean> of_designs_;   // per design, measure and simulation
};

}  // namespace vinci
