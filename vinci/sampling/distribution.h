// SPDX-License-Identifier: Apache-2.0
// Distributions of one uncertain number. Both tails are accurate: cdf() and quantile() near 0,
// above() and upper_quantile() where the cdf is near 1.
#pragma once

#include <span>
#include <variant>
#include <vector>

#include "vinci/base/math.h"

namespace vinci {

// What is left of a distribution if values outside of [from, to] are drawn again.
struct Truncation {
  double from = -infinity, to = infinity;
};

class Distribution {
 public:
  static Distribution uniform(double from, double to);
  static Distribution normal(double mean, double deviation, Truncation range = {});
  // The logarithm is normal with this mean and deviation; the median is exp(mean_of_log).
  static Distribution lognormal(double mean_of_log, double deviation_of_log, Truncation range = {});
  static Distribution triangular(double from, double mode, double to, Truncation range = {});
  static Distribution exponential(double mean, Truncation range = {});
  // Weights need not add up to one; equal values are one value.
  static Distribution discrete(std::span<const double> values, std::span<const double> weights);
  // As measured: one of the samples is drawn, or, smooth, the quantile function is linear between
  // the samples in their order, the least at 0 and the greatest at 1.
  static Distribution measured(std::span<const double> samples, bool smooth);

  double cdf(double x) const;    // P(X <= x)
  double above(double x) const;  // P(X > x)
  // The least x with cdf(x) >= probability, and with above(x) <= probability. Throw Error for what
  // is not in [0, 1].
  double quantile(double probability) const;
  double upper_quantile(double probability) const;
  // Of values that are drawn one by one: P(X = x).
  double density(double x) const;
  double mean() const;
  double variance() const;
  // Every value lies between these; they may be infinite.
  double least() const;
  double greatest() const;
  bool is_discrete() const;  // single values have probabilities

 private:
  struct Uniform {
    double from, to;
  };
  struct Normal {
    double mean, deviation;
  };
  struct Lognormal {
    double mean, deviation;  // of the logarithm
  };
  struct Triangular {
    double from, mode, to;
  };
  struct Exponential {
    double mean;
  };
  struct Discrete {
    std::vector<double> values, below;  // P(X <= value), the last one 1
    std::vector<double> above;          // P(X > value)
  };
  struct Smooth {
    std::vector<double> samples;  // in order, at least two
  };
  using Kind = std::variant<Uniform, Normal, Lognormal, Triangular, Exponential, Discrete, Smooth>;

  explicit Distribution(Kind kind) : kind_(std::move(kind)) {}
  void truncate(Truncation range);
  bool is_truncated() const { return range_.from > -infinity || range_.to < infinity; }
  // Of the whole distribution, without truncation.
  double whole_below(double x) const;
  double whole_above(double x) const;
  double whole_quantile(double below, double above) const;  // the smaller one counts
  double whole_density(double x) const;
  double least_of_whole() const;
  double greatest_of_whole() const;
  // E[(X − centre)^power] by integration; of what has a density.
  double moment(double centre, int power) const;

  Kind kind_;
  Truncation range_;
  double mass_ = 1.0;                           // P(range) of the whole
  double mass_below_ = 0.0, mass_above_ = 0.0;  // P(X < from), P(X > to) of the whole
};

}  // namespace vinci
