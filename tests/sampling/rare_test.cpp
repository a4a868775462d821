// SPDX-License-Identifier: Apache-2.0
// Events whose small probabilities are known, each by 200 studies.
#include "vinci/sampling/rare.h"

#include <functional>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "vinci/base/error.h"
#include "vinci/sampling/special_functions.h"

namespace vinci {
namespace {

using Margin = std::function<double(const VectorX&)>;

RareEstimate run(RareSampler& sampler, const Margin& margin, double level = 0.95) {
  while (!sampler.done()) {
    std::vector<double> margins;
    for (const auto& point : sampler.points().colwise()) margins.push_back(margin(point));
    sampler.tell(margins);
  }
  return sampler.estimate(level);
}

// 1e-5 beyond a plane, wherever it lies.
double plane(const VectorX& z) {
  return 4.264890793922825 - z.sum() / std::sqrt(static_cast<double>(z.size()));
}

// 1e-5 beyond two planes.
double two_planes(const VectorX& z) {
  return 4.417173413469023 - std::abs(z[0]);
}

// The sum of five exponential numbers: P(> c) = e⁻ᶜ Σ cᵏ/k!, k < 5.
double sum_of_exponentials(const VectorX& z) {
  double sum = 0.0;
  for (const double x : z) sum -= std::log(normal_cdf(-x));
  return 20.0 - sum;
}

double probability_of_sum() {
  double term = std::exp(-20.0), sum = 0.0;
  for (int k = 0; k < 5; ++k, term *= 20.0 / k) sum += term;
  return sum;
}

struct Studies {
  double mean = 0.0, deviation = 0.0, told_variation = 0.0, covered = 0.0, evaluations = 0.0;
};

template <class Make>
Studies studies_of(const Make& make, const Margin& margin, double truth, int count) {
  Studies studies;
  RunningMean estimates;
  for (int seed = 0; seed < count; ++seed) {
    auto sampler = make(static_cast<std::uint64_t>(seed));
    const RareEstimate estimate = run(sampler, margin);
    EXPECT_TRUE(estimate.complete) << seed;
    estimates.add(estimate.probability / truth);
    studies.told_variation += estimate.variation / count;
    studies.covered += estimate.interval.contains(truth) / static_cast<double>(count);
    studies.evaluations += static_cast<double>(estimate.evaluations) / count;
  }
  studies.mean = estimates.mean();
  studies.deviation = std::sqrt(estimates.variance());
  return studies;
}

SubsetSimulation subset(std::uint64_t seed, int dimensions) {
  SubsetOptions options;
  options.seed = seed;
  options.dimensions = dimensions;
  return SubsetSimulation(options);
}

ImportanceSampling importance(std::uint64_t seed, int dimensions, int components = 1,
                              std::uint64_t count = 1000) {
  ImportanceOptions options;
  options.seed = seed;
  options.count = count;
  options.final_count = 2 * count;
  options.dimensions = dimensions;
  options.components = components;
  return ImportanceSampling(options);
}

constexpr int studies_count = 200;

TEST(SubsetSimulation, finds_one_in_100000) {
  for (const int dimensions : {2, 10, 20, 50}) {
    const Studies studies = studies_of([&](std::uint64_t seed) { return subset(seed, dimensions); },
                                       plane, 1e-5, studies_count);
    EXPECT_NEAR(studies.mean, 1.0, 0.15) << dimensions;
    EXPECT_GT(studies.told_variation, studies.deviation) << dimensions;
    EXPECT_GT(studies.covered, 0.95) << dimensions;
    EXPECT_LT(studies.evaluations, 5500.0);
  }
}

// The sum of the squares of 20 and 50 numbers is beyond a limit: P = e^-x Σ xᵏ/k!, k < n/2.
TEST(SubsetSimulation, finds_what_lies_in_all_directions_of_many_numbers) {
  for (const int dimensions : {20, 50}) {
    const double x = dimensions == 20 ? 30.0 : 55.0;
    double term = std::exp(-x), truth = 0.0;
    for (int k = 0; k < dimensions / 2; ++k, term *= x / k) truth += term;
    EXPECT_LT(truth, 2e-5);
    const Studies studies = studies_of([&](std::uint64_t seed) { return subset(seed, dimensions); },
                                       [&](const VectorX& z) { return 2.0 * x - z.squaredNorm(); },
                                       truth, studies_count);
    EXPECT_NEAR(studies.mean, 1.0, 0.2) << dimensions;
    EXPECT_GT(studies.covered, 0.95) << dimensions;
  }
}

TEST(SubsetSimulation, finds_events_in_two_directions_and_curved_ones) {
  const Studies two = studies_of([](std::uint64_t seed) { return subset(seed, 3); }, two_planes,
                                 1e-5, studies_count);
  EXPECT_NEAR(two.mean, 1.0, 0.2);
  EXPECT_GT(two.covered, 0.95);
  const Studies curved = studies_of([](std::uint64_t seed) { return subset(seed, 5); },
                                    sum_of_exponentials, probability_of_sum(), studies_count);
  EXPECT_NEAR(curved.mean, 1.0, 0.15);
  EXPECT_GT(curved.covered, 0.95);
}

// Margins that are counts: of ten numbers at least seven, or nine, are above 0.5.
TEST(SubsetSimulation, finds_events_of_margins_that_tie) {
  for (const int wanted : {7, 9}) {
    double truth = 0.0;
    for (int k = wanted; k <= 10; ++k) truth += binomial_density(k, 10.0, normal_cdf(-0.5));
    RunningMean estimates;
    int covered = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      auto sampler = subset(seed, 10);
      const RareEstimate estimate = run(sampler, [&](const VectorX& z) {
        return wanted - 0.5 - static_cast<double>((z.array() > 0.5).count());
      });
      estimates.add(estimate.probability / truth);
      covered += estimate.interval.contains(truth);
    }
    EXPECT_NEAR(estimates.mean(), 1.0, 0.12) << wanted;
    EXPECT_GT(covered, 190) << wanted;
  }
}

TEST(SubsetSimulation, a_frequent_event_is_counted) {
  auto sampler = subset(1, 2);
  const RareEstimate estimate = run(sampler, [](const VectorX& z) { return z[0]; });
  EXPECT_TRUE(estimate.complete);
  EXPECT_EQ(estimate.evaluations, 1000u);
  EXPECT_TRUE(estimate.interval.contains(0.5));
}

TEST(ImportanceSampling, finds_one_in_100000) {
  for (const int dimensions : {2, 10, 20}) {
    const Studies studies =
        studies_of([&](std::uint64_t seed) { return importance(seed, dimensions); }, plane, 1e-5,
                   studies_count);
    EXPECT_NEAR(studies.mean, 1.0, 0.02) << dimensions;
    EXPECT_NEAR(studies.told_variation / studies.deviation, 1.0, 0.2) << dimensions;
    EXPECT_GT(studies.covered, 0.9) << dimensions;
    EXPECT_LT(studies.evaluations, 9000.0);
  }
}

// As many points lead a round as studies ask for: four for each number.
TEST(ImportanceSampling, finds_one_in_100000_of_many_numbers) {
  const Studies studies =
      studies_of([&](std::uint64_t seed) { return importance(seed, 50, 1, 2000); }, plane, 1e-5,
                 studies_count);
  EXPECT_NEAR(studies.mean, 1.0, 0.02);
  EXPECT_NEAR(studies.told_variation / studies.deviation, 1.0, 0.2);
  EXPECT_GT(studies.covered, 0.9);
}

TEST(ImportanceSampling, finds_events_in_two_directions_and_curved_ones) {
  const Studies two = studies_of([](std::uint64_t seed) { return importance(seed, 3, 2); },
                                 two_planes, 1e-5, studies_count);
  EXPECT_NEAR(two.mean, 1.0, 0.03);
  EXPECT_GT(two.covered, 0.91);
  const Studies curved = studies_of([](std::uint64_t seed) { return importance(seed, 5, 2); },
                                    sum_of_exponentials, probability_of_sum(), studies_count);
  EXPECT_NEAR(curved.mean, 1.0, 0.05);
  EXPECT_GT(curved.covered, 0.88);
}

// Ten numbers, each with a limit on both sides: twenty regions, 4e-4 in all.
double twenty_limits(const VectorX& z) {
  return 4.1 - z.cwiseAbs().maxCoeff();
}

// Regions that one component cannot look at, with the evidence of the points that it drew.
TEST(ImportanceSampling, tells_of_regions_that_it_missed) {
  const auto normal_tail = [](double x) { return normal_cdf(-x); };
  struct Limit {
    Margin margin;
    int dimensions;
    double truth;
  };
  // P(|z| > 6) of ten numbers: e^-18 (1 + 18 + 18^2/2 + 18^3/6 + 18^4/24).
  const double ball = std::exp(-18.0) * (1.0 + 18.0 + 162.0 + 972.0 + 4374.0);
  const Limit limits[] = {
      {twenty_limits, 10, -std::expm1(10.0 * std::log1p(-2.0 * normal_tail(4.1)))},
      {[](const VectorX& z) { return 4.0 - z.maxCoeff(); }, 5,
       -std::expm1(5.0 * std::log1p(-normal_tail(4.0)))},
      {[](const VectorX& z) { return 6.0 - z.norm(); }, 10, ball},
      {two_planes, 3, 1e-5}};
  for (const Limit& limit : limits) {
    int told = 0, covered = 0, covered_by_subset = 0;
    const int count = 60;
    for (int seed = 0; seed < count; ++seed) {
      auto sampler = importance(static_cast<std::uint64_t>(seed), limit.dimensions);
      const RareEstimate estimate = run(sampler, limit.margin);
      told += estimate.is_partial() && !estimate.complete;
      covered += estimate.interval.contains(limit.truth);
      auto other = subset(static_cast<std::uint64_t>(seed), limit.dimensions);
      covered_by_subset += run(other, limit.margin).interval.contains(limit.truth);
    }
    EXPECT_GE(told, count - 1) << limit.truth;
    EXPECT_GE(covered, 0.9 * count) << limit.truth;
    EXPECT_GE(covered_by_subset, 0.9 * count) << limit.truth;
  }
}

TEST(ImportanceSampling, says_nothing_of_other_regions_where_there_are_none) {
  int told = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    for (const int dimensions : {2, 10, 30}) {
      auto sampler = importance(seed, dimensions);
      told += run(sampler, plane).is_partial();
      auto curved = importance(seed, 5, 2);
      told += run(curved, sum_of_exponentials).is_partial();
      auto both = importance(seed, 3, 2);
      told += run(both, two_planes).is_partial();
    }
  EXPECT_LE(told, 1);
}

// What the docs say plainly: behind a plateau lies a region that no point led to.
TEST(ImportanceSampling, cannot_know_of_a_region_to_which_nothing_leads) {
  const Margin hidden = [](const VectorX& z) {
    return std::min(4.5 - z[0], z[1] < -4.0 ? -1.0 : 5.0);
  };
  auto sampler = importance(1, 2);
  const RareEstimate estimate = run(sampler, hidden);
  EXPECT_FALSE(estimate.is_partial());
  EXPECT_LT(estimate.interval.high, normal_cdf(-4.0));
}

// Where those without an answer are like the others, the truth is 1e-5/0.7 or so; where they are
// all in the event, 0.3. The interval holds both.
TEST(SubsetSimulation, holds_whatever_points_without_an_answer_were) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    int asked = 0;
    const Margin with_gaps = [&](const VectorX& z) { return ++asked % 10 < 3 ? NAN : plane(z); };
    auto sampler = subset(seed, 3);
    const RareEstimate estimate = run(sampler, with_gaps);
    EXPECT_TRUE(estimate.interval.contains(1e-5)) << seed;
    EXPECT_TRUE(estimate.interval.contains(0.3)) << seed;
    EXPECT_GT(estimate.unknown, 0u);
  }
}

TEST(RareSampler, the_nearest_point_of_the_event_is_kept) {
  auto sampler = importance(1, 4);
  const RareEstimate estimate = run(sampler, plane);
  ASSERT_EQ(estimate.nearest.size(), 4);
  EXPECT_LT(plane(estimate.nearest), 0.0);
  EXPECT_LT(estimate.nearest.norm(), 5.0);
}

TEST(RareSampler, the_same_margins_give_the_same_points) {
  for (const bool by_subset : {false, true}) {
    std::vector<std::unique_ptr<RareSampler>> twins;
    for (int i = 0; i < 2; ++i)
      if (by_subset)
        twins.push_back(std::make_unique<SubsetSimulation>(subset(3, 2)));
      else
        twins.push_back(std::make_unique<ImportanceSampling>(importance(3, 2)));
    while (!twins[0]->done()) {
      ASSERT_EQ(twins[0]->points(), twins[1]->points());
      std::vector<double> margins;
      for (const auto& point : twins[0]->points().colwise()) margins.push_back(plane(point));
      for (auto& twin : twins) twin->tell(margins);
    }
    EXPECT_TRUE(twins[1]->done());
    EXPECT_EQ(twins[0]->estimate(0.9).probability, twins[1]->estimate(0.9).probability);
  }
}

TEST(RareSampler, an_event_that_is_out_of_reach_is_told_as_such) {
  const Margin flat = [](const VectorX&) { return 1.0; };
  auto by_subset = subset(1, 2);
  const RareEstimate a = run(by_subset, flat);
  EXPECT_FALSE(a.complete);
  EXPECT_EQ(a.probability, 0.0);
  EXPECT_EQ(a.interval.low, 0.0);
  auto by_importance = importance(1, 2);
  const RareEstimate b = run(by_importance, flat);
  EXPECT_FALSE(b.complete);
  EXPECT_EQ(b.interval.low, 0.0);
  EXPECT_EQ(b.interval.high, 1.0);
  SubsetOptions few;
  few.most_levels = 3;
  SubsetSimulation short_one(few);
  const RareEstimate c = run(short_one, [](const VectorX& z) { return 8.0 - z[0]; });
  EXPECT_FALSE(c.complete);
  EXPECT_LT(c.interval.high, 0.02);
  EXPECT_EQ(c.interval.low, 0.0);
}

TEST(RareSampler, unknown_margins_are_counted_and_widen_what_can_be_widened) {
  int asked = 0;
  const Margin with_gaps = [&](const VectorX& z) { return ++asked % 20 == 0 ? NAN : plane(z); };
  auto sampler = importance(1, 3);
  const RareEstimate gaps = run(sampler, with_gaps);
  auto whole_sampler = importance(1, 3);
  const RareEstimate whole = run(whole_sampler, plane);
  EXPECT_EQ(gaps.unknown, gaps.evaluations / 20);
  EXPECT_GT(gaps.interval.width(), whole.interval.width());
  EXPECT_TRUE(gaps.interval.contains(1e-5));
  RunningMean estimates;
  int covered = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    auto by_subset = subset(seed, 3);
    asked = 0;
    const RareEstimate chains = run(by_subset, with_gaps);
    EXPECT_EQ(chains.unknown, chains.evaluations / 20);
    covered += chains.interval.contains(1e-5);
    estimates.add(chains.probability / 1e-5);
  }
  EXPECT_NEAR(estimates.mean(), 1.0, 0.3);
  EXPECT_GE(covered, 0.95 * 40 - 3.0 * std::sqrt(0.05 * 0.95 * 40));
}

TEST(RareSampler, normal_numbers_become_coordinates_of_the_unit_cube) {
  const MatrixX unit = to_unit_cube((MatrixX(1, 4) << -50.0, -1.0, 0.0, 50.0).finished());
  EXPECT_EQ(unit(0, 0), 1e-300);
  EXPECT_EQ(unit(0, 1), normal_cdf(-1.0));
  EXPECT_EQ(unit(0, 2), 0.5);
  EXPECT_EQ(unit(0, 3), 1.0 - 0x1p-53);
}

TEST(RareSampler, bad_input_is_refused) {
  SubsetOptions options;
  options.count = 1001;
  EXPECT_THROW(SubsetSimulation{options}, Error);
  options.count = 1000, options.dimensions = 0;
  EXPECT_THROW(SubsetSimulation{options}, Error);
  ImportanceOptions other;
  other.share = 1.0;
  EXPECT_THROW(ImportanceSampling{other}, Error);
  other.share = 0.1, other.components = 0;
  EXPECT_THROW(ImportanceSampling{other}, Error);
  auto sampler = subset(1, 2);
  EXPECT_THROW(sampler.tell(std::vector<double>(3)), Error);
}

}  // namespace
}  // namespace vinci
