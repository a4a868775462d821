// SPDX-License-Identifier: Apache-2.0
// Bodies with layers that overlap by no motion: they grow, their layers change, or they begin deep
// in each other. Nothing is thrown, nothing stays inside, or the step is not certified.
#include <gtest/gtest.h>

#include "tests/support/runs.h"

namespace vinci::test {
namespace {

constexpr double k = 1e5, weight = 9.81;

// A part of 1 kg on a floor, with what is at hand of r and k; the change comes at 50 ms.
std::string on_floor(const std::string& floor, const std::string& shape, double height,
                     const std::string& change, const std::string& stepper = "song-pang-kumar") {
  return fmt::format(R"(
world: planar
parameters: {{r: 0.1, k: 1e5, layer: 0.02, mu: 0.3}}
materials: {{s: {{stiffness: k, damping: 300, friction: mu, thickness: layer}}, rigid: {{friction: mu}}}}
bodies:
  floor: {{freedom: fixed, shapes: [{{half-plane: {{}}, material: {}}}]}}
  part: {{shapes: [{{{}, material: s}}], mass: 1, inertia: 0.01, position: [0, {:.17g}]}}
{}
run: {{step: 5 ms, duration: 0.5, stepper: {}}}
)",
                     floor, shape, height,
                     change.empty() ? "" : fmt::format("changes: [{{at: 0.05, set: {}}}]", change),
                     stepper);
}

// Sinking of 1 kg on layers in series, m.
double sinking(const std::string& floor, double stiffness = k) {
  return weight / stiffness * (floor == "s" ? 2.0 : 1.0);
}

struct Course {
  double fastest = 0.0, highest = -1e9, end = 0.0;  // m/s and m, of the part
  double lifted = 0.0;                              // m
  int uncertified = 0;
};

Course run(const std::string& yaml) {
  Simulation simulation = simulate(yaml);
  Course course;
  while (!simulation.finished()) {
    const StepReport& report = simulation.step();
    course.lifted = std::max(course.lifted, report.removed_overlap);
    course.uncertified += is_certified(report, simulation.options().real("accept")) ? 0 : 1;
    course.fastest = std::max(course.fastest, twist(simulation, "part").linear.norm());
    course.end = position(simulation, "part").y();
    course.highest = std::max(course.highest, course.end);
  }
  return course;
}

TEST(SuddenOverlap, a_part_that_grows_on_its_layer_is_lifted_by_as_much_and_stays_at_rest) {
  for (const std::string floor : {"s", "rigid"})
    for (const char* shape : {"circle: r", "box: [2*r, 2*r]", "capsule: {length: 0.2, radius: r}"})
      for (const double grown : {0.1001, 0.11, 0.3}) {
        SCOPED_TRACE(fmt::format("{} {} {}", floor, shape, grown));
        // At rest on its layer from the start on.
        const double sunk = sinking(floor);
        const Course course =
            run(on_floor(floor, shape, 0.1 - sunk, fmt::format("{{r: {}}}", grown)));
        EXPECT_EQ(course.uncertified, 0);
        EXPECT_NEAR(course.lifted, grown - 0.1, 1e-9);
        EXPECT_LE(course.fastest, 1e-6);
        EXPECT_NEAR(course.end, grown - sunk, 1e-8);
      }
}

TEST(SuddenOverlap, points_of_a_patch_that_grows_are_lifted_too) {
  const char* const stepper = "{name: song-pang-kumar, points: 5, width: 4 mm}";
  const Course course =
      run(on_floor("s", "box: [2*r, 2*r]", 0.1 - sinking("s"), "{r: 0.12}", stepper));
  EXPECT_EQ(course.uncertified, 0);
  EXPECT_LE(course.fastest, 1e-6);
  EXPECT_NEAR(course.end, 0.12 - sinking("s"), 1e-8);
}

// Twice its layer: a spring pressed in by as much would throw it 40 m high.
TEST(SuddenOverlap, a_part_that_begins_deeper_than_its_layer_is_lifted_and_not_thrown) {
  for (const std::string floor : {"s", "rigid"})
    for (const char* shape : {"circle: r", "box: [2*r, 2*r]"}) {
      SCOPED_TRACE(fmt::format("{} {}", floor, shape));
      const Course course = run(on_floor(floor, shape, 0.1 - 0.09, ""));
      EXPECT_EQ(course.uncertified, 0);
      EXPECT_NEAR(course.lifted, 0.09, 1e-9);
      EXPECT_LE(course.highest, 0.1);
      EXPECT_NEAR(course.end, 0.1 - sinking(floor), 1e-6);
    }
}

// A layer holds no more than before: pressed in by half as much, with four times the stiffness.
TEST(SuddenOverlap, a_layer_that_becomes_stiffer_bears_its_weight_at_the_depth_of_its_stiffness) {
  for (const std::string floor : {"s", "rigid"}) {
    const Course course =
        run(on_floor(floor, "circle: r", 0.1 - sinking(floor), fmt::format("{{k: {}}}", 4.0 * k)));
    EXPECT_EQ(course.uncertified, 0);
    EXPECT_NEAR(course.end, 0.1 - sinking(floor, 4.0 * k), 1e-6) << floor;
    // No faster than half a layer lets go: ½ m v² <= ½ k δ².
    EXPECT_LE(course.fastest, std::sqrt(k) * sinking(floor)) << floor;
  }
}

// On a layer that gives less than its weight asks for, it stands on the core.
TEST(SuddenOverlap, a_layer_that_becomes_thinner_leaves_nothing_in_the_core) {
  const Course course =
      run(on_floor("rigid", "circle: r", 0.1 - sinking("rigid"), "{layer: 0.00002}"));
  EXPECT_EQ(course.uncertified, 0);
  EXPECT_NEAR(course.end, 0.1 - 0.00002, 1e-9);
}

TEST(SuddenOverlap, what_cannot_be_parted_is_not_certified) {
  const auto between = [](double start, double later) {
    return fmt::format(R"(
world: planar
parameters: {{r: {}}}
materials: {{s: {{stiffness: 1e5, damping: 300, thickness: 0.01}}}}
bodies:
  walls:
    freedom: fixed
    shapes:
      - {{box: [1, 0.2], position: [0, -0.2], material: s}}
      - {{box: [1, 0.2], position: [0, 0.2], material: s}}
  part: {{shapes: [{{circle: r, material: s}}], mass: 1}}
changes: [{{at: 0.05, set: {{r: {}}}}}]
run: {{step: 5 ms, duration: 0.2, stepper: song-pang-kumar}}
)",
                       start, later);
  };
  EXPECT_EQ(run(between(0.05, 0.09)).uncertified, 0);
  EXPECT_GT(run(between(0.05, 0.12)).uncertified, 0);
  EXPECT_GT(run(between(0.18, 0.18)).uncertified, 0);
}

// What motion leaves, and a change that touches no shape or layer, stay as they are.
TEST(SuddenOverlap, a_change_of_what_does_not_overlap_changes_no_bit) {
  const auto tumbling = [](const char* change) {
    return fmt::format(R"(
world: planar
parameters: {{other: 1, k: 1e4}}
materials: {{s: {{stiffness: k, damping: 30, friction: 0.5}}}}
bodies:
  floor: {{freedom: fixed, shapes: [{{half-plane: {{}}, material: s}}]}}
  part: {{shapes: [{{box: [0.2, 0.1], material: s}}], mass: 1, position: [0, 0.3], angle: 0.4, spin: 5}}
  other: {{shapes: [{{circle: 0.1*other, material: s}}], mass: 1, position: [3, 3]}}
{}
run: {{step: 5 ms, duration: 0.6, stepper: song-pang-kumar}}
)",
                       change);
  };
  Simulation plain = simulate(tumbling(""));
  Simulation changed = simulate(tumbling("changes: [{at: 0.3, set: {other: 2}}]"));
  while (!plain.finished()) {
    plain.step();
    changed.step();
    ASSERT_EQ(plain.state().poses[1].position, changed.state().poses[1].position);
    ASSERT_EQ(plain.state().velocities.head(3), changed.state().velocities.head(3));
  }
}

TEST(SuddenOverlap, a_run_goes_on_from_the_state_before_and_after_a_change_bit_for_bit) {
  const std::string yaml = on_floor("s", "box: [2*r, 2*r]", 0.105, "{r: 0.13}");
  Simulation whole = simulate(yaml);
  std::vector<State> states;
  while (!whole.finished()) states.push_back((whole.step(), whole.state()));
  for (const std::size_t from : {8u, 9u, 10u, 11u, 30u}) {
    Simulation rest = simulate(yaml);
    rest.set_state(states[from]);
    while (!rest.finished()) rest.step();
    EXPECT_TRUE(rest.state() == states.back()) << from;
  }
}

TEST(SuddenOverlap, a_parameter_set_by_code_lifts_as_a_change_does) {
  const double sunk = sinking("s");
  Simulation simulation = simulate(on_floor("s", "circle: r", 0.1 - sunk, ""));
  for (int i = 0; i < 10; ++i) simulation.step();
  simulation.set_parameter("r", 0.2);
  EXPECT_NEAR(simulation.step().removed_overlap, 0.1, 1e-9);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(simulation.step().removed_overlap, 0.0);
  EXPECT_NEAR(position(simulation, "part").y(), 0.2 - sunk, 1e-8);
}

}  // namespace
}  // namespace vinci::test
