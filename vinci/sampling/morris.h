// SPDX-License-Identifier: Apache-2.0
// Which uncertain numbers matter at all, with few runs: elementary effects.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vinci/sampling/interval.h"
#include "vinci/sampling/random.h"

namespace vinci {

struct MorrisEffect {
  double mean = 0.0;       // μ: effects of both signs cancel
  double mean_size = 0.0;  // μ*: how much the number matters
  double deviation = 0.0;  // σ: how much the effect depends on the other numbers, or is curved
  Interval mean_size_interval;
  std::uint64_t count = 0;  // of effects, without those of values that are not finite
};

// Trajectories of d + 1 points, in each of which every coordinate changes once, to any other value.
// Of `levels` equal cells a coordinate goes from one to another, to the same place in it, which is
// never an end.
class MorrisTrajectories {
 public:
  MorrisTrajectories(std::uint64_t seed, int dimensions, std::uint64_t trajectories,
                     int levels = 4);

  int dimensions() const { return dimensions_; }
  std::uint64_t count() const;  // of points
  void point(std::uint64_t number, std::span<double> out) const;
  // Changes of the value per change of a coordinate from 0 to 1.
  std::vector<MorrisEffect> analyse(std::span<const double> values, double level) const;

 private:
  struct Change {
    double from, to;
  };
  Change change(std::uint64_t trajectory, std::uint64_t input) const;

  CounterRandom places_, orders_;
  int dimensions_;
  std::uint64_t trajectories_;
  int levels_;
};

}  // namespace vinci
