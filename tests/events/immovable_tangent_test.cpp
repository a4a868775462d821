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

TEST(ImmovableTangent, a_planar_ball_leaves_a_wall_as_a_disk_does_and_as_time_stepping_has_it) {
  const std::string body =
      "mass: 2, inertia: [0.008, 0.008, 0.008], velocity: [1, 0.2, 0], spin: [0, 0, 3], shapes: "
      "[{sphere: 0.1, "
      "material: m}]";
  const std::string text = on_wall(body, 0.5);
  const WholeRun run(text, events + "step: 10 ms, duration: 1.2");
  const WholeRun steps(text, "stepper: stewart-trinkle, step: 0.1 ms, duration: 1.2");
  const WholeRun plane(R"(world: planar
gravity: [0, 0]
materials: {m: {friction: 0.4, restitution: 0.5}}
bodies:
  p: {mass: 2, inertia: 0.008, velocity: [1, 0.2], spin: 3, shapes: [{circle: 0.1, material: m}]}
  w: {freedom: fixed, shapes: [{half-plane: {point: [1, 0], normal: [-1, 0]}, material: m}]})",
                       events + "step: 10 ms, duration: 1.2");
  for (const WholeRun* other : {&plane, &steps}) {
    // Events resolve the impact in time, and what sticks lets go a little before it ends.
    const double error = other == &plane ? 1e-7 : 1e-3;
    EXPECT_NEAR(run.twist().linear.x(), other->twist().linear.x(), error);
    EXPECT_NEAR(run.twist().linear.y(), other->twist().linear.y(), error);
    EXPECT_NEAR(run.twist().angular.z(), other->twist().angular.z(), 10.0 * error);
  }
  EXPECT_LE(run.most_share, 0.4 + 1e-9);
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
