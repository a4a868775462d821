// SPDX-License-Identifier: Apache-2.0
#include "vinci/sampling/distribution.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/sampling/statistics.h"
#include "vinci/base/error.h"
#include "vinci/sampling/random.h"
#include "vinci/sampling/special_functions.h"

namespace vinci {
namespace {

struct Named {
  std::string name;
  Distribution distribution;
};

std::vector<Named> continuous_ones() {
  return {{"uniform", Distribution::uniform(-2.0, 5.0)},
          {"normal", Distribution::normal(3.0, 0.5)},
          {"normal, both ends", Distribution::normal(0.0, 1e-3, {-3e-3, 1e-3})},
          {"normal, upper tail", Distribution::normal(0.0, 1.0, {6.0, infinity})},
          {"normal, lower tail", Distribution::normal(0.0, 1.0, {-infinity, -7.0})},
          {"normal, upper piece", Distribution::normal(0.0, 1.0, {2.0, 2.5})},
          {"lognormal", Distribution::lognormal(-1.0, 0.7)},
          {"lognormal, cut", Distribution::lognormal(0.0, 1.0, {0.5, 4.0})},
          {"triangular", Distribution::triangular(1.0, 2.0, 5.0)},
          {"triangular to the left", Distribution::triangular(1.0, 1.0, 5.0)},
          {"triangular to the right", Distribution::triangular(1.0, 5.0, 5.0)},
          {"triangular, cut", Distribution::triangular(0.0, 1.0, 4.0, {0.5, 3.0})},
          {"exponential", Distribution::exponential(2.0)},
          {"exponential, cut", Distribution::exponential(2.0, {1.0, 3.0})},
          {"exponential, tail", Distribution::exponential(1.0, {30.0, infinity})},
          {"measured", Distribution::measured(std::vector<double>{3.0, 1.0, 2.5, 7.0}, true)}};
}

TEST(Distribution, draws_pass_kolmogorov_smirnov_and_have_their_mean_and_variance) {
  for (const auto& [name, distribution] : continuous_ones()) {
    const CounterRandom random(4, name);
    std::vector<double> draws;
    const int count = 20000;
    double sum = 0.0, squares = 0.0, fourth = 0.0;
    const double mean = distribution.mean(), variance = distribution.variance();
    for (std::uint64_t k = 0; k < count; ++k) {
      draws.push_back(distribution.quantile(random.uniform(k, 0)));
      const double d = draws.back() - mean;
      sum += d, squares += d * d, fourth += d * d * d * d;
    }
    EXPECT_GT(distance_probability(draws, [&](double x) { return distribution.cdf(x); }), 0.005)
        << name;
    EXPECT_LT(std::abs(sum / count), 3.5 * std::sqrt(variance / count)) << name;
    const double spread = std::sqrt((fourth / count - variance * variance) / count);
    EXPECT_LT(std::abs(squares / count - variance), 3.5 * spread) << name;
  }
}

TEST(Distribution, quantiles_invert_both_tails) {
  for (const auto& [name, distribution] : continuous_ones())
    for (const double p : {1e-12, 1e-9, 1e-5, 0.01, 0.3, 0.5, 0.8}) {
      const double low = distribution.quantile(p), high = distribution.upper_quantile(p);
      EXPECT_GE(low, distribution.least());
      EXPECT_LE(high, distribution.greatest());
      // One unit in the last place of x moves the tail by this much.
      const auto slack = [&](double x) {
        return 1e-9 * p + 4e-16 * std::abs(x) * distribution.density(x);
      };
      EXPECT_NEAR(distribution.cdf(low), p, slack(low)) << name << " " << p;
      EXPECT_NEAR(distribution.above(high), p, slack(high)) << name << " " << p;
      EXPECT_NEAR(distribution.cdf(low) + distribution.above(low), 1.0, 1e-12) << name;
    }
}

TEST(Distribution, quantiles_rise) {
  for (const auto& [name, distribution] : continuous_ones()) {
    double last = distribution.least();
    for (double p = 0.0005; p < 1.0; p += 0.0005) {
      EXPECT_GE(distribution.quantile(p), last) << name;
      last = distribution.quantile(p);
    }
  }
}

TEST(Distribution, tails_match_closed_forms) {
  const auto expect_close = [](double value, double expected) {
    EXPECT_NEAR(value / expected, 1.0, 1e-13) << value;
  };
  expect_close(Distribution::normal(1.0, 2.0).quantile(1e-12), 1.0 - 2.0 * 7.0344838253011319298);
  expect_close(Distribution::normal(1.0, 2.0).upper_quantile(1e-12),
               1.0 + 2.0 * 7.0344838253011319298);
  expect_close(Distribution::exponential(3.0).quantile(1e-12), 3e-12 * (1.0 + 0.5e-12));
  expect_close(Distribution::exponential(3.0).upper_quantile(1e-12), 36.0 * std::log(10.0));
  expect_close(Distribution::triangular(0.0, 1.0, 2.0).quantile(1e-12), std::sqrt(2e-12));
  expect_close(Distribution::lognormal(2.0, 0.5).quantile(1e-12),
               std::exp(2.0 - 0.5 * 7.0344838253011319298));
  // Exponentials forget where they were cut.
  expect_close(Distribution::exponential(1.0, {30.0, infinity}).quantile(0.25) - 30.0,
               -std::log(0.75));
  expect_close(Distribution::normal(0.0, 1.0, {8.0, infinity}).upper_quantile(0.5),
               -normal_quantile(0.5 * normal_cdf(-8.0)));
}

TEST(Distribution, moments_match_closed_forms) {
  const Distribution half = Distribution::normal(0.0, 1.0, {0.0, infinity});
  EXPECT_NEAR(half.mean(), std::sqrt(2.0 / M_PI), 1e-13);
  EXPECT_NEAR(half.variance(), 1.0 - 2.0 / M_PI, 1e-13);
  const Distribution tail = Distribution::exponential(2.0, {5.0, infinity});
  EXPECT_NEAR(tail.mean(), 7.0, 1e-11);
  EXPECT_NEAR(tail.variance(), 4.0, 1e-10);
  const Distribution all = Distribution::lognormal(0.3, 0.8, {0.0, 1e300});
  EXPECT_NEAR(all.mean(), std::exp(0.3 + 0.32), 1e-12);
  EXPECT_NEAR(all.variance(), std::expm1(0.64) * std::exp(0.6 + 0.64), 1e-11);
  const Distribution cut = Distribution::triangular(0.0, 1.0, 4.0, {0.0, 4.0});
  EXPECT_NEAR(cut.mean(), 5.0 / 3.0, 1e-14);
  EXPECT_NEAR(cut.variance(), 13.0 / 18.0, 1e-14);
  EXPECT_NEAR(Distribution::triangular(0.0, 1.0, 4.0).variance(), 13.0 / 18.0, 1e-15);
}

TEST(Distribution, density_is_the_slope_of_the_cdf) {
  for (const auto& [name, distribution] : continuous_ones())
    for (const double p : {0.03, 0.2, 0.45, 0.7, 0.97}) {
      const double x = distribution.quantile(p);
      const double step = 1e-6 * std::sqrt(distribution.variance());
      const double slope = (distribution.cdf(x + step) - distribution.cdf(x - step)) / (2.0 * step);
      EXPECT_NEAR(slope / distribution.density(x), 1.0, 1e-5) << name;
    }
}

TEST(Distribution, discrete_values_come_with_their_weights) {
  const Distribution d = Distribution::discrete(std::vector<double>{5.0, 1.0, 3.0, 1.0},
                                                std::vector<double>{1.0, 2.0, 0.0, 1.0});
  EXPECT_TRUE(d.is_discrete());
  EXPECT_EQ(d.density(1.0), 0.75);
  EXPECT_EQ(d.density(3.0), 0.0);
  EXPECT_EQ(d.density(5.0), 0.25);
  EXPECT_EQ(d.mean(), 2.0);
  EXPECT_EQ(d.variance(), 3.0);
  EXPECT_EQ(d.quantile(0.0), 1.0);
  EXPECT_EQ(d.quantile(0.75), 1.0);
  EXPECT_EQ(d.quantile(0.7500001), 5.0);
  EXPECT_EQ(d.quantile(1.0), 5.0);
  EXPECT_EQ(d.upper_quantile(0.25), 1.0);
  EXPECT_EQ(d.upper_quantile(1e-12), 5.0);
  EXPECT_EQ(d.cdf(0.9), 0.0);
  EXPECT_EQ(d.cdf(1.0), 0.75);
  EXPECT_EQ(d.above(1.0), 0.25);
  EXPECT_EQ(d.above(5.0), 0.0);
}

TEST(Distribution, measured_samples_are_drawn_as_they_are_or_interpolated) {
  const std::vector<double> samples = {4.0, 1.0, 2.0, 2.0};
  const Distribution drawn = Distribution::measured(samples, false);
  EXPECT_EQ(drawn.quantile(0.25), 1.0);
  EXPECT_EQ(drawn.quantile(0.3), 2.0);
  EXPECT_EQ(drawn.quantile(0.75), 2.0);
  EXPECT_EQ(drawn.quantile(0.76), 4.0);
  EXPECT_EQ(drawn.mean(), 2.25);
  const Distribution smooth = Distribution::measured(samples, true);
  EXPECT_EQ(smooth.quantile(0.0), 1.0);
  EXPECT_NEAR(smooth.quantile(1.0 / 6.0), 1.5, 1e-15);
  EXPECT_NEAR(smooth.quantile(0.5), 2.0, 1e-15);
  EXPECT_NEAR(smooth.quantile(5.0 / 6.0), 3.0, 1e-15);
  EXPECT_EQ(smooth.quantile(1.0), 4.0);
  EXPECT_NEAR(smooth.mean(), (1.5 + 2.0 + 3.0) / 3.0, 1e-15);
  EXPECT_NEAR(smooth.cdf(3.0), 5.0 / 6.0, 1e-15);
}

template <class Function>
std::string message_of(const Function& function) {
  try {
    function();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Distribution, bad_numbers_are_refused_with_what_is_accepted) {
  const auto expect_message = [](const auto& function, const char* part) {
    EXPECT_NE(message_of(function).find(part), std::string::npos) << message_of(function);
  };
  expect_message([] { Distribution::uniform(1.0, 1.0); }, "from: less than to");
  expect_message([] { Distribution::uniform(NAN, 1.0); }, "from: finite");
  expect_message([] { Distribution::normal(0.0, 0.0); }, "deviation: greater than 0");
  expect_message([] { Distribution::normal(0.0, 1.0, {2.0, 1.0}); }, "from: less than to");
  expect_message([] { Distribution::normal(0.0, 1.0, {60.0, 70.0}); }, "no probability");
  expect_message([] { Distribution::lognormal(0.0, -1.0); }, "greater than 0");
  expect_message([] { Distribution::lognormal(0.0, 1.0, {-2.0, -1.0}); }, "no probability");
  expect_message([] { Distribution::triangular(0.0, 3.0, 2.0); }, "mode: between them");
  expect_message([] { Distribution::exponential(-1.0); }, "mean: greater than 0");
  const std::vector<double> one = {1.0}, two = {1.0, 2.0}, negative = {1.0, -1.0};
  expect_message([&] { Distribution::discrete({}, {}); }, "at least one");
  expect_message([&] { Distribution::discrete(two, one); }, "one per value");
  expect_message([&] { Distribution::discrete(two, negative); }, "weight: 0 or more");
  expect_message([&] { Distribution::measured({}, false); }, "at least one");
  expect_message([&] { Distribution::measured(one, true); }, "two different ones");
  expect_message([] { Distribution::exponential(1.0).quantile(1.5); }, "probability: 0 to 1");
}

}  // namespace
}  // namespace vinci
