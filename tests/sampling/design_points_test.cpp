// SPDX-License-Identifier: Apache-2.0
#include "vinci/sampling/design_points.h"

#include <set>

#include <gtest/gtest.h>

#include "tests/sampling/statistics.h"
#include "vinci/base/error.h"
#include "vinci/sampling/sobol_directions.h"

namespace vinci {
namespace {

TEST(DesignPoints, monte_carlo_fills_every_dimension_evenly) {
  const MatrixX points = DesignPoints::monte_carlo(1, 5).points(0, 20000);
  for (Eigen::Index i = 0; i < 5; ++i) {
    const std::vector<double> row(points.row(i).begin(), points.row(i).end());
    EXPECT_GT(distance_probability(row, [](double x) { return x; }), 0.01);
  }
}

TEST(DesignPoints, latin_hypercube_has_one_point_in_each_slice) {
  for (const std::uint64_t count : {1, 2, 3, 10, 1000, 12345}) {
    const MatrixX points = DesignPoints::latin_hypercube(5, 4, count).points(0, count);
    for (Eigen::Index i = 0; i < points.rows(); ++i) {
      std::set<std::uint64_t> slices;
      for (const double x : points.row(i)) {
        ASSERT_GT(x, 0.0);
        ASSERT_LT(x, 1.0);
        slices.insert(static_cast<std::uint64_t>(x * static_cast<double>(count)));
      }
      EXPECT_EQ(slices.size(), count);
    }
  }
}

TEST(DesignPoints, points_of_a_latin_hypercube_are_even_within_slices_and_independent) {
  const std::uint64_t count = 20000;
  const MatrixX points = DesignPoints::latin_hypercube(5, 2, count).points(0, count);
  std::vector<double> jitter, cells(100);
  for (Eigen::Index k = 0; k < points.cols(); ++k) {
    const double place = points(0, k) * static_cast<double>(count);
    jitter.push_back(place - std::floor(place));
    cells[static_cast<std::size_t>(points(0, k) * 10.0) * 10 +
          static_cast<std::size_t>(points(1, k) * 10.0)] += 1.0;
  }
  EXPECT_GT(distance_probability(jitter, [](double x) { return x; }), 0.01);
  EXPECT_LT(std::abs(chi_square_deviations(cells)), 3.0);
}

TEST(DesignPoints, sobol_directions_have_the_published_values) {
  // x_0 to x_3 of dimension 2: 0, 1/2, 3/4, 1/4 in the order of Gray codes; v_1, v_2, v_3.
  const std::array<std::uint32_t, 32> second = sobol_directions(1), third = sobol_directions(2);
  EXPECT_EQ(second[0], 0x80000000u);
  EXPECT_EQ(second[1], 0xc0000000u);
  EXPECT_EQ(second[2], 0xa0000000u);
  EXPECT_EQ(second[3], 0xf0000000u);
  EXPECT_EQ(third[0], 0x80000000u);
  EXPECT_EQ(third[1], 0xc0000000u);
  EXPECT_EQ(third[2], 0x60000000u);
  EXPECT_EQ(third[3], 0x90000000u);
}

// Every dimension alone: the first 2^m points have one point per interval of length 2^-m, since
// direction k has bit k from the top as its last one.
TEST(DesignPoints, sobol_directions_are_triangular) {
  for (int dimension = 0; dimension < DesignPoints::most_sobol_dimensions; ++dimension) {
    const std::array<std::uint32_t, 32> v = sobol_directions(dimension);
    for (int k = 0; k < 32; ++k) EXPECT_EQ(std::countr_zero(v[k]), 31 - k) << dimension;
  }
}

// Property A of [Sobol 1976]: the first 2^d points of d dimensions have one in each of the 2^d
// halves. It holds where the matrix of the first bits is regular modulo 2.
TEST(DesignPoints, sobol_directions_have_property_a_in_all_dimensions) {
  std::vector<std::uint32_t> matrix;  // rows: dimensions, as far as 32 points' bits go
  for (int dimensions = 1; dimensions <= 32; ++dimensions) {
    const std::array<std::uint32_t, 32> v = sobol_directions(dimensions - 1);
    std::uint32_t row = 0;
    for (int k = 0; k < 32; ++k) row |= (v[static_cast<std::size_t>(k)] >> 31) << k;
    matrix.push_back(row);
    std::vector<std::uint32_t> rest = matrix;
    for (std::uint32_t& r : rest) r &= dimensions == 32 ? ~0u : (1u << dimensions) - 1;
    int rank = 0;
    for (int bit = 0; bit < dimensions; ++bit) {
      const auto pivot = std::find_if(rest.begin() + rank, rest.end(),
                                      [&](std::uint32_t r) { return (r >> bit) & 1; });
      if (pivot == rest.end()) continue;
      std::iter_swap(rest.begin() + rank, pivot);
      for (std::size_t i = 0; i < rest.size(); ++i)
        if (static_cast<int>(i) != rank && ((rest[i] >> bit) & 1)) rest[i] ^= rest[rank];
      ++rank;
    }
    EXPECT_EQ(rank, dimensions);
  }
}

// The first two dimensions are a (0, m, 2)-net: one point in each elementary box of area 2^-m, and
// scrambling keeps it.
TEST(DesignPoints, scrambled_sobol_points_are_a_net) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const DesignPoints sobol = DesignPoints::sobol(seed, 2);
    const int m = 10;
    const MatrixX points = sobol.points(0, 1 << m);
    for (int first = 0; first <= m; ++first) {
      std::set<std::pair<int, int>> boxes;
      for (Eigen::Index k = 0; k < points.cols(); ++k)
        boxes.emplace(static_cast<int>(std::ldexp(points(0, k), first)),
                      static_cast<int>(std::ldexp(points(1, k), m - first)));
      EXPECT_EQ(boxes.size(), 1u << m);
    }
  }
}

TEST(DesignPoints, one_scrambled_sobol_point_is_uniform_over_seeds) {
  for (const std::uint64_t k : {0, 1, 77}) {
    std::vector<double> values;
    for (std::uint64_t seed = 0; seed < 100000; ++seed) {
      double x[3];
      DesignPoints::sobol(seed, 3).point(k, x);
      values.push_back(x[2]);
    }
    EXPECT_GT(distance_probability(values, [](double x) { return x; }), 0.01) << k;
  }
}

// Root mean square error of the mean of a smooth function of five numbers, over 40 seeds.
double error_of_mean(const std::string& method, std::uint64_t count) {
  double sum = 0.0;
  const int seeds = 40;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const DesignPoints design = method == "sobol" ? DesignPoints::sobol(seed, 5)
                                : method == "latin-hypercube"
                                    ? DesignPoints::latin_hypercube(seed, 5, count)
                                    : DesignPoints::monte_carlo(seed, 5);
    double mean = 0.0;
    std::vector<double> x(5);
    for (std::uint64_t k = 0; k < count; ++k) {
      design.point(k, x);
      double product = 1.0;
      for (const double c : x) product *= 1.0 + 0.5 * (c - 0.5) + 0.8 * (c * c - 1.0 / 3.0);
      mean += product / static_cast<double>(count);
    }
    sum += (mean - 1.0) * (mean - 1.0);
  }
  return std::sqrt(sum / seeds);
}

TEST(DesignPoints, sobol_integrates_with_a_higher_order_than_monte_carlo) {
  const auto order = [](const std::string& method) {
    return std::log2(error_of_mean(method, 1 << 6) / error_of_mean(method, 1 << 14)) / 8.0;
  };
  const double monte_carlo = order("monte-carlo"), sobol = order("sobol");
  RecordProperty("monte_carlo", std::to_string(monte_carlo));
  RecordProperty("sobol", std::to_string(sobol));
  EXPECT_NEAR(monte_carlo, 0.5, 0.08);
  EXPECT_GT(sobol, 0.95);
  EXPECT_LT(error_of_mean("latin-hypercube", 1024), 0.6 * error_of_mean("monte-carlo", 1024));
}

TEST(DesignPoints, grids_have_all_combinations) {
  const DesignPoints ends = DesignPoints::grid({3, 1, 2}, GridPlaces::ends);
  ASSERT_EQ(ends.count(), 6u);
  MatrixX expected(3, 6);
  expected << 0, 0, 0.5, 0.5, 1, 1,  //
      0.5, 0.5, 0.5, 0.5, 0.5, 0.5,  //
      0, 1, 0, 1, 0, 1;
  EXPECT_EQ(ends.points(0, 6), expected);
  const DesignPoints middles = DesignPoints::grid({2}, GridPlaces::middles);
  EXPECT_EQ(middles.points(0, 2), (MatrixX(1, 2) << 0.25, 0.75).finished());
}

TEST(DesignPoints, what_cannot_be_is_refused) {
  EXPECT_THROW(DesignPoints::monte_carlo(1, -1), Error);
  EXPECT_THROW(DesignPoints::latin_hypercube(1, 2, 0), Error);
  EXPECT_THROW(DesignPoints::sobol(1, 257), Error);
  EXPECT_THROW(DesignPoints::grid({2, 0}, GridPlaces::ends), Error);
  EXPECT_THROW(DesignPoints::grid({1ULL << 40, 1ULL << 40}, GridPlaces::ends), Error);
  std::vector<double> x(2);
  EXPECT_THROW(DesignPoints::latin_hypercube(1, 2, 5).point(5, x), Error);
  EXPECT_THROW(DesignPoints::sobol(1, 3).point(0, x), Error);
}

}  // namespace
}  // namespace vinci
