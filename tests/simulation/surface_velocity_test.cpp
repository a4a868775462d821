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
