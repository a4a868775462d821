// SPDX-License-Identifier: Apache-2.0
// The strategies of studies (strategy.h): sample, map, search, sensitivity, rare.
#pragma once

#include <memory>
#include <vector>

#include "vinci/study/strategy.h"
#include "vinci/study/study.h"

namespace vinci {

std::unique_ptr<Strategy> make_strategy(const Study& study);

// The cases of all rounds that `results` suffice for, those of the next round included.
class StudyCases {
 public:
  StudyCases(const Study& study, const ResultSource& results);
  std::uint64_t size() const;
  bool complete() const { return complete_; }  // no round follows these
  // Throws Error where there is no such case (yet).
  StudyCase at(std::uint64_t number) const;

 private:
  std::vector<Round> rounds_;
  bool complete_ = false;
};

// Results in memory, for tests, small studies and scripts.
class StoredResults : public ResultSource {
 public:
  void add(CaseResult result) { results_.push_back(std::move(result)); }  // in their order
  std::uint64_t size() const override { return results_.size(); }
  void read(std::uint64_t first, std::uint64_t count,
            const std::function<void(const CaseResult&)>& visit) const override;

 private:
  std::vector<CaseResult> results_;
};

}  // namespace vinci
