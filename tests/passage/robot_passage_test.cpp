// SPDX-License-Identifier: Apache-2.0
// Paths of joints against a grid over all configurations of an arm whose distances have closed
// forms, and their answers where something is in the way.
#include "vinci/passage/robot_passage.h"

#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "vinci/scene/scene.h"
#include "vinci/simulation/plugins.h"

namespace vinci {
namespace {

std::unique_ptr<CollisionDetector> exact_detector() {
  static const Plugins plugins = builtin_plugins();
  return plugins.detectors.make("exact");
}

RobotPassageResult found_in(const Model& model, const RobotPassageQuery& query) {
  return find_robot_passage(model, *exact_detector(), query);
}

std::string error_of(const Model& model, const RobotPassageQuery& query) {
  try {
    found_in(model, query);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// Two links as capsules about the segments from joint to joint, and disks.
struct Arm {
  static constexpr double first = 0.5, second = 0.4, radius = 0.03, most = 2.6;
  struct Disk {
    Vector2 center;
    double radius;
  };
  std::vector<Disk> disks;

  std::string text() const {
    std::string scene = fmt::format(R"(
world: planar
gravity: [0, 0]
bodies:
  upper: {{shapes: [{{capsule: {{length: {0}, radius: {2}}}, position: [{3}, 0]}}]}}
  lower: {{shapes: [{{capsule: {{length: {1}, radius: {2}}}, position: [{4}, 0]}}]}}
)",
                                    first, second, radius, first / 2, second / 2);
    for (std::size_t i = 0; i < disks.size(); ++i)
      scene += fmt::format(
          "  disk{}: {{freedom: fixed, shapes: [{{circle: {}}}], position: [{}, {}]}}\n", i,
          disks[i].radius, disks[i].center.x(), disks[i].center.y());
    return scene + fmt::format(R"(
joints:
  shoulder: {{revolute: [world, upper], limits: [-{0}, {0}], motion-limits: {{velocity: 2, acceleration: 5, jerk: 40}}}}
  elbow: {{revolute: [upper, lower], at: [[{1}, 0], [0, 0]], limits: [-{0}, {0}], motion-limits: {{velocity: 3}}}}
)",
                               most, first);
  }

  static double to_segment(const Vector2& point, const Vector2& a, const Vector2& b) {
    const double s = std::clamp((point - a).dot(b - a) / (b - a).squaredNorm(), 0.0, 1.0);
    return (point - a - s * (b - a)).norm();
  }
  // The least gap of a link and a disk, by hand.
  double gap(double shoulder, double elbow) const {
    const Vector2 knee = first * Vector2(std::cos(shoulder), std::sin(shoulder));
    const Vector2 tip =
        knee + second * Vector2(std::cos(shoulder + elbow), std::sin(shoulder + elbow));
    double least = infinity;
    for (const Disk& disk : disks)
      least =
          std::min({least, to_segment(disk.center, Vector2::Zero(), knee) - disk.radius - radius,
                    to_segment(disk.center, knee, tip) - disk.radius - radius});
    return least;
  }
};

// Whether two configurations hang together in a grid whose cells are open where the gap at their
// middle is at least `least`.
class Grid {
 public:
  static constexpr int count = 160;
  static constexpr double step = 2.0 * Arm::most / count;
  // No point of a link moves farther from the middle of a cell to its border.
  static constexpr double reach = 0.5 * step * (Arm::first + 2.0 * Arm::second + 2.0 * Arm::radius);

  Grid(const Arm& arm, double least) : open_(count * count) {
    for (int i = 0; i < count; ++i)
      for (int j = 0; j < count; ++j) open_[i * count + j] = arm.gap(middle(i), middle(j)) >= least;
  }
  bool connects(const Vector2& a, const Vector2& b) const {
    std::vector<char> seen(open_.size());
    std::vector<int> stack;
    const auto visit = [&](int i, int j) {
      if (i < 0 || j < 0 || i >= count || j >= count) return;
      const int cell = i * count + j;
      if (!open_[cell] || seen[cell]) return;
      seen[cell] = 1;
      stack.push_back(cell);
    };
    visit(cell_of(a[0]), cell_of(a[1]));
    while (!stack.empty()) {
      const int i = stack.back() / count, j = stack.back() % count;
      stack.pop_back();
      for (const int d : {-1, 1})
        visit(i + d, j), visit(i, j + d), visit(i + d, j + d), visit(i + d, j - d);
    }
    return seen[cell_of(b[0]) * count + cell_of(b[1])];
  }

 private:
  static double middle(int i) { return -Arm::most + (i + 0.5) * step; }
  static int cell_of(double q) {
    return std::clamp(static_cast<int>((q + Arm::most) / step), 0, count - 1);
  }
  std::vector<char> open_;
};

// Every configuration of path and trajectory, at small steps, has the gap that is told.
void expect_kept(const Arm& arm, const RobotPassageResult& result) {
  for (std::size_t i = 0; i + 1 < result.path.size(); ++i) {
    const VectorX &a = result.path[i], &b = result.path[i + 1];
    const int steps = 1 + static_cast<int>((b - a).cwiseAbs().maxCoeff() / 5e-4);
    for (int k = 0; k <= steps; ++k) {
      const VectorX q = a + (b - a) * k / steps;
      ASSERT_GE(arm.gap(q[0], q[1]), result.least_gap - 1e-12);
    }
  }
  TrajectoryPoint point;
  const int steps = 1 + static_cast<int>(result.trajectory->duration() / 2e-4);
  for (int k = 0; k <= steps; ++k) {
    result.trajectory->at(result.trajectory->duration() * k / steps, point);
    ASSERT_GE(arm.gap(point.position[0], point.position[1]), result.least_gap - 1e-12);
    ASSERT_LE(point.position.cwiseAbs().maxCoeff(), Arm::most + 1e-9);
  }
}

TEST(RobotPassage, answers_agree_with_a_grid_over_all_configurations) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> place(-0.9, 0.9), size(0.03, 0.16), angle(-2.5, 2.5);
  int passed = 0, closed = 0;
  for (int scene = 0; scene < 60; ++scene) {
    Arm arm;
    for (int i = 0; i < 5; ++i) arm.disks.push_back({{place(random), place(random)}, size(random)});
    const Vector2 a(angle(random), angle(random)), b(angle(random), angle(random));
    const double clearance = scene % 3 == 0 ? 0.01 : 0.0;
    if (arm.gap(a[0], a[1]) < clearance + 0.02 || arm.gap(b[0], b[1]) < clearance + 0.02) continue;
    const bool is_open = Grid(arm, clearance + Grid::reach).connects(a, b);
    const bool is_closed = !Grid(arm, clearance - Grid::reach).connects(a, b);
    if (!is_open && !is_closed) continue;
    RobotPassageQuery query;
    query.choice.joints = {"shoulder", "elbow"};
    query.start = {{"shoulder", a[0]}, {"elbow", a[1]}};
    query.goal = {{"shoulder", {b[0], b[0]}}, {"elbow", {b[1], b[1]}}};
    query.clearance = clearance;
    query.effort = is_closed ? 600 : 20'000;
    query.seed = static_cast<unsigned long>(scene);
    const auto model = Scene::parse(arm.text()).compile();
    const RobotPassageResult result = found_in(*model, query);
    EXPECT_EQ(result.status, is_open ? PassageStatus::found : PassageStatus::not_found)
        << "scene " << scene << ": " << result.note;
    (is_open ? passed : closed) += 1;
    if (result.status != PassageStatus::found) continue;
    EXPECT_GE(result.least_gap, clearance);
    EXPECT_EQ(result.path.front(), VectorX(a));
    EXPECT_EQ(result.path.back(), VectorX(b));
    expect_kept(arm, result);
  }
  EXPECT_GE(passed, 8);
  EXPECT_GE(closed, 4);
}

// A disk in the way of the straight motion from −1 to 1.
RobotPassageQuery around_query(const Arm&) {
  RobotPassageQuery query;
  query.choice.joints = {"shoulder", "elbow"};
  query.start = {{"shoulder", -1.0}, {"elbow", 0.3}};
  query.goal = {{"shoulder", {1.0, 1.0}}};
  return query;
}

TEST(RobotPassage, trajectories_rest_at_the_ends_and_keep_the_limits_of_joints) {
  const Arm arm{{{{0.68, 0.0}, 0.1}, {{-0.3, 0.6}, 0.1}}};
  const auto model = Scene::parse(arm.text()).compile();
  const RobotPassageResult result = found_in(*model, around_query(arm));
  ASSERT_EQ(result.status, PassageStatus::found) << result.note;
  ASSERT_GT(result.path.size(), 2u) << "the disk is in the way";
  const Trajectory& way = *result.trajectory;
  TrajectoryPoint point, before;
  way.at(0.0, point);
  EXPECT_EQ(point.position, result.path.front());
  EXPECT_EQ(point.velocity.norm(), 0.0);
  way.at(way.duration(), point);
  EXPECT_EQ(point.position, result.path.back());
  EXPECT_LT(point.velocity.norm(), 1e-9);
  const double h = 1e-4;
  // The elbow has the accelerations and jerks that go with its velocity where none are given.
  const Vector2 velocity(2.0, 3.0), acceleration(5.0, 12.0), jerk(40.0, 120.0);
  for (double t = h; t < way.duration(); t += h) {
    way.at(t - h, before);
    way.at(t, point);
    for (int k = 0; k < 2; ++k) {
      ASSERT_LE(std::abs(point.velocity[k]), velocity[k] * (1 + 1e-9));
      ASSERT_LE(std::abs(point.acceleration[k]), acceleration[k] * (1 + 1e-9));
      ASSERT_LE(std::abs(point.acceleration[k] - before.acceleration[k]) / h, jerk[k] * (1 + 1e-6));
      ASSERT_NEAR(point.position[k] - before.position[k],
                  0.5 * h * (point.velocity[k] + before.velocity[k]), 1e-8);
    }
  }
}

TEST(RobotPassage, same_seed_same_motion_to_the_last_bit) {
  const Arm arm{{{{0.68, 0.0}, 0.1}, {{-0.3, 0.6}, 0.1}}};
  const auto model = Scene::parse(arm.text()).compile();
  RobotPassageQuery query = around_query(arm);
  const RobotPassageResult first = found_in(*model, query), second = found_in(*model, query);
  ASSERT_EQ(first.status, PassageStatus::found);
  EXPECT_EQ(first.path, second.path);
  EXPECT_EQ(first.times, second.times);
  EXPECT_EQ(first.queries, second.queries);
  query.seed = 9;
  EXPECT_NE(found_in(*model, query).path, first.path);
}

TEST(RobotPassage, what_is_in_the_way_is_named) {
  const Arm arm{{{{0.62, 0.0}, 0.1}}};
  const auto model = Scene::parse(arm.text()).compile();
  RobotPassageQuery query = around_query(arm);
  query.start = {{"shoulder", 0.0}, {"elbow", 0.0}};
  RobotPassageResult result = found_in(*model, query);
  EXPECT_EQ(result.status, PassageStatus::start_blocked);
  // The disk's middle lies on the axis of the link.
  EXPECT_NE(result.note.find("'lower' and 'disk0' overlap by 0.13 m"), std::string::npos)
      << result.note;
  query = around_query(arm);
  query.goal = {{"shoulder", {0.0, 0.0}}, {"elbow", {0.0, 0.0}}};
  result = found_in(*model, query);
  EXPECT_EQ(result.status, PassageStatus::goal_blocked);
  EXPECT_NE(result.note.find("'lower' and 'disk0' overlap"), std::string::npos) << result.note;
  query.start = {{"shoulder", 3.0}};
  result = found_in(*model, query);
  EXPECT_EQ(result.status, PassageStatus::start_blocked);
  EXPECT_NE(result.note.find("'shoulder' is at 3, outside of -2.6 to 2.6 rad"), std::string::npos);
  // 0.62 sin(1) is the distance of the disk's middle from the straight arm.
  query = around_query(arm);
  query.start = {{"shoulder", 1.0}, {"elbow", 0.0}};
  query.clearance = 0.5;
  result = found_in(*model, query);
  EXPECT_EQ(result.status, PassageStatus::start_blocked);
  EXPECT_NE(result.note.find(fmt::format("are {:.3g} m apart; the clearance is 0.5 m",
                                         0.62 * std::sin(1.0) - 0.13)),
            std::string::npos)
      << result.note;
}

TEST(RobotPassage, goals_out_of_reach_are_proven_and_told_with_the_nearest_distance) {
  const auto model = Scene::parse(Arm{}.text()).compile();
  RobotPassageQuery query;
  query.choice.tip = "lower";
  query.goal = {{"x", {0.8, 0.8}}, {"y", {0.0, 0.1}}};
  // The origin of `lower` is the elbow, 0.5 m away whatever the joints do.
  RobotPassageResult result = found_in(*model, query);
  EXPECT_EQ(result.status, PassageStatus::unreachable);
  EXPECT_NE(
      result.note.find("proven: the goal is at least 0.8 m from the first joint, the reach is "
                       "0.5 m"),
      std::string::npos)
      << result.note;
  EXPECT_NE(result.note.find("is 0.3 m off"), std::string::npos) << result.note;
  query.goal = {{"x", {0.1, 0.2}}, {"y", {0.0, 0.1}}};
  result = found_in(*model, query);
  EXPECT_EQ(result.status, PassageStatus::unreachable);
  EXPECT_NE(result.note.find("proven: "), std::string::npos) << result.note;
  // The elbow would have to turn by π.
  const double angle = std::atan2(0.4, 0.3) + M_PI;
  query.goal = {{"x", {0.3, 0.3}}, {"y", {0.4, 0.4}}, {"angle", {angle, angle}}};
  result = found_in(*model, query);
  EXPECT_EQ(result.status, PassageStatus::unreachable);
  EXPECT_NE(result.note.find("no proof"), std::string::npos) << result.note;
  query = {};
  query.choice.joints = {"elbow"};
  query.goal = {{"elbow", {2.7, 3.0}}};
  result = found_in(*model, query);
  EXPECT_EQ(result.status, PassageStatus::unreachable);
  EXPECT_EQ(result.note, "proven: 'elbow' goes from -2.6 to 2.6 rad, the goal lies outside");
}

TEST(RobotPassage, tips_get_to_their_pose_by_closed_form) {
  Arm arm{{{{0.62, 0.0}, 0.05}}};
  const std::string frames =
      fmt::format("frames: {{tip: {{body: lower, position: [{}, 0]}}}}\n", Arm::second);
  const auto model = Scene::parse(arm.text() + frames).compile();
  RobotPassageQuery query;
  query.choice.tip = "tip";
  query.start = {{"shoulder", -1.0}, {"elbow", 0.3}};
  query.goal = {{"x", {0.3, 0.3}}, {"y", {0.55, 0.6}}};
  const RobotPassageResult result = found_in(*model, query);
  ASSERT_EQ(result.status, PassageStatus::found) << result.note;
  const VectorX q = result.path.back();
  EXPECT_NEAR(0.5 * std::cos(q[0]) + 0.4 * std::cos(q[0] + q[1]), 0.3, 1e-9);
  const double y = 0.5 * std::sin(q[0]) + 0.4 * std::sin(q[0] + q[1]);
  EXPECT_GE(y, 0.55 - 1e-9);
  EXPECT_LE(y, 0.6 + 1e-9);
  expect_kept(arm, result);
}

// A slide of 1 m that a second one follows at half the way; a wall stops the second one.
const char* const followers = R"(
world: planar
gravity: [0, 0]
bodies:
  leader: {shapes: [{box: [0.1, 0.1]}]}
  follower: {shapes: [{box: [0.1, 0.1]}]}
  wall: {freedom: fixed, shapes: [{box: [0.1, 0.4]}], position: [0.5, 1]}
joints:
  lead: {prismatic: [world, leader], limits: [-1, 1]}
  follow: {prismatic: [world, follower], at: [[0, 1], [0, 0]], limits: [-0.45, 2]}
couplings: {pair: {joints: [lead, follow], ratio: 0.5}}
)";

TEST(RobotPassage, joints_that_follow_move_along_and_their_limits_count) {
  const auto model = Scene::parse(followers).compile();
  RobotPassageQuery query;
  query.choice.joints = {"lead"};
  query.goal = {{"lead", {0.75, 0.75}}};
  RobotPassageResult result = found_in(*model, query);
  // Its front is at 0.425 m, the wall begins at 0.45 m.
  ASSERT_EQ(result.status, PassageStatus::found) << result.note;
  EXPECT_EQ(result.positions.back(), Eigen::Vector2d(0.75, 0.375));
  EXPECT_LE(result.least_gap, 0.025 + 1e-12);
  query.goal = {{"lead", {0.85, 0.85}}};
  result = found_in(*model, query);
  EXPECT_EQ(result.status, PassageStatus::goal_blocked);
  EXPECT_NE(result.note.find("'follower' and 'wall' overlap by 0.025 m"), std::string::npos)
      << result.note;
  query.goal = {{"lead", {-1.0, -0.95}}};
  EXPECT_EQ(found_in(*model, query).status, PassageStatus::unreachable);
  query.goal = {{"follow", {0.1, 0.1}}};
  EXPECT_EQ(error_of(*model, query),
            "goal: 'follow' follows 'lead'; accepted: the joint that leads");
}

TEST(RobotPassage, bodies_that_are_carried_count_and_others_stand_in_the_way) {
  const Arm arm;
  const std::string part = "  part: {shapes: [{circle: 0.1}], position: [0.9, 0.25]}\n";
  std::string text = arm.text();
  text.insert(text.find("\njoints:"), part);
  const auto model = Scene::parse(text).compile();
  RobotPassageQuery query;
  query.choice.joints = {"shoulder"};
  query.start = {{"shoulder", 0.0}};
  query.goal = {{"shoulder", {1.0, 1.0}}};
  query.effort = 300;
  EXPECT_EQ(found_in(*model, query).status, PassageStatus::not_found) << "part is in the way";
  query.choice.carried = {{"part", "lower"}};
  EXPECT_EQ(found_in(*model, query).status, PassageStatus::found) << "part goes along";
  query.choice.carried = {{"upper", "lower"}};
  EXPECT_NE(error_of(*model, query).find("carry: 'upper' has the joint 'shoulder'"),
            std::string::npos);
}

// Poses by the kinematics of control, gaps by the detector, at 2,000 times of the motion.
TEST(RobotPassage, a_puma_goes_around_a_post_and_keeps_its_gaps) {
  const Scene scene = Scene::load(std::string(VINCI_SOURCE_DIR) + "/robots/reach.yaml");
  const auto model = scene.compile();
  RobotPassageQuery query;
  query.choice.robot = "arm";
  query.clearance = 0.01;
  query.goal = {
      {"waist", {0.785, 0.785}}, {"shoulder", {-0.349, -0.349}}, {"elbow", {-2.7925, -2.7925}}};
  const RobotPassageResult result = found_in(*model, query);
  ASSERT_EQ(result.status, PassageStatus::found) << result.note;
  EXPECT_GT(result.path.size(), 2u) << "the post is in the way";
  EXPECT_GE(result.least_gap, 0.01);
  Robot robot(*model);
  const auto detector = exact_detector();
  std::vector<Pose> poses(model->bodies.size());
  const std::vector<double> reach(poses.size(), 0.02);
  TrajectoryPoint point;
  ContactSet contacts;
  double nearest = infinity, nearest_links = infinity;
  for (int k = 0; k <= 2000; ++k) {
    result.trajectory->at(result.trajectory->duration() * k / 2000, point);
    robot.place(point.position);
    for (int b = 0; b < static_cast<int>(poses.size()); ++b)
      poses[static_cast<std::size_t>(b)] = robot.pose({b, {}});
    detector->detect(*model, poses, reach, contacts);
    for (const Contact& contact : contacts) {
      const bool stands = !model->is_moved(contact.body_a) || !model->is_moved(contact.body_b);
      double& least = stands ? nearest : nearest_links;
      least = std::min(least, contact.gap);
    }
  }
  EXPECT_GE(nearest, result.least_gap - 1e-9);
  EXPECT_GE(nearest_links, 0.0);
}

TEST(RobotPassage, loops_that_move_are_refused_and_loops_that_stand_are_not) {
  const Scene scene = Scene::load(std::string(VINCI_SOURCE_DIR) + "/scenes/four_bar.yaml");
  const auto model = scene.compile();
  RobotPassageQuery query;
  for (const Joint& joint : model->joints) query.choice.joints.push_back(joint.name);
  query.goal = {{model->joints[0].name, {0.0, 0.1}}};
  EXPECT_NE(error_of(*model, query).find("closes a loop that would have to move"),
            std::string::npos)
      << error_of(*model, query);
}

TEST(RobotPassage, mistakes_are_named) {
  const auto model = Scene::parse(Arm{}.text()).compile();
  RobotPassageQuery query;
  query.goal = {{"elbow", {0.0, 0.0}}};
  EXPECT_EQ(error_of(*model, query),
            "robot: nothing is said to move; accepted: a robot, joints or a tip");
  query.choice.robot = "arm";
  EXPECT_EQ(error_of(*model, query),
            "robot: the scene has no robot; name joints that move instead");
  query.choice = {};
  query.choice.joints = {"elbov"};
  EXPECT_EQ(error_of(*model, query),
            "joints: there is no joint 'elbov' that moves; accepted: shoulder, elbow");
  query.choice.joints = {"elbow"};
  query.choice.hold = {"elbow"};
  EXPECT_EQ(error_of(*model, query),
            "no joint that is chosen can move a body; accepted: joints with room to move");
  query.choice.hold = {};
  query.goal = {{"shoulder", {0.0, 0.0}}};
  EXPECT_EQ(error_of(*model, query),
            "goal: 'shoulder' is no coordinate of a joint that moves; accepted: elbow");
  query.goal = {{"elbow", {1.0, 0.0}}};
  EXPECT_EQ(error_of(*model, query),
            "goal elbow: from 1 to 0 is no range; the first must not exceed the second");
  query.goal = {};
  EXPECT_EQ(error_of(*model, query), "goal: has no condition; accepted: at least one range");
  query.goal = {{"elbow", {0.0, 0.0}}};
  query.clearance = -1.0;
  EXPECT_EQ(error_of(*model, query), "clearance: is -1; accepted: a length in m, 0 or more");
  query.clearance = 0.0;
  query.bounds = {{"elbow", {3.0, 4.0}}};
  EXPECT_NE(error_of(*model, query).find("bounds elbow: from 3 to 2.6 leaves no room"),
            std::string::npos);
  query.bounds = {};
  query.choice.tip = "hand";
  query.goal = {{"x", {0.0, 0.0}}};
  EXPECT_EQ(error_of(*model, query),
            "tip: there is no body or frame 'hand'; accepted: upper, lower");
  query.choice.tip = "lower";
  query.goal = {{"z", {0.0, 0.0}}};
  EXPECT_EQ(error_of(*model, query), "goal: 'z' is no coordinate of a pose; accepted: x, y, angle");
}

}  // namespace
}  // namespace vinci
