// SPDX-License-Identifier: Apache-2.0
// Superquadrics in motion: rocking against its closed period, rolling with its energy, lying on
// their flat sides, the instant of their impacts against closed forms.
#include "vinci/geometry/superquadric.h"

#include <gtest/gtest.h>

#include "tests/support/reference.h"
#include "tests/support/runs.h"
#include "vinci/geometry/build.h"

namespace vinci::test::superquadric_tests {
namespace {

constexpr double gravity = 9.81;

double energy_of(const Simulation& s, const std::string& name) {
  const Body& b = s.model().bodies[body(s, name)];
  const Twist now = twist(s, name);
  const Vector3 spin = s.state().poses[body(s, name)].rotation.conjugate() * now.angular;
  return 0.5 * b.mass.mass * now.linear.squaredNorm() + 0.5 * spin.dot(b.mass.inertia * spin) +
         b.mass.mass * gravity * position(s, name).z();
}

// About which axis a body leans, by how much: the horizontal part of the turn.
double lean(const Simulation& s, const std::string& name, const Vector3& axis) {
  const Vector3 up = s.state().poses[body(s, name)].rotation * Vector3::UnitZ();
  return Vector3::UnitZ().cross(up).dot(axis);
}

// Period of the small rocking of an ellipsoid on a floor about `axis`.
double rocking_period(const Vector3& axis, double friction, double step) {
  Simulation simulation = simulate(fmt::format(R"(
world: spatial
materials: {{m: {{friction: {}}}}}
bodies:
  floor: {{freedom: fixed, shapes: [{{half-space: {{}}, material: m}}]}}
  rocker:
    shapes: [{{superquadric: {{axes: [0.2, 0.15, 0.1], e1: 1, e2: 1}}, material: m}}]
    position: [0, 0, 0.1001]
    rotation: {{axis: [{}, {}, 0], angle: 0.02}}
run: {{step: {}, duration: 2.5}}
)",
                                               friction, axis.x(), axis.y(), step));
  std::vector<double> crossings;
  double before = lean(simulation, "rocker", axis);
  while (!simulation.finished()) {
    EXPECT_LE(simulation.step().solve.residual.relative, 1e-10);
    const double now = lean(simulation, "rocker", axis);
    if (simulation.state().time > 0.1 && (before > 0.0) != (now > 0.0))
      crossings.push_back(simulation.state().time - step * now / (now - before));
    before = now;
  }
  EXPECT_GE(crossings.size(), 4u);
  const std::size_t last = (crossings.size() - 1) / 2 * 2;
  return (crossings[last] - crossings[0]) / (static_cast<double>(last) / 2.0);
}

// With c the height of the centre and ρ = a²/c the radius of curvature below it, the centre rises
// by (ρ − c)θ²/2; the ellipsoid turns about its lowest point, or about its centre without friction.
TEST(Superquadrics, an_ellipsoid_rocks_with_the_periods_of_its_two_curvatures) {
  constexpr double a = 0.2, b = 0.15, c = 0.1;
  for (const bool rolls : {true, false})
    for (const bool about_y : {true, false}) {
      const double long_axis = about_y ? a : b, rise = long_axis * long_axis / c - c;
      const double inertia = (long_axis * long_axis + c * c) / 5.0;
      const double expected =
          2.0 * M_PI * std::sqrt((inertia + (rolls ? c * c : 0.0)) / (gravity * rise));
      const Vector3 axis = about_y ? Vector3::UnitY() : Vector3::UnitX();
      EXPECT_NEAR(rocking_period(axis, rolls ? 2.0 : 0.0, 1e-3), expected, 4e-3 * expected)
          << (rolls ? "rolling " : "frictionless ") << axis.transpose();
    }
}

TEST(Superquadrics, a_rolling_superellipsoid_keeps_its_energy_to_first_order) {
  for (const char* exponents : {"e1: 1, e2: 1", "e1: 0.8, e2: 0.8"}) {
    std::vector<double> steps{2e-3, 1e-3, 5e-4}, errors;
    for (const double h : steps) {
      Simulation simulation = simulate(fmt::format(R"(
world: spatial
materials: {{m: {{friction: 5}}}}
bodies:
  slope: {{freedom: fixed, shapes: [{{half-space: {{normal: [sin(20 deg), 0, cos(20 deg)]}}, material: m}}]}}
  part:
    shapes: [{{superquadric: {{axes: [0.1, 0.12, 0.08], {}}}, material: m}}]
    position: [{:.17g}, 0, {:.17g}]
    rotation: {{axis: [0, 1, 0], angle: 20 deg}}
run: {{step: {}, duration: 0.5}}
)",
                                                   exponents, 0.08 * std::sin(M_PI / 9.0),
                                                   0.08 * std::cos(M_PI / 9.0), h));
      const double start = energy_of(simulation, "part");
      double worst = 0.0;
      while (!simulation.finished()) {
        ASSERT_LE(simulation.step().solve.residual.relative, 1e-10);
        worst = std::max(worst, std::abs(energy_of(simulation, "part") - start));
        ASSERT_FALSE(simulation.contacts().empty());
      }
      EXPECT_GT(twist(simulation, "part").angular.y(), 4.0);
      errors.push_back(worst);
    }
    EXPECT_GT(fitted_order(steps, errors), 0.8) << exponents;
    const double fallen = 0.5 * 1000.0 *
                          volume_moments(make_superquadric({0.1, 0.12, 0.08}, 1.0, 1.0)).volume *
                          std::pow(gravity * std::sin(M_PI / 9.0) * 0.5, 2);
    EXPECT_LT(errors.back(), 0.02 * fallen) << exponents;
  }
}

// Dropped at a tilt it comes to lie on its broad side, and stays there.
TEST(Superquadrics, a_superellipsoid_settles_on_its_flat_side) {
  for (const double e : {0.1, 0.4}) {
    Simulation simulation = simulate(fmt::format(R"(
world: spatial
materials: {{m: {{friction: 0.5}}}}
bodies:
  floor: {{freedom: fixed, shapes: [{{half-space: {{}}, material: m}}]}}
  part:
    shapes: [{{superquadric: {{axes: [0.12, 0.1, 0.05], e1: {0}, e2: {0}}}, material: m}}]
    position: [0, 0, 0.16]
    rotation: {{axis: [1, 2, 0.5], angle: 35 deg}}
run: {{step: 1 ms, duration: 4}}
)",
                                                 e));
    while (!simulation.finished()) ASSERT_LE(simulation.step().solve.residual.relative, 1e-9) << e;
    const Vector3 up =
        simulation.state().poses[body(simulation, "part")].rotation * Vector3::UnitZ();
    EXPECT_LT(up.cross(Vector3::UnitZ()).norm(), 0.02) << e;
    EXPECT_NEAR(position(simulation, "part").z(), 0.05, 2e-4) << e;
    // A side that is flat to rounding lies still; a rounder one may rock by what a step can turn
    // it.
    const double still = e < 0.2 ? 1e-9 : gravity * 1e-3;
    EXPECT_LT(0.1 * twist(simulation, "part").angular.norm(), still) << e;
    EXPECT_LT(twist(simulation, "part").linear.norm(), still) << e;
  }
}

TEST(Superquadrics, rounded_blocks_stand_on_each_other_as_boxes_do) {
  for (const char* under :
       {"superquadric: {axes: [0.1, 0.1, 0.05], e1: 0.02, e2: 0.02}", "box: [0.2, 0.2, 0.1]"}) {
    Simulation simulation = simulate(fmt::format(R"(
world: spatial
materials: {{m: {{friction: 0.5}}}}
bodies:
  floor: {{freedom: fixed, shapes: [{{half-space: {{}}, material: m}}]}}
  lower: {{shapes: [{{{}, material: m}}], position: [0, 0, 0.05]}}
  upper: {{shapes: [{{superquadric: {{axes: [0.1, 0.1, 0.05], e1: 0.02, e2: 0.02}}, material: m}}], position: [0.06, 0.02, 0.15]}}
run: {{step: 2 ms, duration: 1}}
)",
                                                 under));
    while (!simulation.finished())
      ASSERT_LE(simulation.step().solve.residual.relative, 1e-9) << under;
    EXPECT_LT((position(simulation, "upper") - Vector3(0.06, 0.02, 0.15)).norm(), 1e-5) << under;
    EXPECT_LT((position(simulation, "lower") - Vector3(0.0, 0.0, 0.05)).norm(), 1e-5) << under;
    EXPECT_LT(twist(simulation, "upper").angular.norm(), 1e-3) << under;
  }
}

// A drum of the least exponent rolls as a cylinder does: v = 2/3 g sin α t.
TEST(Superquadrics, a_drum_rolls_as_a_cylinder) {
  for (const char* shape : {"superquadric: {axes: [0.1, 0.1, 0.15], e1: 0.02, e2: 1}",
                            "cylinder: {radius: 0.1, height: 0.3}"}) {
    Simulation simulation =
        simulate(fmt::format(R"(
world: spatial
materials: {{m: {{friction: 1}}}}
bodies:
  slope: {{freedom: fixed, shapes: [{{half-space: {{normal: [sin(10 deg), 0, cos(10 deg)]}}, material: m}}]}}
  drum: {{shapes: [{{{}, material: m}}], position: [{:.17g}, 0, {:.17g}], rotation: {{axis: [1, 0, 0], angle: 90 deg}}}}
run: {{step: 1 ms, duration: 0.5}}
)",
                             shape, 0.1 * std::sin(M_PI / 18.0), 0.1 * std::cos(M_PI / 18.0)));
    while (!simulation.finished())
      ASSERT_LE(simulation.step().solve.residual.relative, 1e-10) << shape;
    const double expected = 2.0 / 3.0 * gravity * std::sin(M_PI / 18.0) * 0.5;
    EXPECT_NEAR(twist(simulation, "drum").linear.norm(), expected, 5e-3 * expected) << shape;
    EXPECT_NEAR(position(simulation, "drum").y(), 0.0, 1e-6) << shape;
  }
}

// The height of the lowest point under the centre, leaned by θ about x: the dual norm.
double lowest(const Vector3& axes, double e, double theta) {
  const double power = 2.0 / (2.0 - e);
  return std::pow(std::pow(axes.y() * std::abs(std::sin(theta)), power) +
                      std::pow(axes.z() * std::abs(std::cos(theta)), power),
                  1.0 / power);
}

// Falls from rest while it turns about a principal axis: z(t) = z0 − g t²/2 meets h(θ(t)) first at
// the root of a function of one variable. Both ways to search find it to 1e-12 s.
TEST(SuperquadricImpact, the_instant_of_a_spinning_fall_is_that_of_the_closed_form) {
  const Vector3 axes(0.1, 0.3, 0.15);
  for (const double e : {1.0, 0.5, 1.5})
    for (const double spin : {0.0, 4.0, -11.0})
      for (const char* search : {"bisect", "gap-rate"}) {
        const double start = 0.3;
        const auto gap = [&](double t) {
          return 1.0 - 0.5 * gravity * t * t - lowest(axes, e, start + spin * t);
        };
        double low = 0.0, high = 0.0;
        while (gap(high) > 0.0) low = high, high += 1e-4;
        for (int i = 0; i < 60; ++i) {
          const double middle = 0.5 * (low + high);
          (gap(middle) > 0.0 ? low : high) = middle;
        }
        RunOverrides overrides;
        overrides.options = {{"impact-time", search}};
        Simulation simulation = simulate(fmt::format(R"(
world: spatial
materials: {{m: {{restitution: 0.5}}}}
bodies:
  floor: {{freedom: fixed, shapes: [{{half-space: {{}}, material: m}}]}}
  part:
    shapes: [{{superquadric: {{axes: [0.1, 0.3, 0.15], e1: {0}, e2: {0}}}, material: m}}]
    position: [0, 0, 1]
    rotation: {{axis: [1, 0, 0], angle: 0.3}}
    spin: [{1}, 0, 0]
run: {{step: 5 ms, duration: 1, stepper: {{name: stewart-trinkle, impact-tolerance: 1e-13}}}}
)",
                                                     e, spin),
                                         overrides);
        while (simulation.step().impacts == 0) ASSERT_FALSE(simulation.finished());
        // The centre fell to z0 − g t²/2 and left with the velocity v + g (T − t), v what it has at
        // the end T of the step: z = z0 + v T + g T²/2 − (v + g T) t.
        const double z = position(simulation, "part").z(), end = simulation.state().time;
        const double v = twist(simulation, "part").linear.z();
        const double whole = z - 1.0 - v * end - 0.5 * gravity * end * end;
        const double t = -whole / (v + gravity * end);
        EXPECT_NEAR(t, low, 1e-12) << e << " " << spin << " " << search;
      }
}

// Two of which one flies at the other and turns about its way.
TEST(SuperquadricImpact, two_meet_at_the_instant_of_their_support_functions) {
  RunOverrides overrides;
  overrides.options = {{"impact-time", "bisect"}};
  Simulation simulation = simulate(R"(
world: spatial
gravity: [0, 0, 0]
materials: {m: {restitution: 1}}
bodies:
  flat: {shapes: [{superquadric: {axes: [0.1, 0.4, 0.4], e1: 1, e2: 1}, material: m}], velocity: [0, 0, 0]}
  part:
    shapes: [{superquadric: {axes: [0.2, 0.2, 0.15], e1: 0.6, e2: 1}, material: m}]
    position: [1, 0, 0]
    velocity: [-2, 0, 0]
    spin: [5, 0, 0]
run: {step: 10 ms, duration: 1, stepper: {name: stewart-trinkle, impact-tolerance: 1e-13}}
)",
                                   overrides);
  // Turning about the line of flight changes nothing: they meet at (1 − 0.1 − 0.2)/2 s.
  while (simulation.step().impacts == 0) ASSERT_FALSE(simulation.finished());
  const double rebound = twist(simulation, "part").linear.x();
  const double x = position(simulation, "part").x();
  const double t = (x - 1.0 - rebound * simulation.state().time) / (-2.0 - rebound);
  EXPECT_NEAR(t, 0.35, 1e-12);
}

}  // namespace
}  // namespace vinci::test::superquadric_tests
