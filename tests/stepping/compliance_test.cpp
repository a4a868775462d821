// SPDX-License-Identifier: Apache-2.0
// Layers, the points that share them, and lines that leave shapes.
#include "vinci/stepping/compliance.h"

#include <gtest/gtest.h>

#include "vinci/geometry/build.h"
#include "vinci/stepping/contact_patch.h"

namespace vinci::test {
namespace {

TEST(Layers, a_step_obeys_the_law_of_spring_and_damper) {
  const Layer layer{3e4, 20.0, 2e4, 7.0, 5e3};
  const double h = 1e-4;
  const LayerStep step = layer_step(layer, h);
  Matrix2 k, d;
  k << 3e4, 5e3, 5e3, 2e4;
  d << 20.0, 0.0, 0.0, 7.0;
  const Vector2 before(1e-4, -2e-5), impulse(0.003, 0.001);
  const Vector2 after = step.yield * impulse + step.relax * before;
  // λ = K δ + D dδ/dt at the end of the step.
  EXPECT_LE((k * after + d * (after - before) / h - impulse / h).norm(), 1e-12);
  EXPECT_LE((before - step.relax * before - h * step.recover * before).norm(), 1e-19);
  EXPECT_TRUE(layer_step(std::nullopt, h).yield.isZero(0.0));
}

TEST(Layers, in_series_the_softer_one_takes_the_larger_share) {
  const Layer soft{1e4, 0.0, 1e4, 0.0, 0.0}, hard{3e4, 0.0, 6e4, 0.0, 0.0};
  const SeriesStiffness both = in_series(soft, hard);
  EXPECT_DOUBLE_EQ(both.normal, 7500.0);
  EXPECT_DOUBLE_EQ(both.tangential, 1.0 / (1e-4 + 1.0 / 6e4));
  EXPECT_DOUBLE_EQ(both.share_a, 0.75);
  EXPECT_DOUBLE_EQ(in_series(soft, std::nullopt).normal, 1e4);
  EXPECT_DOUBLE_EQ(in_series(std::nullopt, soft).share_a, 0.0);
}

TEST(Layers, points_of_a_patch_bear_together_what_one_does) {
  for (const double coupling : {0.0, 1e-3, 0.1})
    for (const int n : {1, 2, 7, 64}) {
      const PatchPoints points({n, 0.01, coupling});
      ASSERT_EQ(points.count(), n);
      EXPECT_NEAR(points.offset(0), -0.005 + 0.005 / n, 1e-17);
      EXPECT_NEAR(points.offset(n - 1), -points.offset(0), 1e-17);
      // S 1 = 1/n: an even deformation needs the same force at each point, 1 in all.
      EXPECT_NEAR(points.stiffness_share().sum(), 1.0, 1e-12);
      MatrixX product(n, n);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
          product(i, j) = 0.0;
          for (int k = 0; k < n; ++k)
            product(i, j) += points.stiffness_share()(i, k) * points.share(k, j);
        }
      // The condition of S is 1 + 4 (ℓ/Δ)², up to 1.6e6 here.
      EXPECT_LE((product - MatrixX::Identity(n, n)).norm(), 1e-9);
    }
}

void expect_leaves(const Shape& shape, const Vector2& origin, const Vector2& direction, double near,
                   double wanted) {
  const std::optional<double> found = leaving(shape, origin, direction, near);
  ASSERT_TRUE(found) << kind_of(shape);
  EXPECT_NEAR(*found, wanted, 1e-13) << kind_of(shape);
}

TEST(ContactPatchLines, leave_every_planar_shape_where_its_outline_is) {
  const Vector2 up(0.0, 1.0), right(1.0, 0.0);
  expect_leaves(Circle{2.0}, {1.2, -5.0}, up, 0.0, 6.6);
  expect_leaves(HalfPlane{}, {3.0, 2.0}, up, 0.0, -2.0);
  expect_leaves(Capsule{Vector3(1.0, 0.0, 0.0), 0.5}, {0.3, 0.0}, up, 0.0, 0.5);
  expect_leaves(Capsule{Vector3(1.0, 0.0, 0.0), 0.5}, {1.3, 1.0}, up, 0.0, -0.6);
  expect_leaves(Capsule{Vector3(1.0, 0.0, 0.0), 0.5}, {0.0, 0.3}, right, 0.0, 1.4);
  expect_leaves(Superellipse{Vector2(2.0, 1.0), 2.0}, {1.2, 0.5}, up, 0.0, 0.3);
  EXPECT_FALSE(leaving(Circle{2.0}, {2.1, 0.0}, up, 0.0));
  EXPECT_FALSE(leaving(HalfPlane{}, {0.0, 0.0}, -up, 0.0));
  EXPECT_FALSE(leaving(Superellipse{Vector2(2.0, 1.0), 2.0}, {2.1, 0.0}, up, 0.0));
}

TEST(ContactPatchLines, leave_a_polygon_at_the_outline_that_is_nearest) {
  // A U: its right arm between x = 2 and 3, open upwards, floor at y = 1 in between.
  const Polygon u{{{0.0, 0.0},
                   {3.0, 0.0},
                   {3.0, 3.0},
                   {2.0, 3.0},
                   {2.0, 1.0},
                   {1.0, 1.0},
                   {1.0, 3.0},
                   {0.0, 3.0}},
                  {}};
  const Vector2 right(1.0, 0.0);
  expect_leaves(u, {1.5, 0.5}, {0.0, 1.0}, 0.0, 0.5);
  expect_leaves(u, {0.0, 2.0}, right, 0.9, 1.0);
  expect_leaves(u, {0.0, 2.0}, right, 2.8, 3.0);
  EXPECT_FALSE(leaving(u, {0.0, 3.5}, right, 0.0));
}

}  // namespace
}  // namespace vinci::test
