// SPDX-License-Identifier: Apache-2.0
// Springs and dampers against closed forms of the implicit step, in every motion, stepper and
// solver.
#include <complex>
#include <random>

#include "tests/support/runs.h"
#include "vinci/model/element.h"

namespace vinci::test {
namespace {

// A mass on a horizontal spring from the world's origin, without gravity.
std::string oscillator(const std::string& spring, const std::string& run, double x = 1.1,
                       double v = 0.0) {
  return fmt::format(R"(
world: planar
gravity: [0, 0]
bodies:
  mass: {{shapes: [{{circle: 0.1}}], mass: 2, position: [{}, 0], velocity: [{}, 0]}}
springs:
  line: {{between: [world, mass], {}}}
run: {}
)",
                     x, v, spring, run);
}

RunOverrides chosen(const std::string& option, const std::string& value) {
  RunOverrides overrides;
  overrides.options[option] = value;
  return overrides;
}

double x_of(const Simulation& simulation) {
  return position(simulation, "mass").x();
}

TEST(Spring, undamped_oscillation_is_that_of_the_implicit_euler_method) {
  const double k = 50.0, h = 0.01, omega = std::sqrt(k / 2.0);
  Simulation simulation =
      simulate(oscillator("stiffness: 50, length: 1", "{step: 0.01, duration: 2}"));
  std::complex<double> y = 0.1;  // x − ℓ₀ + i v/ω
  while (!simulation.finished()) {
    simulation.step();
    y /= std::complex<double>(1.0, omega * h);
    ASSERT_NEAR(x_of(simulation), 1.0 + y.real(), 1e-11);
    ASSERT_NEAR(twist(simulation, "mass").linear.x(), omega * y.imag(), 1e-10);
  }
}

TEST(Spring, converges_to_the_exact_oscillation_with_order_one) {
  double last = 0.0;
  for (const double h : {0.004, 0.002, 0.001}) {
    Simulation simulation = simulate(oscillator("stiffness: 50, damping: 2, length: 1",
                                                fmt::format("{{step: {}, duration: 1}}", h)));
    run_exactly(simulation);
    // m x'' + c x' + k x = 0 from rest.
    const double decay = 2.0 / 4.0, omega = std::sqrt(25.0 - decay * decay);
    const double exact =
        1.0 + 0.1 * std::exp(-decay) * (std::cos(omega) + decay / omega * std::sin(omega));
    const double error = std::abs(x_of(simulation) - exact);
    if (last > 0.0) {
      EXPECT_NEAR(std::log2(last / error), 1.0, 0.1);
    }
    last = error;
  }
}

TEST(Spring, damper_of_any_size_slows_and_never_turns_a_motion_round) {
  for (const double c : {1e-3, 2.0, 1e3, 1e9}) {
    Simulation simulation =
        simulate(oscillator(fmt::format("damping: {}", c), "{step: 0.1, duration: 2}", 1.0, 0.5));
    double expected = 0.5;
    while (!simulation.finished()) {
      simulation.step();
      expected /= 1.0 + 0.1 * c / 2.0;
      ASSERT_NEAR(twist(simulation, "mass").linear.x(), expected, 1e-12) << c;
    }
  }
}

TEST(Spring, energy_of_a_stiff_spring_falls_at_every_step_size) {
  for (const double h : {1e-4, 1e-2, 1.0}) {
    Simulation simulation = simulate(oscillator(
        "stiffness: 1e9, length: 1", fmt::format("{{step: {}, duration: {}}}", h, 50.0 * h)));
    const double first = 0.5 * 1e9 * 0.01;
    double before = energy(simulation.model(), simulation.state()).total();
    EXPECT_NEAR(before, first, 1e-12 * first);
    while (!simulation.finished()) {
      simulation.step();
      const double now = energy(simulation.model(), simulation.state()).total();
      ASSERT_LE(now, before + 1e-15 * first) << "h = " << h;
      before = now;
    }
  }
}

// A mass on two equal springs without a length, to the origin and to a point that goes round: it is
// in the middle, whatever the step.
TEST(Spring, quasi_static_mass_between_two_springs_stays_in_their_middle) {
  for (const double h : {0.1, 0.01, 0.001}) {
    Simulation simulation = simulate(fmt::format(R"(
world: planar
gravity: [0, 0]
bodies:
  driver: {{motion: {{x: cos(t), y: sin(t), angle: 0}}}}
  mass: {{mass: 1, inertia: 1, position: [0.5, 0], motion: {{angle: 0}}}}
springs:
  home: {{between: [world, mass], stiffness: 100, length: 0}}
  away: {{between: [driver, mass], stiffness: 100, length: 0}}
run: {{step: {}, duration: 1, motion: quasi-static}}
)",
                                                 h));
    while (!simulation.finished()) {
      const StepReport& report = simulation.step();
      ASSERT_EQ(report.free_motions, 0) << h;
      const double t = simulation.state().time;
      ASSERT_LT((position(simulation, "mass") - 0.5 * Vector3(std::cos(t), std::sin(t), 0)).norm(),
                1e-12)
          << h;
    }
  }
}

// A mass in the middle of a taut string of length 2 and tension T, drawn aside by F: F = 2 T y to
// first order, and exactly by the balance of the stretched halves.
TEST(Spring, quasi_static_string_bears_a_load_aside) {
  for (const char* motion : {"quasi-static", "first-order"}) {
    Simulation simulation = simulate(fmt::format(R"(
world: planar
gravity: [0, 0]
bodies: {{m: {{mass: 0.01, inertia: 1, force: {{y: '10*min(t, 1)'}}, motion: {{angle: 0}}}}}}
springs:
  l: {{between: [world, m], at: [[-1, 0], [0, 0]], stiffness: 100, length: 0.5}}
  r: {{between: [world, m], at: [[1, 0], [0, 0]], stiffness: 100, length: 0.5}}
run: {{step: 10 ms, duration: 1.5, motion: {}}}
)",
                                                 motion));
    run_exactly(simulation);
    const double y = position(simulation, "m").y(), length = std::hypot(1.0, y);
    EXPECT_NEAR(2.0 * 100.0 * (length - 0.5) * y / length, 10.0, 1e-6) << motion;
  }
}

// Both ends in one point: the mass hangs m g/k below it.
TEST(Spring, pin_without_length_holds_in_every_direction) {
  for (const char* motion : {"quasi-static", "first-order", "dynamic"})
    for (const double k : {1e3, 1e9}) {
      Simulation simulation = simulate(fmt::format(R"(
world: spatial
bodies: {{m: {{mass: 1, inertia: [1, 1, 1], motion: {{roll: 0, pitch: 0, yaw: 0}}}}}}
springs: {{pin: {{between: [world, m], stiffness: {}, damping: 60}}}}
run: {{step: 10 ms, duration: 5, motion: {}}}
)",
                                                   k, motion));
      run_exactly(simulation);
      EXPECT_LT((position(simulation, "m") - Vector3(0, 0, -9.81 / k)).norm(), 1e-9) << motion << k;
    }
}

TEST(Spring, without_length_takes_energy_from_an_orbit_at_every_step_size) {
  for (const double h : {1e-3, 1e-2, 5e-2, 1.0}) {
    Simulation simulation = simulate(fmt::format(R"(
world: planar
gravity: [0, 0]
bodies: {{m: {{mass: 1, inertia: 1, position: [1, 0], velocity: [0, 100]}}}}
springs: {{line: {{between: [world, m], stiffness: 1e4, length: 0}}}}
run: {{step: {}, duration: {}}}
)",
                                                 h, 200 * h));
    double before = energy(simulation.model(), simulation.state()).total();
    while (!simulation.finished()) {
      simulation.step();
      const double now = energy(simulation.model(), simulation.state()).total();
      ASSERT_LE(now, before * (1.0 + 1e-12) + 1e-20) << h;
      before = now;
    }
  }
}

// The line of a stiff tether turns within the step and is longer at its end than the step saw: by
// e = (2 h)²/2 here, so ½ k e² = 2e9 h⁴ J beside the 1 J that moves. That is 0.002 J at h = 1 ms
// and 20 J at 10 ms.
TEST(Spring, what_a_turning_line_adds_is_told_and_much_of_it_is_not_certified) {
  for (const double h : {1e-3, 1e-2, 0.1}) {
    Simulation simulation = simulate(fmt::format(R"(
world: planar
gravity: [0, 0]
bodies:
  a: {{mass: 1, inertia: 1, position: [0.5, 0], velocity: [0, 1]}}
  b: {{mass: 1, inertia: 1, position: [-0.5, 0], velocity: [0, -1]}}
springs: {{tether: {{between: [a, b], stiffness: 1e9}}}}
run: {{step: {}, duration: {}}}
)",
                                                 h, 100 * h));
    double before = energy(simulation.model(), simulation.state()).total();
    bool rose = false;
    while (!simulation.finished()) {
      const StepReport& report = simulation.step();
      const double now = energy(simulation.model(), simulation.state()).total();
      ASSERT_LE(now - before, report.element_energy + 1e-9 * (now + before)) << h;
      if (now > 1.02 * before) {
        EXPECT_TRUE(report.coarse) << h;
        rose = true;
      }
      before = now;
    }
    EXPECT_EQ(rose, h > 5e-3) << h;
  }
}

TEST(Spring, first_order_motion_relaxes_as_the_implicit_method_says) {
  Simulation simulation = simulate(
      oscillator("stiffness: 50, length: 1", "{motion: first-order, step: 0.1, duration: 2}"));
  double expected = 0.1;
  while (!simulation.finished()) {
    simulation.step();
    expected /= 1.0 + 0.1 * 50.0 / 2.0;  // m v = −k x, the mass read as damping
    ASSERT_NEAR(x_of(simulation), 1.0 + expected, 1e-12);
  }
}

// A block on a floor that a spring drags behind a point that moves at 0.1 m/s.
std::string dragged(const std::string& run) {
  return fmt::format(R"(
world: planar
materials: {{m: {{friction: 0.5}}}}
bodies:
  floor: {{freedom: fixed, shapes: [{{half-plane: {{}}, material: m}}]}}
  block: {{shapes: [{{box: [0.2, 0.1], material: m}}], mass: 1, position: [0, 0.05]}}
  hand: {{shapes: [{{circle: 0.01}}], mass: 1, position: [0.5, 0.05],
         motion: {{x: 0.5 + 0.1*t, y: 0.05, angle: 0}}}}
exclude: [[hand, block], [hand, floor]]
springs:
  rope: {{between: [block, hand], stiffness: 100, length: 0.5}}
run: {}
)",
                     run);
}

TEST(Spring, drags_a_block_quasi_statically_from_the_moment_that_friction_gives_way) {
  Simulation simulation = simulate(dragged("{motion: quasi-static, step: 10 ms, duration: 2}"));
  // It sticks while 100 · 0.1 t < 0.5 · 9.81, then follows at that distance.
  const double lag = 0.5 * 9.81 / 100.0;
  while (!simulation.finished()) {
    simulation.step();
    const double hand = 0.1 * simulation.state().time;
    ASSERT_NEAR(position(simulation, "block").x(), std::max(0.0, hand - lag), 1e-9)
        << simulation.state().time;
  }
  EXPECT_GT(position(simulation, "block").x(), 0.1);
}

TEST(Spring, quasi_static_and_dynamic_motion_agree_in_the_end) {
  Simulation simulation = simulate(dragged("{step: 1 ms, duration: 2}"));
  run_exactly(simulation);
  // Stick and slip about the same line, at most twice the lag behind.
  const double hand = 0.2, lag = 0.5 * 9.81 / 100.0;
  EXPECT_GE(position(simulation, "block").x(), hand - lag - 0.02);
  EXPECT_LE(position(simulation, "block").x(), hand + 1e-9);
}

TEST(Spring, hanging_weight_comes_to_rest_where_weight_and_spring_balance) {
  for (const char* world : {"planar", "spatial"}) {
    const bool planar = std::string(world) == "planar";
    Simulation simulation = simulate(fmt::format(R"(
world: {}
bodies:
  mass: {{shapes: [{}], mass: 2, position: [0, {}]}}
springs:
  line: {{between: [world, mass], stiffness: 200, damping: 40, length: 0.5}}
run: {{step: 10 ms, duration: 10}}
)",
                                                 world, planar ? "{circle: 0.1}" : "{sphere: 0.1}",
                                                 planar ? "-0.5" : "0, -0.5"));
    run_exactly(simulation);
    EXPECT_NEAR(position(simulation, "mass")[planar ? 1 : 2], -0.5 - 2.0 * 9.81 / 200.0, 1e-9);
    VectorX numbers;
    read_elements(simulation.model(), simulation.state(), numbers);
    ASSERT_EQ(numbers.size(), 3);
    EXPECT_NEAR(numbers[0], 0.5 + 2.0 * 9.81 / 200.0, 1e-9);
    EXPECT_NEAR(numbers[1], 0.0, 1e-9);
    EXPECT_NEAR(numbers[2], 2.0 * 9.81, 1e-7);
  }
}

TEST(Spring, two_tumbling_bodies_keep_their_linear_and_angular_momentum) {
  Simulation simulation = simulate(R"(
world: spatial
gravity: [0, 0, 0]
bodies:
  a: {shapes: [{sphere: 0.2}], mass: 1, velocity: [0.3, -0.2, 0.1], spin: [1, 2, 3]}
  b: {shapes: [{sphere: 0.15}], mass: 2, position: [1, 0.2, -0.3], spin: [-1, 0.5, 0]}
springs:
  line: {between: [a, b], at: [[0.05, 0.1, 0.1], [-0.1, 0.05, 0.02]], stiffness: 40, damping: 0.5, length: 0.4}
run: {step: 1 ms, duration: 1}
)");
  const auto momentum = [&] {
    Vector3 linear = Vector3::Zero(), angular = Vector3::Zero();
    for (int b = 0; b < 2; ++b) {
      const MassProperties& mass = simulation.model().bodies[b].mass;
      const Pose& pose = simulation.state().poses[b];
      const Twist twist = body_twist(simulation.model(), simulation.state().velocities, b);
      linear += mass.mass * twist.linear;
      const Vector3 spin =
          pose.rotation * (mass.inertia * (pose.rotation.conjugate() * twist.angular));
      angular += spin + (pose * mass.center).cross(mass.mass * twist.linear);
    }
    return std::pair(linear, angular);
  };
  const auto [linear, angular] = momentum();
  run_exactly(simulation);
  const auto [linear_end, angular_end] = momentum();
  EXPECT_LT((linear_end - linear).norm(), 1e-12);
  EXPECT_LT((angular_end - angular).norm(), 1e-12);  // balls: no velocity product
}

// A block pressed on a floor by a spring while another pulls it along: rows of every kind.
const char* const pressed = R"(
world: planar
materials: {m: {friction: 0.4, stiffness: 1e5, damping: 200}}
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}, material: m}]}
  block: {shapes: [{box: [0.2, 0.1], material: m}], mass: 1, position: [0, 0.06], velocity: [0.3, 0]}
springs:
  down: {between: [world, block], at: [[0, -0.2], [0.02, 0]], stiffness: 300, length: 0.1}
  along: {between: [block, world], at: [[0.1, 0], [1, 0.05]], stiffness: 30, damping: 1, length: 0.2}
run: {step: 1 ms, duration: 0.3}
)";

TEST(Spring, every_solver_finds_the_same_motion) {
  const auto end = [](const std::string& solver) {
    Simulation simulation = simulate(pressed, chosen("solver", solver));
    while (!simulation.finished()) simulation.step();
    return position(simulation, "block");
  };
  const Vector3 reference = end("auto");
  for (const char* solver : {"gauss-seidel", "admm", "augmented-lagrangian", "interior-point",
                             "semismooth-newton", "lemke", "quadratic-cone", "small"})
    EXPECT_LT((end(solver) - reference).norm(), 1e-6) << solver;
}

TEST(Spring, runs_in_every_stepper_cone_and_impact_time) {
  const RunOverrides runs[] = {chosen("stepper", "anitescu-potra"),
                               chosen("stepper", "song-pang-kumar"), chosen("cone", "pyramid"),
                               chosen("impact-time", "bisect"), chosen("impact-time", "gap-rate")};
  Simulation usual = simulate(pressed);
  run_exactly(usual);
  for (const RunOverrides& overrides : runs) {
    Simulation simulation = simulate(pressed, overrides);
    run_exactly(simulation);
    // Layers give way by millimetres; everything else is the same motion to first order.
    EXPECT_LT((position(simulation, "block") - position(usual, "block")).norm(), 5e-3)
        << overrides.options.begin()->second;
  }
}

// The change of a parameter that the initial position, or a point, is written with.
TEST(Spring, a_change_that_sets_an_initial_position_altered_the_length_of_a_spring) {
  const auto scene = [](const char* length, const char* changes) {
    return fmt::format(R"(
world: planar
gravity: [0, 0]
parameters: {{p: 2, k: 100}}
bodies: {{b: {{mass: 1, inertia: 1, position: [p, 0], velocity: [1, 0]}}}}
springs: {{s: {{between: [world, b], stiffness: k{}}}}}
changes: {}
run: {{step: 1 ms, duration: 0.2}}
)",
                       length, changes);
  };
  const auto end = [&](const char* length, const char* changes) {
    Simulation simulation = simulate(scene(length, changes));
    for (int i = 0; i < 150; ++i) simulation.step();
    // Goes on from a state after the change as it went there.
    Simulation rest = simulate(scene(length, changes));
    rest.set_state(simulation.state());
    run_exactly(simulation);
    run_exactly(rest);
    EXPECT_TRUE(rest.state() == simulation.state());
    return simulation.state();
  };
  const State given = end(", length: 2", "[]");
  EXPECT_TRUE(end("", "[]") == given);
  EXPECT_TRUE(end("", "[{at: 0.1, set: {p: 3}}]") == given);
  // A length that is written with the parameter follows it.
  EXPECT_FALSE(end(", length: p", "[{at: 0.1, set: {p: 3}}]") == given);
  EXPECT_FALSE(end("", "[{at: 0.1, set: {k: 200}}]") == given);
  // What the caller sets before the run is the scene's own start.
  RunOverrides overrides;
  overrides.parameters["p"] = 3.0;
  const Simulation other(Scene::parse(scene("", "[]")), overrides);
  EXPECT_EQ(other.model().elements[0]->numbers()[2].second, 3.0);
}

TEST(Spring, a_run_goes_on_from_its_state_bit_for_bit) {
  Simulation whole = simulate(pressed), part = simulate(pressed);
  while (part.state().step < 100) part.step(), whole.step();
  Simulation rest = simulate(pressed);
  rest.set_state(part.state());
  while (!whole.finished()) whole.step(), rest.step();
  EXPECT_EQ(hash(whole.state()), hash(rest.state()));
}

TEST(Spring, mistakes_in_a_scene_are_named_with_what_is_accepted) {
  const auto message = [](const std::string& springs) -> std::string {
    try {
      Scene::parse("world: planar\nbodies: {a: {shapes: [{circle: 1}]}}\nsprings: " + springs);
    } catch (const SceneError& error) {
      return error.diagnostics().front().key + ": " + error.diagnostics().front().message;
    }
    return "no mistake";
  };
  EXPECT_EQ(message("{s: {between: [a, b], stiffness: 1}}"),
            "springs.s.between[1]: there is no body 'b'; accepted: a, world");
  EXPECT_EQ(message("{s: {between: [a, a], stiffness: 1}}"),
            "springs.s.between: a body and itself; accepted: two different bodies, or a body and "
            "world");
  EXPECT_EQ(message("{s: {between: [a, world]}}"),
            "springs.s: the spring does nothing; give it a `stiffness` in N/m, a `damping` in N "
            "s/m or both");
  EXPECT_NE(message("{s: {between: [a, world], stiffness: -1}}").find("springs.s.stiffness"),
            std::string::npos);
  EXPECT_NE(message("{s: {between: [a, world], stifness: 1}}").find("did you mean 'stiffness'"),
            std::string::npos);
  EXPECT_NE(message("{s: {between: [a], stiffness: 1}}").find("[body, body]"), std::string::npos);
  EXPECT_NE(message("{s: {stiffness: 1}}").find("between"), std::string::npos);
}

}  // namespace
}  // namespace vinci::test
