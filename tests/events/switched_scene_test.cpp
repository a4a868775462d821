// SPDX-License-Identifier: Apache-2.0
// What machines and changes of parameters switch in scenes that move through events, and angles
// that count whole turns, against closed forms.
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "vinci/simulation/simulation.h"

namespace vinci {
namespace {

constexpr double g = 9.81;

struct Switched {  // a whole run
  std::unique_ptr<Simulation> simulation;
  std::vector<StepEvent> events;
  std::vector<EntityKey> piled;

  explicit Switched(const std::string& text) {
    simulation = std::make_unique<Simulation>(Scene::parse(text));
    while (!simulation->finished()) {
      const StepReport& report = simulation->step();
      if (report.accumulations > 0) piled.push_back(report.piled);
      for (const StepEvent& event : simulation->events()) events.push_back(event);
    }
  }
  Vector3 position(const std::string& body) const {
    return simulation->state().poses[simulation->model().find_body(body)].position;
  }
  Twist twist(const std::string& body) const {
    return body_twist(simulation->model(), simulation->state().velocities,
                      simulation->model().find_body(body));
  }
};

// 2 N push; above 0.5 m/s a brake acts. Without hysteresis the speed stays there.
TEST(SwitchedScene, a_machine_that_piles_up_is_named_and_its_switch_goes_on) {
  const Switched run(R"(world: planar
gravity: [0, 0]
bodies:
  cart: {shapes: [{box: [0.1, 0.1]}], mass: 1}
joints:
  rail: {prismatic: [world, cart], motor: {force: 2}}
constraints:
  brake: {zero: rail.position, damping: 10, stiffness: 1, machine: governor, in: slow}
machines:
  governor:
    states: [fast, slow]
    transitions:
      - {from: slow, to: fast, falls: rail.rate - 0.5}
      - {from: fast, to: slow, rises: rail.rate - 0.5}
run: {stepper: event-driven, step: 10 ms, duration: 0.5 s})");
  EXPECT_FALSE(run.piled.empty());
  for (const EntityKey& key : run.piled)
    EXPECT_TRUE(key == machine_key(0) || key == constraint_key(0));
  EXPECT_NEAR(run.twist("cart").linear.x(), 0.5, 1e-3 * 5.2);
}

TEST(SwitchedScene, a_contact_that_a_change_of_parameters_closes_acts) {
  const Switched run(R"(world: planar
parameters: {r: 0.1}
bodies:
  ball: {shapes: [{circle: 0.1}], position: [0, 0.25]}
constraints:
  floor: {at-least-zero: ball.y - r, time-scale: 10 ms}
changes: [{at: 0.05 s, set: {r: 0.3}}]
run: {stepper: event-driven, step: 10 ms, duration: 2 s})");
  ASSERT_FALSE(run.events.empty());
  EXPECT_NEAR(run.events.front().time, 0.05, 1e-12);
  EXPECT_NEAR(run.position("ball").y(), 0.3, 1e-7);
}

TEST(SwitchedScene, a_limit_that_a_change_of_parameters_passes_turns_the_joint_back) {
  const Switched run(R"(world: planar
parameters: {top: 1}
gravity: [0, 0]
bodies:
  arm: {shapes: [{box: [0.4, 0.05]}]}
joints:
  hinge: {revolute: [world, arm], at: [[0, 0], [-0.2, 0]], limits: [-1, top], velocity: 0.3}
changes: [{at: 1 s, set: {top: 0.25}}]
run: {stepper: event-driven, step: 10 ms, duration: 2 s})");
  EXPECT_LT(run.simulation->state().joint_positions[0], 0.25);
}

TEST(SwitchedScene, a_contact_that_is_switched_on_below_zero_touches) {
  const Switched run(R"(world: planar
bodies: {ball: {shapes: [{circle: 0.1}], position: [0, 0.2]}}
constraints:
  floor: {at-least-zero: ball.y - 0.1, time-scale: 10 ms, machine: net, in: [up, hit]}
machines:
  net:
    states: [down, up, hit]
    final: hit
    transitions:
      - {from: down, to: up, falls: ball.y - 0.05}
      - {from: up, to: hit, touches: floor}
run: {stepper: event-driven, step: 20 ms, duration: 0.3 s})");
  std::vector<StepEvent> passed;
  for (const StepEvent& event : run.events)
    if (event.after.key == machine_key(0)) passed.push_back(event);
  ASSERT_EQ(passed.size(), 2u);
  for (const StepEvent& event : passed) EXPECT_NEAR(event.time, std::sqrt(0.3 / g), 1e-8);
  EXPECT_EQ(passed[1].after.state, 2);
}

// A rack that follows a wheel of 5 rad/s through one and a half turns.
TEST(SwitchedScene, angles_count_whole_turns_of_every_planar_body) {
  const char* const wheels[] = {
      "wheel: {shapes: [{circle: 0.1}], motion: {x: 0, y: 0, angle: 5*t}}",
      "wheel: {shapes: [{circle: 0.1}], mass: 1, spin: 5}",
      "wheel: {shapes: [{circle: 0.1}], mass: 1}\njoints:\n"
      "  axle: {revolute: [world, wheel], velocity: 5}",
      "wheel: {shapes: [{circle: 0.1}], mass: 1}\n"
      "  hub: {shapes: [{circle: 0.05}], mass: 1}\njoints:\n"
      "  bearing: {revolute: [wheel, hub], velocity: -5}\n"
      "  axle: {revolute: [world, wheel], velocity: 5}"};
  for (const char* const wheel : wheels)
    for (const char* const step : {"20 ms", "1 s", "2 s"}) {
      const Switched run(fmt::format(
          "world: planar\ngravity: [0, 0]\nbodies:\n"
          "  rack: {{shapes: [{{circle: 0.1}}], mass: 1, position: [1, 0], velocity: [0.5, 0]}}\n"
          "  {}\nconstraints:\n  gear: {{zero: rack.x - 1 - 0.1*wheel.angle, time-scale: 10 ms}}\n"
          "run: {{stepper: event-driven, step: {}, duration: 2 s}}",
          wheel, step));
      EXPECT_NEAR(run.position("rack").x(), 2.0, 1e-7) << wheel << " " << step;
      EXPECT_NEAR(run.twist("rack").linear.x(), 0.5, 1e-7) << wheel << " " << step;
    }
}

}  // namespace
}  // namespace vinci
