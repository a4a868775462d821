// SPDX-License-Identifier: Apache-2.0
// Reference case 21: contacts with moments: a sphere with rolling and torsional friction, a disk
// that slides and spins on a limit surface; and closed forms of the same in every form of cone, in
// the plane and without inertia.
#include <cmath>

#include <gtest/gtest.h>

#include "tests/support/reference.h"
#include "tests/support/runs.h"
#include "vinci/base/error.h"
#include "vinci/simulation/certify.h"

namespace vinci::test {
namespace {

constexpr double gravity = 9.81;

struct Sphere {
  double radius = 0.04, mass = 0.5, friction = 0.3, rolling = 0.0012, torsion = 0.0006;
  double slope = 0.0, velocity = 0.0, turning = 0.0, spinning = 0.0;
  double step = 1e-3, duration = 1.0;

  // x points up the slope.
  std::string yaml(const std::string& run = "") const {
    const double inertia = 0.4 * mass * radius * radius;
    return fmt::format(R"(
world: spatial
gravity: [{}, 0, {}]
materials: {{m: {{friction: {}, rolling-friction: {}, torsional-friction: {}}}}}
bodies:
  floor: {{freedom: fixed, shapes: [{{half-space: {{}}, material: m}}]}}
  ball: {{shapes: [{{sphere: {}, material: m}}], mass: {}, inertia: [{}, {}, {}], position: [0, 0, {}], velocity: [{}, 0, 0], spin: [0, {}, {}]}}
run: {{step: {}, duration: {}{}}}
)",
                       -gravity * std::sin(slope), -gravity * std::cos(slope), friction, rolling,
                       torsion, radius, mass, inertia, inertia, inertia, radius, velocity, turning,
                       spinning, step, duration, run);
  }
};

// The first time from which on a speed stays below what a step of gravity makes, found as the end
// of its straight fall.
struct Stop {
  double time = -1.0, x = 0.0, angle = 0.0;
};

Stop stop_of(Simulation& simulation, double until) {
  Stop stop;
  const double h = simulation.step_size();
  double angle = 0.0;
  while (simulation.state().time < until - 0.5 * h) {
    EXPECT_LE(simulation.step().solve.residual.relative, 1e-10);
    const Twist now = twist(simulation, "ball");
    angle += h * now.angular.z();
    const bool rests = now.linear.norm() < 1e-9 && now.angular.norm() < 1e-8;
    if (rests && stop.time < 0.0)
      stop = {simulation.state().time, position(simulation, "ball").x(), angle};
    if (!rests) stop.time = -1.0;
  }
  return stop;
}

TEST(SphereWithMoments, rolls_to_a_stop_by_rolling_friction) {
  const auto expected = reference("case21_friction_laws")["expected"]["sphere"]["rolling_stop"];
  std::vector<double> steps = {8e-3, 4e-3, 2e-3}, errors;
  for (const double h : steps) {
    Sphere sphere;
    sphere.velocity = expected["v0"];
    sphere.turning = sphere.velocity / sphere.radius;
    sphere.step = h;
    sphere.duration = 5.0;
    Simulation simulation = simulate(sphere.yaml());
    const Stop stop = stop_of(simulation, 5.0);
    EXPECT_NEAR(stop.time, expected["t_stop"].get<double>(), 2.0 * h);
    EXPECT_NEAR(stop.x, expected["distance"].get<double>(), 2.0 * sphere.velocity * h);
    EXPECT_EQ(position(simulation, "ball").x(), stop.x);  // and there it stays
    errors.push_back(std::abs(stop.x - expected["distance"].get<double>()));
  }
  EXPECT_NEAR(fitted_order(steps, errors), 1.0, 0.1);
}

TEST(SphereWithMoments, friction_decelerates_it_with_the_force_of_the_closed_form) {
  const auto expected = reference("case21_friction_laws")["expected"]["sphere"]["rolling_stop"];
  Sphere sphere;
  sphere.velocity = expected["v0"];
  sphere.turning = sphere.velocity / sphere.radius;
  Simulation simulation = simulate(sphere.yaml());
  for (int i = 0; i < 100; ++i) simulation.step();
  EXPECT_NEAR(twist(simulation, "ball").linear.x(),
              sphere.velocity - 0.1 * expected["deceleration"].get<double>(), 1e-10);
  ASSERT_EQ(simulation.contacts().size(), 1u);
  const SolvedContact& contact = simulation.contacts().front();
  const double h = simulation.step_size(), load = sphere.mass * gravity;
  EXPECT_NEAR(contact.impulse[0] / h, load, 1e-10);
  EXPECT_NEAR(contact.impulse.tail<2>().norm() / h, expected["friction_force"].get<double>(),
              1e-10);
  // About +y it turns, against that acts the moment: on b, which is the ball.
  const Vector3 moment = contact.moment[0] * contact.contact.normal +
                         contact.moment[1] * contact.tangent_1 +
                         contact.moment[2] * contact.tangent_2;
  const double sign = contact.contact.normal.z() > 0.0 ? 1.0 : -1.0;
  EXPECT_NEAR(moment.y() / h, -sign * sphere.rolling * load, 1e-12);
  EXPECT_NEAR(contact.turning.tail<2>().norm(), twist(simulation, "ball").angular.norm(), 1e-10);
}

TEST(SphereWithMoments, spins_to_a_stop_by_torsional_friction) {
  const auto expected =
      reference("case21_friction_laws")["expected"]["sphere"]["spin_about_vertical"];
  for (const double h : {8e-3, 4e-3, 2e-3}) {
    Sphere sphere;
    sphere.spinning = expected["omega0"];
    sphere.step = h;
    sphere.duration = 4.0;
    Simulation simulation = simulate(sphere.yaml());
    const Stop stop = stop_of(simulation, 4.0);
    EXPECT_NEAR(stop.time, expected["t_stop"].get<double>(), 2.0 * h);
    EXPECT_NEAR(stop.angle, expected["angle"].get<double>(), 2.0 * sphere.spinning * h);
  }
}

TEST(SphereWithMoments, slips_then_rolls_then_stops) {
  const auto expected =
      reference("case21_friction_laws")["expected"]["sphere"]["slip_then_roll_then_stop"];
  std::vector<double> steps = {8e-3, 4e-3, 2e-3}, errors;
  for (const double h : steps) {
    Sphere sphere;
    sphere.velocity = expected["v0"];
    sphere.step = h;
    sphere.duration = 6.0;
    Simulation simulation = simulate(sphere.yaml());
    double rolls_at = -1.0;
    while (rolls_at < 0.0 && !simulation.finished()) {
      simulation.step();
      const Twist now = twist(simulation, "ball");
      if (std::abs(now.linear.x() - sphere.radius * now.angular.y()) < 1e-9)
        rolls_at = simulation.state().time;
    }
    EXPECT_NEAR(rolls_at, expected["t_roll"].get<double>(), 2.0 * h);
    EXPECT_NEAR(position(simulation, "ball").x(), expected["x_roll"].get<double>(),
                2.0 * sphere.velocity * h);
    const Stop stop = stop_of(simulation, 6.0);
    EXPECT_NEAR(stop.time, expected["t_stop"].get<double>(), 2.0 * h);
    EXPECT_NEAR(stop.x, expected["x_stop"].get<double>(), 2.0 * sphere.velocity * h);
    errors.push_back(std::abs(stop.x - expected["x_stop"].get<double>()));
  }
  EXPECT_NEAR(fitted_order(steps, errors), 1.0, 0.15);
}

TEST(SphereWithMoments, stays_on_a_gentle_incline_and_rolls_back_on_a_steep_one) {
  const auto cases = reference("case21_friction_laws")["expected"]["sphere"];
  for (const double h : {4e-3, 2e-3, 1e-3}) {
    for (const char* name : {"incline_stays", "incline_rolls_back"}) {
      const auto& expected = cases[name];
      Sphere sphere;
      sphere.slope = expected["slope"];
      sphere.velocity = expected["v0"];
      sphere.turning = sphere.velocity / sphere.radius;
      sphere.step = h;
      sphere.duration = 3.0;
      Simulation simulation = simulate(sphere.yaml());
      double top = 0.0, at = 0.0, back = -1.0, returned = 0.0;
      while (!simulation.finished()) {
        simulation.step();
        const double x = position(simulation, "ball").x();
        if (x > top) top = x, at = simulation.state().time;
        if (back < 0.0 && at > 0.0 && x <= 0.0)
          back = simulation.state().time, returned = -twist(simulation, "ball").linear.x();
      }
      EXPECT_NEAR(at, expected["t_top"].get<double>(), 2.0 * h) << name;
      EXPECT_NEAR(top, expected["x_top"].get<double>(), 2.0 * sphere.velocity * h) << name;
      if (!expected.contains("t_return")) {
        EXPECT_EQ(position(simulation, "ball").x(), top) << name;
        continue;
      }
      // The way back begins up to a step late and ends up to a step late.
      EXPECT_NEAR(back, expected["t_return"].get<double>(), 3.0 * h) << name;
      EXPECT_NEAR(returned, expected["v_return"].get<double>(), 3.0 * gravity * h) << name;
    }
  }
}

TEST(SphereWithMoments, a_ball_at_rest_on_an_incline_below_its_limit_does_not_move_in_10_s) {
  for (const char* run : {"", ", cone: pyramid", ", cone: box", ", stepper: anitescu-potra"}) {
    Sphere sphere;
    sphere.slope = 0.99 * std::atan(sphere.rolling / sphere.radius);
    sphere.step = 0.01;
    sphere.duration = 10.0;
    Simulation simulation = simulate(sphere.yaml(run));
    const Vector3 start = position(simulation, "ball");
    run_exactly(simulation);
    EXPECT_LE((position(simulation, "ball") - start).norm(), 1e-13) << run;
    EXPECT_LE(twist(simulation, "ball").angular.norm(), 1e-12) << run;
  }
}

// Along a direction of the pyramid the linearised law is the exact one.
TEST(SphereWithMoments, every_form_of_cone_and_stepper_gives_the_same_deceleration) {
  for (const char* run :
       {", cone: pyramid", ", cone: pyramid, directions: 16", ", stepper: anitescu-potra",
        ", stepper: anitescu-potra, cone: pyramid"}) {
    Sphere sphere;
    sphere.velocity = 0.8;
    sphere.turning = sphere.velocity / sphere.radius;
    sphere.spinning = 30.0;
    Simulation simulation = simulate(sphere.yaml(run));
    for (int i = 0; i < 200; ++i) {
      ASSERT_LE(simulation.step().solve.residual.relative, 1e-9) << run;
    }
    const Twist now = twist(simulation, "ball");
    EXPECT_NEAR(now.linear.x(), 0.8 - 0.2 * sphere.rolling / sphere.radius * gravity / 1.4, 1e-8)
        << run;
    EXPECT_NEAR(now.angular.z(),
                30.0 - 0.2 * sphere.torsion * gravity / (0.4 * sphere.radius * sphere.radius), 1e-6)
        << run;
  }
}

// --------------------------------------------------------------------------------- limit surface

// A ball that cannot roll stands for the disk: its inertia about x and y is beyond any torque.
std::string disk(double velocity, double spin, double step, const std::string& moments,
                 const std::string& run = "") {
  const double mass = 0.1, radius = 0.05;
  return fmt::format(R"(
world: spatial
materials: {{m: {{friction: 0.3, {}}}}}
bodies:
  floor: {{freedom: fixed, shapes: [{{half-space: {{}}, material: m}}]}}
  ball: {{shapes: [{{sphere: 0.01, material: m}}], mass: {}, inertia: [1e6, 1e6, {}], position: [0, 0, 0.01], velocity: [{}, 0, 0], spin: [0, 0, {}]}}
run: {{step: {}, duration: 1{}}}
)",
                     moments, mass, 0.5 * mass * radius * radius, velocity, spin, step, run);
}

TEST(LimitSurface, a_disk_slides_and_spins_as_the_ellipsoid_says) {
  const auto runs =
      reference("case21_friction_laws")["expected"]["disk"]["ellipsoid_limit_surface"]["runs"];
  for (const auto& expected : runs) {
    const double v = expected["v0"], w = expected["omega0"];
    std::vector<double> steps = {4e-3, 2e-3, 1e-3}, errors;
    for (const double h : steps) {
      Simulation simulation = simulate(disk(v, w, h, "patch: {radius: 0.05, pressure: uniform}"));
      const Stop stop = stop_of(simulation, 1.0);
      EXPECT_NEAR(stop.time, expected["t_stop"].get<double>(), 2.0 * h) << v << " " << w;
      EXPECT_NEAR(stop.x, expected["travel"].get<double>(), 2.0 * v * h) << v << " " << w;
      EXPECT_NEAR(stop.angle, expected["rotation"].get<double>(), 2.0 * w * h) << v << " " << w;
      errors.push_back(std::abs(stop.x - expected["travel"].get<double>()));
    }
    EXPECT_NEAR(fitted_order(steps, errors), 1.0, 0.25) << v << " " << w;
  }
}

TEST(LimitSurface, independent_laws_stop_each_by_itself) {
  const auto runs =
      reference("case21_friction_laws")["expected"]["disk"]["independent_laws"]["runs"];
  for (const auto& expected : runs) {
    const double v = expected["v0"], w = expected["omega0"], h = 1e-3;
    Simulation simulation = simulate(disk(v, w, h, "torsional-friction: 0.01"));
    double slides_until = -1.0, spins_until = -1.0, angle = 0.0, turned = 0.0, travel = 0.0;
    while (!simulation.finished()) {
      simulation.step();
      const Twist now = twist(simulation, "ball");
      angle += h * now.angular.z();
      if (slides_until < 0.0 && now.linear.norm() < 1e-7)
        slides_until = simulation.state().time, travel = position(simulation, "ball").x();
      if (spins_until < 0.0 && std::abs(now.angular.z()) < 1e-7)
        spins_until = simulation.state().time, turned = angle;
    }
    EXPECT_NEAR(slides_until, expected["t_stop_slide"].get<double>(), 2.0 * h);
    EXPECT_NEAR(travel, expected["travel"].get<double>(), 2.0 * v * h);
    EXPECT_NEAR(spins_until, expected["t_stop_spin"].get<double>(), 2.0 * h);
    EXPECT_NEAR(turned, expected["rotation"].get<double>(), 2.0 * w * h);
  }
}

// Friction goes to the corner that does most against the velocity, at most half a diagonal of the
// grid of corners, π√2/k, away from where the ellipsoid's would point; the polyhedron is inscribed.
TEST(LimitSurface, a_polyhedron_of_more_corners_comes_nearer) {
  const auto exact = [] {
    Simulation simulation = simulate(disk(1.0, 40.0, 2e-3, "patch: {radius: 0.05}"));
    for (int i = 0; i < 100; ++i) simulation.step();
    return twist(simulation, "ball");
  }();
  const double slowed = 0.2 * 0.3 * gravity;  // by friction alone in 0.2 s, m/s
  const double turned = slowed * (0.1 / 3.0) / (0.5 * 0.05 * 0.05);  // by the patch alone, rad/s
  double before = infinity;
  for (const int sides : {4, 8, 16}) {
    Simulation simulation = simulate(disk(1.0, 40.0, 2e-3, "patch: {radius: 0.05}",
                                          fmt::format(", cone: pyramid, directions: {}", sides)));
    for (int i = 0; i < 100; ++i) {
      ASSERT_LE(simulation.step().solve.residual.relative, 1e-8);
    }
    const Twist now = twist(simulation, "ball");
    const double error =
        (now.linear - exact.linear).norm() + 0.05 * std::abs(now.angular.z() - exact.angular.z());
    EXPECT_LT(error, before) << sides;
    EXPECT_LE(error, (slowed + 0.05 * turned) * M_PI * std::sqrt(2.0) / sides) << sides;
    before = error;
  }
}

// The exact limit surface of uniform pressure: points of support that share the load converge to
// it.
TEST(LimitSurface, a_patch_of_supports_converges_to_the_uniform_disk) {
  const auto runs =
      reference("case21_friction_laws")["expected"]["disk"]["uniform_pressure_disk"]["runs"];
  const auto& expected = runs[0];
  const double v = expected["v0"], w = expected["omega0"];
  double before = infinity;
  for (const double spacing : {0.02, 0.01, 0.005}) {
    Simulation simulation = simulate(fmt::format(R"(
world: planar
table: {{gravity: 9.81, friction: 0.3}}
bodies:
  ball: {{shapes: [{{circle: 0.05}}], mass: 0.1, inertia: 1.25e-4, velocity: [{}, 0], spin: {}, supports: {{patch: {}}}}}
run: {{step: 2 ms, duration: 0.7}}
)",
                                                 v, w, spacing));
    double angle = 0.0;
    while (!simulation.finished()) {
      simulation.step();
      angle += simulation.step_size() * twist(simulation, "ball").angular.z();
    }
    const double error =
        std::abs(position(simulation, "ball").x() - expected["travel"].get<double>()) / v +
        std::abs(angle - expected["rotation"].get<double>()) / w;
    EXPECT_LT(error, before) << spacing;
    before = error;
  }
  EXPECT_LE(before, 4.0 * 2e-3);  // of the step: 2h each
}

// ------------------------------------------------------------------------------ plane, no inertia

TEST(PlanarMoments, a_wheel_rolls_to_a_stop) {
  const double radius = 0.2, rolling = 0.004, v = 1.0, a = rolling / radius * gravity / 1.5;
  for (const char* run : {"", ", cone: pyramid", ", stepper: anitescu-potra", ", solver: lemke"}) {
    Simulation simulation = simulate(fmt::format(R"(
world: planar
materials: {{m: {{friction: 0.5, rolling-friction: {}}}}}
bodies:
  floor: {{freedom: fixed, shapes: [{{half-plane: {{}}, material: m}}]}}
  wheel: {{shapes: [{{circle: {}, material: m}}], mass: 2, position: [0, {}], velocity: [{}, 0], spin: {}}}
run: {{step: 5 ms, duration: 9{}}}
)",
                                                 rolling, radius, radius, v, -v / radius, run));
    for (int i = 0; i < 200; ++i) simulation.step();
    EXPECT_NEAR(twist(simulation, "wheel").linear.x(), v - a, 1e-8) << run;
    while (!simulation.finished()) simulation.step();
    EXPECT_NEAR(twist(simulation, "wheel").linear.x(), 0.0, 1e-9) << run;
    EXPECT_NEAR(position(simulation, "wheel").x(), 0.5 * v * v / a, 2.0 * v * 5e-3) << run;
  }
}

// A wall without friction pushes the ball along: R F = μ_r m g.
TEST(MomentsWithoutInertia, pushing_a_ball_takes_the_force_of_its_rolling_friction) {
  const double radius = 0.04, mass = 0.5, rolling = 0.0012;
  for (const char* motion : {"quasi-static", "dynamic"}) {
    Simulation simulation = simulate(fmt::format(R"(
world: spatial
materials: {{m: {{friction: 0.3, rolling-friction: {}}}, ice: {{}}}}
surfaces: [{{between: [m, ice], friction: 0, rolling-friction: 0}}]
bodies:
  floor: {{freedom: fixed, shapes: [{{half-space: {{}}, material: m}}]}}
  wall:
    shapes: [{{box: [0.02, 0.1, 0.1], material: ice}}]
    position: [-0.05, 0, 0.06]
    motion: {{x: -0.05 + 0.1*t, y: 0, z: 0.06, roll: 0}}
  ball: {{shapes: [{{sphere: {}, material: m}}], mass: {}, position: [0, 0, {}]}}
run: {{step: 5 ms, duration: 0.5, motion: {}}}
)",
                                                 rolling, radius, mass, radius, motion));
    while (!simulation.finished()) simulation.step();
    EXPECT_NEAR(twist(simulation, "ball").linear.x(), 0.1, 1e-7) << motion;
    EXPECT_NEAR(twist(simulation, "ball").angular.y(), 0.1 / radius, 1e-5) << motion;
    double force = 0.0;
    for (const SolvedContact& contact : simulation.contacts())
      if (std::abs(contact.contact.normal.x()) > 0.5) force += contact.impulse[0] / 5e-3;
    EXPECT_NEAR(force, rolling / radius * mass * gravity, 1e-7) << motion;
  }
}

// Inertia read as damping: the velocity is what the acceleration would be, times 1 s.
TEST(MomentsWithoutInertia, a_ball_of_first_order_creeps_down_or_stays) {
  for (const double slope : {0.01, 0.1}) {
    Sphere sphere;
    sphere.slope = slope;
    sphere.step = 0.01;
    Simulation simulation = simulate(sphere.yaml(", motion: first-order"));
    for (int i = 0; i < 10; ++i) simulation.step();
    const double pull = std::sin(slope) - sphere.rolling / sphere.radius * std::cos(slope);
    EXPECT_NEAR(twist(simulation, "ball").linear.x(), -std::max(0.0, pull) * gravity / 1.4, 1e-9)
        << slope;
  }
}

// Without inertia a ball rests where contact forces and moments balance its weight, or has no
// answer.
TEST(MomentsWithoutInertia, an_incline_beyond_the_limit_has_no_equilibrium) {
  for (const char* cone : {"quadratic", "pyramid"})
    for (const double share : {0.9, 0.999, 1.001, 1.2}) {
      Sphere sphere;
      sphere.slope = std::atan(share * sphere.rolling / sphere.radius);
      sphere.step = 0.01;
      Simulation simulation =
          simulate(sphere.yaml(fmt::format(", motion: quasi-static, cone: {}", cone)));
      const StepReport& report = simulation.step();
      if (share < 1.0) {
        EXPECT_EQ(report.solve.status, SolveStatus::solved) << cone << " " << share;
        EXPECT_LE(twist(simulation, "ball").linear.norm(), 1e-12) << cone << " " << share;
      } else {
        EXPECT_EQ(report.solve.status, SolveStatus::no_solution) << cone << " " << share;
      }
    }
}

// A driven turntable spins a ball at its centre up: by μ_τ N, until both turn alike.
TEST(PrescribedTurning, a_turntable_takes_a_ball_along) {
  const double radius = 0.04, mass = 0.5, torsion = 0.0006, speed = 3.0;
  const double gain = torsion * gravity / (0.4 * radius * radius);  // rad/s²
  for (const char* run : {"", ", cone: pyramid", ", stepper: anitescu-potra"}) {
    Simulation simulation = simulate(fmt::format(R"(
world: spatial
materials: {{m: {{friction: 0.3, torsional-friction: {}}}}}
bodies:
  table: {{shapes: [{{box: [1, 1, 0.1], material: m}}], motion: {{x: 0, y: 0, z: -0.05, yaw: {}*t}}}}
  ball: {{shapes: [{{sphere: {}, material: m}}], mass: {}, position: [0, 0, {}]}}
run: {{step: 5 ms, duration: 1{}}}
)",
                                                 torsion, speed, radius, mass, radius, run));
    for (int i = 0; i < 40; ++i) simulation.step();
    EXPECT_NEAR(twist(simulation, "ball").angular.z(), 0.2 * gain, 1e-8) << run;
    while (!simulation.finished()) simulation.step();
    EXPECT_NEAR(twist(simulation, "ball").angular.z(), speed, 1e-8) << run;
  }
}

// --------------------------------------------------------------------------------- what it says

TEST(MomentsInScenes, mistakes_are_named) {
  const auto mistake = [](const std::string& material, const std::string& world = "spatial") {
    const bool planar = world == "planar";
    try {
      Scene::parse(fmt::format("world: {}\nmaterials: {{m: {{friction: 0.5, {}}}}}\nbodies:\n  "
                               "floor: {{freedom: fixed, "
                               "shapes: [{{{}: {{}}, material: m}}]}}\n",
                               world, material, planar ? "half-plane" : "half-space"))
          .compile();
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(mistake("rolling-friction: 0.01"), "");
  EXPECT_EQ(mistake("rolling-friction: 0.01", "planar"), "");
  EXPECT_NE(mistake("rolling-friction: -1").find("rolling-friction"), std::string::npos);
  EXPECT_NE(mistake("torsional-friction: 0.01, patch: {radius: 0.1}").find("one of the two"),
            std::string::npos);
  EXPECT_NE(mistake("patch: {radius: 0.1, pressure: [0, 0]}").find("no pressure is above 0"),
            std::string::npos);
  EXPECT_NE(mistake("patch: {radius: 0.1, pressure: round}").find("hertz"), std::string::npos);
  EXPECT_NE(mistake("torsional-friction: 0.01", "planar").find("torsional-friction"),
            std::string::npos);
  EXPECT_NE(mistake("patch: {radius: 0.1}", "planar").find("patch"), std::string::npos);
}

TEST(MomentsInScenes, a_patch_has_the_arm_of_its_pressure) {
  const auto radius = [](const std::string& pressure) {
    const auto model =
        Scene::parse(
            fmt::format("world: spatial\nmaterials: {{m: {{friction: 0.5, patch: {{radius: "
                        "0.3{}}}}}}}\nbodies:\n  floor: {{freedom: fixed, shapes: "
                        "[{{half-space: {{}}, material: m}}]}}\n",
                        pressure))
            .compile();
    return model->surface(0, 0).moments.radius;
  };
  EXPECT_NEAR(radius(""), 0.2, 1e-15);
  EXPECT_NEAR(radius(", pressure: uniform"), 0.2, 1e-15);
  EXPECT_NEAR(radius(", pressure: hertz"), 0.3 * 3.0 * M_PI / 16.0, 1e-15);
  EXPECT_NEAR(radius(", pressure: ring"), 0.3, 1e-15);
  EXPECT_NEAR(radius(", pressure: [1, 1, 1]"), 0.2, 1e-15);
  EXPECT_NEAR(radius(", pressure: [1, 0]"), 0.3 * 0.5, 1e-15);  // a cone: (1/12)/(1/6)
}

TEST(MomentsInScenes, layers_of_springs_refuse_them) {
  EXPECT_THROW(simulate(R"(
world: planar
materials: {m: {friction: 0.5, rolling-friction: 0.001, stiffness: 1e4, damping: 10}}
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}, material: m}]}
  wheel: {shapes: [{circle: 0.1, material: m}], position: [0, 0.1]}
run: {step: 1 ms, duration: 1, stepper: song-pang-kumar}
)"),
               Error);
}

// Without inertia a ball at rest may roll in two ways and spin in one, unless a moment holds it.
TEST(MomentsCertified, motions_that_cost_nothing_are_those_that_no_moment_holds) {
  for (const char* cone : {"quadratic", "pyramid"})
    for (const double rolling : {0.0, 0.001})
      for (const double torsion : {0.0, 0.001}) {
        Sphere sphere;
        sphere.rolling = rolling;
        sphere.torsion = torsion;
        Simulation simulation =
            simulate(sphere.yaml(fmt::format(", motion: quasi-static, cone: {}", cone)));
        const StepCertificate certificate = certify_step(simulation);
        EXPECT_EQ(certificate.verdict.exists, Existence::proved);
        const std::size_t open = (rolling > 0.0 ? 0 : 2) + (torsion > 0.0 ? 0 : 1);
        EXPECT_EQ(certificate.free.size(), open) << cone << " " << rolling << " " << torsion;
        EXPECT_EQ(certificate.verdict.motion == Only::unique, open == 0)
            << cone << " " << rolling << " " << torsion;
      }
}

// Never 'unique' by a proof that does not know of moments.
TEST(MomentsCertified, a_step_exists_and_nothing_wrong_is_said_of_its_uniqueness) {
  for (const char* cone : {"quadratic", "pyramid"}) {
    Sphere sphere;
    sphere.velocity = 0.8;
    Simulation simulation = simulate(sphere.yaml(fmt::format(", cone: {}", cone)));
    const StepCertificate certificate = certify_step(simulation);
    EXPECT_EQ(certificate.verdict.exists, Existence::proved);
    EXPECT_NE(certificate.verdict.motion, Only::several);
  }
}

}  // namespace
}  // namespace vinci::test
