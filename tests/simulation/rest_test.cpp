// SPDX-License-Identifier: Apache-2.0
// Rest: bodies that contacts leave no motion have none, steps that repeat are not made again, and
// whatever could wake a body does.
#include <gtest/gtest.h>

#include "tests/support/runs.h"
#include "vinci/stepping/solution_witness.h"

namespace vinci::test {
namespace {

// Three boxes that lean on each other and on a wall in a bin, and a box apart.
std::string heap(const std::string& more = "", const std::string& run = "", bool planar = true) {
  const auto box = [&](double x, double y) {
    return planar ? fmt::format(
                        "{{shapes: [{{box: [0.1, 0.1], material: m}}], position: [{}, {}], "
                        "angle: 12 deg}}",
                        x, y)
                  : fmt::format(
                        "{{shapes: [{{box: [0.1, 0.1, 0.1], material: m}}], position: [{}, "
                        "0, {}], rotation: {{axis: [1, 2, 1], angle: 12 deg}}}}",
                        x, y);
  };
  return fmt::format(R"(
world: {}
parameters: {{mu: 0.5}}
materials: {{m: {{friction: mu}}}}
bodies:
  floor: {{freedom: fixed, shapes: [{{{}: {{}}, material: m}}]}}
  a: {}
  b: {}
  c: {}
  d: {}
{}
run: {{step: 5 ms, duration: 4 s{}}}
)",
                     planar ? "planar" : "spatial", planar ? "half-plane" : "half-space",
                     box(0.0, 0.07), box(0.13, 0.07), box(0.06, 0.19), box(0.6, 0.07), more, run);
}

// Sees every problem that is solved: nothing is solved for free.
class Watch : public SolutionWitness {
 public:
  void look(const SolvedProblem&, Solution&, StepReport&) override { ++solves; }
  int solves = 0;
};

void advance(Simulation& simulation, int steps) {
  for (int i = 0; i < steps; ++i) simulation.step();
}

// Whether a step leaves all as it is, but the time.
bool stays(Simulation& simulation) {
  const State before = simulation.state();
  simulation.step();
  return same_but_time(before, simulation.state());
}

bool moves(const Simulation& simulation, const std::string& body) {
  const int b = simulation.model().find_body(body);
  const Twist twist = body_twist(simulation.model(), simulation.state().velocities, b);
  return !twist.linear.isZero(0.0) || !twist.angular.isZero(0.0);
}

class Rest : public testing::TestWithParam<bool> {};

TEST_P(Rest, a_heap_comes_to_rest_and_does_not_change_by_a_bit) {
  Simulation simulation = simulate(heap("", "", GetParam()));
  advance(simulation, 400);
  EXPECT_TRUE(stays(simulation));
  const State rest = simulation.state();
  advance(simulation, 300);
  EXPECT_TRUE(same_but_time(rest, simulation.state()));
  EXPECT_EQ(simulation.report().solve.status, SolveStatus::solved);
}

TEST_P(Rest, steps_that_are_not_made_leave_the_bits_and_the_report_of_those_that_are) {
  Simulation free = simulate(heap("", "", GetParam())), made = simulate(heap("", "", GetParam()));
  Watch watch;
  made.set_witness(&watch);
  bool rested = false;
  for (int i = 0; i < 600; ++i) {
    const State before = free.state();
    const StepReport& report = free.step();
    const int solves = watch.solves;
    const StepReport& other = made.step();
    ASSERT_TRUE(free.state() == made.state()) << "step " << i;
    ASSERT_EQ(report.solve.residual.relative, other.solve.residual.relative) << "step " << i;
    ASSERT_EQ(report.solve.iterations, other.solve.iterations) << "step " << i;
    ASSERT_EQ(report.contact_count, other.contact_count) << "step " << i;
    ASSERT_EQ(report.selected, other.selected) << "step " << i;
    ASSERT_EQ(free.contacts().size(), made.contacts().size());
    for (std::size_t k = 0; k < free.contacts().size(); ++k)
      ASSERT_EQ(free.contacts()[k].impulse, made.contacts()[k].impulse);
    rested = same_but_time(before, free.state());
    if (rested) {
      EXPECT_GT(watch.solves, solves) << "step " << i;
    }
  }
  EXPECT_TRUE(rested);
}

TEST_P(Rest, a_run_that_is_resumed_at_rest_goes_on_bit_for_bit) {
  Simulation simulation = simulate(heap("", "", GetParam()));
  advance(simulation, 500);
  const State middle = simulation.state();
  Simulation resumed = simulate(heap("", "", GetParam()));
  resumed.set_state(middle);
  for (int i = 0; i < 50; ++i) {
    simulation.step();
    resumed.step();
    ASSERT_TRUE(simulation.state() == resumed.state()) << "step " << i;
    ASSERT_EQ(simulation.report().solve.iterations, resumed.report().solve.iterations);
  }
  // And back to a state before it came to rest.
  resumed.restart({});
  advance(resumed, 30);
  const State falling = resumed.state();
  advance(resumed, 400);
  simulation.set_state(falling);
  advance(simulation, 400);
  EXPECT_TRUE(simulation.state() == resumed.state());
}

INSTANTIATE_TEST_SUITE_P(PlanarAndSpatial, Rest, testing::Values(true, false),
                         [](const auto& variant) { return variant.param ? "planar" : "spatial"; });

TEST(Waking, a_parameter_wakes_what_it_holds) {
  Simulation simulation = simulate(R"(
world: planar
parameters: {mu: 0.6}
materials: {m: {friction: mu}}
bodies:
  slope: {freedom: fixed, shapes: [{half-plane: {angle: -20 deg}, material: m}]}
  box: {shapes: [{box: [0.2, 0.1], material: m}], pose: {on: slope, at: 0}}
run: {step: 5 ms, duration: 10}
)");
  advance(simulation, 100);
  EXPECT_TRUE(stays(simulation));
  simulation.set_parameter("mu", 0.2);
  simulation.step();
  EXPECT_TRUE(moves(simulation, "box"));
}

TEST(Waking, a_change_of_the_scene_wakes_at_its_time) {
  Simulation simulation = simulate(R"(
world: planar
parameters: {mu: 0.6}
materials: {m: {friction: mu}}
bodies:
  slope: {freedom: fixed, shapes: [{half-plane: {angle: -20 deg}, material: m}]}
  box: {shapes: [{box: [0.2, 0.1], material: m}], pose: {on: slope, at: 0}}
changes: [{at: 1 s, set: {mu: 0.2}}]
run: {step: 5 ms, duration: 2}
)");
  advance(simulation, 200);
  EXPECT_FALSE(moves(simulation, "box"));
  simulation.step();
  EXPECT_TRUE(moves(simulation, "box"));
}

TEST(Waking, a_body_that_arrives_wakes_what_it_hits) {
  Simulation simulation = simulate(
      heap("  ball: {shapes: [{circle: 0.05, material: m}], mass: 20, position: [-6, 0.05], "
           "velocity: [4, 0]}"));
  advance(simulation, 400);
  for (const char* body : {"a", "b", "c", "d"}) EXPECT_FALSE(moves(simulation, body)) << body;
  bool woke = false;
  for (int i = 0; i < 60; ++i) {
    simulation.step();
    woke = woke || moves(simulation, "a") || moves(simulation, "b") || moves(simulation, "c");
  }
  EXPECT_TRUE(woke);
}

TEST(Waking, a_wall_that_begins_to_move_wakes_what_it_pushes) {
  Simulation simulation = simulate(
      heap("  wall: {shapes: [{box: [0.1, 0.4], material: m, position: [0, 0.21]}], motion: {x: "
           "'0.9 - max(0, t - 2)', y: 0, angle: 0}}"));
  advance(simulation, 380);
  for (const char* body : {"a", "b", "c", "d"}) EXPECT_FALSE(moves(simulation, body)) << body;
  advance(simulation, 100);
  EXPECT_TRUE(moves(simulation, "d"));
}

TEST(Waking, a_force_that_is_a_function_of_time_wakes_what_it_pulls) {
  std::string text = heap();
  const std::string body = "  d: {";
  text.replace(text.find(body), body.size(), body + "force: {x: '100*max(0, t - 2)'}, ");
  Simulation simulation = simulate(text);
  advance(simulation, 390);
  EXPECT_FALSE(moves(simulation, "d"));
  advance(simulation, 200);
  EXPECT_TRUE(moves(simulation, "d"));
  EXPECT_FALSE(moves(simulation, "a"));
}

// Kicks a body once.
class Kick : public Controller {
 public:
  int memory_size() const override { return 0; }
  void act(const Model& model, const State& state, double h, Eigen::Ref<VectorX> forces,
           Eigen::Ref<VectorX>) override {
    ++calls;
    if (state.time < 2.0 || state.time >= 2.0 + h) return;
    forces[model.bodies[static_cast<std::size_t>(model.find_body("d"))].velocity_offset] += 2000.0;
  }
  int calls = 0;
};

TEST(Waking, a_controller_is_asked_in_every_step_and_wakes) {
  const auto kick = std::make_shared<Kick>();
  RunOverrides overrides;
  overrides.code.controllers.push_back({"kick", kick});
  Simulation simulation(Scene::parse(heap(), "heap"), overrides);
  advance(simulation, 399);
  EXPECT_EQ(kick->calls, 399);
  EXPECT_FALSE(moves(simulation, "d"));
  advance(simulation, 3);
  EXPECT_TRUE(moves(simulation, "d"));
}

TEST(Waking, a_state_that_is_set_wakes) {
  Simulation simulation = simulate(heap());
  advance(simulation, 500);
  EXPECT_TRUE(stays(simulation));
  State pushed = simulation.state();
  const int d = simulation.model().find_body("d");
  pushed.velocities[simulation.model().bodies[static_cast<std::size_t>(d)].velocity_offset] = 1.0;
  simulation.set_state(pushed);
  simulation.step();
  EXPECT_TRUE(moves(simulation, "d"));
}

// Nothing is put to rest because it is slow.
TEST(Rest, a_slow_body_on_ice_keeps_its_speed) {
  for (const double speed : {1e-3, 1e-9, 1e-15}) {
    Simulation simulation = simulate(fmt::format(R"(
world: planar
materials: {{ice: {{friction: 0}}}}
bodies:
  floor: {{freedom: fixed, shapes: [{{half-plane: {{}}, material: ice}}]}}
  box: {{shapes: [{{box: [0.2, 0.1], material: ice}}], position: [0, 0.05], velocity: [{}, 0]}}
run: {{step: 5 ms, duration: 1}}
)",
                                                 speed));
    advance(simulation, 200);
    EXPECT_NEAR(simulation.state().velocities[0], speed, 1e-12 * speed);
  }
}

TEST(Rest, a_block_slides_just_above_its_angle_of_friction_and_rests_just_below) {
  for (const double share : {0.999, 1.001}) {
    Simulation simulation = simulate(fmt::format(R"(
world: planar
materials: {{m: {{friction: 0.5}}}}
bodies:
  slope: {{freedom: fixed, shapes: [{{half-plane: {{angle: {}}}, material: m}}]}}
  box: {{shapes: [{{box: [0.2, 0.1], material: m}}], pose: {{on: slope, at: 0}}}}
run: {{step: 5 ms, duration: 1}}
)",
                                                 -std::atan(0.5 * share)));
    advance(simulation, 20);
    EXPECT_EQ(moves(simulation, "box"), share > 1.0) << share;
  }
}

// What lies still at a loose tolerance does so by bits too.
TEST(Rest, a_heap_rests_at_loose_tolerances) {
  for (const char* tolerance : {"1e-3", "1e-6", "1e-8"}) {
    Simulation simulation =
        simulate(heap("", fmt::format(", solver: {{name: auto, tolerance: {}}}", tolerance)));
    advance(simulation, 600);
    EXPECT_TRUE(stays(simulation)) << tolerance;
  }
}

// Stacks side by side, of which one is hit late: the others are islands that repeat.
std::string stacks(int threads) {
  std::string bodies;
  for (int k = 0; k < 12; ++k)
    for (int i = 0; i < 6; ++i)
      bodies += fmt::format(
          "  s{}_{}: {{shapes: [{{box: [0.1, 0.1], material: m}}], position: [{}, {}], angle: {} "
          "deg}}\n",
          k, i, 0.25 * k + 0.003 * i, 0.06 + 0.105 * i, k % 3);
  return fmt::format(R"(
world: planar
materials: {{m: {{friction: 0.5}}}}
bodies:
  floor: {{freedom: fixed, shapes: [{{half-plane: {{}}, material: m}}]}}
{}
  ball: {{shapes: [{{circle: 0.05, material: m}}], position: [-1, 0.3], velocity: [2, 2]}}
run: {{step: 5 ms, duration: 2, threads: {}}}
)",
                     bodies, threads);
}

TEST(Threads, any_number_of_them_leaves_the_same_bits) {
  Simulation one = simulate(stacks(1));
  std::vector<Simulation> others;
  for (const int threads : {2, 3, 16}) others.push_back(simulate(stacks(threads)));
  for (int i = 0; i < 200; ++i) {
    one.step();
    for (Simulation& other : others) {
      other.step();
      ASSERT_TRUE(one.state() == other.state()) << "step " << i;
      ASSERT_EQ(one.report().solve.residual.relative, other.report().solve.residual.relative);
      ASSERT_EQ(one.report().solve.iterations, other.report().solve.iterations);
    }
  }
}

TEST(Threads, a_run_that_is_resumed_while_islands_rest_goes_on_bit_for_bit) {
  Simulation simulation = simulate(stacks(1));
  advance(simulation, 120);
  Simulation resumed = simulate(stacks(2));
  resumed.set_state(simulation.state());
  for (int i = 0; i < 60; ++i) {
    simulation.step();
    resumed.step();
    ASSERT_TRUE(simulation.state() == resumed.state()) << "step " << i;
  }
}

}  // namespace
}  // namespace vinci::test
