// SPDX-License-Identifier: Apache-2.0
// Velocity product, pose advance and contact frames.
#include "vinci/formulation/free_motion.h"

#include <random>

#include <gtest/gtest.h>

#include "vinci/formulation/contact_frame.h"

namespace vinci {
namespace {

TEST(GyroscopicUpdate, keeps_energy_and_momentum_norm_for_random_bodies) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> moment(0.1, 1.0), speed(-20.0, 20.0);
  for (int i = 0; i < 1000; ++i) {
    // Moments that a mass distribution can have: each at most the sum of the others.
    const double a = moment(random), b = moment(random), c = moment(random);
    const Matrix3 inertia = Vector3(b + c, a + c, a + b).asDiagonal();
    const Vector3 omega(speed(random), speed(random), speed(random));
    // Up to 17 rad a step.
    const Vector3 next = gyroscopic_update(inertia, omega, i % 2 == 0 ? 0.01 : 0.5);
    const double kinetic = omega.dot(inertia * omega);
    EXPECT_NEAR(next.dot(inertia * next), kinetic, 1e-12 * kinetic);
    EXPECT_NEAR((inertia * next).norm(), (inertia * omega).norm(),
                1e-12 * (inertia * omega).norm());
  }
}

TEST(GyroscopicUpdate, agrees_with_euler_equation_to_second_order) {
  const Matrix3 inertia = Vector3(1.0, 2.0, 3.0).asDiagonal();
  const Vector3 omega(0.3, 1.0, 0.2);
  const Vector3 rate = -inertia.inverse() * omega.cross(inertia * omega);
  double last = 0.0;
  for (const double h : {1e-2, 5e-3, 2.5e-3}) {
    const double error = (gyroscopic_update(inertia, omega, h) - omega - h * rate).norm();
    if (last > 0.0) {
      EXPECT_NEAR(last / error, 4.0, 0.2);
    }
    last = error;
  }
}

TEST(Advanced, center_of_mass_moves_straight_and_rotation_is_the_exponential) {
  Body body;
  body.mass.center = Vector3(0.3, -0.2, 0.1);
  const Pose pose{Vector3(1, 2, 3), exponential(Vector3(0.1, 0.2, 0.3))};
  const Twist twist{Vector3(1, -1, 0.5), Vector3(2, 0, -1)};
  const Pose next = advanced(body, pose, twist, 0.1);
  const Vector3 moved = next * body.mass.center - pose * body.mass.center;
  EXPECT_LT((moved - 0.1 * twist.linear).norm(), 1e-15);
  EXPECT_NEAR(next.rotation.norm(), 1.0, 1e-15);
  const Quaternion turned = next.rotation * pose.rotation.conjugate();
  EXPECT_NEAR(2.0 * std::acos(turned.w()), 0.1 * twist.angular.norm(), 1e-12);
}

TEST(Advanced, a_body_at_rest_keeps_its_position_to_the_bit) {
  Body body;
  body.mass.center = Vector3(0.3, -0.2, 0.1);
  Pose pose{Vector3(0.1, 0.2, 0.3), exponential(Vector3(0.5, -0.7, 0.2))};
  const Vector3 start = pose.position;
  for (int i = 0; i < 1000; ++i) pose = advanced(body, pose, Twist{}, 1e-3);
  EXPECT_EQ(pose.position, start);
}

TEST(ContactFrame, is_right_handed_orthonormal_for_every_normal) {
  std::mt19937_64 random(2);
  std::normal_distribution<double> gauss;
  for (int i = 0; i < 10000; ++i) {
    const Vector3 n = Vector3(gauss(random), gauss(random), gauss(random)).normalized();
    const ContactFrame f = contact_frame(World::spatial, n);
    EXPECT_NEAR(f.tangent_1.dot(n), 0.0, 1e-15);
    EXPECT_NEAR(f.tangent_1.norm(), 1.0, 1e-15);
    EXPECT_LT((n.cross(f.tangent_1) - f.tangent_2).norm(), 1e-15);
  }
}

TEST(ContactFrame, on_a_floor_tangents_are_the_world_axes) {
  const ContactFrame f = contact_frame(World::spatial, Vector3::UnitZ());
  EXPECT_EQ(f.tangent_1, Vector3(Vector3::UnitX()));
  EXPECT_EQ(f.tangent_2, Vector3(Vector3::UnitY()));
  const ContactFrame planar = contact_frame(World::planar, Vector3::UnitY());
  EXPECT_EQ(planar.tangent_1, Vector3(-Vector3::UnitX()));
}

}  // namespace
}  // namespace vinci
