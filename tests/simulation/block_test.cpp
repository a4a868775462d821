// SPDX-License-Identifier: Apache-2.0
// Reference case 01: a block on an incline and a block pushed by a moving wall, planar and spatial,
// with the measured order.
#include <gtest/gtest.h>

#include "tests/support/reference.h"
#include "tests/support/runs.h"

namespace vinci::test {
namespace {

std::string incline(bool planar, double slope, double friction, double downhill, double step,
                    double duration) {
  const double c = std::cos(slope), s = std::sin(slope);
  const double height = 0.05;  // of the centre over the surface
  // The surface descends along +x.
  if (planar)
    return fmt::format(R"(
world: planar
materials: {{m: {{friction: {}}}}}
bodies:
  incline: {{freedom: fixed, shapes: [{{half-plane: {{angle: {}}}, material: m}}]}}
  block:
    shapes: [{{box: [0.2, 0.1], material: m}}]
    position: [{}, {}]
    angle: {}
    velocity: [{}, {}]
run: {{step: {}, duration: {}}}
)",
                       friction, -slope, height * s, height * c, -slope, downhill * c,
                       -downhill * s, step, duration);
  return fmt::format(R"(
world: spatial
materials: {{m: {{friction: {}}}}}
bodies:
  incline: {{freedom: fixed, shapes: [{{half-space: {{}}, rotation: {{axis: [0, 1, 0], angle: {}}}, material: m}}]}}
  block:
    shapes: [{{box: [0.2, 0.2, 0.1], material: m}}]
    position: [{}, 0, {}]
    rotation: {{axis: [0, 1, 0], angle: {}}}
    velocity: [{}, 0, {}]
run: {{step: {}, duration: {}}}
)",
                     friction, slope, height * s, height * c, slope, downhill * c, -downhill * s,
                     step, duration);
}

// Distance gone downhill and speed downhill at the end.
struct Slide {
  double distance, speed;
};
Slide slide(bool planar, double slope, double friction, double downhill, double step,
            double duration) {
  Simulation simulation = simulate(incline(planar, slope, friction, downhill, step, duration));
  const Vector3 start = position(simulation, "block");
  run_exactly(simulation);
  const Vector3 down = planar ? Vector3(std::cos(slope), -std::sin(slope), 0.0)
                              : Vector3(std::cos(slope), 0.0, -std::sin(slope));
  return {down.dot(position(simulation, "block") - start),
          down.dot(twist(simulation, "block").linear)};
}

class Block : public testing::TestWithParam<bool> {};

TEST_P(Block, every_slope_case_matches_its_reference_with_first_order) {
  const auto expected = reference("case01_block")["expected"];
  const double gravity = 9.81;
  for (const char* name :
       {"stick", "slip", "stop_on_gentle_slope", "up_then_back", "up_then_stay"}) {
    const auto& c = expected[name];
    const double slope = c["beta_deg"].get<double>() * M_PI / 180.0;
    const double duration = c["t"], v0 = c["v0_downhill"], friction = c["mu"];
    std::vector<double> steps = {8e-3, 4e-3, 2e-3, 1e-3}, errors;
    for (const double h : steps) {
      const Slide end = slide(GetParam(), slope, friction, v0, h, duration);
      const double fastest = std::max({std::abs(v0), std::abs(c["v"].get<double>()), gravity * h});
      // Reference tolerance: |v|max h.
      EXPECT_NEAR(end.distance, c["x"].get<double>(), fastest * h) << name << " h = " << h;
      EXPECT_NEAR(end.speed, c["v"].get<double>(), 2.0 * gravity * h) << name << " h = " << h;
      errors.push_back(std::abs(end.distance - c["x"].get<double>()));
    }
    if (std::string(name) == "stick") {
      for (const double error : errors) EXPECT_LT(error, 1e-12);
    } else {
      EXPECT_NEAR(fitted_order(steps, errors), 1.0, 0.25) << name;
    }
  }
}

TEST_P(Block, sticks_at_the_friction_angle_itself) {
  const auto expected = reference("case01_block")["expected"]["threshold_exact"];
  const double slope = expected["beta_deg"].get<double>() * M_PI / 180.0;
  const Slide end = slide(GetParam(), slope, std::tan(slope) * (1.0 + 1e-9), 0.0, 1e-3, 1.0);
  EXPECT_NEAR(end.distance, 0.0, 1e-9);  // reference tolerance
}

TEST_P(Block, one_percent_below_the_friction_angle_it_moves_less_than_1e_10_m_in_10_s) {
  const double friction = 0.3;
  const double slope = 0.99 * std::atan(friction);
  const Slide end = slide(GetParam(), slope, friction, 0.0, 1e-3, 10.0);
  EXPECT_LT(std::abs(end.distance), 1e-10);
}

std::string wall_push(bool planar, double step, double duration, double friction, double mass) {
  if (planar)
    return fmt::format(R"(
world: planar
materials: {{rough: {{friction: {}}}, smooth: {{friction: 0}}}}
surfaces: [{{between: [rough, smooth], friction: 0}}]
bodies:
  floor: {{freedom: fixed, shapes: [{{half-plane: {{}}, material: rough}}]}}
  wall:
    shapes: [{{box: [0.1, 0.4], position: [-0.05, 0.25], material: smooth}}]
    motion: {{x: 0.2*sin(5*t), y: 0, angle: 0}}
  block: {{shapes: [{{box: [0.2, 0.1], material: rough}}], mass: {}, position: [0.13, 0.05]}}
run: {{step: {}, duration: {}}}
)",
                       friction, mass, step, duration);
  return fmt::format(R"(
world: spatial
materials: {{rough: {{friction: {}}}, smooth: {{friction: 0}}}}
surfaces: [{{between: [rough, smooth], friction: 0}}]
bodies:
  floor: {{freedom: fixed, shapes: [{{half-space: {{}}, material: rough}}]}}
  wall:
    shapes: [{{box: [0.1, 0.3, 0.4], position: [-0.05, 0, 0.25], material: smooth}}]
    motion: {{x: 0.2*sin(5*t), y: 0, z: 0, roll: 0, pitch: 0, yaw: 0}}
  block: {{shapes: [{{box: [0.2, 0.2, 0.1], material: rough}}], mass: {}, position: [0.13, 0, 0.05]}}
run: {{step: {}, duration: {}}}
)",
                     friction, mass, step, duration);
}

TEST_P(Block, pushed_by_a_moving_wall_matches_the_reference_with_first_order) {
  const auto expected = reference("case01_block")["expected"]["wall_push"];
  std::vector<double> steps = {2e-3, 1e-3, 5e-4, 2.5e-4}, errors;
  for (const double h : steps) {
    Simulation simulation =
        simulate(wall_push(GetParam(), h, 0.5, expected["mu"], expected["mass"]));
    double contact = -1.0, separation = -1.0, stop = -1.0, force = 0.0, after = 0.0;
    while (!simulation.finished()) {
      simulation.step();
      const double t = simulation.state().time;
      const double v = twist(simulation, "block").linear.x();
      double push = 0.0;  // impulse by the wall
      for (const SolvedContact& c : simulation.contacts())
        push += std::abs(c.impulse[0] * c.contact.normal.x());
      if (contact < 0.0 && push > 0.0) contact = t;
      if (contact > 0.0 && after == 0.0 && t >= contact + h) after = v;
      if (contact > 0.0 && t > contact + 2 * h && push > 0.0) separation = t;
      if (separation > 0.0 && stop < 0.0 && std::abs(v) < 1e-9) stop = t;
      if (std::abs(t - 0.08) < 0.5 * h) force = push / h;
    }
    const double x = position(simulation, "block").x() - 0.1;  // of the face
    const double fastest = 1.0;                                // m/s, of the wall
    EXPECT_NEAR(contact, expected["t_contact"].get<double>(), 2 * h);
    EXPECT_NEAR(separation, expected["t_separation"].get<double>(), 2 * h);
    EXPECT_NEAR(stop, expected["t_stop"].get<double>(), 2 * h);
    EXPECT_NEAR(x, expected["x_final"].get<double>(), fastest * h);
    // |ẍ| <= 5 m/s² over up to two steps, and the force changes by m |d³x| h = 2·25 h.
    EXPECT_NEAR(after, expected["velocity_after_impact"].get<double>(), 10.0 * h);
    EXPECT_NEAR(force, expected["wall_force_at_t_0p08"].get<double>(), 100.0 * h);
    errors.push_back(std::abs(x - expected["x_final"].get<double>()));
  }
  EXPECT_GT(fitted_order(steps, errors), 0.75);
}

INSTANTIATE_TEST_SUITE_P(PlanarAndSpatial, Block, testing::Values(true, false),
                         [](const auto& variant) { return variant.param ? "planar" : "spatial"; });

}  // namespace
}  // namespace vinci::test
