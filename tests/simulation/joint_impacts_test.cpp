// SPDX-License-Identifier: Apache-2.0
// Times of impact and impact laws where joints hold bodies together: reference cases 22 and 26,
// closed forms of what a mechanism hands on, energy and momentum, in the plane and in space, in
// reduced and in maximal coordinates.
#include <gtest/gtest.h>

#include "tests/simulation/joint_words.h"
#include "tests/support/reference.h"

namespace vinci::test {
namespace {

struct ImpactWay {
  const char* name;
  JointWords words;
  const char* search;
};

class JointImpacts : public testing::TestWithParam<ImpactWay> {
 protected:
  const JointWords& words() const { return GetParam().words; }
  std::string at(double x, double y) const { return words().at(x, y); }
  std::string body(double mass, double inertia, const std::string& more = "") const {
    return words().body(mass, inertia, more);
  }
  std::string ball(double radius, double x, double y) const { return words().ball(radius, x, y); }
  // A wall whose surface has this x.
  std::string wall(double x) const { return words().wall(x, 0, -1, 0); }
  Simulation scene(const std::string& bodies, const std::string& joints, double restitution,
                   double h, const std::string& more = "", double gravity = 9.81,
                   const std::string& law = "newton") const {
    return simulate(fmt::format(
        "world: {}\ngravity: {}\nmaterials: {{m: {{friction: 0, restitution: {:.17g}}}}}\n"
        "bodies: {{{}}}\njoints: {{{}}}\n{}\nrun: {{step: {:.17g}, duration: 100, coordinates: {}, "
        "impact-time: {}, impact-law: {}}}\n",
        words().planar ? "planar" : "spatial", at(0, -gravity), restitution, bodies, joints, more,
        h, words().coordinates, GetParam().search, law));
  }
};

void step_impacts_to(Simulation& simulation, double time) {
  while (simulation.state().time < time - 1e-9)
    ASSERT_LE(simulation.step().solve.residual.relative, 1e-10) << simulation.state().time;
}

// --- the double pendulum and the wall ----------------------------------------------------------

// The tip is the middle of a small ball, whose radius the wall stands back.
struct Pendulum {
  double l1 = 0.72, l2 = 0.79, m1 = 1.9, m2 = 0.8, wall = 0.35, radius = 0.02;
};

class DoublePendulum : public JointImpacts {
 protected:
  Simulation pendulum(double restitution, double h, const std::string& law = "newton") const {
    const Pendulum p;
    const auto start =
        reference("case22_event_motions")["expected"]["double_pendulum_wall"]["start"];
    const double first = start["theta"][0], second = start["theta"][1];
    return scene(fmt::format("wall: {}, one: {}, two: {}", wall(p.wall + p.radius),
                             body(p.m1, p.m1 * p.l1 * p.l1 / 12),
                             body(p.m2, p.m2 * p.l2 * p.l2 / 12,
                                  fmt::format(", shapes: [{}]", ball(p.radius, p.l2 / 2, 0)))),
                 fmt::format("a: {{revolute: [world, one], at: [{}, {}], position: {:.17g}}}, "
                             "b: {{revolute: [one, two], at: [{}, {}], position: {:.17g}}}",
                             at(0, 0), at(-p.l1 / 2, 0), first, at(p.l1 / 2, 0), at(-p.l2 / 2, 0),
                             second - first),
                 restitution, h, "", 9.81, law);
  }
};

// Up to the third sample after the second impact, at 2.4 s. Between events the flights are of
// second order, and so is all of it.
TEST_P(DoublePendulum, hits_the_wall_as_the_reference_with_second_order) {
  const auto c = reference("case22_event_motions")["expected"]["double_pendulum_wall"];
  const std::vector<double> steps = {5e-3, 2.5e-3, 1.25e-3};
  std::vector<double> errors;
  for (const double h : steps) {
    Simulation simulation = pendulum(0.6, h);
    double error = 0.0, fastest = 0.0;
    for (std::size_t i = 0; i < c["t"].size(); ++i) {
      step_impacts_to(simulation, c["t"][i]);
      const double one = joint_coordinate(simulation, 0),
                   two = one + joint_coordinate(simulation, 1);
      error = std::max({error, std::abs(one - c["theta1"][i].get<double>()),
                        std::abs(two - c["theta2"][i].get<double>())});
      fastest = std::max(fastest, std::abs(c["omega2"][i].get<double>()));
    }
    EXPECT_LE(error, 5.0 * fastest * h);  // what the reference asks of a first-order method
    errors.push_back(error);
  }
  EXPECT_GT(fitted_order(steps, errors), 1.7);
}

TEST_P(DoublePendulum, gets_the_impulses_of_the_reference) {
  const auto c =
      reference("case22_event_motions")["expected"]["double_pendulum_wall"]["impacts"][0];
  Simulation simulation = pendulum(0.6, 1e-3);
  double impulse = 0.0;
  while (impulse == 0.0 && simulation.state().time < 1.0) {
    simulation.step();
    for (const SolvedContact& contact : simulation.contacts()) impulse += contact.impulse[0];
  }
  EXPECT_NEAR(simulation.state().time, c["t"].get<double>(), 1e-3);
  // Rates change by less than 100 rad/s² before and after, within a step of second order.
  EXPECT_NEAR(impulse, c["wall_impulse"].get<double>(), 1e-4);
}

TEST_P(DoublePendulum, keeps_its_energy_where_nothing_is_lost) {
  double worst[2] = {};
  for (int k = 0; k < 2; ++k) {
    Simulation simulation = pendulum(1.0, k == 0 ? 2e-3 : 1e-3);
    const double start = total_energy_of(simulation);
    int impacts = 0;
    while (simulation.state().time < 2.4 - 1e-9) {
      impacts += simulation.step().impacts;
      worst[k] = std::max(worst[k], std::abs(total_energy_of(simulation) - start));
    }
    EXPECT_GE(impacts, 2);
  }
  EXPECT_LT(worst[1], 0.35 * worst[0]);  // second order: a quarter
}

TEST_P(DoublePendulum, meets_one_frictionless_contact_by_both_laws_alike) {
  Simulation newton = pendulum(0.6, 1e-3), poisson = pendulum(0.6, 1e-3, "poisson");
  step_impacts_to(newton, 0.7);
  step_impacts_to(poisson, 0.7);
  for (int j = 0; j < 2; ++j) EXPECT_NEAR(joint_rate(newton, j), joint_rate(poisson, j), 1e-8);
}

// --- stops ------------------------------------------------------------------------------------

TEST_P(JointImpacts, stops_have_the_motion_and_the_impulses_of_the_reference) {
  const auto expected = reference("case26_joint_motors")["expected"];
  for (const char* name :
       {"stop_before_vertical_e0", "stop_before_vertical_e0.5", "stop_past_vertical_e0.5"}) {
    const auto& c = expected[name];
    const double l = c["l"], m = c["m"], h = 1e-3;
    Simulation simulation = scene(
        "rod: " + body(m, m * l * l / 12),
        fmt::format("a: {{revolute: [world, rod], at: [{}, {}], limits: [{:.17g}, 4], restitution: "
                    "{:.17g}}}",
                    at(0, 0), at(-l / 2, 0), c["limit"].get<double>(),
                    c["restitution"].get<double>()),
        0.0, h);
    std::vector<double> impulses;  // of impacts
    std::size_t sample = 0;
    while (sample < c["t"].size()) {
      const StepReport& report = simulation.step();
      ASSERT_LE(report.solve.residual.relative, 1e-10);
      ASSERT_GE(joint_coordinate(simulation, 0), c["limit"].get<double>() - 2e-9);
      if (report.impacts > 0) impulses.push_back(simulation.joints()[0].limit[0]);
      if (simulation.state().time < c["t"][sample].get<double>() - 1e-9) continue;
      EXPECT_NEAR(joint_coordinate(simulation, 0), c["theta"][sample].get<double>(), 20 * h * h)
          << name;
      EXPECT_NEAR(joint_rate(simulation, 0), c["omega"][sample].get<double>(), 200 * h * h) << name;
      ++sample;
    }
    const auto& asked = c["limit_angular_impulse"];
    for (std::size_t i = 0; i < std::min<std::size_t>({impulses.size(), asked.size(), 3}); ++i)
      EXPECT_NEAR(impulses[i], asked[i].get<double>(), 1e-4) << name << " impact " << i;
    const bool strikes = c["impact_times"][0].get<double>() < c["t"].back().get<double>();
    EXPECT_EQ(impulses.empty(), !strikes) << name;
  }
}

// --- what mechanisms hand on --------------------------------------------------------------------

// A ball of 0.5 kg hits the tip of the second of two rods in line at rest, across them. With the
// inertia matrix of the two angles, by hand, the tip has the mobility J M⁻¹ Jᵀ.
TEST_P(JointImpacts, ball_on_the_tip_of_two_rods_leaves_as_their_inertia_says) {
  const double l = 0.6, m = 0.9, ball_mass = 0.5, v = 2.0, e = 0.7, r = 0.03;
  Simulation simulation =
      scene(fmt::format("one: {}, two: {}, ball: {}", body(m, m * l * l / 12),
                        body(m, m * l * l / 12, fmt::format(", shapes: [{}]", ball(r, l / 2, 0))),
                        body(ball_mass, 1e-3,
                             fmt::format(", shapes: [{}], position: {}, velocity: {}",
                                         ball(r, 0, 0), at(2 * l, -0.1), at(0, v)))),
            fmt::format("a: {{revolute: [world, one], at: [{}, {}]}}, "
                        "b: {{revolute: [one, two], at: [{}, {}]}}",
                        at(0, 0), at(-l / 2, 0), at(l / 2, 0), at(-l / 2, 0)),
            e, 1e-3, "", 0.0);
  while (simulation.step().impacts == 0) ASSERT_LT(simulation.state().time, 0.1);
  // Of the angles of both rods: M = m l² [4/3 1/2; 1/2 1/3], J = l [1 1].
  const double determinant = 4.0 / 3.0 / 3.0 - 0.25;
  const double mobility = (1.0 / 3.0 + 4.0 / 3.0 - 1.0) / determinant / m + 1.0 / ball_mass;
  const double impulse = (1 + e) * v / mobility;
  EXPECT_NEAR(twist(simulation, "ball").linear.y(), v - impulse / ball_mass, 1e-6);
  const double first = impulse / (m * l) * (1.0 / 3.0 - 0.5) / determinant;
  const double second = impulse / (m * l) * (4.0 / 3.0 - 0.5) / determinant;
  EXPECT_NEAR(joint_rate(simulation, 0), first, 1e-4);  // they turn on within the step
  EXPECT_NEAR(joint_rate(simulation, 0) + joint_rate(simulation, 1), second, 1e-4);
  // The joint between them hands on what moves the first rod: its spin about the pin.
  const double handed = m * l * l / 3 * first / l;
  EXPECT_NEAR(simulation.joints()[1].impulse.y(), -handed, 1e-3 * std::abs(handed));
}

// Two wheels with a gear of ratio 3 and a rotor on the second: the arm of the first has the inertia
// I + 9 (I + J).
TEST_P(JointImpacts, gears_and_rotors_take_part_in_an_impact) {
  const double inertia = 0.02, rotor = 0.004, arm = 0.3, mass = 0.4, v = 1.5, r = 0.03;
  Simulation simulation =
      scene(fmt::format("one: {}, two: {}, ball: {}",
                        body(1, inertia, fmt::format(", shapes: [{}]", ball(r, arm, 0))),
                        body(1, inertia, ", position: " + at(-1, 0)),
                        body(mass, 1e-3,
                             fmt::format(", shapes: [{}], position: {}, velocity: {}",
                                         ball(r, 0, 0), at(arm, -0.1), at(0, v)))),
            fmt::format("a: {{revolute: [world, one]}}, b: {{revolute: [world, two], at: [{}, {}], "
                        "armature: {}}}",
                        at(-1, 0), at(0, 0), rotor),
            1.0, 1e-3, "couplings: {gear: {joints: [a, b], ratio: 3}}", 0.0);
  while (simulation.step().impacts == 0) ASSERT_LT(simulation.state().time, 0.1);
  const double turned = inertia + 9 * (inertia + rotor);
  const double impulse = 2 * v / (1 / mass + arm * arm / turned);
  EXPECT_NEAR(joint_rate(simulation, 0), impulse * arm / turned, 1e-8);
  EXPECT_NEAR(joint_rate(simulation, 1), 3 * joint_rate(simulation, 0), 1e-9);
  EXPECT_NEAR(twist(simulation, "ball").linear.y(), v - impulse / mass, 1e-8);
}

// A chain of three that flies in free space is hit by a ball: nothing changes what all have
// together.
TEST_P(JointImpacts, chains_in_free_flight_keep_their_momentum) {
  const double l = 0.4, r = 0.05;
  const std::string rod = fmt::format(", shapes: [{}]", ball(r, 0, 0));
  Simulation simulation =
      scene(fmt::format("one: {}, two: {}, three: {}, ball: {}",
                        body(1, 0.02, rod + ", position: " + at(0, 0)), body(0.7, 0.01, rod),
                        body(1.3, 0.03, rod),
                        body(0.6, 0.001,
                             fmt::format(", shapes: [{}], position: {}, velocity: {}",
                                         ball(r, 0, 0), at(0.3, -0.6), at(0.3, 2)))),
            fmt::format("a: {{revolute: [one, two], at: [{0}, {1}], velocity: 1}}, "
                        "b: {{revolute: [two, three], at: [{0}, {1}], velocity: -2}}",
                        at(l / 2, 0), at(-l / 2, 0)),
            0.8, 1e-3, "", 0.0);
  const auto momentum = [&] {
    Vector3 linear = Vector3::Zero(), angular = Vector3::Zero();
    for (int b = 0; b < static_cast<int>(simulation.model().bodies.size()); ++b) {
      const Body& own = simulation.model().bodies[static_cast<std::size_t>(b)];
      const Twist moves = body_twist(simulation.model(), simulation.state().velocities, b);
      const Vector3 center = center_of_mass(simulation.model(), simulation.state().poses, b);
      linear += own.mass.mass * moves.linear;
      angular += center.cross(own.mass.mass * moves.linear);
      angular.z() += own.mass.inertia(2, 2) * moves.angular.z();
    }
    return std::pair(linear, angular);
  };
  const auto [linear, angular] = momentum();
  int impacts = 0;
  for (int i = 0; i < 600; ++i) {
    impacts += simulation.step().impacts;
    const auto [now, turning] = momentum();
    // Flights are of second order; impacts keep it.
    ASSERT_LT((now - linear).norm(), 1e-5) << i;
    ASSERT_LT((turning - angular).norm(), 1e-5) << i;
  }
  EXPECT_GE(impacts, 1);
}

// A four-bar whose crank strikes a stop: the loop hands the impact on, and both formulations agree.
TEST_P(JointImpacts, loops_hand_impacts_on_and_stay_closed) {
  const auto bar = [&](double length) { return body(length, length * length * length / 12); };
  Simulation simulation = scene(
      fmt::format("crank: {}, coupler: {}, rocker: {}", bar(0.4), bar(0.9), bar(0.7)),
      fmt::format("a: {{revolute: [world, crank], at: [{}, {}], position: 1.2, limits: [0.5, 3], "
                  "restitution: 0.5}}, b: {{revolute: [crank, coupler], at: [{}, "
                  "{}]}}, d: {{revolute: [world, rocker], at: [{}, {}]}}, c: {{revolute: [coupler, "
                  "rocker], at: [{}, {}]}}",
                  at(0, 0), at(-0.2, 0), at(0.2, 0), at(-0.45, 0), at(1, 0), at(-0.35, 0),
                  at(0.45, 0), at(0.35, 0)),
      0.0, 1e-3);
  const int coupler = test::body(simulation, "coupler"), rocker = test::body(simulation, "rocker");
  int impacts = 0;
  double before = 0.0;
  while (simulation.state().time < 0.6) {
    const double start = total_energy_of(simulation);
    const StepReport& report = simulation.step();
    ASSERT_LE(report.solve.residual.relative, 1e-10);
    if (impacts == 0 && report.impacts > 0) {
      // All moves at rates that are proportional to the crank's: each is turned round by e.
      before = start - total_energy_of(simulation);
      EXPECT_GT(before, 0.0);
    }
    impacts += report.impacts;
    const Vector3 end = simulation.state().poses[coupler] * Vector3(0.45, 0, 0),
                  other = simulation.state().poses[rocker] * Vector3(0.35, 0, 0);
    ASSERT_LT((end - other).norm(), 1e-6) << simulation.state().time;
  }
  EXPECT_GE(impacts, 1);
}

// Damping, springs and motors act in the middle of flights. (Joint friction that turns round within
// one leaves an error of first order.)
TEST_P(JointImpacts, flights_converge_with_second_order_beside_springs_and_motors) {
  const auto run = [&](double h) {
    Simulation simulation = scene(
        fmt::format("wall: {}, one: {}, two: {}", wall(0.9), body(1, 0.05),
                    body(0.5, 0.02, fmt::format(", shapes: [{}]", ball(0.05, 0.3, 0)))),
        fmt::format("a: {{revolute: [world, one], at: [{}, {}], position: -2, stiffness: 20, "
                    "damping: 0.1, motor: {{torque: 2*sin(5*t)}}}}, b: {{revolute: [one, two], at: "
                    "[{}, {}], motor: {{position: 0.5, stiffness: 5, damping: "
                    "0.1}}}}",
                    at(0, 0), at(-0.4, 0), at(0.4, 0), at(-0.3, 0)),
        0.5, h);
    step_impacts_to(simulation, 0.4);
    return Vector2(joint_coordinate(simulation, 0), joint_coordinate(simulation, 1));
  };
  const Vector2 fine = run(1.25e-4);
  const double coarse = (run(2e-3) - fine).norm(), half = (run(1e-3) - fine).norm();
  EXPECT_LT(coarse, 1e-3);
  EXPECT_LT(half, 0.35 * coarse);
}

constexpr ImpactWay every_way[] = {{"planar_reduced_bisect", {true, "reduced"}, "bisect"},
                                   {"planar_maximal_bisect", {true, "maximal"}, "bisect"},
                                   {"planar_reduced_gap_rate", {true, "reduced"}, "gap-rate"},
                                   {"spatial_reduced_bisect", {false, "reduced"}, "bisect"},
                                   {"spatial_maximal_gap_rate", {false, "maximal"}, "gap-rate"}};
INSTANTIATE_TEST_SUITE_P(ways, JointImpacts, testing::ValuesIn(every_way),
                         [](const auto& tested) { return std::string(tested.param.name); });
INSTANTIATE_TEST_SUITE_P(ways, DoublePendulum, testing::ValuesIn(every_way),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace vinci::test
