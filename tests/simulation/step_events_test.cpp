// SPDX-License-Identifier: Apache-2.0
// What a simulation keeps of the events of its last step.
#include <stdexcept>

#include <gtest/gtest.h>

#include "tests/support/event_stepper.h"

namespace vinci::test {
namespace {

// Fails in its third step, after it has left an event.
class Failing : public Bouncer {
 public:
  StepReport step(StepContext& context, State& state, double h) override {
    context.out.events.push_back({state.time, 0, {key(), 0, 1}});
    context.out.modes = {{key(), 0, state.step == 2 ? 4 : 2}};
    if (state.step == 2) throw std::runtime_error("the stepper fails");
    return Bouncer::step(context, state, h);
  }
};

TEST(StepEvents, are_those_of_the_last_step_alone) {
  Simulation simulation = bouncing_ball();
  ASSERT_EQ(simulation.modes().size(), 1u) << "prepare() left the modes of the start";
  int seen = 0;
  while (!simulation.finished()) {
    const double begin = simulation.state().time;
    simulation.step();
    for (const StepEvent& event : simulation.events()) {
      EXPECT_GE(event.time, begin);
      EXPECT_LE(event.time, simulation.state().time);
      ++seen;
    }
    EXPECT_EQ(simulation.modes().size(), 1u);
  }
  EXPECT_EQ(seen, 9);
}

TEST(StepEvents, are_forgotten_with_another_state) {
  Simulation simulation = bouncing_ball();
  const State start = simulation.state();
  while (simulation.events().empty()) simulation.step();
  simulation.set_state(start);
  EXPECT_TRUE(simulation.events().empty());
  EXPECT_TRUE(simulation.modes().empty());
}

TEST(StepEvents, of_a_step_that_throws_are_those_of_the_step_before) {
  Plugins plugins = builtin_plugins();
  plugins.steppers.add({.name = "bouncer",
                        .text = "",
                        .reference = "",
                        .options = {},
                        .make = [](const OptionValues&) { return std::make_unique<Failing>(); }});
  Simulation simulation(Scene::parse(bouncing), {},
                        std::make_shared<const Plugins>(std::move(plugins)));
  simulation.step();
  simulation.step();
  ASSERT_EQ(simulation.events().size(), 1u);
  const double time = simulation.events()[0].time;
  EXPECT_THROW(simulation.step(), std::runtime_error);
  ASSERT_EQ(simulation.events().size(), 1u);
  EXPECT_EQ(simulation.events()[0].time, time);
  EXPECT_EQ(simulation.modes().at(0).state, 0);
}

}  // namespace
}  // namespace vinci::test
