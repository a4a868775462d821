// SPDX-License-Identifier: Apache-2.0
// Runs of experiments/plate with one friction each, in turns, so that a disturbance of the machine
// meets all of them; and solves of their problems from zero.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "vinci/simulation/simulation.h"

namespace vinci {

constexpr double frame_time = 0.01;  // s between places that are kept
constexpr int most_samples = 120;    // problems that are kept of a run

class PlateRun {
 public:
  // `directions` 0: the exact cone.
  PlateRun(const std::string& scene, int directions, double step, double duration);

  bool finished() const { return simulation_.finished(); }
  void run_frame();  // to the next place

  int directions() const { return directions_; }
  int rows() const { return samples_.empty() ? 0 : samples_.front().rows(); }
  double mean_step() const { return seconds_ / static_cast<double>(steps_); }  // s of CPU time
  double median_step() const;                                                  // s, over the frames
  double median_solve() const;  // s, of the stage in steps that are looked at
  double allocations() const {
    return static_cast<double>(allocations_) / static_cast<double>(steps_);
  }
  double residual() const { return residual_; }                   // worst
  const std::vector<Vector2>& places() const { return places_; }  // of the part, at frame_time
  const std::vector<ComplementarityProblem>& samples() const { return samples_; }

 private:
  Simulation simulation_;
  int directions_, body_ = -1, frame_steps_;
  int frames_ = 0, sample_every_;
  std::int64_t steps_ = 0, allocations_ = 0;
  double seconds_ = 0.0, residual_ = 0.0;
  std::vector<double> frame_seconds_, solve_seconds_;
  std::vector<Vector2> places_;
  std::vector<ComplementarityProblem> samples_;
};

void take_turns(std::vector<std::unique_ptr<PlateRun>>& runs);

struct ColdSolves {
  double median = 0.0;                      // s of CPU time
  double iterations = 0.0, residual = 0.0;  // mean, worst
};
// `auto` at 1e-10, one solver for all of them, each from zero.
ColdSolves solve_cold(const std::vector<ComplementarityProblem>& problems);

}  // namespace vinci
