// SPDX-License-Identifier: Apache-2.0
// Reference cases 11 and 26: pendulums, loops, stops, servos, friction and couplings, in the plane
// and in space, in reduced and in maximal coordinates.
#include <gtest/gtest.h>

#include "tests/support/joint_scenes.h"
#include "tests/support/reference.h"

namespace vinci::test {
namespace {

class Joints : public testing::TestWithParam<Way> {};

TEST_P(Joints, double_pendulum_falls_as_the_reference) {
  const Words words{GetParam()};
  const auto expected = reference("case11_joints")["expected"]["double_pendulum"];
  std::vector<double> steps = {2e-3, 1e-3, 5e-4}, errors;
  for (const double h : steps) {
    Simulation simulation = simulate(words.scene(
        "one: " + words.rod(1, 1) + ", two: " + words.rod(1, 1),
        fmt::format("a: {{revolute: [world, one], at: [{}, {}]}}, "
                    "b: {{revolute: [one, two], at: [{}, {}]}}",
                    words.at(0, 0), words.at(-0.5, 0), words.at(0.5, 0), words.at(-0.5, 0)),
        h, 1.0));
    step_to(simulation, 1.0);
    errors.push_back(
        std::max(std::abs(coordinate(simulation, "a") - expected["theta1"][2].get<double>()),
                 std::abs(coordinate(simulation, "a") + coordinate(simulation, "b") -
                          expected["theta2"][2].get<double>())));
    EXPECT_LE(errors.back(), 4.0 * h);
  }
  EXPECT_GT(fitted_order(steps, errors), 0.9);
}

// In space three of the six rows that close the loop follow from the others.
TEST_P(Joints, four_bar_loop_moves_as_the_reference) {
  const Words words{GetParam()};
  const auto c = reference("case11_joints")["expected"]["four_bar"];
  std::vector<double> steps = {2e-3, 1e-3, 5e-4}, errors;
  for (const double h : steps) {
    Simulation simulation = simulate(four_bar(words, c, h, 1.0, ""));
    const double start = coordinate(simulation, "d");
    EXPECT_NEAR(std::remainder(start - c["chi0"].get<double>(), 2.0 * M_PI), 0.0, 1e-9);
    step_to(simulation, 1.0);
    errors.push_back(std::abs(coordinate(simulation, "a") - c["phi"][4].get<double>()));
    EXPECT_LE(errors.back(), 10.0 * h);
  }
  EXPECT_GT(fitted_order(steps, errors), 0.8);
}

TEST_P(Joints, stops_are_reached_and_never_overrun) {
  const Words words{GetParam()};
  const auto expected = reference("case26_joint_motors")["expected"];
  for (const char* name :
       {"stop_before_vertical_e0", "stop_before_vertical_e0.5", "stop_past_vertical_e0.5"}) {
    const auto& c = expected[name];
    const double l = c["l"], m = c["m"], limit = c["limit"], h = 1e-3;
    Simulation simulation = simulate(words.scene(
        "rod: " + words.rod(m, l),
        fmt::format("a: {{revolute: [world, rod], at: [{}, {}], limits: [{:.17g}, 4], restitution: "
                    "{:.17g}}}",
                    words.at(0, 0), words.at(-l / 2, 0), limit, c["restitution"].get<double>()),
        h, 2.0));
    double fastest = 0.0;
    for (std::size_t i = 0; i < c["t"].size(); ++i) {
      const double t = c["t"][i];
      while (simulation.state().time < t - 1e-9) {
        const StepReport& report = simulation.step();
        ASSERT_LE(report.solve.residual.relative, 1e-10);
        fastest = std::max(fastest, std::abs(rate(simulation, "a")));
        ASSERT_GE(coordinate(simulation, "a"), limit - 1e-9) << simulation.state().time;
      }
      EXPECT_NEAR(coordinate(simulation, "a"), c["theta"][i].get<double>(), 4.0 * fastest * h)
          << name << " at " << t;
    }
    if (c["rest_torque_of_limit"].is_null()) continue;
    while (simulation.state().time < 2.0 - 1e-9) simulation.step();
    EXPECT_NEAR(simulation.joints()[0].limit[0] / h, c["rest_torque_of_limit"].get<double>(), 1e-6)
        << name;
    EXPECT_NEAR(rate(simulation, "a"), 0.0, 1e-12) << name;
  }
}

TEST_P(Joints, servo_saturates_overshoots_and_sticks) {
  const Words words{GetParam()};
  const auto expected = reference("case26_joint_motors")["expected"];
  for (const char* name :
       {"pd_saturated_step", "pd_light_damping_reverses", "pd_rod_with_gravity"}) {
    const auto& c = expected[name];
    const auto& p = c["parameters"];
    const auto number = [&](const char* key) { return p[key].get<double>(); };
    // A rod of 1 kg whose weight has the moment that is asked for.
    const double arm = p.contains("grav") ? number("grav") / 9.81 : 0.0, h = 1e-3;
    Simulation simulation = simulate(words.scene(
        "rod: " + words.body(1.0, number("I") - arm * arm),
        fmt::format("a: {{revolute: [world, rod], at: [{}, {}], position: {}, friction: {}, "
                    "damping: {}, motor: {{position: {}, stiffness: {}, damping: {}, limit: {}}}}}",
                    words.at(0, 0), words.at(-arm, 0), number("th0"), number("c"), number("v"),
                    number("thd"), number("kp"), number("kd"), number("tm")),
        h, number("T"), "", arm == 0.0));
    double fastest = 0.0;
    for (std::size_t i = 0; i < c["t"].size(); ++i) {
      const double t = c["t"][i];
      while (simulation.state().time < t - 1e-9) {
        simulation.step();
        fastest = std::max(fastest, std::abs(rate(simulation, "a")));
        ASSERT_LE(std::abs(simulation.joints()[0].motor[0]), (1.0 + 1e-12) * number("tm") * h);
      }
      EXPECT_NEAR(coordinate(simulation, "a"), c["theta"][i].get<double>(), 4.0 * fastest * h)
          << name << " at " << t;
    }
    step_to(simulation, number("T"));
    EXPECT_NEAR(coordinate(simulation, "a"), c["final_theta"].get<double>(), 2.0 * h) << name;
    const double stuck = coordinate(simulation, "a");
    for (int i = 0; i < 1000; ++i) simulation.step();
    EXPECT_NEAR(coordinate(simulation, "a"), stuck, 1e-11) << name;
  }
}

TEST_P(Joints, coupled_finger_moves_as_the_reference) {
  const Words words{GetParam()};
  const auto c = reference("case26_joint_motors")["expected"]["coupled_finger"];
  const auto& motion = c["motion"];
  // A step that divides the sample times.
  const double l2 = c["l2"], l3 = c["l3"], ratio = c["ratio"], h = 0.2 / 6.0 / 400.0;
  Simulation simulation = simulate(words.scene(
      "two: " + words.rod(c["m2"], l2) + ", three: " + words.rod(c["m3"], l3),
      fmt::format("a: {{revolute: [world, two], at: [{}, {}], position: {:.17g}, motor: {{torque: "
                  "{:.17g}}}}}, "
                  "b: {{revolute: [two, three], at: [{}, {}], position: {:.17g}}}",
                  words.at(0, 0), words.at(-l2 / 2, 0), motion["theta2_0"].get<double>(),
                  motion["motor_torque"].get<double>(), words.at(l2 / 2, 0), words.at(-l3 / 2, 0),
                  ratio * motion["theta2_0"].get<double>() + c["offset"].get<double>()),
      h, 0.2,
      fmt::format("k: {{joints: [a, b], ratio: {:.17g}, offset: {:.17g}}}", ratio,
                  c["offset"].get<double>())));
  double fastest = 0.0;
  for (std::size_t i = 1; i < motion["t"].size(); ++i) {
    const double t = motion["t"][i];
    while (simulation.state().time < t - 1e-9) {
      simulation.step();
      fastest = std::max(fastest, std::abs(rate(simulation, "a")));
      ASSERT_NEAR(coordinate(simulation, "b"),
                  ratio * coordinate(simulation, "a") + c["offset"].get<double>(), 1e-12);
    }
    EXPECT_NEAR(coordinate(simulation, "a"), motion["theta2"][i].get<double>(), 4.0 * fastest * h);
  }
}

TEST_P(Joints, joint_friction_stops_and_sticks_without_creep) {
  const Words words{GetParam()};
  const auto c = reference("case11_joints")["expected"]["joint_friction"];
  const double h = 1e-3;
  Simulation simulation = simulate(words.scene(
      "rod: " + words.body(1.0, c["I"]),
      fmt::format("a: {{revolute: [world, rod], friction: {}, damping: {}, velocity: {}}}",
                  c["c"].get<double>(), c["v"].get<double>(), c["w0"].get<double>()),
      h, 12.0, "", true));
  double stopped = 0.0;
  while (stopped == 0.0) {
    simulation.step();
    if (std::abs(rate(simulation, "a")) < 1e-12) stopped = simulation.state().time;
    ASSERT_LT(simulation.state().time, 2.0);
  }
  EXPECT_NEAR(stopped, c["t_stop"].get<double>(), 2.0 * h);
  EXPECT_NEAR(coordinate(simulation, "a"), c["theta_stop"].get<double>(), 4.0 * 3.0 * h);
  const double stuck = coordinate(simulation, "a");
  for (int i = 0; i < 10000; ++i) simulation.step();
  EXPECT_NEAR(coordinate(simulation, "a"), stuck, 1e-10);
}

TEST_P(Joints, stiff_servo_is_stable_and_ends_where_the_balance_is) {
  const Words words{GetParam()};
  const auto expected = reference("case11_joints")["expected"];
  for (const auto& [name, gain] :
       {std::pair{"pd_Kp=50", 50.0}, {"pd_Kp=200", 200.0}, {"pd_Kp=20", 20.0}}) {
    const auto& c = expected[name];
    Simulation simulation = simulate(words.scene(
        "rod: " + words.rod(1, 1),
        fmt::format("a: {{revolute: [world, rod], at: [{}, {}], motor: {{position: {}, stiffness: "
                    "{}, damping: {}}}}}",
                    words.at(0, 0), words.at(-0.5, 0), c["theta_desired"].get<double>(), gain,
                    0.4 * gain),
        0.02, 20.0));
    step_to(simulation, 20.0);
    EXPECT_NEAR(coordinate(simulation, "a"), c["theta_steady"].get<double>(), 1e-6) << name;
  }
}

TEST_P(Joints, state_continues_bit_for_bit) {
  const Words words{GetParam()};
  const auto c = reference("case26_joint_motors")["expected"]["four_bar_friction"];
  const std::string scene = four_bar(words, c, 1e-3, 0.4, ", friction: 0.35, damping: 0.02");
  Simulation whole = simulate(scene), first = simulate(scene), second = simulate(scene);
  for (int i = 0; i < 200; ++i) first.step();
  second.set_state(first.state());
  while (!whole.finished()) whole.step();
  while (!second.finished()) second.step();
  EXPECT_EQ(hash(whole.state()), hash(second.state()));
}

TEST_P(Joints, four_bar_with_friction_moves_as_the_reference) {
  const Words words{GetParam()};
  const auto c = reference("case26_joint_motors")["expected"]["four_bar_friction"];
  const double h = 2.5e-4;
  Simulation simulation = simulate(four_bar(words, c, h, 1.0, ", friction: 0.35, damping: 0.02"));
  double fastest = 0.0;
  for (std::size_t i = 0; i < 10; ++i) {
    const double t = c["t"][i];
    while (simulation.state().time < t - 1e-9) {
      simulation.step();
      fastest = std::max(fastest, std::abs(rate(simulation, "a")));
    }
    EXPECT_NEAR(coordinate(simulation, "a"), c["phi"][i].get<double>(), 4.0 * fastest * h) << t;
  }
}

INSTANTIATE_TEST_SUITE_P(ways, Joints, testing::ValuesIn(all_ways()), name_of_way);

const char* const swinging = R"(
world: planar
bodies: {rod: {mass: 1, inertia: 1, position: [0.5, 0]}}
joints: {a: {revolute: [world, rod], at: [[0, 0], [-0.5, 0]], velocity: 2}}
run: {step: 1 ms, duration: 0.1}
)";

TEST(JointStart, a_rate_moves_a_body_that_has_a_place) {
  const Simulation simulation = simulate(swinging);
  EXPECT_NEAR(rate(simulation, "a"), 2.0, 1e-15);
  EXPECT_NEAR(twist(simulation, "rod").linear.y(), 1.0, 1e-15);
}

// Three links without weight that bounce between elastic limits: what they have stays, but for the
// first order of the step.
TEST(JointLimits, elastic_limits_of_a_chain_make_no_energy) {
  std::vector<double> steps = {1e-3, 2.5e-4}, gains;
  for (const double h : steps) {
    Simulation simulation = simulate(fmt::format(R"(
world: planar
gravity: [0, 0]
bodies: {{a: {{mass: 1, inertia: 0.1}}, b: {{mass: 1, inertia: 0.1}}, c: {{mass: 1, inertia: 0.1}}}}
joints:
  one: {{revolute: [world, a], at: [[0, 0], [-0.5, 0]], limits: [-0.5, 0.5], restitution: 1, velocity: 5}}
  two: {{revolute: [a, b], at: [[0.5, 0], [-0.5, 0]], limits: [-0.4, 0.4], restitution: 1, velocity: -3}}
  three: {{revolute: [b, c], at: [[0.5, 0], [-0.5, 0]], limits: [-0.6, 0.3], restitution: 1, velocity: 2}}
run: {{step: {}, duration: 1}}
)",
                                                 h));
    const double start = energy(simulation.model(), simulation.state()).total();
    double largest = start;
    while (!simulation.finished()) {
      simulation.step();
      largest = std::max(largest, energy(simulation.model(), simulation.state()).total());
    }
    gains.push_back(largest / start - 1.0);
  }
  EXPECT_LT(gains[0], 0.1);
  EXPECT_LT(gains[1], 0.5 * gains[0]);
}

TEST(JointSteps, a_step_that_is_too_long_for_the_spin_is_told) {
  Simulation simulation = simulate(R"(
world: planar
bodies: {a: {mass: 1, inertia: 0.1}, b: {mass: 1, inertia: 0.1}}
joints:
  one: {revolute: [world, a], at: [[0, 0], [-0.5, 0]], velocity: 10}
  two: {revolute: [a, b], at: [[0.5, 0], [-0.5, 0]], velocity: -30, position: 1}
run: {step: 50 ms, duration: 1}
)");
  EXPECT_GT(simulation.step().solve.residual.relative, 1e-10);
}

// Angle and shift of one joint, coupled: a screw. Under constant acceleration a after n steps of h
// the coordinate is a h² n (n + 1)/2.
TEST(Couplings, of_the_two_freedoms_of_a_cylindrical_joint_make_a_screw) {
  const double mass = 2.0, inertia = 0.03, pitch = 0.02, h = 1e-3;
  const double acceleration = -mass * 9.81 * pitch / (mass * pitch * pitch + inertia);
  for (const char* coordinates : {"reduced", "maximal"})
    for (const char* joint :
         {"{screw: [world, nut], pitch: 0.02}\n", "{cylindrical: [world, nut]}\n"}) {
      const bool coupled = joint[1] == 'c';
      Simulation simulation = simulate(fmt::format(
          "world: spatial\nbodies: {{nut: {{mass: {}, inertia: [0.02, 0.02, {}]}}}}\njoints:\n"
          "  thread: {}{}run: {{step: {}, duration: 1, coordinates: {}}}\n",
          mass, inertia, joint,
          coupled
              ? "couplings: {pitch: {joints: [thread, thread], freedoms: [0, 1], ratio: 0.02}}\n"
              : "",
          h, coordinates));
      step_to(simulation, 1.0);
      const double expected = acceleration * h * h * 1000.0 * 1001.0 / 2.0;
      EXPECT_NEAR(coordinate(simulation, "thread"), expected, 1e-9 * std::abs(expected))
          << coordinates << joint;
      EXPECT_NEAR(simulation.state().poses[0].position.z(), pitch * expected, 1e-9) << coordinates;
    }
}

// Residuals are relative to the numbers of the whole problem: those of what is far away must not be
// among them. A block slides down an incline beside a pendulum that it has nothing to do with.
TEST(JointLimits, and_targets_that_are_far_away_change_nothing_elsewhere) {
  const auto slid = [](const std::string& pendulum, const char* coordinates) {
    Simulation simulation = simulate(fmt::format(R"(
world: planar
materials: {{wood: {{friction: 0.3}}}}
bodies:
  incline: {{freedom: fixed, shapes: [{{half-plane: {{angle: 20 deg}}, material: wood}}]}}
  block: {{shapes: [{{box: [0.2, 0.1], material: wood}}], pose: {{on: incline, at: 0}}}}
  other: {{shapes: [{{box: [0.2, 0.02]}}], mass: 1}}
joints: {{hinge: {{revolute: [world, other], at: [[5, 9], [0, 0]]{}}}}}
run: {{step: 1 ms, duration: 1, coordinates: {}}}
)",
                                                 pendulum, coordinates));
    const Vector3 start = simulation.state().poses[1].position;
    step_to(simulation, 1.0);
    return (simulation.state().poses[1].position - start).norm();
  };
  const double angle = M_PI / 9.0;
  const double acceleration = 9.81 * (std::sin(angle) - 0.3 * std::cos(angle));
  for (const char* coordinates : {"reduced", "maximal"})
    for (const char* pendulum : {"", ", limits: [-1e9, 1e9]",
                                 ", motor: {position: 1e9, stiffness: 100, damping: 1, limit: 0.5}",
                                 ", motor: {velocity: 1e12, damping: 1, limit: 0.5}"})
      EXPECT_NEAR(slid(pendulum, coordinates), acceleration * 1e-6 * 1000.0 * 1001.0 / 2.0, 1e-8)
          << coordinates << pendulum;
}

// Closing joints in positions keeps what bears load at its limit there, and rebounds are asked for.
TEST(JointLimits, are_kept_where_rows_hold_joints_and_bounce_as_in_the_tree) {
  const auto swing = [](const char* coordinates, double h) {
    Simulation simulation = simulate(fmt::format(R"(
world: planar
bodies:
  a: {{shapes: [{{box: [0.4, 0.05]}}], mass: 1}}
  b: {{shapes: [{{box: [0.4, 0.05]}}], mass: 1}}
joints:
  j1: {{revolute: [world, a], at: [[0, 0], [-0.2, 0]], limits: [-2, 2], restitution: 0.5}}
  j2: {{revolute: [a, b], at: [[0.2, 0], [-0.2, 0]], limits: [-0.5, 0.5], restitution: 0.5}}
run: {{step: {}, duration: 1, coordinates: {}}}
)",
                                                 h, coordinates));
    double overrun = 0.0;
    while (!simulation.finished()) {
      simulation.step();
      overrun = std::max(overrun, std::abs(coordinate(simulation, "j2")) - 0.5);
    }
    EXPECT_LT(overrun, 1e-9) << coordinates << h;
    return Vector2(coordinate(simulation, "j1"), coordinate(simulation, "j2"));
  };
  const Vector2 fine = swing("reduced", 1e-4);
  const double coarse = (swing("maximal", 2e-3) - fine).norm();
  EXPECT_LT(coarse, 0.1);
  EXPECT_LT((swing("maximal", 2.5e-4) - fine).norm(), 0.5 * coarse + 1e-3);
}

// A change of an offset moves what it holds.
TEST(Couplings, a_change_of_the_offset_acts) {
  Simulation simulation = simulate(R"(
world: planar
gravity: [0, 0]
parameters: {off: 0}
bodies: {a: {mass: 1, inertia: 0.1}, b: {mass: 1, inertia: 0.1}}
joints: {one: {revolute: [world, a]}, two: {revolute: [world, b]}}
couplings: {c: {joints: [one, two], offset: off}}
changes: [{at: 0.1, set: {off: 0.5}}]
run: {step: 1 ms, duration: 0.2}
)");
  step_to(simulation, 0.2);
  EXPECT_NEAR(coordinate(simulation, "two") - coordinate(simulation, "one"), 0.5, 1e-9);
}

}  // namespace
}  // namespace vinci::test
