// SPDX-License-Identifier: Apache-2.0
// Two links that jam as a strut: the tip of the lower one sticks to the floor while it is sunk in
// from its impact, and a limit holds the hinge between them. Nothing can push the tip out.
#include <gtest/gtest.h>

#include "vinci/simulation/simulation.h"

namespace vinci {
namespace {

TEST(Strut, jams_between_a_floor_and_a_limit_and_stands_in_balance) {
  constexpr double friction = 0.484, weight = 9.81;
  Simulation simulation(Scene::parse(R"(
world: planar
materials: {m: {friction: 0.484, impact: {time-scale: 1.5 ms}}}
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}, material: m}]}
  link-0: {shapes: [{box: [0.176, 0.04], material: m}]}
  link-1: {shapes: [{box: [0.271, 0.04], material: m}]}
joints:
  hinge-0: {revolute: [world, link-0], at: [[0, 0.4], [-0.088, 0]], position: -0.425, velocity: -1.41}
  hinge-1: {revolute: [link-0, link-1], at: [[0.1, 0], [-0.1355, 0]], position: 0.5865, velocity: -0.187, limits: [-0.8, 0.9]}
run: {stepper: event-driven, step: 20 ms, duration: 0.5}
)"));
  while (!simulation.finished()) simulation.step();
  EXPECT_LE(simulation.state().velocities.lpNorm<Eigen::Infinity>(), 1e-9);
  // Moments about the upper hinge: weights of both links and what the floor does to the tip.
  const Model& model = simulation.model();
  const Pose& lower = simulation.state().poses[model.find_body("link-1")];
  double moment = 0.0;
  for (const char* name : {"link-0", "link-1"}) {
    const int b = model.find_body(name);
    moment -= model.bodies[b].mass.mass * weight * simulation.state().poses[b].position.x();
  }
  Vector3 tip = lower * Vector3(0.1355, -0.02, 0.0);
  if (const Vector3 other = lower * Vector3(0.1355, 0.02, 0.0); other.y() < tip.y()) tip = other;
  int contacts = 0;
  for (const ConstraintMode& mode : simulation.modes()) {
    EXPECT_GE(mode.force[0], 0.0);
    if (mode.key.kind != EntityKind::contact) continue;
    ++contacts;
    EXPECT_LE(std::abs(mode.force[1]), friction * mode.force[0]);
    const double push = mode.force[0], along = -mode.force[1];  // the tangent points to −x
    moment += tip.x() * push - (tip.y() - 0.5 * mode.gap - 0.4) * along;  // amid the gap
  }
  EXPECT_EQ(contacts, 1);
  EXPECT_NEAR(moment, 0.0, 1e-6);
}

}  // namespace
}  // namespace vinci
