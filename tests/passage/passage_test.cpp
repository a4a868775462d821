// SPDX-License-Identifier: Apache-2.0
// The geometric model against passages whose answer is known, and its certificate against points
// sampled far more finely.
#include "vinci/passage/passage.h"

#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "vinci/passage/clearance.h"
#include "vinci/scene/scene.h"
#include "vinci/simulation/plugins.h"

namespace vinci {
namespace {

std::unique_ptr<CollisionDetector> exact() {
  static const Plugins plugins = builtin_plugins();
  return plugins.detectors.make("exact");
}

struct Case {
  std::shared_ptr<const Model> model;
  PassageQuery query;
  PassageResult find() const { return find_passage(*model, *exact(), query); }
};

Case make_case(std::shared_ptr<const Model> model, const std::string& body) {
  Case made{std::move(model), {}};
  made.query.body = made.model->find_body(body);
  made.query.start = made.model->bodies[made.query.body].initial_pose;
  return made;
}

// The square of 60 mm before a slot of this width.
Case slot_case(double width) {
  static const Scene scene = Scene::load(std::string(VINCI_SOURCE_DIR) + "/scenes/slot.yaml");
  Case made = make_case(scene.compile({{"slot", width}}), "square");
  made.query.goal["y"] = {-std::numeric_limits<double>::infinity(), -0.1};
  return made;
}

// An L of arms 0.2 long and 0.05 wide in a corridor of this width that turns by 90° (inside corner
// at the origin: from the right to the top).
Case corner_case(double corridor) {
  const Scene scene = Scene::parse(R"(
world: planar
parameters: {w: 0.1}
bodies:
  inside: {freedom: fixed, shapes: [{box: [0.8, 0.8], position: [0.4, 0.4]}]}
  outside:
    freedom: fixed
    shapes:
      - {box: [1, 0.1], position: [0.3, -w - 0.05]}
      - {box: [0.1, 1.2], position: [-w - 0.05, 0.4]}
  part:
    shapes: [{polygon: [[0, 0], [0.2, 0], [0.2, 0.05], [0.05, 0.05], [0.05, 0.2], [0, 0.2]]}]
    position: [0.4, 0.001 - w]
)");
  Case made = make_case(scene.compile({{"w", corridor}}), "part");
  made.query.goal["y"] = {0.3, 0.6};
  made.query.goal["x"] = {-corridor, 0.0};
  made.query.bounds = {{"x", {-corridor, 0.6}}, {"y", {-corridor, 0.7}}};
  return made;
}

// Every pose of the path, at steps of `step` m, is free of overlap.
void expect_free(const Case& made, const PassageResult& result, double step) {
  const auto detector = exact();
  Clearance clearance(*made.model, *detector, made.query.body,
                      std::vector<Pose>(made.model->bodies.size(), Pose{}));
  for (std::size_t i = 0; i + 1 < result.path.size(); ++i) {
    const double travel = clearance.travel(result.path[i], result.path[i + 1]);
    const int steps = 1 + static_cast<int>(travel / step);
    for (int k = 0; k <= steps; ++k) {
      const Pose pose = between(result.path[i], result.path[i + 1], double(k) / steps);
      // 1e-12 m: rounding of coordinates below 1 m.
      ASSERT_GE(clearance.gap(pose, 0.1), result.least_gap - 1e-12) << "motion " << i;
    }
  }
}

TEST(Passage, square_passes_slots_wider_than_its_side) {
  for (const double width : {0.061, 0.066, 0.09}) {
    const Case made = slot_case(width);
    const PassageResult result = made.find();
    ASSERT_EQ(result.status, PassageStatus::found) << width << ": " << result.note;
    EXPECT_LE(result.path.back().position.y(), -0.1);
    EXPECT_GE(result.least_gap, 0.0);
    // In the slot the two gaps share what the side leaves.
    EXPECT_LE(result.least_gap, 0.5 * (width - 0.06));
    expect_free(made, result, 2e-5);
  }
}

TEST(Passage, square_never_passes_slots_narrower_than_its_side_and_that_is_proven) {
  for (const double width : {0.02, 0.05, 0.058}) {
    const PassageResult result = slot_case(width).find();
    EXPECT_EQ(result.status, PassageStatus::impossible) << width;
    EXPECT_TRUE(result.path.empty());
  }
}

TEST(Passage, clearance_counts_as_if_the_slot_were_narrower) {
  Case made = slot_case(0.066);
  made.query.clearance = 0.002;
  const PassageResult passes = made.find();
  ASSERT_EQ(passes.status, PassageStatus::found) << passes.note;
  EXPECT_GE(passes.least_gap, 0.002);
  expect_free(made, passes, 2e-5);
  made.query.clearance = 0.0045;  // 66 − 9 < 60
  EXPECT_EQ(made.find().status, PassageStatus::impossible);
}

// A disk has no corners, so the proof decides nothing by its shape: found down to its diameter.
TEST(Passage, disk_and_slot_differ_at_the_diameter) {
  const Scene scene = Scene::parse(R"(
world: planar
parameters: {slot: 0.1}
bodies:
  wall:
    freedom: fixed
    shapes:
      - {box: [0.5, 0.02], position: [-0.25 - slot/2, 0]}
      - {box: [0.5, 0.02], position: [0.25 + slot/2, 0]}
  disk: {shapes: [{circle: 0.03}], position: [0, 0.1]}
)");
  for (const auto& [width, status] :
       {std::pair{0.0604, PassageStatus::found}, std::pair{0.057, PassageStatus::impossible}}) {
    Case made = make_case(scene.compile({{"slot", width}}), "disk");
    made.query.goal["y"] = {-0.2, -0.1};
    made.query.bounds = {{"x", {-0.4, 0.4}}, {"y", {-0.2, 0.2}}};
    EXPECT_EQ(made.find().status, status) << width;
  }
}

// Upright the L is 0.2 m wide and high; 0.177 m = 0.25/√2 is its least width, at 45°.
TEST(Passage, an_l_goes_around_a_corner_in_corridors_wider_than_itself) {
  EXPECT_EQ(corner_case(0.19).find().status, PassageStatus::start_blocked) << "0.2 m high";
  for (const double width : {0.22, 0.25}) {
    const Case made = corner_case(width);
    const PassageResult found = made.find();
    ASSERT_EQ(found.status, PassageStatus::found) << found.note;
    EXPECT_GE(found.path.back().position.y(), 0.3);
    expect_free(made, found, 1e-4);
  }
  Case narrow = corner_case(0.17);
  narrow.query.start = planar_pose(0.5, -0.085, 0.0);
  EXPECT_EQ(narrow.find().status, PassageStatus::start_blocked);
}

TEST(Passage, a_closed_box_holds_its_body_for_certain) {
  const Scene scene = Scene::parse(R"(
world: planar
bodies:
  box:
    freedom: fixed
    shapes:
      - {box: [0.4, 0.02], position: [0, 0.2]}
      - {box: [0.4, 0.02], position: [0, -0.2]}
      - {box: [0.02, 0.42], position: [0.2, 0]}
      - {box: [0.02, 0.42], position: [-0.2, 0]}
  cup:
    shapes:
      - polygon: [[-0.03, -0.03], [0.03, -0.03], [0.03, 0.03], [0.02, 0.03], [0.02, -0.02],
                  [-0.02, -0.02], [-0.02, 0.03], [-0.03, 0.03]]
)");
  Case made = make_case(scene.compile(), "cup");
  made.query.goal["x"] = {0.3, 1.0};
  const PassageResult result = made.find();
  EXPECT_EQ(result.status, PassageStatus::impossible);
  EXPECT_EQ(result.samples, 0);
}

TEST(Passage, same_seed_same_path_to_the_last_bit) {
  Case made = slot_case(0.063);
  made.query.seed = 7;
  const PassageResult first = made.find(), second = made.find();
  ASSERT_EQ(first.status, PassageStatus::found);
  ASSERT_EQ(first.path.size(), second.path.size());
  EXPECT_EQ(first.samples, second.samples);
  for (std::size_t i = 0; i < first.path.size(); ++i) {
    EXPECT_EQ(first.path[i].position, second.path[i].position);
    EXPECT_EQ(first.path[i].rotation.coeffs(), second.path[i].rotation.coeffs());
  }
  made.query.seed = 8;
  EXPECT_NE(made.find().samples, first.samples);
}

TEST(Passage, goals_may_ask_for_an_angle_and_turns_count_as_the_same) {
  Case made = slot_case(0.08);
  for (const double turns : {0.0, 2.0 * M_PI, -4.0 * M_PI}) {
    made.query.goal["angle"] = {turns + 1.0, turns + 1.1};
    const PassageResult result = made.find();
    ASSERT_EQ(result.status, PassageStatus::found) << result.note;
    const double angle = planar_angle(result.path.back().rotation);
    EXPECT_GE(angle, 1.0 - 1e-12);
    EXPECT_LE(angle, 1.1 + 1e-12);
  }
}

TEST(Passage, upside_down_is_an_angle_like_any_other) {
  Case made = slot_case(0.08);
  for (const double angle : {M_PI, -M_PI}) {
    made.query.start = planar_pose(0.1, 0.15, angle);
    made.query.goal["angle"] = {angle, angle};
    EXPECT_EQ(made.find().status, PassageStatus::found) << angle;
  }
}

TEST(Passage, starts_and_goals_without_room_are_told_apart) {
  Case made = slot_case(0.066);
  made.query.start = planar_pose(0.1, 0.0, 0.0);
  EXPECT_EQ(made.find().status, PassageStatus::start_blocked);
  made.query.start = planar_pose(0.1, 0.15, 0.0);
  made.query.goal = {{"x", {0.15, 0.15}}, {"y", {0.0, 0.0}}};  // in the wall
  EXPECT_EQ(made.find().status, PassageStatus::goal_blocked);
  made.query.goal = {{"y", {0.1, 0.2}}};
  const PassageResult there = made.find();
  EXPECT_EQ(there.status, PassageStatus::found);
  EXPECT_EQ(there.path.size(), 1u);
}

TEST(Passage, no_path_within_the_effort_is_no_proof_and_says_so) {
  Case made = slot_case(0.0602);
  made.query.effort = 20;
  const PassageResult result = made.find();
  EXPECT_EQ(result.status, PassageStatus::not_found);
  EXPECT_NE(result.note.find("no proof"), std::string::npos);
  made.query.stop = [] { return true; };
  EXPECT_EQ(made.find().status, PassageStatus::stopped);
  made.query.stop = []() -> bool { throw Error("enough"); };
  EXPECT_THROW(made.find(), Error);
}

TEST(Passage, a_box_passes_a_window_in_space) {
  const Scene scene = Scene::parse(R"(
world: spatial
bodies:
  wall:
    freedom: fixed
    shapes:
      - {box: [0.4, 0.05, 0.3], position: [0.3, 0, 0]}
      - {box: [0.4, 0.05, 0.3], position: [-0.3, 0, 0]}
      - {box: [1, 0.05, 0.4], position: [0, 0, 0.3]}
      - {box: [1, 0.05, 0.4], position: [0, 0, -0.3]}
  plank: {shapes: [{box: [0.3, 0.08, 0.06]}], position: [0, 0.3, 0]}
)");
  Case made = make_case(scene.compile(), "plank");
  made.query.goal["y"] = {-0.4, -0.25};
  made.query.bounds = {{"x", {-0.3, 0.3}}, {"y", {-0.4, 0.4}}, {"z", {-0.3, 0.3}}};
  const PassageResult result = made.find();
  ASSERT_EQ(result.status, PassageStatus::found) << result.note;
  expect_free(made, result, 1e-3);
}

// The certificate against fine sampling, on random motions among random polygons.
TEST(Passage, certified_motions_never_come_nearer) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> place(-0.3, 0.3), angle(-M_PI, M_PI), size(0.02, 0.12);
  std::string text = "world: planar\nbodies:\n  rocks:\n    freedom: fixed\n    shapes:\n";
  for (int i = 0; i < 12; ++i)
    text += fmt::format("      - {{box: [{}, {}], position: [{}, {}], angle: {}}}\n", size(random),
                        size(random), place(random), place(random), angle(random));
  text +=
      "  hook: {shapes: [{polygon: [[0, 0], [0.09, 0], [0.09, 0.03], [0.03, 0.03], [0.03, 0.09],"
      " [0, 0.09]]}]}\n";
  const Case made = make_case(Scene::parse(text).compile(), "hook");
  const auto detector = exact();
  Clearance clearance(*made.model, *detector, made.query.body, std::vector<Pose>(2));
  int certified = 0;
  for (int i = 0; i < 2000; ++i) {
    const Pose a = planar_pose(place(random), place(random), angle(random));
    const Pose b = planar_pose(a.position.x() + 0.3 * place(random),
                               a.position.y() + 0.3 * place(random), angle(random));
    const double least = i % 3 == 0 ? 0.004 : 0.0;
    if (!clearance.is_kept(a, b, least, 1e-5)) continue;
    ++certified;
    for (int k = 0; k <= 200; ++k)
      ASSERT_GE(clearance.gap(between(a, b, k / 200.0), 0.01), least) << "motion " << i;
  }
  EXPECT_GT(certified, 100);
}

TEST(Passage, mistakes_are_named) {
  auto message = [](const Case& made) -> std::string {
    try {
      made.find();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  Case made = slot_case(0.066);
  made.query.goal = {};
  EXPECT_EQ(message(made), "goal: has no condition; accepted: at least one range");
  made.query.goal = {{"z", {0.0, 1.0}}};
  EXPECT_EQ(message(made), "goal: 'z' is no coordinate; accepted: x, y, angle");
  made.query.goal = {{"y", {1.0, 0.0}}};
  EXPECT_EQ(message(made), "goal y: from 1 to 0 is no range; the first must not exceed the second");
  made.query.goal = {{"y", {5.0, 6.0}}};
  made.query.bounds = {{"y", {-1.0, 1.0}}};
  EXPECT_EQ(message(made), "goal y: lies outside of the bounds");
  made.query.bounds = {{"angle", {-1.0, 1.0}}};
  EXPECT_EQ(message(made), "bounds: 'angle' is no coordinate; accepted: x, y");
  made.query.bounds = {{"x", {1.0, 1.0}}};
  EXPECT_EQ(message(made), "bounds x: leave no room");
  made.query.bounds = {};
  made.query.clearance = -1.0;
  EXPECT_EQ(message(made), "clearance: is -1; accepted: a length in m, 0 or more");
  made.query.clearance = 0.0;
  made.query.effort = 0;
  EXPECT_EQ(message(made), "effort: is 0; accepted: a number of samples, 1 or more");
  made.query.body = made.model->find_body("wall");
  EXPECT_EQ(message(made), "body: 'wall' is fixed; accepted: a body that moves");
}

}  // namespace
}  // namespace vinci
