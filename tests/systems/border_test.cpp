// SPDX-License-Identifier: Apache-2.0
// Near the border: undamped systems, crossings at zero frequency and at half of sampling, poles at
// −1, overflow.
#include <gtest/gtest.h>

#include "tests/systems/random_systems.h"
#include "vinci/base/error.h"
#include "vinci/systems/frequency.h"
#include "vinci/systems/modes.h"
#include "vinci/systems/time_response.h"
#include "vinci/systems/transfer_function.h"

namespace vinci {
namespace {

VectorX numbers(std::initializer_list<double> numbers) {
  VectorX vector(static_cast<Eigen::Index>(numbers.size()));
  std::copy(numbers.begin(), numbers.end(), vector.begin());
  return vector;
}

// L(0) < 0: a real pole passes s = 0 at the gain −1/L(0), whatever meets in L(s) L(−s).
TEST(Border, a_pole_that_leaves_through_zero_is_a_gain_crossing) {
  const std::vector<std::pair<VectorX, VectorX>> loops = {
      {numbers({0.5, -0.5}), numbers({1.0, 3.0, 2.0})},
      {numbers({0.5, -0.5}), numbers({1.0, 2.0, 1.0})},
      {numbers({1.0, -1.0}), numbers({1.0, 3.0, 2.0})},
      {numbers({3.9, -3.9}), numbers({1.0, 3.0, 2.0})},
      {numbers({0.5, -1.0}), numbers({1.0, 4.0, 4.0})},
      {numbers({0.5, -1.5}), numbers({1.0, 7.0, 11.0})},
      {numbers({1.0, -2.0}), numbers({1.0, 12.0, 20.0})}};
  for (const auto& [top, bottom] : loops) {
    const Margins found = margins(system_of(top, bottom));
    const double factor = -bottom[bottom.size() - 1] / top[top.size() - 1];
    const auto is_it = [&](const Crossing& one) {
      return one.frequency == 0.0 && std::abs(one.margin - factor) < 1e-9 * factor;
    };
    EXPECT_EQ(std::count_if(found.gain.begin(), found.gain.end(), is_it), 1) << top.transpose();
    // Just below and above, the loop is stable and not.
    const auto closed = [&](double gain) {
      return stability(closed_loop(system_of(top, bottom),
                                   constant_system(MatrixX::Constant(1, 1, gain)), -1.0));
    };
    EXPECT_EQ(closed(0.999 * factor), Stability::stable);
    EXPECT_EQ(closed(1.001 * factor), Stability::unstable);
    EXPECT_NEAR(found.gain_margin, factor, 1e-9 * factor);
  }
}

LinearSystem oscillators(std::mt19937_64& random, int count, double damping) {
  // M q'' + D q' + K q = u with M and K positive, D = damping K.
  MatrixX root = random_matrix(random, count, count);
  const MatrixX stiffness = root * root.transpose() + MatrixX::Identity(count, count);
  root = random_matrix(random, count, count);
  const MatrixX mass = root * root.transpose() + MatrixX::Identity(count, count);
  const MatrixX pulled = mass.ldlt().solve(stiffness);
  LinearSystem system = {MatrixX::Zero(2 * count, 2 * count), MatrixX::Zero(2 * count, 1),
                         MatrixX::Ones(1, 2 * count), MatrixX::Zero(1, 1)};
  system.a.topRightCorner(count, count).setIdentity();
  system.a.bottomLeftCorner(count, count) = -pulled;
  system.a.bottomRightCorner(count, count) = -damping * pulled;
  system.b(count, 0) = 1.0;
  return system;
}

TEST(Border, what_rounding_decides_is_told_marginal) {
  std::mt19937_64 random(53);
  for (int trial = 0; trial < 40; ++trial) {
    const int count = 1 + trial % 5;
    const LinearSystem free = oscillators(random, count, 0.0);
    EXPECT_EQ(stability(free), Stability::marginal) << trial;
    EXPECT_FALSE(is_stable(free));
    EXPECT_EQ(stability(oscillators(random, count, 1e-6)), Stability::stable) << trial;
    EXPECT_EQ(stability(oscillators(random, count, -1e-6)), Stability::unstable) << trial;
    EXPECT_EQ(stability(sampled_with_hold(free, 0.01)), Stability::marginal) << trial;
  }
  EXPECT_EQ(stability(system_of(numbers({1.0}), numbers({1.0, 0.0, 0.0}))), Stability::marginal);
  // Poles that stand together are far from the border all the same.
  EXPECT_EQ(stability(system_of(numbers({1.0}), numbers({1.0, 4.0, 6.0, 4.0, 1.0}))),
            Stability::stable);
  MatrixX jordan(2, 2);
  jordan << -1.0, 1.0, 0.0, -1.0;
  EXPECT_EQ(stability({jordan, MatrixX::Ones(2, 1), MatrixX::Ones(1, 2), MatrixX::Zero(1, 1)}),
            Stability::stable);
  // Slow beside fast.
  EXPECT_EQ(stability({Vector2(-1e-7, -1e6).asDiagonal(), MatrixX::Ones(2, 1), MatrixX::Ones(1, 2),
                       MatrixX::Zero(1, 1)}),
            Stability::stable);
}

TEST(Border, bounds_of_poles_hold_for_matrices_that_are_rounded) {
  std::mt19937_64 random(59);
  for (int trial = 0; trial < 30; ++trial) {
    const LinearSystem system = random_system(random, 5, 1, 1);
    const PoleBounds known = pole_bounds(system);
    LinearSystem rounded = system;
    rounded.a = system.a.cast<float>().cast<double>();
    const double share = std::numeric_limits<float>::epsilon() / machine_epsilon;
    for (Eigen::Index i = 0; i < 5; ++i) {
      double nearest = infinity;
      for (const Complex& pole : poles(rounded))
        nearest = std::min(nearest, std::abs(pole - known.poles[i]));
      EXPECT_LT(nearest, share * known.bounds[i]) << trial;
    }
  }
}

TEST(Border, margins_of_a_loop_at_its_border_say_so) {
  // 6/(s (s + 1) (s + 2)) closed has poles at ±i √2.
  const Margins found = margins(system_of(numbers({6.0}), numbers({1.0, 3.0, 2.0, 0.0})));
  EXPECT_EQ(found.stability, Stability::marginal);
  EXPECT_FALSE(found.is_stable());
  EXPECT_NEAR(found.gain_margin, 1.0, 1e-8);
}

TEST(Border, sampled_loops_with_poles_at_minus_one_have_margins) {
  // u = −k y around 0.1/(z + 1): the pole −1 − 0.1 k is outside for k > 0.
  const Margins one = margins(system_of(numbers({0.1}), numbers({1.0, 1.0}), 0.1));
  EXPECT_EQ(one.stability, Stability::unstable);
  // |0.1/(z + 1)| = 1 where |z + 1| = 0.1.
  ASSERT_EQ(one.phase.size(), 1u);
  EXPECT_NEAR(one.phase[0].frequency * 0.1, M_PI - 2.0 * std::asin(0.05), 1e-9);
  const Complex z = std::polar(1.0, one.phase[0].frequency * 0.1);
  EXPECT_LT(std::abs(0.1 / (z + 1.0) * std::polar(1.0, -one.phase[0].margin) + 1.0), 1e-8);
  // −0.1/(z + 1) is −0.05 at z = 1: the pole is there at 20 times the gain.
  EXPECT_NEAR(margins(system_of(numbers({-0.1}), numbers({1.0, 1.0}), 0.1)).gain_margin, 20.0,
              1e-8);
  // Poles at 1 and at −1: 0.5 z/(z² − 1) is −0.5 i/(2 sin θ) on the circle.
  const Margins both = margins(system_of(numbers({0.5, 0.0}), numbers({1.0, 0.0, -1.0}), 1.0));
  ASSERT_EQ(both.phase.size(), 2u);
  EXPECT_NEAR(both.phase[0].frequency, std::asin(0.25), 1e-9);
  EXPECT_NEAR(both.phase[1].frequency, M_PI - std::asin(0.25), 1e-9);
}

TEST(Border, values_at_poles_are_infinite_where_the_pole_shows) {
  MatrixX a = Vector2(-1.0, 0.0).asDiagonal(), b = MatrixX::Identity(2, 2);
  const LinearSystem system = {a, b, b, MatrixX::Zero(2, 2)};
  const ComplexMatrix at_zero = value_at(system, 0.0);
  EXPECT_EQ(at_zero(1, 1).real(), infinity);
  EXPECT_EQ(at_zero(0, 0), Complex(1.0));
  EXPECT_EQ(at_zero(0, 1), Complex(0.0));
  EXPECT_THROW(frequency_response(system, numbers({1.0, NAN})), Error);
}

TEST(Border, an_overflow_is_told) {
  EXPECT_THROW(step_response(system_of(numbers({1.0}), numbers({1.0, -1.0})), 0, 1e6, 5), Error);
}

TEST(Border, times_show_the_fastest_swing) {
  // 1/(s + 0.1) beside a swing of 40 rad/s with little damping.
  const LinearSystem system = in_parallel(system_of(numbers({1.0}), numbers({1.0, 0.1})),
                                          system_of(numbers({1.0}), numbers({1.0, 0.2, 1600.0})));
  const double duration = duration_of_interest(system);
  const int count = count_of_interest(system, duration, 25, 100000);
  EXPECT_LT(duration / count, 2.0 * M_PI / 40.0 / 10.0);
  EXPECT_EQ(count_of_interest(system_of(numbers({1.0}), numbers({1.0, 1.0})), 4.0, 25, 1000), 25);
}

// A cart on a spring that carries an integrator: rounding of its zero says no frequency.
TEST(Border, frequencies_begin_at_poles_that_are_not_zero) {
  std::mt19937_64 random(61);
  LinearSystem system = random_system(random, 4, 1, 1);
  system.a.col(0).setZero();  // a state that nothing goes out from: a pole at 0
  const MatrixX turn = random_rotation(random, 4);
  system.a = turn.transpose() * system.a * turn;
  double least = infinity;
  for (const Complex& pole : poles(system))
    if (std::abs(pole) > 1e-9) least = std::min(least, std::abs(pole));
  EXPECT_GT(frequencies_of_interest(system, 20)[0], 1e-6 * least);
}

}  // namespace
}  // namespace vinci
