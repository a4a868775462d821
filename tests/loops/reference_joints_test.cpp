// SPDX-License-Identifier: Apache-2.0
// Reference cases 11, 18 and 26, further rows: limits and their impulses, the slider-crank, a servo
// on its way, friction that holds, fingers at rest, and the Puma in free fall.
#include <gtest/gtest.h>

#include "tests/support/joint_scenes.h"
#include "tests/support/reference.h"

namespace vinci::test {
namespace {

class JointCases : public testing::TestWithParam<Way> {};
INSTANTIATE_TEST_SUITE_P(ways, JointCases, testing::ValuesIn(all_ways()), name_of_way);

// A rod of a pendulum that hits its limit. An impact takes the step that reaches the limit and
// those that follow; what the limit bears besides is the moment of the weight.
struct Landing {
  double time = 0.0;     // end of the first step in which the limit bears
  double impulse = 0.0;  // N m s, of the impact
};
struct Pendulum {
  double length, mass;
  double weight_moment(double angle) const { return mass * 9.81 * length / 2.0 * std::cos(angle); }
};

std::vector<Landing> landings(Simulation& simulation, const Pendulum& rod, double until) {
  std::vector<Landing> all;
  const double h = simulation.step_size();
  bool bears = false;
  while (simulation.state().time < until - 1e-9) {
    const double before = rate(simulation, "a");
    simulation.step();
    const double impulse = simulation.joints()[0].limit[0];
    if (impulse > 0.0 && !bears && before < -1e-3) {
      all.push_back({simulation.state().time, 0.0});
      bears = true;
    }
    if (impulse == 0.0) bears = false;
    if (bears && rate(simulation, "a") <= 1e-12)
      all.back().impulse += impulse;
    else if (bears) {  // it leaves
      all.back().impulse += impulse;
      bears = false;
    }
    // Once it rests the limit bears the weight alone.
    if (bears && std::abs(rate(simulation, "a")) < 1e-12 &&
        std::abs(impulse - h * rod.weight_moment(coordinate(simulation, "a"))) < 1e-9)
      bears = false, all.back().impulse -= impulse;
  }
  return all;
}

std::string limited_rod(const Words& words, const Pendulum& rod, double limit, double restitution,
                        double h, double duration) {
  return words.scene("rod: " + words.rod(rod.mass, rod.length),
                     fmt::format("a: {{revolute: [world, rod], at: [{}, {}], limits: [{:.17g}, 4], "
                                 "restitution: {:.17g}}}",
                                 words.at(0, 0), words.at(-rod.length / 2, 0), limit, restitution),
                     h, duration);
}

TEST_P(JointCases, limits_are_hit_when_and_as_hard_as_in_the_reference) {
  const Words words{GetParam()};
  const auto expected = reference("case11_joints")["expected"];
  const double h = 1e-3;
  const Pendulum rod{1.0, 1.0};
  const auto& c = expected["joint_limit_before_vertical"];
  Simulation simulation = simulate(limited_rod(words, rod, -M_PI / 3.0, 0.0, h, 1.0));
  const std::vector<Landing> hits = landings(simulation, rod, 1.0);
  ASSERT_EQ(hits.size(), 1u);
  EXPECT_NEAR(hits[0].time, c["t_hit"].get<double>(), 2.0 * h);
  const double impulse = c["limit_impulse"];
  // The weight drives the rod on until the impact is over.
  EXPECT_NEAR(hits[0].impulse, impulse, 1e-3 * impulse + rod.weight_moment(-M_PI / 3.0) * h);
  EXPECT_NEAR(coordinate(simulation, "a"), -M_PI / 3.0, 1e-9);
  EXPECT_NEAR(simulation.joints()[0].limit[0] / h, c["static_limit_torque"].get<double>(), 1e-6);
}

TEST_P(JointCases, a_rod_that_a_limit_stops_past_the_vertical_swings_back) {
  const Words words{GetParam()};
  const auto c = reference("case11_joints")["expected"]["joint_limit_past_vertical"];
  const double h = 1e-3, limit = c["limit_deg"].get<double>() * M_PI / 180.0;
  const Pendulum rod{1.0, 1.0};
  Simulation simulation = simulate(limited_rod(words, rod, limit, 0.0, h, 2.4));
  const double hit = c["t_hit"], quarter = c["quarter_period"];
  double stopped = 0.0, vertical = 0.0, back = 0.0;
  while (simulation.state().time < 2.4 - 1e-9) {
    const double before = coordinate(simulation, "a");
    simulation.step();
    const double now = coordinate(simulation, "a"), time = simulation.state().time;
    ASSERT_GE(now, limit - 1e-9);
    if (stopped == 0.0 && simulation.joints()[0].limit[0] > 0.0) stopped = time;
    if (stopped > 0.0 && before < -M_PI / 2.0 && now >= -M_PI / 2.0 && vertical == 0.0)
      vertical = time;
    if (vertical > 0.0 && back == 0.0 && rate(simulation, "a") < 0.0) back = time;
  }
  EXPECT_NEAR(stopped, hit, 2.0 * h);
  EXPECT_NEAR(vertical, hit + quarter, 4.0 * h);
  EXPECT_NEAR(back, hit + 2.0 * quarter, 4.0 * h);
}

TEST_P(JointCases, stops_bear_the_impulses_of_the_reference) {
  const Words words{GetParam()};
  const auto expected = reference("case26_joint_motors")["expected"];
  for (const char* name :
       {"stop_before_vertical_e0", "stop_before_vertical_e0.5", "stop_past_vertical_e0.5"}) {
    const auto& c = expected[name];
    const Pendulum rod{c["l"], c["m"]};
    const double h = 1e-3;
    Simulation simulation = simulate(limited_rod(words, rod, c["limit"], c["restitution"], h, 2.0));
    const std::vector<Landing> hits = landings(simulation, rod, 2.0);
    const std::size_t count = std::min<std::size_t>(c["impact_times"].size(), 2);
    ASSERT_GE(hits.size(), count) << name;
    for (std::size_t i = 0; i < count; ++i) {
      const double impulse = c["limit_angular_impulse"][i];
      EXPECT_NEAR(hits[i].time, c["impact_times"][i].get<double>(), 2.0 * h) << name << " " << i;
      EXPECT_NEAR(hits[i].impulse, impulse,
                  1e-3 * impulse + std::abs(rod.weight_moment(c["limit"])) * h)
          << name << " " << i;
    }
  }
}

TEST_P(JointCases, a_servo_goes_its_way_as_the_reference) {
  const Words words{GetParam()};
  const auto c = reference("case11_joints")["expected"]["pd_transient_Kp50_Kd10"];
  std::vector<double> steps = {2e-3, 1e-3, 5e-4}, errors;
  for (const double h : steps) {
    Simulation simulation = simulate(words.scene(
        "rod: " + words.rod(1, 1),
        fmt::format("a: {{revolute: [world, rod], at: [{}, {}], position: {}, motor: {{position: "
                    "0, stiffness: 50, damping: 10}}}}",
                    words.at(0, 0), words.at(-0.5, 0), c["theta0"].get<double>()),
        h, 1.0));
    double fastest = 0.0, worst = 0.0;
    for (std::size_t i = 0; i < c["t"].size(); ++i) {
      while (simulation.state().time < c["t"][i].get<double>() - 1e-9) {
        simulation.step();
        fastest = std::max(fastest, std::abs(rate(simulation, "a")));
      }
      worst = std::max(worst, std::abs(coordinate(simulation, "a") - c["theta"][i].get<double>()));
    }
    EXPECT_LE(worst, 4.0 * fastest * h);
    errors.push_back(worst);
  }
  EXPECT_GT(fitted_order(steps, errors), 0.9);
}

TEST_P(JointCases, friction_holds_a_rod_within_its_band_alone) {
  const Words words{GetParam()};
  const auto expected = reference("case11_joints")["expected"];
  const double band =
      expected["joint_friction_stick_band"]["half_width_about_vertical_deg"].get<double>();
  for (const double share : {0.999, 1.001}) {
    Simulation simulation = simulate(words.scene(
        "rod: " + words.rod(1, 1),
        fmt::format("a: {{revolute: [world, rod], at: [{}, {}], position: {:.17g}, friction: 0.4}}",
                    words.at(0, 0), words.at(-0.5, 0), -M_PI / 2.0 + share * band * M_PI / 180.0),
        1e-3, 1.0));
    const double start = coordinate(simulation, "a");
    for (int i = 0; i < 100; ++i) simulation.step();
    const double moved = std::abs(coordinate(simulation, "a") - start);
    if (share < 1.0)
      EXPECT_LE(moved, 1e-12);
    else
      EXPECT_GT(moved, 1e-6);
  }
}

// The crank at φ, the slider at r cos φ + √(L² − r² sin² φ).
double slider_at(double r, double l, double phi) {
  return r * std::cos(phi) + std::sqrt(l * l - r * r * std::sin(phi) * std::sin(phi));
}

TEST_P(JointCases, a_slider_crank_presses_on_a_wall_as_hard_as_in_the_reference) {
  const Words words{GetParam()};
  const auto expected = reference("case11_joints")["expected"];
  const double r = 0.1, l = 0.3;
  for (const auto& row : expected["slider_crank_wall_force"]) {
    const double phi = row["phi_deg"].get<double>() * M_PI / 180.0, x = slider_at(r, l, phi);
    Simulation simulation = simulate(words.scene(
        fmt::format("crank: {}, rod: {}, slider: {}", words.rod(0.2, r), words.rod(0.3, l),
                    words.body(0.5, 1e-3)),
        fmt::format("a: {{revolute: [world, crank], at: [{0}, {1}], position: {2:.17g}, motor: "
                    "{{torque: {3:.17g}}}}}, b: {{revolute: [crank, rod], at: [{4}, {5}]}}, "
                    "c: {{prismatic: [world, slider], axis: {7}, position: {8:.17g}, limits: [0, "
                    "{8:.17g}]}}, d: {{revolute: [rod, slider], at: [{6}, {0}]}}",
                    words.at(0, 0), words.at(-r / 2, 0), phi, -row["torque"].get<double>(),
                    words.at(r / 2, 0), words.at(-l / 2, 0), words.at(l / 2, 0), words.at(1, 0), x),
        1e-3, 0.01, "", true));
    step_to(simulation, 0.01);
    const double force = -simulation.joints()[2].limit[0] / 1e-3;
    EXPECT_NEAR(force, row["wall_force"].get<double>(), 1e-9 * force) << phi;
  }
}

// The driven slider hits a block that lies before it, pushes it and lets it slide on.
TEST(SliderCrank, pushes_a_block_as_the_reference) {
  const auto c = reference("case11_joints")["expected"]["slider_crank_block"];
  for (const char* coordinates : {"reduced", "maximal"}) {
    std::vector<double> steps = {1e-3, 5e-4, 2.5e-4}, errors;
    for (const double h : steps) {
      const double r = c["r"], l = c["L"], x = c["slider_x0"];
      Simulation simulation = simulate(fmt::format(
          R"(
world: planar
materials: {{rough: {{friction: {}}}, smooth: {{}}}}
bodies:
  floor: {{freedom: fixed, shapes: [{{half-plane: {{}}, material: rough}}]}}
  crank: {{mass: 1, inertia: 1, motion: {{x: 0, y: 0.05, angle: pi/2 - 10*t}}}}
  rod: {{mass: 0.1, inertia: 0.001}}
  slider: {{mass: 0.5, inertia: 0.001, shapes: [{{box: [0.04, 0.04], material: smooth}}]}}
  block: {{mass: 1, shapes: [{{box: [0.1, 0.1], material: rough}}], position: [{:.17g}, 0.05], motion: {{angle: 0}}}}
joints:
  b: {{revolute: [crank, rod], at: [[{:.17g}, 0], [{:.17g}, 0]]}}
  c: {{prismatic: [world, slider], at: [[0, 0.05], [0, 0]], position: {:.17g}}}
  d: {{revolute: [rod, slider], at: [[{:.17g}, 0], [0, 0]]}}
run: {{step: {:.17g}, duration: 0.6, coordinates: {}}}
)",
          c["mu_floor"].get<double>(), x + 0.02 + 0.05, r, -l / 2, x, l / 2, h, coordinates));
      const double start = position(simulation, "block").x();
      double parted = 0.0, fastest = 0.0, stopped = 0.0;
      while (!simulation.finished()) {
        const StepReport& report = simulation.step();
        ASSERT_LE(report.solve.residual.relative, 1e-10);
        const double t = simulation.state().time, v = twist(simulation, "block").linear.x();
        fastest = std::max(fastest, v);
        const double gap =
            position(simulation, "block").x() - 0.05 - (position(simulation, "slider").x() + 0.02);
        ASSERT_GE(gap, -1e-6);
        if (parted == 0.0 && gap > 1e-7) parted = t;
        if (stopped == 0.0 && v < 1e-9) stopped = t;
      }
      EXPECT_NEAR(fastest, c["v_separation"].get<double>(), 10.0 * h);
      EXPECT_NEAR(parted, c["t_separation"].get<double>(), 4.0 * h);
      EXPECT_NEAR(stopped, c["t_stop"].get<double>(), 4.0 * h);
      errors.push_back(std::abs(position(simulation, "block").x() - start -
                                c["block_displacement_final"].get<double>()));
      EXPECT_LE(errors.back(), 4.0 * fastest * h) << coordinates;
    }
    EXPECT_GT(fitted_order(steps, errors), 0.8) << coordinates;
  }
}

// The motor's torque and the force on the finger balance through the coupling.
TEST_P(JointCases, coupled_fingers_rest_under_the_torques_of_the_reference) {
  const Words words{GetParam()};
  const auto c = reference("case26_joint_motors")["expected"]["coupled_finger"];
  const double l2 = c["l2"], l3 = c["l3"], ratio = c["ratio"], offset = c["offset"];
  for (const auto& row : c["static"]) {
    const double first = row["theta2"], torque = row["motor_torque"];
    const bool outer = row["contact_link"] == 3;
    const double turned = outer ? first + row["theta3_relative"].get<double>() : first;
    const double length = outer ? l3 : l2;
    // Of the force about the centre of mass.
    const double arm = row["distance_from_its_joint"].get<double>() - length / 2;
    const double x = row["force_on_finger"][0], y = row["force_on_finger"][1];
    const std::string force = fmt::format(", force: {{x: {:.17g}, y: {:.17g}, {}: {:.17g}}}", x, y,
                                          GetParam().planar ? "torque" : "torque-z",
                                          arm * (std::cos(turned) * y - std::sin(turned) * x));
    const double h = 1e-4;
    Simulation simulation = simulate(words.scene(
        "two: " + words.rod(c["m2"], l2, outer ? "" : force) +
            ", three: " + words.rod(c["m3"], l3, outer ? force : ""),
        fmt::format(
            "a: {{revolute: [world, two], at: [{}, {}], position: {:.17g}, motor: {{torque: "
            "{:.17g}}}}}, b: {{revolute: [two, three], at: [{}, {}], position: {:.17g}}}",
            words.at(0, 0), words.at(-l2 / 2, 0), first, torque, words.at(l2 / 2, 0),
            words.at(-l3 / 2, 0), ratio * first + offset),
        h, h, fmt::format("k: {{joints: [a, b], ratio: {:.17g}, offset: {:.17g}}}", ratio, offset),
        true));
    simulation.step();
    // The moment that is missing, by the inertia of both links about the first joint at least.
    const double inertia = c["m2"].get<double>() * l2 * l2 / 3.0;
    EXPECT_LE(std::abs(rate(simulation, "a")) / h * inertia, 1e-9 * std::abs(torque)) << first;
  }
}

TEST_P(JointCases, friction_of_a_four_bar_holds_from_the_least_torque_of_the_reference_on) {
  const Words words{GetParam()};
  const auto c = reference("case26_joint_motors")["expected"]["four_bar_friction"];
  const double least = c["smallest_c_that_holds_at_phi0"];
  for (const double share : {0.999, 1.001}) {
    Simulation simulation =
        simulate(four_bar(words, c, 1e-3, 0.1, fmt::format(", friction: {:.17g}", share * least)));
    const double start = coordinate(simulation, "a");
    while (!simulation.finished()) simulation.step();
    const double moved = std::abs(coordinate(simulation, "a") - start);
    if (share > 1.0)
      EXPECT_LE(moved, 1e-11);
    else
      EXPECT_GT(moved, 1e-6);
  }
}

// Reference case 18: the arm with consistent inertias falls from qn, with and without rotors.
TEST(PumaScene, falls_as_the_reference) {
  const auto c = reference("case18_trees");
  const auto& given = c["parameters"]["puma"];
  for (const char* coordinates : {"reduced", "maximal"})
    for (const bool rotors : {false, true}) {
      const auto& expected = c["expected"]["puma_consistent_inertia"]
                              [rotors ? "free_fall_from_qn_with_rotors" : "free_fall_from_qn"];
      std::vector<double> steps = {1e-3, 5e-4}, errors;
      for (const double h : steps) {
        std::string bodies, joints, before = "world";
        for (std::size_t i = 0; i < 6; ++i) {
          const auto& dh = given["dh"][i];
          const double alpha = dh["alpha"], a = dh["a"], d = dh["d"];
          // The first link turns about its y axis alone.
          std::array<double, 3> moments = given["inertia_diagonal"][i];
          if (i == 0) moments = {0.35, 0.35, 0.35};
          if (i == 2) moments[1] = 0.078;
          const auto& center = given["com"][i];
          bodies += fmt::format(
              "l{}: {{mass: {:.17g}, center: [{:.17g}, {:.17g}, {:.17g}], inertia: [{:.17g}, "
              "{:.17g}, {:.17g}]}}, ",
              i, i == 0 ? 10.0 : given["mass"][i].get<double>(), center[0].get<double>(),
              center[1].get<double>(), center[2].get<double>(), moments[0], moments[1], moments[2]);
          // Where the joint is, in the frame after T = Tz(d) Tx(a) Rx(α).
          joints += fmt::format(
              "j{}: {{revolute: [{}, l{}], at: [[0, 0, 0], [{:.17g}, {:.17g}, {:.17g}]], rotation: "
              "{{rpy: [{:.17g}, 0, 0]}}, position: {:.17g}{}}}, ",
              i, before, i, -a, -d * std::sin(alpha), -d * std::cos(alpha), alpha,
              expected["q"][0][i].get<double>(),
              rotors ? fmt::format(", armature: {:.17g}",
                                   given["reflected_rotor_inertia"][i].get<double>())
                     : "");
          before = fmt::format("l{}", i);
        }
        Simulation simulation = simulate(fmt::format(
            "world: spatial\nbodies: {{{}}}\njoints: {{{}}}\nrun: {{step: {:.17g}, duration: 1, "
            "coordinates: {}}}\n",
            bodies, joints, h, coordinates));
        const auto place = [&](std::size_t k) {
          const auto& origin = expected["last_link_origin"][k];
          return (position(simulation, "l5") - Vector3(origin[0], origin[1], origin[2])).norm();
        };
        EXPECT_LE(place(0), 1e-9);
        run_exactly(simulation);
        errors.push_back(place(10));
        EXPECT_LE(errors.back(), 5.0 * c["tolerance"]["puma consistent calibration"]
                                        [h == 1e-3 ? "h=0.001" : "h=0.0005"]["position"]
                                            .get<double>())
            << coordinates << rotors;
      }
      EXPECT_GT(fitted_order(steps, errors), 0.8) << coordinates << rotors;
    }
}

}  // namespace
}  // namespace vinci::test
