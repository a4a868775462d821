// SPDX-License-Identifier: Apache-2.0
#include "vinci/study/kept_numbers.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "vinci/sampling/design_points.h"
#include "vinci/sampling/interval.h"

namespace vinci {
namespace {

TEST(KeptNumbers, are_all_while_there_are_few) {
  KeptNumbers kept(1, 100);
  for (std::uint64_t k = 0; k < 100; ++k) kept.add(k, static_cast<double>(k));
  EXPECT_EQ(kept.values().size(), 100u);
}

TEST(KeptNumbers, are_the_same_in_whatever_order_they_come) {
  KeptNumbers up(5, 100), down(5, 100);
  for (std::uint64_t k = 0; k < 3000; ++k) {
    up.add(k, static_cast<double>(k));
    down.add(2999 - k, static_cast<double>(2999 - k));
  }
  std::vector<double> a = up.values(), b = down.values();
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  EXPECT_EQ(a, b);
  EXPECT_LE(a.size(), 100u);
  EXPECT_GE(a.size(), 25u);
}

TEST(KeptNumbers, have_quantiles_whose_intervals_cover_those_of_points_in_patterns) {
  constexpr int seeds = 400;
  for (const bool sobol : {true, false}) {
    int covered[3] = {};
    for (int seed = 0; seed < seeds; ++seed) {
      constexpr std::uint64_t count = 3000;
      KeptNumbers kept(static_cast<std::uint64_t>(seed), 256);
      const DesignPoints points = DesignPoints::sobol(static_cast<std::uint64_t>(seed), 1);
      for (std::uint64_t k = 0; k < count; ++k) {
        double value = (static_cast<double>(k) + 0.5) / count;  // of a grid
        if (sobol) points.point(k, {&value, 1});
        kept.add(k, value);
      }
      const std::vector<double> values = kept.values();
      int place = 0;
      for (const double share : {0.05, 0.5, 0.95}) {
        const QuantileEstimate it = estimate_quantile(values, share, 0.95);
        covered[place++] += it.interval.contains(share);
      }
    }
    // 0.95 less four deviations; an interval of order statistics covers its level at least.
    for (const int it : covered)
      EXPECT_GE(it, static_cast<int>(0.95 * seeds - 4.0 * std::sqrt(0.0475 * seeds)));
  }
}

}  // namespace
}  // namespace vinci
