// SPDX-License-Identifier: Apache-2.0
// Strategies that run the same designs again and again: samples and maps, adaptive or not. All
// designs that are not settled yet get the same number of further cases in a round.
#pragma once

#include <memory>
#include <vector>

#include "vinci/study/sampler.h"
#include "vinci/study/strategies.h"
#include "vinci/study/study_report.h"

namespace vinci {

// Cases of a design after each look at which it may end; one where it ends by itself.
std::vector<std::uint64_t> look_schedule(const StudyData& data);

class DesignRounds : public Strategy {
 public:
  explicit DesignRounds(Study study);
  std::optional<Round> next(const ResultSource& results) override;
  std::optional<std::uint64_t> expected() const override;

 private:
  // Which cases a round has: `size` draws from `begin` on of each of its designs.
  struct Plan {
    std::uint64_t first = 0, begin = 0, size = 0;
    std::vector<std::uint32_t> designs;
  };

  void count_last(const ResultSource& results);
  bool is_settled(const VerdictCounts& counts) const;

  Study study_;
  std::shared_ptr<const CaseSampler> sampler_;
  std::vector<std::uint64_t> schedule_;  // cases of a design after each round
  std::vector<VerdictCounts> counts_;    // of the designs, where rounds depend on them
  std::shared_ptr<const Plan> plan_;     // of the last round
  std::size_t round_ = 0;
};

}  // namespace vinci
