// SPDX-License-Identifier: Apache-2.0
#include "vinci/sampling/interval.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "vinci/base/error.h"
#include "vinci/sampling/special_functions.h"

namespace vinci {

namespace {

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

void expect_counts(std::uint64_t successes, std::uint64_t trials) {
  if (successes > trials)
    throw Error(
        fmt::format("{} successes of {} trials; successes: 0 to {}", successes, trials, trials));
}

// The least of 0 … n + 1 from which on `holds`, which never stops to hold again.
template <class Predicate>
std::uint64_t first_that(std::uint64_t n, const Predicate& holds) {
  std::uint64_t low = 0, high = n + 1;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (holds(middle))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

}  // namespace

void expect_level(double level) {
  if (!(level > 0.0 && level < 1.0))
    throw Error(
        fmt::format("an interval of level {}; level: between 0 and 1, such as 0.95", level));
}

double normal_width(double level) {
  expect_level(level);
  return -normal_quantile(0.5 * (1.0 - level));
}

double student_width(double level, double freedom) {
  expect_level(level);
  return -student_quantile(0.5 * (1.0 - level), freedom);
}

// The probabilities from which the sample is z deviations away [Wilson 1927].
Interval wilson(std::uint64_t successes, std::uint64_t trials, double level) {
  expect_counts(successes, trials);
  const double z = normal_width(level);
  if (trials == 0) return {0.0, 1.0};
  const auto n = static_cast<double>(trials), s = static_cast<double>(successes);
  const double f = n - s, z2 = z * z;
  const double root = z * std::sqrt(s * f / n + 0.25 * z2);
  // Where a difference would cancel, the other form of the root of the quadratic equation.
  const double high = successes == trials ? 1.0 : (s + 0.5 * z2 + root) / (n + z2);
  const double low = successes == 0 ? 0.0 : s * s / (n * (s + 0.5 * z2 + root));
  return {low, high};
}

// The probabilities at which so many successes, or so few, have (1 − level)/2 [Clopper 1934].
Interval clopper_pearson(std::uint64_t successes, std::uint64_t trials, double level) {
  expect_counts(successes, trials);
  expect_level(level);
  const double tail = 0.5 * (1.0 - level);
  const auto s = static_cast<double>(successes), f = static_cast<double>(trials - successes);
  return {successes == 0 ? 0.0 : beta_quantile(tail, s, f + 1.0),
          successes == trials ? 1.0 : beta_upper_quantile(tail, s + 1.0, f)};
}

double level_at_each(double level, std::uint64_t looks) {
  expect_level(level);
  return 1.0 - (1.0 - level) / static_cast<double>(std::max<std::uint64_t>(looks, 1));
}

namespace {

// That the trials did not end at the look before, and have so many successes at most now.
double probability_of_at_most(double successes, const InverseTrials& it, double probability) {
  const auto before = static_cast<double>(it.before), wanted = static_cast<double>(it.wanted);
  const double later = static_cast<double>(it.trials) - before;
  const double most = std::min({wanted - 1.0, successes, before});
  // So few at the look before that those since cannot be too many.
  double sum = binomial_cdf(std::min(most, successes - later), before, probability);
  for (double k = std::max(0.0, successes - later + 1.0); k <= most; k += 1.0)
    sum +=
        binomial_density(k, before, probability) * binomial_cdf(successes - k, later, probability);
  return sum;
}

// Where a function of a probability that falls has the value `goal`.
template <class Function>
double place_of(double goal, const Function& function) {
  double low = 0.0, high = 1.0;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (function(middle) > goal ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace

// Outcomes in their order: an earlier end speaks for more, then more successes. What is beyond an
// outcome is an event that more successes cannot undo, so that its probability rises.
Interval inverse_binomial(const InverseTrials& trials, double level) {
  expect_counts(trials.successes, trials.trials);
  expect_level(level);
  if (trials.before > trials.trials || trials.wanted < 1)
    throw Error(
        fmt::format("{} trials, {} of them before, until {} succeed; accepted: no more "
                    "before, and one that succeeds",
                    trials.trials, trials.before, trials.wanted));
  if (trials.trials == 0) return {0.0, 1.0};
  const double tail = 0.5 * (1.0 - level);
  const auto successes = static_cast<double>(trials.successes);
  const auto at_most = [&](double s) {
    return
        [&trials, s](double probability) { return probability_of_at_most(s, trials, probability); };
  };
  return {trials.successes == 0 ? 0.0 : place_of(1.0 - tail, at_most(successes - 1.0)),
          trials.successes == trials.trials ? 1.0 : place_of(tail, at_most(successes))};
}

ProbabilityEstimate estimate_probability(const OutcomeCounts& counts, double level,
                                         ProbabilityMethod method) {
  const auto interval = method == ProbabilityMethod::wilson ? wilson : clopper_pearson;
  ProbabilityEstimate estimate;
  estimate.value = counts.known() > 0
                       ? static_cast<double>(counts.successes) / static_cast<double>(counts.known())
                       : no_number;
  estimate.if_alike = interval(counts.successes, counts.known(), level);
  // Both ends rise with the successes, so that the interval of the true ones lies between these.
  estimate.whatever = {interval(counts.successes, counts.all(), level).low,
                       interval(counts.successes + counts.unknown, counts.all(), level).high};
  return estimate;
}

void ConvergenceTrace::add(Outcome outcome) {
  counts_.add(outcome);
  if (std::has_single_bit(counts_.all())) at_powers_.push_back(counts_);
}

std::vector<OutcomeCounts> ConvergenceTrace::points() const {
  std::vector<OutcomeCounts> points = at_powers_;
  if (counts_.all() > 0 && !std::has_single_bit(counts_.all())) points.push_back(counts_);
  return points;
}

// The number of samples below the quantile is binomial [David 2003, ch. 7].
QuantileEstimate estimate_quantile(std::span<const double> samples, double probability,
                                   double level) {
  expect_level(level);
  if (!(probability > 0.0 && probability < 1.0))
    throw Error(
        fmt::format("the quantile of probability {}; probability: between 0 and 1", probability));
  std::vector<double> sorted(samples.begin(), samples.end());
  if (std::any_of(sorted.begin(), sorted.end(), [](double x) { return std::isnan(x); }))
    throw Error("the quantile of samples that are not numbers; samples: numbers");
  if (sorted.empty()) return {no_number, {-infinity, infinity}};
  std::sort(sorted.begin(), sorted.end());
  const std::uint64_t count = sorted.size();
  const auto n = static_cast<double>(count);
  const double tail = 0.5 * (1.0 - level);
  // The l-th sample is below the quantile unless fewer than l are; the u-th is above it unless u or
  // more are below.
  const std::uint64_t l = first_that(count, [&](std::uint64_t k) {
    return binomial_cdf(static_cast<double>(k), n, probability) > tail;
  });
  const std::uint64_t u = first_that(count, [&](std::uint64_t k) {
    return binomial_cdf(n - static_cast<double>(k), n, 1.0 - probability) <= tail;
  });
  const auto at = std::min(static_cast<std::uint64_t>(std::ceil(n * probability)), count);
  return {sorted[std::max<std::uint64_t>(at, 1) - 1],
          {l >= 1 ? sorted[l - 1] : -infinity, u <= count ? sorted[u - 1] : infinity}};
}

void RunningMean::add(double value) {
  if (!std::isfinite(value))
    throw Error(fmt::format("the mean of numbers among which is {}; numbers: finite", value));
  ++count_;
  const double change = value - mean_;
  mean_ += change / static_cast<double>(count_);
  squares_ += change * (value - mean_);
}

double RunningMean::mean() const {
  return count_ > 0 ? mean_ : no_number;
}

double RunningMean::variance() const {
  return count_ > 1 ? squares_ / static_cast<double>(count_ - 1) : no_number;
}

Interval RunningMean::interval(double level) const {
  expect_level(level);
  if (count_ < 2) return {-infinity, infinity};
  const auto n = static_cast<double>(count_);
  const double half = student_width(level, n - 1.0) * std::sqrt(variance() / n);
  return {mean_ - half, mean_ + half};
}

}  // namespace vinci
