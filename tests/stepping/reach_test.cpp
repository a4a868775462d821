// SPDX-License-Identifier: Apache-2.0
// How far bodies can get within a step.
#include "vinci/stepping/reach.h"

#include <limits>

#include <gtest/gtest.h>

#include "tests/support/example_model.h"

namespace vinci {
namespace {

// A fixed floor without end, a bar of radius 2 m and a ball of radius 0.5 m.
class Reaching : public testing::Test {
 protected:
  Reaching() {
    Body floor = example_body("floor", Freedom::fixed);
    floor.bounding_radius = std::numeric_limits<double>::infinity();
    Body bar = example_body("bar", Freedom::planar);
    bar.bounding_radius = 2.0;
    Body ball = example_body("ball", Freedom::spatial);
    ball.bounding_radius = 0.5;
    ball.initial_pose.position = Vector3(6.0, 8.0, 0.0);
    build({floor, bar, ball});
  }

  void build(std::vector<Body> bodies) {
    model_ = example_model(std::move(bodies));
    state_ = initial_state(model_);
    placed_ = state_.poses;
    foreseen_ = state_.velocities;
  }
  const std::vector<double>& foresee(double h) {
    reach_.foresee(model_, {state_, placed_, foreseen_}, h);
    return reach_.distances();
  }

  Model model_;
  State state_;
  std::vector<Pose> placed_;
  VectorX foreseen_;
  Reach reach_;
};

TEST_F(Reaching, a_body_at_rest_reaches_as_far_as_rounding_and_a_fixed_one_nowhere) {
  const std::vector<double> reach = foresee(0.01);
  EXPECT_EQ(reach[0], 0.0);
  EXPECT_GT(reach[1], 0.0);
  EXPECT_LT(reach[1], 1e-6 * 2.0);
  EXPECT_LT(reach[2], 1e-6 * 0.5);
}

TEST_F(Reaching, it_is_one_and_a_half_times_the_way_of_the_farthest_point) {
  state_.velocities << 3.0, 4.0, 6.0, /* the ball */ 1.0, 2.0, 2.0, 0.0, 3.0, 4.0;
  foreseen_.setZero();
  const std::vector<double> reach = foresee(0.01);
  // |v| + |ω| r, and the part of rounding.
  EXPECT_NEAR(reach[1], 1.5 * 0.01 * (5.0 + 6.0 * 2.0), 1e-6 * 2.0);
  EXPECT_NEAR(reach[2], 1.5 * 0.01 * (3.0 + 5.0 * 0.5), 1e-6 * 0.5);
}

TEST_F(Reaching, the_larger_of_the_velocities_now_and_foreseen_counts) {
  state_.velocities[0] = 1.0;
  foreseen_[0] = 7.0;
  EXPECT_NEAR(foresee(0.1)[1], 1.5 * 0.7, 1e-6 * 2.0);
  std::swap(state_.velocities, foreseen_);
  EXPECT_NEAR(foresee(0.1)[1], 1.5 * 0.7, 1e-6 * 2.0);
}

// The turning floor's points matter out to the far side of the ball: 10 m and 0.5 m.
TEST_F(Reaching, a_body_without_end_that_turns_reaches_as_far_as_others_are) {
  Body plate = example_body("plate", Freedom::spatial);
  plate.bounding_radius = std::numeric_limits<double>::infinity();
  build({plate, model_.bodies[1], model_.bodies[2]});
  foreseen_[3] = 2.0;
  EXPECT_NEAR(foresee(0.01)[0], 1.5 * 0.01 * 2.0 * 10.5, 2e-6 * 10.5);
}

TEST_F(Reaching, a_prescribed_body_reaches_to_where_it_will_be_placed) {
  Body paddle = example_body("paddle", Freedom::planar);
  paddle.bounding_radius = 2.0;
  for (const int coordinate : {0, 1, 5}) drive(paddle, coordinate, true, "0");
  build({model_.bodies[0], paddle});
  placed_[1] = planar_pose(0.3, 0.4, 0.25);
  EXPECT_NEAR(foresee(0.01)[1], 1.5 * (0.5 + 0.25 * 2.0), 1e-6 * 2.0);
}

TEST_F(Reaching, set_says_the_same_of_all_that_move) {
  reach_.set(model_, 0.125);
  EXPECT_EQ(reach_.distances(), (std::vector<double>{0.0, 0.125, 0.125}));
}

TEST_F(Reaching, outrun_says_more_where_a_body_gets_farther_and_is_content_then) {
  foreseen_[0] = 1.0;
  foresee(0.1);  // 0.15 m
  VectorX velocities = foreseen_;
  velocities[0] = 1.4;  // 0.14 m
  EXPECT_FALSE(reach_.outrun(model_, velocities, 0.1));
  velocities[0] = 1.6;  // 0.16 m
  const double before = reach_.distances()[1], ball = reach_.distances()[2];
  EXPECT_TRUE(reach_.outrun(model_, velocities, 0.1));
  EXPECT_GE(reach_.distances()[1], 1.5 * 0.16);
  EXPECT_GE(reach_.distances()[1], 2.0 * before);  // so that it ends soon
  EXPECT_EQ(reach_.distances()[2], ball);
  EXPECT_FALSE(reach_.outrun(model_, velocities, 0.1));
}

TEST_F(Reaching, velocities_that_are_no_numbers_are_no_reason_to_look_farther) {
  foresee(0.1);
  VectorX velocities = foreseen_;
  velocities[0] = std::numeric_limits<double>::infinity();
  velocities[3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(reach_.outrun(model_, velocities, 0.1));
}

}  // namespace
}  // namespace vinci
