// SPDX-License-Identifier: Apache-2.0
// What happens within a step happens at its time: contacts touch when they have closed, however
// coarse the accuracy is, and changes of parameters act from their time on.
#include <gtest/gtest.h>

#include "vinci/simulation/simulation.h"

namespace vinci {
namespace {

constexpr double gravity = 9.81;

TEST(Located, a_ball_touches_when_it_has_fallen_whatever_the_accuracy_is) {
  const double touched = std::sqrt(2.0 * 0.9 / gravity);
  for (const std::string accuracy : {"1e-2", "1e-3", "1e-6"})
    for (const std::string step : {"1 ms", "10 ms", "450 ms"}) {
      Simulation simulation(Scene::parse(R"(world: planar
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}}]}
  d: {shapes: [{circle: 0.1}], mass: 1, position: [0, 1]}
run: {stepper: {name: event-driven, accuracy: )" +
                                         accuracy + "}, step: " + step + ", duration: 0.45}\n"));
      double first = 0.0;
      while (!simulation.finished()) {
        simulation.step();
        for (const StepEvent& event : simulation.events())
          if (first == 0.0) first = event.time;
      }
      EXPECT_NEAR(first, touched, std::stod(accuracy)) << accuracy << " " << step;
    }
}

// h'' + 2 h'/T + h/T² = 0 from h = 0 is deepest at T, by v T/e, which is between the ends of steps.
TEST(Located, the_deepest_place_of_an_impact_is_told_however_long_steps_are) {
  for (const double scale : {5e-3, 1e-3}) {
    const double depth = std::sqrt(2.0 * 0.9 * gravity) * scale / std::exp(1.0);
    for (const std::string step : {"1 ms", "10 ms", "450 ms"}) {
      Simulation simulation(Scene::parse(R"(world: planar
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}}]}
  d: {shapes: [{circle: 0.1}], mass: 1, position: [0, 1]}
run: {stepper: {name: event-driven, accuracy: 1e-8, time-scale: )" +
                                         std::to_string(scale) + "}, step: " + step +
                                         ", duration: 0.45}\n"));
      double deepest = 0.0;
      while (!simulation.finished()) deepest = std::max(deepest, simulation.step().sinking);
      EXPECT_NEAR(deepest, depth, 1e-5 * depth) << step;
    }
  }
}

// A box on a slope: at rest, then with less friction, then with more, between the ends of steps.
TEST(Located, a_change_between_two_steps_acts_at_its_time) {
  constexpr double from = 0.503, to = 1.005, end = 2.0;
  const double slope = M_PI / 9.0;
  const auto pull = [&](double mu) { return gravity * (std::sin(slope) - mu * std::cos(slope)); };
  const double fast = pull(0.1) * (to - from), rest = to - fast / pull(0.6);
  ASSERT_LT(rest, end);
  const double way = 0.5 * fast * (rest - from);
  for (const std::string step : {"10 ms", "400 ms"}) {
    const std::string text = R"(world: planar
parameters: {mu: 0.5}
materials: {m: {friction: mu}}
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {angle: -20 deg}, material: m}]}
  box: {shapes: [{box: [0.3, 0.1], material: m}], pose: {on: floor, at: 0}}
changes: [{at: 0.503 s, set: {mu: 0.1}}, {at: 1.005 s, set: {mu: 0.6}}]
run: {stepper: {name: event-driven, accuracy: 1e-9}, duration: 2 s, step: )" +
                             step + "}\n";
    Simulation whole(Scene::parse(text));
    std::vector<State> states{whole.state()};
    std::vector<double> times;
    while (!whole.finished()) {
      whole.step();
      states.push_back(whole.state());
      for (const StepEvent& event : whole.events()) times.push_back(event.time);
    }
    const int box = whole.model().find_body("box");
    const Vector3 moved = states.back().poses[box].position - states.front().poses[box].position;
    EXPECT_NEAR(moved.norm(), way, 1e-7) << step;
    ASSERT_FALSE(times.empty());
    EXPECT_NEAR(times.front(), from, 1e-9);
    EXPECT_NEAR(times.back(), rest, 1e-7);
    // Every state continues bit for bit, before, between and after the changes.
    for (std::size_t i = 0; i < states.size(); i += step == "10 ms" ? 25 : 1) {
      Simulation rest_of_it(Scene::parse(text));
      rest_of_it.set_state(states[i]);
      while (!rest_of_it.finished()) rest_of_it.step();
      EXPECT_EQ(rest_of_it.state().poses[box].position, states.back().poses[box].position);
      EXPECT_EQ(rest_of_it.state().velocities, states.back().velocities);
    }
  }
}

}  // namespace
}  // namespace vinci
