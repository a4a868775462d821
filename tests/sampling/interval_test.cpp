// SPDX-License-Identifier: Apache-2.0
#include "vinci/sampling/interval.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "vinci/base/error.h"
#include "vinci/sampling/random.h"
#include "vinci/sampling/special_functions.h"

namespace vinci {
namespace {

constexpr int studies = 10000;

TEST(Interval, wilson_and_clopper_pearson_match_published_numbers) {
  // [Newcombe 1998], table I: 81 of 263 and 15 of 148.
  EXPECT_NEAR(wilson(81, 263, 0.95).low, 0.2553, 5e-5);
  EXPECT_NEAR(wilson(81, 263, 0.95).high, 0.3662, 5e-5);
  EXPECT_NEAR(clopper_pearson(81, 263, 0.95).low, 0.2527, 5e-5);
  EXPECT_NEAR(clopper_pearson(81, 263, 0.95).high, 0.3676, 5e-5);
  EXPECT_NEAR(wilson(15, 148, 0.95).low, 0.0624, 5e-5);
  EXPECT_NEAR(wilson(15, 148, 0.95).high, 0.1605, 5e-5);
  EXPECT_NEAR(clopper_pearson(15, 148, 0.95).low, 0.0578, 5e-5);
  EXPECT_NEAR(clopper_pearson(15, 148, 0.95).high, 0.1617, 5e-5);
  EXPECT_NEAR(wilson(0, 20, 0.95).high, 0.1611, 5e-5);
  EXPECT_NEAR(clopper_pearson(0, 20, 0.95).high, 0.1684, 5e-5);
}

TEST(Interval, ends_are_exact_where_nothing_or_all_succeeded) {
  for (const auto interval : {wilson, clopper_pearson}) {
    EXPECT_EQ(interval(0, 50, 0.9).low, 0.0);
    EXPECT_EQ(interval(50, 50, 0.9).high, 1.0);
    EXPECT_NEAR(interval(0, 50, 0.9).high, 1.0 - interval(50, 50, 0.9).low, 1e-15);
    EXPECT_EQ(interval(0, 0, 0.9).low, 0.0);
    EXPECT_EQ(interval(0, 0, 0.9).high, 1.0);
  }
  EXPECT_NEAR(clopper_pearson(0, 1000000, 0.95).high, -std::expm1(std::log(0.025) / 1e6), 1e-19);
}

// The share of 10,000 studies whose interval covers the probability.
double coverage(ProbabilityMethod method, double probability, std::uint64_t trials, double level) {
  const CounterRandom random(11, "coverage");
  std::vector<Interval> intervals;
  for (std::uint64_t s = 0; s <= trials; ++s)
    intervals.push_back(estimate_probability({s, trials - s, 0}, level, method).if_alike);
  int covered = 0;
  std::vector<double> numbers(trials);
  for (std::uint64_t study = 0; study < studies; ++study) {
    random.uniforms(study, numbers);
    const auto successes = std::count_if(numbers.begin(), numbers.end(),
                                         [&](double number) { return number < probability; });
    covered += intervals[static_cast<std::size_t>(successes)].contains(probability);
  }
  return static_cast<double>(covered) / studies;
}

TEST(Interval, clopper_pearson_covers_what_it_promises_for_every_probability) {
  for (const double p : {0.003, 0.05, 0.31, 0.5, 0.88})
    for (const std::uint64_t trials : {10, 47, 300})
      for (const double level : {0.8, 0.95}) {
        const double slack = 3.0 * std::sqrt(level * (1.0 - level) / studies);
        EXPECT_GE(coverage(ProbabilityMethod::clopper_pearson, p, trials, level), level - slack)
            << p << " " << trials;
      }
}

TEST(Interval, wilson_covers_what_it_promises_on_average) {
  double sum = 0.0;
  int count = 0;
  for (double p = 0.05; p < 0.96; p += 0.05, ++count)
    sum += coverage(ProbabilityMethod::wilson, p, 60, 0.95);
  RecordProperty("coverage", std::to_string(sum / count));
  EXPECT_NEAR(sum / count, 0.95, 0.01);
}

// The share of studies whose interval covers the probability, by the distribution of their ends:
// trials end at the first look, after every `step` of them, at which there are `wanted` successes.
double inverse_coverage(double p, std::uint64_t wanted, std::uint64_t step, std::uint64_t most) {
  std::vector<double> going(most + 1, 0.0);  // by successes
  going[0] = 1.0;
  double covered = 0.0;
  for (std::uint64_t n = 1; n <= most; ++n) {
    for (std::uint64_t s = n; s > 0; --s) going[s] = going[s] * (1.0 - p) + going[s - 1] * p;
    going[0] *= 1.0 - p;
    if (n % step != 0 && n != most) continue;
    for (std::uint64_t s = n == most ? 0 : wanted; s <= n; ++s) {
      const std::uint64_t before = (n - 1) / step * step;
      if (going[s] > 1e-12 && inverse_binomial({s, n, before, wanted}, 0.95).contains(p))
        covered += going[s];
      going[s] = 0.0;
    }
  }
  return covered;
}

TEST(Interval, covers_although_successes_end_the_trials) {
  for (const double p : {0.004, 0.05, 0.3, 0.62, 0.97})
    for (const std::uint64_t wanted : {1, 3, 20})
      for (const std::uint64_t step : {1, 10, 64})
        EXPECT_GE(inverse_coverage(p, wanted, step, 400), 0.95 - 1e-9)
            << p << " " << wanted << " " << step;
}

// Looked at after every trial the number of trials is negative binomial.
TEST(Interval, of_inverse_sampling_is_that_of_the_negative_binomial_distribution) {
  for (const std::uint64_t wanted : {1, 4, 50})
    for (const std::uint64_t trials : {50, 90, 2000}) {
      const Interval interval = inverse_binomial({wanted, trials, trials - 1, wanted}, 0.9);
      const auto s = static_cast<double>(wanted), f = static_cast<double>(trials) - s;
      EXPECT_NEAR(interval.low, beta_quantile(0.05, s, f + 1.0), 1e-12);
      EXPECT_NEAR(interval.high, f == 0.0 ? 1.0 : beta_upper_quantile(0.05, s, f), 1e-12);
    }
  // Before the first look nothing has been chosen.
  const Interval first = inverse_binomial({7, 30, 0, 3}, 0.95);
  EXPECT_NEAR(first.low, clopper_pearson(7, 30, 0.95).low, 1e-12);
  EXPECT_NEAR(first.high, clopper_pearson(7, 30, 0.95).high, 1e-12);
}

TEST(Interval, levels_are_divided_among_looks) {
  EXPECT_DOUBLE_EQ(level_at_each(0.95, 5), 0.99);
  EXPECT_DOUBLE_EQ(level_at_each(0.95, 1), 0.95);
}

// Half of the successes, or of the failures, and only those, leave no verdict.
TEST(Interval, covers_whatever_unknown_outcomes_would_have_been) {
  const CounterRandom random(12, "unknown");
  for (const bool hide_success : {false, true}) {
    int covered = 0, covered_if_alike = 0;
    const double p = 0.4;
    for (std::uint64_t study = 0; study < studies; ++study) {
      OutcomeCounts counts;
      for (std::uint64_t i = 0; i < 200; ++i) {
        const bool success = random.uniform(study, 2 * i) < p;
        const bool hidden = success == hide_success && random.uniform(study, 2 * i + 1) < 0.5;
        counts.add(hidden ? Outcome::unknown : success ? Outcome::success : Outcome::failure);
      }
      const ProbabilityEstimate estimate =
          estimate_probability(counts, 0.95, ProbabilityMethod::clopper_pearson);
      covered += estimate.whatever.contains(p);
      covered_if_alike += estimate.if_alike.contains(p);
    }
    EXPECT_GE(covered, 0.95 * studies);
    EXPECT_LT(covered_if_alike, 0.1 * studies);
  }
  const ProbabilityEstimate nothing = estimate_probability({0, 0, 5}, 0.95);
  EXPECT_TRUE(std::isnan(nothing.value));
  EXPECT_EQ(nothing.whatever.low, 0.0);
  EXPECT_EQ(nothing.whatever.high, 1.0);
}

TEST(Interval, without_unknown_outcomes_both_intervals_are_one) {
  const ProbabilityEstimate estimate = estimate_probability({7, 3, 0}, 0.9);
  EXPECT_EQ(estimate.value, 0.7);
  EXPECT_EQ(estimate.if_alike.low, estimate.whatever.low);
  EXPECT_EQ(estimate.if_alike.high, estimate.whatever.high);
}

TEST(Interval, quantiles_between_order_statistics_cover_what_they_promise) {
  const CounterRandom random(13, "quantile");
  for (const double p : {0.1, 0.5, 0.9})
    for (const std::uint64_t count : {40, 200}) {
      int covered = 0;
      std::vector<double> samples(count);
      for (std::uint64_t study = 0; study < studies; ++study) {
        random.uniforms(study, samples);
        covered += estimate_quantile(samples, p, 0.9).interval.contains(p);
      }
      EXPECT_GE(covered, (0.9 - 0.009) * studies) << p << " " << count;
      EXPECT_LE(covered, 0.97 * studies) << p << " " << count;
    }
}

TEST(Interval, quantiles_of_too_few_samples_are_open) {
  const std::vector<double> samples = {3.0, 1.0, 2.0};
  const QuantileEstimate median = estimate_quantile(samples, 0.5, 0.95);
  EXPECT_EQ(median.value, 2.0);
  EXPECT_EQ(median.interval.low, -infinity);
  EXPECT_EQ(median.interval.high, infinity);
  // P(all 5 on one side of the median) = 1/32: ten samples bound it at 0.95 by the second ones.
  const std::vector<double> ten = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  EXPECT_EQ(estimate_quantile(ten, 0.5, 0.95).interval.low, 2.0);
  EXPECT_EQ(estimate_quantile(ten, 0.5, 0.95).interval.high, 9.0);
  EXPECT_TRUE(std::isnan(estimate_quantile({}, 0.5, 0.95).value));
}

TEST(Interval, means_cover_what_they_promise) {
  const CounterRandom random(14, "mean");
  for (const double level : {0.8, 0.95, 0.99}) {
    int covered = 0;
    for (std::uint64_t study = 0; study < studies; ++study) {
      RunningMean mean;
      for (std::uint64_t i = 0; i < 5; ++i) mean.add(3.0 + 2.0 * random.normal(study, i));
      covered += mean.interval(level).contains(3.0);
    }
    EXPECT_NEAR(covered, level * studies, 3.5 * std::sqrt(level * (1.0 - level) * studies));
  }
}

TEST(Interval, running_mean_is_accurate_far_from_zero) {
  RunningMean mean;
  for (const double x : {1e9 + 4.0, 1e9 + 7.0, 1e9 + 13.0, 1e9 + 16.0}) mean.add(x);
  EXPECT_EQ(mean.mean(), 1e9 + 10.0);
  EXPECT_EQ(mean.variance(), 30.0);
}

TEST(Interval, convergence_is_kept_at_powers_of_two) {
  ConvergenceTrace trace;
  EXPECT_TRUE(trace.points().empty());
  for (int i = 0; i < 11; ++i) trace.add(i % 5 == 4 ? Outcome::unknown : Outcome::success);
  const std::vector<OutcomeCounts> points = trace.points();
  ASSERT_EQ(points.size(), 5u);
  EXPECT_EQ(points[0].all(), 1u);
  EXPECT_EQ(points[3].all(), 8u);
  EXPECT_EQ(points[3].unknown, 1u);
  EXPECT_EQ(points[4].all(), 11u);
  EXPECT_EQ(points[4].unknown, 2u);
}

TEST(Interval, bad_input_is_refused) {
  EXPECT_THROW(wilson(5, 4, 0.95), Error);
  EXPECT_THROW(clopper_pearson(1, 4, 1.0), Error);
  EXPECT_THROW(wilson(1, 4, 0.0), Error);
  EXPECT_THROW(wilson(1, 4, NAN), Error);
  EXPECT_THROW(inverse_binomial({1, 4, 5, 1}, 0.95), Error);
  EXPECT_THROW(inverse_binomial({1, 4, 0, 0}, 0.95), Error);
  const std::vector<double> bad = {1.0, NAN};
  EXPECT_THROW(estimate_quantile(bad, 0.5, 0.95), Error);
  EXPECT_THROW(estimate_quantile(bad, 1.0, 0.95), Error);
  RunningMean mean;
  EXPECT_THROW(mean.add(INFINITY), Error);
  EXPECT_THROW(mean.interval(2.0), Error);
}

}  // namespace
}  // namespace vinci
