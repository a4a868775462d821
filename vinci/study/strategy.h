// SPDX-License-Identifier: Apache-2.0
// Which cases a study runs: in rounds, each of which follows from the results of those before it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "vinci/study/case.h"

namespace vinci {

// Cases that can run in any order and side by side.
struct Round {
  std::uint64_t first = 0;  // number of its first case
  std::uint64_t size = 0;
  std::function<StudyCase(std::uint64_t number)> at;  // for first <= number < first + size
};

// Results by number, all of those of complete rounds.
class ResultSource {
 public:
  virtual ~ResultSource() = default;
  virtual std::uint64_t size() const = 0;
  // How many more there are of the round that is not complete: they are not counted yet.
  virtual std::uint64_t waiting() const { return 0; }
  // In the order of their numbers, `count` from `first` on; memory does not grow with `count`.
  virtual void read(std::uint64_t first, std::uint64_t count,
                    const std::function<void(const CaseResult&)>& visit) const = 0;
};

// A pure function of results: asked anew with the same ones it gives the same rounds, so that a
// study which was interrupted goes on as if it had not been.
class Strategy {
 public:
  virtual ~Strategy() = default;
  // The round that follows the ones before, nothing where the study is complete. `results` holds
  // those of all rounds given so far; a new strategy is asked for each of the rounds in turn, with
  // `results` of more rounds than it has given: it reads what it needs and no further.
  virtual std::optional<Round> next(const ResultSource& results) = 0;
  // How many cases there will be at most, for progress; nothing where that is open.
  virtual std::optional<std::uint64_t> expected() const = 0;
};

}  // namespace vinci
