// SPDX-License-Identifier: Apache-2.0
// Memory that a worker shares with its coordinator: it outlives the worker, and says what the
// worker was at.
#pragma once

#include <atomic>
#include <cstdint>

#include <time.h>

namespace vinci {

struct WorkerPage {
  // Written before the worker begins.
  std::uint64_t memory = 0;       // bytes that its cases may take; 0: any number
  std::uint64_t coordinator = 0;  // its process
  // Of the case that is under way; `started` is 0 where none is.
  std::atomic<std::uint64_t> number{0};
  std::atomic<std::uint64_t> started{0};  // ns of the monotonic clock
};

static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

// The same clock in all processes.
inline std::uint64_t monotonic_nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(now.tv_nsec);
}

// Where a worker finds its socket and its page: a program at these numbers.
struct WorkerEnds {
  int socket = 3, page = 4;
};

}  // namespace vinci
