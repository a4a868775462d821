// SPDX-License-Identifier: Apache-2.0
// Synchronised profiles, and frames on lines and circles.
#include "vinci/control/trajectory.h"

#include <algorithm>

#include <fmt/format.h>

#include "vinci/base/error.h"

namespace vinci {

JointMove::JointMove(const VectorX& start, const VectorX& end,
                     const std::vector<MotionLimits>& limits) {
  if (start.size() != end.size() || start.size() != static_cast<Eigen::Index>(limits.size()))
    throw Error(
        fmt::format("{} start values, {} end values, {} limits; accepted: one of each per "
                    "coordinate",
                    start.size(), end.size(), limits.size()));
  for (Eigen::Index i = 0; i < start.size(); ++i) {
    profiles_.emplace_back(start[i], end[i], limits[static_cast<std::size_t>(i)]);
    duration_ = std::max(duration_, profiles_.back().duration());
  }
  for (MotionProfile& profile : profiles_) profile.stretch(duration_);
}

void JointMove::at(double time, TrajectoryPoint& point) const {
  point.position.resize(size());
  point.velocity.resize(size());
  point.acceleration.resize(size());
  for (int i = 0; i < size(); ++i) {
    // Where the stretched profiles end a rounding apart, they all are at the end.
    const Jet jet =
        profiles_[static_cast<std::size_t>(i)].at(time >= duration_ ? 2.0 * duration_ + 1.0 : time);
    point.position[i] = jet.value;
    point.velocity[i] = jet.first;
    point.acceleration[i] = jet.second;
  }
}

StraightMoves::StraightMoves(const MatrixX& points, const std::vector<MotionLimits>& limits)
    : points_(points), times_{0.0} {
  if (points.rows() < 1 || points.cols() != static_cast<Eigen::Index>(limits.size()))
    throw Error(fmt::format(
        "{} points of {} numbers, {} limits; accepted: at least one point, and one limit per "
        "coordinate",
        points.rows(), points.cols(), limits.size()));
  for (Eigen::Index i = 0; i + 1 < points.rows(); ++i) {
    MotionLimits own{infinity, infinity, infinity};
    for (Eigen::Index k = 0; k < points.cols(); ++k) {
      const MotionLimits& limit = limits[static_cast<std::size_t>(k)];
      const double way = std::abs(points(i + 1, k) - points(i, k));
      if (way == 0.0) continue;
      own.velocity = std::min(own.velocity, limit.velocity / way);
      own.acceleration = std::min(own.acceleration, limit.acceleration / way);
      own.jerk = std::min(own.jerk, limit.jerk / way);
    }
    const bool moves = own.velocity < infinity;
    profiles_.push_back(moves ? MotionProfile(0.0, 1.0, own) : MotionProfile());
    times_.push_back(times_.back() + profiles_.back().duration());
  }
}

void StraightMoves::at(double time, TrajectoryPoint& point) const {
  const auto next = std::upper_bound(times_.begin(), times_.end(), time);
  const bool stands = next == times_.begin() || next == times_.end();
  const Eigen::Index i = stands ? 0 : next - times_.begin() - 1;
  point.velocity.setZero(size());
  point.acceleration.setZero(size());
  point.position = points_.row(next == times_.end() ? points_.rows() - 1 : i).transpose();
  if (stands) return;
  const Jet s =
      profiles_[static_cast<std::size_t>(i)].at(time - times_[static_cast<std::size_t>(i)]);
  const VectorX way = (points_.row(i + 1) - points_.row(i)).transpose();
  point.position += s.value * way;
  point.velocity = s.first * way;
  point.acceleration = s.second * way;
}

PosePath PosePath::line(const Pose& start, const Pose& end, const PoseLimits& limits) {
  PosePath path;
  path.start_ = start;
  path.end_ = end;
  path.way_ = end.position - start.position;
  path.rotation_ = rotation_vector((end.rotation * start.rotation.conjugate()).normalized());
  const double length = path.way_.norm(), angle = path.rotation_.norm();
  if (length == 0.0 && angle == 0.0) return path;
  const auto least = [&](double linear, double angular) {
    return std::min(length > 0.0 ? linear / length : infinity,
                    angle > 0.0 ? angular / angle : infinity);
  };
  path.profile_ = MotionProfile(0.0, 1.0,
                                {least(limits.linear.velocity, limits.angular.velocity),
                                 least(limits.linear.acceleration, limits.angular.acceleration),
                                 least(limits.linear.jerk, limits.angular.jerk)});
  return path;
}

PosePath PosePath::circle(const Pose& start, const Vector3& center, const Vector3& axis,
                          double angle, const PoseLimits& limits, bool turns) {
  if (!(axis.norm() > 0.0) || !axis.allFinite())
    throw Error("the axis of a circle has no direction; accepted: a vector that is not zero");
  if (!std::isfinite(angle)) throw Error("the angle of a circle; accepted: a finite number");
  PosePath path;
  path.round_ = true;
  path.start_ = start;
  path.axis_ = axis.normalized();
  path.center_ = center + path.axis_ * path.axis_.dot(start.position - center);
  path.rotation_ = turns ? path.axis_ : Vector3::Zero();
  const double r = (start.position - path.center_).norm();
  MotionLimits own{infinity, infinity, infinity};
  // With φ the angle: a² = (r φ″)² + (r φ′²)², j² = (r φ‴ − r φ′³)² + (3 r φ′ φ″)². Shares of the
  // limits whose squares sum to at most 1: 1/√2 each of a; (½ + ¼)² + (3/5)² of j.
  if (r > 0.0) {
    const MotionLimits& l = limits.linear;
    own.velocity = std::min({l.velocity, std::sqrt(l.acceleration * r / std::sqrt(2.0)),
                             std::pow(0.25 * l.jerk * r * r, 1.0 / 3.0)}) /
                   r;
    own.acceleration =
        std::min(l.acceleration / (std::sqrt(2.0) * r), 0.2 * l.jerk / (own.velocity * r));
    own.jerk = 0.5 * l.jerk / r;
  }
  if (turns || r == 0.0) {
    own.velocity = std::min(own.velocity, limits.angular.velocity);
    own.acceleration = std::min(own.acceleration, limits.angular.acceleration);
    own.jerk = std::min(own.jerk, limits.angular.jerk);
  }
  path.profile_ = MotionProfile(0.0, angle, own);
  PosePoint last;
  path.end_ = start;
  const Quaternion turn = exponential(angle * path.axis_);
  path.end_.position = path.center_ + turn * (start.position - path.center_);
  if (turns) path.end_.rotation = (turn * start.rotation).normalized();
  return path;
}

void PosePath::at(double time, PosePoint& point) const {
  const Jet s = profile_.at(time);
  const Quaternion turn = exponential(s.value * rotation_);
  point.velocity = {Vector3::Zero(), s.first * rotation_};
  point.acceleration = {Vector3::Zero(), s.second * rotation_};
  point.pose.rotation = (turn * start_.rotation).normalized();
  if (!round_) {
    point.pose.position = start_.position + s.value * way_;
    point.velocity.linear = s.first * way_;
    point.acceleration.linear = s.second * way_;
  } else {
    const Vector3 arm = exponential(s.value * axis_) * (start_.position - center_);
    const Vector3 along = axis_.cross(arm);
    point.pose.position = center_ + arm;
    point.velocity.linear = s.first * along;
    point.acceleration.linear = s.second * along - s.first * s.first * arm;
  }
  if (time >= duration()) point.pose = end_;
  if (!(time > 0.0)) point.pose = start_;
}

}  // namespace vinci
