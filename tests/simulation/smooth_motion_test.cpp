// SPDX-License-Identifier: Apache-2.0
// Steps of joints without rows: of order 8 where asked for, and limits that have no row until a
// joint may come to them.
#include <cmath>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "vinci/simulation/simulation.h"

namespace vinci {
namespace {

constexpr double gravity = 9.81;

Simulation smooth(const std::string& scene, double step) {
  RunOverrides overrides;
  overrides.options["step"] = fmt::format("{:.17g}", step);
  overrides.plugin_options[{"stepper", "smooth"}] = "dormand-prince";
  return Simulation(Scene::parse(scene), overrides);
}

// A rod of one metre on a hinge, `start` rad from hanging.
std::string pendulum(double start, const std::string& more = "") {
  return fmt::format(
      "world: planar\nbodies: {{rod: {{mass: 2, inertia: {:.17g}, center: [0, -0.5]}}}}\njoints: "
      "{{hinge: {{revolute: [world, rod], position: {:.17g}{}}}}}\nrun: {{duration: 100}}\n",
      2.0 / 12.0, start, more);
}

// How far the pendulum is from its start after a period, in `steps` steps.
double closure(int steps) {
  constexpr double start = 2.0;  // rad
  // T = 4 K(sin(θ₀/2))/ω, ω² = m g l/(2 I), I = m l²/3.
  const double period = 4.0 * std::comp_ellint_1(std::sin(0.5 * start)) / std::sqrt(1.5 * gravity);
  Simulation simulation = smooth(pendulum(start), period / steps);
  for (int i = 0; i < steps; ++i) simulation.step();
  return std::abs(simulation.state().joint_rates[0]) +
         std::abs(simulation.state().joint_positions[0] - start);
}

TEST(SmoothMotion, pendulum_closes_its_period_with_order_8) {
  const double coarse = closure(16), fine = closure(32);
  EXPECT_LT(coarse, 1e-3);
  EXPECT_GT(coarse / fine, std::pow(2.0, 7.5));
}

TEST(SmoothMotion, a_motor_of_time_moves_by_its_integral) {
  // I q'' = a cos(w t) from rest: q = a (1 − cos(w t))/(I w²).
  constexpr double inertia = 0.3, a = 0.7, w = 5.0, h = 0.02;
  Simulation simulation =
      smooth(fmt::format(
                 "world: planar\ngravity: [0, 0]\nbodies: {{wheel: {{mass: 1, inertia: {}}}}}\n"
                 "joints: {{axle: {{revolute: [world, wheel], motor: {{torque: {}*cos({}*t)}}}}}}\n"
                 "run: {{duration: 100}}\n",
                 inertia, a, w),
             h);
  for (int i = 1; i <= 100; ++i) {
    simulation.step();
    // (w h)⁹ of the motion is below 1e-9 of it, with constants of the rule far below 1.
    EXPECT_NEAR(simulation.state().joint_positions[0],
                a * (1.0 - std::cos(w * h * i)) / (inertia * w * w), 1e-9);
  }
}

TEST(SmoothMotion, limits_stop_what_falls_and_the_rest_is_the_usual_step) {
  Simulation simulation = smooth(pendulum(1.5, ", limits: [0.4, 2]"), 5e-3);
  for (int i = 0; i < 400; ++i) {
    const StepReport& report = simulation.step();
    EXPECT_GE(simulation.state().joint_positions[0], 0.4 - 1e-12);
    EXPECT_LE(report.solve.residual.relative, 1e-10);
  }
  EXPECT_NEAR(simulation.state().joint_positions[0], 0.4, 1e-12);
  EXPECT_NEAR(simulation.state().joint_rates[0], 0.0, 1e-12);
}

TEST(SmoothMotion, contacts_bring_back_the_usual_step) {
  // A ball at the end of a rod falls on a floor, and lies there.
  Simulation simulation = smooth(
      "world: planar\nmaterials: {m: {friction: 0.3}}\nbodies:\n  floor: {freedom: fixed, shapes: "
      "[{half-plane: {}, material: m}]}\n  rod: {shapes: [{circle: 0.1, position: [1, 0], density: "
      "50, material: m}]}\njoints: {hinge: {revolute: [world, rod], at: [[0, 0.3], [0, 0]], "
      "position: 0.8}}\nrun: {duration: 100}\n",
      5e-3);
  for (int i = 0; i < 400; ++i) {
    const StepReport& report = simulation.step();
    EXPECT_LE(report.overlap, 1e-6 * 0.1);
    EXPECT_LE(report.solve.residual.relative, 1e-10);
  }
  EXPECT_NEAR(simulation.state().joint_positions[0], std::asin(-0.2), 1e-6);
}

TEST(SmoothMotion, is_left_to_the_usual_step_by_springs_and_free_bodies) {
  // With a spring, and beside a body that hangs on nothing, both choices are the same to the bit.
  const std::string spring = pendulum(1.0, ", stiffness: 3");
  const std::string beside =
      "world: planar\nbodies: {rod: {mass: 2, inertia: 0.2, center: [0, -0.5]}, loose: {mass: 1, "
      "inertia: 1, position: [5, 0]}}\njoints: {hinge: {revolute: [world, rod], position: 1}}\n"
      "run: {duration: 100}\n";
  for (const std::string& scene : {spring, beside}) {
    Simulation a = smooth(scene, 1e-3);
    RunOverrides overrides;
    overrides.options["step"] = "0.001";
    Simulation b(Scene::parse(scene), overrides);
    for (int i = 0; i < 200; ++i) {
      a.step();
      b.step();
    }
    EXPECT_TRUE(a.state() == b.state());
  }
}

TEST(FarLimits, are_not_overrun_by_a_joint_that_gets_there_within_one_step) {
  // From rest 0.5 m off, F h²/m = 1 m in the first step.
  const std::string scene =
      "world: planar\ngravity: [0, 0]\nbodies: {slider: {mass: 1, inertia: 1}}\njoints: {rail: "
      "{prismatic: [world, slider], limits: [-1, 0.5], motor: {force: 1e6}}}\n"
      "run: {step: 1 ms, duration: 100}\n";
  Simulation simulation(Scene::parse(scene));
  for (int i = 0; i < 5; ++i) {
    simulation.step();
    EXPECT_NEAR(simulation.state().joint_positions[0], 0.5, 1e-12);
  }
}

TEST(FarLimits, are_not_overrun_with_forces_that_fall_with_the_velocity) {
  // A drag settles by rounds, each of which finds the rows anew.
  const std::string scene =
      "world: planar\ngravity: [0, 0]\nbodies: {slider: {mass: 1, inertia: 1, force: {x: 1e6 - "
      "10*v*abs(v)}}}\njoints: {rail: {prismatic: [world, slider], limits: [-1, 0.5]}}\nrun: "
      "{step: 1 ms, duration: 100}\n";
  Simulation simulation(Scene::parse(scene));
  for (int i = 0; i < 5; ++i) {
    simulation.step();
    EXPECT_LE(simulation.state().joint_positions[0], 0.5 + 1e-9);
  }
}

TEST(FarLimits, random_pushes_never_take_joints_past_them) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  int reached = 0;
  for (int trial = 0; trial < 40; ++trial) {
    const std::string joint =
        "{{revolute: [{}, {}], at: [[{}, 0], [0, 0]], limits: [-1, 1], velocity: {:.17g}, motor: "
        "{{torque: {:.17g}*sin(9*t)}}}}";
    const std::string scene = fmt::format(
        "world: planar\nbodies: {{a: {{mass: 1, inertia: 0.1, center: [0.5, 0]}}, b: {{mass: 1, "
        "inertia: 0.1, center: [0.5, 0]}}}}\njoints:\n  first: {}\n  second: {}\nrun: {{step: 5 "
        "ms, duration: 100}}\n",
        fmt::format(fmt::runtime(joint), "world", "a", 0, 20.0 * unit(random),
                    200.0 * unit(random)),
        fmt::format(fmt::runtime(joint), "a", "b", 1, 20.0 * unit(random), 200.0 * unit(random)));
    Simulation simulation(Scene::parse(scene));
    for (int i = 0; i < 200; ++i) {
      const StepReport& report = simulation.step();
      EXPECT_LE(report.solve.residual.relative, 1e-10);
      const double farthest = simulation.state().joint_positions.lpNorm<Eigen::Infinity>();
      EXPECT_LE(farthest, 1.0 + 1e-10);
      if (farthest > 1.0 - 1e-9) ++reached;
    }
  }
  EXPECT_GT(reached, 100);
}

}  // namespace
}  // namespace vinci
