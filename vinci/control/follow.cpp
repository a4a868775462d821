// SPDX-License-Identifier: Apache-2.0
// Samples, splines, and the errors half-way.
#include "vinci/control/follow.h"

#include <algorithm>

#include <fmt/format.h>

#include "vinci/base/error.h"

namespace vinci {
namespace {

// Joint coordinates at the samples, a row each; false at a sample that is out of reach, or that
// only a leap of the joints reaches.
bool sample(Robot& robot, const Tip& tip, const PosePath& path, const VectorX& start,
            const InverseKinematicsOptions& options, MatrixX& rows, FollowResult& result) {
  VectorX q = start;
  PosePoint point;
  InverseKinematicsOptions own = options;
  result.smallest_singular_value = infinity;
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    const double time =
        path.duration() * static_cast<double>(i) / static_cast<double>(rows.rows() - 1);
    path.at(time, point);
    if (i > 0) own.starts = 1;
    const InverseKinematicsResult found = inverse_kinematics(robot, tip, point.pose, q, own);
    const double leap = i > 0 ? (found.positions - q).cwiseAbs().maxCoeff() : 0.0;
    if (!found.reached || leap > 1.0) {
      result.why = fmt::format("at {:.6g} s of {:.6g} s the tip is {:.3g} m and {:.3g} rad off{}",
                               time, path.duration(), found.position_error, found.rotation_error,
                               leap > 1.0 ? ", or the joints would leap" : "");
      result.position_error = found.position_error;
      result.rotation_error = found.rotation_error;
      return false;
    }
    q = found.positions;
    result.smallest_singular_value =
        std::min(result.smallest_singular_value, found.smallest_singular_value);
    rows.row(i) = q.transpose();
  }
  return true;
}

}  // namespace

FollowResult follow(Robot& robot, const Tip& tip, const PosePath& path, const VectorX& start,
                    const FollowOptions& options) {
  if (robot.coordinates() != robot.rates())
    throw Error("a robot with ball joints; accepted: joints whose coordinates are numbers");
  if (!(path.duration() > 0.0)) throw Error("a path without length; accepted: one that leads on");
  FollowResult result;
  for (int count = 33; count <= options.most_samples + 1; count = 2 * count - 1) {
    MatrixX rows(count, robot.coordinates());
    if (!sample(robot, tip, path, start, options.kinematics, rows, result)) return result;
    std::vector<double> times(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i)
      times[static_cast<std::size_t>(i)] = path.duration() * i / (count - 1.0);
    result.joints = std::make_shared<Spline>(SplineKind::quintic, times, rows);
    result.position_error = result.rotation_error = 0.0;
    TrajectoryPoint joints;
    PosePoint point;
    for (int i = 0; i + 1 < count; ++i) {
      const double time =
          0.5 * (times[static_cast<std::size_t>(i)] + times[static_cast<std::size_t>(i) + 1]);
      result.joints->at(time, joints);
      path.at(time, point);
      robot.place(joints.position);
      const Pose found = robot.pose(tip);
      result.position_error =
          std::max(result.position_error, (found.position - point.pose.position).norm());
      if (!options.kinematics.position_only)
        result.rotation_error = std::max(
            result.rotation_error,
            rotation_vector((found.rotation * point.pose.rotation.conjugate()).normalized())
                .norm());
    }
    result.followed = result.position_error <= options.position_tolerance &&
                      result.rotation_error <= options.rotation_tolerance;
    if (result.followed) return result;
  }
  result.why = fmt::format("between {} samples the tip is {:.3g} m and {:.3g} rad off",
                           options.most_samples, result.position_error, result.rotation_error);
  result.joints = nullptr;
  return result;
}

}  // namespace vinci
