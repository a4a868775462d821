// SPDX-License-Identifier: Apache-2.0
// Which uncertain parameters matter: one round of cases, and indices of measures from it.
#pragma once

#include <memory>
#include <variant>
#include <vector>

#include "vinci/sampling/morris.h"
#include "vinci/sampling/sobol_indices.h"
#include "vinci/study/report_make.h"
#include "vinci/study/sampler.h"

namespace vinci {

class SensitivityStrategy : public ConcludingStrategy {
 public:
  explicit SensitivityStrategy(Study study);
  std::optional<Round> next(const ResultSource& results) override;
  std::optional<std::uint64_t> expected() const override { return count_; }
  void conclude(const ResultSource& results, StudyReport& report) const override;

 private:
  using Points = std::variant<SobolIndices, MorrisTrajectories>;
  void add_indices(const std::string& measure, std::span<const double> values,
                   StudyReport& report) const;

  Study study_;
  std::shared_ptr<const Points> points_;
  std::shared_ptr<const UncertainSpace> space_;
  std::uint64_t count_ = 0;
  bool given_ = false;
};

}  // namespace vinci
