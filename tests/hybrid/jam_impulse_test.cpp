// SPDX-License-Identifier: Apache-2.0
// Impulses of friction that jams, against closed forms and against all that they have to be.
#include "vinci/hybrid/jam_impulse.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace vinci {
namespace {

// The rod of jamming_test.cpp: S = [[1.6, −1.2], [−1.2, 3.4]] of gap and slip.
JamProblem rod(double friction, double slip) {
  JamProblem problem;
  problem.mobility = MatrixX(2, 2);
  problem.mobility << 1.6, -1.2, -1.2, 3.4;
  problem.rates = VectorX::Zero(2);
  problem.rates[1] = slip;
  problem.normals = {0};
  problem.slips = {{0, 1, 1, friction}};
  return problem;
}

TEST(JamImpulse, brings_a_rod_to_rest_where_friction_draws_it_in) {
  const auto impulses = jam_impulse(rod(2.0, -0.5));
  ASSERT_TRUE(impulses);
  EXPECT_NEAR((*impulses)[0], 0.3 * 0.5, 1e-12);
  EXPECT_NEAR((*impulses)[1], 0.4 * 0.5, 1e-12);
}

// S_nn − μ S_nt d is 1.6 − 1.2 μ to the left, and 1.6 + 1.2 μ to the right.
TEST(JamImpulse, is_none_where_a_finite_force_does) {
  EXPECT_TRUE(jam_impulse(rod(1.34, -0.5)));
  EXPECT_FALSE(jam_impulse(rod(1.33, -0.5)));
  EXPECT_FALSE(jam_impulse(rod(2.0, 0.5)));
}

// In space a slip can turn instead of coming to rest. Sₙₙ = 1, Sₙₜ = (1, 0), Sₜₜ = diag(2, 1/2) and
// μ = 2 draw in what slides along d with 1 < 2 dₓ. With s⁺ = σ d at dₓ = 1/2, d_y = √3/2
//   s = σ d − Pₙ (Sₜₙ − μ Sₜₜ d) = σ d + Pₙ (1, √3/2),
// so that Pₙ = 0.1, σ = 0.3 come from s = (0.25, 0.2 √3), where dₓ = 0.585. To bring that to rest
// takes Pₙ = 0.25, Pₜ = (−0.25, −0.4 √3): |Pₜ| > μ Pₙ.
TEST(JamImpulse, turns_a_slip_in_space_until_it_is_not_drawn_in) {
  const double root = std::sqrt(3.0);
  JamProblem problem;
  problem.mobility = MatrixX::Zero(3, 3);
  problem.mobility.diagonal() << 1.0, 2.0, 0.5;
  problem.mobility(0, 1) = problem.mobility(1, 0) = 1.0;
  problem.normals = {0};
  problem.slips = {{0, 1, 2, 2.0}};
  const double push = 0.1, speed = 0.3;
  problem.rates = VectorX::Zero(3);
  problem.rates[1] = 0.5 * speed + push * (-1.0 + 2.0 * 2.0 * 0.5);
  problem.rates[2] = 0.5 * root * speed + push * 0.5 * root;
  const VectorX rates = problem.rates;
  const auto impulses = jam_impulse(problem);
  ASSERT_TRUE(impulses);
  const VectorX after = rates + problem.mobility * *impulses;
  EXPECT_NEAR((*impulses)[0], push, 1e-7);
  EXPECT_NEAR((*impulses)[1], -2.0 * push * 0.5, 1e-7);
  EXPECT_NEAR(after[0], 0.0, 1e-7);
  EXPECT_NEAR(after[1], 0.5 * speed, 1e-7);
  EXPECT_NEAR(after[2], 0.5 * root * speed, 1e-7);
}

// Bodies of random masses and contacts: whatever is found has to be within the cones, to leave what
// pushes, to rub against what slides, and to take energy.
TEST(JamImpulse, of_several_contacts_is_all_that_it_has_to_be) {
  std::mt19937 generator(7);
  const auto draw = [&] { return static_cast<double>(generator()) / 2147483648.0 - 1.0; };
  int found = 0;
  for (int trial = 0; trial < 600; ++trial) {
    const int contacts = 1 + trial % 3, directions = 1 + trial % 2, own = 1 + directions;
    const int size = contacts * own, freedoms = 3 * directions;
    MatrixX rows(size, freedoms);
    VectorX speeds(freedoms);
    for (int j = 0; j < freedoms; ++j) {
      speeds[j] = draw();
      for (int i = 0; i < size; ++i) rows(i, j) = draw();
    }
    JamProblem problem;
    problem.mobility = rows * rows.transpose();
    problem.rates = rows * speeds;
    for (int c = 0; c < contacts; ++c) {
      problem.normals.push_back(own * c);
      problem.slips.push_back({c, own * c + 1, directions, 0.5 + 2.0 * std::abs(draw())});
    }
    const auto impulses = jam_impulse(problem);
    if (!impulses) continue;
    ++found;
    SCOPED_TRACE(trial);
    const VectorX& P = *impulses;
    const VectorX change = problem.mobility * P, after = problem.rates + change;
    const double most = P.lpNorm<Eigen::Infinity>(), rounding = 1e-7 * most;
    ASSERT_GT(most, 0.0);
    double takes = -0.5 * P.dot(change);
    for (const JamProblem::Slip& slip : problem.slips) {
      const int n = problem.normals[static_cast<std::size_t>(slip.contact)];
      const VectorX rub = P.segment(slip.first, slip.count),
                    way = after.segment(slip.first, slip.count);
      EXPECT_GE(P[n], -rounding);
      EXPECT_GE(change[n], -1e-6 * most);
      EXPECT_NEAR(P[n] * change[n], 0.0, 1e-6 * most * most);
      EXPECT_LE(rub.norm(), slip.friction * P[n] + rounding);
      // Friction does what it can against what slides.
      EXPECT_NEAR(rub.dot(way), -slip.friction * P[n] * way.norm(), 1e-6 * most);
      takes += rub.dot(way);
    }
    EXPECT_LT(takes, 0.0);
  }
  EXPECT_GT(found, 60);
}

}  // namespace
}  // namespace vinci
