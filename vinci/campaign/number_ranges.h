// SPDX-License-Identifier: Apache-2.0
// Sets of numbers that lie in few ranges: which cases are done.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace vinci {

struct NumberRange {
  std::uint64_t first = 0, size = 0;
  std::uint64_t end() const { return first + size; }
  bool operator==(const NumberRange&) const = default;
};

// Ranges that touch are joined.
class NumberRanges {
 public:
  // Throws Error if one of the numbers is there already.
  void add(const NumberRange& range);
  bool touches(const NumberRange& range) const;  // whether they share a number
  // What of a range is not there, in order.
  std::vector<NumberRange> missing(const NumberRange& range) const;
  std::uint64_t count() const { return count_; }
  std::uint64_t end() const;  // behind the last number; 0 where there is none
  std::vector<NumberRange> ranges() const;

 private:
  std::map<std::uint64_t, std::uint64_t> ends_;  // by first number
  std::uint64_t count_ = 0;
};

}  // namespace vinci
