// SPDX-License-Identifier: Apache-2.0
// Friction where bodies cannot move along a tangent: planar bodies in a spatial world and bodies on
// hinges move as they do in the plane, and as time-stepping moves them.
#include <gtest/gtest.h>

#include "vinci/simulation/simulation.h"

namespace vinci {
namespace {

struct WholeRun {
  Simulation simulation;
  double most_share = 0.0;  // of friction, of normal forces

  WholeRun(const std::string& text, const std::string& choices)
      : simulation(Scene::parse(text + "\nrun: {" + choices + "}\n")) {
    while (!simulation.finished()) {
      simulation.step();
      for (const StepEvent& event : simulation.events()) look(event.after);
      for (const ConstraintMode& mode : simulation.modes()) look(mode);
    }
  }
  void look(const ConstraintMode& mode) {
    if (mode.force[0] > 1.0)
      most_share = std::max(most_share, std::hypot(mode.force[1], mode.force[2]) / mode.force[0]);
  }
  Twist twist() const { return body_twist(simulation.model(), simulation.state().velocities, 0); }
  Vector3 position() const { return simulation.state().poses[0].position; }
  double energy_now() const { return energy(simulation.model(), simulation.state()).total(); }
};

const std::string events = "stepper: {name: event-driven, accuracy: 1e-9}, ";

std::string on_wall(const std::string& body, double restitution) {
  return "world: spatial\ngravity: [0, 0, 0]\nmaterials: {m: {friction: 0.4, restitution: " +
         std::to_string(restitution) + "}}\nbodies:\n  p: {freedom: planar, " + body +
         "}\n  w: {freedom: fixed, shapes: [{half-space: {point: [1, 0, 0], normal: [-1, 0, 0]}, "
         "material: m}]}\n";
}

TEST(ImmovableTangent, planar_bodies_give_back_in_space_what_is_asked_for) {
  for (const std::string shape :
       {"cylinder: {radius: 0.1, height: 0.05}", "box: [0.2, 0.2, 0.2]", "sphere: 0.1"})
    for (const double restitution : {1.0, 0.5}) {
      const std::string text =
          on_wall("shapes: [{" + shape + ", material: m}], velocity: [1, 0, 0]", restitution);
      for (const std::string step : {"2 ms", "10 ms", "100 ms"}) {
        const WholeRun run(text, events + "step: " + step + ", duration: 1.2");
        EXPECT_NEAR(run.twist().linear.x(), -restitution, 1e-6) << shape << " " << step;
        EXPECT_LE(std::abs(run.twist().linear.y()), 1e-7);
      }
    }
}

// A ball of 2 kg and 0.008 kg m² that spins meets a wall at 1 m/s.
const std::string spinning = on_wall(
    "mass: 2, inertia: [0.008, 0.008, 0.008], velocity: [1, 0.2, 0], spin: [0, 0, 3], shapes: "
    "[{sphere: 0.1, material: m}]",
    0.5);

Vector3 motion_of(const WholeRun& run) {
  return {run.twist().linear.x(), run.twist().linear.y(), run.twist().angular.z()};
}

// Of an impact within no time: friction can hold far more than what stops the slip of 0.2 + 0.3
// m/s, 0.5/(1/m + r²/I) N s.
Vector3 after_impact() {
  const double stopped = 0.5 / (1.0 / 2.0 + 0.01 / 0.008);
  return {-0.5, 0.2 - stopped / 2.0, 3.0 - 0.1 * stopped / 0.008};
}

TEST(ImmovableTangent, a_planar_ball_leaves_a_wall_as_a_disk_does) {
  const std::string choices = events + "step: 10 ms, duration: 1.2";
  const WholeRun run(spinning, choices);
  const WholeRun plane(R"(world: planar
gravity: [0, 0]
materials: {m: {friction: 0.4, restitution: 0.5}}
bodies:
  p: {mass: 2, inertia: 0.008, velocity: [1, 0.2], spin: 3, shapes: [{circle: 0.1, material: m}]}
  w: {freedom: fixed, shapes: [{half-plane: {point: [1, 0], normal: [-1, 0]}, material: m}]})",
                       choices);
  EXPECT_LE((motion_of(run) - motion_of(plane)).norm(), 1e-6);
  EXPECT_LE(run.most_share, 0.4 + 1e-9);
}

TEST(ImmovableTangent, a_planar_ball_leaves_a_wall_in_time_steps_as_an_impact_has_it) {
  for (const std::string step : {"10 ms", "2.5 ms", "0.3 ms"}) {
    const WholeRun run(spinning, "stepper: stewart-trinkle, step: " + step + ", duration: 1.2");
    EXPECT_LE((motion_of(run) - after_impact()).norm(), 1e-8) << step;
  }
}

// Events resolve the impact in time: the ball sinks in by about the speed times the time scale, so
// that friction acts that much nearer to its middle. The error is of first order in the time scale,
// and of second order once that is taken out.
TEST(ImmovableTangent, a_planar_ball_leaves_a_wall_the_more_as_an_impact_has_it_the_shorter_it_is) {
  std::vector<Vector3> errors;
  for (const std::string scale : {"8e-3", "4e-3", "2e-3", "1e-3"}) {
    const WholeRun run(spinning, "stepper: {name: event-driven, accuracy: 1e-9, time-scale: " +
                                     scale + "}, step: 10 ms, duration: 1.2");
    EXPECT_NEAR(run.twist().linear.x(), -0.5, 1e-8);
    errors.push_back(motion_of(run) - after_impact());
  }
  for (std::size_t i = 0; i + 1 < errors.size(); ++i)
    for (const int k : {1, 2}) EXPECT_NEAR(errors[i][k] / errors[i + 1][k], 2.0, 0.1) << i;
  for (std::size_t i = 0; i + 2 < errors.size(); ++i)
    for (const int k : {1, 2})
      EXPECT_NEAR(
          (2.0 * errors[i + 1][k] - errors[i][k]) / (2.0 * errors[i + 2][k] - errors[i + 1][k]),
          4.0, 0.2)
          << i;
}

TEST(ImmovableTangent, a_hinged_bar_falls_on_a_block_in_space_as_it_does_in_the_plane) {
  const WholeRun space(R"(world: spatial
materials: {m: {friction: 0.4}}
bodies:
  arm: {shapes: [{box: [1, 0.1, 0.1], material: m, position: [0.5, 0, 0]}]}
  stop: {freedom: fixed, shapes: [{box: [0.2, 0.2, 0.2], material: m}], position: [0.8, 0, -0.8]}
joints: {j: {revolute: [world, arm], axis: [0, 1, 0]}})",
                       events + "step: 10 ms, duration: 0.4");
  const WholeRun plane(R"(world: planar
materials: {m: {friction: 0.4}}
bodies:
  arm: {shapes: [{box: [1, 0.1], material: m, position: [0.5, 0], density: 100}]}
  stop: {freedom: fixed, shapes: [{box: [0.2, 0.2], material: m}], position: [0.8, -0.8]}
joints: {j: {revolute: [world, arm]}})",
                       events + "step: 10 ms, duration: 0.4");
  EXPECT_NEAR(space.energy_now(), plane.energy_now(), 1e-5);
  EXPECT_NEAR(space.twist().angular.y(), -plane.twist().angular.z(), 1e-6);
  EXPECT_LE(space.most_share, 0.4 + 1e-9);
  EXPECT_GT(space.most_share, 0.4 - 1e-9);
}

// The point of contact is level with the hinge: it moves along the normal alone.
TEST(ImmovableTangent, a_bar_that_is_touched_level_with_its_hinge_feels_no_friction) {
  for (const std::string friction : {"0", "0.8"}) {
    const WholeRun run("materials: {m: {friction: " + friction + R"(}}
world: planar
bodies:
  arm: {shapes: [{box: [1, 0.1], material: m, position: [0.5, 0.05]}], mass: 3, inertia: 1}
  stop: {freedom: fixed, shapes: [{circle: 0.1, material: m}], position: [0.8, -0.1]}
joints: {j: {revolute: [world, arm], position: 0.5}})",
                       events + "step: 10 ms, duration: 3");
    EXPECT_NEAR(run.simulation.state().joint_positions[0], 0.0, 1e-7);
    EXPECT_LE(run.most_share, friction == "0" ? 0.0 : 0.8 + 1e-9);
  }
}

}  // namespace
}  // namespace vinci
