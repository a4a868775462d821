// SPDX-License-Identifier: Apache-2.0
// Processor time of this thread: what a busy machine gives to others does not count. How fast the
// processor is does; so it is compared with the time of other work in the same test only.
#pragma once

#include <ctime>

namespace vinci::test {

inline double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <class Work>
double cpu_seconds_of(const Work& work) {
  const double start = cpu_seconds();
  work();
  return cpu_seconds() - start;
}

}  // namespace vinci::test
