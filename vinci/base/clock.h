// SPDX-License-Identifier: Apache-2.0
// Stopwatch and deadline on the monotonic clock.
#pragma once

#include <chrono>
#include <limits>

namespace vinci {

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  // Seconds since construction or the last lap.
  double lap() {
    const auto now = Clock::now();
    const double elapsed = std::chrono::duration<double>(now - start_).count();
    start_ = now;
    return elapsed;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

// A time from now on; the default never passes and never asks the clock.
class Deadline {
 public:
  Deadline() = default;
  explicit Deadline(double seconds)
      : seconds_(seconds), start_(finite() ? Clock::now() : Clock::time_point()) {}
  bool passed() const { return remaining() <= 0.0; }
  double remaining() const {
    return finite() ? seconds_ - std::chrono::duration<double>(Clock::now() - start_).count()
                    : seconds_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  bool finite() const { return seconds_ < std::numeric_limits<double>::infinity(); }

  double seconds_ = std::numeric_limits<double>::infinity();
  Clock::time_point start_;
};

}  // namespace vinci
