// SPDX-License-Identifier: Apache-2.0
// How much of the variance of a measure each uncertain number brings, alone and with the others.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vinci/sampling/design_points.h"
#include "vinci/sampling/interval.h"

namespace vinci {

struct SobolIndex {
  double first = 0.0;  // share of the variance that would go if this number were known
  double total = 0.0;  // share that would stay if all others were known
  Interval first_interval, total_interval;
};

struct SobolAnalysis {
  std::vector<SobolIndex> indices;    // NaN where the values are all equal or too few
  double mean = 0.0, variance = 0.0;  // NaN without two rows that count
  // How many values at A and B the variance rests on, as by their fourth moment: of a rare event
  // about as often as it happened.
  double carriers = 0.0;
  std::uint64_t rows = 0;     // that count
  std::uint64_t dropped = 0;  // rows with a value that is not finite
};

// Rows of d + 2 points: A, B, and A with each coordinate in turn from B.
class SobolIndices {
 public:
  // `points` of 2 d dimensions: A and B of a row are the halves of one of its points.
  SobolIndices(DesignPoints points, std::uint64_t rows);

  int dimensions() const { return points_.dimensions() / 2; }
  std::uint64_t count() const;  // of points
  void point(std::uint64_t number, std::span<double> out) const;
  // Of the values at all points in the order of their numbers.
  SobolAnalysis analyse(std::span<const double> values, double level) const;

 private:
  DesignPoints points_;
  std::uint64_t rows_;
};

}  // namespace vinci
