// SPDX-License-Identifier: Apache-2.0
// A study that is looked at, also while it runs: its cases as columns of numbers in the order in
// which they were found, and what is known of all of them (docs/viewer.md: layouts).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vinci/campaign/ledger.h"
#include "vinci/campaign/study_folder.h"
#include "vinci/study/strategies.h"
#include "vinci/study/study.h"

namespace vinci {

// What repeats a case: the words around its number; with `record` behind it, it is recorded, too.
struct RepeatWords {
  std::string before, after, record;
};

class StudyWatch {
 public:
  // Throws Error: no ledger, or one of another study.
  StudyWatch(Study study, StudyFolder folder, RepeatWords repeat);

  // Takes in cases that are new, for so many seconds and whole pieces of some thousand at least.
  // Throws Error if the ledger cannot be read.
  void refresh(double seconds);
  bool is_behind() const { return known_.count() < done_; }  // there are more cases to take in

  std::string description() const;  // JSON
  // Of a page that holds so many rows alone, which were drawn().
  std::string description(std::uint64_t rows) const;
  std::string report() const;  // JSON, of the rounds that are complete
  std::uint64_t rows() const { return numbers_.size(); }
  // Rows from `first` on, at most so many.
  std::string block(std::uint64_t first, std::uint64_t most) const;
  static constexpr std::uint64_t block_rows = 65'536;
  // A share of the rows, drawn at random by the numbers of their cases, in their order.
  std::vector<std::uint64_t> drawn(double share) const;
  // Of these rows, of which the first one is row `first` of the page that holds them.
  std::string block(std::span<const std::uint64_t> rows, std::uint64_t first) const;

  const Study& study() const { return study_; }
  const StudyFolder& folder() const { return folder_; }

 private:
  struct Level {
    std::uint64_t verdicts[3] = {}, steps = 0, timed = 0;
    double cpu_seconds = 0.0;
    std::vector<bool> answered;  // designs, of a level that sees these alone
  };

  void forget();
  void take(const Ledger& ledger, const NumberRange& range);
  void add(const CaseResult& result);

  Study study_;
  StudyFolder folder_;
  RepeatWords repeat_;
  std::string expected_, map_;  // JSON
  std::uint32_t generation_ = 0;
  LedgerHead head_;
  Tally tally_;
  std::uint64_t done_ = 0, rounds_ = 0;
  bool running_ = false;
  NumberRanges known_;
  std::optional<StudyCases> cases_;
  std::uint64_t cases_rounds_ = 0;  // rounds of the ledger when the cases were told
  std::vector<std::uint32_t> numbers_, designs_;
  std::vector<std::vector<float>> columns_;  // parameters, then measures
  std::vector<std::uint8_t> statuses_, verdicts_, last_levels_;
  std::vector<Level> levels_;
};

}  // namespace vinci
