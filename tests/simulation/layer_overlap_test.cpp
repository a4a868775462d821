// SPDX-License-Identifier: Apache-2.0
// Bodies that motion brings deeper into each other than their layers can explain: they are parted
// without a gain of energy, or the step is not certified.
#include <gtest/gtest.h>

#include "tests/support/runs.h"
#include "vinci/recording/summary.h"

namespace vinci::test {
namespace {

constexpr double long_side = 0.1, short_side = 0.02;
constexpr double half_thickness = long_side * short_side / (2.0 * (long_side + short_side));
constexpr double tolerated = 0.05;  // docs/theory/checked_steps.md

// A box flies sideways into a soft wall and turns in it: what bore it with two ends bears it with
// one, twice as stiff, and what the layer holds does not suffice for its depth.
std::string turning(double stiffness, double damping, double spin, double angle,
                    const std::string& stepper = "song-pang-kumar", double gravity = 0.0) {
  return fmt::format(R"(
world: planar
gravity: [0, {}]
materials: {{s: {{stiffness: {}, damping: {}, friction: 0.2}}}}
bodies:
  wall: {{freedom: fixed, shapes: [{{half-plane: {{}}, material: s}}]}}
  box: {{shapes: [{{box: [{}, {}], material: s}}], mass: 1, position: [0, 0.06], angle: {}, velocity: [0.3, -1.2], spin: {}}}
run: {{step: 2 ms, duration: 0.4, stepper: {}}}
)",
                     -gravity, stiffness, damping, long_side, short_side, angle, spin, stepper);
}

struct Course {
  double unexplained = 0.0;  // over the half thickness, of certified steps, by corners
  double gained = 0.0;       // J, in a step
  double told = 0.0;         // m
  int deep = 0, parted = 0, uncertified = 0;
  RunStatistics statistics;
};

Course run(const std::string& yaml) {
  Simulation simulation = simulate(yaml);
  Course course;
  double before = energy(simulation.model(), simulation.state()).total();
  while (!simulation.finished()) {
    const StepReport& report = simulation.step();
    const double accept = simulation.options().real("accept");
    const bool certified = is_certified(report, accept);
    course.statistics.add({report, simulation.state().step, accept});
    course.uncertified += certified ? 0 : 1;
    course.parted += report.removed_overlap > 0.0 ? 1 : 0;
    course.told = std::max(course.told, report.unexplained);
    const double now = energy(simulation.model(), simulation.state()).total();
    course.gained = std::max(course.gained, now - before - report.added_energy);
    before = now;
    const Pose& pose = simulation.state().poses[1];
    double depth = 0.0, pressed = 0.0;
    for (const double x : {-0.5, 0.5})
      for (const double y : {-0.5, 0.5})
        depth = std::max(depth, -(pose * Vector3(x * long_side, y * short_side, 0.0)).y());
    for (const LayerMemory& layer : simulation.state().memory.layers)
      pressed = std::max(pressed, layer.deformation_a[0] + layer.deformation_b[0]);
    course.deep += depth > half_thickness ? 1 : 0;
    if (certified)
      course.unexplained = std::max(course.unexplained, (depth - pressed) / half_thickness);
  }
  return course;
}

TEST(LayerOverlap, a_box_that_turns_in_a_soft_wall_is_no_deeper_than_its_layers_explain) {
  int parted = 0, deep = 0, uncertified = 0;
  for (const double stiffness : {1e3, 4e3, 2e4})
    for (const double damping : {0.0, 5.0})
      for (const double spin : {-12.0, 3.0, 25.0})
        for (const double gravity : {0.0, 9.81}) {
          SCOPED_TRACE(fmt::format("{} {} {} {}", stiffness, damping, spin, gravity));
          const Course course =
              run(turning(stiffness, damping, spin, 0.1, "song-pang-kumar", gravity));
          EXPECT_LE(course.unexplained, tolerated + 1e-9);
          EXPECT_LE(course.gained, 1e-9);  // of about 1 J
          EXPECT_EQ(course.uncertified > 0, course.told > 0.0);
          parted += course.parted;
          deep += course.deep;
          uncertified += course.uncertified > 0 ? 1 : 0;
        }
  EXPECT_GT(deep, 0);
  EXPECT_GT(parted, 0);
  EXPECT_LE(uncertified, 4);
}

TEST(LayerOverlap, what_stays_deeper_than_layers_explain_is_told_and_not_certified) {
  // The paper's form takes nothing out of positions.
  const Course course =
      run(turning(1e3, 0.0, 25.0, 0.1, "{name: song-pang-kumar, overlap: velocities}"));
  EXPECT_LE(course.unexplained, tolerated + 1e-9);
  EXPECT_GT(course.uncertified, 0);
  EXPECT_GT(course.told, tolerated * half_thickness);
  EXPECT_EQ(course.statistics.unexplained_steps, course.uncertified);
  EXPECT_EQ(course.statistics.deepest_unexplained, course.told);
  EXPECT_FALSE(course.statistics.certified());
}

TEST(LayerOverlap, a_run_goes_on_from_a_state_after_bodies_were_parted_bit_for_bit) {
  const std::string yaml = turning(1e3, 0.0, 25.0, 0.1);
  Simulation whole = simulate(yaml);
  std::vector<State> states;
  std::size_t parted = 0;
  while (!whole.finished()) {
    if (whole.step().removed_overlap > 0.0 && parted == 0) parted = states.size();
    states.push_back(whole.state());
  }
  ASSERT_GT(parted, 1u);
  for (const std::size_t from : {parted - 1, parted, parted + 1}) {
    Simulation rest = simulate(yaml);
    rest.set_state(states[from]);
    while (!rest.finished()) rest.step();
    EXPECT_TRUE(rest.state() == states.back()) << from;
  }
}

}  // namespace
}  // namespace vinci::test
