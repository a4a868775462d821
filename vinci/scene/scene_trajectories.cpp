// SPDX-License-Identifier: Apache-2.0
// Trajectories from the scene tree. What cannot be followed is said at the piece, with the time and
// the place.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "vinci/control/follow.h"
#include "vinci/scene/scene_control.h"

namespace vinci {
namespace {

constexpr double most_slowing = 1e3;

// Numbers at the edge of what a double holds may overflow on the way.
void check_finite(const Trajectory& trajectory, const Node& piece) {
  TrajectoryPoint point;
  for (int i = 0; i <= 16; ++i) {
    trajectory.at(trajectory.duration() * i / 16.0, point);
    if (point.position.allFinite() && point.velocity.allFinite() && point.acceleration.allFinite())
      continue;
    throw Impossible{&piece,
                     "its numbers are not finite on the way; accepted: limits, times and "
                     "coordinates of a size that machines have"};
  }
}

VectorX constant(const JointChoice& choice, double value) {
  return VectorX::Constant(static_cast<Eigen::Index>(choice.rates.size()), value);
}

}  // namespace

Tip read_tip(const Node& node, const Model& model, const ShapeReader& read) {
  Tip result;
  if (node.is_scalar()) {
    result.body = model.find_body(node.text);
  } else {
    result.body = model.find_body(node.find("body")->text);
    if (const Node* link = node.find("link")) result.frame = read.placement(*link);
    result.frame = result.frame * read.placement(node);
  }
  return result;
}

TrajectoryReader::TrajectoryReader(const Numbers& numbers, const Model& model,
                                   const ShapeReader& read)
    : numbers_(numbers), model_(model), read_(read), joints_(numbers, model) {}

// What a node's `limits` say over those outside of it.
TrajectoryReader::Limits TrajectoryReader::limits(const Node& node, const Limits& outer,
                                                  const JointChoice& choice) const {
  Limits own = outer;
  const Node* given = node.find("limits");
  if (!given) return own;
  for (const auto& [key, list] : {std::pair{"velocity", &own.velocity},
                                  {"acceleration", &own.acceleration},
                                  {"jerk", &own.jerk}})
    if (const Node* numbers = given->find(key)) *list = joints_.values(*numbers, choice, *list);
  return own;
}

// Without a bound of acceleration, that which reaches the velocity in 1 s; without one of jerk,
// that which reaches the acceleration in 0.1 s.
std::vector<MotionLimits> TrajectoryReader::joint_limits(const Node& piece, const Limits& limits,
                                                         const JointChoice& choice) const {
  std::vector<MotionLimits> result;
  for (std::size_t i = 0; i < choice.rates.size(); ++i) {
    const auto at = static_cast<Eigen::Index>(i);
    MotionLimits own{limits.velocity[at], limits.acceleration[at], limits.jerk[at]};
    if (!std::isfinite(own.velocity))
      throw Impossible{&piece, fmt::format("joint {} has no limit of velocity; accepted: `limits: "
                                           "{{velocity: ...}}` here or of the trajectory, or "
                                           "`motion-limits` of the joint",
                                           joints_.name(choice.rates[i]))};
    if (!std::isfinite(own.acceleration)) own.acceleration = own.velocity;
    if (!std::isfinite(own.jerk)) own.jerk = 10.0 * own.acceleration;
    result.push_back(own);
  }
  return result;
}

PoseLimits TrajectoryReader::pose_limits(const Node& piece) const {
  PoseLimits result;
  const Node* given = piece.find("limits");
  if (!given) return result;
  const auto read = [&](const Node& node, MotionLimits& limits) {
    limits.velocity = read_.number(node, "velocity", limits.velocity);
    limits.acceleration = read_.number(node, "acceleration", limits.velocity);
    limits.jerk = read_.number(node, "jerk", 10.0 * limits.acceleration);
  };
  read(*given, result.linear);
  if (const Node* turning = given->find("turning")) read(*turning, result.angular);
  return result;
}

std::shared_ptr<const Trajectory> TrajectoryReader::spline(const Node& node, const Node& piece,
                                                           const Limits& limits,
                                                           const JointChoice& choice,
                                                           const VectorX& start) const {
  const Node &points = *node.find("points"), *times_node = node.find("times");
  const auto count = static_cast<Eigen::Index>(points.children.size());
  MatrixX rows(count + 1, start.size());
  rows.row(0) = start.transpose();
  for (Eigen::Index i = 0; i < count; ++i) {
    const Node& point = points.children[static_cast<std::size_t>(i)];
    rows.row(i + 1) = joints_.values(point, choice, rows.row(i).transpose()).transpose();
    joints_.check_limits(point, choice, rows.row(i + 1).transpose(), "");
  }
  std::vector<double> times{0.0};
  if (times_node && times_node->children.size() != points.children.size())
    throw Impossible{times_node, fmt::format("{} times for {} points; accepted: one per point",
                                             times_node->children.size(), points.children.size())};
  for (Eigen::Index i = 0; i < count; ++i) {
    if (!times_node) {
      // In proportion to the way, none without a time; the limits set the scale.
      const double way = (rows.row(i + 1) - rows.row(i)).norm();
      if (!(way > 0.0))
        throw Impossible{&points.children[static_cast<std::size_t>(i)],
                         "the point before is the same; accepted: points apart, or `times`"};
      times.push_back(times.back() + way);
      continue;
    }
    const Node& time = times_node->children[static_cast<std::size_t>(i)];
    times.push_back(numbers_(time));
    if (!(times.back() > times[times.size() - 2]))
      throw Impossible{&time, "not later than the one before; accepted: times that grow"};
  }
  const Node* kind = node.find("kind");
  auto result = std::make_shared<Spline>(
      kind && kind->text == "cubic" ? SplineKind::cubic : SplineKind::quintic, times, rows);
  if (!times_node) result->fit(joint_limits(piece, limits, choice));
  for (std::size_t i = 0; times_node && i < choice.rates.size(); ++i) {
    const auto at = static_cast<Eigen::Index>(i);
    const MotionLimits most = result->peaks(static_cast<int>(i));
    const double share =
        std::max({most.velocity / limits.velocity[at], most.acceleration / limits.acceleration[at],
                  most.jerk / limits.jerk[at]});
    if (share > 1.0 + 1e-9)
      throw Impossible{
          times_node,
          fmt::format("joint {} needs a velocity of {:.6g}, an acceleration of {:.6g} "
                      "and a jerk of {:.6g}; accepted: at most {:.6g}, {:.6g} and "
                      "{:.6g}, by later times or higher limits",
                      joints_.name(choice.rates[i]), most.velocity, most.acceleration, most.jerk,
                      limits.velocity[at], limits.acceleration[at], limits.jerk[at])};
  }
  TrajectoryPoint point;
  const int samples = 32 * static_cast<int>(count);
  for (int i = 0; i <= samples; ++i) {
    const double time = result->duration() * i / samples;
    result->at(time, point);
    joints_.check_limits(points, choice, point.position,
                         fmt::format(" at {:.6g} s of the piece", time));
  }
  return result;
}

std::shared_ptr<const Trajectory> TrajectoryReader::tip_path(const Node& node, const Limits& limits,
                                                             const JointChoice& choice,
                                                             const VectorX& start) {
  if (++tip_paths_ > max_tip_paths)
    throw Impossible{&node,
                     fmt::format("more lines and circles than {} in a scene", max_tip_paths)};
  if (choice.rates.size() > max_joints_of_a_tip)
    throw Impossible{&node, fmt::format("{} joints lead the tip; accepted: at most {}",
                                        choice.rates.size(), max_joints_of_a_tip)};
  const Node* orientation = node.find("orientation");
  const std::string led = orientation ? orientation->text : "";
  FollowOptions options;
  options.most_samples = 1024;
  options.kinematics.rates = choice.rates;
  options.kinematics.position_only = led == "free";
  options.kinematics.starts = 1;
  try {
    if (!robot_) robot_.emplace(mechanism_of(model_));
    const Tip led_tip = read_tip(*node.find("tip"), model_, read_);
    VectorX q = robot_->start().positions;
    for (std::size_t i = 0; i < choice.rates.size(); ++i)
      q[robot_->coordinate_of(choice.rates[i])] = start[static_cast<Eigen::Index>(i)];
    const double open = robot_->close(q, choice.rates);
    if (open > 1e-6)
      throw Impossible{&node,
                       fmt::format("where it begins, loops or couplings are open by {:.3g} m "
                                   "or rad; accepted: coordinates that close them",
                                   open)};
    const Pose from = robot_->pose(led_tip);
    PosePath path;
    if (node.key == "line") {
      Pose to = from;
      if (const Node* goal = node.find("to")) to.position = read_.vector(*goal);
      if (model_.world == World::planar) to.position.z() = from.position.z();
      if (const Node* way = node.find("by")) to.position += read_.vector(*way);
      if (node.has("rotation") || node.has("angle")) to.rotation = read_.rotation(node);
      path = PosePath::line(from, to, pose_limits(node));
    } else {
      const Vector3 axis = node.has("axis") ? read_.vector(*node.find("axis")) : Vector3::UnitZ();
      path = PosePath::circle(from, read_.vector(*node.find("center")), axis,
                              numbers_(*node.find("angle")), pose_limits(node), led == "turned");
    }
    FollowResult result = follow(*robot_, led_tip, path, q, options);
    if (!result.followed)
      throw Impossible{&node, fmt::format("the tip cannot be led there: {}; accepted: a path that "
                                          "the joints can follow",
                                          result.why)};
    double factor = 1.0;
    int slowest = 0;
    for (int i = 0; i < static_cast<int>(choice.rates.size()); ++i) {
      const MotionLimits most = result.joints->peaks(i);
      const double needed = std::max({most.velocity / limits.velocity[i],
                                      std::sqrt(most.acceleration / limits.acceleration[i]),
                                      std::pow(most.jerk / limits.jerk[i], 1.0 / 3.0)});
      if (needed > factor) factor = needed, slowest = i;
    }
    if (factor > most_slowing)
      throw Impossible{
          &node, fmt::format("joint {} is {:.3g} times too fast on the way, near a singular place "
                             "at {:.6g} s; accepted: a path that keeps off it",
                             joints_.name(choice.rates[static_cast<std::size_t>(slowest)]), factor,
                             result.joints->fastest(slowest))};
    if (factor > 1.0) {
      auto slower = std::make_shared<Spline>(*result.joints);
      slower->stretch(factor);
      return slower;
    }
    return result.joints;
  } catch (const Error& error) {
    throw Impossible{&node, error.message()};
  }
}

void TrajectoryReader::add_piece(const Node& piece, const Limits& outer, const JointChoice& choice,
                                 Sequence& sequence) {
  const Limits own = limits(piece, outer, choice);
  std::shared_ptr<const Trajectory> next;
  try {
    if (const Node* wait = piece.find("wait")) sequence.wait(numbers_(*wait));
    if (const Node* move = piece.find("move")) {
      const VectorX goal = joints_.values(*move, choice, sequence.last());
      joints_.check_limits(*move, choice, goal, "");
      next = std::make_shared<JointMove>(sequence.last(), goal, joint_limits(piece, own, choice));
    }
    if (const Node* node = piece.find("spline"))
      next = spline(*node, piece, own, choice, sequence.last());
    for (const char* key : {"line", "circle"})
      if (const Node* node = piece.find(key)) next = tip_path(*node, own, choice, sequence.last());
    if (next) check_finite(*next, piece);
    if (next) sequence.add(next);
  } catch (const Error& error) {
    throw Impossible{&piece, error.message()};
  }
  if (!std::isfinite(sequence.duration()))
    throw Impossible{&piece, "it never ends; accepted: times and limits that make it end"};
}

SceneTrajectory TrajectoryReader::trajectory(const Node& node) {
  SceneTrajectory result;
  result.choice = joints_.choice(node);
  const JointChoice& choice = result.choice;
  VectorX start = constant(choice, 0.0);
  Limits outer{constant(choice, infinity), constant(choice, infinity), constant(choice, infinity)};
  for (std::size_t i = 0; i < choice.rates.size(); ++i) {
    const auto at = static_cast<Eigen::Index>(i);
    const JointFreedom& freedom = joints_.freedom(choice.rates[i]);
    start[at] = joints_.start(choice.rates[i]);
    outer.velocity[at] = freedom.velocity_limit;
    outer.acceleration[at] = freedom.acceleration_limit;
    outer.jerk[at] = freedom.jerk_limit;
  }
  auto sequence =
      std::make_shared<Sequence>(node.has("start") ? numbers_(*node.find("start")) : 0.0, start);
  const Limits own = limits(node, outer, choice);
  for (const Node& piece : node.find("path")->children) add_piece(piece, own, choice, *sequence);
  result.sequence = std::move(sequence);
  return result;
}

}  // namespace vinci
