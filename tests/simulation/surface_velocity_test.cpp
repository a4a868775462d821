// SPDX-License-Identifier: Apache-2.0
// Surfaces that run over their shapes, as belts do: what lies on them is carried.
#include <gtest/gtest.h>

#include "tests/support/runs.h"

namespace vinci::test {
namespace {

// A part on a belt that runs along x; `belt` and `part` are the further keys of their shapes.
std::string planar(const std::string& belt, const std::string& part, const std::string& run) {
  return fmt::format(R"(
world: planar
materials: {{m: {{friction: 0.4}}, s: {{friction: 0.4, stiffness: 1e6, damping: 3e3}}}}
bodies:
  belt: {{freedom: fixed, shapes: [{{half-plane: {{}}, material: m, {}}}]}}
  part: {{shapes: [{{{}}}], mass: 2, inertia: 0.01, position: [0, 0.1]}}
run: {{{}}}
)",
                     belt, part, run);
}

std::string spatial(const std::string& velocity, const std::string& run) {
  return fmt::format(R"(
world: spatial
materials: {{m: {{friction: 0.4}}}}
bodies:
  belt: {{freedom: fixed, shapes: [{{half-space: {{}}, material: m, surface-velocity: {}}}]}}
  part: {{shapes: [{{box: [0.4, 0.3, 0.2], material: m}}], position: [0, 0, 0.1]}}
run: {{{}}}
)",
                     velocity, run);
}

void run_certified(Simulation& simulation) {
  while (!simulation.finished()) {
    const StepReport& report = simulation.step();
    ASSERT_TRUE(is_certified(report, simulation.options().real("accept")))
        << simulation.state().time;
  }
}

constexpr double g = 9.81;

// μ g up to the speed of the belt, then it rides: v t − v²/(2 μ g) to first order in the step. A
// layer bears the weight only after d/k = 3 ms, and friction with it: half of v d/k of the way.
TEST(SurfaceVelocity, a_part_is_pulled_by_friction_up_to_the_speed_of_its_belt) {
  for (const char* stepper : {"stewart-trinkle", "anitescu-potra", "song-pang-kumar"})
    for (const double h : {2e-3, 1e-3}) {
      SCOPED_TRACE(fmt::format("{} {}", stepper, h));
      const bool soft = std::string(stepper) == "song-pang-kumar";
      Simulation simulation =
          simulate(planar("surface-velocity: [1.5, 0]",
                          fmt::format("box: [0.4, 0.2], material: {}", soft ? "s" : "m"),
                          fmt::format("step: {}, duration: 1, stepper: {}", h, stepper)));
      run_certified(simulation);
      EXPECT_NEAR(twist(simulation, "part").linear.x(), 1.5, soft ? 1e-3 : 1e-12);
      const double exact = 1.5 - 1.5 * 1.5 / (2 * 0.4 * g);
      EXPECT_NEAR(position(simulation, "part").x(), exact, 1.5 * h + (soft ? 2e-3 : 0.0));
    }
}

// Friction can follow 0.3 · 10 m/s² < μ g: the part is where the belt is, whatever the step.
TEST(SurfaceVelocity, what_sticks_to_a_belt_moves_as_the_belt_does) {
  const double end = 0.7, way = 0.03 * (1 - std::cos(10 * end));
  for (const char* motion : {"dynamic", "first-order", "quasi-static"}) {
    SCOPED_TRACE(motion);
    Simulation flat =
        simulate(planar("surface-velocity: [0.3*sin(10*t), 7]", "box: [0.4, 0.2], material: m",
                        fmt::format("step: 10 ms, duration: 0.7, motion: {}", motion)));
    run_certified(flat);
    EXPECT_NEAR(position(flat, "part").x(), way, 1e-9);
    EXPECT_NEAR(position(flat, "part").y(), 0.1, 1e-9);
    Simulation box =
        simulate(spatial("[0.3*sin(10*t), -0.2*sin(10*t), 1]",
                         fmt::format("step: 10 ms, duration: 0.7, motion: {}", motion)));
    run_certified(box);
    EXPECT_NEAR(position(box, "part").x(), way, 1e-9);
    EXPECT_NEAR(position(box, "part").y(), -way / 1.5, 1e-9);
    EXPECT_NEAR(position(box, "part").z(), 0.1, 1e-9);
  }
}

// P/m + P r²/I = v: a third of the speed for a disc, two sevenths for a ball.
TEST(SurfaceVelocity, a_wheel_put_on_a_belt_ends_at_a_third_of_its_speed) {
  Simulation disc = simulate(R"(
world: planar
materials: {m: {friction: 0.4}}
bodies:
  belt: {freedom: fixed, shapes: [{half-plane: {}, material: m, surface-velocity: [1.2, 0]}]}
  part: {shapes: [{circle: 0.1, material: m}], position: [0, 0.1]}
run: {step: 1 ms, duration: 1}
)");
  run_certified(disc);
  EXPECT_NEAR(twist(disc, "part").linear.x(), 0.4, 1e-9);
  EXPECT_NEAR(twist(disc, "part").angular.z(), 8.0, 1e-8);
  for (const char* cone : {"quadratic", "pyramid"}) {
    SCOPED_TRACE(cone);
    Simulation ball = simulate(fmt::format(R"(
world: spatial
materials: {{m: {{friction: 0.4}}}}
bodies:
  belt: {{freedom: fixed, shapes: [{{half-space: {{}}, material: m, surface-velocity: [0.7, 0, 0]}}]}}
  part: {{shapes: [{{sphere: 0.1, material: m}}], position: [0, 0, 0.1]}}
run: {{step: 1 ms, duration: 1, cone: {}}}
)",
                                           cone));
    run_certified(ball);
    EXPECT_NEAR(twist(ball, "part").linear.x(), 0.2, 1e-9);
    EXPECT_NEAR(twist(ball, "part").angular.y(), -5.0, 1e-8);
  }
}

// The belt's own body is pushed back: momentum stays.
TEST(SurfaceVelocity, a_belt_on_ice_is_pushed_back_by_what_it_carries) {
  Simulation simulation = simulate(R"(
world: planar
materials: {m: {friction: 0.4}, ice: {friction: 0}}
surfaces: [{between: [m, ice], friction: 0}]
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}, material: ice}]}
  belt: {shapes: [{box: [2, 0.2], material: m, surface-velocity: [0.9, 0]}], mass: 4, inertia: 2, position: [0, 0.1]}
  part: {shapes: [{box: [0.1, 0.1], material: m}], mass: 2, inertia: 0.01, position: [0, 0.25]}
run: {step: 1 ms, duration: 0.5}
)");
  run_certified(simulation);
  EXPECT_NEAR(twist(simulation, "part").linear.x(), 0.6, 1e-9);
  EXPECT_NEAR(twist(simulation, "belt").linear.x(), -0.3, 1e-9);
}

// Along the axes of the shape, which lies at an angle on a body that stands at another.
TEST(SurfaceVelocity, a_belt_runs_along_the_axes_of_its_shape) {
  Simulation simulation = simulate(R"(
world: planar
gravity: [0, -9.81]
materials: {m: {friction: 5}}
bodies:
  belt: {freedom: fixed, angle: 10 deg, shapes: [{box: [40, 2], angle: 20 deg, material: m, surface-velocity: [0.5, 0]}]}
  part: {shapes: [{box: [0.2, 0.2], material: m}], angle: 30 deg, position: [-0.55, 0.95262794416288251]}
run: {step: 1 ms, duration: 1}
)");
  const Vector3 start = position(simulation, "part");
  run_certified(simulation);
  const Vector3 way = position(simulation, "part") - start;
  EXPECT_NEAR(way.x(), 0.5 * std::cos(M_PI / 6), 2e-3);
  EXPECT_NEAR(way.y(), 0.5 * std::sin(M_PI / 6), 2e-3);
}

// While it slides through the whole impact: v_t = μ (1 + e) v_n.
TEST(SurfaceVelocity, a_ball_that_bounces_on_a_belt_gets_a_push_along_it) {
  Simulation simulation = simulate(R"(
world: planar
materials: {m: {friction: 0.1, restitution: 0.5}}
bodies:
  belt: {freedom: fixed, shapes: [{half-plane: {}, material: m, surface-velocity: [-20, 0]}]}
  part: {shapes: [{circle: 0.1, material: m}], position: [0, 0.2], velocity: [0, -3]}
run: {step: 1 ms, duration: 50 ms, impact-time: bisect}
)");
  run_certified(simulation);
  const double speed = std::sqrt(9.0 + 2 * g * 0.1);
  EXPECT_NEAR(twist(simulation, "part").linear.x(), -0.1 * 1.5 * speed, 1e-4);
}

// The belt's work is no energy that the rebound asks for: e times the speed at touching, whatever
// the belt adds along it.
TEST(SurfaceVelocity, a_ball_bounces_as_high_from_a_fast_belt_as_from_a_floor) {
  const double h = 2e-4, speed = std::sqrt(9.0 + 2 * g * 0.1), flight = 0.05 - (speed - 3.0) / g;
  for (const char* stepper : {"stewart-trinkle", "anitescu-potra"})
    for (const bool flat : {true, false})
      for (const double e : {0.5, 0.9, 1.0}) {
        SCOPED_TRACE(fmt::format("{} {} {}", stepper, flat, e));
        Simulation simulation = simulate(fmt::format(
            R"(
world: {}
materials: {{m: {{friction: 0.6, restitution: {}}}}}
bodies:
  belt: {{freedom: fixed, shapes: [{{{}: {{}}, material: m, surface-velocity: {}}}]}}
  part: {{shapes: [{{{}: 0.1, material: m}}], position: {}, velocity: {}}}
run: {{step: {}, duration: 50 ms, stepper: {}}}
)",
            flat ? "planar" : "spatial", e, flat ? "half-plane" : "half-space",
            flat ? "[-20, 0]" : "[-12, 16, 0]", flat ? "circle" : "sphere",
            flat ? "[0, 0.2]" : "[0, 0, 0.2]", flat ? "[0, -3]" : "[0, 0, -3]", h, stepper));
        run_certified(simulation);
        const Vector3 v = twist(simulation, "part").linear;
        // Of the time of the impact: g h; of the way that is closed at once: g h again.
        EXPECT_NEAR(v[flat ? 1 : 2], e * speed - g * flight, 4 * g * h);
        EXPECT_NEAR(v.head(flat ? 1 : 2).norm(), 0.6 * (1 + e) * speed, 4 * g * h);
      }
}

// A surface against a surface: the part sticks where v − (0.5, −0.1) = (1, 0.2).
TEST(SurfaceVelocity, two_belts_against_each_other_add_up) {
  for (const char* stepper : {"stewart-trinkle", "anitescu-potra"})
    for (const char* cone : {"quadratic", "pyramid", "box"})
      for (const char* motion : {"dynamic", "first-order", "quasi-static"}) {
        SCOPED_TRACE(fmt::format("{} {} {}", stepper, cone, motion));
        Simulation simulation = simulate(fmt::format(R"(
world: spatial
materials: {{m: {{friction: 0.4}}}}
bodies:
  belt: {{freedom: fixed, shapes: [{{half-space: {{}}, material: m, surface-velocity: [1, 0.2, 0]}}]}}
  part: {{shapes: [{{box: [0.4, 0.3, 0.2], material: m, surface-velocity: [-0.5, 0.1, 3]}}], position: [0, 0, 0.1]}}
run: {{step: 10 ms, duration: 0.6, stepper: {}, cone: {}, motion: {}}}
)",
                                                     stepper, cone, motion));
        run_certified(simulation);
        const Twist end = twist(simulation, "part");
        EXPECT_LE((end.linear - Vector3(1.5, 0.1, 0.0)).norm(), 1e-9);
        EXPECT_LE(end.angular.norm(), 1e-9);
      }
}

// Up, down and across a slope: what friction holds moves along it with the speed of the belt.
TEST(SurfaceVelocity, a_belt_carries_up_a_slope) {
  for (const char* motion : {"dynamic", "first-order", "quasi-static"})
    for (const char* normal : {"[0.3, 0, 1]", "[-0.3, 0, 1]", "[0.2, -0.3, 1]"}) {
      SCOPED_TRACE(fmt::format("{} {}", motion, normal));
      Simulation simulation = simulate(fmt::format(R"(
world: spatial
materials: {{m: {{friction: 0.9}}}}
bodies:
  belt: {{freedom: fixed, shapes: [{{half-space: {{normal: {}}}, material: m, surface-velocity: [0.3, 0.4, 0]}}]}}
  part: {{shapes: [{{box: [0.4, 0.3, 0.2], material: m}}], pose: {{on: belt, at: [0, 0]}}}}
run: {{step: 5 ms, duration: 0.5, motion: {}}}
)",
                                                   normal, motion));
      const Pose start = simulation.state().poses[1];
      run_certified(simulation);
      const Vector3 v = twist(simulation, "part").linear;
      EXPECT_NEAR(v.norm(), 0.5, 1e-9);
      EXPECT_NEAR(v.dot(start.rotation * Vector3::UnitZ()), 0.0, 1e-9);
      EXPECT_LE(twist(simulation, "part").angular.norm(), 1e-8);
    }
}

// A belt on a turning table: from the middle outwards, on the spiral (r + v t)(cos a, sin a).
TEST(SurfaceVelocity, a_belt_on_a_turning_table_carries_without_creep) {
  for (const char* motion : {"first-order", "quasi-static"})
    for (const double h : {1e-2, 2e-2}) {
      SCOPED_TRACE(fmt::format("{} {}", motion, h));
      Simulation simulation = simulate(fmt::format(R"(
world: spatial
materials: {{m: {{friction: 0.8}}}}
bodies:
  table:
    shapes: [{{half-space: {{}}, material: m, surface-velocity: [0.1, 0, 0]}}]
    motion: {{x: 0.3*t, y: 0, z: 0, roll: 0, pitch: 0, yaw: 2*t}}
  part: {{shapes: [{{box: [0.04, 0.03, 0.02], material: m}}], position: [0.1, 0, 0.01]}}
run: {{step: {}, duration: 1, motion: {}}}
)",
                                                   h, motion));
      run_certified(simulation);
      const Vector3 expected(0.3 + 0.2 * std::cos(2.0), 0.2 * std::sin(2.0), 0.01);
      EXPECT_LE((position(simulation, "part") - expected).norm(), 1e-8);
    }
}

// The body moves one way, its surface the other: what lies on it stays.
TEST(SurfaceVelocity, a_belt_that_runs_back_under_a_moving_body_leaves_its_part_in_place) {
  for (const char* stepper : {"stewart-trinkle", "anitescu-potra"}) {
    SCOPED_TRACE(stepper);
    Simulation simulation = simulate(fmt::format(R"(
world: spatial
materials: {{m: {{friction: 0.5}}}}
bodies:
  belt:
    shapes: [{{half-space: {{}}, material: m, surface-velocity: [-0.5*cos(3*t), 0, 0]}}]
    motion: {{x: 0.5/3*sin(3*t), y: 0, z: 0.01*sin(5*t), roll: 0, pitch: 0, yaw: 0}}
  part: {{shapes: [{{box: [0.4, 0.3, 0.2], material: m}}], position: [0, 0, 0.1], velocity: [0, 0, 0.05]}}
run: {{step: 5 ms, duration: 2, stepper: {}}}
)",
                                                 stepper));
    run_certified(simulation);
    EXPECT_LE((position(simulation, "part") - Vector3(0, 0, 0.1 + 0.01 * std::sin(10.0))).norm(),
              1e-9);
  }
}

// Belts that run apart under the two sides of a part: torques of the four corners balance where
// ω = b v/(a² + b²), a and b being half its length and width.
TEST(SurfaceVelocity, belts_that_run_apart_turn_what_lies_across_them) {
  Simulation simulation = simulate(R"(
world: spatial
materials: {m: {friction: 0.5}}
bodies:
  left: {freedom: fixed, shapes: [{box: [2, 1, 0.2], material: m, surface-velocity: [0.3, 0, 0]}], position: [0, -0.5, -0.1]}
  right: {freedom: fixed, shapes: [{box: [2, 1, 0.2], material: m, surface-velocity: [-0.3, 0, 0]}], position: [0, 0.5, -0.1]}
  part: {shapes: [{sphere: 0.02, material: m, position: [0.15, 0.1, 0]}, {sphere: 0.02, material: m, position: [-0.15, 0.1, 0]},
                  {sphere: 0.02, material: m, position: [-0.15, -0.1, 0]}, {sphere: 0.02, material: m, position: [0.15, -0.1, 0]}],
         position: [0, 0, 0.02]}
run: {step: 1 ms, duration: 1 ms, motion: quasi-static}
)");
  run_certified(simulation);
  const Twist now = twist(simulation, "part");
  EXPECT_NEAR(now.angular.z(), 0.1 * 0.3 / (0.15 * 0.15 + 0.1 * 0.1), 1e-8);
  EXPECT_LE(now.linear.norm(), 1e-8);
}

// What rides on a belt is as much at rest as what stands on a floor: it needs no finer substeps.
TEST(SurfaceVelocity, a_part_with_layers_that_rides_rests) {
  int substeps[2];
  for (const int rides : {0, 1}) {
    Simulation simulation = simulate(fmt::format(R"(
world: planar
materials: {{m: {{friction: 0.6}}, s: {{friction: 0.6, stiffness: 1e6, damping: 300}}}}
bodies:
  belt: {{freedom: fixed, shapes: [{{half-plane: {{}}, material: m, surface-velocity: [{0}, 0]}}]}}
  part: {{shapes: [{{box: [0.4, 0.2], material: s}}], mass: 2, position: [0, 0.1], velocity: [{0}, 0]}}
run: {{step: 10 ms, duration: 0.5, stepper: song-pang-kumar}}
)",
                                                 3 * rides));
    run_certified(simulation);
    substeps[rides] = simulation.report().substeps;
    EXPECT_NEAR(position(simulation, "part").x(), 1.5 * rides, 1e-9);
  }
  EXPECT_EQ(substeps[1], substeps[0]);
}

TEST(SurfaceVelocity, a_rate_of_slip_is_that_of_the_surfaces) {
  Simulation simulation = simulate(planar(
      "surface-velocity: [1.5, 0]", "box: [0.4, 0.2], material: m", "step: 1 ms, duration: 10 ms"));
  simulation.step();
  ASSERT_EQ(simulation.contacts().size(), 2u);
  for (const SolvedContact& contact : simulation.contacts()) {
    const Vector3 slip = contact.velocity[1] * contact.tangent_1;
    EXPECT_NEAR(slip.norm(), 1.5 - 0.4 * g * 1e-3, 1e-12);
  }
}

TEST(SurfaceVelocity, wrong_ones_are_named) {
  for (const auto& [text, words] : std::initializer_list<std::pair<const char*, const char*>>{
           {"surface-velocity: 3", "[vx, vy] in m/s"},
           {"surface-velocity: [1, 2, 3]", "[vx, vy] in m/s"},
           {"surface-velocity: [q, 0]", "q"},
           {"surface-velocity: [1/0, 0]", "finite"}}) {
    SCOPED_TRACE(text);
    try {
      simulate(planar(text, "box: [0.4, 0.2]", "step: 1 ms, duration: 10 ms"));
      FAIL() << "accepted";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("surface-velocity"), std::string::npos)
          << error.what();
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace vinci::test
