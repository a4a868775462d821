// SPDX-License-Identifier: Apache-2.0
// Equilibria against statics in closed form: contacts that share loads, curved constraints, names
// that say more than can touch; constraints solved for against differences of the motion along
// them.
#include "tests/events/linear_scenes.h"

namespace vinci::test {
namespace {

constexpr double gravity = 9.81;
const std::string settings = "run: {step: 1 ms, duration: 1 s}\n";

LinearWishes resting(const std::vector<std::string>& mode = {}) {
  LinearWishes wishes;
  wishes.equilibrium = true;
  wishes.mode = mode;
  return wishes;
}

// No contact pulls and no friction, of one direction or two, holds more than it can.
void expect_bearable(const LinearScene& scene, double friction) {
  double largest = 0.0, normal = 0.0, held = 0.0;
  for (const LinearConstraint& one : scene.constraints)
    largest = std::max(largest, std::abs(one.force));
  const double rounding = 1e-6 * largest;
  for (const LinearConstraint& one : scene.constraints) {
    if (one.kind == ConstraintKind::contact) {
      EXPECT_GE(one.force, -rounding) << one.name;
      normal = one.force;
      held = 0.0;
    } else {
      held = std::hypot(held, one.force);
      EXPECT_LE(held, friction * normal + rounding) << one.name;
    }
  }
}

std::string box_on_slope(double degrees) {
  return fmt::format(R"(
world: planar
materials: {{oak: {{friction: 0.4}}}}
bodies:
  hill: {{freedom: fixed, shapes: [{{half-plane: {{angle: {} deg}}, material: oak}}]}}
  crate: {{mass: 1.7, shapes: [{{box: [0.3, 0.12], material: oak}}], pose: {{on: hill, at: 0}}}}
)",
                     degrees) +
         settings;
}

TEST(LinearEquilibrium, a_box_rests_on_slopes_as_steep_as_friction_allows) {
  const double weight = 1.7 * gravity;
  for (const double degrees : {4.0, 9.0, 14.0, 19.0, 21.5}) {
    const double slope = degrees * M_PI / 180.0;
    for (const auto& mode : {std::vector<std::string>{}, {"crate-hill=sticking"}}) {
      const Point crate(box_on_slope(degrees));
      const LinearScene rest = linear_scene(crate.point, resting(mode));
      EXPECT_TRUE(rest.is_equilibrium);
      ASSERT_EQ(rest.constraints.size(), 4u);
      expect_bearable(rest, 0.4);
      const auto force = [&](int i) { return rest.constraints[static_cast<std::size_t>(i)].force; };
      EXPECT_NEAR(force(0) + force(2), weight * std::cos(slope), 1e-7);
      EXPECT_NEAR(std::abs(force(1) + force(3)), weight * std::sin(slope), 1e-7);
      // Moments about the centre: friction acts half the height below it.
      EXPECT_NEAR(std::abs(force(0) - force(2)) * 0.15, weight * std::sin(slope) * 0.06, 1e-7);
    }
  }
}

TEST(LinearEquilibrium, a_box_on_a_slope_too_steep_is_said_to_slide) {
  const Point crate(box_on_slope(23.0));
  const std::string text = message([&] { linear_scene(crate.point, resting()); });
  const double slope = 23.0 * M_PI / 180.0, weight = 1.7 * gravity;
  EXPECT_NE(text.find(fmt::format("would have to hold {:.4g} N to stick together, and hold {:.4g} "
                                  "N at most: what is held there slides",
                                  weight * std::sin(slope), 0.4 * weight * std::cos(slope))),
            std::string::npos)
      << text;
}

TEST(LinearEquilibrium, a_box_bears_any_push_that_friction_holds) {
  // In one direction of the floor, and across it in space, where four corners share.
  const auto pushed = [](bool spatial, double push) {
    const Point point(fmt::format(R"(
world: {}
materials: {{oak: {{friction: 0.3}}}}
bodies:
  floor: {{freedom: fixed, shapes: [{{{}: {{}}, material: oak}}]}}
  crate: {{mass: 3, shapes: [{{box: [0.5, 0.4{}], material: oak}}], position: [0, {}], force: {{x: {:.17g}, y: {:.17g}}}}}
)",
                                  spatial ? "spatial" : "planar",
                                  spatial ? "half-space" : "half-plane", spatial ? ", 0.2" : "",
                                  spatial ? "0, 0.1" : "0.2", spatial ? 0.6 * push : push,
                                  spatial ? 0.8 * push : 0.0) +
                      settings);
    return linear_scene(point.point, resting());
  };
  const double most = 0.3 * 3.0 * gravity;
  for (const bool spatial : {false, true}) {
    for (const double share : {0.3, 0.9, 0.99}) {
      const LinearScene rest = pushed(spatial, share * most);
      EXPECT_TRUE(rest.is_equilibrium);
      EXPECT_TRUE(rest.forces_are_open);
      expect_bearable(rest, 0.3);
    }
    const std::string text = message([&] { pushed(spatial, 1.01 * most); });
    EXPECT_NE(text.find("slides"), std::string::npos) << text;
  }
}

// Both contacts are at their bounds, one sense of turning: T = μ m gravity r √2/(1 + μ²).
TEST(LinearEquilibrium, a_ball_in_a_groove_bears_the_torque_that_friction_holds) {
  const double friction = 0.45, mass = 0.8, radius = 0.07;
  const double most =
      friction * mass * gravity * radius * std::sqrt(2.0) / (1.0 + friction * friction);
  const Point point(fmt::format(R"(
world: planar
materials: {{oak: {{friction: {}}}}}
bodies:
  groove: {{freedom: fixed, shapes: [{{half-plane: {{angle: 45 deg}}, material: oak}}, {{half-plane: {{angle: -45 deg}}, material: oak}}]}}
  ball: {{mass: {}, inertia: 0.002, shapes: [{{circle: {}, material: oak}}], position: [0, {:.17g}]}}
)",
                                friction, mass, radius, radius * std::sqrt(2.0)) +
                    settings);
  for (const double share : {0.0, 0.5, -0.98, 0.98}) {
    LinearWishes wishes = resting();
    wishes.inputs = {fmt::format("ball.torque={:.17g}", share * most)};
    const LinearScene rest = linear_scene(point.point, wishes);
    EXPECT_TRUE(rest.is_equilibrium) << share;
    expect_bearable(rest, friction);
  }
  LinearWishes wishes = resting();
  wishes.inputs = {fmt::format("ball.torque={:.17g}", 1.02 * most)};
  const std::string text = message([&] { linear_scene(point.point, wishes); });
  EXPECT_NE(text.find("slides"), std::string::npos) << text;
}

std::string bead(double x, double rate) {
  const double slope = 1.4 * (x - 0.2);
  return fmt::format(R"(
world: planar
bodies: {{pearl: {{mass: 0.3, inertia: 0.01, position: [{0:.17g}, {1:.17g}], velocity: [{2:.17g}, {3:.17g}]}}}}
constraints: {{wire: {{zero: pearl.y - 0.7*(pearl.x - 0.2)^2, time-scale: 20 ms}}}}
run: {{step: 1 ms, duration: 1 s, stepper: event-driven}}
)",
                     x, 0.7 * (x - 0.2) * (x - 0.2), rate, slope * rate);
}

TEST(LinearEquilibrium, a_bead_on_a_bent_wire_comes_to_its_lowest_point) {
  for (const double away : {0.6, -0.1, 1e-9, 0.0}) {
    const Point pearl(bead(0.2 + away, 0.0));
    LinearWishes wishes = resting();
    wishes.eliminate = true;
    const LinearScene rest = linear_scene(pearl.point, wishes);
    EXPECT_NEAR(value_of(rest.coordinates, "pearl.x [m]"), 0.2, 1e-10);
    EXPECT_NEAR(constraint_of(rest, "wire").force, 0.3 * gravity, 1e-9);
    // It swings with the curvature of the wire.
    EXPECT_LE(distance(poles(rest.system), Complex(0.0, std::sqrt(1.4 * gravity))), 1e-7);
  }
}

TEST(LinearEquilibrium, a_ball_beside_the_top_of_a_smooth_disc_comes_to_it) {
  const double sum = 0.45;
  for (const double away : {1e-6, -1e-3, 0.02}) {
    const Point point(fmt::format(R"(
world: planar
materials: {{ice: {{friction: 0}}}}
bodies:
  disc: {{freedom: fixed, shapes: [{{circle: 0.4, material: ice}}]}}
  ball: {{mass: 2, inertia: 0.01, shapes: [{{circle: 0.05, material: ice}}], position: [{:.17g}, {:.17g}]}}
)",
                                  away, std::sqrt(sum * sum - away * away)) +
                      settings);
    LinearWishes wishes = resting();
    wishes.eliminate = true;
    const LinearScene rest = linear_scene(point.point, wishes);
    EXPECT_NEAR(value_of(rest.coordinates, "ball.x [m]"), 0.0, 1e-10);
    EXPECT_LE(distance(poles(rest.system), std::sqrt(gravity / sum)), 1e-7);
  }
}

// The same equilibria in coordinates that are not independent.
TEST(LinearEquilibrium, a_double_pendulum_hangs_alike_in_all_coordinates) {
  const auto hanging = [](const std::string& coordinates) {
    const Point point(fmt::format(R"(
world: planar
bodies:
  upper: {{mass: 1.2, inertia: 0.03, center: [0, -0.3]}}
  lower: {{mass: 0.7, inertia: 0.02, center: [0.05, -0.2]}}
joints:
  shoulder: {{revolute: [world, upper], position: 0.4}}
  elbow: {{revolute: [upper, lower], at: [[0, -0.6], [0, 0]], position: -0.3}}
run: {{step: 1 ms, duration: 1 s, stepper: event-driven, coordinates: {}}}
)",
                                  coordinates));
    LinearWishes wishes = resting();
    wishes.eliminate = true;
    wishes.inputs = {"shoulder.torque"};
    return poles(linear_scene(point.point, wishes).system);
  };
  const ComplexVector reduced = hanging("reduced"), maximal = hanging("maximal");
  ASSERT_EQ(reduced.size(), 4);
  ASSERT_EQ(maximal.size(), 4);
  for (const Complex pole : reduced) EXPECT_LE(distance(maximal, pole), 1e-7);
}

TEST(LinearEquilibrium, a_name_of_all_corners_means_those_that_can_touch) {
  const auto box = [](bool spatial) {
    return spatial ? std::string(R"(
world: spatial
bodies:
  floor: {freedom: fixed, shapes: [{half-space: {}}]}
  crate: {mass: 2, shapes: [{box: [0.4, 0.3, 0.2]}], position: [0, 0, 0.9]}
)") + settings
                   : std::string(R"(
world: planar
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}}]}
  crate: {mass: 2, shapes: [{box: [0.4, 0.2]}], position: [0, 0.9], angle: 0.2}
)") + settings;
  };
  for (const bool spatial : {false, true}) {
    const Point point(box(spatial));
    const LinearScene rest = linear_scene(point.point, resting({"crate-floor=contact"}));
    EXPECT_NEAR(value_of(rest.coordinates, spatial ? "crate.z [m]" : "crate.y [m]"), 0.1, 1e-10);
    int count = 0;
    double sum = 0.0;
    for (const LinearConstraint& one : rest.constraints) {
      if (one.kind != ConstraintKind::contact || one.state != ContactState::contact) continue;
      ++count;
      sum += one.force;
    }
    EXPECT_EQ(count, spatial ? 4 : 2);
    EXPECT_NEAR(sum, 2.0 * gravity, 1e-8);
  }
}

// Of motion along y = f(x): x'' = −f' (gravity + f'' x'²)/(1 + f'²).
TEST(LinearEquilibrium, what_is_left_without_constraints_is_the_motion_along_them) {
  for (const double rate : {0.0, 0.9, -2.0}) {
    const double x = 0.45;
    const Point pearl(bead(x, rate));
    LinearWishes wishes;
    wishes.eliminate = true;
    const LinearScene scene = linear_scene(pearl.point, wishes);
    EXPECT_FALSE(scene.is_equilibrium);
    const std::vector<std::string> names = {"pearl.x [m]", "pearl.y [m]", "pearl.vx [m/s]",
                                            "pearl.vy [m/s]"};
    const auto along = [](double at, double speed) {
      const double slope = 1.4 * (at - 0.2);
      const double push = -slope * (gravity + 1.4 * speed * speed) / (1.0 + slope * slope);
      Eigen::Matrix<double, 4, 2> both;  // the state and its rate
      both << at, speed, 0.7 * (at - 0.2) * (at - 0.2), slope * speed, speed, push, slope * speed,
          1.4 * speed * speed + slope * push;
      return both;
    };
    const double step = 1e-5;
    const auto by_place = ((along(x + step, rate) - along(x - step, rate)) / (2.0 * step)).eval();
    const auto by_speed = ((along(x, rate + step) - along(x, rate - step)) / (2.0 * step)).eval();
    std::vector<Eigen::Index> rows, columns;
    for (std::size_t i = 0; i < scene.system.states.size(); ++i)
      for (std::size_t j = 0; j < names.size(); ++j)
        if (scene.system.states[i] == names[j]) {
          rows.push_back(static_cast<Eigen::Index>(i));
          columns.push_back(static_cast<Eigen::Index>(j));
        }
    ASSERT_EQ(rows.size(), 2u);
    Matrix2 found, states, rates;
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) found(i, j) = scene.system.a(rows[i], rows[j]);
      states.row(i) << by_place(columns[i], 0), by_speed(columns[i], 0);
      rates.row(i) << by_place(columns[i], 1), by_speed(columns[i], 1);
    }
    EXPECT_LE((found * states - rates).norm(), 1e-7 * (1.0 + rates.norm())) << rate;
  }
}

// Poles of one choice of coordinates are none of the motion.
TEST(LinearEquilibrium, a_motion_that_goes_on_is_told_to_have_no_poles_of_its_own) {
  const auto notes = [](const std::string& motion) {
    Simulation simulation = simulate(R"(
world: spatial
gravity: [0, 0, 0]
bodies: {top: {mass: 2, inertia: [0.01, 0.02, 0.03])" +
                                     motion + "}}\n" + settings);
    LinearizeOptions options;
    options.of = LinearizeOptions::Of::model;
    std::string all;
    for (const std::string& note : linearize_at(simulation, options).notes) all += note + "\n";
    return all;
  };
  EXPECT_EQ(notes(""), "");
  EXPECT_NE(notes(", velocity: [1, 0, 0]").find("off equilibria"), std::string::npos);
  EXPECT_EQ(notes(", velocity: [1, 0, 0]").find("Rodrigues"), std::string::npos);
  EXPECT_NE(notes(", spin: [0, 0, 30]").find("the turn of 'top' is measured by Rodrigues"),
            std::string::npos);
}

}  // namespace
}  // namespace vinci::test
