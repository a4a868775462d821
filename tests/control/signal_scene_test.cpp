// SPDX-License-Identifier: Apache-2.0
// Signals of scenes in motion: against solutions by other integrators, recorded, continued, and
// what is refused.
#include <gtest/gtest.h>

#include "tests/support/reference.h"
#include "tests/support/runs.h"
#include "vinci/control/signal_controller.h"

namespace vinci::test {
namespace {

// A cart with an inverted pendulum whose angle a lead compensator keeps.
std::string cart(const std::string& run, const std::string& signals) {
  return fmt::format(R"(
world: planar
parameters: {{k: 600}}
bodies:
  cart: {{mass: 2, inertia: 1}}
  pole: {{mass: 0.5, inertia: 0.01, center: [0, 0.4], angle: 0.1}}
joints:
  rail: {{prismatic: [world, cart], axis: [1, 0]}}
  hinge: {{revolute: [cart, pole], position: 0.1}}
signals:
{}
run: {{{}}}
)",
                     signals, run);
}

const std::string lead =
    "  angle: hinge.position\n"
    "  force: {lead: {gain: -k, zero: -6, pole: -40}, in: angle, drives: rail.force}\n";

// The same by the classical Runge–Kutta method with 20 steps in one: x, v, angle, rate,
// compensator.
using Vector5 = Eigen::Matrix<double, 5, 1>;
Vector5 slopes(const Vector5& s) {
  constexpr double m = 2.0, p = 0.5, l = 0.4, i = 0.01 + p * l * l, g = 9.81, k = 600.0;
  // k (s + 6)/(s + 40) = k (1 − 34/(s + 40)).
  const double u = -k * (s[2] - 34.0 * s[4]);
  // The angle grows to the left: the pole's centre is at x − l sin, l cos.
  const double sine = std::sin(s[2]), cosine = std::cos(s[2]);
  Matrix2 mass;
  mass << m + p, -p * l * cosine, -p * l * cosine, i;
  const Vector2 force(u - p * l * sine * s[3] * s[3], p * g * l * sine);
  const Vector2 a = mass.inverse() * force;
  return (Vector5() << s[1], a[0], s[3], a[1], -40.0 * s[4] + s[2]).finished();
}

Vector5 integrated(double time) {
  Vector5 s = Vector5::Zero();
  s[2] = 0.1;
  const int steps = 20000;
  const double h = time / steps;
  for (int n = 0; n < steps; ++n) {
    const Vector5 a = slopes(s), b = slopes(s + 0.5 * h * a), c = slopes(s + 0.5 * h * b),
                  d = slopes(s + h * c);
    s += h / 6.0 * (a + 2.0 * b + 2.0 * c + d);
  }
  return s;
}

TEST(SceneSignals, a_lead_compensator_moves_the_cart_as_runge_kutta_has_it) {
  const Vector5 exact = integrated(1.0);
  std::vector<double> steps = {4e-3, 2e-3, 1e-3, 5e-4}, errors;
  for (const double h : steps) {
    Simulation simulation = simulate(cart(fmt::format("step: {}, duration: 1", h), lead));
    run_exactly(simulation);
    const State& state = simulation.state();
    errors.push_back(std::abs(state.joint_positions[1] - exact[2]) +
                     std::abs(state.joint_positions[0] - exact[0]));
  }
  EXPECT_LT(std::abs(exact[2]), 0.1);
  EXPECT_LT(errors.back(), 2e-3);
  EXPECT_NEAR(fitted_order(steps, errors), 1.0, 0.15);
}

TEST(SceneSignals, are_recorded_and_continue_bit_for_bit) {
  const std::string signals =
      lead +
      "  slow: {pid: {proportional: 1, integral: 2}, in: cart.x - 0.1, sample: 7 ms}\n"
      "  push: {expression: -slow, drives: rail.effort}\n";
  const std::string text = cart("step: 1 ms, duration: 0.2", signals);
  Simulation whole = simulate(text), first = simulate(text), second = simulate(text);
  EXPECT_EQ(control_columns(whole.controllers()),
            (std::vector<std::string>{
                "signals.force.state_0 [1]", "signals.slow.next_sample [s]",
                "signals.slow.held_0 [1]", "signals.slow.memory_0 [1]", "signals.slow.memory_1 [1]",
                "signals.angle [1]", "signals.force [1]", "signals.slow [1]", "signals.push [1]"}));
  EXPECT_NEAR(whole.state().controls[5], 0.1, 1e-15);
  EXPECT_NEAR(whole.state().controls[6], -60.0, 1e-12);
  run_exactly(whole);
  for (int i = 0; i < 83; ++i) first.step();
  second.set_state(first.state());
  while (!second.finished()) second.step();
  EXPECT_EQ(whole.state(), second.state());
  EXPECT_NE(whole.state().controls[0], 0.0);
}

// A thruster and a torque on a free body, in closed form: forces act at the centre of mass.
TEST(SceneSignals, forces_push_bodies_and_joints) {
  Simulation simulation = simulate(R"(
world: planar
gravity: [0, 0]
bodies: {puck: {mass: 2, inertia: 0.5, center: [0.3, 0]}}
signals:
  f: {expression: [4, -2], drives: [puck.force_x, puck.force_y]}
  more: {expression: 1, drives: puck.force_x}
  turn: {expression: 3*t, drives: puck.torque}
run: {step: 1 ms, duration: 1}
)");
  run_exactly(simulation);
  const Twist twist = test::twist(simulation, "puck");
  EXPECT_NEAR(twist.linear.x(), 2.5, 1e-12);
  EXPECT_NEAR(twist.linear.y(), -1.0, 1e-12);
  // Σ 3 t h over the steps' starts.
  EXPECT_NEAR(twist.angular.z(), 3.0 * 0.5 * (1.0 - 1e-3) / 0.5, 1e-12);
}

// Case 24: the held force makes the sampled loop exact but for the steps of the body: the same
// answer as the steps fall.
TEST(SceneSignals, the_digital_pd_of_case_24_converges_to_the_reference) {
  const auto run =
      reference("case24_event_linear")["expected"]["sampled"]["runs"]["position_control_kept"];
  std::vector<double> steps = {1e-3, 5e-4, 2.5e-4, 1.25e-4}, errors;
  for (const double h : steps) {
    Simulation simulation = simulate(fmt::format(R"(
world: planar
gravity: [0, 0]
bodies: {{hand: {{mass: 2, inertia: 1}}}}
signals:
  u: {{digital-pd: {{proportional: 400, derivative: 40, filter: -0.001/log(0.9), measured: hand.x, reference: 0.005*t, rate: 0.005}}, sample: 1 ms}}
  force: {{expression: 2*u, drives: hand.force_x}}
run: {{step: {}, duration: 0.25}}
)",
                                                 h));
    run_exactly(simulation);
    errors.push_back(std::abs(position(simulation, "hand").x() - double(run["x"][0])));
  }
  EXPECT_LT(errors.back(), 1e-6);
  EXPECT_NEAR(fitted_order(steps, errors), 1.0, 0.1);
}

TEST(SceneSignals, follow_a_trajectory_and_drive_a_joint) {
  Simulation simulation = simulate(R"(
world: planar
gravity: [0, 0]
bodies: {bar: {mass: 2, inertia: 0.05, center: [0.5, 0]}}
joints: {hinge: {revolute: [world, bar], motion-limits: {velocity: 3}}}
trajectories: {go: {path: [{move: 1}]}}
signals:
  r: {trajectory: go}
  torque: {expression: 0.55*(r.acceleration + 400*(r - hinge.position) + 40*(r.rate - hinge.rate)), drives: hinge.torque}
run: {step: 0.5 ms, duration: 2}
)");
  double most = 0.0;
  while (!simulation.finished()) {
    simulation.step();
    const VectorX& now = simulation.state().controls;
    most = std::max(most, std::abs(now[0] - simulation.state().joint_positions[0]));
  }
  EXPECT_LT(most, 2e-3);
  EXPECT_NEAR(simulation.state().joint_positions[0], 1.0, 1e-6);
}

TEST(SceneSignals, a_change_of_a_parameter_changes_gains_and_keeps_what_is_remembered) {
  Simulation simulation = simulate(R"(
world: planar
gravity: [0, 0]
parameters: {push: 1}
bodies: {puck: {mass: 1, inertia: 1}}
signals:
  sum: {transfer-function: {numerator: [1], denominator: [1, 0]}, in: push}
  force: {expression: push, drives: puck.force_x}
changes: [{at: 0.5, set: {push: 3}}]
run: {step: 1 ms, duration: 1}
)");
  run_exactly(simulation);
  EXPECT_NEAR(simulation.state().controls[0], 2.0, 1e-9);
  EXPECT_NEAR(twist(simulation, "puck").linear.x(), 2.0, 1e-9);
}

// --- what is refused ---

void expect_mistake(const std::string& signals, int line, const std::string& part) {
  try {
    simulate(cart("duration: 1", signals));
    ADD_FAILURE() << "nothing is wrong with " << signals;
  } catch (const SceneError& error) {
    ASSERT_EQ(error.diagnostics().size(), 1U) << error.what();
    const Diagnostic& found = error.diagnostics()[0];
    EXPECT_EQ(found.line, 10 + line) << found.text();
    EXPECT_NE(found.text().find(part), std::string::npos) << found.text();
  }
}

TEST(SceneSignals, algebraic_loops_are_named) {
  expect_mistake("  other: 1\n  e: 1 - u\n  u: {gain: 2, in: e}\n", 2,
                 "an algebraic loop: e -> u -> e; accepted: a delay in it");
  expect_mistake("  e: 1 - e\n", 1, "an algebraic loop: e -> e");
  expect_mistake("  u: {hold: 1 - u, sample: 0.1}\n", 1, "an algebraic loop: u -> u");
  expect_mistake("  u: {lead: {zero: -1, pole: -2}, in: 1 - v2}\n  v2: {gain: 2, in: u}\n", 1,
                 "an algebraic loop: u -> v2 -> u");
  // What does not follow at once closes loops.
  simulate(cart("duration: 1", "  e: 1 - u\n  u: {delay: 0.1, in: e, sample: 0.1}\n"));
  simulate(cart("duration: 1",
                "  e: 1 - u\n  u: {transfer-function: {numerator: [1], denominator: [1, 2]}, in: "
                "e}\n"));
}

TEST(SceneSignals, unknown_names_get_the_nearest_known_one) {
  expect_mistake("  a: 1\n  u: {gain: 2, in: hinge.positoin}\n", 2,
                 "signals.u.in: there is no signal, coordinate or parameter 'hinge.positoin' (did "
                 "you mean 'hinge.position'?)");
  expect_mistake("  torque: 1\n  u: torqe*2\n", 2, "(did you mean 'torque'?)");
  expect_mistake("  u: {expression: 1, drives: rail.forse}\n", 1,
                 "signals.u.drives: there is no force 'rail.forse'");
  expect_mistake("  k: 1\n", 1, "'k' is the name of a parameter already");
  expect_mistake("  u: {trajectory: nowhere}\n", 1, "there is no trajectory 'nowhere'");
  expect_mistake("  u: 2*(3\n", 1, "should close");
  expect_mistake("  u: {gian: 2, in: 1}\n", 1, "unknown key");
}

TEST(SceneSignals, lengths_have_to_fit) {
  const std::string r = "  r: [1, 2, 3]\n  pair: [1, 2]\n";
  expect_mistake(r + "  u: r + pair\n", 3, "'pair' is a list of 2 where 3 are needed");
  expect_mistake(r + "  u: {lead: {zero: -1, pole: -2}, in: r}\n", 3,
                 "'r' is a list of 3 where one number is needed; accepted: an entry of it, r_0 to "
                 "r_2");
  expect_mistake(r + "  u: r_3\n", 3, "'r' has no entry 3; accepted: 0 to 2");
  expect_mistake(r + "  u: {gain: [[1, 2], [3, 4]], in: 1}\n", 3,
                 "1 number where 2 are needed; accepted: a list of 2");
  expect_mistake(r + "  u: {expression: pair, drives: rail.force}\n", 3,
                 "1 forces for 2 numbers; accepted: one each");
  expect_mistake("  u: {state-space: {a: [[1]], b: [1, 2], c: [1]}, in: 1}\n", 1, "state-space");
}

TEST(SceneSignals, blocks_say_what_they_need) {
  expect_mistake("  u: {rate-limit: 1, in: 2}\n", 1, "'sample' is missing");
  expect_mistake("  u: {lead: {zero: -1, pole: -2}}\n", 1, "'in' is missing");
  expect_mistake("  u: {lead: {zero: -2, pole: -1}, in: 1}\n", 1,
                 "make a lag; accepted: a pole left");
  expect_mistake("  u: {delay: 0.15, in: 1, sample: 0.1}\n", 1, "1.5 samples of 0.1 s");
  expect_mistake("  u: {sum: [1, 2], sample: 1}\n", 1, "a signal of the kind sum has no 'sample'");
  expect_mistake("  u: {pid: {proportional: 1, limits: 2}, in: 1}\n", 1, "not sampled");
  expect_mistake("  u: {reference: {path: [{move: 1}]}}\n", 1, "no limit of velocity");
  expect_mistake("  u: {transfer-function: {numerator: [1, 0, 0], denominator: [1, 0]}, in: 1}\n",
                 1, "numerator of higher degree");
}

}  // namespace
}  // namespace vinci::test
