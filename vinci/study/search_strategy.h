// SPDX-License-Identifier: Apache-2.0
// The best design: rounds of designs that a searcher asks for, each met by the same draws; at the
// end the best ones again, by fresh draws, since the best of many estimates had luck.
#pragma once

#include <memory>
#include <vector>

#include "vinci/sampling/interval.h"
#include "vinci/search/searcher.h"
#include "vinci/study/report_make.h"
#include "vinci/study/sampler.h"

namespace vinci {

class SearchStrategy : public ConcludingStrategy {
 public:
  explicit SearchStrategy(Study study);
  std::optional<Round> next(const ResultSource& results) override;
  std::optional<std::uint64_t> expected() const override;
  void conclude(const ResultSource& results, StudyReport& report) const override;

 private:
  struct Tried {
    std::vector<double> values;  // of the design
    VerdictCounts verdicts;
    double value = 0.0;       // the greater the better; not a number where there is no answer
    RunningMean mean;         // of the numbers of the measure
    bool one_answer = false;  // its cases are no draws
  };
  // Designs of a round, numbered from `design` on, with `size` draws each.
  struct Plan {
    std::uint64_t first = 0, size = 0;
    std::uint32_t design = 0;
    bool confirms = false;
    std::vector<std::vector<double>> designs;
  };

  std::vector<Tried> judged(const ResultSource& results) const;  // those of the last round
  std::vector<std::size_t> best_first(const std::vector<Tried>& tried) const;
  std::vector<std::vector<double>> to_confirm() const;
  Round round_of(std::vector<std::vector<double>> designs, bool confirms);

  Study study_;
  std::shared_ptr<const CaseSampler> sampler_, confirming_;
  std::unique_ptr<Searcher> searcher_;
  std::vector<Tried> tried_, confirmed_;
  std::shared_ptr<const Plan> plan_;  // of the last round
  bool done_ = false;
};

}  // namespace vinci
