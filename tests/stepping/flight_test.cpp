// SPDX-License-Identifier: Apache-2.0
// Parabolas that meet a surface, and bodies that fly.
#include "vinci/stepping/flight.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tests/support/example_model.h"
#include "vinci/formulation/free_motion.h"

namespace vinci {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

// --------------------------------------------------------------------------- meeting_time

TEST(MeetingTime, a_stone_that_is_let_go_falls_for_the_root_of_2_h_over_g) {
  for (const double height : {1e-9, 1e-3, 1.0, 1e4})
    EXPECT_NEAR(meeting_time(height, 0.0, -9.81) / std::sqrt(2.0 * height / 9.81), 1.0, 1e-15);
}

TEST(MeetingTime, without_acceleration_it_is_the_gap_over_the_speed) {
  EXPECT_DOUBLE_EQ(meeting_time(0.3, -2.0, 0.0), 0.15);
  EXPECT_EQ(meeting_time(0.3, 2.0, 0.0), never);
  EXPECT_EQ(meeting_time(0.3, 0.0, 0.0), never);
}

TEST(MeetingTime, a_stone_thrown_up_from_the_surface_is_back_after_2_v_over_g) {
  EXPECT_DOUBLE_EQ(meeting_time(0.0, 3.0, -9.81), 2.0 * 3.0 / 9.81);
}

TEST(MeetingTime, what_is_pulled_away_is_met_only_if_it_comes_fast_enough) {
  // ψ = 1 − v t + t²/2 has a root where v² >= 2; the first one is where it falls.
  EXPECT_EQ(meeting_time(1.0, -1.4, 1.0), never);
  EXPECT_DOUBLE_EQ(meeting_time(1.0, -1.5, 1.0), 1.0);  // ½ (t − 1)(t − 2)
  EXPECT_EQ(meeting_time(1.0, 1.5, 1.0), never);
}

TEST(MeetingTime, a_surface_that_is_touched_and_approached_is_met_now) {
  EXPECT_EQ(meeting_time(0.0, -1.0, -9.81), 0.0);
  EXPECT_EQ(meeting_time(0.0, -1.0, 9.81), 0.0);
  EXPECT_EQ(meeting_time(-1e-6, -1.0, 0.0), 0.0);  // an overlap is not met in the past
}

TEST(MeetingTime, small_accelerations_and_small_gaps_cancel_no_digits) {
  // t = gap/v (1 − a gap/(2 v²) + ...): the next term is below rounding here.
  const double gap = 1e-3, speed = 5.0, a = 1e-9;
  EXPECT_NEAR(meeting_time(gap, -speed, -a) / (gap / speed), 1.0 - 0.5 * a * gap / (speed * speed),
              1e-15);
  EXPECT_NEAR(meeting_time(1e-12, -1e-3, -9.81) / 1e-9, 1.0, 5e-6);  // ½ g t/v
  EXPECT_NEAR(meeting_time(1e-12, 1e-3, -9.81) / (2.0 * 1e-3 / 9.81), 1.0, 5e-6);
}

TEST(MeetingTime, the_parabola_is_zero_there_and_falls) {
  for (const double gap : {0.0, 1e-6, 0.2})
    for (const double rate : {-3.0, -0.1, 0.0, 0.1, 3.0})
      for (const double a : {-20.0, -1.0, 0.0, 1.0, 20.0}) {
        const double t = meeting_time(gap, rate, a);
        if (t == never) continue;
        const double size = gap + std::abs(rate) * t + 0.5 * std::abs(a) * t * t;
        EXPECT_NEAR(gap + rate * t + 0.5 * a * t * t, 0.0, 1e-15 * size);
        EXPECT_LE(rate + a * t, 1e-7 * (std::abs(rate) + std::abs(a) * t));
      }
}

// --------------------------------------------------------------------------- WatchedGap

WatchedGap falling_from(double height, double rate = 0.0) {
  WatchedGap watched;
  watched.gap = height;
  watched.rate = rate;
  watched.acceleration = -9.81;
  return watched;
}

TEST(WatchedGap, strikes_from_the_moment_on_when_it_arrives) {
  const WatchedGap stone = falling_from(0.5);
  const double arrival = std::sqrt(2.0 * 0.5 / 9.81);
  EXPECT_DOUBLE_EQ(stone.meeting(), arrival);
  EXPECT_FALSE(stone.strikes_within(0.999 * arrival));
  EXPECT_TRUE(stone.strikes_within(1.001 * arrival));
}

TEST(WatchedGap, strikes_only_above_its_least_speed) {
  WatchedGap stone = falling_from(0.5);
  const double speed = std::sqrt(2.0 * 9.81 * 0.5);
  stone.least = 0.999 * speed;
  EXPECT_TRUE(stone.strikes_within(1.0));
  stone.least = 1.001 * speed;
  EXPECT_FALSE(stone.strikes_within(1.0));
}

TEST(WatchedGap, that_leaves_for_good_never_strikes) {
  WatchedGap leaving = falling_from(0.1, 2.0);
  leaving.acceleration = 0.0;
  EXPECT_EQ(leaving.meeting(), never);
  EXPECT_FALSE(leaving.strikes_within(1e9));
}

// --------------------------------------------------------------------------- advance_flying

TEST(AdvanceFlying, a_thrown_body_moves_on_its_parabola_exactly) {
  Body stone = example_body("stone", Freedom::planar);
  stone.mass.center = Vector3(0.1, -0.2, 0.0);
  stone.initial_pose = planar_pose(1.0, 2.0, 0.3);
  stone.initial_twist = {Vector3(3.0, 4.0, 0.0), Vector3(0.0, 0.0, 5.0)};
  const Model model = example_model({stone});
  const State state = initial_state(model);
  for (const double h : {1e-3, 0.1, 2.0}) {
    VectorX next = state.velocities;
    next[1] -= 9.81 * h;
    const VectorX given = next;
    const std::vector<Pose> end{advance_flying(model, state, 0, h, next)};
    const Vector3 way(3.0 * h, 4.0 * h - 0.5 * 9.81 * h * h, 0.0);
    const Vector3 expected = center_of_mass(model, state.poses, 0) + way;
    EXPECT_LT((center_of_mass(model, end, 0) - expected).norm(), 1e-14 * (1.0 + way.norm()));
    const Quaternion turned = exponential(Vector3(0.0, 0.0, 0.3 + 5.0 * h));
    EXPECT_NEAR(std::abs(turned.dot(end[0].rotation)), 1.0, 1e-14);
    EXPECT_EQ(next, given);  // in the plane the axes of start and end are the same
  }
}

// A body of unlike moments of inertia that nothing touches.
struct Top {
  Top() : model(example_model({body()})), state(initial_state(model)) {}
  static Body body() {
    Body body = example_body("top", Freedom::spatial);
    body.initial_twist.angular = Vector3(2.0, -1.0, 3.0);
    return body;
  }
  void step(double h) {
    SparseRows inertia;
    VectorX momentum, next = state.velocities;
    free_motion(model, state, {VectorX::Zero(6), {}}, h, inertia, momentum, next);
    state.poses[0] = advance_flying(model, state, 0, h, next);
    state.velocities = next;
  }
  Vector3 angular_momentum() const {
    return world_inertia(model.bodies[0], state.poses[0].rotation) *
           body_twist(model, state.velocities, 0).angular;
  }

  Model model;
  State state;
};

TEST(AdvanceFlying, a_free_top_keeps_its_energy_and_the_size_of_its_angular_momentum) {
  Top top;
  const double kinetic = energy(top.model, top.state).kinetic;
  const double momentum = top.angular_momentum().norm();
  for (int i = 0; i < 200; ++i) top.step(0.01);
  EXPECT_NEAR(energy(top.model, top.state).kinetic / kinetic, 1.0, 1e-13);
  EXPECT_NEAR(top.angular_momentum().norm() / momentum, 1.0, 1e-13);
}

TEST(AdvanceFlying, a_free_top_keeps_the_direction_of_its_angular_momentum_to_second_order) {
  const auto error = [](int steps) {
    Top top;
    const Vector3 before = top.angular_momentum();
    for (int i = 0; i < steps; ++i) top.step(1.0 / steps);
    return (top.angular_momentum() - before).norm() / before.norm();
  };
  const double coarse = error(100), fine = error(200);
  EXPECT_LT(coarse, 1e-3);
  EXPECT_NEAR(std::log2(coarse / fine), 2.0, 0.05);
}

TEST(AdvanceFlying, a_ball_keeps_its_spin) {
  Body ball = Top::body();
  ball.mass.inertia = 0.4 * Matrix3::Identity();
  const Model model = example_model({ball});
  const State state = initial_state(model);
  VectorX next = state.velocities;
  const Pose end = advance_flying(model, state, 0, 0.5, next);
  EXPECT_LT((next - state.velocities).norm(), 1e-14);
  const Quaternion turned = exponential(0.5 * ball.initial_twist.angular);
  EXPECT_NEAR(std::abs(turned.dot(end.rotation)), 1.0, 1e-14);
}

TEST(AdvanceFlying, a_prescribed_rotation_is_not_turned) {
  Body driven = Top::body();
  for (const int coordinate : {3, 4, 5}) drive(driven, coordinate, true, "0.1*t");
  const Model model = example_model({driven});
  const State state = initial_state(model);
  VectorX next = state.velocities;
  next.tail<3>() << 0.5, 0.6, 0.7;
  const VectorX given = next;
  advance_flying(model, state, 0, 0.1, next);
  EXPECT_EQ(next, given);
}

}  // namespace
}  // namespace vinci
