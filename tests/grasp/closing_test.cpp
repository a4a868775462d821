// SPDX-License-Identifier: Apache-2.0
// Fingers that close: where they stop by closed forms, what stops with them, and, of random hands,
// that no link is in anything on its way and that no joint stops before it has to.
#include <cmath>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "vinci/base/error.h"
#include "vinci/collision/exact_detector.h"
#include "vinci/grasp/closing_run.h"
#include "vinci/grasp/closure.h"
#include "vinci/kinematics/joint_tree.h"
#include "vinci/kinematics/recursive.h"

namespace vinci::test {
namespace {

struct Closed {
  Model model;
  Closing closing;
  const ClosedJoint& joint(const std::string& name) const {
    for (const ClosedJoint& joint : closing.joints)
      if (model.joints[static_cast<std::size_t>(joint.joint)].name == name) return joint;
    throw Error("did not move", name);
  }
};

Closed closed(const std::string& text, const std::vector<std::string>& joints, double speed = 1.0) {
  const Simulation simulation(Scene::parse(text));
  Closed result{simulation.model(), {}};
  make_tree(result.model);
  result.closing = close_statically(result.model, simulation.state(),
                                    closing_joints(result.model, {joints, "", speed}, 1.0), speed);
  return result;
}

// A finger along x that turns about y towards −z: a capsule of radius 8 mm from 0 to 100 mm.
constexpr const char* finger = R"(
world: spatial
bodies:
  finger: {shapes: [{capsule: {length: 0.1, radius: 0.008}, rotation: {axis: [0, 1, 0], angle: 90 deg}, position: [0.05, 0, 0]}]}
)";
constexpr const char* knuckle =
    "joints: {knuckle: {revolute: [world, finger], axis: [0, 1, 0], limits: [-1, 1.2]}}\n";

TEST(Closing, a_finger_stops_on_a_ball_where_its_side_is_tangent) {
  // The distance of the centre from the finger's axis, |c| sin(φ − θ), is the sum of the radii.
  const double x = 0.06, z = -0.05, radius = 0.02;
  const Closed result =
      closed(std::string(finger) +
                 fmt::format("  ball: {{shapes: [{{sphere: {}}}], position: [{}, 0, {}]}}\n",
                             radius, x, z) +
                 knuckle,
             {"knuckle"});
  const double expected = std::atan2(-z, x) - std::asin((radius + 0.008) / std::hypot(x, z));
  EXPECT_EQ(result.joint("knuckle").reason, StopReason::contact);
  // The gap falls by the arm, 73 mm at the contact, per rad.
  EXPECT_NEAR(result.joint("knuckle").position, expected, touching_gap / 0.05);
  EXPECT_NEAR(result.closing.time, expected, 1e-7);
  EXPECT_EQ(result.closing.contacts.size(), 1u);
  EXPECT_LE(result.closing.contacts[0].gap, touching_gap);
  EXPECT_GE(result.closing.contacts[0].gap, 0.0);
}

TEST(Closing, a_joint_with_nothing_in_the_way_stops_exactly_at_its_limit) {
  const std::string scene = std::string(finger) + knuckle;
  EXPECT_EQ(closed(scene, {"knuckle"}).joint("knuckle").position, 1.2);
  EXPECT_EQ(closed(scene, {"-knuckle"}).joint("knuckle").position, -1.0);
  EXPECT_EQ(closed(scene, {"knuckle"}).joint("knuckle").reason, StopReason::limit);
  EXPECT_EQ(closed(scene, {"knuckle"}, 4.0).closing.time, 1.2 / 4.0);
}

TEST(Closing, a_joint_without_limits_ends_after_one_turn) {
  const Closed result =
      closed(std::string(finger) + "joints: {knuckle: {revolute: [world, finger]}}", {"knuckle"});
  EXPECT_EQ(result.joint("knuckle").reason, StopReason::none);
  EXPECT_NEAR(result.joint("knuckle").position, 2.0 * M_PI, 1e-12);
}

// Two links of 80 and 50 mm, the outer one turned by 0.2 rad and a third of the inner one; below
// the inner one a block whose edge is at x = 40 mm, z = −30 mm.
std::string two_links(const char* breakaway) {
  return fmt::format(R"(
world: spatial
bodies:
  inner: {{shapes: [{{box: [0.08, 0.02, 0.01], position: [0.04, 0, 0]}}]}}
  outer: {{shapes: [{{box: [0.05, 0.02, 0.01], position: [0.025, 0, 0]}}]}}
  block: {{freedom: fixed, shapes: [{{box: [0.04, 0.1, 0.1], position: [0.02, 0, -0.08]}}]}}
joints:
  knuckle: {{revolute: [world, inner], axis: [0, 1, 0], limits: [0, 2]}}
  tip: {{revolute: [inner, outer], at: [[0.08, 0, 0], [0, 0, 0]], axis: [0, 1, 0], position: 0.2, limits: [0, 2.5]}}
couplings: {{tendon: {{joints: [knuckle, tip], ratio: 1/3, offset: 0.2{}}}}}
)",
                     breakaway);
}

// Where the underside of the inner link, 5 mm below its axis, meets the edge of the block.
double edge_angle() {
  return std::atan2(0.03, 0.04) - std::asin(0.005 / 0.05);
}

TEST(Closing, coupled_joints_stop_together) {
  const Closed result = closed(two_links(""), {"knuckle"});
  EXPECT_NEAR(result.joint("knuckle").position, edge_angle(), touching_gap / 0.04);
  EXPECT_EQ(result.joint("knuckle").reason, StopReason::contact);
  EXPECT_EQ(result.joint("tip").reason, StopReason::coupling);
  EXPECT_NEAR(result.joint("tip").position, 0.2 + result.joint("knuckle").position / 3.0, 1e-12);
  EXPECT_FALSE(result.joint("tip").driven);
}

TEST(Closing, a_clutch_lets_the_driving_joint_go_on_and_not_the_driven_one) {
  // The motor at the knuckle drives the tip through the clutch: both stop.
  const Closed driven = closed(two_links(", breakaway: 0.1"), {"knuckle"});
  EXPECT_EQ(driven.joint("tip").reason, StopReason::coupling);
  // The motor at the tip drives the knuckle through it: the tip goes on to where its own link
  // touches the block, or to its limit, and the coupling holds another offset.
  const Closed free = closed(two_links(", breakaway: 0.1"), {"tip"});
  EXPECT_NEAR(free.joint("knuckle").position, edge_angle(), touching_gap / 0.04);
  EXPECT_GT(free.joint("tip").position, 0.2 + free.joint("knuckle").position / 3.0 + 0.5);
  EXPECT_NEAR(free.closing.state.coupling_offsets[0],
              free.joint("tip").position - free.joint("knuckle").position / 3.0, 1e-15);
}

// Two jaws on a table, which they touch, on both sides of a part.
std::string jaws(double left_height, const char* part) {
  return fmt::format(R"(
world: spatial
bodies:
  table: {{freedom: fixed, shapes: [{{half-space: {{}}}}]}}
  left: {{shapes: [{{box: [0.02, 0.04, 0.06]}}]}}
  right: {{shapes: [{{box: [0.02, 0.04, 0.06]}}]}}
{}joints:
  left: {{prismatic: [world, left], at: [[-0.1, 0, {}], [0, 0, 0]], axis: [1, 0, 0], limits: [0, 0.2]}}
  right: {{prismatic: [world, right], at: [[0.1, 0, 0.03], [0, 0, 0]], axis: [-1, 0, 0], limits: [0, 0.2]}}
)",
                     part, left_height);
}

TEST(Closing, jaws_slide_over_the_table_that_they_touch) {
  const Closed result = closed(
      jaws(0.03, "  part: {shapes: [{box: [0.03, 0.03, 0.03]}], position: [0.01, 0, 0.015]}\n"),
      {"left", "right"});
  // From the faces of the jaws at ∓90 mm to those of the part at −5 and 25 mm.
  EXPECT_NEAR(result.joint("left").position, 0.085, 1.01 * touching_gap);
  EXPECT_NEAR(result.joint("right").position, 0.065, 1.01 * touching_gap);
  EXPECT_LE(result.joint("left").position, 0.085);
}

TEST(Closing, jaws_that_meet_stop_each_other_in_the_middle) {
  const Closed result = closed(jaws(0.03, ""), {"left", "right"});
  EXPECT_NEAR(result.joint("left").position, 0.09, touching_gap);
  EXPECT_NEAR(result.joint("right").position, result.joint("left").position, 1e-15);
  const int left = result.model.find_body("left");
  EXPECT_EQ(result.joint("right").other, left);
}

TEST(Closing, bodies_of_a_thickness_of_a_micrometre_are_not_passed) {
  const Closed result = closed(
      jaws(0.03,
           "  part: {shapes: [{box: [1.0e-6, 0.03, 0.03]}], position: [0, 0, 0.015], mass: 1}\n"),
      {"left"}, 100.0);
  EXPECT_NEAR(result.joint("left").position, 0.09 - 5e-7, 1.01 * touching_gap);
}

// --- random hands ---

// Two fingers of two links from both sides, with shapes, lengths and couplings at random, and a
// body between them.
std::string random_hand(std::mt19937_64& random) {
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution(low, high)(random);
  };
  const auto link = [&](double length) {
    return random() % 2 == 0 ? fmt::format("{{box: [{}, {}, {}], position: [{}, 0, 0]}}", length,
                                           uniform(0.01, 0.03), uniform(0.005, 0.015), 0.5 * length)
                             : fmt::format(
                                   "{{capsule: {{length: {}, radius: {}}}, position: [{}, 0, 0], "
                                   "rotation: {{axis: [0, 1, 0], angle: 90 deg}}}}",
                                   length, uniform(0.004, 0.01), 0.5 * length);
  };
  const char* kinds[] = {"box: [0.04, 0.06, 0.03]", "sphere: 0.025",
                         "cylinder: {radius: 0.02, height: 0.05}",
                         "capsule: {length: 0.05, radius: 0.015}"};
  std::string bodies, joints, couplings;
  for (int k = 0; k < 2; ++k) {
    const double inner = uniform(0.05, 0.08), outer = uniform(0.03, 0.06);
    bodies += fmt::format("  inner{0}: {{shapes: [{1}]}}\n  outer{0}: {{shapes: [{2}]}}\n", k,
                          link(inner), link(outer));
    // Open fingers point away from each other and turn down, towards −z.
    const double side = k == 0 ? 1.0 : -1.0;
    joints += fmt::format(
        "  knuckle{0}: {{revolute: [world, inner{0}], at: [[{1}, {2}, 0.06], [0, 0, 0]], axis: [0, "
        "1, 0], rotation: {{axis: [0, 0, 1], angle: {3}}}, limits: [0, 2.4]}}\n"
        "  tip{0}: {{revolute: [inner{0}, outer{0}], at: [[{4}, 0, 0], [0, 0, 0]], axis: [0, 1, "
        "0], position: {5}, limits: [0, 2.2]}}\n",
        k, side * 0.05, uniform(-0.02, 0.02), k == 0 ? 0.0 : M_PI, inner, uniform(0.1, 0.8));
    if (random() % 2 == 0)
      couplings += fmt::format("  tendon{0}: {{joints: [knuckle{0}, tip{0}], ratio: {1}{2}}}\n", k,
                               uniform(0.2, 1.0), random() % 2 == 0 ? ", breakaway: 1" : "");
  }
  return fmt::format(
      "world: spatial\nbodies:\n{}  part: {{shapes: [{{{}}}], position: [{}, {}, {}], rotation: "
      "{{rpy: [{}, {}, {}]}}}}\njoints:\n{}{}",
      bodies, kinds[random() % 4], uniform(-0.02, 0.02), uniform(-0.02, 0.02), uniform(-0.03, 0.0),
      uniform(-3, 3), uniform(-1, 1), uniform(-3, 3), joints,
      couplings.empty() ? "" : "couplings:\n" + couplings);
}

double deepest(const Model& model, const VectorX& coordinates, std::vector<Pose> poses) {
  place_tree(model, coordinates, poses);
  ContactSet contacts;
  ExactDetector().detect(model, poses, std::vector<double>(model.bodies.size(), 1e-3), contacts);
  double gap = 1.0;
  for (const Contact& contact : contacts) gap = std::min(gap, contact.gap);
  return gap;
}

// Between the link beyond a joint and what it touched.
double gap_between(const Model& model, const VectorX& coordinates, std::vector<Pose> poses,
                   const ClosedJoint& joint) {
  place_tree(model, coordinates, poses);
  ContactSet contacts;
  ExactDetector().detect(model, poses, std::vector<double>(model.bodies.size(), 1e-3), contacts);
  double gap = 1.0;
  for (const Contact& contact : contacts)
    if (std::minmax(contact.body_a, contact.body_b) == std::minmax(joint.body, joint.other))
      gap = std::min(gap, contact.gap);
  return gap;
}

VectorX coordinates_at(const Closing& closing, double time) {
  for (const auto& [at, coordinates] : closing.path)
    if (at == time) return coordinates;
  throw Error("the path has no stop at this time");
}

TEST(Closing, links_of_random_hands_pass_through_nothing_and_stop_no_sooner_than_they_must) {
  std::mt19937_64 random(15);
  int hands = 0, contacts = 0;
  for (int trial = 0; trial < 150; ++trial) {
    const std::string text = random_hand(random);
    // A follower is not driven as well.
    std::vector<std::string> joints = {"knuckle0", "knuckle1"};
    for (int k = 0; k < 2; ++k)
      if (text.find(fmt::format("tendon{}", k)) == std::string::npos)
        joints.push_back(fmt::format("tip{}", k));
    Closed result;
    try {
      result = closed(text, joints);
    } catch (const Error& error) {
      // Fingers that begin in the part, or in each other.
      ASSERT_NE(error.message().find("at the start"), std::string::npos) << error.what();
      continue;
    }
    ++hands;
    const std::vector<Pose>& poses = result.closing.state.poses;
    // On the way, sampled: the joints move at constant rates between the stops.
    for (std::size_t i = 0; i + 1 < result.closing.path.size(); ++i)
      for (int k = 0; k <= 40; ++k) {
        const auto& [from, start] = result.closing.path[i];
        const auto& [to, end] = result.closing.path[i + 1];
        const VectorX at = start + (end - start) * (k / 40.0);
        ASSERT_GE(deepest(result.model, at, poses), -touching_gap) << text;
      }
    // Where a joint stopped by contact its link touches, and would go in if the joint went on.
    for (const ClosedJoint& joint : result.closing.joints) {
      if (joint.reason != StopReason::contact) continue;
      ++contacts;
      VectorX there = coordinates_at(result.closing, joint.time);
      const double gap = gap_between(result.model, there, poses, joint);
      EXPECT_LE(gap, touching_gap) << text;
      there[result.model.joints[static_cast<std::size_t>(joint.joint)].first_coordinate] += 1e-6;
      EXPECT_LT(gap_between(result.model, there, poses, joint), gap) << text;
    }
  }
  EXPECT_GT(hands, 100);
  EXPECT_GT(contacts, 100);
}

// --- with dynamics ---

TEST(Closing, servos_press_a_part_with_their_limits_and_rest) {
  const Scene scene = Scene::parse(jaws(0.03,
                                        "  part: {shapes: [{box: [0.03, 0.03, 0.03]}], position: "
                                        "[0.01, 0, 0.015], mass: 0.5}\n") +
                                   "materials: {default: {friction: 0.4}}\n"
                                   "run: {step: 1 ms, duration: 2 s}\n");
  const Simulation before(scene);
  ClosingRun run;
  run.joints = closing_joints(before.model(), {{"left", "right"}, "", 0.1}, 2.0);
  run.speed = 0.1;
  run.limit = 20.0;
  run.object = before.model().find_body("part");
  Simulation simulation(with_servos(scene, closing_servos(before.model(), run)));
  const State start = simulation.state();
  RestWatcher rest(run, simulation.step_size());
  while (!simulation.finished() && !rest.at_rest()) {
    simulation.step();
    rest.after_step(simulation);
  }
  EXPECT_TRUE(rest.at_rest());
  // 85 and 65 mm at 0.1 m/s less a lag of up to a fiftieth; the left jaw pushes the part on to the
  // right one, or waits for it: they meet it at 150 mm in all.
  EXPECT_LT(simulation.state().time, 1.2);
  const std::vector<ClosedJoint> joints = closed_joints(simulation, run, start);
  ASSERT_EQ(joints.size(), 2u);
  EXPECT_EQ(joints[0].reason, StopReason::effort);
  EXPECT_EQ(joints[1].reason, StopReason::effort);
  EXPECT_NEAR(joints[0].position + joints[1].position, 0.15, 1e-6);
  double pressed = 0.0;
  for (const LoadedContact& loaded : loaded_contacts(simulation.contacts(), run.object))
    if (simulation.model().bodies[static_cast<std::size_t>(loaded.other)].name == "left")
      pressed += loaded.solved->impulse[0] / simulation.step_size();
  EXPECT_NEAR(pressed, 20.0, 1e-6);
}

// --- bad input ---

std::string message(const std::string& text, const std::vector<std::string>& joints) {
  try {
    closed(text, joints);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Closing, what_cannot_close_is_told) {
  const std::string scene = std::string(finger) + knuckle;
  EXPECT_NE(
      message(scene, {"elbow"}).find("there is no joint 'elbow' of one freedom; accepted: knuckle"),
      std::string::npos);
  EXPECT_NE(message(scene, {"knuckle", "-knuckle"}).find("named twice"), std::string::npos);
  EXPECT_NE(message(scene, {}).find("no motor drives a joint"), std::string::npos);
  EXPECT_NE(message(std::string(finger) +
                        "  ball: {shapes: [{sphere: 0.02}], position: [0.05, 0, "
                        "0.02]}\n" +
                        knuckle,
                    {"knuckle"})
                .find("in 'ball' at the start"),
            std::string::npos);
  EXPECT_NE(message(two_links(""), {"knuckle", "-tip"}).find("does not let"), std::string::npos);
  EXPECT_THROW(closed(scene, {"knuckle"}, 0.0), Error);
}

TEST(Closing, joints_that_motors_hold_do_not_close) {
  const auto direction = [](const char* motor) {
    const Simulation simulation(
        Scene::parse(std::string(finger) +
                     fmt::format("joints: {{knuckle: {{revolute: [world, finger], axis: [0, "
                                 "1, 0], position: 0.1, motor: {}}}}}\n",
                                 motor)));
    try {
      return closing_joints(simulation.model(), {}, 1.0)[0].direction;
    } catch (const Error&) {
      return 0;
    }
  };
  EXPECT_EQ(direction("{position: 0.1, stiffness: 10}"), 0);
  EXPECT_EQ(direction("{position: 0.1 + t, stiffness: 10}"), 1);
  EXPECT_EQ(direction("{position: 0, stiffness: 10}"), -1);
  EXPECT_EQ(direction("{velocity: -2, damping: 1}"), -1);
  EXPECT_EQ(direction("{torque: 3}"), 1);
  EXPECT_EQ(direction("{torque: 0}"), 0);
}

}  // namespace
}  // namespace vinci::test
