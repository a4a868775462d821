// SPDX-License-Identifier: Apache-2.0
// Runs by every solver that takes their problems: one motion.
#include <gtest/gtest.h>

#include "tests/support/runs.h"

namespace vinci {
namespace {

using namespace test;

const std::vector<std::string> solvers = {
    "auto",           "lemke", "gauss-seidel",   "semismooth-newton", "augmented-lagrangian",
    "interior-point", "admm",  "quadratic-cone", "principal-pivoting"};

// Velocities of every step by one solver; none where it does not take the problems.
std::vector<VectorX> motion(const std::string& scene, std::map<std::string, std::string> options,
                            int steps, int* unselected) {
  std::vector<VectorX> result;
  try {
    Simulation simulation = simulate(scene, chosen(options));
    for (int i = 0; i < steps; ++i) {
      *unselected += simulation.step().unselected;
      result.push_back(simulation.state().velocities);
    }
  } catch (const Error&) {
  }
  return result;
}

void expect_one_motion(const std::string& scene, std::map<std::string, std::string> options,
                       int steps) {
  options["solver"] = "auto";
  int unselected = 0;
  const std::vector<VectorX> expected = motion(scene, options, steps, &unselected);
  ASSERT_EQ(static_cast<int>(expected.size()), steps);
  int taken = 0;
  for (const std::string& solver : solvers) {
    options["solver"] = solver;
    const std::vector<VectorX> other = motion(scene, options, steps, &unselected);
    if (other.empty()) continue;
    ++taken;
    for (int i = 0; i < steps; ++i) ASSERT_EQ(other[i], expected[i]) << solver << ", step " << i;
  }
  EXPECT_GE(taken, 7);
  EXPECT_EQ(unselected, 0);
}

const char* const box = R"(
world: spatial
materials: {m: {friction: 0.3}}
bodies:
  floor: {freedom: fixed, shapes: [{half-space: {}, material: m}]}
  box:
    shapes: [{box: [0.2, 0.1, 0.05], material: m, density: 1000}]
    position: [0, 0, 0.025]
    velocity: [1, 0.2, 0]
    spin: [0, 0, 6]
run: {step: 1 ms, duration: 1}
)";

TEST(Agreement, a_box_that_slides_and_turns_on_four_corners) {
  expect_one_motion(box, {}, 120);
  expect_one_motion(box, {{"cone", "pyramid"}}, 120);
}

TEST(Agreement, a_part_pushed_on_three_feet_without_inertia) {
  expect_one_motion(R"(
world: spatial
materials: {m: {friction: 0.4}, p: {friction: 0.8}}
bodies:
  floor: {freedom: fixed, shapes: [{half-space: {}, material: m}]}
  part:
    shapes:
      - {sphere: {radius: 0.01}, position: [0.1, 0, -0.05], material: m}
      - {sphere: {radius: 0.01}, position: [-0.05, 0.0866, -0.05], material: m}
      - {sphere: {radius: 0.01}, position: [-0.05, -0.0866, -0.05], material: m}
      - {box: [0.2, 0.2, 0.04], material: p}
    mass: 1
    position: [0, 0, 0.06]
  pusher:
    shapes: [{sphere: 0.02, material: p}]
    position: [-0.12, 0.03, 0.06]
    motion: {x: -0.12 + 0.02*t, y: 0.03, z: 0.06, roll: 0, pitch: 0, yaw: 0}
run: {step: 5 ms, duration: 1, motion: quasi-static}
)",
                    {}, 40);
}

TEST(Agreement, a_rod_in_painleves_paradox) {
  expect_one_motion(R"(
world: planar
materials: {chalk: {friction: 2}}
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}, material: chalk}]}
  rod:
    shapes: [{capsule: {length: 1, radius: 1e-6}, material: chalk}]
    mass: 1
    inertia: 1/12
    position: [0.5*cos(60 deg), 0.5*sin(60 deg) + 1e-6]
    angle: 60 deg
    velocity: [-1, 0]
run: {step: 0.1 ms, duration: 1}
)",
                    {}, 50);
}

TEST(Agreement, boxes_that_fall_on_each_other) {
  expect_one_motion(R"(
world: planar
materials: {m: {friction: 0.5}}
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}, material: m}]}
  a: {shapes: [{box: [0.4, 0.2], material: m, density: 500}], position: [0, 0.1]}
  b: {shapes: [{box: [0.3, 0.2], material: m, density: 500}], position: [0.1, 0.32], spin: 1}
  c: {shapes: [{box: [0.2, 0.2], material: m, density: 900}], position: [0.2, 0.56], angle: 0.2}
run: {step: 2 ms, duration: 1}
)",
                    {}, 200);
}

// The same scene with its bodies, and with them the contacts, in another order.
TEST(Agreement, the_order_of_bodies_does_not_matter) {
  const auto scene = [](const std::string& first, const std::string& second) {
    return "world: spatial\nmaterials: {m: {friction: 0.4}}\nbodies:\n" + first + second +
           "  floor: {freedom: fixed, shapes: [{half-space: {}, material: m}]}\n"
           "run: {step: 1 ms, duration: 1}\n";
  };
  const std::string lower =
      "  lower: {shapes: [{box: [0.3, 0.3, 0.1], material: m, density: 700}], "
      "position: [0, 0, 0.05], velocity: [0.6, 0, 0], spin: [0, 0, 2]}\n";
  const std::string upper =
      "  upper: {shapes: [{box: [0.2, 0.1, 0.1], material: m, density: 700}], "
      "position: [0.02, 0.03, 0.15]}\n";
  Simulation one = simulate(scene(lower, upper)), other = simulate(scene(upper, lower));
  for (int i = 0; i < 300; ++i) {
    one.step();
    other.step();
    for (const std::string name : {"lower", "upper"}) {
      const Twist a = twist(one, name), b = twist(other, name);
      ASSERT_LE((a.linear - b.linear).norm() + (a.angular - b.angular).norm(), 1e-9) << i;
    }
  }
}

}  // namespace
}  // namespace vinci
