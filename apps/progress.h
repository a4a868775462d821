// SPDX-License-Identifier: Apache-2.0
// The progress bar of a run, on standard error, and only where that is a terminal.
#pragma once

#include <cstdint>
#include <string>

#include "vinci/base/clock.h"

namespace vinci {

class Progress {
 public:
  // `done` steps are there already (a resumed run). Silent if `wanted` is false or standard error
  // is not a terminal.
  Progress(std::string title, std::int64_t done, std::int64_t total, bool wanted);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();  // wipes the line

  void update(std::int64_t step, double time);  // draws at most ten times a second

 private:
  void draw(std::int64_t step, double time);

  std::string title_;
  std::int64_t first_, total_;
  bool visible_, drawn_ = false, utf8_ = false;
  Stopwatch since_start_;
  double next_ = 0.2;  // s: short runs show no bar at all
};

}  // namespace vinci
