// SPDX-License-Identifier: Apache-2.0
// Joints that lead the Puma's tip along lines and circles.
#include "vinci/control/follow.h"

#include <gtest/gtest.h>

#include "tests/kinematics/joint_models.h"
#include "vinci/base/error.h"

namespace vinci::test {
namespace {

struct Case {
  Case() : robot(puma(false).model), start(6) {
    start << 0.2, 0.8, 2.6, 0.3, 0.7, 0.1;
    robot.place(start);
    pose = robot.pose(tip);
  }
  Robot robot;
  VectorX start;
  Tip tip{5, {Vector3(0.0, 0.0, 0.1), Quaternion::Identity()}};
  Pose pose;
};

const PoseLimits limits{{0.4, 1.0, 10.0}, {1.0, 3.0, 30.0}};

// Velocities too: those of the tip are the path's.
void expect_followed(Case& arm, const PosePath& path) {
  const FollowResult result = follow(arm.robot, arm.tip, path, arm.start);
  ASSERT_TRUE(result.followed) << result.why;
  EXPECT_GT(result.smallest_singular_value, 1e-3);
  ASSERT_NEAR(result.joints->duration(), path.duration(), 1e-12);
  TrajectoryPoint joints;
  PosePoint point;
  for (int i = 0; i <= 1000; ++i) {
    const double time = path.duration() * i / 1000.0;
    result.joints->at(time, joints);
    path.at(time, point);
    arm.robot.place(joints.position, joints.velocity);
    EXPECT_LT((arm.robot.pose(arm.tip).position - point.pose.position).norm(), 2e-6);
    EXPECT_LT((arm.robot.velocity(arm.tip).linear - point.velocity.linear).norm(), 1e-3);
    EXPECT_LT((arm.robot.velocity(arm.tip).angular - point.velocity.angular).norm(), 1e-3);
  }
  EXPECT_LT(joints.velocity.norm(), 1e-9);
}

TEST(Follow, a_line) {
  Case arm;
  Pose end = arm.pose;
  end.position += Vector3(-0.1, 0.2, 0.1);
  end.rotation = turned(Vector3::UnitZ(), 0.5) * end.rotation;
  expect_followed(arm, PosePath::line(arm.pose, end, limits));
}

TEST(Follow, a_circle) {
  Case arm;
  expect_followed(arm, PosePath::circle(arm.pose, arm.pose.position + Vector3(0.0, 0.08, 0.0),
                                        Vector3::UnitX(), 2.0 * M_PI, limits, false));
}

TEST(Follow, a_path_out_of_reach_is_told_with_its_place) {
  Case arm;
  Pose end = arm.pose;
  end.position += Vector3(3.0, 0.0, 0.0);
  const FollowResult result =
      follow(arm.robot, arm.tip, PosePath::line(arm.pose, end, limits), arm.start);
  EXPECT_FALSE(result.followed);
  EXPECT_NE(result.why.find(" s of "), std::string::npos) << result.why;
  EXPECT_EQ(result.joints, nullptr);
  EXPECT_THROW(follow(arm.robot, arm.tip, PosePath::line(arm.pose, arm.pose, limits), arm.start),
               Error);
}

}  // namespace
}  // namespace vinci::test
