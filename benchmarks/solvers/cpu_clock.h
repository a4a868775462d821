// SPDX-License-Identifier: Apache-2.0
// CPU time of this thread, and medians of it: what other work on the machine disturbs least.
#pragma once

#include <algorithm>
#include <ctime>
#include <vector>

namespace vinci {

inline double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// The upper one of an even number.
inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// What two readings of the clock cost by themselves: as much as the smallest solves.
inline double clock_cost() {
  std::vector<double> costs;
  for (int i = 0; i < 101; ++i) {
    const double start = cpu_seconds();
    costs.push_back(cpu_seconds() - start);
  }
  return median(costs);
}

}  // namespace vinci
