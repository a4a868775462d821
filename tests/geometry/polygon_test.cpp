// SPDX-License-Identifier: Apache-2.0
// Checks and decomposition of polygons.
#include <algorithm>
#include <ctime>
#include <numbers>
#include <random>

#include <gtest/gtest.h>

#include "vinci/base/error.h"
#include "vinci/geometry/build.h"
#include "vinci/geometry/predicates.h"

namespace vinci {
namespace {

using Points = std::vector<Vector2>;

double twice_area(const Points& points, const std::vector<int>& ring) {
  double sum = 0.0;
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const Vector2 p = points[ring[i]], q = points[ring[(i + 1) % ring.size()]];
    sum += p.x() * q.y() - p.y() * q.x();
  }
  return sum;
}

double twice_area(const Points& points) {
  std::vector<int> ring(points.size());
  for (std::size_t i = 0; i < ring.size(); ++i) ring[i] = static_cast<int>(i);
  return twice_area(points, ring);
}

// Pieces are convex, cover the area once, and use every outline edge once.
void expect_valid_decomposition(const Polygon& polygon) {
  const int n = static_cast<int>(polygon.vertices.size());
  double area = 0.0;
  std::vector<int> outline_uses(n, 0);
  for (const auto& piece : polygon.pieces) {
    const std::size_t m = piece.size();
    ASSERT_GE(m, 3u);
    for (std::size_t i = 0; i < m; ++i) {
      const int u = piece[i], v = piece[(i + 1) % m], w = piece[(i + 2) % m];
      EXPECT_GE(orientation(polygon.vertices[u], polygon.vertices[v], polygon.vertices[w]), 0);
      if (v == (u + 1) % n) ++outline_uses[u];
    }
    const double part = twice_area(polygon.vertices, piece);
    EXPECT_GT(part, 0.0);
    area += part;
  }
  EXPECT_NEAR(area, twice_area(polygon.vertices), 1e-12 * std::abs(area));
  for (const int uses : outline_uses) EXPECT_EQ(uses, 1);
}

std::string error_of(const Points& points) {
  try {
    make_polygon(points);
  } catch (const Error& error) {
    return error.message();
  }
  return "";
}

// A star-shaped outline with random radii: simple, mostly concave.
Points random_star(std::mt19937_64& random, int n) {
  std::uniform_real_distribution<double> radius(0.3, 1.0), jitter(0.1, 0.9);
  Points points;
  for (int i = 0; i < n; ++i) {
    const double angle = 2.0 * std::numbers::pi * (i + jitter(random)) / n, r = radius(random);
    points.emplace_back(r * std::cos(angle), r * std::sin(angle));
  }
  return points;
}

TEST(Polygon, clockwise_input_is_turned_counter_clockwise) {
  const Polygon polygon = make_polygon(Points{{0, 0}, {0, 1}, {1, 1}, {1, 0}});
  EXPECT_GT(twice_area(polygon.vertices), 0.0);
  EXPECT_EQ(polygon.vertices.front(), Vector2(0, 0));
}

TEST(Polygon, convex_polygon_is_one_piece_even_with_collinear_vertices) {
  const Polygon polygon =
      make_polygon(Points{{0, 0}, {1, 0}, {2, 0}, {3, 0}, {3, 1}, {1.5, 1}, {0, 1}});
  EXPECT_EQ(polygon.pieces.size(), 1u);
  expect_valid_decomposition(polygon);
}

TEST(Polygon, triangle_with_points_on_all_sides_keeps_them) {
  const Polygon polygon =
      make_polygon(Points{{0, 0}, {1, 0}, {2, 0}, {4, 0}, {2, 2}, {1, 3}, {0, 4}, {0, 1}});
  ASSERT_EQ(polygon.pieces.size(), 1u);
  EXPECT_EQ(polygon.pieces[0].size(), 8u);
}

TEST(Polygon, concave_l_shape_splits_into_two_pieces) {
  const Polygon polygon = make_polygon(Points{{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}});
  EXPECT_EQ(polygon.pieces.size(), 2u);
  expect_valid_decomposition(polygon);
}

TEST(Polygon, random_concave_outlines_decompose_exactly) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 300; ++trial) {
    const int n = 4 + trial % 40;
    expect_valid_decomposition(make_polygon(random_star(random, n)));
  }
}

TEST(Polygon, comb_with_collinear_teeth_decomposes) {
  Points points{{0, -1}, {20, -1}};
  for (int i = 10; i > 0; --i) {
    points.emplace_back(2 * i, 1);
    points.emplace_back(2 * i - 1, 1);
    points.emplace_back(2 * i - 1, 0);
    points.emplace_back(2 * i - 2, 0);
  }
  expect_valid_decomposition(make_polygon(points));
}

TEST(Polygon, pieces_stay_within_four_times_the_optimum) {
  // r reflex vertices need at least r/2 + 1 pieces; Hertel and Mehlhorn promise at most 2 r + 1.
  std::mt19937_64 random(2);
  for (int trial = 0; trial < 50; ++trial) {
    const Polygon polygon = make_polygon(random_star(random, 60));
    std::size_t reflex = 0;
    for (std::size_t i = 0; i < 60; ++i)
      reflex += orientation(polygon.vertices[i], polygon.vertices[(i + 1) % 60],
                            polygon.vertices[(i + 2) % 60]) < 0;
    EXPECT_LE(polygon.pieces.size(), 2 * reflex + 1);
  }
}

TEST(Polygon, ten_thousand_vertices_are_checked_and_split_in_seconds) {
  std::mt19937_64 random(3);
  const std::clock_t start = std::clock();
  const Polygon star = make_polygon(random_star(random, 10'000));
  Points saw{{10'000.0, -1e4}, {10'000.0, 0.0}};  // long teeth that overlap in one direction
  for (int i = 4'998; i > 0; --i) {
    saw.emplace_back(2.0 * i, -0.5);
    saw.emplace_back(2.0 * i - 1.0, -9e3);
  }
  saw.emplace_back(0.0, 0.0);
  saw.emplace_back(0.0, -1e4);
  const Polygon comb = make_polygon(saw);
  // Processor time; about 0.5 s, and room for sanitizers. A cubic method would take minutes.
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 20.0);
  expect_valid_decomposition(star);
  expect_valid_decomposition(comb);
}

TEST(Polygon, bad_outlines_are_refused_with_the_reason) {
  const double nan = std::nan("");
  EXPECT_NE(error_of({{0, 0}, {1, 0}}).find("2 vertices"), std::string::npos);
  EXPECT_NE(error_of({{0, 0}, {1, 0}, {nan, 1}}).find("vertex 2"), std::string::npos);
  EXPECT_NE(error_of({{0, 0}, {1, 0}, {1e300, 1}}).find("vertex 2"), std::string::npos);
  EXPECT_NE(error_of({{0, 0}, {1, 0}, {1, 0}, {0, 1}}).find("vertices 1 and 2"), std::string::npos);
  EXPECT_NE(error_of({{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0}}).find("vertices 0 and 4"),
            std::string::npos);
  EXPECT_NE(error_of({{0, 0}, {2, 0}, {1, 1}, {2, 2}, {0, 2}, {1, 1}}).find("vertices 2 and 5"),
            std::string::npos);
  EXPECT_NE(error_of({{0, 0}, {1, 0}, {2, 0}}).find("no area"), std::string::npos);
  EXPECT_NE(error_of({{0, 0}, {2, 2}, {2, 0}, {0, 1}}).find("meets itself"), std::string::npos);
  // A vertex on another edge, and an edge that folds back onto its neighbour.
  EXPECT_NE(error_of({{0, 0}, {4, 0}, {4, 2}, {2, 0}, {0, 2}}).find("meets itself"),
            std::string::npos);
  EXPECT_NE(error_of({{0, 0}, {4, 0}, {2, 0}, {2, 2}}).find("meets itself"), std::string::npos);
  EXPECT_NE(error_of(Points(max_polygon_vertices + 1)).find("at most"), std::string::npos);
}

TEST(Polygon, brute_force_agrees_on_self_intersection) {
  std::mt19937_64 random(4);
  std::uniform_int_distribution<int> grid(0, 6);
  int refused = 0, accepted = 0;
  for (int trial = 0; trial < 3'000; ++trial) {
    const int n = 4 + trial % 3;
    Points points;
    for (int i = 0; i < n; ++i) points.emplace_back(grid(random), grid(random));
    bool simple = true;
    for (int i = 0; i < n; ++i)
      for (int j = i + 1; j < n; ++j) {
        const bool adjacent = j == i + 1 || (i == 0 && j == n - 1);
        if (!adjacent)
          simple &= !segments_touch(points[i], points[(i + 1) % n], points[j], points[(j + 1) % n]);
      }
    for (int i = 0; i < n; ++i) {
      const Vector2 in = points[(i + 1) % n] - points[i];
      const Vector2 out = points[(i + 2) % n] - points[(i + 1) % n];
      simple &= in.norm() > 0.0;
      simple &= in.x() * out.y() - in.y() * out.x() != 0.0 || in.dot(out) > 0.0;
    }
    const bool was_accepted = error_of(points).empty();
    EXPECT_EQ(was_accepted, simple);
    (was_accepted ? accepted : refused) += 1;
  }
  EXPECT_GT(accepted, 100);
  EXPECT_GT(refused, 100);
}

TEST(Orientation, sign_is_exact_where_rounding_fails) {
  // Points a few units in the last place off the line y = x, where plain doubles give wrong signs.
  const Vector2 b(12.0, 12.0), c(24.0, 24.0);
  for (int i = 0; i < 64; ++i)
    for (int j = 0; j < 64; ++j) {
      const Vector2 a(0.5 + i * 0x1p-53, 0.5 + j * 0x1p-53);
      const int expected = a.y() > a.x() ? 1 : (a.y() < a.x() ? -1 : 0);
      EXPECT_EQ(orientation(b, c, a), expected);
      EXPECT_EQ(orientation(c, b, a), -expected);
    }
}

}  // namespace
}  // namespace vinci
