// SPDX-License-Identifier: Apache-2.0
#include "vinci/campaign/number_ranges.h"

#include <algorithm>
#include <string>

#include "vinci/base/error.h"

namespace vinci {

bool NumberRanges::touches(const NumberRange& range) const {
  if (range.size == 0) return false;
  const auto after = ends_.lower_bound(range.end());
  return after != ends_.begin() && std::prev(after)->second > range.first;
}

void NumberRanges::add(const NumberRange& range) {
  if (range.size == 0) return;
  if (touches(range))
    throw Error("a case of " + std::to_string(range.first) + " to " +
                std::to_string(range.end() - 1) + " is there already");
  count_ += range.size;
  std::uint64_t first = range.first, end = range.end();
  auto after = ends_.lower_bound(first);
  if (after != ends_.end() && after->first == end) {
    end = after->second;
    after = ends_.erase(after);
  }
  if (after != ends_.begin() && std::prev(after)->second == first)
    std::prev(after)->second = end;
  else
    ends_.emplace_hint(after, first, end);
}

std::vector<NumberRange> NumberRanges::missing(const NumberRange& range) const {
  std::vector<NumberRange> result;
  std::uint64_t at = range.first;
  auto next = ends_.upper_bound(at);
  if (next != ends_.begin()) at = std::max(at, std::min(std::prev(next)->second, range.end()));
  while (at < range.end()) {
    const std::uint64_t until =
        next == ends_.end() ? range.end() : std::min(next->first, range.end());
    if (until > at) result.push_back({at, until - at});
    if (next == ends_.end()) break;
    at = next->second;
    ++next;
  }
  return result;
}

std::uint64_t NumberRanges::end() const {
  return ends_.empty() ? 0 : ends_.rbegin()->second;
}

std::vector<NumberRange> NumberRanges::ranges() const {
  std::vector<NumberRange> result;
  for (const auto& [first, end] : ends_) result.push_back({first, end - first});
  return result;
}

}  // namespace vinci
