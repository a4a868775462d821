// SPDX-License-Identifier: Apache-2.0
// The progress bar of a run or of other work, on standard error, and only where that is a terminal.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "vinci/base/clock.h"

namespace vinci {

class Progress {
 public:
  // `done` steps are there already (a resumed run). Silent if `wanted` is false or standard error
  // is not a terminal. `noun`: what is counted.
  Progress(std::string title, std::int64_t done, std::int64_t total, bool wanted,
           std::string noun = "steps");
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();  // wipes the line

  // Whether update() would draw now.
  bool is_due() const { return visible_ && since_start_.seconds() >= next_; }
  // Of work that grows while it goes on.
  void set_total(std::int64_t total);
  // What stands behind the facts.
  void set_note(const std::string& note);
  // Draws at most ten times a second; with the simulated time, if there is one.
  void update(std::int64_t step, std::optional<double> time = {});

 private:
  void draw(std::int64_t step, std::optional<double> time);

  std::string title_, noun_, note_;
  std::int64_t first_, total_;
  bool visible_, drawn_ = false, utf8_ = false;
  Stopwatch since_start_;
  double next_ = 0.2;  // s: short runs show no bar at all
};

}  // namespace vinci
