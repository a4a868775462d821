// SPDX-License-Identifier: Apache-2.0
// Sobol indices and elementary effects of functions for which they are known.
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "vinci/base/error.h"
#include "vinci/sampling/morris.h"
#include "vinci/sampling/sobol_indices.h"

namespace vinci {
namespace {

// [Ishigami 1990] with a = 7, b = 0.1; coordinates from −π to π.
double ishigami(std::span<const double> unit) {
  const auto angle = [&](std::size_t i) { return M_PI * (2.0 * unit[i] - 1.0); };
  return std::sin(angle(0)) + 7.0 * std::pow(std::sin(angle(1)), 2) +
         0.1 * std::pow(angle(2), 4) * std::sin(angle(0));
}

struct KnownIndices {
  double first[3], total[3], variance;
};

KnownIndices ishigami_indices() {
  const double pi4 = std::pow(M_PI, 4), pi8 = pi4 * pi4, a = 7.0, b = 0.1;
  const double alone = 0.5 * std::pow(1.0 + b * pi4 / 5.0, 2), second = a * a / 8.0;
  const double together = 8.0 * b * b * pi8 / 225.0, all = alone + second + together;
  return {{alone / all, second / all, 0.0},
          {(alone + together) / all, second / all, together / all},
          all};
}

template <class Design, class Function>
std::vector<double> values_at(const Design& design, const Function& function) {
  std::vector<double> values, point(static_cast<std::size_t>(design.dimensions()));
  for (std::uint64_t k = 0; k < design.count(); ++k) {
    design.point(k, point);
    values.push_back(function(point));
  }
  return values;
}

TEST(SobolIndices, of_the_ishigami_function_match_their_closed_forms) {
  const SobolIndices design(DesignPoints::sobol(1, 6), 1 << 14);
  const SobolAnalysis analysis = design.analyse(values_at(design, ishigami), 0.95);
  const KnownIndices known = ishigami_indices();
  EXPECT_NEAR(analysis.mean, 3.5, 0.01);
  EXPECT_NEAR(analysis.variance / known.variance, 1.0, 0.005);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(analysis.indices[i].first, known.first[i], 0.01) << i;
    EXPECT_NEAR(analysis.indices[i].total, known.total[i], 0.005) << i;
    EXPECT_TRUE(analysis.indices[i].first_interval.contains(known.first[i])) << i;
    EXPECT_TRUE(analysis.indices[i].total_interval.contains(known.total[i])) << i;
    EXPECT_LT(analysis.indices[i].total_interval.width(), 0.07);
  }
}

// Of 1000 studies of random points; those of Sobol points are narrower than their intervals.
TEST(SobolIndices, intervals_cover_what_they_promise) {
  const KnownIndices known = ishigami_indices();
  const int studies = 1000;
  for (const bool even : {false, true}) {
    int first[3] = {}, total[3] = {};
    for (std::uint64_t seed = 0; seed < studies; ++seed) {
      const SobolIndices design(
          even ? DesignPoints::sobol(seed, 6) : DesignPoints::monte_carlo(seed, 6), 256);
      const SobolAnalysis analysis = design.analyse(values_at(design, ishigami), 0.9);
      for (std::size_t i = 0; i < 3; ++i) {
        first[i] += analysis.indices[i].first_interval.contains(known.first[i]);
        total[i] += analysis.indices[i].total_interval.contains(known.total[i]);
      }
    }
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_GT(first[i], 0.87 * studies) << i << even;
      EXPECT_GT(total[i], 0.87 * studies) << i << even;
    }
  }
}

TEST(SobolIndices, points_differ_from_a_in_one_coordinate_of_b) {
  const SobolIndices design(DesignPoints::monte_carlo(5, 6), 10);
  EXPECT_EQ(design.count(), 50u);
  std::vector<double> a(3), b(3), mixed_point(3);
  for (std::uint64_t row = 0; row < 10; ++row) {
    design.point(5 * row, a);
    design.point(5 * row + 1, b);
    for (std::size_t i = 0; i < 3; ++i) {
      design.point(5 * row + 2 + i, mixed_point);
      for (std::size_t j = 0; j < 3; ++j) EXPECT_EQ(mixed_point[j], i == j ? b[j] : a[j]);
    }
  }
}

TEST(SobolIndices, rows_without_an_answer_are_dropped_and_counted) {
  const SobolIndices design(DesignPoints::sobol(1, 6), 4096);
  std::vector<double> values = values_at(design, ishigami);
  for (std::size_t row = 0; row < 4096; row += 50) values[5 * row + row % 5] = NAN;
  const SobolAnalysis analysis = design.analyse(values, 0.95);
  EXPECT_EQ(analysis.dropped, 82u);
  EXPECT_EQ(analysis.rows, 4096u - 82u);
  EXPECT_NEAR(analysis.indices[1].total, ishigami_indices().total[1], 0.02);
}

TEST(SobolIndices, of_a_constant_are_not_numbers) {
  const SobolIndices design(DesignPoints::monte_carlo(1, 4), 16);
  const SobolAnalysis analysis = design.analyse(std::vector<double>(64, 3.0), 0.95);
  EXPECT_EQ(analysis.variance, 0.0);
  EXPECT_TRUE(std::isnan(analysis.indices[0].total));
}

// Both of two numbers below q: S = q/(1 + q), T = 1/(1 + q). Rows in which A and B have the event
// in common are few, or none.
TEST(SobolIndices, intervals_cover_indices_of_rare_events) {
  const int studies = 300;
  for (const double q : {0.15, 0.2}) {
    int first = 0, total = 0;
    for (std::uint64_t seed = 0; seed < studies; ++seed) {
      const SobolIndices design(DesignPoints::monte_carlo(seed, 4), 1000);
      const SobolAnalysis analysis = design.analyse(
          values_at(design,
                    [q](std::span<const double> x) { return x[0] < q && x[1] < q ? 1.0 : 0.0; }),
          0.95);
      first += analysis.indices[0].first_interval.contains(q / (1.0 + q));
      total += analysis.indices[0].total_interval.contains(1.0 / (1.0 + q));
    }
    EXPECT_GT(first, 0.92 * studies) << q;
    EXPECT_GT(total, 0.90 * studies) << q;
  }
}

TEST(SobolIndices, without_rows_are_not_numbers) {
  const SobolIndices design(DesignPoints::monte_carlo(1, 4), 10);
  const SobolAnalysis analysis = design.analyse(std::vector<double>(40, NAN), 0.95);
  EXPECT_EQ(analysis.rows, 0u);
  EXPECT_EQ(analysis.dropped, 10u);
  ASSERT_EQ(analysis.indices.size(), 2u);
  EXPECT_TRUE(std::isnan(analysis.indices[1].first));
}

TEST(SobolIndices, rest_on_as_many_values_as_their_fourth_moment_says) {
  const auto event = [](double p) {
    return [p](std::span<const double> x) { return x[0] < p ? 1.0 : 0.0; };
  };
  const SobolIndices design(DesignPoints::sobol(1, 4), 4096);
  // Of 8192 values at A and B 1 %, about 82, are events.
  EXPECT_NEAR(design.analyse(values_at(design, event(0.01)), 0.95).carriers, 82.0, 8.0);
  EXPECT_GT(design.analyse(values_at(design, event(0.4)), 0.95).carriers, 4096.0);
  // Kurtosis 9/5 of even numbers.
  const auto even = [](std::span<const double> x) { return x[0]; };
  EXPECT_NEAR(design.analyse(values_at(design, even), 0.95).carriers, 8192.0 / 0.8, 100.0);
}

TEST(SobolIndices, bad_input_is_refused) {
  EXPECT_THROW(SobolIndices(DesignPoints::monte_carlo(1, 3), 10), Error);
  EXPECT_THROW(SobolIndices(DesignPoints::monte_carlo(1, 4), 1), Error);
  const SobolIndices design(DesignPoints::monte_carlo(1, 4), 10);
  EXPECT_THROW(design.analyse(std::vector<double>(39), 0.95), Error);
  std::vector<double> point(2);
  EXPECT_THROW(design.point(40, point), Error);
}

TEST(Morris, effects_of_a_linear_function_are_its_slopes) {
  const MorrisTrajectories design(1, 4, 10, 6);
  EXPECT_EQ(design.count(), 50u);
  const std::vector<MorrisEffect> effects = design.analyse(
      values_at(design,
                [](std::span<const double> x) { return 3.0 * x[0] - 2.0 * x[1] + 0.5 * x[3]; }),
      0.95);
  const double slopes[] = {3.0, -2.0, 0.0, 0.5};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(effects[i].mean, slopes[i], 1e-14);
    EXPECT_NEAR(effects[i].mean_size, std::abs(slopes[i]), 1e-14);
    EXPECT_NEAR(effects[i].deviation, 0.0, 1e-14);
    EXPECT_EQ(effects[i].count, 10u);
  }
}

// x₀ (1 + x₁) has the effects 1 + x₁ and x₀.
TEST(Morris, deviations_tell_of_what_depends_on_others) {
  const MorrisTrajectories design(1, 3, 4000);
  const std::vector<MorrisEffect> effects = design.analyse(
      values_at(design, [](std::span<const double> x) { return x[0] * (1.0 + x[1]); }), 0.95);
  const double deviation = std::sqrt(1.0 / 12.0);
  EXPECT_NEAR(effects[0].mean_size, 1.5, 0.02);
  EXPECT_NEAR(effects[1].mean_size, 0.5, 0.02);
  EXPECT_NEAR(effects[0].deviation, deviation, 0.01);
  EXPECT_NEAR(effects[1].deviation, deviation, 0.01);
  EXPECT_TRUE(effects[0].mean_size_interval.contains(1.5));
  EXPECT_EQ(effects[2].mean_size, 0.0);
}

// Mean, mean size and deviation of the effects of a coordinate: over all pairs of its cells, and
// even places in these and of the others.
struct KnownEffect {
  double mean = 0.0, mean_size = 0.0, deviation = 0.0;
};

template <class Function>
KnownEffect effect_of(std::size_t i, int levels, const Function& function) {
  constexpr int places = 24;
  const auto middle = [](int place) { return (place + 0.5) / places; };
  RunningMean mean, size;
  double squares = 0.0;
  std::vector<double> x(3);
  for (int a = 0; a < levels; ++a)
    for (int b = 0; b < levels; ++b)
      for (int k = 0; k < places * places * places && a != b; ++k) {
        const double within = middle(k % places);
        x[(i + 1) % 3] = middle(k / places % places);
        x[(i + 2) % 3] = middle(k / places / places);
        x[i] = (a + within) / levels;
        const double before = function(x);
        x[i] = (b + within) / levels;
        const double effect = (function(x) - before) * levels / (b - a);
        mean.add(effect);
        size.add(std::abs(effect));
        squares += effect * effect;
      }
  const auto count = static_cast<double>(mean.count());
  return {mean.mean(), size.mean(), std::sqrt(squares / count - mean.mean() * mean.mean())};
}

// Its second number has the period of half the range: steps of a half would not see it.
TEST(Morris, effects_of_the_ishigami_function_are_those_of_all_steps) {
  for (const int levels : {3, 4, 5}) {
    const MorrisTrajectories design(3, 3, 20000, levels);
    const std::vector<MorrisEffect> effects = design.analyse(values_at(design, ishigami), 0.999);
    for (std::size_t i = 0; i < 3; ++i) {
      const KnownEffect known = effect_of(i, levels, ishigami);
      EXPECT_TRUE(effects[i].mean_size_interval.contains(known.mean_size)) << i << levels;
      EXPECT_NEAR(effects[i].mean_size, known.mean_size, 0.03 * known.mean_size) << i << levels;
      EXPECT_NEAR(effects[i].mean, known.mean, 0.04 * known.deviation) << i << levels;
      EXPECT_NEAR(effects[i].deviation / known.deviation, 1.0, 0.03) << i << levels;
    }
    EXPECT_GT(effects[1].mean_size, 5.0) << levels;
  }
}

// x₀² + x₁ x₂ has the effects a + b of its two cells, and the other number.
TEST(Morris, intervals_cover_what_they_promise) {
  const auto function = [](std::span<const double> x) { return x[0] * x[0] + x[1] * x[2]; };
  int covered[3] = {};
  const int studies = 2000;
  for (std::uint64_t seed = 0; seed < studies; ++seed) {
    const MorrisTrajectories design(seed, 3, 20);
    const auto effects = design.analyse(values_at(design, function), 0.95);
    for (std::size_t i = 0; i < 3; ++i)
      covered[i] += effects[i].mean_size_interval.contains(i == 0 ? 1.0 : 0.5);
  }
  for (const int count : covered) EXPECT_GT(count, 0.93 * studies);
}

TEST(Morris, each_step_changes_one_coordinate_to_another_cell) {
  const MorrisTrajectories design(9, 5, 400, 4);
  std::vector<double> last(5), next(5);
  std::map<std::pair<int, int>, int> changed;
  for (std::uint64_t trajectory = 0; trajectory < 400; ++trajectory) {
    design.point(6 * trajectory, last);
    std::vector<int> changes(5);
    for (std::uint64_t step = 1; step <= 5; ++step, last = next) {
      design.point(6 * trajectory + step, next);
      for (std::size_t i = 0; i < 5; ++i) {
        EXPECT_GT(next[i], 0.0);
        EXPECT_LT(next[i], 1.0);
        if (next[i] == last[i]) continue;
        ++changes[i];
        ++changed[{static_cast<int>(4.0 * last[i]), static_cast<int>(4.0 * next[i])}];
        EXPECT_NEAR(std::remainder(next[i] - last[i], 0.25), 0.0, 1e-12);
      }
    }
    EXPECT_EQ(changes, std::vector<int>(5, 1));
  }
  ASSERT_EQ(changed.size(), 12u);
  for (const auto& [pair, count] : changed) EXPECT_NEAR(count, 2000.0 / 12.0, 60.0);
}

TEST(Morris, effects_without_an_answer_are_left_out) {
  const MorrisTrajectories design(1, 2, 5);
  std::vector<double> values = values_at(design, [](std::span<const double> x) { return x[0]; });
  values[0] = NAN;
  const std::vector<MorrisEffect> effects = design.analyse(values, 0.95);
  EXPECT_EQ(effects[0].count + effects[1].count, 9u);
  EXPECT_NEAR(effects[0].mean, 1.0, 1e-14);
}

TEST(Morris, bad_input_is_refused) {
  EXPECT_THROW(MorrisTrajectories(1, 0, 5), Error);
  EXPECT_THROW(MorrisTrajectories(1, 2, 1), Error);
  EXPECT_THROW(MorrisTrajectories(1, 2, 5, 1), Error);
  EXPECT_THROW(MorrisTrajectories(1, 2, 5).analyse(std::vector<double>(14), 0.95), Error);
}

}  // namespace
}  // namespace vinci
