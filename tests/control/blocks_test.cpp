// SPDX-License-Identifier: Apache-2.0
// Blocks of signals: answers against closed forms, memories that continue, and what is refused.
#include "vinci/control/blocks.h"

#include <algorithm>
#include <functional>

#include <Eigen/Eigenvalues>
#include <gtest/gtest.h>

#include "vinci/base/error.h"

namespace vinci::test {
namespace {

VectorX list(std::initializer_list<double> numbers) {
  return Eigen::Map<const VectorX>(numbers.begin(), static_cast<Eigen::Index>(numbers.size()));
}

VectorX memory_of(const SignalBlock& block) {
  VectorX memory = VectorX::Constant(block.memory_size(), 7.0);
  block.begin(memory);
  return memory;
}

VectorX output_of(const SignalBlock& block, const VectorX& memory, const VectorX& input) {
  VectorX output(block.outputs());
  block.output(memory, input, output);
  return output;
}

// Output at a sample, then the memory goes on to the next one.
VectorX tick(const SignalBlock& block, VectorX& memory, const VectorX& input) {
  const VectorX output = output_of(block, memory, input);
  block.sample(input, memory);
  return output;
}

void expect_error(const std::function<void()>& make, const std::string& part) {
  try {
    make();
    ADD_FAILURE() << "nothing was thrown that says '" << part << "'";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

LinearSystem double_integrator() {
  return {(MatrixX(2, 2) << 0.0, 1.0, 0.0, 0.0).finished(), Vector2(0.0, 1.0),
          Vector2(1.0, 0.0).transpose(), MatrixX::Zero(1, 1)};
}

TEST(SignalBlocks, gain_multiplies) {
  const LinearBlock block = gain_block((MatrixX(2, 3) << 1.0, 2.0, 3.0, -4.0, 5.0, 6.0).finished());
  EXPECT_EQ(block.inputs(), 3);
  EXPECT_EQ(block.outputs(), 2);
  EXPECT_EQ(block.memory_size(), 0);
  EXPECT_EQ(output_of(block, VectorX(), list({1.0, 10.0, 100.0})), list({321.0, 646.0}));
}

TEST(SignalBlocks, transfer_function_has_the_closed_step_response) {
  // 2 ω²/(s² + 2 ζ ω s + ω²), all coefficients three times as large.
  const double omega = 3.0, zeta = 0.4, damped = omega * std::sqrt(1.0 - zeta * zeta);
  const LinearBlock block = transfer_block(list({6.0 * omega * omega}),
                                           list({3.0, 6.0 * zeta * omega, 3.0 * omega * omega}));
  ASSERT_EQ(block.memory_size(), 2);
  VectorX memory = memory_of(block);
  const VectorX one = list({1.0});
  double t = 0.0;
  for (const double h : {0.1, 0.0, 0.37, 2.0, 0.01}) {
    block.advance(h, one, memory);
    t += h;
    const double expected =
        2.0 - 2.0 * std::exp(-zeta * omega * t) *
                  (std::cos(damped * t) + zeta * omega / damped * std::sin(damped * t));
    EXPECT_NEAR(output_of(block, memory, one)[0], expected, 1e-13);
  }
  // Controllable form: u enters one state, the others are integrals of it.
  EXPECT_EQ(block.system().b, Vector2(1.0, 0.0));
  EXPECT_EQ(block.system().a.row(1), Vector2(1.0, 0.0).transpose());
}

TEST(SignalBlocks, lead_and_lag_have_the_closed_step_response) {
  // k (z/p + (1 − z/p) exp(p t)): k at once, k z/p at last.
  for (const auto& [zero, pole] : {std::pair(-1.0, -10.0), std::pair(-5.0, -0.5)}) {
    const double k = 2.5;
    const LinearBlock block = lead_block(k, zero, pole);
    VectorX memory = memory_of(block);
    const VectorX one = list({1.0});
    EXPECT_EQ(output_of(block, memory, one)[0], k);
    for (int i = 1; i <= 5; ++i) {
      block.advance(0.07, one, memory);
      const double expected = k * (zero / pole + (1.0 - zero / pole) * std::exp(pole * 0.07 * i));
      EXPECT_NEAR(output_of(block, memory, one)[0], expected, 1e-13);
    }
  }
}

TEST(SignalBlocks, state_space_flows_by_its_derivative) {
  const LinearBlock block({(MatrixX(2, 2) << -1.0, 2.0, -3.0, -0.5).finished(),
                           MatrixX::Identity(2, 2), (MatrixX(1, 2) << 1.0, -1.0).finished(),
                           (MatrixX(1, 2) << 0.5, 0.0).finished()});
  const VectorX start = list({0.3, -0.2}), input = list({1.0, 2.0});
  EXPECT_NEAR(output_of(block, start, input)[0], 1.0, 1e-15);
  VectorX change(2);
  block.derivative(start, input, change);
  EXPECT_NEAR(change[0], -0.3 - 0.4 + 1.0, 1e-15);
  EXPECT_NEAR(change[1], -0.9 + 0.1 + 2.0, 1e-15);
  // Central difference of the exact flow.
  const double h = 1e-5;
  VectorX once = start, twice = start;
  block.advance(h, input, once);
  block.advance(2.0 * h, input, twice);
  VectorX middle(2);
  block.derivative(once, input, middle);
  EXPECT_LT(((twice - start) / (2.0 * h) - middle).norm(), 1e-8);
  // Samples do not move a continuous block.
  VectorX same = start;
  block.sample(input, same);
  EXPECT_EQ(same, start);
}

TEST(SignalBlocks, held_block_is_the_closed_form_at_the_samples) {
  // 1/s² behind a hold: x1 + T x2 + T²/2 u, x2 + T u.
  const double T = 0.3;
  const LinearBlock twice = held_block(LinearBlock(double_integrator()), T);
  EXPECT_LT((twice.system().a - (MatrixX(2, 2) << 1.0, T, 0.0, 1.0).finished()).norm(), 1e-15);
  EXPECT_LT((twice.system().b - Vector2(0.5 * T * T, T)).norm(), 1e-15);
  EXPECT_EQ(twice.sample_time(), T);
  // 1/(s + a): x(k+1) = exp(−a T) x(k) + (1 − exp(−a T))/a u(k); inputs that change, too.
  const double a = 4.0;
  const LinearBlock lag = transfer_block(list({1.0}), list({1.0, a}));
  const LinearBlock held = held_block(lag, T);
  VectorX sampled = memory_of(held), flowing = memory_of(lag);
  double expected = 0.0;
  for (const double u : {1.0, -2.0, 0.5, 0.0}) {
    EXPECT_NEAR(tick(held, sampled, list({u}))[0], expected, 1e-15);
    lag.advance(T, list({u}), flowing);
    expected = std::exp(-a * T) * expected - std::expm1(-a * T) / a * u;
    EXPECT_EQ(sampled, flowing);
  }
  EXPECT_NEAR(sampled[0], expected, 1e-15);
  // Between samples nothing moves.
  const VectorX before = sampled;
  held.advance(0.1, list({1.0}), sampled);
  EXPECT_EQ(sampled, before);
}

TEST(SignalBlocks, hold_asks_a_slow_block_at_its_samples_only) {
  const auto slow = std::make_shared<DelayBlock>(1, 1, 0.3);
  const HoldBlock block(slow, 3);
  EXPECT_DOUBLE_EQ(block.sample_time(), 0.1);
  VectorX memory = memory_of(block);
  // Sees 1, 4, 7; gives each one slow sample later.
  const double expected[] = {0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 4.0, 4.0, 4.0};
  for (int k = 0; k < 9; ++k) EXPECT_EQ(tick(block, memory, list({k + 1.0}))[0], expected[k]) << k;
}

TEST(SignalBlocks, saturation_cuts_off) {
  const SaturationBlock block(list({-1.0, -infinity, 0.0}), list({2.0, 5.0, infinity}));
  EXPECT_EQ(output_of(block, VectorX(), list({3.0, -1e9, -1.0})), list({2.0, -1e9, 0.0}));
  EXPECT_EQ(output_of(block, VectorX(), list({-3.0, 6.0, 1e9})), list({-1.0, 5.0, 1e9}));
  EXPECT_EQ(output_of(block, VectorX(), list({0.1, 0.2, 0.3})), list({0.1, 0.2, 0.3}));
}

TEST(SignalBlocks, rate_limit_follows_as_fast_as_it_may) {
  const RateLimitBlock block(list({2.0}), list({4.0}), 0.25);
  VectorX memory = memory_of(block);
  const double inputs[] = {1.2, 1.2, 1.2, 1.2, -1.0, -1.0, -1.0, -0.9};
  const double expected[] = {0.5, 1.0, 1.2, 1.2, 0.2, -0.8, -1.0, -0.9};
  for (int k = 0; k < 8; ++k)
    EXPECT_NEAR(tick(block, memory, list({inputs[k]}))[0], expected[k], 1e-15) << k;
}

TEST(SignalBlocks, delay_is_exact) {
  const DelayBlock block(2, 3, 0.1);
  EXPECT_EQ(block.memory_size(), 6);
  VectorX memory = memory_of(block);
  const auto signal = [](int k) { return list({std::sin(k + 1.0), std::exp(0.1 * k)}); };
  for (int k = 0; k < 10; ++k) {
    const VectorX expected = k < 3 ? list({0.0, 0.0}) : signal(k - 3);
    EXPECT_EQ(tick(block, memory, signal(k)), expected) << k;
  }
  const DelayBlock none(1, 0, 0.1);
  VectorX empty = memory_of(none);
  EXPECT_EQ(tick(none, empty, list({0.7}))[0], 0.7);
}

TEST(SignalBlocks, pid_has_the_closed_step_response) {
  const double T = 0.01, tau = 0.05;
  const PidBlock block({.proportional = 2.0, .integral = 3.0, .derivative = 0.4, .filter = tau}, T);
  VectorX memory = memory_of(block);
  for (int k = 0; k < 30; ++k) {
    const double first = 0.4 * -std::expm1(-T / tau) / T;
    const double expected = 2.0 + 3.0 * k * T + first * std::exp(-k * T / tau);
    EXPECT_NEAR(tick(block, memory, list({1.0}))[0], expected, 1e-13) << k;
  }
}

TEST(SignalBlocks, pid_recovers_from_its_limits) {
  // An integrator that is driven to 1: within limits far too small for the first error.
  const double T = 0.01;
  const auto run = [&](bool clamped) {
    PidNumbers numbers{.proportional = 4.0, .integral = 4.0};
    if (clamped) numbers.lower = -0.2, numbers.upper = 0.2;
    const PidBlock block(numbers, T);
    VectorX memory = memory_of(block);
    double y = 0.0, most = 0.0;
    for (int k = 0; k < 3000; ++k) {
      const double u = tick(block, memory, list({1.0 - y}))[0];
      if (clamped) {
        EXPECT_LE(std::abs(u), 0.2);
      }
      y += T * std::clamp(u, -0.2, 0.2);
      most = std::max(most, y);
    }
    return std::pair(y, most);
  };
  const auto [end, most] = run(true);
  EXPECT_NEAR(end, 1.0, 1e-9);
  EXPECT_LT(most, 1.06);
  // The same cut-off behind a PID that does not know of it winds up.
  EXPECT_GT(run(false).second, 1.5);
  // At a limit the integral stays with its very bits; an error of the other sign moves it.
  const PidBlock block({.integral = 1.0, .lower = -1.0, .upper = 1.0}, 0.5);
  VectorX memory = list({1.25, 0.0});
  EXPECT_EQ(tick(block, memory, list({3.0}))[0], 1.0);
  EXPECT_EQ(memory[0], 1.25);
  tick(block, memory, list({-1.0}));
  EXPECT_EQ(memory[0], 0.75);
}

// Plant and observer block as one loop: x' = A x + B u, u = c x̂ + N r, x̂' = a x̂ + L y.
MatrixX loop_matrix(const LinearSystem& plant, const LinearBlock& block) {
  const LinearSystem from_y = channel(block.system(), {1}, {0});
  return closed_loop(plant, from_y, 1.0).a;
}

TEST(SignalBlocks, observer_loop_has_the_poles_of_feedback_and_observer) {
  // K puts −1, −2; L puts −5, −6; of the double integrator.
  const LinearSystem plant = double_integrator();
  const LinearBlock block = observer_block(plant, Vector2(2.0, 3.0).transpose(),
                                           Vector2(11.0, 30.0), MatrixX::Constant(1, 1, 2.0));
  EXPECT_EQ(block.inputs(), 2);
  EXPECT_EQ(block.outputs(), 1);
  const Eigen::EigenSolver<MatrixX> solver(loop_matrix(plant, block));
  VectorX real = solver.eigenvalues().real();
  std::sort(real.begin(), real.end());
  EXPECT_LT((real - list({-6.0, -5.0, -2.0, -1.0})).norm(), 1e-10);
  EXPECT_LT(solver.eigenvalues().imag().norm(), 1e-10);
  EXPECT_EQ(output_of(block, list({0.5, -1.0}), list({4.0, 9.0}))[0], -1.0 + 3.0 + 8.0);
  VectorX change(2);
  block.derivative(list({0.5, -1.0}), list({4.0, 9.0}), change);
  // A x̂ + B u + L (y − x̂1), u = 10.
  EXPECT_NEAR(change[0], -1.0 + 11.0 * 8.5, 1e-12);
  EXPECT_NEAR(change[1], 10.0 + 30.0 * 8.5, 1e-12);
}

TEST(SignalBlocks, observer_counts_what_comes_through_at_once) {
  // Separation holds with D, too.
  LinearSystem plant = double_integrator();
  plant.d(0, 0) = 0.7;
  const LinearBlock block = observer_block(plant, Vector2(2.0, 3.0).transpose(),
                                           Vector2(11.0, 30.0), MatrixX::Constant(1, 1, 1.0));
  const Eigen::EigenSolver<MatrixX> solver(loop_matrix(plant, block));
  VectorX real = solver.eigenvalues().real();
  std::sort(real.begin(), real.end());
  EXPECT_LT((real - list({-6.0, -5.0, -2.0, -1.0})).norm(), 1e-10);
}

TEST(SignalBlocks, digital_pd_equals_a_hand_computation) {
  // τ = T/ln 2: in a sample the filter comes half way.
  const double T = 0.1, tau = T / std::log(2.0);
  const DigitalPdBlock block(2, tau, T);
  ASSERT_EQ(block.inputs(), 14);
  VectorX memory(2);
  //                             r         r'        r''         f          y          kp       kd
  const VectorX first =
      list({2.0, 1.0, 0.5, 0.0, 0.25, -1.0, 10.0, 20.0, 1.0, 0.0, 3.0, 4.0, 2.0, 5.0});
  block.begin_at(first, memory);
  // 3 (2 − 1) + 2 (0.5 − 0) + 0.25 + 10 and 4 (1 − 0) + 5 (0 − 0) − 1 + 20.
  const VectorX u = tick(block, memory, first);
  EXPECT_NEAR(u[0], 14.25, 1e-13);
  EXPECT_NEAR(u[1], 23.0, 1e-13);
  // y goes to 1.4 and −0.2 and stays; y' is half of 0.4/T and −0.2/T, then half of it. Gains
  // change.
  VectorX second = first;
  second.segment(8, 6) = list({1.4, -0.2, 5.0, 1.0, 7.0, 2.0});
  for (const double part : {1.0, 0.5, 0.25}) {
    const VectorX next = tick(block, memory, second);
    EXPECT_NEAR(next[0], 5.0 * 0.6 + 7.0 * (0.5 - part * 0.2 / T) + 0.25 + 10.0, 1e-12);
    EXPECT_NEAR(next[1], 1.0 * 1.2 + 2.0 * (0.0 + part * 0.1 / T) - 1.0 + 20.0, 1e-12);
  }
}

TEST(SignalBlocks, digital_pd_differentiates_a_ramp) {
  // Of y = v t it is v (1 − exp(−t/τ)), at the samples.
  const double T = 0.01, tau = 0.02, v = 0.8;
  const DigitalPdBlock block(1, tau, T);
  VectorX memory = memory_of(block), u;
  for (int k = 0; k < 200; ++k) {
    u = tick(block, memory, list({0.0, 0.0, 0.0, 0.0, v * T * k, 0.0, -1.0}));
    EXPECT_NEAR(u[0], v * -std::expm1(-k * T / tau), 1e-12) << k;
  }
}

TEST(SignalBlocks, memory_continues_bit_for_bit) {
  const PidBlock block({.proportional = 1.1, .integral = 0.3, .derivative = 0.2, .filter = 0.03},
                       0.007);
  const PidBlock other = block;
  VectorX memory = memory_of(block), copy;
  const auto error = [](int k) { return VectorX(list({std::sin(0.3 * k)})); };
  for (int k = 0; k < 50; ++k) {
    if (k == 20) copy = memory;
    const double u = tick(block, memory, error(k))[0];
    if (k >= 20) {
      EXPECT_EQ(tick(other, copy, error(k))[0], u);
    }
  }
  EXPECT_EQ(copy, memory);
}

TEST(SignalBlocks, what_makes_no_sense_is_refused) {
  const double nan = std::nan("");
  const MatrixX one = MatrixX::Identity(1, 1);
  const auto lag = [] { return transfer_block(list({1.0}), list({1.0, 1.0})); };
  expect_error([&] { gain_block(MatrixX::Constant(1, 1, nan)); }, "finite");
  expect_error(
      [] {
        transfer_block(list({1.0, 0.0, 0.0}), list({1.0, 1.0}));
      },
      "accepted: finite coefficients");
  expect_error([] { transfer_block(list({1.0}), list({0.0, 0.0})); }, "zero");
  expect_error([&] { transfer_block(list({nan}), list({1.0, 1.0})); }, "finite");
  expect_error([] { transfer_block(list({1.0}), list({1.0, 1.0}), -0.1); }, "sample time of -0.1");
  expect_error([&] { LinearBlock({MatrixX::Zero(2, 2), one, one, one}); }, "B has 1 rows");
  expect_error([&] { LinearBlock({one, one, one, one, -1.0}); }, "sample time of -1 s");
  expect_error([&] { lead_block(1.0, infinity, -1.0); }, "the zero is inf; accepted: finite");
  expect_error([&] { held_block(lag(), 0.0); }, "above 0");
  expect_error([&] { held_block(held_block(lag(), 0.1), 0.1); }, "accepted: a continuous one");
  const LinearSystem plant = double_integrator();
  expect_error([&] { observer_block(plant, one, Vector2(1.0, 1.0), one); },
               "K has 1 rows and 1 columns; accepted: 1 and 2");
  expect_error([&] { observer_block(plant, Vector2(1.0, 1.0).transpose(), one, one); }, "L has");
  expect_error(
      [&] {
        observer_block(plant, Vector2(1.0, 1.0).transpose(), Vector2(1.0, 1.0),
                       MatrixX::Zero(2, 1));
      },
      "N has 2 rows");
  expect_error([] { SaturationBlock(list({1.0}), list({0.0})); }, "limits 1 and 0");
  expect_error([&] { SaturationBlock(list({nan}), list({0.0})); }, "limits");
  expect_error([] { SaturationBlock(list({1.0}), list({2.0, 3.0})); }, "1 and 2 limits");
  expect_error([] { RateLimitBlock(list({0.0}), list({1.0}), 0.1); }, "a rate of 0");
  expect_error([] { RateLimitBlock(list({1.0}), list({1.0}), -0.1); }, "sample time of -0.1 s");
  expect_error([] { DelayBlock(1, -1, 0.1); }, "-1 samples; accepted: 0 or more");
  expect_error([] { DelayBlock(0, 1, 0.1); }, "0 channels");
  expect_error([] { DelayBlock(1, 1, infinity); }, "sample time of inf s");
  expect_error([&] { PidBlock({.proportional = nan}, 0.1); }, "the proportional gain is nan");
  expect_error([] { PidBlock({.derivative = 1.0}, 0.1); }, "a time constant of 0 s");
  expect_error([] { PidBlock({.lower = 1.0, .upper = -1.0}, 0.1); }, "limits 1 and -1");
  expect_error([] { PidBlock({}, 0.0); }, "sample time of 0 s");
  expect_error([] { DigitalPdBlock(1, -1.0, 0.1); }, "a time constant of -1 s");
  expect_error([] { DigitalPdBlock(0, 1.0, 0.1); }, "0 channels");
  expect_error([] { HoldBlock(nullptr, 2); }, "accepted: a sampled block");
  expect_error([&] { HoldBlock(std::make_shared<LinearBlock>(lag()), 2); }, "sampled block");
  expect_error([] { HoldBlock(std::make_shared<DelayBlock>(1, 1, 0.1), 0); }, "0 steps");
}

}  // namespace
}  // namespace vinci::test
