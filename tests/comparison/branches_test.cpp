// SPDX-License-Identifier: Apache-2.0
// Runs that a scene allows, where they are known: Painlevé's rod in its indeterminate region, by
// hand; scenes with one motion; runs that part and meet again.
#include "vinci/comparison/branches.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace vinci {
namespace {

constexpr double gravity = 9.81;

// The tip of the rod slides to the left on the floor, and leaves it slowly. With friction so large
// the floor may push it so that it stays, or so that it sticks. `run` ends the scene.
std::string rod(const std::string& run) {
  return R"(
world: planar
parameters: {mu: 2, half: 0.5, tilt: 60 deg, slip: -1, rise: 0.05}
materials: {chalk: {friction: mu}}
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}, material: chalk}]}
  rod:
    shapes: [{capsule: {length: 2*half, radius: 1e-6}, material: chalk}]
    mass: 1
    inertia: (2*half)^2/12
    position: [half*cos(tilt), half*sin(tilt) + 1e-6]
    angle: tilt
    velocity: [slip, rise]
)" + run;
}

std::shared_ptr<const Plugins> all_plugins() {
  static const auto all = std::make_shared<const Plugins>(builtin_plugins());
  return all;
}

BranchTree followed(const std::string& scene, const BranchOptions& options = {}) {
  return *follow_branches(Scene::parse(scene), {}, all_plugins(), options);
}

// The three solutions of the rod's first step: velocities of its centre, and its spin.
struct Motion3 {
  double vx, vy, w;
};
std::vector<Motion3> by_hand(double h) {
  const double l = 0.5, mu = 2.0, c = std::cos(M_PI / 3.0), s = std::sin(M_PI / 3.0);
  const double mass = 1.0, inertia = 1.0 / 12.0, radius = 1e-6;
  // The point of contact from the centre: the tip of the core, and the radius below it.
  const double x = -l * c, y = -l * s - radius;
  const double nn = 1.0 / mass + x * x / inertia, tt = 1.0 / mass + y * y / inertia;
  const double nt = -x * y / inertia;
  const double qn = 0.05 - gravity * h, qt = -1.0;
  const auto motion = [&](double normal, double tangent) {
    return Motion3{-1.0 + tangent / mass, qn + normal / mass, (x * normal - y * tangent) / inertia};
  };
  // It slides to the left under friction to the right, w_n = (nn + mu nt) λ + qn = 0.
  const double slide = -qn / (nn + mu * nt);
  // It sticks: both velocities of the tip vanish.
  const double det = nn * tt - nt * nt;
  const double normal = (-qn * tt + qt * nt) / det, tangent = (-qt * nn + qn * nt) / det;
  EXPECT_GT(qn, 0.0);                           // open is a solution,
  EXPECT_GT(slide, 0.0);                        // and sliding,
  EXPECT_LT(qt + (nt + mu * tt) * slide, 0.0);  // to the left,
  EXPECT_LE(std::abs(tangent), mu * normal);    // and sticking.
  return {motion(0.0, 0.0), motion(slide, mu * slide), motion(normal, tangent)};
}

TEST(Branches, ARodThatMayLiftSlideOrJamHasThreeOutcomesKnownByHand) {
  BranchOptions options;
  options.quantities = {"rod.vx", "rod.vy", "rod.wz"};
  const BranchTree tree = followed(rod("run: {step: 1 ms, duration: 1 ms}"), options);
  EXPECT_EQ(tree.verdict, BranchVerdict::indeterminate);
  ASSERT_EQ(tree.leaves(), 3);
  ASSERT_EQ(tree.outcomes.size(), 3u);
  std::vector<int> found(3, 0);
  const std::vector<Motion3> expected = by_hand(1e-3);
  for (const Branch& branch : tree.branches)
    for (std::size_t k = 0; k < 3; ++k)
      if (std::abs(branch.values[0] - expected[k].vx) < 1e-9 &&
          std::abs(branch.values[1] - expected[k].vy) < 1e-9 &&
          std::abs(branch.values[2] - expected[k].w) < 1e-8)
        ++found[k];
  EXPECT_EQ(found, (std::vector<int>{1, 1, 1}));
  const Branch& other = tree.branches[1];
  EXPECT_EQ(other.parent, 0);
  EXPECT_EQ(other.step, 1);
  EXPECT_EQ(other.time, 0.0);
  ASSERT_EQ(other.points.size(), 1u);
  EXPECT_EQ(other.points[0].alternatives, 3);
  EXPECT_EQ(other.points[0].bodies, std::vector<int>{1});
  EXPECT_NE(other.modes, other.parent_modes);
}

// What differs does not matter to a quantity that all have in common.
TEST(Branches, OutcomesThatAgreeOnTheQuantityAskedAreOne) {
  BranchOptions options;
  options.quantities = {"rod.x"};
  options.tolerance = 0.1;
  const BranchTree tree = followed(rod("run: {step: 1 ms, duration: 1 ms}"), options);
  EXPECT_EQ(tree.leaves(), 3);
  EXPECT_EQ(tree.outcomes.size(), 1u);
  EXPECT_EQ(tree.verdict, BranchVerdict::robust);
}

TEST(Branches, ABlockThatSlidesToRestHasOneRun) {
  const BranchTree tree = followed(R"(
world: planar
materials: {wood: {friction: 0.3}}
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}, material: wood}]}
  block:
    shapes: [{box: [0.2, 0.1], material: wood, density: 700}]
    position: [0, 0.05]
    velocity: [0.2, 0]
run: {step: 2 ms, duration: 0.1 s}
)");
  EXPECT_EQ(tree.verdict, BranchVerdict::robust);
  EXPECT_EQ(tree.branches.size(), 1u);
  EXPECT_EQ(tree.several_steps, 0);
  EXPECT_EQ(tree.steps, 50);
}

// Never robust where something was left out.
TEST(Branches, MoreBranchesThanAskedForAreCountedAndNothingIsClaimed) {
  BranchOptions options;
  options.most = 1;
  const BranchTree tree = followed(rod("run: {step: 1 ms, duration: 3 ms}"), options);
  EXPECT_EQ(tree.leaves(), 1);
  EXPECT_GE(tree.left, 2);
  EXPECT_EQ(tree.first_left, 1);
  EXPECT_EQ(tree.verdict, BranchVerdict::undecided);
}

// 7 boxes on each other have 28 rows in an island: too many to enumerate. At rest a proof does
// without; on a steep slope, held by much friction, it does not.
std::string tower(const std::string& gravity, double friction) {
  std::string scene = fmt::format(R"(
world: planar
gravity: {}
materials: {{wood: {{friction: {}}}}}
bodies:
  floor: {{freedom: fixed, shapes: [{{half-plane: {{}}, material: wood}}]}}
)",
                                  gravity, friction);
  for (int i = 0; i < 7; ++i)
    scene += fmt::format(
        "  box{}: {{shapes: [{{box: [1, 1], material: wood}}], position: [0, {}]}}\n", i, i + 0.5);
  return scene + "run: {step: 1 ms, duration: 2 ms}\n";
}

TEST(Branches, ALargeStackAtRestHasOneRun) {
  const BranchTree tree = followed(tower("[0, -9.81]", 0.3));
  EXPECT_EQ(tree.unseen_steps, 0);
  EXPECT_EQ(tree.verdict, BranchVerdict::robust);
}

TEST(Branches, ABoxThatSlidesInSpaceHasOneRun) {
  const BranchTree tree = followed(R"(
world: spatial
materials: {wood: {friction: 0.4}}
bodies:
  table: {freedom: fixed, shapes: [{half-space: {}, material: wood}]}
  box:
    shapes: [{box: [0.2, 0.2, 0.05], material: wood, density: 700}]
    position: [0, 0, 0.025]
    velocity: [0.03, 0, 0]
run: {step: 1 ms, duration: 20 ms}
)");
  EXPECT_EQ(tree.unproved_steps, 0);
  EXPECT_EQ(tree.verdict, BranchVerdict::robust);
}

TEST(Branches, StepsThatAreTooLargeToEnumerateAreCountedAndNothingIsClaimed) {
  const BranchTree tree = followed(tower("[5, -9.81]", 2.0));
  EXPECT_EQ(tree.unseen_steps, 2);
  EXPECT_EQ(tree.verdict, BranchVerdict::undecided);
}

// Without friction from the second step on, under a gravity that draws all of them into a corner.
TEST(Branches, RunsThatEndInTheSameCornerMeetAgain) {
  const BranchTree tree = followed(R"(
world: planar
gravity: [5, -9.81]
parameters: {mu: 2, half: 0.5, tilt: 60 deg}
materials: {chalk: {friction: mu}}
bodies:
  floor: {freedom: fixed, shapes: [{half-plane: {}, material: chalk}]}
  wall: {freedom: fixed, shapes: [{half-plane: {angle: 90 deg}, material: chalk}], position: [3, 0]}
  rod:
    shapes: [{capsule: {length: 2*half, radius: 0.01}, material: chalk}]
    mass: 1
    inertia: (2*half)^2/12
    position: [half*cos(tilt), half*sin(tilt) + 0.01]
    angle: tilt
    velocity: [-1, 0.05]
changes:
  - {at: 2 ms, set: {mu: 0}}
run: {step: 2 ms, duration: 3 s}
)");
  EXPECT_EQ(tree.branches.size(), 3u);
  EXPECT_EQ(tree.leaves(), 1);
  EXPECT_EQ(tree.outcomes.size(), 1u);
  for (std::size_t i = 1; i < tree.branches.size(); ++i) {
    EXPECT_EQ(tree.branches[i].end, Branch::End::met);
    EXPECT_GT(tree.branches[i].last_time, 0.5);
    EXPECT_GT(tree.branches[i].distance, 1e-3);
  }
  EXPECT_NE(tree.verdict, BranchVerdict::indeterminate);
}

TEST(Branches, RepeatBitForBitAndReplayToTheSameState) {
  BranchOptions options;
  options.most = 4;
  const std::string scene = rod("run: {step: 1 ms, duration: 20 ms}");
  const BranchTree tree = followed(scene, options);
  EXPECT_EQ(branches_json(tree), branches_json(followed(scene, options)));
  int leaves = 0;
  for (const Branch& branch : tree.branches) {
    if (branch.end != Branch::End::leaf) continue;
    Simulation simulation(Scene::parse(scene), {}, all_plugins());
    BranchReplay replay(simulation, branch.choices);
    run_steps(simulation, {.last_step = branch.last_step, .watchers = {&replay}});
    EXPECT_EQ(hash(simulation.state()), hash(branch.state));
    ++leaves;
  }
  EXPECT_EQ(leaves, 4);
}

// The first branch is the run that is made without asking.
TEST(Branches, TheFirstBranchIsTheRunItself) {
  const std::string scene = rod("run: {step: 1 ms, duration: 20 ms}");
  const BranchTree tree = followed(scene);
  Simulation simulation(Scene::parse(scene), {}, all_plugins());
  while (!simulation.finished()) simulation.step();
  EXPECT_EQ(hash(simulation.state()), hash(tree.branches[0].state));
}

TEST(Branches, ThePageHoldsTheTreeAndItsWordsAreSafe) {
  BranchOptions options;
  options.quantities = {"rod.vy"};
  BranchTree tree = followed(rod("run: {step: 1 ms, duration: 1 ms}"), options);
  tree.title = "<script>";
  const std::string page = branches_page(tree, "runs.html");
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_NE(page.find("<svg"), std::string::npos);
  EXPECT_NE(page.find("href=\"runs.html\""), std::string::npos);
  EXPECT_NE(page.find("indeterminate"), std::string::npos);
  const auto json = nlohmann::json::parse(branches_json(tree));
  EXPECT_EQ(json["verdict"], "indeterminate");
  EXPECT_EQ(json["branches"].size(), 3u);
}

TEST(Branches, BadQuestionsAreRefused) {
  BranchOptions none;
  none.most = 0;
  EXPECT_THROW(followed(rod("run: {step: 1 ms, duration: 1 ms}"), none), Error);
  BranchOptions unknown;
  unknown.quantities = {"stick.y"};
  EXPECT_THROW(followed(rod("run: {step: 1 ms, duration: 1 ms}"), unknown), Error);
  BranchOptions negative;
  negative.tolerance = -1.0;
  EXPECT_THROW(followed(rod("run: {step: 1 ms, duration: 1 ms}"), negative), Error);
}

}  // namespace
}  // namespace vinci
