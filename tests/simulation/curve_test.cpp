// SPDX-License-Identifier: Apache-2.0
// Superellipses and implicit curves in motion: rocking against its closed period, rolling with its
// energy, sliding like a block, standing on each other.
#include "vinci/geometry/curve.h"

#include <gtest/gtest.h>

#include "tests/support/reference.h"
#include "tests/support/runs.h"
#include "vinci/geometry/build.h"

namespace vinci::test {
namespace {

constexpr double gravity = 9.81;

double angle_of(const Simulation& s, const std::string& name) {
  return planar_angle(s.state().poses[body(s, name)].rotation);
}

double energy_of(const Simulation& s, const std::string& name) {
  const Body& b = s.model().bodies[body(s, name)];
  const Twist now = twist(s, name);
  return 0.5 * b.mass.mass * now.linear.squaredNorm() +
         0.5 * b.mass.planar_inertia() * now.angular.z() * now.angular.z() +
         b.mass.mass * gravity * position(s, name).y();
}

// Period of the small rocking of an ellipse on a floor, from its crossings of the upright.
double rocking_period(double friction, double step) {
  Simulation simulation = simulate(fmt::format(R"(
world: planar
materials: {{m: {{friction: {}}}}}
bodies:
  floor: {{freedom: fixed, shapes: [{{half-plane: {{}}, material: m}}]}}
  rocker: {{shapes: [{{superellipse: {{axes: [0.2, 0.1], exponent: 2}}, material: m}}], pose: {{on: floor, at: 0}}, angle: 0.02}}
run: {{step: {}, duration: 2.5}}
)",
                                               friction, step));
  std::vector<double> crossings;
  double before = angle_of(simulation, "rocker");
  while (!simulation.finished()) {
    EXPECT_LE(simulation.step().solve.residual.relative, 1e-10);
    EXPECT_EQ(simulation.contacts().size(), 1u);
    const double now = angle_of(simulation, "rocker");
    if ((before > 0.0) != (now > 0.0))
      crossings.push_back(simulation.state().time - step * now / (now - before));
    before = now;
  }
  EXPECT_GE(crossings.size(), 5u);
  const std::size_t last = (crossings.size() - 1) / 2 * 2;
  return (crossings[last] - crossings[0]) / (static_cast<double>(last) / 2.0);
}

// With b the height of the centre and ρ = a²/b the radius of curvature below it, the centre rises
// by (ρ − b)θ²/2. A rolling ellipse turns about its lowest point, a frictionless one about its
// centre.
TEST(Curves, an_ellipse_rocks_with_the_period_of_its_curvature) {
  constexpr double a = 0.2, b = 0.1, rise = a * a / b - b, inertia = (a * a + b * b) / 4.0;
  for (const bool rolls : {true, false}) {
    const double expected =
        2.0 * M_PI * std::sqrt((inertia + (rolls ? b * b : 0.0)) / (gravity * rise));
    std::vector<double> steps{4e-3, 2e-3, 1e-3}, errors;
    for (const double h : steps)
      errors.push_back(std::abs(rocking_period(rolls ? 2.0 : 0.0, h) - expected));
    // The amplitude of 0.02 rad lengthens the period by its square; the rest is the step's.
    EXPECT_LT(errors.back(), 2e-3 * expected) << (rolls ? "rolling" : "frictionless");
  }
}

std::string on_incline(const std::string& shape, double friction, double angle, double step,
                       double duration) {
  return fmt::format(R"(
world: planar
materials: {{m: {{friction: {}}}}}
bodies:
  slope: {{freedom: fixed, shapes: [{{half-plane: {{angle: -20 deg}}, material: m}}]}}
  part: {{shapes: [{{{}, material: m}}], pose: {{on: slope, at: 0}}, angle: {}}}
run: {{step: {}, duration: {}}}
)",
                     friction, shape, angle, step, duration);
}

TEST(Curves, a_frictionless_superellipse_slides_as_a_particle) {
  for (const char* shape : {"superellipse: {axes: [0.1, 0.06], exponent: 4}",
                            "superellipse: {axes: [0.1, 0.06], exponent: 2}",
                            "superellipse: {axes: [0.1, 0.06], exponent: 30}",
                            "implicit: {function: (x/0.1)^2 + (y/0.06)^4 - 1}"}) {
    const double step = 1e-3;
    Simulation simulation = simulate(on_incline(shape, 0.0, 0.0, step, 0.5));
    const Vector3 start = position(simulation, "part");
    double lost = 0.0;  // m/s: what it costs to be lifted out of an overlap, g δ of v²/2
    while (!simulation.finished()) {
      ASSERT_LE(simulation.step().solve.residual.relative, 1e-10);
      lost +=
          gravity * simulation.report().removed_overlap / twist(simulation, "part").linear.norm();
    }
    const double along = gravity * std::sin(M_PI / 9.0);
    // Euler's sum of velocities over the steps: exact.
    EXPECT_NEAR((position(simulation, "part") - start).norm(), along * 0.5 * 0.5 * (0.5 + step),
                1e-7 + 0.5 * lost)
        << shape;
    EXPECT_NEAR(twist(simulation, "part").linear.norm(), along * 0.5, 1e-6 + lost) << shape;
  }
}

// A superellipse that rolls down an incline: no work is done at the contact, which is the support
// point against the incline and does not slip.
TEST(Curves, a_rolling_superellipse_keeps_its_energy_to_first_order) {
  const Superellipse shape = make_superellipse({0.1, 0.08}, 2.5);
  const Vector3 into(-std::sin(M_PI / 9.0), -std::cos(M_PI / 9.0),
                     0.0);  // the slope falls to the right
  std::vector<double> steps{2e-3, 1e-3, 5e-4}, errors;
  for (const double h : steps) {
    Simulation simulation =
        simulate(on_incline("superellipse: {axes: [0.1, 0.08], exponent: 2.5}", 5.0, -0.3, h, 0.6));
    const double start = energy_of(simulation, "part");
    double worst = 0.0;
    while (!simulation.finished()) {
      const Pose before = simulation.state().poses[body(simulation, "part")];
      ASSERT_LE(simulation.step().solve.residual.relative, 1e-10);
      worst = std::max(worst, std::abs(energy_of(simulation, "part") - start));
      ASSERT_FALSE(simulation.contacts().empty());
      for (const SolvedContact& each : simulation.contacts()) {
        if (each.impulse[0] > 0.0) {
          EXPECT_NEAR(each.velocity[1], 0.0, 1e-10);
        }
      }
      const SolvedContact& solved = simulation.contacts()[0];  // the closest point
      const Vector3 local = before.rotation.conjugate() * into;
      const Vector2 expected = support_point(shape, local.head<2>());
      const Vector3 lowest = before * Vector3(expected.x(), expected.y(), 0.0);
      EXPECT_LT((solved.contact.point_b - lowest).norm(), 1e-12);
    }
    EXPECT_LT(twist(simulation, "part").angular.z(), -4.5);
    errors.push_back(worst);
  }
  EXPECT_GT(fitted_order(steps, errors), 0.8);
  // Of the energy that the fall has turned into motion.
  const double mass = 1000.0 * area_moments(shape).area;
  const double fallen = 0.5 * mass * std::pow(gravity * std::sin(M_PI / 9.0) * 0.6, 2);
  EXPECT_LT(errors.back(), 0.02 * fallen);
}

TEST(Curves, a_rounded_box_slides_and_stops_like_a_block) {
  Simulation simulation = simulate(R"(
world: planar
materials: {m: {friction: 0.3}}
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}, material: m}]}
  block: {shapes: [{superellipse: {axes: [0.1, 0.05], exponent: 40}, material: m}], pose: {on: floor, at: 0}, velocity: [2, 0]}
run: {step: 1 ms, duration: 1}
)");
  double tilt = 0.0;
  while (!simulation.finished()) {
    ASSERT_LE(simulation.step().solve.residual.relative, 1e-10);
    tilt = std::max(tilt, std::abs(angle_of(simulation, "block")));
  }
  EXPECT_NEAR(position(simulation, "block").x(), 4.0 / (2.0 * 0.3 * gravity), 2e-3);
  EXPECT_LT(tilt, 1e-9);  // its flat side stays on the floor
  EXPECT_LT(twist(simulation, "block").linear.norm(), 1e-9);
}

TEST(Curves, two_rounded_boxes_stand_on_each_other) {
  for (const double exponent : {4.0, 12.0, 50.0}) {
    Simulation simulation = simulate(fmt::format(R"(
world: planar
materials: {{m: {{friction: 0.5}}}}
bodies:
  table: {{freedom: fixed, shapes: [{{box: [2, 0.2], material: m}}], position: [0, -0.1]}}
  lower: {{shapes: [{{superellipse: {{axes: [0.2, 0.1], exponent: {0}}}, material: m}}], position: [0, 0.1]}}
  upper: {{shapes: [{{superellipse: {{axes: [0.15, 0.1], exponent: {0}}}, material: m}}], position: [0, 0.3]}}
run: {{step: 1 ms, duration: 1}}
)",
                                                 exponent));
    run_exactly(simulation);
    EXPECT_NEAR(position(simulation, "lower").y(), 0.1, 1e-9) << exponent;
    EXPECT_NEAR(position(simulation, "upper").y(), 0.3, 1e-9) << exponent;
    EXPECT_NEAR(angle_of(simulation, "upper"), 0.0, 1e-9) << exponent;
    EXPECT_LT(twist(simulation, "upper").linear.norm(), 1e-9) << exponent;
  }
}

// Pushed off the middle the upper one would tip about a single contact point.
TEST(Curves, a_rounded_box_rests_off_the_middle_of_another) {
  Simulation simulation = simulate(R"(
world: planar
materials: {m: {friction: 0.5}}
bodies:
  table: {freedom: fixed, shapes: [{half-plane: {}, material: m}]}
  lower: {shapes: [{superellipse: {axes: [0.2, 0.1], exponent: 50}, material: m}], position: [0, 0.1]}
  upper: {shapes: [{superellipse: {axes: [0.2, 0.1], exponent: 50}, material: m}], position: [0.1, 0.3]}
run: {step: 1 ms, duration: 1}
)");
  double tilt = 0.0;
  while (!simulation.finished()) {
    ASSERT_LE(simulation.step().solve.residual.relative, 1e-10);
    tilt = std::max(tilt, std::abs(angle_of(simulation, "upper")));
  }
  EXPECT_LT(tilt, 1e-9);
  EXPECT_NEAR(position(simulation, "upper").y(), 0.3, 1e-9);
  EXPECT_LT(twist(simulation, "upper").linear.norm(), 1e-9);
}

}  // namespace
}  // namespace vinci::test
