// SPDX-License-Identifier: Apache-2.0
// Balance decided on both sides of its limit, in closed form: relative distances down to 2e-9.
#include "vinci/proofs/balance.h"

#include <random>

#include <gtest/gtest.h>

#include "tests/support/statics.h"

namespace vinci {
namespace {

using namespace test;
using Verdict = BalanceTest::Verdict;

constexpr double distances[] = {1e-3, 1e-6, 1e-8, 2e-9};

struct Decision {
  Verdict verdict;
  VectorX forces, missing;
};

Decision decide(const ComplementarityProblem& problem, const VectorX& masses) {
  EXPECT_EQ(problem.why_invalid(), "");
  std::vector<FrictionSet> sets;
  find_friction_sets(problem, sets);
  BalanceTest test;
  const Verdict verdict = test(problem, sets, SparseRows::from_dense(MatrixX(masses.asDiagonal())));
  return {verdict, test.forces(), test.missing()};
}

// The forces lie in their sets and leave nothing.
void expect_balance(const ComplementarityProblem& problem, const VectorX& lambda) {
  VectorX rest = problem.p;
  problem.J.multiply_transposed_add(lambda.data(), rest.data());
  EXPECT_LT(rest.norm(), 2e-13 * (problem.p.norm() + 0.01 * lambda.norm()));
  std::vector<FrictionSet> sets;
  find_friction_sets(problem, sets);
  for (const FrictionSet& set : sets) {
    if (set.normal >= 0) {
      EXPECT_GE(lambda[set.normal], 0.0);
    }
    const auto friction = lambda.segment(set.first, set.count);
    const double size = set.directions ? friction.sum() : friction.norm();
    EXPECT_LE(size, set.bound(lambda) * (1.0 + 1e-14));
  }
}

void expect_both_sides(const std::function<ComplementarityProblem(double)>& at,
                       const VectorX& masses) {
  for (const double distance : distances) {
    const ComplementarityProblem held = at(1.0 - distance), lost = at(1.0 + distance);
    const Decision inside = decide(held, masses), outside = decide(lost, masses);
    EXPECT_EQ(inside.verdict, Verdict::exists) << distance;
    EXPECT_EQ(outside.verdict, Verdict::none) << distance;
    if (inside.verdict == Verdict::exists) expect_balance(held, inside.forces);
    // What is said to be missing restores the balance, and less does not.
    const double share = distance < 1e-5 ? 0.5 : 1e-3;
    ComplementarityProblem mended = lost;
    mended.p += (1.0 + share) * outside.missing;
    EXPECT_EQ(decide(mended, masses).verdict, Verdict::exists) << distance;
    mended.p = lost.p + (1.0 - share) * outside.missing;
    EXPECT_EQ(decide(mended, masses).verdict, Verdict::none) << distance;
  }
}

TEST(Balance, one_support_holds_its_limit_in_every_direction) {
  for (const double angle : {0.0, 0.3, 1.0, 2.5, -2.0})
    expect_both_sides(
        [&](double load) {
          return statics(MatrixX::Identity(2, 2),
                         5.0 * load * numbers({std::cos(angle), std::sin(angle)}), numbers({0, 0}),
                         {lying(0, 2, 5.0)});
        },
        numbers({2, 2}));
}

TEST(Balance, what_is_missing_at_one_support_is_the_rest_of_the_force) {
  const auto problem =
      statics(MatrixX::Identity(2, 2), numbers({3, 4}), numbers({0, 0}), {lying(0, 2, 4.9)});
  const Decision decision = decide(problem, numbers({2, 2}));
  EXPECT_EQ(decision.verdict, Verdict::none);
  EXPECT_LT((decision.missing - numbers({-0.06, -0.08})).norm(), 1e-12);
}

// A box of width 2 and height 1 on a slope: two corners, forces and torque about its middle.
ComplementarityProblem on_a_slope(double tangent, double friction) {
  const double angle = std::atan(tangent), c = std::cos(angle), s = std::sin(angle);
  MatrixX J(4, 3);
  for (int k = 0; k < 2; ++k) {
    const double along = k == 0 ? -1.0 : 1.0, x = along * c + 0.5 * s, y = along * s - 0.5 * c;
    J.row(2 * k) << -s, c, x * c + y * s;
    J.row(2 * k + 1) << c, s, x * s - y * c;
  }
  return statics(J, numbers({0, -20, 0}), VectorX::Zero(4),
                 {rubbing(0, 2, friction), rubbing(2, 2, friction)});
}

TEST(Balance, a_box_holds_on_a_slope_up_to_its_angle_of_friction) {
  for (const double friction : {0.01, 0.1, 0.45, 1.5})
    expect_both_sides([&](double load) { return on_a_slope(load * friction, friction); },
                      numbers({2, 2, 0.8}));
}

// It tips where the weight leaves its base: tan = 1/0.5.
TEST(Balance, a_rough_box_on_a_slope_tips_where_its_weight_leaves_the_base) {
  expect_both_sides([&](double load) { return on_a_slope(2.0 * load, 10.0); },
                    numbers({2, 2, 0.8}));
}

// With μ at both ends: a climber may go up to a share (tan α + μ) μ / (1 + μ²) of its length.
TEST(Balance, a_ladder_holds_a_climber_up_to_a_height) {
  const double mu = 0.35, angle = 1.1, c = std::cos(angle), s = std::sin(angle);
  // Ground: N up, μ N towards the wall; wall: R = μ N away from it, μ R up; moments about the foot.
  const double height = (mu * s + mu * mu * c) / ((1.0 + mu * mu) * c);
  expect_both_sides(
      [&](double load) {
        MatrixX J(4, 3);
        J.row(0) << 0, 1, 0;  // foot, at the origin of moments
        J.row(1) << 1, 0, 0;
        J.row(2) << -1, 0, s;  // top, at (c, s)
        J.row(3) << 0, 1, c;
        return statics(J, 700.0 * numbers({0, -1, -load * height * c}), VectorX::Zero(4),
                       {rubbing(0, 2, mu), rubbing(2, 2, mu)});
      },
      numbers({10, 10, 3}));
}

// Between two walls that lean together by twice the angle: the wedge stays if tan(angle) <= μ.
TEST(Balance, a_wedge_between_two_walls_stays_up_to_the_angle_of_friction) {
  const double mu = 0.3;
  expect_both_sides(
      [&](double load) {
        const double angle = std::atan(mu * load), c = std::cos(angle), s = std::sin(angle);
        MatrixX J(4, 2);
        J << c, -s, s, c, -c, -s, -s, c;  // walls that push it out along −y
        return statics(J, numbers({0, -1e-3}), VectorX::Zero(4),
                       {rubbing(0, 2, mu), rubbing(2, 2, mu)});
      },
      numbers({1, 1}));
}

// Three supports that carry a third each, at the corners of a regular triangle, hold 3 μ N in every
// direction, and 3 μ N r of torque.
TEST(Balance, a_part_on_three_supports_holds_force_or_torque_up_to_their_sum) {
  const double limit = 0.7, radius = 0.05;
  MatrixX J(6, 3);
  for (int k = 0; k < 3; ++k) {
    const double angle = 0.4 + 2.0 * M_PI * k / 3.0;
    J.row(2 * k) << 1, 0, -radius * std::sin(angle);
    J.row(2 * k + 1) << 0, 1, radius * std::cos(angle);
  }
  const auto with = [&](const VectorX& load) {
    return statics(J, load, VectorX::Zero(6),
                   {lying(0, 2, limit), lying(2, 2, limit), lying(4, 2, limit)});
  };
  const VectorX masses = numbers({0.2, 0.2, 1e-4});
  for (const double angle : {0.0, 0.7, 2.0, 4.0})
    expect_both_sides(
        [&](double load) {
          return with(3.0 * limit * load * numbers({std::cos(angle), std::sin(angle), 0}));
        },
        masses);
  for (const double sign : {1.0, -1.0})
    expect_both_sides(
        [&](double load) {
          return with(numbers({0, 0, 3.0 * sign * limit * radius * load}));
        },
        masses);
}

// A point on a rough floor pulled in any direction, on the exact cone and on pyramids: the limit of
// a pyramid is that of its sides.
ComplementarityProblem pulled(int directions, double friction, double azimuth, double load) {
  const Vector3 f(friction * load * std::cos(azimuth), friction * load * std::sin(azimuth), -1.0);
  if (directions == 0) {
    MatrixX J(3, 3);
    J << 0, 0, 1, 1, 0, 0, 0, 1, 0;
    return statics(J, f, VectorX::Zero(3), {rubbing(0, 3, friction)});
  }
  MatrixX J = MatrixX::Zero(directions + 2, 3);
  J(0, 2) = 1.0;
  std::vector<Block> blocks = {touching(0)};
  for (int j = 0; j < directions; ++j) {
    const double angle = 2.0 * M_PI * j / directions;
    J.row(1 + j) << std::cos(angle), std::sin(angle), 0.0;
    blocks.push_back(touching(1 + j));
  }
  blocks.push_back(touching(directions + 1));
  ComplementarityProblem problem = statics(J, f, VectorX::Zero(directions + 2), blocks);
  MatrixX C = MatrixX::Zero(directions + 2, directions + 2);
  C.block(1, directions + 1, directions, 1).setOnes();
  C.block(directions + 1, 1, 1, directions).setConstant(-1.0);
  C(directions + 1, 0) = friction;
  problem.C = SparseRows::from_dense(C);
  return problem;
}

TEST(Balance, a_point_on_the_floor_is_held_up_to_its_cone_or_its_pyramid) {
  for (const int directions : {0, 4, 8})
    for (const double azimuth : {0.0, 0.2, 0.9, 2.4, 5.0}) {
      double limit = 1.0;
      if (directions > 0) {  // of the side between two directions
        const double half = M_PI / directions;
        limit = std::cos(half) / std::cos(std::fmod(azimuth, 2.0 * half) - half);
      }
      expect_both_sides([&](double load) { return pulled(directions, 0.3, azimuth, limit * load); },
                        numbers({1, 1, 1}));
    }
}

// Springs and dampers take what they can reach: only what D leaves has to be held.
TEST(Balance, viscosity_takes_every_force_along_it) {
  auto problem =
      statics(MatrixX::Identity(2, 2), numbers({100, 0.5}), numbers({0, 0}), {lying(1, 1, 0.4)});
  problem.J = SparseRows::from_dense(Eigen::RowVector2d(0, 1));
  problem.C.reset(1);
  problem.C.end_row();
  problem.b = numbers({0});
  problem.blocks = {lying(0, 1, 0.4)};
  EXPECT_EQ(decide(problem, numbers({1, 1})).verdict, Verdict::none);
  problem.M = SparseRows::from_dense((MatrixX(2, 2) << 3, 0, 0, 0).finished());
  const Decision decision = decide(problem, numbers({1, 1}));
  EXPECT_EQ(decision.verdict, Verdict::none);
  EXPECT_LT((decision.missing - numbers({0, -0.1})).norm(), 1e-12);
  problem.p[1] = 0.3;
  EXPECT_EQ(decide(problem, numbers({1, 1})).verdict, Verdict::exists);
}

// Random bodies on random contacts in space with forces that are known to be in the cones, or known
// to be out of them by a plane that separates them.
TEST(Balance, random_forces_are_decided_on_both_sides_of_a_plane_that_touches_the_cones) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  int inside = 0, outside = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const int contacts = 1 + trial % 9, n = 6;
    MatrixX J(3 * contacts, n);
    for (Eigen::Index i = 0; i < J.size(); ++i) J.data()[i] = normal(random);
    VectorX d(n);
    for (int i = 0; i < n; ++i) d[i] = normal(random);
    const double mu = 0.5;
    std::vector<Block> blocks;
    VectorX lambda = VectorX::Zero(3 * contacts);
    for (int k = 0; k < contacts; ++k) {
      // The normal is turned so that d just leaves this contact: its cone touches the plane d·f = 0
      // along one force.
      const Vector2 v = (J.middleRows(3 * k + 1, 2) * d);
      const double lack = mu * v.norm() - J.row(3 * k).dot(d);
      J.row(3 * k) += lack / d.squaredNorm() * d.transpose();
      lambda[3 * k] = 0.1 + std::abs(normal(random));
      lambda.segment(3 * k + 1, 2) = -mu * lambda[3 * k] * v.normalized();
      blocks.push_back(rubbing(3 * k, 3, mu));
    }
    const VectorX edge = -J.transpose() * lambda;  // balanced, and on the plane
    const VectorX masses = VectorX::Ones(n);
    const double scale = edge.norm() / d.norm();
    for (const double distance : distances) {
      const VectorX beyond = edge + distance * scale * d;
      outside += decide(statics(J, beyond, VectorX::Zero(3 * contacts), blocks), masses).verdict ==
                 Verdict::none;
    }
    // Inside by as much: every force leaves the mantle of its cone by that share.
    for (const double distance : distances) {
      VectorX less = lambda;
      for (int k = 0; k < contacts; ++k) less.segment(3 * k + 1, 2) *= 1.0 - distance;
      inside +=
          decide(statics(J, -J.transpose() * less, VectorX::Zero(3 * contacts), blocks), masses)
              .verdict == Verdict::exists;
    }
  }
  EXPECT_EQ(outside, 800);
  EXPECT_EQ(inside, 800);
}

// The same with inertias of any ratio. Forces are measured in the metric of the inertia, so beyond
// 1e6 what is missing on heavy coordinates may pass for rounding; a balance is never denied.
TEST(Balance, a_balance_is_not_denied_at_any_ratio_of_masses) {
  for (const double ratio : {1e3, 1e6, 1e9}) {
    SCOPED_TRACE(ratio);
    std::mt19937 random(7);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    int held = 0, lost = 0;
    for (int trial = 0; trial < 100; ++trial) {
      const int contacts = 1 + trial % 9, n = 6;
      MatrixX J(3 * contacts, n);
      for (Eigen::Index i = 0; i < J.size(); ++i) J.data()[i] = normal(random);
      VectorX d(n), masses(n), lambda(3 * contacts);
      for (int i = 0; i < n; ++i) d[i] = normal(random);
      for (int i = 0; i < n; ++i) masses[i] = std::pow(ratio, uniform(random));
      masses[0] = 1.0;
      masses[3] = ratio;
      const double mu = 0.5;
      std::vector<Block> blocks;
      for (int k = 0; k < contacts; ++k) {
        const Vector2 v = J.middleRows(3 * k + 1, 2) * d;
        J.row(3 * k) += (mu * v.norm() - J.row(3 * k).dot(d)) / d.squaredNorm() * d.transpose();
        lambda[3 * k] = 0.1 + std::abs(normal(random));
        lambda.segment(3 * k + 1, 2) = -mu * lambda[3 * k] * v.normalized();
        blocks.push_back(rubbing(3 * k, 3, mu));
      }
      const VectorX zero = VectorX::Zero(3 * contacts), edge = -J.transpose() * lambda;
      for (const double distance : distances) {
        VectorX less = lambda;
        for (int k = 0; k < contacts; ++k) less.segment(3 * k + 1, 2) *= 1.0 - distance;
        held += decide(statics(J, -J.transpose() * less, zero, blocks), masses).verdict ==
                Verdict::exists;
        const VectorX beyond = edge + distance * edge.norm() / d.norm() * d;
        const Verdict verdict = decide(statics(J, beyond, zero, blocks), masses).verdict;
        if (ratio <= 1e6) {
          EXPECT_NE(verdict, Verdict::exists) << trial << " " << distance;
        }
        lost += verdict == Verdict::none;
      }
    }
    EXPECT_EQ(held, 400);
    EXPECT_GT(lost, 300);
  }
}

}  // namespace
}  // namespace vinci
