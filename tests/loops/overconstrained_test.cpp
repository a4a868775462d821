// SPDX-License-Identifier: Apache-2.0
// Mechanisms with more rows than their motion needs, joints that stay together, and what is told.
#include <gtest/gtest.h>

#include "tests/loops/random_loops.h"
#include "tests/support/joint_scenes.h"
#include "vinci/formulation/loop_analysis.h"

namespace vinci::test {
namespace {

// All steps solved to what is usual, and joints closed to rounding.
void run_closed(Simulation& simulation) {
  while (!simulation.finished()) {
    const StepReport& report = simulation.step();
    ASSERT_LE(report.solve.residual.relative, 1e-10) << simulation.state().step;
    ASSERT_LE(report.joint_opening, 1e-13) << simulation.state().step;
    ASSERT_TRUE(is_certified(report, 1e-10)) << simulation.state().step;
  }
}

class BothCoordinates : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(coordinates, BothCoordinates, testing::Values("reduced", "maximal"));

// Bennett's linkage: a/sin α = b/sin β. In its one motion tan(θ₁/2) tan(θ₂/2) is a constant.
std::string bennett(const char* coordinates, double h, double duration) {
  const double a = 1.0, alpha = 0.6, b = 1.3, beta = std::asin(b * std::sin(alpha) / a);
  const double first = 1.0;
  const double second = 2.0 * std::atan(std::sin((beta + alpha) / 2.0) /
                                        std::sin((beta - alpha) / 2.0) / std::tan(first / 2.0));
  const std::array<double, 4> angles = {first, second, -first, -second};
  std::string bodies, joints;
  for (int i = 0; i < 4; ++i) {
    const double length = i % 2 == 0 ? a : b, twist = i % 2 == 0 ? alpha : beta;
    if (i < 3)
      bodies += fmt::format("l{}: {{mass: 1, center: [{}, 0, 0], inertia: [0.01, 0.08, 0.08]}}, ",
                            i + 1, -length / 2);
    joints += fmt::format(
        "j{}: {{revolute: [{}, {}], at: [[0, 0, 0], [{:.17g}, 0, 0]], rotation: {{rpy: [{:.17g}, "
        "0, 0]}}, position: {:.17g}}}, ",
        i + 1, i == 0 ? "world" : fmt::format("l{}", i),
        i == 3 ? "world" : fmt::format("l{}", i + 1), -length, twist,
        angles[static_cast<std::size_t>(i)]);
  }
  return fmt::format(
      "world: spatial\nbodies: {{{}}}\njoints: {{{}}}\nrun: {{step: {:.17g}, duration: {}, "
      "coordinates: {}}}\n",
      bodies, joints, h, duration, coordinates);
}

TEST_P(BothCoordinates, a_bennett_linkage_keeps_its_one_motion) {
  Simulation simulation = simulate(bennett(GetParam(), 1e-3, 2.0));
  const auto product = [&] {
    return std::tan(coordinate(simulation, "j1") / 2.0) *
           std::tan(coordinate(simulation, "j2") / 2.0);
  };
  const double start = product(), first = coordinate(simulation, "j1");
  const Energy begin = energy(simulation.model(), simulation.state());
  double farthest = 0.0, flow = 0.0, kinetic = begin.kinetic, off = 0.0;
  while (!simulation.finished()) {
    const StepReport& report = simulation.step();
    ASSERT_LE(report.solve.residual.relative, 1e-10) << simulation.state().step;
    ASSERT_LE(report.joint_opening, 1e-13) << simulation.state().step;
    // Of half angles near π the product loses digits.
    const double t = std::tan(coordinate(simulation, "j2") / 2.0);
    ASSERT_NEAR(product(), start, 1e-12 * (1.0 + t * t)) << simulation.state().step;
    farthest = std::max(farthest, std::abs(coordinate(simulation, "j1") - first));
    const Energy now = energy(simulation.model(), simulation.state());
    flow = std::max(flow, std::abs(now.kinetic - kinetic));
    off = std::max(off, std::abs(now.total() - begin.total()));
    kinetic = now.kinetic;
  }
  EXPECT_GT(farthest, 0.5);
  EXPECT_LE(off, 2.0 * flow);
}

TEST(Redundant, both_formulations_of_a_bennett_linkage_meet_at_first_order) {
  std::vector<double> steps = {2e-3, 1e-3, 5e-4}, apart;
  for (const double h : steps) {
    Simulation reduced = simulate(bennett("reduced", h, 0.5)),
               maximal = simulate(bennett("maximal", h, 0.5));
    run_closed(reduced);
    run_closed(maximal);
    apart.push_back(std::abs(coordinate(reduced, "j1") - coordinate(maximal, "j1")));
  }
  EXPECT_LE(apart[1], 1e-3);
  EXPECT_LT(apart[2], 0.6 * apart[0]);
}

// The platform of the shipped delta robot only translates.
TEST_P(BothCoordinates, the_delta_robot_is_solved_in_every_step) {
  Simulation simulation(Scene::load(std::string(VINCI_SOURCE_DIR) + "/robots/delta/delta.yaml"),
                        chosen({{"coordinates", GetParam()}}));
  run_closed(simulation);
  EXPECT_LE(simulation.state()
                .poses[static_cast<std::size_t>(body(simulation, "platform"))]
                .rotation.angularDistance(Quaternion::Identity()),
            1e-10);
}

// Four equal upright rods with balls at both ends: the platform stays level, and one rod follows
// from the other three. Rods and platform swing as one pendulum would.
TEST_P(BothCoordinates, a_platform_on_four_equal_rods_swings_level) {
  std::string bodies =
                  "plate: {mass: 2, inertia: [0.1, 0.1, 0.2], position: [0, 0, -1], velocity: "
                  "[0.5, 0, 0]}, ",
              joints;
  int i = 0;
  for (const double x : {-0.3, 0.3})
    for (const double y : {-0.2, 0.2}) {
      bodies += fmt::format(
          "r{}: {{mass: 0.1, inertia: [0.01, 0.01, 0.001], position: [{}, {}, "
          "-0.5], velocity: [0.25, 0, 0], spin: [0, -0.5, 0]}}, ",
          i, x, y);
      joints += fmt::format(
          "t{0}: {{ball: [world, r{0}], at: [[{1}, {2}, 0], [0, 0, 0.5]]}}, "
          "b{0}: {{ball: [r{0}, plate], at: [[0, 0, -0.5], [{1}, {2}, 0]]}}, ",
          i, x, y);
      ++i;
    }
  Simulation simulation = simulate(
      fmt::format("world: spatial\nbodies: {{{}}}\njoints: {{{}}}\nrun: {{step: 1 ms, duration: 1, "
                  "coordinates: {}}}\n",
                  bodies, joints, GetParam()));
  run_closed(simulation);
  const Pose& plate = simulation.state().poses[0];
  EXPECT_LE(plate.rotation.angularDistance(Quaternion::Identity()), 1e-9);
  // φ'' = −(m + 4 μ/2) g sin φ / ((m + 4 (μ/4 + I/l²)) l), by small steps of its own.
  double angle = 0.0, speed = 0.5;
  for (int k = 0; k < 100000; ++k) {
    speed -= 1e-5 * (2.0 + 0.2) * 9.81 * std::sin(angle) / (2.0 + 4.0 * (0.025 + 0.01));
    angle += 1e-5 * speed;
  }
  EXPECT_NEAR(plate.position.x(), std::sin(angle), 4.0 * 0.5 * 1e-3);
}

// A door on three hinges along one line moves as on one.
TEST_P(BothCoordinates, hinges_along_one_line_are_as_one) {
  const auto door = [&](int hinges) {
    std::string joints;
    for (int i = 0; i < hinges; ++i)
      joints += fmt::format(
          "h{0}: {{revolute: [world, door], at: [[0, 0, {1}], [-0.4, 0, {1}]], "
          "axis: [0, 0, 1]}}, ",
          i, 0.3 * i);
    return simulate(fmt::format(
        "world: spatial\ngravity: [0, -9.81, 0]\nbodies: {{door: {{mass: 5, inertia: [1, 0.5, "
        "1.2], position: [0.4, 0, 0]}}}}\njoints: {{{}}}\nrun: {{step: 1 ms, duration: 0.5, "
        "coordinates: {}}}\n",
        joints, GetParam()));
  };
  Simulation one = door(1), three = door(3);
  run_closed(one);
  run_closed(three);
  EXPECT_NEAR(coordinate(three, "h0"), coordinate(one, "h0"), 1e-9);
  const LoopAnalysis analysis = analyse_loops(three.model(), three.state());
  ASSERT_EQ(analysis.loops.size(), 2u);
  for (const LoopFacts& loop : analysis.loops) {
    EXPECT_EQ(loop.rows, 5);
    EXPECT_EQ(loop.redundant, 5);
    EXPECT_EQ(loop.singular, 0);
  }
  EXPECT_EQ(analysis.freedoms, 1);
}

// A parallelogram in the plane or in space, its crank at an angle; flat at 0.
std::string parallelogram(const Words& words, double angle, double velocity) {
  const double x = 0.5 * std::cos(angle), y = 0.5 * std::sin(angle);
  const auto rod = [&](double px, double py, double turned, double length) {
    const std::string place =
        words.way.planar
            ? fmt::format(", position: [{:.17g}, {:.17g}], angle: {:.17g}", px, py, turned)
            : fmt::format(", position: [{:.17g}, {:.17g}, 0], rotation: {{rpy: [0, 0, {:.17g}]}}",
                          px, py, turned);
    return words.rod(length, length, place);
  };
  return words.scene(
      fmt::format("one: {}, bar: {}, two: {}", rod(x / 2, y / 2, angle, 0.5),
                  rod(x + 0.5, y, 0.0, 1.0), rod(1.0 + x / 2, y / 2, angle, 0.5)),
      fmt::format("a: {{revolute: [world, one], at: [{0}, {1}], velocity: {2:.17g}}}, "
                  "b: {{revolute: [one, bar], at: [{3}, {4}], velocity: {5:.17g}}}, "
                  "c: {{revolute: [bar, two], at: [{6}, {3}], velocity: {2:.17g}}}, "
                  "d: {{revolute: [world, two], at: [{7}, {1}]}}",
                  words.at(0, 0), words.at(-0.25, 0), velocity, words.at(0.25, 0),
                  words.at(-0.5, 0), -velocity, words.at(0.5, 0), words.at(1, 0)),
      1e-3, 1.0, "", true);
}

class LoopWays : public testing::TestWithParam<Way> {};
INSTANTIATE_TEST_SUITE_P(ways, LoopWays, testing::ValuesIn(all_ways()), name_of_way);

TEST_P(LoopWays, a_flat_parallelogram_is_singular_and_an_open_one_is_not) {
  const Words words{GetParam()};
  for (const double angle : {0.0, 0.7}) {
    const Simulation simulation = simulate(parallelogram(words, angle, 0.0));
    const LoopAnalysis analysis = analyse_loops(simulation.model(), simulation.state());
    ASSERT_EQ(analysis.loops.size(), 1u);
    EXPECT_EQ(analysis.loops[0].redundant, GetParam().planar ? 0 : 3);
    EXPECT_EQ(analysis.loops[0].singular, angle == 0.0 ? 1 : 0);
    EXPECT_EQ(analysis.loops[0].bodies.size(), 3u);
    EXPECT_EQ(analysis.freedoms, 1);
  }
}

// It turns through its flat places, and where it does so as a parallelogram the crank keeps its
// speed: all links only translate or turn alike.
TEST_P(LoopWays, a_parallelogram_turns_through_flat_places) {
  const Words words{GetParam()};
  Simulation simulation = simulate(parallelogram(words, 0.7, 5.0));
  EXPECT_NEAR(rate(simulation, "a"), 5.0, 1e-12);
  const double start = energy(simulation.model(), simulation.state()).kinetic;
  double turned = 0.0;
  while (!simulation.finished()) {
    const StepReport& report = simulation.step();
    ASSERT_LE(report.joint_opening, 1e-9) << simulation.state().step;
    ASSERT_LE(report.solve.residual.relative, 1e-10) << simulation.state().step;
    turned = coordinate(simulation, "a");
    ASSERT_NEAR(energy(simulation.model(), simulation.state()).kinetic, start, 1e-2 * start)
        << simulation.state().step;
  }
  EXPECT_GT(std::abs(turned), 2.0);
}

// A rod that turns about its end without weight, in maximal coordinates.
TEST(MaximalJoints, stay_together_and_keep_energy) {
  for (const double h : {1e-3, 1e-2}) {
    Simulation simulation = simulate(fmt::format(R"(
world: planar
gravity: [0, 0]
bodies: {{rod: {{mass: 1, inertia: 0.1}}}}
joints: {{a: {{revolute: [world, rod], at: [[0, 0], [-0.5, 0]], velocity: 10}}}}
run: {{step: {}, duration: 5, coordinates: maximal}}
)",
                                                 h));
    const double start = energy(simulation.model(), simulation.state()).total();
    while (!simulation.finished()) {
      const StepReport& report = simulation.step();
      ASSERT_LE(report.joint_opening, 1e-13);
      // A chord is shorter than its arc by (hω)²/24, the motion across it in the energy (hω)²/4.
      ASSERT_NEAR(energy(simulation.model(), simulation.state()).total(), start,
                  h * h * 100.0 * start);
    }
  }
}

TEST_P(BothCoordinates, a_change_of_where_a_joint_is_throws_nothing) {
  Simulation simulation = simulate(fmt::format(R"(
world: planar
parameters: {{arm: 0.5}}
bodies: {{rod: {{mass: 1, inertia: 0.1}}, tip: {{mass: 0.5, inertia: 0.02}}}}
joints:
  a: {{revolute: [world, rod], at: [[0, 0], [-arm, 0]]}}
  b: {{revolute: [rod, tip], at: [[0.5, 0], [-0.2, 0]]}}
changes: [{{at: 0.2, set: {{arm: 0.4}}}}]
run: {{step: 1 ms, duration: 0.4, coordinates: {}}}
)",
                                               GetParam()));
  double before = 0.0;
  while (!simulation.finished()) {
    const double time = simulation.state().time;
    const StepReport& report = simulation.step();
    ASSERT_LE(report.joint_opening, 1e-13);
    const double fastest = simulation.state().velocities.lpNorm<Eigen::Infinity>();
    if (time > 0.1) {
      ASSERT_LE(fastest, 1.3 * before) << time;
    }
    before = fastest;
  }
  const Vector3 hinge = simulation.state().poses[0] * Vector3(-0.4, 0.0, 0.0);
  EXPECT_LE(hinge.norm(), 1e-12);
}

TEST(JointStart, a_joint_places_and_moves_its_first_body_too) {
  const char* const joints[] = {
      "a: {revolute: [world, rod], at: [[1, 2], [-0.5, 0]], position: 0.3, velocity: 2}",
      "a: {revolute: [rod, world], at: [[-0.5, 0], [1, 2]], position: -0.3, velocity: -2}"};
  std::array<Pose, 2> poses;
  std::array<Twist, 2> twists;
  for (std::size_t i = 0; i < 2; ++i) {
    const Simulation simulation = simulate(fmt::format(
        "world: planar\nbodies: {{rod: {{mass: 1, inertia: 1}}}}\njoints: {{{}}}\nrun: {{step: 1 "
        "ms, duration: 1}}\n",
        joints[i]));
    poses[i] = simulation.state().poses[0];
    twists[i] = twist(simulation, "rod");
  }
  EXPECT_LE((poses[0].position - poses[1].position).norm(), 1e-14);
  EXPECT_LE(poses[0].rotation.angularDistance(poses[1].rotation), 1e-14);
  EXPECT_LE((twists[0].linear - twists[1].linear).norm(), 1e-14);
  EXPECT_LE(
      (poses[0].position - Vector3(1 + 0.5 * std::cos(0.3), 2 + 0.5 * std::sin(0.3), 0)).norm(),
      1e-14);
  EXPECT_NEAR(twists[1].angular.z(), 2.0, 1e-14);
}

TEST(JointMessages, name_what_cannot_be) {
  const auto message = [](const std::string& joint) {
    try {
      simulate("world: planar\nbodies: {rod: {mass: 1, inertia: 1}}\njoints: {a: " + joint +
               "}\nrun: {step: 1 ms, duration: 1}\n");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(message("{fixed: [world, rod], position: 1}").find("no freedom"), std::string::npos);
  EXPECT_NE(message("{revolute: [world, rod], motor: {torque: sqrt(-1 - t)}}").find("at t = 0"),
            std::string::npos);
  EXPECT_NE(
      message("{revolute: [world, rod], motor: {position: 1/t, stiffness: 1}}").find("at t = 0"),
      std::string::npos);
}

}  // namespace
}  // namespace vinci::test
