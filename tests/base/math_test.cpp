// SPDX-License-Identifier: Apache-2.0
// Poses, the exponential map, planar angles, regular polygons and the hash.
#include "vinci/base/math.h"

#include <random>

#include <gtest/gtest.h>

#include "vinci/base/hash.h"
#include "vinci/base/regular_polygon.h"

namespace vinci {
namespace {

Vector3 random_vector(std::mt19937_64& random, double size) {
  std::uniform_real_distribution<double> entry(-size, size);
  const double x = entry(random), y = entry(random), z = entry(random);
  return {x, y, z};
}

TEST(Pose, products_and_inverse_compose_as_maps) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 100; ++i) {
    const Pose a{random_vector(random, 2.0), exponential(random_vector(random, 3.0))};
    const Pose b{random_vector(random, 2.0), exponential(random_vector(random, 3.0))};
    const Vector3 point = random_vector(random, 2.0);
    EXPECT_LT(((a * b) * point - a * (b * point)).norm(), 1e-14);
    EXPECT_LT((a.inverse() * (a * point) - point).norm(), 1e-14);
    EXPECT_LT((a.to_local(a * point) - point).norm(), 1e-14);
  }
}

TEST(Exponential, equals_the_axis_angle_rotation_at_every_size) {
  std::mt19937_64 random(2);
  for (double size : {0.0, 1e-300, 1e-12, 0.99e-4, 1.01e-4, 1e-2, 1.0, 3.0, 20.0}) {
    const Vector3 axis = random_vector(random, 1.0).normalized();
    const Quaternion actual = exponential(size * axis);
    const Quaternion expected(Eigen::AngleAxisd(size, axis));
    EXPECT_LT((actual.coeffs() - expected.coeffs()).norm(), 1e-15 * (1.0 + size)) << size;
    EXPECT_NEAR(actual.norm(), 1.0, 1e-15);
  }
}

TEST(PlanarAngle, inverts_rotation_about_z_on_its_interval) {
  for (int i = -314; i <= 314; ++i)
    EXPECT_NEAR(planar_angle(rotation_about_z(0.01 * i)), 0.01 * i, 1e-15);
  // Whole turns do not show, nor does the sign of the quaternion.
  EXPECT_NEAR(planar_angle(rotation_about_z(1.0 + 6.0 * M_PI)), 1.0, 1e-14);
  const Quaternion q = rotation_about_z(1.0);
  EXPECT_NEAR(planar_angle(Quaternion(-q.w(), 0.0, 0.0, -q.z())), 1.0, 1e-15);
}

TEST(Twist, velocity_of_another_point_adds_omega_cross_arm) {
  const Twist twist{Vector3(1.0, 0.0, 0.0), Vector3(0.0, 0.0, 2.0)};
  EXPECT_EQ(twist.at(Vector3(3.0, 0.0, 0.0)), Vector3(1.0, 6.0, 0.0));
}

// Few sides, fine polygons that are kept, and numbers of sides that are not.
TEST(RegularPolygon, corners_lie_at_their_angles) {
  for (const int sides : {2, 3, 4, 7, 63, 64, 65, 96, 128, 256, 512, 1000, 1024, 2048})
    for (int j = 0; j < sides; ++j) {
      const Vector2 corner = polygon_corner(sides, j);
      const double angle = 2.0 * M_PI * j / sides;
      EXPECT_NEAR(corner.x(), std::cos(angle), 1e-15) << sides << " " << j;
      EXPECT_NEAR(corner.y(), std::sin(angle), 1e-15) << sides << " " << j;
      if (4 * j % sides == 0) {
        EXPECT_EQ(corner.lpNorm<1>(), 1.0) << sides << " " << j;
      }
    }
}

TEST(Hash, is_fnv_1a_in_64_bits) {
  // Reference values of the algorithm's authors for "", "a" and "foobar".
  auto of = [](const std::string& text) {
    Hash hash;
    hash.bytes(text.data(), text.size());
    return hash;
  };
  EXPECT_EQ(of("").value(), 0xcbf29ce484222325ULL);
  EXPECT_EQ(of("a").value(), 0xaf63dc4c8601ec8cULL);
  EXPECT_EQ(of("foobar").value(), 0x85944171f73967e8ULL);
  EXPECT_EQ(of("a").hex(), "af63dc4c8601ec8c");
}

}  // namespace
}  // namespace vinci
