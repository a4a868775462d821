// SPDX-License-Identifier: Apache-2.0
// Friction that differs along an axis and across it: reference case 21, parts elliptic and incline,
// and the law itself at every contact of every step.
#include <random>

#include <gtest/gtest.h>

#include "tests/support/reference.h"
#include "tests/support/runs.h"

namespace vinci::test {
namespace {

constexpr double g_elliptic = 9.81;

struct EllipticScene {
  double along = 0.2, across = 0.5;
  Vector3 axis = Vector3::UnitX();
  const char* of = "floor";
  Vector3 velocity = Vector3::Zero(), gravity = Vector3(0.0, 0.0, -g_elliptic);
  std::string part =
      "shapes: [{sphere: 0.0078125, material: part}], position: [0, 0, 0.0078125], "
      "motion: {roll: 0, pitch: 0, yaw: 0}";
  std::string run = "step: 1 ms, duration: 1.1";

  std::string yaml() const {
    return fmt::format(R"(
world: spatial
gravity: [{}, {}, {}]
materials: {{floor: {{}}, part: {{}}}}
surfaces:
- {{between: [floor, part], friction: {{along: {}, across: {}, axis: [{}, {}, {}]}}, of: {}}}
bodies:
  floor: {{freedom: fixed, shapes: [{{half-space: {{}}, material: floor}}]}}
  part: {{mass: 1.3, velocity: [{}, {}, {}], {}}}
run: {{{}}}
)",
                       gravity.x(), gravity.y(), gravity.z(), along, across, axis.x(), axis.y(),
                       axis.z(), of, velocity.x(), velocity.y(), velocity.z(), part, run);
  }
};

// The law in physical units, from the recorded numbers alone: the force lies in the ellipse, and
// where the contact slides it is the one of most dissipation. Relative to the normal impulse.
double law_error(const SolvedContact& c) {
  const double normal = c.impulse[0];
  if (!(normal > 0.0)) return c.impulse.norm();
  const Vector2 mu(c.friction, c.friction_2), force = c.impulse.tail<2>();
  const Vector2 slip = c.velocity.tail<2>();
  const Vector2 pull = mu.cwiseProduct(slip);
  if (pull.norm() > 1e-8) {
    return (force + normal * mu.cwiseProduct(pull) / pull.norm()).norm() / normal;
  }
  double used = 0.0;
  for (int k = 0; k < 2; ++k)
    if (force[k] != 0.0) used += std::pow(force[k] / (mu[k] * normal), 2);
  return std::max(0.0, std::sqrt(used) - 1.0);
}

// Time after which nothing moves any more.
double run_to_rest(Simulation& simulation) {
  double stop = 0.0;
  while (!simulation.finished()) {
    const StepReport& report = simulation.step();
    EXPECT_TRUE(is_certified(report, simulation.options().real("accept")));
    if (twist(simulation, "part").linear.norm() > 1e-9) stop = simulation.state().time;
    for (const SolvedContact& contact : simulation.contacts())
      EXPECT_LE(law_error(contact), 1e-8) << simulation.state().time;
  }
  return stop;
}

TEST(EllipticFriction, a_particle_stops_where_the_reference_says) {
  const auto data = reference("case21_friction_laws");
  const double v0 = data["parameters"]["elliptic"]["speed"];
  for (const char* stepper : {"stewart-trinkle", "anitescu-potra"})
    for (const auto& [name, row] : data["expected"]["elliptic"].items()) {
      SCOPED_TRACE(fmt::format("{} {}", stepper, name));
      const double h = 1e-3;
      EllipticScene scene;
      scene.velocity = {row["v0"][0], row["v0"][1], 0.0};
      scene.run = fmt::format("step: {}, duration: 1.1, stepper: {}", h, stepper);
      Simulation simulation = simulate(scene.yaml());
      EXPECT_NEAR(run_to_rest(simulation), row["t_stop"].get<double>(), 2 * h);
      const Vector3 end = position(simulation, "part");
      EXPECT_NEAR(end.x(), row["stop_point"][0].get<double>(), 2 * v0 * h);
      EXPECT_NEAR(end.y(), row["stop_point"][1].get<double>(), 2 * v0 * h);
    }
}

TEST(EllipticFriction, positions_on_the_way_have_first_order) {
  const auto data = reference("case21_friction_laws");
  for (const char* name : {"heading_30_deg", "heading_60_deg"}) {
    const auto& row = data["expected"]["elliptic"][name];
    std::vector<double> steps = {4e-3, 2e-3, 1e-3, 5e-4}, errors;
    for (const double h : steps) {
      EllipticScene scene;
      scene.velocity = {row["v0"][0], row["v0"][1], 0.0};
      scene.run = fmt::format("step: {}, duration: 0.4", h);
      Simulation simulation = simulate(scene.yaml());
      run_exactly(simulation);
      const Vector3 end = position(simulation, "part"), v = twist(simulation, "part").linear;
      errors.push_back(std::hypot(end.x() - row["position"][2][0].get<double>(),
                                  end.y() - row["position"][2][1].get<double>()));
      EXPECT_NEAR(v.x(), row["velocity"][2][0].get<double>(), 4 * h);
      EXPECT_NEAR(v.y(), row["velocity"][2][1].get<double>(), 4 * h);
    }
    EXPECT_GT(fitted_order(steps, errors), 0.9) << name;
    EXPECT_LT(fitted_order(steps, errors), 1.2) << name;
  }
}

// From rest the acceleration is constant, which a step integrates exactly.
TEST(EllipticFriction, on_inclines_it_sticks_or_slides_by_the_ellipse) {
  const auto data = reference("case21_friction_laws");
  int sliding = 0;
  for (const auto& row : data["expected"]["elliptic_incline"]) {
    SCOPED_TRACE(row.dump());
    const double slope = row["slope"], azimuth = row["azimuth"];
    EllipticScene scene;
    scene.gravity = g_elliptic * Vector3(std::sin(slope) * std::cos(azimuth),
                                         std::sin(slope) * std::sin(azimuth), -std::cos(slope));
    scene.run = "step: 10 ms, duration: 0.5";
    Simulation simulation = simulate(scene.yaml());
    run_to_rest(simulation);
    const Vector3 v = twist(simulation, "part").linear;
    if (row["motion"] == "sticks") {
      EXPECT_LT(v.norm(), 1e-10);
      continue;
    }
    ++sliding;
    EXPECT_NEAR(v.norm() / 0.5, row["acceleration"].get<double>(), 1e-8);
    EXPECT_NEAR(std::atan2(v.y(), v.x()), row["direction_angle_from_mu_x_axis"].get<double>(),
                1e-8);
  }
  EXPECT_EQ(sliding, 3);
}

// A block on its corners, of random ellipses, headings and loads, spinning too: every contact of
// every step obeys the law, and friction never gives energy.
TEST(EllipticFriction, every_contact_obeys_the_law_whatever_the_ellipse) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> number(0.0, 1.0);
  for (int k = 0; k < 24; ++k) {
    SCOPED_TRACE(k);
    EllipticScene scene;
    scene.along = k % 6 == 0 ? 0.0 : number(random);
    scene.across = k % 6 == 1 ? 0.0 : number(random);
    const double turn = 2 * M_PI * number(random), heading = 2 * M_PI * number(random);
    scene.axis = {std::cos(turn), std::sin(turn), 0.4 * number(random)};
    scene.velocity = {2 * std::cos(heading), 2 * std::sin(heading), 0.0};
    scene.of = k % 2 == 0 ? "floor" : "part";
    scene.part = fmt::format(
        "shapes: [{{box: [0.3, 0.2, 0.03], material: part}}], position: [0, 0, 0.015], spin: [0, "
        "0, {}]",
        8 * number(random) - 4);
    scene.run = fmt::format("step: 4 ms, duration: 0.4, stepper: {}, motion: {}",
                            k % 4 < 2 ? "stewart-trinkle" : "anitescu-potra",
                            k % 8 == 7 ? "first-order" : "dynamic");
    if (k % 8 == 7) scene.part += ", force: {x: 3, y: -4}";
    Simulation simulation = simulate(scene.yaml());
    double before = energy(simulation.model(), simulation.state()).total();
    while (!simulation.finished()) {
      const StepReport& report = simulation.step();
      ASSERT_TRUE(is_certified(report, simulation.options().real("accept")));
      for (const SolvedContact& contact : simulation.contacts())
        ASSERT_LE(law_error(contact), 1e-7) << simulation.state().time;
      const double now = energy(simulation.model(), simulation.state()).total();
      EXPECT_LE(now, (k % 8 == 7 ? infinity : before + 1e-9));
      before = now;
    }
  }
}

TEST(EllipticFriction, without_friction_along_the_axis_it_glides_on_for_ever) {
  for (const char* cone : {"quadratic", "pyramid", "box"})
    for (const bool along : {false, true}) {
      SCOPED_TRACE(fmt::format("{} {}", cone, along));
      EllipticScene scene;
      scene.along = along ? 0.4 : 0.0;
      scene.across = along ? 0.0 : 0.4;
      scene.velocity = {1.0, 1.0, 0.0};
      scene.run = fmt::format("step: 1 ms, duration: 0.5, cone: {}", cone);
      Simulation simulation = simulate(scene.yaml());
      run_exactly(simulation);
      const Vector3 v = twist(simulation, "part").linear, x = position(simulation, "part");
      const int free = along ? 1 : 0, held = 1 - free;
      EXPECT_NEAR(v[free], 1.0, 1e-12);
      EXPECT_NEAR(v[held], 0.0, 1e-12);
      EXPECT_NEAR(x[held], 1.0 / (2 * 0.4 * g_elliptic), 1e-3);
    }
}

// Layers have axes of their own, which the ellipse turns.
TEST(EllipticFriction, it_is_the_same_over_layers_in_space) {
  const auto data = reference("case21_friction_laws");
  const auto& row = data["expected"]["elliptic"]["heading_30_deg"];
  const double turn = 0.8;  // of everything about the vertical
  const Eigen::Rotation2D<double> turned(turn);
  const Vector2 v0 = turned * Vector2(row["v0"][0], row["v0"][1]);
  const Vector2 stop = turned * Vector2(row["stop_point"][0], row["stop_point"][1]);
  Simulation simulation = simulate(fmt::format(R"(
world: spatial
materials: {{floor: {{stiffness: 1e5, damping: 600}}, part: {{}}}}
surfaces:
- {{between: [floor, part], friction: {{along: 0.2, across: 0.5, axis: [{}, {}, 0]}}, of: floor}}
bodies:
  floor: {{freedom: fixed, shapes: [{{half-space: {{}}, material: floor}}]}}
  part:
    shapes: [{{sphere: 0.02, material: part}}]
    mass: 1
    position: [0, 0, 0.0199019]
    velocity: [{}, {}, 0]
    motion: {{roll: 0, pitch: 0, yaw: 0}}
run: {{step: 5 ms, duration: 1.1, stepper: song-pang-kumar}}
)",
                                               std::cos(turn), std::sin(turn), v0.x(), v0.y()));
  run_exactly(simulation);
  EXPECT_LT((position(simulation, "part").head<2>() - stop).norm(), 0.01);
}

// The axis of a block that is turned is that of the floor turned as far.
TEST(EllipticFriction, an_axis_turns_with_the_body_that_carries_it) {
  const double turn = 0.6;
  EllipticScene on_floor, on_part;
  on_floor.velocity = on_part.velocity = {1.2, -0.7, 0.0};
  on_floor.axis = {std::cos(turn), std::sin(turn), 0.0};
  const std::string shape =
      "shapes: [{sphere: 0.0078125, material: part}], position: [0, 0, "
      "0.0078125], motion: {roll: 0, pitch: 0, yaw: ";
  on_floor.part = shape + "0}";
  on_part.part = shape + fmt::format("{}}}", turn);
  on_part.of = "part";
  Simulation one = simulate(on_floor.yaml()), other = simulate(on_part.yaml());
  run_exactly(one);
  run_exactly(other);
  EXPECT_GT(position(one, "part").norm(), 0.1);
  EXPECT_LT((position(one, "part") - position(other, "part")).norm(), 1e-9);
}

TEST(EllipticFriction, a_circle_is_an_ellipse_of_equal_coefficients) {
  EllipticScene circle, ellipse;
  circle.velocity = ellipse.velocity = {1.2, -0.7, 0.0};
  circle.along = circle.across = 0.3;
  ellipse.along = 0.3;
  ellipse.across = 0.3 * (1 + 1e-13);
  Simulation one = simulate(circle.yaml()), other = simulate(ellipse.yaml());
  EXPECT_EQ(one.model().surface(0, 1).law, nullptr);
  EXPECT_NE(other.model().surface(0, 1).law, nullptr);
  run_exactly(one);
  run_exactly(other);
  EXPECT_LT((position(one, "part") - position(other, "part")).norm(), 1e-9);
}

// The polygon is inscribed: its error falls with the square of its sides.
TEST(EllipticFriction, pyramids_approach_the_ellipse) {
  const auto data = reference("case21_friction_laws");
  const auto& row = data["expected"]["elliptic"]["heading_30_deg"];
  EllipticScene scene;
  scene.velocity = {row["v0"][0], row["v0"][1], 0.0};
  const auto stop = [&](const std::string& cone) {
    scene.run = "step: 2 ms, duration: 1.1, " + cone;
    Simulation simulation = simulate(scene.yaml());
    run_exactly(simulation);
    return position(simulation, "part");
  };
  const Vector3 exact = stop("cone: quadratic");
  for (const int n : {8, 16, 32}) {
    const double error = (stop(fmt::format("cone: pyramid, directions: {}", n)) - exact).norm();
    EXPECT_LT(error, 2 * std::pow(M_PI / n, 2) * exact.norm()) << n;
  }
}

// Where the axis stands on the surface, every direction is across it.
TEST(EllipticFriction, an_axis_along_the_normal_leaves_the_coefficient_across) {
  EllipticScene scene;
  scene.axis = Vector3::UnitZ();
  scene.velocity = {0.6, 0.8, 0.0};
  Simulation simulation = simulate(scene.yaml());
  run_exactly(simulation);
  EXPECT_NEAR(position(simulation, "part").head<2>().norm(), 1 / (2 * 0.5 * g_elliptic), 1e-3);
}

// In an impact too, by both laws.
TEST(EllipticFriction, impulses_of_impacts_lie_in_the_ellipse) {
  for (const char* law : {"newton", "poisson"})
    for (const char* cone : {"quadratic", "pyramid"}) {
      SCOPED_TRACE(fmt::format("{} {}", law, cone));
      EllipticScene scene;
      scene.along = 0.1;
      scene.velocity = {0.8, 0.5, -1.5};
      scene.part = "shapes: [{sphere: 0.05, material: part}], position: [0, 0, 0.2]";
      scene.run = fmt::format(
          "step: 5 ms, duration: 0.3, impact-time: bisect, impact-law: {}, cone: {}", law, cone);
      Simulation simulation = simulate(scene.yaml());
      int impacts = 0;
      while (!simulation.finished()) {
        const StepReport& report = simulation.step();
        ASSERT_TRUE(is_certified(report, simulation.options().real("accept")));
        impacts += report.impacts;
        for (const SolvedContact& c : simulation.contacts())
          if (c.impulse[0] > 0.0) {
            EXPECT_LE(std::hypot(c.impulse[1] / c.friction, c.impulse[2] / c.friction_2),
                      (1 + 1e-9) * c.impulse[0]);
            EXPECT_NEAR(std::abs(c.tangent_1.x()), 1.0, 1e-12);
          }
      }
      EXPECT_GT(impacts, 0);
    }
}

}  // namespace
}  // namespace vinci::test
