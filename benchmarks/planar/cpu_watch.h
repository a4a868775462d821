// SPDX-License-Identifier: Apache-2.0
// CPU time of this thread: what other work takes on the machine is not counted.
#pragma once

#include <ctime>

namespace vinci {

class CpuWatch {
 public:
  // Seconds since construction or the last lap.
  double lap() {
    const double before = start_;
    start_ = now();
    return start_ - before;
  }

 private:
  static double now() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }
  double start_ = now();
};

}  // namespace vinci
