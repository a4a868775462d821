// SPDX-License-Identifier: Apache-2.0
// Changes of parameters within steps that reach networks of signals and joints, against closed
// forms.
#include <cmath>
#include <unsupported/Eigen/MatrixFunctions>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "vinci/simulation/simulation.h"

namespace vinci {
namespace {

constexpr double mass = 2.0, from = 0.503, end = 2.0, start = 0.3;

// A cart on a rail that signals push, with the parameter k = 4 until `from`, 18 from then on.
State end_of(const std::string& signals, const std::string& step, const std::string& joint = "") {
  Simulation simulation(Scene::parse(fmt::format(R"(world: planar
gravity: [0, 0]
parameters: {{k: 4}}
bodies: {{cart: {{mass: 2, inertia: 1}}}}
joints: {{rail: {{prismatic: [world, cart], position: 0.3{}}}}}
{}
changes: [{{at: 0.503 s, set: {{k: 18}}}}]
run: {{stepper: {{name: event-driven, accuracy: 1e-9}}, duration: 2 s, step: {}}}
)",
                                                 joint, signals, step)));
  while (!simulation.finished()) simulation.step();
  return simulation.state();
}

// x' = A x in two pieces.
VectorX linear_end(const MatrixX& before, const MatrixX& after, const VectorX& x) {
  return MatrixX(after * (end - from)).exp() * (MatrixX(before * from).exp() * x);
}

TEST(ChangedSignals, a_gain_acts_from_its_time_on) {
  const auto matrix = [](double k) {
    MatrixX a(2, 2);
    a << 0.0, 1.0, -k / mass, 0.0;
    return a;
  };
  const VectorX expected = linear_end(matrix(4.0), matrix(18.0), Vector2(start, 0.0));
  for (const char* const step : {"10 ms", "400 ms", "2 s"}) {
    const State state =
        end_of("signals: {force: {expression: -k*rail.position, drives: rail.force}}", step);
    EXPECT_NEAR(state.joint_positions[0], expected[0], 1e-7) << step;
    EXPECT_NEAR(state.joint_rates[0], expected[1], 1e-7) << step;
  }
}

// (s + 10)/(s + 2) = 1 + 8/(s + 2): what the block remembers goes on through the change.
TEST(ChangedSignals, the_memory_of_a_block_is_kept) {
  const auto matrix = [](double k) {
    MatrixX a(3, 3);
    a << 0.0, 1.0, 0.0, -k / mass, 0.0, -k / mass, 8.0, 0.0, -2.0;
    return a;
  };
  const VectorX expected = linear_end(matrix(4.0), matrix(18.0), Vector3(start, 0.0, 0.0));
  for (const char* const step : {"10 ms", "400 ms", "2 s"}) {
    const State state = end_of(
        "signals:\n  slow: {lag: {gain: 1, zero: -10, pole: -2}, in: rail.position}\n"
        "  force: {expression: -k*slow, drives: rail.force}",
        step);
    EXPECT_NEAR(state.joint_positions[0], expected[0], 1e-7) << step;
    EXPECT_NEAR(state.joint_rates[0], expected[1], 1e-7) << step;
  }
}

// Samples stay where they were, between two of them the force is k times what is held: it changes
// with k, not at the next sample.
TEST(ChangedSignals, samples_go_on_in_their_beat) {
  constexpr double beat = 0.07;
  double time = 0.0, x = start, v = 0.0, held = 0.0;
  for (int sample = 0; time < end;) {
    if (time == sample * beat) held = x, ++sample;
    const double k = time < from ? 4.0 : 18.0;
    const double next = std::min({end, sample * beat, time < from ? from : end}), h = next - time;
    const double a = -k * held / mass;
    x += h * v + 0.5 * h * h * a;
    v += h * a;
    time = next;
  }
  for (const char* const step : {"10 ms", "400 ms", "2 s"}) {
    const State state = end_of(
        "signals:\n  held: {hold: rail.position, sample: 70 ms}\n"
        "  force: {expression: -k*held, drives: rail.force}",
        step);
    EXPECT_NEAR(state.joint_positions[0], x, 1e-7) << step;
    EXPECT_NEAR(state.joint_rates[0], v, 1e-7) << step;
  }
}

// A spring and a damper of the joint itself, beside a network.
TEST(ChangedSignals, a_joint_changes_with_its_network) {
  const auto matrix = [](double k) {
    MatrixX a(2, 2);
    a << 0.0, 1.0, -(k + 3.0) / mass, -0.1 * k / mass;
    return a;
  };
  const VectorX expected = linear_end(matrix(4.0), matrix(18.0), Vector2(start, 0.0));
  for (const char* const step : {"10 ms", "400 ms", "2 s"}) {
    const State state =
        end_of("signals: {force: {expression: -3*rail.position, drives: rail.force}}", step,
               ", stiffness: k, damping: 0.1*k");
    EXPECT_NEAR(state.joint_positions[0], expected[0], 1e-7) << step;
    EXPECT_NEAR(state.joint_rates[0], expected[1], 1e-7) << step;
  }
}

}  // namespace
}  // namespace vinci
