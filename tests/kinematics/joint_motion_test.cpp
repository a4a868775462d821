// SPDX-License-Identifier: Apache-2.0
// Motion of single joints: coordinates, axes and rows against differences along motions.
#include "vinci/kinematics/joint_motion.h"

#include <gtest/gtest.h>

#include "tests/kinematics/joint_models.h"
#include "vinci/kinematics/joint_rows.h"

namespace vinci::test {
namespace {

Joint random_joint(Dice& dice, JointKind kind) {
  Joint joint;
  joint.kind = kind;
  joint.frame_a = dice.pose(0.5);
  joint.frame_b = dice.pose(0.5);
  joint.pitch = dice.between(-0.4, 0.4);
  return joint;
}

std::array<double, 4> random_coordinates(Dice& dice, JointKind kind, double size) {
  std::array<double, 4> q{};
  if (kind == JointKind::ball) {
    const Quaternion r = dice.rotation();
    return {r.w(), r.x(), r.y(), r.z()};
  }
  for (int k = 0; k < rate_count(kind); ++k)
    q[static_cast<std::size_t>(k)] = dice.between(-size, size);
  return q;
}

Pose other_body(const Joint& joint, const Pose& body_a, const double* q) {
  return body_a * joint.frame_a * joint_pose(joint, q) * joint.frame_b.inverse();
}

// A body that moves along a smooth curve; the frame's own velocity at t = 0 is exact.
struct Curve {
  Pose start;
  Vector3 linear, angular;
  Pose at(double t) const {
    return {start.position + t * linear, exponential(t * angular) * start.rotation};
  }
  Vector3 velocity(const Vector3& point) const {
    return linear + angular.cross(point - start.position);
  }
};

class EveryKind : public testing::TestWithParam<int> {
 protected:
  JointKind kind() const { return static_cast<JointKind>(GetParam()); }
  Dice dice_{static_cast<unsigned>(GetParam() + 1)};
};
INSTANTIATE_TEST_SUITE_P(Joints, EveryKind, testing::Range(0, joint_kind_count),
                         [](const auto& kind_of) {
                           return std::string(to_string(static_cast<JointKind>(kind_of.param)));
                         });

TEST_P(EveryKind, coordinates_are_read_back_with_their_turns) {
  for (int trial = 0; trial < 200; ++trial) {
    const Joint joint = random_joint(dice_, kind());
    // Several turns; the second angle of a universal joint is unique within half a turn.
    const std::array<double, 4> q =
        random_coordinates(dice_, kind(), kind() == JointKind::universal ? 1.5 : 20.0);
    const Pose a = dice_.pose(3.0), b = other_body(joint, a, q.data());
    std::array<double, 4> read = q;
    for (int k = 0; k < position_count(kind()); ++k)
      read[static_cast<std::size_t>(k)] += dice_.between(-0.4, 0.4);
    read_coordinates(joint, a, b, read.data());
    for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(read[k], q[k], 2e-14 * (1.0 + std::abs(q[k])));
  }
}

TEST(Joints, a_ball_keeps_the_sign_of_its_quaternion) {
  Dice dice(9);
  const Joint joint = random_joint(dice, JointKind::ball);
  std::array<double, 4> q = random_coordinates(dice, JointKind::ball, 1.0);
  for (const double sign : {1.0, -1.0}) {
    for (double& number : q) number *= sign;
    const Pose a = dice.pose(1.0), b = other_body(joint, a, q.data());
    std::array<double, 4> read = q;
    read_coordinates(joint, a, b, read.data());
    for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(read[k], q[k], 1e-15);
  }
}

TEST_P(EveryKind, axes_are_the_derivative_of_the_pose_along_advanced_coordinates) {
  const double h = 1e-5;
  for (int trial = 0; trial < 100; ++trial) {
    const Joint joint = random_joint(dice_, kind());
    const std::array<double, 4> q = random_coordinates(dice_, kind(), 2.0);
    const Pose a = dice_.pose(1.0);
    std::array<double, 3> u{};
    for (int k = 0; k < rate_count(kind()); ++k)
      u[static_cast<std::size_t>(k)] = dice_.between(-1.0, 1.0);
    std::array<double, 4> later = q, earlier = q;
    advance(joint, u.data(), h, later.data());
    advance(joint, u.data(), -h, earlier.data());
    const Pose b = other_body(joint, a, q.data());
    const Pose after = other_body(joint, a, later.data()) * joint.frame_b;
    const Pose before = other_body(joint, a, earlier.data()) * joint.frame_b;
    const Vector3 linear = (after.position - before.position) / (2.0 * h);
    const Vector3 angular =
        rotation_vector(after.rotation * before.rotation.conjugate()) / (2.0 * h);
    JointAxes axes;
    ASSERT_EQ(joint_axes(joint, a, b, axes), rate_count(kind()));
    Twist sum;
    for (int k = 0; k < rate_count(kind()); ++k) {
      const std::size_t place = static_cast<std::size_t>(k);
      sum.linear += u[place] * axes[place].linear;
      sum.angular += u[place] * axes[place].angular;
    }
    // a stands still: P as a point of b is P. Errors h²/6 times third derivatives, and rounding/h.
    EXPECT_LT((sum.linear - linear).norm(), 2e-9);
    EXPECT_LT((sum.angular - angular).norm(), 2e-9);
  }
}

// Rows of rates are dual to the axes, and rows of constraints vanish on them.
TEST_P(EveryKind, rows_and_axes_are_complementary) {
  for (int trial = 0; trial < 100; ++trial) {
    const Joint joint = random_joint(dice_, kind());
    const std::array<double, 4> q = random_coordinates(dice_, kind(), 1.3);
    const Pose a = dice_.pose(1.0), b = other_body(joint, a, q.data());
    JointAxes axes;
    const int count = joint_axes(joint, a, b, axes);
    JointRows rows;
    joint_rows(joint, World::spatial, a, b, q[0], rows);
    ASSERT_EQ(rows.count, joint_row_count(kind(), World::spatial));
    ASSERT_EQ(rows.count + count, 6);
    MatrixX all(6, 6);
    for (int i = 0; i < rows.count; ++i) {
      const JointRow& row = rows.rows[static_cast<std::size_t>(i)];
      EXPECT_NEAR(row.error, 0.0, 1e-14);
      all.row(i) << row.linear.transpose(), row.angular.transpose();
      for (int k = 0; k < count; ++k) {
        const Twist& axis = axes[static_cast<std::size_t>(k)];
        EXPECT_NEAR(row.linear.dot(axis.linear) + row.angular.dot(axis.angular), 0.0, 1e-14);
      }
    }
    for (int k = 0; k < count; ++k) {
      const Twist row = rate_row(joint, a, b, k);
      all.row(rows.count + k) << row.linear.transpose(), row.angular.transpose();
      for (int j = 0; j < count; ++j) {
        const Twist& axis = axes[static_cast<std::size_t>(j)];
        EXPECT_NEAR(row.linear.dot(axis.linear) + row.angular.dot(axis.angular), j == k ? 1.0 : 0.0,
                    1e-13);
      }
    }
    EXPECT_GT(std::abs(all.determinant()), 0.01);
  }
}

// Far off the joint as well: both bodies move along curves that know nothing of it.
TEST_P(EveryKind, rows_are_the_derivatives_of_their_errors) {
  const double h = 1e-5;
  for (int trial = 0; trial < 200; ++trial) {
    const Joint joint = random_joint(dice_, kind());
    const std::array<double, 4> q = random_coordinates(dice_, kind(), 1.3);
    Pose off = dice_.pose(0.2);
    off.rotation = exponential(dice_.vector(0.3));
    const Pose start = dice_.pose(1.0);
    const Curve a{start, dice_.vector(1.0), dice_.vector(1.0)};
    const Curve b{other_body(joint, start, q.data()) * off, dice_.vector(1.0), dice_.vector(1.0)};
    const Vector3 p = b.start * joint.frame_b.position;
    const Vector3 linear = b.velocity(p) - a.velocity(p), angular = b.angular - a.angular;
    JointRows rows, later, earlier;
    joint_rows(joint, World::spatial, a.start, b.start, q[0], rows);
    joint_rows(joint, World::spatial, a.at(h), b.at(h), q[0], later);
    joint_rows(joint, World::spatial, a.at(-h), b.at(-h), q[0], earlier);
    for (std::size_t i = 0; i < static_cast<std::size_t>(rows.count); ++i) {
      const double rate = rows.rows[i].linear.dot(linear) + rows.rows[i].angular.dot(angular);
      EXPECT_NEAR(rate, (later.rows[i].error - earlier.rows[i].error) / (2.0 * h), 1e-8);
    }
    if (kind() == JointKind::ball) continue;  // its rates are no derivatives of coordinates
    std::array<double, 4> after = q, before = q;
    read_coordinates(joint, a.at(h), b.at(h), after.data());
    read_coordinates(joint, a.at(-h), b.at(-h), before.data());
    for (int k = 0; k < rate_count(kind()); ++k) {
      const std::size_t place = static_cast<std::size_t>(k);
      const Twist row = rate_row(joint, a.start, b.start, k);
      EXPECT_NEAR(row.linear.dot(linear) + row.angular.dot(angular),
                  (after[place] - before[place]) / (2.0 * h), 1e-8);
    }
  }
}

TEST(PlanarJoints, rows_are_the_derivatives_of_their_errors) {
  Dice dice(7);
  const double h = 1e-5;
  for (const JointKind kind : {JointKind::fixed, JointKind::revolute, JointKind::prismatic})
    for (int trial = 0; trial < 100; ++trial) {
      Joint joint;
      joint.kind = kind;
      joint.frame_a = dice.planar_pose_of(0.5);
      joint.frame_b = dice.planar_pose_of(0.5);
      if (kind == JointKind::prismatic) {
        const Quaternion down = turned(Vector3::UnitY(), M_PI / 2.0);
        joint.frame_a.rotation = joint.frame_a.rotation * down;
        joint.frame_b.rotation = joint.frame_b.rotation * down;
      }
      const double q = dice.between(-1.0, 1.0);
      const Pose start = dice.planar_pose_of(1.0);
      const Pose aligned = other_body(joint, start, &q);
      const Vector3 up = Vector3::UnitZ();
      const Curve a{start, Vector3(0.3, -0.7, 0.0), 0.9 * up};
      const Curve b{aligned * planar_pose(0.1, -0.2, 0.3), Vector3(-1.1, 0.4, 0.0), -0.6 * up};
      const Vector3 p = b.start * joint.frame_b.position;
      const Vector3 linear = b.velocity(p) - a.velocity(p), angular = b.angular - a.angular;
      JointRows rows, later, earlier, met;
      joint_rows(joint, World::planar, start, aligned, q, met);
      ASSERT_EQ(met.count, joint_row_count(kind, World::planar));
      ASSERT_EQ(met.count, 3 - rate_count(kind));
      joint_rows(joint, World::planar, a.start, b.start, q, rows);
      joint_rows(joint, World::planar, a.at(h), b.at(h), q, later);
      joint_rows(joint, World::planar, a.at(-h), b.at(-h), q, earlier);
      for (std::size_t i = 0; i < static_cast<std::size_t>(rows.count); ++i) {
        EXPECT_NEAR(met.rows[i].error, 0.0, 1e-14);
        // Within the plane.
        EXPECT_NEAR(rows.rows[i].linear.z(), 0.0, 1e-15);
        EXPECT_NEAR(rows.rows[i].angular.head<2>().norm(), 0.0, 1e-15);
        const double rate = rows.rows[i].linear.dot(linear) + rows.rows[i].angular.dot(angular);
        EXPECT_NEAR(rate, (later.rows[i].error - earlier.rows[i].error) / (2.0 * h), 1e-8);
      }
    }
}

TEST(Joints, angles_are_counted_from_those_before) {
  EXPECT_NEAR(unwrapped(0.1, 6.0 * M_PI + 0.3), 6.0 * M_PI + 0.1, 1e-14);
  EXPECT_NEAR(unwrapped(3.1, -3.1), 3.1 - 2.0 * M_PI, 1e-15);
  EXPECT_EQ(unwrapped(1.0, 0.0), 1.0);
}

}  // namespace
}  // namespace vinci::test
