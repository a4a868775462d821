// SPDX-License-Identifier: Apache-2.0
#include "vinci/passage/robot_query.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "vinci/base/error.h"
#include "vinci/kinematics/joint_tree.h"

namespace vinci {
namespace {

constexpr double full_turn = 2.0 * M_PI;

bool can_move(const Joint& joint) {
  return rate_count(joint.kind) > 0;
}

// "arm" of "arm.elbow".
std::set<std::string> robots_of(const Model& model) {
  std::set<std::string> robots;
  for (const Joint& joint : model.joints)
    if (const auto dot = joint.name.find('.'); dot != std::string::npos && can_move(joint))
      robots.insert(joint.name.substr(0, dot));
  return robots;
}

int joint_named(const Model& model, const RobotChoice& choice, const std::string& name,
                const std::string& what) {
  for (const std::string& full : {choice.robot + "." + name, name})
    for (std::size_t j = 0; j < model.joints.size(); ++j)
      if (model.joints[j].name == full && can_move(model.joints[j])) return static_cast<int>(j);
  std::vector<std::string> names;
  for (const Joint& joint : model.joints)
    if (can_move(joint)) names.push_back(joint.name);
  throw Error(
      fmt::format("there is no joint '{}' that moves; accepted: {}", name, fmt::join(names, ", ")),
      what);
}

void refuse_follower(const Model& model, int joint, const std::string& what) {
  for (const Coupling& coupling : model.couplings)
    if (coupling.joint_b == joint)
      throw Error(fmt::format("'{}' follows '{}'; accepted: the joint that leads",
                              model.joints[static_cast<std::size_t>(joint)].name,
                              model.joints[static_cast<std::size_t>(coupling.joint_a)].name),
                  what);
}

std::vector<int> joints_before(const Model& model, int body) {
  Model tree = model;
  make_tree(tree);
  std::vector<int> joints;
  for (; body >= 0 && tree.tree_joint[static_cast<std::size_t>(body)] >= 0;
       body = parent_body(tree, body))
    joints.push_back(tree.tree_joint[static_cast<std::size_t>(body)]);
  return joints;
}

int carried_body(const Model& model, const std::string& name) {
  const int body = model.find_body(name);
  if (body < 0) throw Error(fmt::format("there is no body '{}'", name), "carry");
  const Body& found = model.bodies[static_cast<std::size_t>(body)];
  if (found.freedom == Freedom::fixed || found.is_prescribed())
    throw Error(fmt::format("'{}' is fixed or driven; accepted: a free body", name), "carry");
  for (const Joint& joint : model.joints)
    if (joint.body_a == body || joint.body_b == body)
      throw Error(fmt::format("'{}' has the joint '{}', which moves it; accepted: a free body",
                              name, joint.name),
                  "carry");
  return body;
}

MechanismChoice choice_of(const Model& model, const RobotChoice& given) {
  MechanismChoice choice;
  std::set<int> joints;
  if (!given.joints.empty()) {
    for (const std::string& name : given.joints) {
      joints.insert(joint_named(model, given, name, "joints"));
      refuse_follower(model, joint_named(model, given, name, "joints"), "joints");
    }
  } else if (!given.robot.empty()) {
    for (std::size_t j = 0; j < model.joints.size(); ++j)
      if (model.joints[j].name.starts_with(given.robot + ".") && can_move(model.joints[j]))
        joints.insert(static_cast<int>(j));
    if (joints.empty()) {
      const std::set<std::string> robots = robots_of(model);
      throw Error(robots.empty() ? "the scene has no robot; name joints that move instead"
                                 : fmt::format("there is no robot '{}' with joints; accepted: {}",
                                               given.robot, fmt::join(robots, ", ")),
                  "robot");
    }
  } else if (!given.tip.empty()) {
    for (const int joint : joints_before(model, find_tip(model, given.tip).body))
      joints.insert(joint);
  } else {
    throw Error("nothing is said to move; accepted: a robot, joints or a tip", "robot");
  }
  for (const std::string& name : given.hold) {
    refuse_follower(model, joint_named(model, given, name, "hold"), "hold");
    joints.erase(joint_named(model, given, name, "hold"));
  }
  choice.joints.assign(joints.begin(), joints.end());
  for (const auto& [body, carrier] : given.carried) {
    const int on = find_tip(model, carrier).body, what = carried_body(model, body);
    if (on == what) throw Error(fmt::format("'{}' cannot carry itself", body), "carry");
    choice.carried.emplace_back(what, on);
  }
  return choice;
}

// How large the scene is: what a slide without limits may go.
double extent_of(const Mechanism& mechanism) {
  Vector3 lower = Vector3::Constant(infinity), upper = -lower;
  for (const PlacedShape& placed : mechanism.model().shapes) {
    if (is_unbounded(placed.shape)) continue;
    const Box3 box = bounding_box(
        placed.shape, mechanism.poses()[static_cast<std::size_t>(placed.body)] * placed.offset);
    lower = lower.cwiseMin(box.lower);
    upper = upper.cwiseMax(box.upper);
  }
  return upper.x() >= lower.x() ? (upper - lower).norm() + mechanism.radius() : 1.0;
}

void bound(Mechanism& mechanism, const RobotPassageQuery& query) {
  for (const auto& [name, range] : query.bounds) {
    const int k = coordinate_named(mechanism, query, name, "bounds");
    check_range(range, "bounds " + name);
    MovingCoordinate& coordinate = mechanism.coordinate(k);
    coordinate.lower = std::max(coordinate.lower, range.lower);
    coordinate.upper = std::min(coordinate.upper, range.upper);
  }
  const double extent = extent_of(mechanism);
  for (int k = 0; k < mechanism.size(); ++k) {
    MovingCoordinate& coordinate = mechanism.coordinate(k);
    const double span = coordinate.turns ? full_turn : extent;
    const double from = mechanism.start()[k];
    const bool was_open = coordinate.lower == -infinity && coordinate.upper == infinity;
    if (coordinate.lower == -infinity)
      coordinate.lower = std::min(from, was_open ? from : coordinate.upper) - span;
    if (coordinate.upper == infinity)
      coordinate.upper = std::max(from, was_open ? from : coordinate.lower) + span;
    coordinate.wraps = was_open && coordinate.turns;
    if (!(coordinate.lower < coordinate.upper))
      throw Error(fmt::format("from {} to {} leaves no room; its limits, those of joints that "
                              "follow it and bounds must leave some",
                              coordinate.lower, coordinate.upper),
                  "bounds " + coordinate.name);
  }
}

void check_numbers_of(const RobotPassageQuery& query) {
  if (query.goal.empty()) throw Error("has no condition; accepted: at least one range", "goal");
  for (const auto& [value, what] :
       {std::pair(query.clearance, "clearance"), std::pair(query.self_clearance, "self-clearance"),
        std::pair(query.resolution, "resolution")})
    if (!std::isfinite(value) || value < 0.0)
      throw Error(fmt::format("is {}; accepted: a length in m, 0 or more", value), what);
  if (query.self_clearance > query.clearance)
    throw Error(fmt::format("is {} m; accepted: at most the clearance, {} m", query.self_clearance,
                            query.clearance),
                "self-clearance");
  if (query.effort < 1)
    throw Error(fmt::format("is {}; accepted: a number of samples, 1 or more", query.effort),
                "effort");
}

}  // namespace

Tip find_tip(const Model& model, const std::string& name) {
  for (const NamedFrame& frame : model.frames)
    if (frame.name == name) return {frame.body, frame.pose};
  if (const int body = model.find_body(name); body >= 0) return {body, {}};
  std::vector<std::string> names;
  for (const Body& body : model.bodies) names.push_back(body.name);
  for (const NamedFrame& frame : model.frames) names.push_back(frame.name);
  throw Error(
      fmt::format("there is no body or frame '{}'; accepted: {}", name, fmt::join(names, ", ")),
      "tip");
}

void check_range(const CoordinateRange& range, const std::string& what) {
  if (std::isnan(range.lower) || std::isnan(range.upper) || range.lower > range.upper)
    throw Error(fmt::format("from {} to {} is no range; the first must not exceed the second",
                            range.lower, range.upper),
                what);
}

double nearest_within(const CoordinateRange& range, double value, bool is_angle) {
  if (!is_angle) return std::clamp(value, range.lower, range.upper);
  if (!std::isfinite(range.lower) || !std::isfinite(range.upper) ||
      range.upper - range.lower >= full_turn)
    return value;
  const double over = std::fmod(std::fmod(value - range.lower, full_turn) + full_turn, full_turn);
  const double width = range.upper - range.lower;
  if (over <= width) return range.lower + over;
  return over - width < full_turn - over ? range.upper : range.lower;
}

int coordinate_named(const Mechanism& mechanism, const RobotPassageQuery& query,
                     const std::string& name, const std::string& what) {
  std::vector<std::string> names;
  for (const std::string& full : {query.choice.robot + "." + name, name})
    for (int k = 0; k < mechanism.size(); ++k) {
      const MovingCoordinate& coordinate = mechanism.coordinates()[static_cast<std::size_t>(k)];
      if (coordinate.is_ball) continue;
      if (coordinate.name == full) return k;
      if (full == name) names.push_back(coordinate.name);
    }
  for (int j = 0; j < static_cast<int>(mechanism.model().joints.size()); ++j) {
    const std::string& joint = mechanism.model().joints[static_cast<std::size_t>(j)].name;
    if (joint == name || joint == query.choice.robot + "." + name)
      refuse_follower(mechanism.model(), j, what);
  }
  throw Error(fmt::format("'{}' is no coordinate of a joint that moves; accepted: {}", name,
                          fmt::join(names, ", ")),
              what);
}

std::unique_ptr<Mechanism> make_mechanism(const Model& model, CollisionDetector& detector,
                                          const RobotPassageQuery& query) {
  check_numbers_of(query);
  auto mechanism = std::make_unique<Mechanism>(model, detector, choice_of(model, query.choice));
  bound(*mechanism, query);
  return mechanism;
}

VectorX start_configuration(const Mechanism& mechanism, const RobotPassageQuery& query) {
  VectorX start = mechanism.start();
  for (const auto& [name, value] : query.start) {
    if (!std::isfinite(value)) throw Error("is not finite", "start " + name);
    start[coordinate_named(mechanism, query, name, "start")] = value;
  }
  return start;
}

}  // namespace vinci
