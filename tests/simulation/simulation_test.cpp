// SPDX-License-Identifier: Apache-2.0
// The step loop's own rules: when changes of parameters act, which of them are refused beforehand,
// which states can be set, how many steps there may be.
#include "vinci/simulation/simulation.h"

#include <gtest/gtest.h>

#include "tests/support/runs.h"

namespace vinci::test {
namespace {

// A block that slides, whose friction the scene changes at 10 ms and within the step after it.
std::string sliding(const std::string& changes =
                        "[{at: 0.01, set: {mu: 0.3}}, "
                        "{at: 0.0103, set: {mu: 0.1}}]") {
  return R"(
world: planar
parameters: {mu: 0.5}
materials: {wood: {friction: mu}}
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}, material: wood}]}
  block: {shapes: [{box: [0.2, 0.1], material: wood, density: 10}], position: [0, 0.05], velocity: [1, 0]}
changes: )" +
         changes + "\nrun: {step: 1 ms, duration: 0.05}\n";
}

// A ball of radius a - b that shrinks during the run.
constexpr const char* shrinking = R"(
world: planar
parameters: {a: 0.2, b: 0.1}
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}}]}
  ball: {shapes: [{circle: a-b}], position: [0, 0.3]}
changes: [{at: 0.05, set: {a: 0.15}}]
run: {step: 1 ms, duration: 0.1}
)";

void steps(Simulation& simulation, int count) {
  for (int i = 0; i < count; ++i) simulation.step();
}

std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Simulation, a_change_acts_in_the_first_step_that_begins_at_or_after_its_time) {
  Simulation simulation = simulate(sliding());
  const double g = 9.81, h = 1e-3;
  std::vector<double> braking;
  for (int i = 0; i < 13; ++i) {
    const double before = twist(simulation, "block").linear.x();
    simulation.step();
    braking.push_back((before - twist(simulation, "block").linear.x()) / (g * h));
  }
  EXPECT_NEAR(braking[9], 0.5, 1e-9);   // begins at 9 ms
  EXPECT_NEAR(braking[10], 0.3, 1e-9);  // at 10 ms
  EXPECT_NEAR(braking[11], 0.1, 1e-9);  // at 11 ms, the first after 10.3 ms
}

TEST(Simulation, a_change_that_an_override_makes_impossible_is_refused_before_the_first_step) {
  RunOverrides overrides;
  overrides.parameters["b"] = 0.18;
  try {
    simulate(shrinking, overrides);
    FAIL() << "accepted";
  } catch (const SceneError& error) {
    EXPECT_EQ(error.diagnostics().front().key, "bodies.ball.shapes[0].circle");
    EXPECT_NE(error.diagnostics().front().message.find("(after the change at 0.05 s)"),
              std::string::npos);
  }
}

TEST(Simulation, a_parameter_that_makes_a_later_change_impossible_is_refused) {
  Simulation simulation = simulate(shrinking);
  steps(simulation, 10);
  EXPECT_THROW(simulation.set_parameter("b", 0.18), SceneError);
  EXPECT_EQ(simulation.parameters().at("b"), 0.1);
  steps(simulation, 50);
  EXPECT_NEAR(simulation.parameters().at("a"), 0.15, 1e-15);
  EXPECT_THROW(simulation.set_parameter("b", 0.18), SceneError);
  EXPECT_NO_THROW(simulation.set_parameter({{"a", 0.3}, {"b", 0.18}}));
}

TEST(Simulation, a_parameter_set_from_code_stays_through_the_scenes_changes_and_another_state) {
  Simulation simulation = simulate(sliding());
  const State start = simulation.state();
  steps(simulation, 5);
  simulation.set_parameter("mu", 0.7);
  steps(simulation, 20);
  EXPECT_EQ(simulation.parameters().at("mu"), 0.7);
  simulation.set_state(start);
  EXPECT_EQ(simulation.parameters().at("mu"), 0.7);
}

TEST(Simulation, an_earlier_state_gets_the_parameters_of_its_time) {
  Simulation simulation = simulate(sliding());
  std::vector<State> states{simulation.state()};
  std::vector<double> friction{simulation.parameters().at("mu")};
  while (!simulation.finished()) {
    simulation.step();
    states.push_back(simulation.state());
    friction.push_back(simulation.parameters().at("mu"));
  }
  for (const std::size_t at : {0u, 9u, 10u, 11u, 12u, 30u}) {
    simulation.set_state(states[at]);
    EXPECT_EQ(simulation.parameters().at("mu"), friction[at]) << at;
    while (!simulation.finished()) simulation.step();
    EXPECT_EQ(hash(simulation.state()), hash(states.back())) << at;
  }
}

TEST(Simulation, a_state_set_leaves_nothing_of_the_last_step) {
  Simulation simulation = simulate(sliding());
  steps(simulation, 3);
  ASSERT_EQ(simulation.contacts().size(), 2u);
  simulation.set_state(State(simulation.state()));
  EXPECT_TRUE(simulation.contacts().empty());
  EXPECT_EQ(simulation.problem().rows(), 0);
  EXPECT_EQ(simulation.solution().lambda.size(), 0);
  EXPECT_EQ(simulation.report().contact_count, 0);
}

TEST(Simulation, a_state_that_cannot_be_its_own_is_refused_and_changes_nothing) {
  Simulation simulation = simulate(sliding());
  steps(simulation, 3);
  const State good = simulation.state();
  ASSERT_EQ(good.memory.impulses.size(), 2u);
  const auto refused = [&](const std::function<void(State&)>& spoil) {
    State state = good;
    spoil(state);
    return refusal([&] { simulation.set_state(state); });
  };
  const auto says = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos ? "as expected" : text;
  };
  EXPECT_EQ(says(refused([](State& s) { s.time *= 2; }), "another step size"), "as expected");
  EXPECT_EQ(says(refused([](State& s) { s.time += 1e-11; }), "another step size"), "as expected");
  EXPECT_EQ(says(refused([](State& s) { s.step = -1, s.time = -1e-3; }), "step size"),
            "as expected");
  EXPECT_EQ(says(refused([](State& s) { s.poses[1].rotation.w() = 1.0 + 1e-6; }),
                 "body 'block' that is not a unit quaternion"),
            "as expected");
  EXPECT_EQ(says(refused([](State& s) { std::swap(s.memory.impulses[0], s.memory.impulses[1]); }),
                 "not sorted"),
            "as expected");
  EXPECT_EQ(says(refused([](State& s) { s.poses.pop_back(); }), "another scene"), "as expected");
  EXPECT_EQ(says(refused([](State& s) { s.velocities[0] = NAN; }), "not finite"), "as expected");
  EXPECT_EQ(hash(simulation.state()), hash(good));
  EXPECT_EQ(simulation.contacts().size(), 2u);
  EXPECT_EQ(refused([](State& s) { s.time = std::nextafter(s.time, 1.0); }), "accepted");
}

TEST(Simulation, more_steps_than_a_double_counts_are_refused_where_the_duration_is_written) {
  RunOverrides overrides;
  overrides.options["step"] = "1e-12";
  try {
    simulate("world: planar\nbodies: {a: {shapes: [{circle: 1}]}}\nrun:\n  duration: 1e9\n",
             overrides);
    FAIL() << "accepted";
  } catch (const SceneError& error) {
    EXPECT_EQ(error.diagnostics().front().key, "run.duration");
    EXPECT_EQ(error.diagnostics().front().line, 4);
  }
  overrides.options["duration"] = "1e9";
  EXPECT_EQ(refusal([&] { simulate(sliding(), overrides); }),
            "duration: 1000000000 s are 1e+21 steps of 1e-12 s; accepted: at most 2^53 = 9.01e+15 "
            "steps");
  overrides.options["duration"] = "9000";
  overrides.options["output-interval"] = "1e9";
  const Simulation longest = simulate(sliding(), overrides);
  EXPECT_EQ(longest.total_steps(), 9'000'000'000'000'000);
  EXPECT_EQ(longest.output_every(), std::int64_t{1} << 53);
}

}  // namespace
}  // namespace vinci::test
