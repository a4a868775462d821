// SPDX-License-Identifier: Apache-2.0
// What a sample says of a probability, a quantile or a mean, and how surely: an interval of level
// 0.95 covers the truth in 95 of 100 studies.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vinci/base/math.h"

namespace vinci {

struct Interval {
  double low = 0.0, high = 0.0;
  double width() const { return high - low; }
  bool contains(double value) const { return low <= value && value <= high; }
};

// Of a probability, from `successes` of `trials`; [0, 1] without trials. Wilson's covers the level
// on average, Clopper and Pearson's for every probability.
enum class ProbabilityMethod { wilson, clopper_pearson };
Interval wilson(std::uint64_t successes, std::uint64_t trials, double level);
Interval clopper_pearson(std::uint64_t successes, std::uint64_t trials, double level);

// Where a rule looks at the trials and may end them, the intervals above do not cover what they
// promise. Exact ones of this level at each of `looks` do so at all of them together.
double level_at_each(double level, std::uint64_t looks);

// Trials that ended at the first look with `wanted` successes or more, or that something else ended
// before; `before` is their number at the look before. Covers its level for every probability,
// whatever the looks are, as Clopper's and Pearson's does for a number of trials that was given.
struct InverseTrials {
  std::uint64_t successes = 0, trials = 0;
  std::uint64_t before = 0, wanted = 1;
};
Interval inverse_binomial(const InverseTrials& trials, double level);

enum class Outcome : std::uint8_t { failure, success, unknown };

struct OutcomeCounts {
  std::uint64_t successes = 0, failures = 0, unknown = 0;
  std::uint64_t known() const { return successes + failures; }
  std::uint64_t all() const { return known() + unknown; }
  void add(Outcome outcome) {
    ++(outcome == Outcome::success ? successes : outcome == Outcome::failure ? failures : unknown);
  }
};

struct ProbabilityEstimate {
  double value = 0.0;  // among the known outcomes; NaN where there is none
  Interval if_alike;   // right if unknown outcomes are like the known ones
  // Right whatever the unknown outcomes would have been; wider by their share at least.
  Interval whatever;
};
ProbabilityEstimate estimate_probability(const OutcomeCounts& counts, double level,
                                         ProbabilityMethod method = ProbabilityMethod::wilson);

// The counts after 1, 2, 4, 8, … outcomes: how an estimate settled.
class ConvergenceTrace {
 public:
  void add(Outcome outcome);
  const OutcomeCounts& counts() const { return counts_; }
  // Ends with the counts of all outcomes so far.
  std::vector<OutcomeCounts> points() const;

 private:
  OutcomeCounts counts_;
  std::vector<OutcomeCounts> at_powers_;
};

// Of a value that has no distribution assumed, between two of the samples in their order; infinite
// where there are too few samples.
struct QuantileEstimate {
  double value = 0.0;
  Interval interval;
};
QuantileEstimate estimate_quantile(std::span<const double> samples, double probability,
                                   double level);

// Of a mean, by Student's distribution.
class RunningMean {
 public:
  void add(double value);
  std::uint64_t count() const { return count_; }
  double mean() const;      // NaN of nothing
  double variance() const;  // of the samples; NaN of fewer than two
  Interval interval(double level) const;

 private:
  std::uint64_t count_ = 0;
  double mean_ = 0.0, squares_ = 0.0;
};

// Throws Error unless 0 < level < 1.
void expect_level(double level);
// z with P(|Z| <= z) = level of a normal number, and of Student's.
double normal_width(double level);
double student_width(double level, double freedom);

}  // namespace vinci
