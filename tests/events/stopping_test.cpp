// SPDX-License-Identifier: Apache-2.0
// Event-driven steps that are asked to stop, and parts of steps.
#include <gtest/gtest.h>

#include "vinci/recording/run_loop.h"

namespace vinci {
namespace {

// From 2.5 s on a ball that is caught between two walls hits them ten thousand times a
// second. A parameter changes within the first of these steps.
Simulation storm() {
  return Simulation(Scene::parse(R"(world: planar
gravity: [0, 0]
parameters: {push: 0}
bodies:
  ball: {shapes: [{circle: 0.1}], mass: 1, position: [-25, 0], velocity: [10, 0], force: {x: push}}
constraints:
  right: {at-least-zero: 1e-4 - ball.x, restitution: 1, time-scale: 1e-5}
  left: {at-least-zero: ball.x + 1e-4, restitution: 1, time-scale: 1e-5, machine: gate, in: shut}
machines:
  gate: {states: [open, shut], final: shut, transitions: [{from: open, to: shut, rises: ball.x}]}
changes: [{at: 2.502 s, set: {push: 1e-9}}]
run: {stepper: event-driven, step: 10 ms, duration: 2.51 s}
)"));
}

bool has_changed(const Simulation& simulation) {
  return simulation.parameters().at("push") != 0.0;
}

TEST(Stopping, a_step_that_is_stopped_after_a_change_is_not_done_and_is_made_again) {
  Simulation simulation = storm(), other = storm();
  simulation.stop_when([&] { return has_changed(simulation); });
  State before;
  EXPECT_THROW(
      {
        while (!simulation.finished()) {
          before = simulation.state();
          simulation.step();
        }
      },
      StepStopped);
  EXPECT_EQ(before.step, 250);
  EXPECT_TRUE(simulation.state() == before);
  EXPECT_FALSE(has_changed(simulation));
  simulation.stop_when({});
  while (!simulation.finished()) simulation.step();
  while (!other.finished()) other.step();
  EXPECT_TRUE(has_changed(simulation));
  EXPECT_EQ(hash(simulation.state()), hash(other.state()));
}

TEST(Stopping, the_loop_ends_at_the_last_whole_step) {
  Simulation simulation = storm();
  simulation.stop_when([&] { return has_changed(simulation); });
  EXPECT_FALSE(run_steps(simulation, {.last_step = simulation.total_steps()}));
  EXPECT_EQ(simulation.state().step, 250);
}

// A ball on the way to a floor: a part of a step ends where free fall does, and the rest of the
// step brings it to where a whole one does.
TEST(Stopping, parts_of_a_step_are_at_their_times) {
  const std::string text = R"(world: planar
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}}]}
  ball: {shapes: [{circle: 0.1}], mass: 1, position: [0, 1]}
run: {stepper: {name: event-driven, accuracy: 1e-10}, step: 0.1 s, duration: 1 s}
)";
  Simulation parts(Scene::parse(text)), whole(Scene::parse(text));
  parts.step();
  parts.advance_within(0.123);
  EXPECT_EQ(parts.state().time, 0.123);
  EXPECT_EQ(parts.state().step, 1);
  EXPECT_NEAR(parts.state().poses[1].position.y(), 1.0 - 0.5 * 9.81 * 0.123 * 0.123, 1e-9);
  for (const double time : {0.1, 0.123, 0.2, 0.5, -1.0})
    EXPECT_THROW(parts.advance_within(time), Error) << time;
  for (; whole.state().step < 10; whole.step()) {
  }
  while (parts.state().step < 10) parts.step();
  EXPECT_EQ(parts.state().time, whole.state().time);
  EXPECT_NEAR(parts.state().poses[1].position.y(), whole.state().poses[1].position.y(), 1e-8);
}

}  // namespace
}  // namespace vinci
