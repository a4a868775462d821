// SPDX-License-Identifier: Apache-2.0
// Probabilities of failures too rare to count: rounds that the methods of sampling/rare.h ask for.
#pragma once

#include <memory>

#include "vinci/sampling/rare.h"
#include "vinci/study/report_make.h"
#include "vinci/study/sampler.h"

namespace vinci {

class RareStrategy : public ConcludingStrategy {
 public:
  explicit RareStrategy(Study study);
  std::optional<Round> next(const ResultSource& results) override;
  std::optional<std::uint64_t> expected() const override { return std::nullopt; }
  void conclude(const ResultSource& results, StudyReport& report) const override;

 private:
  Study study_;
  std::shared_ptr<const UncertainSpace> space_;
  std::unique_ptr<RareSampler> sampler_;
  std::uint64_t first_ = 0, size_ = 0, rounds_ = 0;  // of the last round; rounds given
};

}  // namespace vinci
