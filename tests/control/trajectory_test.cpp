// SPDX-License-Identifier: Apache-2.0
// Trajectories: limits, continuity, ends; durations against closed forms.
#include "vinci/control/trajectory.h"

#include <gtest/gtest.h>

#include "tests/kinematics/joint_models.h"
#include "vinci/base/error.h"

namespace vinci::test {
namespace {

TEST(MotionProfile, durations_are_those_of_the_closed_forms) {
  // All seven pieces: T = D/v + v/a + a/j.
  EXPECT_NEAR(MotionProfile(0.0, 10.0, {2.0, 1.0, 4.0}).duration(), 5.0 + 2.0 + 0.25, 1e-13);
  // The velocity is not reached, the acceleration is: T = a/j + √(a²/j² + 4 D/a).
  EXPECT_NEAR(MotionProfile(1.0, 0.0, {10.0, 1.0, 4.0}).duration(), 0.25 + std::sqrt(0.0625 + 4.0),
              1e-13);
  // Neither is: T = 4 ∛(D/(2j)).
  EXPECT_NEAR(MotionProfile(0.0, 1.0, {10.0, 10.0, 0.5}).duration(), 4.0, 1e-13);
  // The velocity is reached before the acceleration would be: T = D/v + 2 √(v/j).
  EXPECT_NEAR(MotionProfile(0.0, 10.0, {1.0, 10.0, 4.0}).duration(), 10.0 + 1.0, 1e-13);
  EXPECT_EQ(MotionProfile(3.0, 3.0, {1.0, 1.0, 1.0}).duration(), 0.0);
  EXPECT_EQ(MotionProfile(3.0, 3.0, {1.0, 1.0, 1.0}).at(1.0).value, 3.0);
}

// No other way of the same kind is faster: any that keeps the limits and arrives is at least as
// long. Bang-bang jerk reaches at each time the most; a lower bound by each limit alone holds too.
TEST(MotionProfile, limits_hold_ends_are_exact_and_the_motion_is_continuous) {
  Dice dice(31);
  for (int trial = 0; trial < 2000; ++trial) {
    const auto size = [&] { return std::pow(10.0, dice.between(-2.0, 2.0)); };
    const MotionLimits limits{size(), size(), size()};
    const double start = dice.between(-5.0, 5.0), end = start + size() * (trial % 2 ? 1.0 : -1.0);
    MotionProfile profile(start, end, limits);
    double slower = 1.0;
    if (trial % 3 == 0) profile.stretch((slower = 1.7) * profile.duration());
    const double duration = profile.duration(), distance = std::abs(end - start);
    EXPECT_EQ(profile.at(0.0).value, start);
    EXPECT_EQ(profile.at(duration).value, end);
    EXPECT_GE(duration * (1.0 + 1e-12), distance / limits.velocity);
    EXPECT_GE(duration * (1.0 + 1e-12), 2.0 * std::sqrt(distance / limits.acceleration));
    EXPECT_GE(duration * (1.0 + 1e-12), 4.0 * std::cbrt(distance / (2.0 * limits.jerk)));
    Jet before = profile.at(0.0);
    const int count = 200;
    const double h = duration / count;
    double reached = 0.0;
    for (int i = 1; i <= count; ++i) {
      const Jet now = profile.at(h * i);
      const double tiny = 1.0 + 1e-11;
      EXPECT_LE(std::abs(now.first), limits.velocity * tiny);
      EXPECT_LE(std::abs(now.second), limits.acceleration * tiny);
      EXPECT_LE(std::abs(profile.jerk(h * i)), limits.jerk * tiny);
      reached = std::max({reached, std::abs(now.first) / limits.velocity,
                          std::abs(now.second) / limits.acceleration,
                          std::abs(profile.jerk(h * (i - 0.5))) / limits.jerk});
      // C²: over h no more than what the limits allow; and values belong to their derivatives.
      EXPECT_LE(std::abs(now.second - before.second), limits.jerk * h * (1.0 + 1e-9) + 1e-12);
      const double third = limits.jerk;
      EXPECT_LE(std::abs(now.first - before.first - 0.5 * h * (now.second + before.second)),
                0.25 * third * h * h * (1.0 + 1e-9) + 1e-11 * limits.velocity);
      EXPECT_LE(std::abs(now.value - before.value - 0.5 * h * (now.first + before.first)),
                0.25 * third * h * h * h + 1e-10 * distance + 1e-14);
      before = now;
    }
    // One of them is used to the full.
    if (slower == 1.0) {
      EXPECT_GT(reached, 0.99);
    }
  }
}

TEST(MotionProfile, bad_limits_are_told) {
  EXPECT_THROW(MotionProfile(0.0, 1.0, {0.0, 1.0, 1.0}), Error);
  EXPECT_THROW(MotionProfile(0.0, 1.0, {1.0, -1.0, 1.0}), Error);
  EXPECT_THROW(MotionProfile(0.0, 1.0, {1.0, 1.0, infinity}), Error);
  EXPECT_THROW(MotionProfile(0.0, NAN, {1.0, 1.0, 1.0}), Error);
  MotionProfile profile(0.0, 1.0, {1.0, 1.0, 1.0});
  EXPECT_THROW(profile.stretch(0.5 * profile.duration()), Error);
}

TEST(JointMove, joints_begin_and_end_together) {
  const VectorX start = Vector3(0.0, 1.0, 2.0), end = Vector3(1.0, -3.0, 2.0);
  const std::vector<MotionLimits> limits = {{1.0, 2.0, 8.0}, {0.5, 1.0, 3.0}, {1.0, 1.0, 1.0}};
  const JointMove move(start, end, limits);
  EXPECT_EQ(move.duration(), MotionProfile(1.0, -3.0, limits[1]).duration());
  TrajectoryPoint point;
  move.at(0.0, point);
  EXPECT_EQ(point.position, start);
  move.at(move.duration(), point);
  EXPECT_EQ(point.position, end);
  EXPECT_TRUE(point.velocity.isZero(0.0));
  move.at(0.5 * move.duration(), point);
  EXPECT_NEAR(point.position[0], 0.5, 1e-14);  // symmetric
  EXPECT_GT(point.velocity[0], 0.0);
  EXPECT_EQ(point.position[2], 2.0);
  EXPECT_THROW(JointMove(start, Vector2(0.0, 0.0), limits), Error);
}

TEST(StraightMoves, rest_at_every_point_and_go_straight_in_the_time_of_the_slowest_joint) {
  MatrixX points(4, 2);
  points << 0.0, 0.0, 10.0, 1.0, 10.0, 1.0, 10.0, 0.0;
  const StraightMoves way(points, {{2.0, 1.0, 4.0}, {10.0, 1.0, 4.0}});
  // The first line takes joint 0 all seven pieces, T = D/v + v/a + a/j; the second has no length;
  // the third takes joint 1 T = a/j + √(a²/j² + 4 D/a).
  const double first = 7.25, last = 0.25 + std::sqrt(0.0625 + 4.0);
  ASSERT_EQ(way.times().size(), 4u);
  EXPECT_NEAR(way.times()[1], first, 1e-13);
  EXPECT_NEAR(way.times()[2], first, 1e-13);
  EXPECT_NEAR(way.duration(), first + last, 1e-13);
  TrajectoryPoint point;
  for (int i = 0; i <= 1000; ++i) {
    way.at(first * i / 1000.0, point);
    EXPECT_NEAR(point.position[1], 0.1 * point.position[0], 1e-14);
    EXPECT_LE(std::abs(point.velocity[0]), 2.0 + 1e-12);
  }
  for (const double time : {-1.0, 0.0, way.times()[1], way.duration(), 100.0}) {
    way.at(time, point);
    EXPECT_LT(point.velocity.norm() + point.acceleration.norm(), 1e-12) << time;
  }
  EXPECT_EQ(point.position, Eigen::Vector2d(10.0, 0.0));
  way.at(0.0, point);
  EXPECT_EQ(point.position, Eigen::Vector2d(0.0, 0.0));
  EXPECT_THROW(StraightMoves(points, {{1.0, 1.0, 1.0}}), Error);
  EXPECT_THROW(StraightMoves(points, {{1.0, 1.0, 0.0}, {1.0, 1.0, 1.0}}), Error);
}

TEST(Spline, extent_is_that_of_fine_samples) {
  Dice dice(5);
  for (int trial = 0; trial < 50; ++trial) {
    MatrixX points(6, 1);
    for (int i = 0; i < 6; ++i) points(i, 0) = dice.between(-1.0, 1.0);
    Spline spline(SplineKind::quintic, {0.0, 0.5, 1.5, 2.0, 2.2, 3.0}, points);
    spline.fit({{1.0, 1.0, 1.0}});
    EXPECT_NEAR(spline.times().back(), spline.duration(), 1e-12);
    double least = infinity, most = -infinity;
    TrajectoryPoint point;
    for (int i = 0; i <= 20000; ++i) {
      spline.at(spline.duration() * i / 20000.0, point);
      least = std::min(least, point.position[0]);
      most = std::max(most, point.position[0]);
    }
    const auto [lower, upper] = spline.extent(0);
    EXPECT_LE(lower, least + 1e-14);
    EXPECT_GE(upper, most - 1e-14);
    EXPECT_NEAR(lower, least, 1e-6);
    EXPECT_NEAR(upper, most, 1e-6);
  }
}

TEST(Spline, passes_through_its_points_with_continuous_derivatives) {
  Dice dice(32);
  for (const SplineKind kind : {SplineKind::cubic, SplineKind::quintic})
    for (int trial = 0; trial < 50; ++trial) {
      std::vector<double> times = {0.0};
      const int count = 2 + dice.below(6);
      for (int i = 1; i < count; ++i) times.push_back(times.back() + dice.between(0.3, 1.5));
      MatrixX points(count, 2);
      for (int i = 0; i < count; ++i) points.row(i) = dice.vector(2, 3.0).transpose();
      Spline spline(kind, times, points);
      TrajectoryPoint at, left, right;
      const double rounding = 1e-11;  // of sums of terms that are some 100 times the peaks
      for (int i = 0; i < count; ++i) {
        spline.at(times[i], at);
        EXPECT_LT((at.position - points.row(i).transpose()).norm(), 1e-12);
        const double h = 1e-7;
        spline.at(times[i] - h, left);
        spline.at(times[i] + h, right);
        if (i == 0 || i + 1 == count) {
          EXPECT_LT(at.velocity.norm(), rounding * spline.peaks(0).velocity);
          if (kind == SplineKind::quintic) {
            EXPECT_LT(at.acceleration.norm(), rounding * spline.peaks(0).acceleration);
          }
          continue;
        }
        EXPECT_LT((right.velocity - left.velocity).norm(), 1e-4);
        EXPECT_LT((right.acceleration - left.acceleration).norm(), 2e-3);
      }
      // Slowed down to limits: one of them is met, none is passed.
      const std::vector<MotionLimits> limits = {{1.0, 2.0, 5.0}, {0.7, 3.0, 9.0}};
      spline.fit(limits);
      double used = 0.0;
      for (int k = 0; k < 2; ++k) {
        const MotionLimits most = spline.peaks(k);
        const MotionLimits& limit = limits[static_cast<std::size_t>(k)];
        used = std::max({used, most.velocity / limit.velocity,
                         most.acceleration / limit.acceleration, most.jerk / limit.jerk});
        for (int i = 0; i <= 1000; ++i) {
          spline.at(spline.duration() * i / 1000.0, at);
          EXPECT_LE(std::abs(at.velocity[k]), most.velocity * (1.0 + 1e-12));
          EXPECT_LE(std::abs(at.acceleration[k]), most.acceleration * (1.0 + 1e-12));
        }
      }
      EXPECT_NEAR(used, 1.0, 1e-9);
      spline.at(spline.duration(), at);
      EXPECT_EQ(at.position, VectorX(points.row(count - 1).transpose()));
    }
}

// A polynomial of the spline's own degree that meets its end conditions is reproduced.
TEST(Spline, reproduces_polynomials) {
  const auto smooth = [](double t) { return t * t * t * (10.0 - 15.0 * t + 6.0 * t * t); };
  const std::vector<double> times = {0.0, 0.2, 0.5, 0.9, 1.0};
  MatrixX points(5, 1);
  for (int i = 0; i < 5; ++i) points(i, 0) = smooth(times[i]);
  const Spline quintic(SplineKind::quintic, times, points);
  TrajectoryPoint at;
  for (int i = 0; i <= 100; ++i) {
    quintic.at(0.01 * i, at);
    EXPECT_NEAR(at.position[0], smooth(0.01 * i), 1e-13);
  }
  for (int i = 0; i < 5; ++i) points(i, 0) = times[i] * times[i] * (3.0 - 2.0 * times[i]);
  const Spline cubic(SplineKind::cubic, times, points);
  EXPECT_NEAR(cubic.peaks(0).velocity, 1.5, 1e-13);
  EXPECT_NEAR(cubic.peaks(0).acceleration, 6.0, 1e-12);
  EXPECT_NEAR(cubic.peaks(0).jerk, 12.0, 1e-11);
}

TEST(Spline, bad_points_are_told) {
  const MatrixX points = MatrixX::Zero(3, 1);
  EXPECT_THROW(Spline(SplineKind::cubic, {0.0, 1.0}, points), Error);
  EXPECT_THROW(Spline(SplineKind::cubic, {0.0, 1.0, 1.0}, points), Error);
  EXPECT_THROW(Spline(SplineKind::cubic, {0.5, 1.0, 2.0}, points), Error);
  EXPECT_THROW(Spline(SplineKind::cubic, {0.0}, MatrixX::Zero(1, 1)), Error);
}

// Velocities and accelerations are the derivatives of the pose, and the limits of all three hold.
void expect_smooth(const PosePath& path, const PoseLimits& limits) {
  const int count = 400;
  const double h = 1e-5;
  PosePoint at, left, right;
  Vector3 jerk;
  for (int i = 1; i < count; ++i) {
    const double t = path.duration() * i / count;
    path.at(t, at);
    path.at(t - h, left);
    path.at(t + h, right);
    EXPECT_LT((at.velocity.linear - (right.pose.position - left.pose.position) / (2.0 * h)).norm(),
              1e-7);
    const Quaternion turn = right.pose.rotation * left.pose.rotation.conjugate();
    EXPECT_LT((at.velocity.angular - rotation_vector(turn) / (2.0 * h)).norm(), 1e-7);
    EXPECT_LT((at.acceleration.linear - (right.velocity.linear - left.velocity.linear) / (2.0 * h))
                  .norm(),
              limits.linear.jerk * h + 1e-6);
    EXPECT_LE(at.velocity.linear.norm(), limits.linear.velocity * (1.0 + 1e-12));
    EXPECT_LE(at.acceleration.linear.norm(), limits.linear.acceleration * (1.0 + 1e-12));
    EXPECT_LE(at.velocity.angular.norm(), limits.angular.velocity * (1.0 + 1e-12));
    EXPECT_LE(at.acceleration.angular.norm(), limits.angular.acceleration * (1.0 + 1e-12));
    jerk = (right.acceleration.linear - left.acceleration.linear) / (2.0 * h);
    EXPECT_LE(jerk.norm(), limits.linear.jerk * (1.0 + 1e-4));
  }
}

TEST(PosePath, lines_are_straight_and_circles_round) {
  Dice dice(33);
  PosePoint at;
  for (int trial = 0; trial < 30; ++trial) {
    const PoseLimits limits{
        {dice.between(0.1, 2.0), dice.between(0.5, 4.0), dice.between(5.0, 50.0)},
        {dice.between(0.1, 2.0), dice.between(0.5, 4.0), dice.between(5.0, 50.0)}};
    const Pose start = dice.pose(1.0), end = dice.pose(1.0);
    const PosePath line = PosePath::line(start, end, limits);
    expect_smooth(line, limits);
    line.at(line.duration(), at);
    EXPECT_EQ(at.pose.position, end.position);
    EXPECT_EQ(at.pose.rotation.coeffs(), end.rotation.coeffs());
    const Vector3 way = (end.position - start.position).normalized();
    line.at(0.4 * line.duration(), at);
    EXPECT_LT((at.pose.position - start.position).cross(way).norm(), 1e-14);
    const Vector3 center = dice.vector(1.0), axis = dice.vector(1.0).normalized();
    const double angle = dice.between(-8.0, 8.0);
    const PosePath circle = PosePath::circle(start, center, axis, angle, limits, trial % 2 == 0);
    expect_smooth(circle, limits);
    const Vector3 middle = center + axis * axis.dot(start.position - center);
    const double radius = (start.position - middle).norm();
    for (int i = 0; i <= 20; ++i) {
      circle.at(circle.duration() * i / 20.0, at);
      EXPECT_NEAR((at.pose.position - middle).norm(), radius, 1e-13);
      EXPECT_NEAR((at.pose.position - middle).dot(axis), 0.0, 1e-13);
    }
    EXPECT_LT(
        (at.pose.position - middle - exponential(angle * axis) * (start.position - middle)).norm(),
        1e-13);
  }
  EXPECT_THROW(PosePath::circle({}, Vector3::UnitX(), Vector3::Zero(), 1.0, {}), Error);
}

}  // namespace
}  // namespace vinci::test
