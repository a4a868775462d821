// SPDX-License-Identifier: Apache-2.0
// Projections and natural maps of the laws.
#include "vinci/complementarity/laws.h"

#include <random>

#include <gtest/gtest.h>

#include "vinci/complementarity/law_ball.h"

namespace vinci {
namespace {

Block cone(Law law, int size, double friction) {
  Block block{.law = law, .size = size};
  block.friction = friction;
  return block;
}

Block box(double lower, double upper) {
  Block block{.law = Law::box};
  block.lower = lower;
  block.upper = upper;
  return block;
}

Block ball(int size, double radius) {
  Block block{.law = Law::ball, .size = size};
  block.upper = radius;
  return block;
}

std::vector<Block> every_law() {
  std::vector<Block> blocks{{.law = Law::equality, .size = 3},
                            {.law = Law::nonnegative},
                            box(-0.5, 0.25),
                            box(-infinity, 0.1),
                            ball(1, 0.5),
                            ball(2, 0.5)};
  for (const double friction : {0.0, 0.3, 1.0, 20.0})
    for (const int size : {2, 3})
      for (const Law law : {Law::coulomb, Law::second_order})
        blocks.push_back(cone(law, size, friction));
  for (const double friction : {0.0, 0.3, 20.0})
    for (const double rolling : {0.0, 0.1, 3.0})
      for (const int size : {3, 5}) {
        blocks.push_back(cone(Law::moments, size, friction));
        blocks.back().rolling = rolling;
      }
  return blocks;
}

using Rows = std::array<double, 5>;  // enough for every law

Rows draw(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  Rows x;
  for (double& entry : x) entry = normal(random);
  return x;
}

bool contains(const Block& block, double scale, const Rows& x) {
  const double tangential = law::norm(block.size - 1, x.data() + 1);
  const int half = (block.size - 1) / 2;
  constexpr double slack = 1e-14;
  switch (block.law) {
    case Law::equality:
      return true;
    case Law::nonnegative:
      return x[0] >= 0.0;
    case Law::box:
      return x[0] >= scale * block.lower && x[0] <= scale * block.upper;
    case Law::ball:
      return law::norm(block.size, x.data()) <= scale * block.upper + slack;
    case Law::coulomb:
    case Law::second_order:
      return x[0] >= 0.0 && tangential <= block.friction * x[0] + slack;
    case Law::moments:
      return x[0] >= 0.0 && law::norm(half, x.data() + 1) <= block.friction * x[0] + slack &&
             law::norm(half, x.data() + 1 + half) <= block.rolling * x[0] + slack;
  }
  return false;
}

TEST(Laws, a_projection_is_the_nearest_point_of_the_set) {
  // y = P(x) iff y is in the set and (x − y)·(z − y) <= 0 for every z of the (convex) set.
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  for (const Block& block : every_law())
    for (int trial = 0; trial < 200; ++trial) {
      const double scale = std::exp(normal(random));
      const Rows x = draw(random);
      Rows y = x;
      project(block, scale, y.data());
      ASSERT_TRUE(contains(block, scale, y)) << to_string(block.law);
      for (int other = 0; other < 20; ++other) {
        Rows z = draw(random);
        project(block, scale, z.data());
        double product = 0.0;
        for (std::size_t i = 0; i < static_cast<std::size_t>(block.size); ++i)
          product += (x[i] - y[i]) * (z[i] - y[i]);
        EXPECT_LE(product, 1e-13) << to_string(block.law);
      }
    }
}

TEST(Laws, projecting_twice_changes_nothing) {
  std::mt19937_64 random(2);
  for (const Block& block : every_law())
    for (int trial = 0; trial < 100; ++trial) {
      Rows x = draw(random);
      project(block, 1.0, x.data());
      Rows twice = x;
      project(block, 1.0, twice.data());
      for (std::size_t i = 0; i < x.size(); ++i) twice[i] -= x[i];
      EXPECT_LE(law::norm(block.size, twice.data()), 1e-15);
    }
}

double map_norm(const Block& block, std::array<double, 3> lambda, std::array<double, 3> w) {
  double r[3] = {};
  natural_map(block, 2.0, lambda.data(), w.data(), r);
  double sum = 0.0;
  for (int i = 0; i < block.size; ++i) sum += r[i] * r[i];
  return std::sqrt(sum);
}

TEST(Laws, the_coulomb_map_vanishes_exactly_on_open_stick_and_slide) {
  const Block block = cone(Law::coulomb, 3, 0.5);
  EXPECT_EQ(map_norm(block, {0.0, 0.0, 0.0}, {0.3, 4.0, -2.0}), 0.0);
  EXPECT_EQ(map_norm(block, {2.0, 0.6, -0.8}, {0.0, 0.0, 0.0}), 0.0);
  EXPECT_LE(map_norm(block, {2.0, 0.6, -0.8}, {0.0, -3.0, 4.0}), 1e-15);  // |λ_t| = μ λ_n
  EXPECT_GT(map_norm(block, {2.0, 0.6, -0.8}, {0.0, 3.0, -4.0}), 1.0);    // drives the slip
  EXPECT_GT(map_norm(block, {2.0, 0.3, -0.4}, {0.0, -3.0, 4.0}), 0.5);    // slips inside the cone
  EXPECT_GT(map_norm(block, {1.0, 0.0, 0.0}, {0.2, 0.0, 0.0}), 0.1);      // pulls apart
  EXPECT_GT(map_norm(block, {0.0, 0.0, 0.0}, {-0.2, 0.0, 0.0}), 0.1);     // goes through
}

TEST(Laws, the_relaxation_separates_where_it_slides) {
  const Block block = cone(Law::second_order, 2, 0.5);
  EXPECT_LE(map_norm(block, {2.0, 1.0, 0.0}, {1.5, -3.0, 0.0}), 1e-15);  // w_n = μ |w_t|
  EXPECT_GT(map_norm(block, {2.0, 1.0, 0.0}, {0.0, -3.0, 0.0}), 0.5);    // Coulomb's own slide
}

TEST(Laws, the_box_map_is_the_median) {
  const Block block = box(-1.0, 2.0);
  EXPECT_EQ(map_norm(block, {0.5, 0.0, 0.0}, {0.0, 0.0, 0.0}), 0.0);
  EXPECT_EQ(map_norm(block, {-1.0, 0.0, 0.0}, {3.0, 0.0, 0.0}), 0.0);
  EXPECT_EQ(map_norm(block, {2.0, 0.0, 0.0}, {-3.0, 0.0, 0.0}), 0.0);
  EXPECT_EQ(map_norm(block, {2.0, 0.0, 0.0}, {0.25, 0.0, 0.0}), 0.25);
  EXPECT_EQ(map_norm(block, {-1.25, 0.0, 0.0}, {3.0, 0.0, 0.0}), 0.5);  // s (λ − lower) = −0.5
}

}  // namespace
}  // namespace vinci
