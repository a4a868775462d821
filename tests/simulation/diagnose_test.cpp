// SPDX-License-Identifier: Apache-2.0
// `diagnose`: what steps say of scenes whose number of motions is known, beside all solutions of
// their problems, which are found by other code than proofs and walks.
#include <cmath>

#include <gtest/gtest.h>

#include "tests/support/runs.h"
#include "vinci/proofs/all_solutions.h"

namespace vinci::test {
namespace {

const char* const floor_and = R"(
world: {}
materials: {{m: {{friction: {}}}}}
bodies:
  floor: {{freedom: fixed, shapes: [{{{}: {{}}, material: m}}]}}
{}
run: {{step: 1 ms, duration: 1 s, diagnose: {}, cone: {}}}
)";

std::string planar(double friction, const std::string& bodies, const char* diagnose = "flag",
                   const char* cone = "quadratic") {
  return fmt::format(fmt::runtime(floor_and), "planar", friction, "half-plane", bodies, diagnose,
                     cone);
}

std::string spatial(double friction, const std::string& bodies, const char* diagnose = "flag",
                    const char* cone = "quadratic") {
  return fmt::format(fmt::runtime(floor_and), "spatial", friction, "half-space", bodies, diagnose,
                     cone);
}

StepReport step_of(const std::string& scene) {
  Simulation simulation = simulate(scene);
  return simulation.step();
}

// Velocities of one problem that differ, by enumeration: the largest difference of a coordinate.
double apart(const ComplementarityProblem& problem) {
  const AllSolutions all = all_solutions(problem, {.seconds = 1e9});
  double most = 0.0;
  for (const FoundSolution& one : all.solutions)
    for (const FoundSolution& other : all.solutions)
      most = std::max(most, (one.solution.u - other.solution.u).cwiseAbs().maxCoeff());
  return most;
}

TEST(Diagnose, off_says_nothing) {
  const StepReport report = step_of(
      planar(0.5, "  box: {shapes: [{box: [1, 1], material: m}], position: [0, 0.5]}", "off"));
  EXPECT_EQ(report.uniqueness, Uniqueness::unasked);
  EXPECT_EQ(report.solutions, 0);
}

TEST(Diagnose, a_body_that_flies_has_one_motion) {
  const StepReport report =
      step_of(planar(0.5, "  box: {shapes: [{box: [1, 1], material: m}], position: [0, 5]}"));
  EXPECT_EQ(report.uniqueness, Uniqueness::unique);
  EXPECT_EQ(report.solutions, 1);
}

TEST(Diagnose, boxes_at_rest_have_one_motion_by_both_cones) {
  for (const char* cone : {"quadratic", "pyramid"}) {
    std::string stack;
    for (int i = 0; i < 4; ++i)
      stack += fmt::format(
          "  box-{}: {{shapes: [{{box: [1, 1, 1], material: m}}], position: [0, 0, {}]}}\n", i,
          i + 0.5);
    Simulation simulation = simulate(spatial(0.7, stack, "flag", cone));
    for (int i = 0; i < 5; ++i)
      EXPECT_EQ(simulation.step().uniqueness, Uniqueness::unique) << cone << i;
  }
}

const char* const turning_box =
    "  box: {shapes: [{box: [0.3, 0.2, 0.1], material: m}], position: [0, 0, 0.05], velocity: [1, "
    "0, "
    "0], spin: [0, 0, 4]}";

TEST(Diagnose, a_box_that_slides_and_turns_on_four_corners_has_several_motions) {
  Simulation simulation = simulate(spatial(0.3, turning_box, "all"));
  const StepReport& report = simulation.step();
  EXPECT_EQ(report.uniqueness, Uniqueness::several);
  EXPECT_GE(report.solutions, 2);
  EXPECT_GT(report.solution_distance, 0.0);
  ASSERT_GE(report.motions.size(), 2u);
  for (const FoundMotion& motion : report.motions) {
    ASSERT_EQ(motion.bodies.size(), 1u);
    EXPECT_EQ(motion.bodies[0].body, 1);
    EXPECT_EQ(motion.contacts.size(), 4u);
  }
  // The first is the one that the run went on with.
  const Twist now = twist(simulation, "box");
  EXPECT_LT((report.motions[0].bodies[0].twist.linear - now.linear).norm(), 1e-12);
  EXPECT_LT((report.motions[0].bodies[0].twist.angular - now.angular).norm(), 1e-12);
}

// On 8 sides its corners slide along +-45 degrees by the sign of x alone. The open load, which
// grows at two opposite corners and falls at the others, then adds no torque: the forces are open
// and the motion is not. The friction bound over all bases of contacts proves it.
TEST(Diagnose, a_pyramid_may_leave_loads_open_and_the_motion_not) {
  const StepReport report = step_of(spatial(0.3, turning_box, "flag", "pyramid"));
  EXPECT_EQ(report.uniqueness, Uniqueness::unique);
  EXPECT_EQ(report.solutions, 1);
  EXPECT_GE(report.selected, 1);  // loads that are open
}

TEST(Diagnose, a_part_wedged_between_two_walls_falls_or_hangs) {
  const StepReport report = step_of(planar(0.5, R"(
  left: {freedom: fixed, shapes: [{box: [1, 6], material: m}], position: [-1, 3]}
  right: {freedom: fixed, shapes: [{box: [1, 6], material: m}], position: [1, 3]}
  part: {shapes: [{box: [1, 1], material: m}], position: [0, 3]})"));
  EXPECT_EQ(report.uniqueness, Uniqueness::several);
  EXPECT_NEAR(report.solution_distance, 9.81e-3, 1e-8);
}

TEST(Diagnose, painleves_rod_has_three_motions) {
  // Its tip slides into the paradox and leaves the floor slowly: it flies, sticks or slides.
  const double tilt = M_PI / 3.0;
  Simulation simulation = simulate(planar(
      2.0, fmt::format("  rod: {{shapes: [{{capsule: {{length: 1, radius: 1e-6}}, material: m}}], "
                       "mass: 1, inertia: 1/12, position: [{:.17g}, {:.17g}], angle: 60 deg, "
                       "velocity: [-1, 0.05]}}",
                       0.5 * std::cos(tilt), 0.5 * std::sin(tilt) + 1e-6)));
  const StepReport report = simulation.step();
  EXPECT_EQ(report.uniqueness, Uniqueness::several);
  EXPECT_EQ(report.solutions, 3);
  EXPECT_GT(apart(simulation.problem()), 1e-3);
}

TEST(Diagnose, three_discs_agree_with_all_solutions) {
  int several = 0, unique = 0;
  for (const double friction : {0.1, 0.3, 0.6, 1.5, 4.0}) {
    Simulation simulation = simulate(planar(friction, R"(
  a: {shapes: [{circle: 0.5, material: m}], position: [-0.5, 0.5]}
  b: {shapes: [{circle: 0.5, material: m}], position: [0.5, 0.5]}
  c: {shapes: [{circle: 0.5, material: m}], position: [0, 1.3660254037844386]})"));
    const StepReport report = simulation.step();
    const double distance = apart(simulation.problem());
    if (report.uniqueness == Uniqueness::unique) {
      EXPECT_LT(distance, 1e-7) << friction;
    } else if (report.uniqueness == Uniqueness::several) {
      EXPECT_GT(report.solution_distance, 0.0) << friction;
    }
    EXPECT_NE(report.uniqueness, Uniqueness::unasked);
    several += report.uniqueness == Uniqueness::several;
    unique += report.uniqueness == Uniqueness::unique;
  }
  EXPECT_GE(unique + several, 3);
}

TEST(Diagnose, islands_are_asked_apart) {
  Simulation simulation = simulate(planar(0.5, R"(
  left: {freedom: fixed, shapes: [{box: [1, 6], material: m}], position: [-1, 3]}
  right: {freedom: fixed, shapes: [{box: [1, 6], material: m}], position: [1, 3]}
  part: {shapes: [{box: [1, 1], material: m}], position: [0, 3]}
  other: {shapes: [{box: [1, 1], material: m}], position: [9, 0.5]})",
                                          "all"));
  const StepReport report = simulation.step();
  EXPECT_EQ(report.uniqueness, Uniqueness::several);
  ASSERT_GE(report.motions.size(), 2u);
  for (const FoundMotion& motion : report.motions) {  // of the part alone
    ASSERT_EQ(motion.bodies.size(), 1u);
    EXPECT_EQ(motion.bodies[0].body, body(simulation, "part"));
  }
}

TEST(Diagnose, changes_no_motion) {
  std::vector<std::uint64_t> hashes;
  for (const char* asked : {"off", "flag", "all"}) {
    Simulation simulation = simulate(
        spatial(0.3,
                "  box: {shapes: [{box: [0.3, 0.2, 0.1], material: m}], position: [0, 0, 0.05], "
                "velocity: [1, 0, 0], spin: [0, 0, 4]}",
                asked));
    for (int i = 0; i < 20; ++i) simulation.step();
    hashes.push_back(hash(simulation.state()));
  }
  EXPECT_EQ(hashes[0], hashes[1]);
  EXPECT_EQ(hashes[0], hashes[2]);
}

TEST(Diagnose, quasi_static_pushing_on_supports_is_decided) {
  // Friction of known limits: the motion is unique where the pusher holds the part.
  const StepReport report = step_of(R"(
world: planar
table: {friction: 0.5}
materials: {m: {friction: 0}}
bodies:
  pusher: {shapes: [{box: [0.1, 1], material: m}], position: [-0.55, 0], motion: {x: -0.55 + 0.1*t, y: 0, angle: 0}}
  part: {shapes: [{box: [1, 1], material: m}], mass: 1, position: [0, 0], supports: [[-0.4, -0.4], [0.4, -0.4], [0, 0.4]]}
run: {motion: quasi-static, step: 1 ms, duration: 1 s, diagnose: flag}
)");
  EXPECT_EQ(report.ending, Ending::none);
  EXPECT_EQ(report.uniqueness, Uniqueness::unique);
}

}  // namespace
}  // namespace vinci::test
