// SPDX-License-Identifier: Apache-2.0
// Samples, splines, and the errors half-way.
#include "vinci/control/follow.h"

#include <algorithm>

#include <fmt/format.h>

#include "vinci/base/error.h"

namespace vinci {
namespace {

class Follower {
 public:
  Follower(Robot& robot, const Tip& tip, const PosePath& path, const FollowOptions& options)
      : robot_(robot), tip_(tip), path_(path), options_(options), rates_(options.kinematics.rates) {
    if (rates_.empty())
      for (int i = 0; i < robot.rates(); ++i) rates_.push_back(i);
    for (const int rate : rates_)
      if (robot.coordinate_of(rate) < 0)
        throw Error("a robot with ball joints; accepted: joints whose coordinates are numbers");
    if (!(path.duration() > 0.0)) throw Error("a path without length; accepted: one that leads on");
  }

  FollowResult run(const VectorX& start) {
    for (int count = 33; count <= options_.most_samples + 1; count = 2 * count - 1) {
      if (!sample(start, count)) return result_;
      std::vector<double> times(static_cast<std::size_t>(count));
      MatrixX rows(count, static_cast<Eigen::Index>(rates_.size()));
      for (int i = 0; i < count; ++i) {
        times[static_cast<std::size_t>(i)] = path_.duration() * i / (count - 1.0);
        for (std::size_t k = 0; k < rates_.size(); ++k)
          rows(i, static_cast<Eigen::Index>(k)) =
              samples_[static_cast<std::size_t>(i)][robot_.coordinate_of(rates_[k])];
      }
      const auto joints = std::make_shared<Spline>(SplineKind::quintic, times, rows);
      measure(*joints, times);
      result_.followed = result_.position_error <= options_.position_tolerance &&
                         result_.rotation_error <= options_.rotation_tolerance;
      if (result_.followed) result_.joints = joints;
      if (result_.followed) return result_;
    }
    result_.why = fmt::format("between {} samples the tip is {:.3g} m and {:.3g} rad off{}",
                              options_.most_samples, result_.position_error, result_.rotation_error,
                              singular_note());
    return result_;
  }

 private:
  // Joint coordinates at the samples; false at one that is out of reach, or that only a leap of the
  // joints reaches.
  bool sample(const VectorX& start, int count) {
    VectorX q = start;
    PosePoint point;
    InverseKinematicsOptions own = options_.kinematics;
    result_.smallest_singular_value = infinity;
    samples_.clear();
    for (int i = 0; i < count; ++i) {
      const double time = path_.duration() * i / (count - 1.0);
      path_.at(time, point);
      if (i > 0) own.starts = 1;
      const InverseKinematicsResult found = inverse_kinematics(robot_, tip_, point.pose, q, own);
      double leap = 0.0;
      for (const int rate : rates_)
        leap = std::max(leap, std::abs(found.positions[robot_.coordinate_of(rate)] -
                                       q[robot_.coordinate_of(rate)]));
      if (found.smallest_singular_value < result_.smallest_singular_value) {
        result_.smallest_singular_value = found.smallest_singular_value;
        nearest_time_ = time;
        nearest_place_ = point.pose.position;
      }
      const bool leaps = i > 0 && leap > 1.0;
      if (!found.reached || leaps) {
        refuse(found, time, point.pose.position, leaps);
        return false;
      }
      q = found.positions;
      samples_.push_back(q);
    }
    return true;
  }

  static std::string place(const Vector3& x) {
    return fmt::format("({:.6g}, {:.6g}, {:.6g})", x.x(), x.y(), x.z());
  }

  std::string singular_note() const {
    if (!(result_.smallest_singular_value < 1e-3)) return "";
    return fmt::format(", by a singular place near {:.6g} s at {}", nearest_time_,
                       place(nearest_place_));
  }

  void refuse(const InverseKinematicsResult& found, double time, const Vector3& x, bool leaps) {
    result_.why =
        fmt::format("at {:.6g} s of {:.6g} s, at {}, the tip is {:.3g} m and {:.3g} rad off", time,
                    path_.duration(), place(x), found.position_error, found.rotation_error);
    if (leaps && found.reached)
      result_.why = fmt::format("at {:.6g} s of {:.6g} s, at {}, the joints would leap", time,
                                path_.duration(), place(x));
    for (const int rate : rates_) {
      const double q = found.positions[robot_.coordinate_of(rate)];
      if (q > robot_.lower(rate) + 1e-9 && q < robot_.upper(rate) - 1e-9) continue;
      result_.why +=
          fmt::format("; joint {} is at its limit, {:.6g}", robot_.joint_of(rate).name, q);
    }
    const std::size_t needed = robot_.model().world == World::planar ? 3 : 6;
    if (!options_.kinematics.position_only && rates_.size() < needed)
      result_.why += fmt::format("; {} joints cannot hold every orientation", rates_.size());
    if (found.singular) result_.why += "; the joints are at a singular place there";
    result_.position_error = found.position_error;
    result_.rotation_error = found.rotation_error;
  }

  void measure(const Spline& joints, const std::vector<double>& times) {
    result_.position_error = result_.rotation_error = 0.0;
    TrajectoryPoint at;
    PosePoint point;
    for (std::size_t i = 0; i + 1 < times.size(); ++i) {
      const double time = 0.5 * (times[i] + times[i + 1]);
      joints.at(time, at);
      path_.at(time, point);
      VectorX q = samples_[i];
      for (std::size_t k = 0; k < rates_.size(); ++k)
        q[robot_.coordinate_of(rates_[k])] = at.position[static_cast<Eigen::Index>(k)];
      robot_.close(q, rates_);
      robot_.place(q);
      const Pose found = robot_.pose(tip_);
      result_.position_error =
          std::max(result_.position_error, (found.position - point.pose.position).norm());
      if (!options_.kinematics.position_only)
        result_.rotation_error = std::max(
            result_.rotation_error,
            rotation_vector((found.rotation * point.pose.rotation.conjugate()).normalized())
                .norm());
    }
  }

  Robot& robot_;
  const Tip& tip_;
  const PosePath& path_;
  const FollowOptions& options_;
  std::vector<int> rates_;
  std::vector<VectorX> samples_;  // coordinates of all joints
  double nearest_time_ = 0.0;     // to a singular place
  Vector3 nearest_place_ = Vector3::Zero();
  FollowResult result_;
};

}  // namespace

FollowResult follow(Robot& robot, const Tip& tip, const PosePath& path, const VectorX& start,
                    const FollowOptions& options) {
  return Follower(robot, tip, path, options).run(start);
}

}  // namespace vinci
