// SPDX-License-Identifier: Apache-2.0
// What stands, stands: stacks, moving supports, and fast bodies that must not pass through
// anything.
#include <gtest/gtest.h>

#include "tests/support/runs.h"

namespace vinci::test {
namespace {

std::string stack(bool planar, int count) {
  std::string bodies;
  for (int i = 0; i < count; ++i)
    bodies += planar ? fmt::format(
                           "  box{}: {{shapes: [{{box: [0.1, 0.1], material: m}}], position: [0, "
                           "{:.17g}]}}\n",
                           i, 0.05 + 0.1 * i)
                     : fmt::format(
                           "  box{}: {{shapes: [{{box: [0.1, 0.1, 0.1], material: m}}], position: "
                           "[0, 0, {:.17g}]}}\n",
                           i, 0.05 + 0.1 * i);
  return fmt::format(R"(
world: {}
materials: {{m: {{friction: 0.5}}}}
bodies:
  floor: {{freedom: fixed, shapes: [{{{}: {{}}, material: m}}]}}
{}
run: {{step: 1 ms, duration: 10 s}}
)",
                     planar ? "planar" : "spatial", planar ? "half-plane" : "half-space", bodies);
}

class Standing : public testing::TestWithParam<bool> {};

TEST_P(Standing, a_stack_of_ten_boxes_stands_10_s_without_sinking_or_drifting_by_1e_9_m) {
  Simulation simulation = simulate(stack(GetParam(), 10));
  const State start = simulation.state();
  double penetration = 0.0;
  while (!simulation.finished()) {
    const StepReport& report = simulation.step();
    ASSERT_LE(report.solve.residual.relative, 1e-10) << "step " << simulation.state().step;
    penetration = std::max(penetration, report.penetration);
  }
  EXPECT_LT(penetration, 1e-9);
  for (std::size_t b = 0; b < start.poses.size(); ++b)
    EXPECT_LT((simulation.state().poses[b].position - start.poses[b].position).norm(), 1e-9);
}

INSTANTIATE_TEST_SUITE_P(PlanarAndSpatial, Standing, testing::Values(true, false),
                         [](const auto& variant) { return variant.param ? "planar" : "spatial"; });

// The support moves sideways and up with accelerations below what friction and gravity allow: the
// box must follow without slip, and its gap stay closed to rounding.
TEST(MovingSupport, a_box_rides_along_without_creep) {
  Simulation simulation = simulate(R"(
world: planar
materials: {m: {friction: 0.5}}
bodies:
  table: {shapes: [{box: [1, 0.1], material: m}], motion: {x: 0.05*sin(6*t), y: 0.03*cos(5*t), angle: 0}}
  box: {shapes: [{box: [0.2, 0.1], material: m}], position: [0, 0.13], velocity: [0.3, 0]}
run: {step: 1 ms, duration: 5}
)");
  simulation.step();
  const double offset = position(simulation, "box").x() - position(simulation, "table").x();
  double slip = 0.0, gap = 0.0;
  while (!simulation.finished()) {
    ASSERT_LE(simulation.step().solve.residual.relative, 1e-10);
    slip = std::max(slip, std::abs(position(simulation, "box").x() -
                                   position(simulation, "table").x() - offset));
    gap = std::max(
        gap, std::abs(position(simulation, "box").y() - position(simulation, "table").y() - 0.1));
  }
  EXPECT_LT(slip, 1e-12);
  EXPECT_LT(gap, 1e-12);
}

// Centrifugal force is a tenth of friction: the coin stays where it lies on the table.
TEST(MovingSupport, a_coin_rides_on_a_turntable_without_creep) {
  Simulation simulation = simulate(R"(
world: spatial
materials: {m: {friction: 0.5}}
bodies:
  table: {shapes: [{cylinder: {radius: 1, height: 0.1}, material: m}], motion: {x: 0, y: 0, z: -0.05, yaw: 2*t}}
  coin: {shapes: [{box: [0.04, 0.04, 0.01], material: m}], position: [0.12, 0, 0.005], velocity: [0, 0.24, 0], spin: [0, 0, 2]}
run: {step: 2 ms, duration: 3}
)");
  double creep = 0.0;
  while (!simulation.finished()) {
    ASSERT_LE(simulation.step().solve.residual.relative, 1e-10);
    const Pose& table = simulation.state().poses[body(simulation, "table")];
    const Vector3 local = table.to_local(position(simulation, "coin"));
    creep = std::max(creep, (local - Vector3(0.12, 0.0, 0.055)).norm());
  }
  EXPECT_LT(creep, 1e-9);  // 1500 steps with a residual of 1e-12
}

// The plate rocks about an axis below it; friction holds the block against all of it.
TEST(MovingSupport, a_block_rides_on_a_rocking_plate_without_creep) {
  Simulation simulation = simulate(R"(
world: planar
materials: {m: {friction: 1}}
bodies:
  plate: {shapes: [{box: [1, 0.1], position: [0, 0.3], material: m}], motion: {x: 0, y: 0, angle: 0.2*sin(6*t)^2}}
  block: {shapes: [{box: [0.1, 0.05], material: m}], position: [0.1, 0.375]}
run: {step: 1 ms, duration: 3}
)");
  double creep = 0.0;
  while (!simulation.finished()) {
    ASSERT_LE(simulation.step().solve.residual.relative, 1e-10);
    const Pose& plate = simulation.state().poses[body(simulation, "plate")];
    const Vector3 local = plate.to_local(position(simulation, "block"));
    creep = std::max(creep, (local - Vector3(0.1, 0.375, 0.0)).norm());
  }
  EXPECT_LT(creep, 1e-9);
}

TEST(FastBodies, a_bullet_does_not_pass_a_thin_wall) {
  for (const double speed : {10.0, 100.0, 1000.0}) {
    Simulation simulation = simulate(fmt::format(R"(
world: spatial
gravity: [0, 0, 0]
bodies:
  wall: {{freedom: fixed, shapes: [{{box: [0.01, 10, 10]}}]}}
  bullet: {{shapes: [{{sphere: 0.01}}], position: [-3.3, 0.1, 0.2], velocity: [{}, 0, 0]}}
run: {{step: 10 ms, duration: 1}}
)",
                                                 speed));
    while (!simulation.finished()) simulation.step();
    EXPECT_NEAR(position(simulation, "bullet").x(), -0.015, 1e-9) << speed;
  }
}

// The cue is at rest and starts to move only by the hit within the step: it must not pass the wall
// behind it.
TEST(FastBodies, a_body_set_in_motion_within_the_step_does_not_pass_a_wall_either) {
  Simulation simulation = simulate(R"(
world: planar
gravity: [0, 0]
bodies:
  wall: {freedom: fixed, shapes: [{box: [0.01, 1]}], position: [1, 0]}
  target: {shapes: [{circle: 0.02}], mass: 0.01, position: [0.9, 0]}
  hammer: {shapes: [{circle: 0.05}], mass: 10, position: [0.5, 0], velocity: [100, 0]}
run: {step: 10 ms, duration: 0.1}
)");
  while (!simulation.finished()) simulation.step();
  EXPECT_LT(position(simulation, "target").x(), 1.0);
  EXPECT_LT(position(simulation, "hammer").x(), 1.0);
}

// The plate is at rest at the beginning and at the end of the step, and sweeps over the ball
// between.
TEST(FastBodies, a_driven_plate_that_jumps_within_one_step_takes_the_ball_along) {
  Simulation simulation = simulate(R"(
world: planar
gravity: [0, 0]
bodies:
  plate: {shapes: [{box: [0.1, 1]}], motion: {x: '-1 + (1 - cos(pi*min(t/0.01, 1)))', y: 0, angle: 0}}
  ball: {shapes: [{circle: 0.05}], position: [0, 0]}
run: {step: 10 ms, duration: 0.01}
)");
  simulation.step();
  EXPECT_GE(position(simulation, "ball").x(), position(simulation, "plate").x() + 0.1 - 1e-9);
}

// Each plate is set in motion by the one before it, all within one step.
TEST(FastBodies, a_chain_of_hits_within_one_step_passes_nothing) {
  std::string plates;
  for (int i = 0; i < 6; ++i)
    plates +=
        fmt::format("  plate{}: {{shapes: [{{box: [0.01, 0.5]}}], mass: 0.1, position: [{}, 0]}}\n",
                    i, 0.5 + 0.2 * i);
  Simulation simulation = simulate(fmt::format(R"(
world: planar
gravity: [0, 0]
bodies:
  hammer: {{shapes: [{{box: [0.1, 0.5]}}], mass: 100, velocity: [150, 0]}}
{}
run: {{step: 10 ms, duration: 0.02}}
)",
                                               plates));
  while (!simulation.finished()) {
    simulation.step();
    double last = position(simulation, "hammer").x();
    for (int i = 0; i < 6; ++i) {
      const double x = position(simulation, fmt::format("plate{}", i)).x();
      EXPECT_GT(x, last) << i;
      last = x;
    }
  }
}

// Nothing pulls on the boxes but the push from the end; gaps are of rounding size.
TEST(ZeroGravity, boxes_pressed_against_a_wall_without_gravity_keep_their_contacts) {
  std::string boxes;
  for (int i = 0; i < 10; ++i)
    boxes += fmt::format("  box{}: {{shapes: [{{box: [0.1, 0.1]}}], position: [{:.17g}, 0]{}}}\n",
                         i, -0.05 - 0.1 * i - 1e-15 * i, i == 9 ? ", force: {x: 10}" : "");
  Simulation simulation = simulate(fmt::format(R"(
world: planar
gravity: [0, 0]
bodies:
  wall: {{freedom: fixed, shapes: [{{half-plane: {{point: [0, 0], normal: [-1, 0]}}}}]}}
{}
run: {{step: 1 ms, duration: 0.5}}
)",
                                               boxes));
  int repeated = 0;
  double penetration = 0.0;
  while (!simulation.finished()) {
    const StepReport& report = simulation.step();
    ASSERT_LE(report.solve.residual.relative, 1e-10);
    repeated += report.passes > 1 ? 1 : 0;
    penetration = std::max(penetration, report.penetration);
  }
  EXPECT_LT(penetration, 1e-12);
  EXPECT_LE(repeated, 1);  // the first step, when the push arrives
}

TEST(Divergence, a_force_that_is_not_a_number_is_reported_with_its_body) {
  Simulation simulation = simulate(R"(
world: planar
materials: {m: {friction: 0.3}}
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}, material: m}]}
  good: {shapes: [{box: [0.1, 0.1], material: m}], position: [1, 0.05], velocity: [1, 0]}
  bad: {shapes: [{box: [0.1, 0.1], material: m}], position: [0, 0.05], force: {x: sqrt(0.05 - t)}}
run: {step: 1 ms, duration: 1}
)");
  while (!simulation.finished()) simulation.step();
  EXPECT_TRUE(simulation.diverged());
  EXPECT_EQ(simulation.report().diverged_body, body(simulation, "bad"));
  EXPECT_NEAR(simulation.state().time, 0.052, 1e-9);  // the step that begins after 0.05 s
}

// A puck that moves in x and y only, over a floor that it cannot leave or press on.
TEST(PlanarFreedom, a_floor_that_the_body_cannot_press_on_does_not_hold_it) {
  Simulation simulation = simulate(R"(
world: spatial
materials: {m: {friction: 0.5}}
bodies:
  floor: {freedom: fixed, shapes: [{half-space: {}, material: m}]}
  puck: {freedom: planar, shapes: [{sphere: 0.1, material: m}], position: [0, 0, 0.0999], velocity: [1, 0, 0]}
run: {step: 1 ms, duration: 0.1}
)");
  while (!simulation.finished()) ASSERT_EQ(simulation.step().solve.residual.relative, 0.0);
  EXPECT_NEAR(position(simulation, "puck").x(), 0.1, 1e-12);
  EXPECT_NEAR(simulation.report().penetration, 1e-4, 1e-12);
}

TEST(Changes, friction_changed_during_the_run_lets_the_block_go) {
  Simulation simulation = simulate(R"(
world: planar
parameters: {mu: 0.5, slope: 20 deg}
materials: {m: {friction: mu}}
bodies:
  incline: {freedom: fixed, shapes: [{half-plane: {angle: -slope}, material: m}]}
  block: {shapes: [{box: [0.2, 0.1], material: m}], position: [0.05*sin(slope), 0.05*cos(slope)], angle: -slope}
changes: [{at: 0.5, set: {mu: 0.1}}]
run: {step: 1 ms, duration: 1}
)");
  while (simulation.state().step < 500) simulation.step();
  EXPECT_LT(twist(simulation, "block").linear.norm(), 1e-12);
  while (!simulation.finished()) simulation.step();
  const double slope = 20.0 * M_PI / 180.0;
  EXPECT_NEAR(twist(simulation, "block").linear.norm(),
              9.81 * (std::sin(slope) - 0.1 * std::cos(slope)) * 0.5, 1e-9);
}

TEST(Changes, parameters_that_depend_on_a_changed_one_follow_it) {
  const std::string scene = R"(
world: planar
parameters: {r: 0.1, d: 2*r}
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}}]}
  ball: {shapes: [{circle: d/2}], position: [0, d]}
changes: [{at: 0.1, set: {r: 0.05}}]
run: {step: 1 ms, duration: 0.2}
)";
  RunOverrides overrides;
  overrides.parameters["r"] = 0.2;
  Simulation simulation = simulate(scene, overrides);
  EXPECT_EQ(simulation.parameters().at("d"), 0.4);
  EXPECT_EQ(position(simulation, "ball").y(), 0.4);
  while (!simulation.finished()) simulation.step();
  EXPECT_EQ(simulation.parameters().at("d"), 0.1);
}

TEST(Changes, geometry_parameters_change_between_steps_and_the_body_stays_in_place) {
  Simulation simulation = simulate(R"(
world: planar
parameters: {r: 0.1}
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}}]}
  ball: {shapes: [{circle: r}], position: [0, 0.1]}
run: {step: 1 ms, duration: 2}
)");
  for (int i = 0; i < 10; ++i) simulation.step();
  EXPECT_NEAR(position(simulation, "ball").y(), 0.1, 1e-12);
  simulation.set_parameter("r", 0.05);
  EXPECT_NEAR(position(simulation, "ball").y(), 0.1, 1e-12);
  while (!simulation.finished()) simulation.step();
  EXPECT_NEAR(position(simulation, "ball").y(), 0.05, 1e-9);
  EXPECT_THROW(simulation.set_parameter("r", -1.0), SceneError);
  EXPECT_THROW(simulation.set_parameter("radius", 1.0), SceneError);
  EXPECT_EQ(simulation.parameters().at("r"), 0.05);
}

}  // namespace
}  // namespace vinci::test
