// SPDX-License-Identifier: Apache-2.0
#include "vinci/passage/robot_goal.h"

#include <algorithm>
#include <cmath>
#include <random>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "vinci/base/error.h"
#include "vinci/control/inverse_kinematics.h"
#include "vinci/kinematics/joint_tree.h"
#include "vinci/passage/robot_query.h"

namespace vinci {
namespace {

constexpr double tip_tolerance = 1e-9;  // m and rad
constexpr int joint_tries = 1000, tip_tries = 150, enough_tips = 8, projections = 4;

// The parts of a range of an angle, and of this range some turns on, that lie within bounds.
std::vector<CoordinateRange> parts_within(const CoordinateRange& range,
                                          const MovingCoordinate& bounds) {
  std::vector<CoordinateRange> parts;
  const bool has_turns = bounds.wraps && std::isfinite(range.lower) && std::isfinite(range.upper);
  const double turn = 2.0 * M_PI;
  const int first =
      has_turns ? static_cast<int>(std::ceil((bounds.lower - range.upper) / turn)) : 0;
  const int last =
      has_turns ? static_cast<int>(std::floor((bounds.upper - range.lower) / turn)) : 0;
  for (int turns = first; turns <= last; ++turns) {
    const CoordinateRange part{std::max(range.lower + turns * turn, bounds.lower),
                               std::min(range.upper + turns * turn, bounds.upper)};
    if (part.lower <= part.upper) parts.push_back(part);
  }
  return parts;
}

// The first numbers of a seed, evenly spread over [0, 1).
class Evenly {
 public:
  explicit Evenly(unsigned long seed) : random_(seed) {}
  double operator()() { return std::ldexp(static_cast<double>(random_() >> 11), -53); }

 private:
  std::mt19937_64 random_;
};

bool is_turn(int coordinate) {
  return coordinate >= 3;
}

// Joints of the model that the inverse kinematics moves, within the bounds of the plan; others
// stay.
Model bounded_model(const Mechanism& mechanism) {
  Model model = mechanism.model();
  const VectorX here = mechanism.along_rates(mechanism.start());
  for (Joint& joint : model.joints)
    for (int k = 0; k < rate_count(joint.kind); ++k) {
      JointFreedom& freedom = joint.freedoms[static_cast<std::size_t>(k)];
      const int coordinate = mechanism.coordinate_of(joint.first_rate + k);
      if (joint.kind == JointKind::ball) continue;
      freedom.lower = freedom.upper = here[joint.first_rate + k];
      if (coordinate < 0) continue;
      freedom.lower = mechanism.coordinates()[static_cast<std::size_t>(coordinate)].lower;
      freedom.upper = mechanism.coordinates()[static_cast<std::size_t>(coordinate)].upper;
    }
  return model;
}

}  // namespace

std::string why_blocked(Mechanism& mechanism, const VectorX& x, double clearance) {
  const Room room = mechanism.room(x, clearance, 0.0);
  if (room.body_a < 0) return "there is no room to move within the resolution";
  const auto name = [&](int body) {
    return mechanism.model().bodies[static_cast<std::size_t>(body)].name;
  };
  if (room.gap < 0.0)
    return fmt::format("'{}' and '{}' overlap by {:.3g} m", name(room.body_a), name(room.body_b),
                       -room.gap);
  return fmt::format("'{}' and '{}' are {:.3g} m apart; the clearance is {:.3g} m",
                     name(room.body_a), name(room.body_b), room.gap, room.gap - room.free);
}

RobotGoal::RobotGoal(Mechanism& mechanism, const RobotPassageQuery& query)
    : mechanism_(mechanism), query_(query), has_tip_(!query.choice.tip.empty()) {
  if (!has_tip_) {
    for (const MovingCoordinate& coordinate : mechanism.coordinates())
      joints_.push_back({{coordinate.lower, coordinate.upper}});
    for (const auto& [name, range] : query.goal) {
      const int k = coordinate_named(mechanism, query, name, "goal");
      check_range(range, "goal " + name);
      joints_[static_cast<std::size_t>(k)] =
          parts_within(range, mechanism.coordinates()[static_cast<std::size_t>(k)]);
    }
    return;
  }
  tip_ = find_tip(mechanism.model(), query.choice.tip);
  frame_.freedom = mechanism.model().world == World::planar ? Freedom::planar : Freedom::spatial;
  std::vector<std::string> names;
  for (int i = 0; i < coordinate_count; ++i)
    if (has_coordinate(frame_, i)) names.push_back(coordinate_name(frame_.freedom, i));
  for (const auto& [name, range] : query.goal) {
    int i = 0;
    while (i < coordinate_count &&
           !(has_coordinate(frame_, i) && name == coordinate_name(frame_.freedom, i)))
      ++i;
    if (i == coordinate_count)
      throw Error(fmt::format("'{}' is no coordinate of a pose; accepted: {}", name,
                              fmt::join(names, ", ")),
                  "goal");
    check_range(range, "goal " + name);
    pose_[static_cast<std::size_t>(i)] = range;
    asked_[static_cast<std::size_t>(i)] = true;
    (is_turn(i) ? has_turns_ : has_shifts_) = true;
  }
  // The inverse kinematics knows nothing of couplings.
  Model tree = mechanism.model();
  for (int body = tip_.body; body >= 0 && tree.tree_joint[static_cast<std::size_t>(body)] >= 0;
       body = parent_body(tree, body)) {
    const int j = tree.tree_joint[static_cast<std::size_t>(body)];
    for (const Coupling& coupling : tree.couplings)
      if (coupling.joint_b == j &&
          mechanism.coordinate_of(tree.joints[static_cast<std::size_t>(j)].first_rate) >= 0)
        throw Error(fmt::format("it hangs on '{}', which follows '{}'; accepted: a goal of joints, "
                                "or that they stand still",
                                tree.joints[static_cast<std::size_t>(j)].name,
                                tree.joints[static_cast<std::size_t>(coupling.joint_a)].name),
                    "tip");
  }
}

Pose RobotGoal::nearest_pose(const Pose& pose) const {
  const std::array<double, coordinate_count> values = coordinates(frame_, pose);
  std::array<std::optional<double>, coordinate_count> given;
  for (int i = 0; i < coordinate_count; ++i)
    if (asked_[static_cast<std::size_t>(i)])
      given[static_cast<std::size_t>(i)] = nearest_within(
          pose_[static_cast<std::size_t>(i)], values[static_cast<std::size_t>(i)], is_turn(i));
  return with_coordinates(frame_, pose, given);
}

bool RobotGoal::holds(const VectorX& x) {
  if (!has_tip_) {
    for (int k = 0; k < x.size(); ++k) {
      const auto& parts = joints_[static_cast<std::size_t>(k)];
      if (std::none_of(parts.begin(), parts.end(), [&](const CoordinateRange& part) {
            return x[k] >= part.lower && x[k] <= part.upper;
          }))
        return false;
    }
    return true;
  }
  mechanism_.place(x);
  const Pose pose = mechanism_.poses()[static_cast<std::size_t>(tip_.body)] * tip_.frame;
  const Pose wanted = nearest_pose(pose);
  return (wanted.position - pose.position).cwiseAbs().maxCoeff() <= tip_tolerance &&
         rotation_vector((wanted.rotation * pose.rotation.conjugate()).normalized()).norm() <=
             tip_tolerance;
}

VectorX RobotGoal::draw(const std::function<double()>& number) const {
  if (has_tip_) {
    const double at = number() * static_cast<double>(configurations_.size());
    return configurations_[std::min(static_cast<std::size_t>(at), configurations_.size() - 1)];
  }
  VectorX x(mechanism_.size());
  for (int k = 0; k < x.size(); ++k) {
    const auto& parts = joints_[static_cast<std::size_t>(k)];
    const double at = number() * static_cast<double>(parts.size());
    const CoordinateRange& part = parts[std::min(static_cast<std::size_t>(at), parts.size() - 1)];
    x[k] = std::clamp(part.lower + number() * (part.upper - part.lower), part.lower, part.upper);
  }
  return x;
}

RobotGoal::Finding RobotGoal::find(const VectorX& start,
                                   const std::function<bool(const VectorX&)>& is_free) {
  return has_tip_ ? find_tips(start, is_free) : find_joints(start, is_free);
}

RobotGoal::Finding RobotGoal::find_joints(const VectorX& start,
                                          const std::function<bool(const VectorX&)>& is_free) {
  VectorX nearest = start;
  bool is_point = true;
  for (int k = 0; k < start.size(); ++k) {
    const MovingCoordinate& coordinate = mechanism_.coordinates()[static_cast<std::size_t>(k)];
    const auto& parts = joints_[static_cast<std::size_t>(k)];
    if (parts.empty())
      return {PassageStatus::unreachable,
              fmt::format("proven: '{}' goes from {:.6g} to {:.6g} {}, the goal lies outside",
                          coordinate.name, coordinate.lower, coordinate.upper,
                          coordinate.turns ? "rad" : "m")};
    double least = infinity;
    for (const CoordinateRange& part : parts) {
      const double value = std::clamp(start[k], part.lower, part.upper);
      if (std::abs(value - start[k]) < least) {
        least = std::abs(value - start[k]);
        nearest[k] = value;
      }
      is_point = is_point && part.lower == part.upper && parts.size() == 1;
    }
  }
  if (is_free(nearest)) return {};
  Evenly numbers(query_.seed + 3);
  for (int tried = 1; !is_point && tried < joint_tries; ++tried)
    if (is_free(draw([&] { return numbers(); }))) return {};
  const std::string touch = why_blocked(mechanism_, nearest, query_.clearance);
  return {PassageStatus::goal_blocked,
          is_point
              ? "at the goal " + touch
              : fmt::format("none of {} configurations of the goal is free; next to the start {}",
                            joint_tries, touch)};
}

// A tip is no farther from the first joint that moves than all parts between them are long.
std::optional<std::string> RobotGoal::proof_of_distance() {
  if (!has_shifts_) return {};
  const Model& model = mechanism_.model();
  mechanism_.place(mechanism_.start());
  double whole = 0.0, longest = 0.0;
  Vector3 point = tip_.frame.position, base = Vector3::Zero();
  int body = tip_.body;
  if (model.tree_joint[static_cast<std::size_t>(body)] < 0) return {};
  while (body >= 0 && model.tree_joint[static_cast<std::size_t>(body)] >= 0) {
    const Joint& joint =
        model.joints[static_cast<std::size_t>(model.tree_joint[static_cast<std::size_t>(body)])];
    const bool as_a = hangs_as_a(model, body);
    const double part = (point - (as_a ? joint.frame_a : joint.frame_b).position).norm();
    whole += part;
    longest = std::max(longest, part);
    for (int k = 0; k < rate_count(joint.kind); ++k) {
      const int c = mechanism_.coordinate_of(joint.first_rate + k);
      const double now = mechanism_.along_rates(mechanism_.start())[joint.first_rate + k];
      double most = std::abs(now);
      if (c >= 0) {
        // Coordinates that follow have the offset that they begin with.
        const MovingCoordinate& leader = mechanism_.coordinates()[static_cast<std::size_t>(c)];
        const double ratio = mechanism_.ratio_of(joint.first_rate + k);
        const double offset = now - ratio * mechanism_.start()[c];
        most = std::max(std::abs(ratio * leader.lower + offset),
                        std::abs(ratio * leader.upper + offset));
      }
      if (joint.kind == JointKind::screw)
        whole += std::abs(joint.pitch) * most;
      else if (!is_turning(joint.kind, k))
        whole += most;
    }
    point = (as_a ? joint.frame_b : joint.frame_a).position;
    body = parent_body(model, body);
    base = body < 0 ? point : mechanism_.poses()[static_cast<std::size_t>(body)] * point;
  }
  Vector3 nearest = base, farthest = base;
  for (int i = 0; i < 3; ++i) {
    const CoordinateRange& range = pose_[static_cast<std::size_t>(i)];
    if (!has_coordinate(frame_, i)) continue;
    nearest[i] = std::clamp(base[i], range.lower, range.upper);
    farthest[i] = base[i] - range.lower > range.upper - base[i] ? range.lower : range.upper;
  }
  const double distance = (nearest - base).norm(), most = (farthest - base).norm();
  if (distance > whole * (1.0 + 1e-12))
    return fmt::format(
        "proven: the goal is at least {:.6g} m from the first joint, the reach is "
        "{:.6g} m",
        distance, whole);
  if (most < (2.0 * longest - whole) * (1.0 - 1e-12))
    return fmt::format(
        "proven: the goal is at most {:.6g} m from the first joint, no tip comes "
        "nearer than {:.6g} m",
        most, 2.0 * longest - whole);
  return {};
}

VectorX RobotGoal::configuration_of(const VectorX& positions) const {
  VectorX x = mechanism_.start();
  const VectorX first = mechanism_.joint_positions(x);
  for (const Joint& joint : mechanism_.model().joints)
    for (int k = 0; k < rate_count(joint.kind); ++k) {
      const int c = mechanism_.coordinate_of(joint.first_rate + k);
      if (c < 0 ||
          mechanism_.coordinates()[static_cast<std::size_t>(c)].rate != joint.first_rate + k)
        continue;
      if (joint.kind != JointKind::ball) {
        x[c] = positions[joint.first_coordinate + k];
        continue;
      }
      const auto q = first.segment<4>(joint.first_coordinate);
      const auto r = positions.segment<4>(joint.first_coordinate);
      x[c] = rotation_vector(
          (Quaternion(q[0], q[1], q[2], q[3]).conjugate() * Quaternion(r[0], r[1], r[2], r[3]))
              .normalized())[k];
    }
  return x;
}

RobotGoal::Finding RobotGoal::find_tips(const VectorX& start,
                                        const std::function<bool(const VectorX&)>& is_free) {
  const std::optional<std::string> proof = proof_of_distance();
  Robot robot(bounded_model(mechanism_));
  robot.set_bases(mechanism_.poses());
  InverseKinematicsOptions options;
  options.position_only = !has_turns_;
  options.starts = 1;
  Evenly numbers(query_.seed + 3);
  int reached = 0;
  double shift = infinity, turn = infinity, least = infinity;
  VectorX blocked;
  for (int tried = 0; tried < (proof ? tip_tries / 10 : tip_tries); ++tried) {
    VectorX x = start;
    for (int k = 0; tried > 0 && k < x.size(); ++k) {
      const MovingCoordinate& coordinate = mechanism_.coordinates()[static_cast<std::size_t>(k)];
      x[k] = coordinate.lower + numbers() * (coordinate.upper - coordinate.lower);
    }
    VectorX q = mechanism_.joint_positions(x);
    for (int round = 0; round < projections; ++round) {
      robot.place(q);
      const Pose wanted = nearest_pose(robot.pose(tip_));
      const InverseKinematicsResult found = inverse_kinematics(robot, tip_, wanted, q, options);
      q = found.positions;
      const double off = found.position_error + mechanism_.radius() * found.rotation_error;
      if (off < least) {
        least = off;
        shift = found.position_error;
        turn = found.rotation_error;
      }
      if (found.reached) break;
    }
    x = configuration_of(q);
    if (!holds(x)) continue;
    ++reached;
    const auto is_known = [&](const VectorX& known) { return (known - x).norm() < 1e-6; };
    if (std::any_of(configurations_.begin(), configurations_.end(), is_known)) continue;
    if (is_free(x))
      configurations_.push_back(x);
    else if (blocked.size() == 0)
      blocked = x;
    if (static_cast<int>(configurations_.size()) == enough_tips) break;
  }
  if (!configurations_.empty()) return {};
  if (reached > 0)
    return {PassageStatus::goal_blocked,
            fmt::format("the tip gets there in {} of {} tries, never freely; in the first {}",
                        reached, tip_tries, why_blocked(mechanism_, blocked, query_.clearance))};
  const std::string nearest = fmt::format("the nearest that was found is {:.3g} m{} off", shift,
                                          has_turns_ ? fmt::format(" and {:.3g} rad", turn) : "");
  if (proof) return {PassageStatus::unreachable, fmt::format("{}; {}", *proof, nearest)};
  return {PassageStatus::unreachable,
          fmt::format("the joints do not bring the tip there from {} starts, {}; this is no proof",
                      tip_tries, nearest)};
}

}  // namespace vinci
