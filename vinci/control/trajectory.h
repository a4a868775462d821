// SPDX-License-Identifier: Apache-2.0
// Ways of several coordinates and of frames through time, continuous with their velocities and
// accelerations, at rest at both ends (where a cubic spline alone has an acceleration).
#pragma once

#include <memory>
#include <vector>

#include "vinci/base/math.h"
#include "vinci/control/motion_profile.h"

namespace vinci {

struct TrajectoryPoint {
  VectorX position, velocity, acceleration;
};

class Trajectory {
 public:
  virtual ~Trajectory() = default;
  virtual int size() const = 0;
  virtual double duration() const = 0;  // s, from 0 on
  // Before the start and after the end it stands there.
  virtual void at(double time, TrajectoryPoint& point) const = 0;
};

// Every coordinate by its fastest profile, stretched to the slowest one's duration.
class JointMove : public Trajectory {
 public:
  // Throws Error for limits that are not positive, and for lists of different lengths.
  JointMove(const VectorX& start, const VectorX& end, const std::vector<MotionLimits>& limits);
  int size() const override { return static_cast<int>(profiles_.size()); }
  double duration() const override { return duration_; }
  void at(double time, TrajectoryPoint& point) const override;
  const MotionProfile& profile(int coordinate) const { return profiles_[coordinate]; }

 private:
  std::vector<MotionProfile> profiles_;
  double duration_ = 0.0;
};

// Straight from point to point, as fast as the limits allow along each line, at rest at its ends.
class StraightMoves : public Trajectory {
 public:
  // points: one row each, at least one. Throws Error for limits that are not positive, and for
  // lists of different lengths.
  StraightMoves(const MatrixX& points, const std::vector<MotionLimits>& limits);
  int size() const override { return static_cast<int>(points_.cols()); }
  double duration() const override { return times_.back(); }
  void at(double time, TrajectoryPoint& point) const override;
  const std::vector<double>& times() const { return times_; }  // of the points

 private:
  MatrixX points_;
  std::vector<double> times_;
  std::vector<MotionProfile> profiles_;  // from 0 to 1 along each line
};

enum class SplineKind {
  cubic,   // continuous up to the acceleration; velocities vanish at both ends
  quintic  // continuous up to the fourth derivative; accelerations vanish at the ends as well
};

// Through points at given times.
class Spline : public Trajectory {
 public:
  // points: one row per time. Throws Error for fewer than two, times that do not grow from 0 on,
  // and numbers that are not finite.
  Spline(SplineKind kind, const std::vector<double>& times, const MatrixX& points);
  int size() const override { return coordinates_; }
  double duration() const override { return scale_ * times_.back(); }
  void at(double time, TrajectoryPoint& point) const override;

  // The largest |velocity|, |acceleration| and |jerk| of a coordinate, by the extrema of its
  // pieces.
  MotionLimits peaks(int coordinate) const;
  // The least and the largest position of a coordinate.
  std::pair<double, double> extent(int coordinate) const;
  // The times of the points, once fitted.
  std::vector<double> times() const;
  // Runs through the same way as fast as the limits allow, by one factor of time for all.
  void fit(const std::vector<MotionLimits>& limits);

 private:
  static constexpr int terms = 6;  // of a piece: Σ c_i s^i, s from its start
  const double* piece(int index, int coordinate) const {
    return coefficients_.data() +
           (static_cast<std::size_t>(index) * coordinates_ + coordinate) * terms;
  }

  int coordinates_ = 0;
  double scale_ = 1.0;
  VectorX end_;
  std::vector<double> times_;
  std::vector<double> coefficients_;
};

// A frame that moves: along a line, or on a circle.
struct PosePoint {
  Pose pose;
  Twist velocity, acceleration;  // of its origin, and angular; world axes
};

// Limits of the origin (m/s, m/s², m/s³) and of the rotation (rad/s, ...).
struct PoseLimits {
  MotionLimits linear{1.0, 1.0, 10.0}, angular{1.0, 1.0, 10.0};
};

class PosePath {
 public:
  // Straight on, while it turns about one axis by the smaller angle.
  static PosePath line(const Pose& start, const Pose& end, const PoseLimits& limits);
  // About an axis through a point by an angle (rad; of any size and sign); `turns`: with the frame
  // turning along, or else keeping its orientation. Limits hold for the whole velocity,
  // acceleration and jerk of the origin, centripetal parts included.
  static PosePath circle(const Pose& start, const Vector3& center, const Vector3& axis,
                         double angle, const PoseLimits& limits, bool turns = true);

  double duration() const { return profile_.duration(); }
  void at(double time, PosePoint& point) const;

 private:
  Pose start_, end_;
  Vector3 way_ = Vector3::Zero();                              // of a line
  Vector3 center_ = Vector3::Zero(), axis_ = Vector3::Zero();  // of a circle
  Vector3 rotation_ = Vector3::Zero();                         // the whole rotation vector
  bool round_ = false;
  MotionProfile profile_;  // from 0 to 1 along a line, of the angle on a circle
};

}  // namespace vinci
