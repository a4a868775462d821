// SPDX-License-Identifier: Apache-2.0
// Prescribed motion against closed forms and differences; applied forces.
#include "vinci/model/actuation.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/support/example_model.h"

namespace vinci {
namespace {

// A plate whose six coordinates are all prescribed, with its centre of mass off the frame.
Body shaken_plate() {
  Body body = example_body("plate", Freedom::spatial);
  body.mass.center = Vector3(0.2, -0.1, 0.05);
  drive(body, 0, true, "0.1*sin(3*t)");
  drive(body, 1, true, "0.2*t^2");
  drive(body, 2, true, "exp(-t)");
  drive(body, 3, true, "0.4*sin(2*t)");
  drive(body, 4, true, "0.3*cos(t)");
  drive(body, 5, true, "0.5*t^2 + 1");
  return body;
}

Pose placed(const Body& body, double time) {
  Pose pose = body.initial_pose;
  place_prescribed(body, time, pose);
  return pose;
}

Matrix3 about(int axis, double angle) {
  return Eigen::AngleAxisd(angle, Vector3::Unit(axis)).toRotationMatrix();
}

TEST(Actuation, prescribed_coordinate_has_exact_derivatives) {
  const Jet x = prescribed_coordinate(shaken_plate(), 0, 0.7);
  EXPECT_DOUBLE_EQ(x.value, 0.1 * std::sin(2.1));
  EXPECT_DOUBLE_EQ(x.first, 0.3 * std::cos(2.1));
  EXPECT_DOUBLE_EQ(x.second, -0.9 * std::sin(2.1));
}

TEST(Actuation, prescribed_rotation_is_yaw_after_pitch_after_roll) {
  const Body body = shaken_plate();
  for (double t : {0.0, 0.3, 1.1, 2.7}) {
    const Pose pose = placed(body, t);
    const Matrix3 expected = about(2, 0.5 * t * t + 1.0) * about(1, 0.3 * std::cos(t)) *
                             about(0, 0.4 * std::sin(2.0 * t));
    EXPECT_LT((pose.rotation.toRotationMatrix() - expected).norm(), 1e-15 * 10) << t;
    EXPECT_NEAR(pose.rotation.norm(), 1.0, 1e-15);
    EXPECT_DOUBLE_EQ(pose.position.y(), 0.2 * t * t);
  }
}

// ω from the product rule on Rz Ry Rx, as a sum of matrices Ṙ Rᵀ: another route than the code's.
Vector3 angular_velocity_by_product_rule(double t) {
  const double yaw = 0.5 * t * t + 1.0, pitch = 0.3 * std::cos(t), roll = 0.4 * std::sin(2.0 * t);
  const double rates[] = {0.8 * std::cos(2.0 * t), -0.3 * std::sin(t), t};
  auto slope = [](int axis, double angle) {
    Matrix3 cross = Matrix3::Zero();
    const int i = (axis + 1) % 3, j = (axis + 2) % 3;
    cross(i, j) = -1.0;
    cross(j, i) = 1.0;
    return Matrix3(cross * about(axis, angle));
  };
  const Matrix3 z = about(2, yaw), y = about(1, pitch), x = about(0, roll);
  const Matrix3 rate = rates[2] * slope(2, yaw) * y * x + rates[1] * z * slope(1, pitch) * x +
                       rates[0] * z * y * slope(0, roll);
  const Matrix3 spin = rate * (z * y * x).transpose();
  return {spin(2, 1), spin(0, 2), spin(1, 0)};
}

TEST(Actuation, prescribed_angular_velocity_is_exact) {
  const Model model = example_model({shaken_plate()});
  for (int i = 0; i < 50; ++i) {
    const double t = 0.07 * i, h = 1e-4;
    VectorX velocities = VectorX::Zero(6);
    prescribe_velocities(model, t, {placed(model.bodies[0], t)}, velocities);
    EXPECT_LT((velocities.tail<3>() - angular_velocity_by_product_rule(t)).norm(), 1e-13) << t;
    // Rotation vector from t − h to t + h over 2h: ω + O(h²).
    const Quaternion turn = placed(model.bodies[0], t + h).rotation *
                            placed(model.bodies[0], t - h).rotation.conjugate();
    const Eigen::AngleAxisd rotation(turn);
    EXPECT_LT((rotation.angle() * rotation.axis() / (2.0 * h) - velocities.tail<3>()).norm(), 1e-7);
  }
}

TEST(Actuation, prescribed_velocity_is_that_of_the_centre_of_mass) {
  const Model model = example_model({shaken_plate()});
  const Vector3 center = model.bodies[0].mass.center;
  for (int i = 0; i < 50; ++i) {
    const double t = 0.07 * i, h = 1e-3;
    const Pose pose = placed(model.bodies[0], t);
    VectorX velocities = VectorX::Zero(6);
    prescribe_velocities(model, t, {pose}, velocities);
    const Vector3 origin(0.3 * std::cos(3.0 * t), 0.4 * t, -std::exp(-t));
    const Vector3 exact =
        origin + angular_velocity_by_product_rule(t).cross(Vector3(pose.rotation * center));
    EXPECT_LT((velocities.head<3>() - exact).norm(), 1e-13);
    // Fourth-order central difference of the centre itself: h⁴ times fifth derivatives of up to 30.
    auto at = [&](double k) { return placed(model.bodies[0], t + k * h) * center; };
    const Vector3 difference = (8.0 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12.0 * h);
    EXPECT_LT((difference - velocities.head<3>()).norm(), 1e-9);
  }
}

TEST(Actuation, planar_body_turns_about_z_and_swings_its_centre) {
  Body body = example_body("pusher", Freedom::planar);
  body.mass.center = Vector3(0.5, 0.0, 0.0);
  drive(body, 0, true, "0.5 + 0.4*sin(t)");
  drive(body, 1, true, "t");
  drive(body, 5, true, "2*t");
  const Model model = example_model({body});
  const double t = 0.6;
  const Pose pose = placed(body, t);
  EXPECT_EQ(pose.rotation.coeffs(), rotation_about_z(1.2).coeffs());
  VectorX velocities = VectorX::Zero(3);
  prescribe_velocities(model, t, {pose}, velocities);
  EXPECT_NEAR(velocities[0], 0.4 * std::cos(t) - 2.0 * 0.5 * std::sin(1.2), 1e-15);
  EXPECT_NEAR(velocities[1], 1.0 + 2.0 * 0.5 * std::cos(1.2), 1e-15);
  EXPECT_EQ(velocities[2], 2.0);
}

TEST(Actuation, free_entries_and_coordinates_stay) {
  Body body = example_body("cart", Freedom::spatial);
  drive(body, 1, true, "3*t");
  body.initial_pose = {Vector3(1.0, 2.0, 3.0), exponential(Vector3(0.1, 0.2, 0.3))};
  const Model model = example_model({example_body("other", Freedom::planar), body});
  const Pose pose = placed(body, 0.5);
  EXPECT_EQ(pose.position, Vector3(1.0, 1.5, 3.0));
  EXPECT_EQ(pose.rotation.coeffs(), body.initial_pose.rotation.coeffs());
  VectorX velocities = VectorX::LinSpaced(9, 1.0, 9.0), expected = velocities;
  prescribe_velocities(model, 0.5, {Pose(), pose}, velocities);
  expected[4] = 3.0;
  EXPECT_EQ(velocities, expected);
}

TEST(Actuation, prescribed_rotation_keeps_the_centre_of_a_free_translation) {
  Body body = example_body("rotor", Freedom::spatial);
  body.mass.center = Vector3(0.3, 0.2, -0.1);
  drive(body, 0, true, "7 + t");
  for (int i = 3; i < 6; ++i) drive(body, i, true, "t");
  Pose pose{Vector3(1.0, 2.0, 3.0), exponential(Vector3(1.0, -1.0, 0.5))};
  const Vector3 before = pose * body.mass.center;
  place_prescribed(body, 0.4, pose);
  const Vector3 after = pose * body.mass.center;
  EXPECT_NEAR(after.y(), before.y(), 1e-15);
  EXPECT_NEAR(after.z(), before.z(), 1e-15);
  EXPECT_EQ(pose.position.x(), 7.4);
}

TEST(Actuation, fixed_body_is_left_alone) {
  Body body = example_body("wall", Freedom::fixed);
  Pose pose{Vector3(1.0, 2.0, 3.0), exponential(Vector3(1.0, -1.0, 0.5))};
  const Pose before = pose;
  place_prescribed(body, 2.0, pose);
  EXPECT_EQ(pose.position, before.position);
  EXPECT_EQ(pose.rotation.coeffs(), before.rotation.coeffs());
}

TEST(Actuation, forces_are_gravity_and_drives_of_time_position_and_velocity) {
  Body slider = example_body("slider", Freedom::planar);
  drive(slider, 0, false, "10*t - 3*q - 0.5*v");
  drive(slider, 5, false, "-2*q + v");
  Body drone = example_body("drone", Freedom::spatial);
  drive(drone, 2, false, "100*q");
  drive(drone, 4, false, "t*v");
  Model model = example_model({example_body("ground", Freedom::fixed), slider, drone});
  model.gravity = Vector3(0.5, -9.81, 2.0);
  State state = initial_state(model);
  state.time = 0.25;
  state.poses[1] = planar_pose(0.4, 0.7, -1.1);
  state.poses[2].position = Vector3(1.0, 2.0, 3.0);
  state.velocities << 4.0, 5.0, 6.0, 1.0, 2.0, 3.0, 7.0, 8.0, 9.0;
  VectorX forces;
  applied_forces(model, state, forces);
  VectorX expected(9);
  expected << 2.0 * 0.5 + 2.5 - 1.2 - 2.0, 2.0 * -9.81, 2.2 + 6.0,  // slider
      1.0, -19.62, 4.0 + 300.0, 0.0, 2.0, 0.0;                      // drone
  EXPECT_LT((forces - expected).norm(), 1e-14 * expected.norm());
}

TEST(Actuation, prescribed_entries_get_gravity_but_not_their_motion_as_force) {
  Body body = example_body("lift", Freedom::planar);
  drive(body, 1, true, "1000 + t");
  Model model = example_model({body});
  model.gravity = Vector3(0.0, -10.0, 0.0);
  VectorX forces;
  applied_forces(model, initial_state(model), forces);
  EXPECT_EQ(forces, Vector3(0.0, -20.0, 0.0));
}

TEST(Actuation, position_of_a_spatial_rotation_is_not_available) {
  Body body = example_body("top", Freedom::spatial);
  drive(body, 5, false, "-q");
  const Model model = example_model({body});
  VectorX forces;
  applied_forces(model, initial_state(model), forces);
  EXPECT_TRUE(std::isnan(forces[5]));
}

}  // namespace
}  // namespace vinci
