// SPDX-License-Identifier: Apache-2.0
// Patches of contact points in configurations whose corners are known.
#include <set>

#include <gtest/gtest.h>

#include "spatial_oracle.h"

namespace vinci {
namespace {

using namespace oracle;  // the test's own helpers

using Keys = std::set<std::pair<std::uint32_t, std::uint32_t>>;
Keys keys_of(const std::vector<ContactPoint>& contacts) {
  Keys keys;
  for (const ContactPoint& c : contacts) keys.insert({c.feature_a, c.feature_b});
  return keys;
}

TEST(SpatialPatch, equal_boxes_stacked_touch_at_four_corners_exactly) {
  const Shape box = Box{Vector3(0.5, 0.25, 0.5)};
  for (const Shape& other : {box, Shape(box_polyhedron(Vector3(0.5, 0.25, 0.5)))}) {
    const auto contacts = collide(box, at(3, 4, 0.5), other, at(3, 4, 1.5), 1e-3);
    ASSERT_EQ(contacts.size(), 4u);
    EXPECT_EQ(keys_of(contacts).size(), 4u);
    for (const ContactPoint& c : contacts) {
      EXPECT_EQ(c.normal, Vector3(0, 0, 1));
      EXPECT_EQ(c.gap, 0.0);
      EXPECT_EQ(c.point_a, c.point_b);
      EXPECT_EQ(c.point_a.z(), 1.0);
      EXPECT_EQ(std::abs(c.point_a.x() - 3), 0.5);
      EXPECT_EQ(std::abs(c.point_a.y() - 4), 0.25);
    }
  }
}

TEST(SpatialPatch, aligned_boxes_give_the_corners_of_the_common_rectangle) {
  Random random(1);
  for (int i = 0; i < 2000; ++i) {
    const Vector3 ha(uniform(random, 0.1, 1), uniform(random, 0.1, 1), 0.3);
    const Vector3 hb(uniform(random, 0.1, 1), uniform(random, 0.1, 1), 0.2);
    const double x = uniform(random, -1, 1) * 0.95 * (ha.x() + hb.x());
    const double y = uniform(random, -1, 1) * 0.95 * (ha.y() + hb.y());
    const double gap = uniform(random, -0.004, 0.009);
    const auto contacts = collide(Box{ha}, at(0, 0, 0), Box{hb}, at(x, y, 0.5 + gap), 0.01);
    ASSERT_EQ(contacts.size(), 4u) << i;
    for (const double px : {std::max(-ha.x(), x - hb.x()), std::min(ha.x(), x + hb.x())})
      for (const double py : {std::max(-ha.y(), y - hb.y()), std::min(ha.y(), y + hb.y())})
        EXPECT_TRUE(has_point(contacts, Vector3(px, py, 0.3), 1e-14)) << i;
    for (const ContactPoint& c : contacts) EXPECT_NEAR(c.gap, gap, 1e-15);
  }
}

TEST(SpatialPatch, equal_cubes_turned_by_45_degrees_share_a_regular_octagon) {
  const Shape cube = Box{Vector3(0.5, 0.5, 0.5)};
  const auto contacts =
      collide(cube, at(0, 0, 0), cube, at(0, 0, 1, about(Vector3::UnitZ(), M_PI / 4)), 1e-3);
  ASSERT_EQ(contacts.size(), 8u);
  const double t = 0.5 * std::tan(M_PI / 8);
  for (const double s : {-1.0, 1.0})
    for (const double r : {-1.0, 1.0}) {
      EXPECT_TRUE(has_point(contacts, Vector3(0.5 * s, t * r, 0.5), 1e-15));
      EXPECT_TRUE(has_point(contacts, Vector3(t * r, 0.5 * s, 0.5), 1e-15));
    }
}

TEST(SpatialPatch, edge_on_face_touches_at_both_ends_and_corner_at_one_point) {
  const Shape cube = Box{Vector3(0.5, 0.5, 0.5)}, table = Box{Vector3(2, 2, 0.5)};
  const double half_diagonal = std::sqrt(0.5);
  const auto edge =
      collide(table, at(0, 0, 0), cube,
              at(0, 0, 0.5 + half_diagonal + 1e-4, about(Vector3::UnitY(), M_PI / 4)), 1e-3);
  ASSERT_EQ(edge.size(), 2u);
  EXPECT_TRUE(has_point(edge, Vector3(0, 0.5, 0.5), 1e-15));
  EXPECT_TRUE(has_point(edge, Vector3(0, -0.5, 0.5), 1e-15));
  const Quaternion onto_corner =  // the space diagonal stands upright
      about(Vector3(1, -1, 0).normalized(), std::acos(1.0 / std::sqrt(3.0)));
  const auto corner =
      collide(table, at(0, 0, 0), cube, at(0, 0, 0.5 + std::sqrt(0.75), onto_corner), 1e-3);
  ASSERT_EQ(corner.size(), 1u);
  EXPECT_NEAR(corner[0].gap, 0.0, 1e-15);
  EXPECT_EQ(corner[0].normal, Vector3(0, 0, 1));
}

TEST(SpatialPatch, crossing_edges_touch_at_one_point_between_them) {
  const Shape cube = Box{Vector3(0.5, 0.5, 0.5)};
  const double half_diagonal = std::sqrt(0.5);
  const auto contacts =
      collide(cube, at(0, 0, 0, about(Vector3::UnitX(), M_PI / 4)), cube,
              at(0.1, 0.2, 2 * half_diagonal - 1e-3, about(Vector3::UnitY(), M_PI / 4)), 1e-3);
  ASSERT_EQ(contacts.size(), 1u);
  EXPECT_NEAR(contacts[0].gap, -1e-3, 1e-15);
  EXPECT_LT((contacts[0].normal - Vector3::UnitZ()).norm(), 1e-15);
  EXPECT_LT((contacts[0].point_a - Vector3(0.1, 0, half_diagonal)).norm(), 1e-15);
  EXPECT_LT((contacts[0].point_b - Vector3(0.1, 0, half_diagonal - 1e-3)).norm(), 1e-15);
}

TEST(SpatialPatch, parallel_edges_outside_each_others_faces_touch_at_two_points) {
  const Shape cube = Box{Vector3(0.5, 0.5, 0.5)};
  const auto contacts = collide(cube, at(0, 0, 0), cube, at(1.03, 0.25, 1.04), 0.1);
  ASSERT_EQ(contacts.size(), 2u);
  for (const ContactPoint& c : contacts) {
    EXPECT_NEAR(c.gap, 0.05, 1e-15);
    EXPECT_LT((c.normal - Vector3(0.6, 0, 0.8)).norm(), 1e-14);
  }
  EXPECT_TRUE(has_point(contacts, Vector3(0.5, 0.5, 0.5), 1e-15));
  EXPECT_TRUE(has_point(contacts, Vector3(0.5, -0.25, 0.5), 1e-15));
}

TEST(SpatialPatch, keys_of_a_resting_stack_survive_noise_far_above_rounding) {
  const Shape cube = Box{Vector3(0.5, 0.5, 0.5)};
  Random random(2);
  const Keys keys = keys_of(collide(cube, at(0, 0, 0), cube, at(0, 0, 1), 1e-3));
  for (int i = 0; i < 2000; ++i) {
    const Pose below{1e-10 * unit_vector(random), exponential(1e-10 * unit_vector(random))};
    const Pose above{Vector3(0, 0, 1) + 1e-10 * unit_vector(random),
                     exponential(1e-10 * unit_vector(random))};
    ASSERT_EQ(keys_of(collide(cube, below, cube, above, 1e-3)), keys) << i;
  }
}

TEST(SpatialPatch, keys_of_a_sliding_box_change_only_where_a_corner_passes_an_edge) {
  const Shape cube = Box{Vector3(0.5, 0.5, 0.5)}, table = Box{Vector3(1, 1, 0.5)};
  Random random(3);
  Keys last;
  int changes = 0;
  for (int i = 0; i < 4000; ++i) {
    const double x = 2.5e-4 * i;  // the leading corners pass the table's edge at x = 0.5
    const Pose pose{Vector3(x, 0.1, 1) + 1e-9 * unit_vector(random),
                    exponential(Vector3(0, 0, 0.2) + 1e-9 * unit_vector(random))};
    const auto contacts = collide(table, at(0, 0, 0), cube, pose, 1e-3);
    const Keys keys = keys_of(contacts);
    ASSERT_EQ(keys.size(), contacts.size());
    changes += i > 0 && keys != last;
    last = keys;
  }
  EXPECT_EQ(changes, 2);  // the two leading corners, one after the other
}

TEST(SpatialPatch, witnesses_on_a_tilted_box_include_every_corner_within_the_margin) {
  const Shape cube = Box{Vector3(0.5, 0.5, 0.5)}, table = Box{Vector3(2, 2, 0.5)};
  const Quaternion tilt = about(Vector3::UnitY(), 0.01);
  const double low = 0.5 * (std::cos(0.01) + std::sin(0.01));
  EXPECT_EQ(collide(table, at(0, 0, 0), cube, at(0, 0, 0.5 + low, tilt), 0.02).size(), 4u);
  EXPECT_EQ(collide(table, at(0, 0, 0), cube, at(0, 0, 0.5 + low, tilt), 0.005).size(), 2u);
}

TEST(SpatialPatch, polygon_faces_with_many_corners_keep_them_all) {
  std::vector<Vector3> points;
  for (int i = 0; i < 20; ++i)
    for (const double z : {-0.5, 0.5})
      points.emplace_back(std::cos(0.1 * M_PI * i), std::sin(0.1 * M_PI * i), z);
  const Shape prism = convex_hull(points), table = Box{Vector3(2, 2, 0.5)};
  EXPECT_EQ(collide(table, at(0, 0, 0), prism, at(0, 0, 1), 1e-3).size(), 20u);
  EXPECT_EQ(collide(prism, at(0, 0, 1), prism, at(0, 0, 2), 1e-3).size(), 20u);
  const auto turned =
      collide(prism, at(0, 0, 0), prism, at(0, 0, 1, about(Vector3::UnitZ(), 0.05 * M_PI)), 1e-3);
  EXPECT_EQ(turned.size(), 40u);
  for (const ContactPoint& c : turned)
    EXPECT_NEAR(c.point_a.head<2>().norm(), std::cos(0.05 * M_PI) / std::cos(0.025 * M_PI), 1e-14);
}

}  // namespace
}  // namespace vinci
