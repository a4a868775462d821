// SPDX-License-Identifier: Apache-2.0
// Superquadrics that roll in space without slip, with contacts taken at the start and the end of
// the step: the closed motion of an ellipsoid in a plane, and the energy of one that wobbles.
#include <gtest/gtest.h>

#include "tests/support/reference.h"
#include "tests/support/runs.h"

namespace vinci::test {
namespace {

// An ellipsoid of 40 by 20 cm, by its angle f to the floor and its rate w.
struct RollingEllipsoid {
  static constexpr double along = 0.2, thick = 0.1, g = 9.81;
  static constexpr double inertia = (along * along + thick * thick) / 5;  // per mass

  static double height(double f) {
    return std::sqrt(std::pow(along * std::sin(f), 2) + std::pow(thick * std::cos(f), 2));
  }
  static double slope(double f) {
    return (along * along - thick * thick) * std::sin(2 * f) / (2 * height(f));
  }
  static double curve(double f) {
    return ((along * along - thick * thick) * std::cos(2 * f) - std::pow(slope(f), 2)) / height(f);
  }
  // By the energy ½ (I + h² + h'²) w² + g h of what turns about its contact.
  static double acceleration(double f, double w) {
    return -(slope(f) * (height(f) + curve(f)) * w * w + g * slope(f)) /
           (inertia + std::pow(height(f), 2) + std::pow(slope(f), 2));
  }
  static double angle_after(double f, double w, double time) {
    const int steps = 20000;
    const double h = time / steps;
    for (int i = 0; i < steps; ++i) {
      const double k1 = w, l1 = acceleration(f, w);
      const double k2 = w + h / 2 * l1, l2 = acceleration(f + h / 2 * k1, w + h / 2 * l1);
      const double k3 = w + h / 2 * l2, l3 = acceleration(f + h / 2 * k2, w + h / 2 * l2);
      const double k4 = w + h * l3, l4 = acceleration(f + h * k3, w + h * l3);
      f += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
      w += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
    }
    return f;
  }
};

TEST(RollingSuperquadric, an_ellipsoid_rolls_as_its_equation_says_best_with_the_gap_of_the_end) {
  constexpr double tilt = 0.6, spin = -3.0, duration = 0.32;
  const double exact = RollingEllipsoid::angle_after(tilt, spin, duration);
  std::vector<double> steps{8e-3, 4e-3, 2e-3};
  std::map<std::string, std::vector<double>> errors;
  for (const char* form : {"start", "gap", "end"})
    for (const double h : steps) {
      Simulation simulation = simulate(
          fmt::format(R"(
world: spatial
materials: {{m: {{friction: 5}}}}
bodies:
  floor: {{freedom: fixed, shapes: [{{half-space: {{}}, material: m}}]}}
  pebble:
    shapes: [{{superquadric: {{axes: [{0}, {1}, {1}], e1: 1, e2: 1}}, material: m}}]
    mass: 1
    position: [0, 0, {2}]
    rotation: {{axis: [0, 1, 0], angle: {3}}}
    velocity: [{4}, 0, {5}]
    spin: [0, {6}, 0]
run: {{step: {7}, duration: {8}}}
)",
                      RollingEllipsoid::along, RollingEllipsoid::thick,
                      RollingEllipsoid::height(tilt), -tilt, -spin * RollingEllipsoid::height(tilt),
                      spin * RollingEllipsoid::slope(tilt), -spin, h, duration),
          chosen({{"contact-frames", form}}));
      while (!simulation.finished()) {
        const StepReport& report = simulation.step();
        ASSERT_TRUE(is_certified(report, 1e-10)) << form << " " << h;
        if (form == std::string("start")) continue;
        EXPECT_LE(report.frame_error, 1e-10);
      }
      const Pose& pose = simulation.state().poses[body(simulation, "pebble")];
      const Vector3 axis = pose.rotation * Vector3::UnitX();
      const double angle = std::atan2(axis.z(), axis.x());
      if (form != std::string("start")) {
        EXPECT_NEAR(pose.position.z(), RollingEllipsoid::height(angle), 1e-9) << form << " " << h;
      }
      errors[form].push_back(std::abs(angle - exact));
    }
  for (const char* form : {"start", "gap", "end"})
    EXPECT_NEAR(fitted_order(steps, errors[form]), 1.0, 0.25) << form;
  EXPECT_LT(errors["gap"].back(), 0.5 * errors["start"].back());
  EXPECT_GT(errors["end"].back(), errors["start"].back());
}

// What rolls without slip keeps its energy: how far it is from that after half a second.
TEST(RollingSuperquadric, one_that_wobbles_keeps_its_energy_best_with_the_gap_of_the_end) {
  std::vector<double> steps{4e-3, 2e-3, 1e-3};
  std::map<std::string, std::vector<double>> errors;
  for (const char* form : {"start", "gap", "end"})
    for (const double h : steps) {
      Simulation simulation = simulate(fmt::format(R"(
world: spatial
materials: {{m: {{friction: 5}}}}
bodies:
  floor: {{freedom: fixed, shapes: [{{half-space: {{}}, material: m}}]}}
  pebble:
    shapes: [{{superquadric: {{axes: [0.2, 0.15, 0.12], e1: 0.8, e2: 0.9}}, material: m}}]
    pose: {{on: floor, at: [0, 0]}}
    velocity: [0.24, 0.12, 0]
    spin: [-1, 2, 0.5]
run: {{step: {}, duration: 0.5}}
)",
                                                   h),
                                       chosen({{"contact-frames", form}}));
      const double first = energy(simulation.model(), simulation.state()).total();
      while (!simulation.finished())
        ASSERT_TRUE(is_certified(simulation.step(), 1e-10)) << form << " " << h;
      errors[form].push_back(
          std::abs(energy(simulation.model(), simulation.state()).total() / first - 1.0));
    }
  EXPECT_LT(errors["gap"].back(), errors["start"].back());
  EXPECT_GT(errors["end"].back(), errors["start"].back());
}

}  // namespace
}  // namespace vinci::test
