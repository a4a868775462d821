// SPDX-License-Identifier: Apache-2.0
// Stopwatch, interruption and deadline on the monotonic clock.
#pragma once

#include <chrono>
#include <functional>
#include <limits>
#include <utility>

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

// Somebody who may want a long computation to end: a function that is asked every 20 ms at most.
// Its yes holds until begin(). What it throws leaves the computation.
class Interruption {
 public:
  explicit Interruption(std::function<bool()> wanted) : wanted_(std::move(wanted)) {}
  void begin() { happened_ = false; }
  bool ask() {
    if (happened_ || asked_.seconds() < interval) return happened_;
    asked_.lap();
    return happened_ = wanted_();
  }
  bool happened() const { return happened_; }

 private:
  static constexpr double interval = 0.02;  // s
  std::function<bool()> wanted_;
  Stopwatch asked_;
  bool happened_ = false;
};

// A time from now on, or an interruption before; the default never passes and never asks the clock.
class Deadline {
 public:
  Deadline() = default;
  explicit Deadline(double seconds, Interruption* interruption = nullptr)
      : seconds_(seconds),
        start_(finite() ? Clock::now() : Clock::time_point()),
        interruption_(interruption) {}
  bool passed() const { return remaining() <= 0.0; }
  // Seconds; 0 once interrupted.
  double remaining() const {
    if (interruption_ != nullptr && interruption_->ask()) return 0.0;
    return finite() ? seconds_ - std::chrono::duration<double>(Clock::now() - start_).count()
                    : seconds_;
  }
  bool interrupted() const { return interruption_ != nullptr && interruption_->happened(); }
  Interruption* interruption() const { return interruption_; }

 private:
  using Clock = std::chrono::steady_clock;
  bool finite() const { return seconds_ < std::numeric_limits<double>::infinity(); }

  double seconds_ = std::numeric_limits<double>::infinity();
  Clock::time_point start_;
  Interruption* interruption_ = nullptr;
};

}  // namespace vinci
