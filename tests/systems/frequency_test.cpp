// SPDX-License-Identifier: Apache-2.0
// Responses, margins and root loci against closed forms.
#include "vinci/systems/frequency.h"

#include <Eigen/QR>
#include <gtest/gtest.h>

#include "tests/systems/random_systems.h"
#include "vinci/base/error.h"
#include "vinci/systems/modes.h"
#include "vinci/systems/root_locus.h"
#include "vinci/systems/transfer_function.h"

namespace vinci {
namespace {

VectorX list(std::initializer_list<double> numbers) {
  VectorX vector(static_cast<Eigen::Index>(numbers.size()));
  std::copy(numbers.begin(), numbers.end(), vector.begin());
  return vector;
}

// Hidden modes that stand twice are known to half of all digits; gains are not touched by that.
TEST(TransferFunction, gains_are_sharp_where_hidden_poles_are_not) {
  LinearSystem system = {MatrixX::Zero(6, 6), MatrixX::Zero(6, 1), MatrixX::Zero(1, 6),
                         MatrixX::Zero(1, 1)};
  // 3/(s² − 4) beside (s + 5)⁴, whose states are not reached, but seen.
  system.a(0, 1) = 1.0, system.a(1, 0) = 4.0;
  system.b(1, 0) = 3.0;
  for (int i = 2; i < 6; ++i) system.a(i, i) = -5.0;
  for (int i = 2; i < 5; ++i) system.a(i, i + 1) = 1.0;
  system.c << 1.0, 0.0, 0.3, 0.1, -0.2, 0.7;
  const MatrixX turn =
      Eigen::HouseholderQR<MatrixX>(MatrixX::NullaryExpr(6, 6, [](Eigen::Index i, Eigen::Index j) {
        return std::sin(1.0 + static_cast<double>(i * 7 + j * j));
      })).householderQ();
  system.a = turn * system.a * turn.transpose();
  system.b = turn * system.b;
  system.c = system.c * turn.transpose();
  const TransferFunction function = transfer_function(system, 0, 0);
  EXPECT_EQ(function.poles.size(), 2);
  EXPECT_EQ(function.zeros.size(), 0);
  EXPECT_NEAR(function.gain, 3.0, 1e-12);
}

// k/(s (s + 1) (s + 2)): the phase is −180° at ω = √2, where the loop is −k/6.
TEST(Margins, a_loop_of_third_order_has_the_gain_margin_of_the_routh_table) {
  for (const double k : {0.5, 1.0, 5.0, 7.0}) {
    const Margins found = margins(system_of(list({k}), list({1.0, 3.0, 2.0, 0.0})));
    ASSERT_EQ(found.gain.size(), 1u) << k;
    EXPECT_NEAR(found.gain[0].frequency, std::sqrt(2.0), 1e-9);
    EXPECT_NEAR(found.gain_margin, 6.0 / k, 1e-8);
    EXPECT_EQ(found.is_stable(), k < 6.0);
    ASSERT_EQ(found.phase.size(), 1u);
    const double w = found.phase[0].frequency;
    EXPECT_NEAR(k, w * std::sqrt(1.0 + w * w) * std::sqrt(4.0 + w * w), 1e-8);
    EXPECT_NEAR(found.phase[0].margin, M_PI_2 - std::atan(w) - std::atan(0.5 * w), 1e-8);
    const double lag = std::fmod(found.phase[0].margin + 2.0 * M_PI, 2.0 * M_PI);
    EXPECT_NEAR(found.delay_margin, lag / w, 1e-8);
  }
}

TEST(Margins, do_not_depend_on_the_unit_of_time) {
  for (const double w : {1e-9, 1e-3, 1.0, 300.0, 1e6}) {
    const Margins found =
        margins(system_of(list({3.0 * w * w * w}), list({1.0, 3.0 * w, 2.0 * w * w, 0.0})));
    EXPECT_NEAR(found.gain_margin, 2.0, 1e-8) << w;
    ASSERT_EQ(found.gain.size(), 1u) << w;
    EXPECT_NEAR(found.gain[0].frequency, std::sqrt(2.0) * w, 1e-8 * w);
    EXPECT_EQ(found.phase.size(), 1u) << w;
  }
}

// u = −k y around 1/(z − 1) has its pole at 1 − k, which leaves the circle at −1.
TEST(Margins, of_sampled_loops_count_half_the_sampling_frequency) {
  const Margins integrator = margins(system_of(list({1.0}), list({1.0, -1.0}), 0.1));
  EXPECT_NEAR(integrator.gain_margin, 2.0, 1e-9);
  EXPECT_NEAR(integrator.gain.back().frequency, M_PI / 0.1, 1e-9);
  EXPECT_NEAR(margins(system_of(list({0.5}), list({1.0, -0.5}), 0.1)).gain_margin, 3.0, 1e-9);
  EXPECT_NEAR(margins(constant_system(MatrixX::Constant(1, 1, -0.5))).gain_margin, 2.0, 1e-12);
}

TEST(Margins, the_loop_at_its_margin_is_on_the_border) {
  std::mt19937_64 random(31);
  int counted = 0;
  for (int trial = 0; trial < 60; ++trial) {
    LinearSystem loop = random_system(random, 5, 1, 1);
    if (trial % 3 == 0) {
      loop.a *= 0.3;
      loop.sample = 0.2;
    }
    const Margins found = margins(loop);
    for (const Crossing& crossing : found.gain) {
      if (!std::isfinite(crossing.frequency)) continue;  // a pole comes from infinity
      const LinearSystem gain =
          constant_system(MatrixX::Constant(1, 1, crossing.margin), loop.sample);
      double least = infinity;
      for (const Complex& pole : poles(closed_loop(loop, gain, -1.0)))
        least = std::min(
            least, loop.is_sampled() ? std::abs(std::abs(pole) - 1.0) : std::abs(pole.real()));
      EXPECT_LT(least, 1e-6) << trial;
      ++counted;
    }
    for (const Crossing& crossing : found.phase) {
      const Complex point = loop.is_sampled() ? std::polar(1.0, crossing.frequency * loop.sample)
                                              : Complex(0.0, crossing.frequency);
      const Complex value = value_at(loop, point)(0, 0) * std::polar(1.0, -crossing.margin);
      EXPECT_LT(std::abs(value + 1.0), 1e-6) << trial;
      ++counted;
    }
  }
  EXPECT_GT(counted, 60);
}

// No crossing between the found ones is missed: |L| − 1 changes its sign only there.
TEST(Margins, no_crossing_is_missed) {
  std::mt19937_64 random(37);
  for (int trial = 0; trial < 40; ++trial) {
    const LinearSystem loop = random_system(random, 4, 1, 1);
    const Margins found = margins(loop);
    int changes = 0;
    double before = 0.0;
    for (int i = 0; i <= 20000; ++i) {
      const double w = i == 0 ? 0.0 : std::exp(-8.0 + 16.0 * i / 20000.0);
      const double now = std::abs(value_at(loop, Complex(0.0, w))(0, 0)) - 1.0;
      if (i > 0 && now * before < 0.0) ++changes;
      before = now;
    }
    EXPECT_GE(static_cast<int>(found.phase.size()), changes) << trial;
  }
}

TEST(Margins, the_modulus_margin_is_the_least_distance_from_minus_one) {
  // 1/(s + 1)²: |1 + L|² has its least value in closed form by u = ω².
  const Margins found = margins(system_of(list({4.0}), list({1.0, 2.0, 1.0})));
  double least = infinity;
  for (int i = 0; i < 2000000; ++i) {
    const Complex s(0.0, 1e-5 * i);
    least = std::min(least, std::abs(1.0 + 4.0 / ((s + 1.0) * (s + 1.0))));
  }
  EXPECT_NEAR(found.modulus_margin, least, 1e-8);
}

TEST(Frequency, singular_values_of_a_rotation_are_one) {
  MatrixX turn(2, 2);
  turn << 0.6, -0.8, 0.8, 0.6;
  const auto response = frequency_response(constant_system(turn), list({0.1, 10.0}));
  EXPECT_LT((singular_values(response) - MatrixX::Ones(2, 2)).norm(), 1e-14);
}

// 1/(s (s + 2)): branches meet at −1 for k = 1 and leave at right angles.
TEST(RootLocus, branches_meet_and_leave_at_right_angles) {
  const RootLocus locus =
      root_locus(system_of(list({1.0}), list({1.0, 2.0, 0.0})), list({0.0, 5.0}));
  ASSERT_GT(locus.gains.size(), 10);
  for (Eigen::Index i = 0; i < locus.gains.size(); ++i) {
    const double k = locus.gains[i];
    const Complex root = std::sqrt(Complex(1.0 - k, 0.0));
    EXPECT_LT(set_distance(locus.poles.row(i).transpose(),
                           (ComplexVector(2) << -1.0 + root, -1.0 - root).finished()),
              1e-7);
  }
  // A branch does not jump.
  for (Eigen::Index i = 1; i < locus.gains.size(); ++i)
    for (int b = 0; b < 2; ++b) EXPECT_LT(std::abs(locus.poles(i, b) - locus.poles(i - 1, b)), 1.2);
  EXPECT_THROW(root_locus(constant_system(MatrixX::Ones(2, 2)), list({1.0})), Error);
}

}  // namespace
}  // namespace vinci
