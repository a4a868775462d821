// SPDX-License-Identifier: Apache-2.0
// Interconnections, sampling and responses over time against closed forms.
#include "vinci/systems/linear_system.h"

#include <gtest/gtest.h>

#include "tests/systems/random_systems.h"
#include "vinci/base/error.h"
#include "vinci/systems/modes.h"
#include "vinci/systems/time_response.h"
#include "vinci/systems/transfer_function.h"

namespace vinci {
namespace {

TEST(LinearSystem, values_of_interconnections_are_those_of_the_parts) {
  std::mt19937_64 random(7);
  const Complex point(0.3, 1.7);
  for (int trial = 0; trial < 50; ++trial) {
    const LinearSystem first = random_system(random, 4, 2, 3),
                       second = random_system(random, 3, 3, 2);
    const ComplexMatrix a = value_at(first, point), b = value_at(second, point);
    const double size = 1.0 + a.norm() * b.norm();
    EXPECT_LT((value_at(in_series(first, second), point) - b * a).norm(), 1e-11 * size);
    const LinearSystem other = random_system(random, 2, 2, 3);
    EXPECT_LT((value_at(in_parallel(first, other), point) - a - value_at(other, point)).norm(),
              1e-11 * size);
    // y = G w + s G K y.
    const ComplexMatrix loop =
        (ComplexMatrix::Identity(3, 3) - Complex(-1.0) * a * b).partialPivLu().solve(a);
    EXPECT_LT((value_at(closed_loop(first, second, -1.0), point) - loop).norm(),
              1e-9 * (1.0 + loop.norm()) * size);
  }
}

TEST(LinearSystem, a_loop_without_solution_is_told) {
  const LinearSystem one = constant_system(MatrixX::Ones(1, 1));
  EXPECT_THROW(closed_loop(one, one, 1.0), Error);
  EXPECT_NO_THROW(closed_loop(one, one, -1.0));
}

TEST(LinearSystem, sizes_that_do_not_fit_are_told) {
  LinearSystem system = constant_system(MatrixX::Ones(2, 1));
  system.b = MatrixX::Zero(1, 1);
  EXPECT_THROW(check_system(system), Error);
  system = constant_system(MatrixX::Ones(2, 1));
  system.inputs = {"a", "b"};
  EXPECT_THROW(check_system(system), Error);
  system.inputs = {"a"};
  EXPECT_NO_THROW(check_system(system));
  system.d(0, 0) = NAN;
  EXPECT_THROW(check_system(system), Error);
}

// 1/(s (s + a)) held over T, by hand.
TEST(LinearSystem, a_held_motor_is_that_of_the_tables) {
  const double a = 3.0, period = 0.1, e = std::exp(-a * period);
  const LinearSystem motor =
      system_of((VectorX(1) << 1.0).finished(), (VectorX(3) << 1.0, a, 0.0).finished());
  const LinearSystem held = sampled_with_hold(motor, period);
  const Complex z(0.4, 0.8);
  const Complex expected =
      ((a * period - 1.0 + e) * z + (1.0 - e - a * period * e)) / (a * a * (z - 1.0) * (z - e));
  EXPECT_LT(std::abs(value_at(held, z)(0, 0) - expected), 1e-13);
}

// A hydraulic cylinder in SI: states in m, m/s and Pa. Its integrator stays one.
TEST(LinearSystem, units_of_states_do_not_spoil_a_hold) {
  MatrixX a(3, 3);
  a << 0.0, 1.0, 0.0, 0.0, -2.0, 1e-5, 0.0, -1e9, -5.0;
  const LinearSystem cylinder = {a, MatrixX::Ones(3, 1), MatrixX::Ones(1, 3), MatrixX::Zero(1, 1)};
  for (const double period : {1e-3, 1e-2, 0.1}) {
    double nearest = infinity;
    for (const Complex& pole : poles(sampled_with_hold(cylinder, period)))
      nearest = std::min(nearest, std::abs(pole - 1.0));
    EXPECT_LT(nearest, 1e-12) << period;
  }
}

TEST(LinearSystem, the_bilinear_map_keeps_values_on_the_circle) {
  std::mt19937_64 random(11);
  for (int trial = 0; trial < 20; ++trial) {
    LinearSystem sampled = random_system(random, 5, 2, 2);
    sampled.a /= 1.5 * sampled.a.norm();
    sampled.sample = 0.01;
    const LinearSystem continuous = bilinear(sampled);
    const double angle = 0.3 + 0.1 * trial;
    EXPECT_LT((value_at(sampled, std::polar(1.0, angle)) -
               value_at(continuous, Complex(0.0, std::tan(0.5 * angle))))
                  .norm(),
              1e-11);
  }
}

TEST(TimeResponse, an_oscillator_answers_a_step_as_its_closed_form) {
  const double w = 3.0, d = 0.2, damped = w * std::sqrt(1.0 - d * d);
  const LinearSystem oscillator = system_of((VectorX(1) << w * w).finished(),
                                            (VectorX(3) << 1.0, 2.0 * d * w, w * w).finished());
  const TimeResponse step = step_response(oscillator, 0, 5.0, 101);
  const TimeResponse impulse = impulse_response(oscillator, 0, 5.0, 101);
  for (int i = 0; i <= 100; ++i) {
    const double t = 0.05 * i, decay = std::exp(-d * w * t);
    EXPECT_NEAR(step.times[i], t, 1e-13);
    EXPECT_NEAR(step.outputs(i, 0),
                1.0 - decay * (std::cos(damped * t) + d * w / damped * std::sin(damped * t)),
                1e-12);
    EXPECT_NEAR(impulse.outputs(i, 0), w * w / damped * decay * std::sin(damped * t), 1e-11);
  }
}

TEST(TimeResponse, a_sampled_impulse_gives_the_markov_parameters) {
  LinearSystem system = {MatrixX::Constant(1, 1, 0.5), MatrixX::Ones(1, 1), MatrixX::Ones(1, 1),
                         MatrixX::Constant(1, 1, 2.0), 0.1};
  const TimeResponse response = impulse_response(system, 0, 0.4, 2);
  ASSERT_EQ(response.outputs.rows(), 5);
  const double expected[] = {2.0, 1.0, 0.5, 0.25, 0.125};
  for (int i = 0; i < 5; ++i) EXPECT_DOUBLE_EQ(response.outputs(i, 0), expected[i]);
}

}  // namespace
}  // namespace vinci
