// SPDX-License-Identifier: Apache-2.0
// The map between damping and restitution, against impacts that are simulated.
#include <gtest/gtest.h>

#include "vinci/base/error.h"
#include "vinci/hybrid/single_impact.h"

namespace vinci {
namespace {

TEST(Stabilisation, a_restitution_that_is_asked_for_is_what_impacts_have) {
  for (const double asked : {1.0, 0.9, 0.5, 0.2, 0.1, 1e-2, 1e-3})
    for (const double time_scale : {1e-3, 0.1}) {
      const Impact seen = impact(restituting(asked, time_scale), 2.0, 0.0);
      ASSERT_TRUE(seen.leaves) << asked;
      EXPECT_NEAR(seen.speed / 2.0, asked, 1e-8) << time_scale;
    }
}

TEST(Stabilisation, critical_damping_restitutes_exp_minus_two) {
  EXPECT_DOUBLE_EQ(restitution(1.0), std::exp(-2.0));
  EXPECT_NEAR(restitution(1.0 - 1e-7), restitution(1.0 + 1e-7), 1e-7);
  EXPECT_NEAR(restitution(1.0 - 1e-4), std::exp(-2.0), 1e-4);
  EXPECT_DOUBLE_EQ(restitution(0.0), 1.0);
  const Impact seen = impact(settling_in(0.01), 1.0, 0.0);
  ASSERT_TRUE(seen.leaves);
  EXPECT_NEAR(seen.speed, std::exp(-2.0), 1e-8);
}

// Of λ = m (g − α₀ q − α₂ q³) without damping the energy of the whole of h' and p is kept, so that
// v² − v₀² = −2 P(h₁) where p(h₁) = g; weight takes back g h₁ of it.
TEST(Stabilisation, without_damping_energy_is_gained_by_the_amount_of_the_closed_form) {
  const double g = 9.81;
  const Impact linear = impact({0.0, {100.0}}, 4.0, g);
  ASSERT_TRUE(linear.leaves);
  EXPECT_NEAR(linear.height, g / 100.0, 1e-8);
  EXPECT_NEAR(linear.energy_gain, g * linear.height - 50.0 * linear.height * linear.height, 1e-7);
  EXPECT_GT(linear.energy_gain, 0.0);
  EXPECT_LT(impact({10.0, {100.0, 1e6}}, 4.0, g).energy_gain, 0.0);
}

TEST(Stabilisation, what_settles_does_not_leave) {
  EXPECT_FALSE(impact({20.0, {100.0}}, 0.1, 9.81).leaves);
}

TEST(Stabilisation, bad_numbers_are_refused) {
  EXPECT_THROW(settling_in(0.0), Error);
  EXPECT_THROW(restituting(0.0, 0.1), Error);
  EXPECT_THROW(restituting(1.5, 0.1), Error);
  EXPECT_THROW(restituting(0.5, -1.0), Error);
  EXPECT_THROW(check({1.0, {0.0}}), Error);
  EXPECT_THROW(check({infinity, {1.0}}), Error);
}

}  // namespace
}  // namespace vinci
