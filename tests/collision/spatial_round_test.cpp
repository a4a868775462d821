// SPDX-License-Identifier: Apache-2.0
// Capsules, cylinders and half-spaces in configurations with known contacts; degenerate
// coincidences; no allocation once settled.
#include <set>

#include <gtest/gtest.h>

#include "spatial_oracle.h"
#include "tests/support/allocations.h"

namespace vinci {
namespace {

using namespace oracle;  // the test's own helpers

const Shape plane = HalfSpace{};

TEST(SpatialRound, parallel_capsules_touch_at_the_ends_of_their_common_length) {
  const Shape capsule = Capsule{Vector3(1, 0, 0), 0.25};
  const auto contacts = collide(capsule, at(0, 0, 0), capsule, at(0.5, 0, 0.5), 0.01);
  ASSERT_EQ(contacts.size(), 2u);
  EXPECT_TRUE(has_point(contacts, Vector3(-0.5, 0, 0.25), 0.0));
  EXPECT_TRUE(has_point(contacts, Vector3(1, 0, 0.25), 0.0));
  for (const ContactPoint& c : contacts) {
    EXPECT_EQ(c.gap, 0.0);
    EXPECT_EQ(c.normal, Vector3(0, 0, 1));
  }
  EXPECT_EQ(collide(capsule, at(0, 0, 0), capsule, at(0, 0, 0.5), 0.01).size(), 2u);
  EXPECT_EQ(collide(capsule, at(0, 0, 0), capsule, at(2.5, 0, 0), 0.01).size(), 1u);
}

TEST(SpatialRound, nearly_parallel_capsules_keep_the_far_end_within_the_margin) {
  const Shape capsule = Capsule{Vector3(1, 0, 0), 0.25};
  const Pose tilted = at(0, 0, 0.505, about(Vector3::UnitY(), 0.005));
  const auto contacts = collide(capsule, at(0, 0, 0), capsule, tilted, 0.02);
  ASSERT_GE(contacts.size(), 2u);
  EXPECT_NEAR(least_gap(contacts), 0.005 - std::sin(0.005), 1e-7);
}

TEST(SpatialRound, crossed_capsules_touch_at_one_point) {
  const Shape capsule = Capsule{Vector3(1, 0, 0), 0.25};
  const auto contacts = collide(capsule, at(0, 0, 0), capsule,
                                at(0.5, 0.25, 0.5, about(Vector3::UnitZ(), M_PI / 2)), 0.01);
  ASSERT_EQ(contacts.size(), 1u);
  EXPECT_LT((contacts[0].point_a - Vector3(0.5, 0, 0.25)).norm(), 1e-15);
}

TEST(SpatialRound, capsule_lies_on_two_points_and_stands_on_one) {
  const Shape capsule = Capsule{Vector3(0.5, 0, 0), 0.25}, table = Box{Vector3(2, 2, 1)};
  for (const Shape& ground : {plane, table}) {
    const double top = std::holds_alternative<Box>(ground) ? 1.0 : 0.0;
    const auto lying = collide(ground, at(0, 0, 0), capsule, at(0, 0, top + 0.25), 0.01);
    ASSERT_EQ(lying.size(), 2u);
    EXPECT_TRUE(has_point(lying, Vector3(0.5, 0, top), 0.0));
    EXPECT_TRUE(has_point(lying, Vector3(-0.5, 0, top), 0.0));
    EXPECT_EQ(lying[0].gap, 0.0);
    const Quaternion upright = about(Vector3::UnitY(), M_PI / 2);
    EXPECT_EQ(collide(ground, at(0, 0, 0), capsule, at(0, 0, top + 0.75, upright), 0.01).size(),
              1u);
  }
  // Over the table's edge: the far contact is where the edge crosses.
  const auto over = collide(table, at(0, 0, 0), capsule, at(1.75, 0, 1.25), 0.01);
  ASSERT_EQ(over.size(), 2u);
  EXPECT_TRUE(has_point(over, Vector3(2, 0, 1), 1e-15));
}

TEST(SpatialRound, cylinder_stands_on_four_rim_points_and_lies_on_two) {
  const Shape cylinder = Cylinder{0.5, 0.25}, table = Box{Vector3(2, 2, 1)};
  for (const Shape& ground : {plane, table}) {
    const double top = std::holds_alternative<Box>(ground) ? 1.0 : 0.0;
    const auto standing = collide(ground, at(0, 0, 0), cylinder, at(0, 0, top + 0.25), 0.01);
    ASSERT_EQ(standing.size(), 4u);
    for (const double s : {-0.5, 0.5}) {
      EXPECT_TRUE(has_point(standing, Vector3(s, 0, top), 0.0));
      EXPECT_TRUE(has_point(standing, Vector3(0, s, top), 0.0));
    }
    for (const ContactPoint& c : standing) EXPECT_EQ(c.gap, 0.0);
    const Quaternion down = about(Vector3::UnitX(), M_PI / 2);
    const auto lying = collide(ground, at(0, 0, 0), cylinder, at(0, 0, top + 0.5, down), 0.01);
    ASSERT_EQ(lying.size(), 2u);
    for (const double s : {-0.25, 0.25}) EXPECT_TRUE(has_point(lying, Vector3(0, s, top), 1e-15));
  }
}

TEST(SpatialRound, tilted_cylinder_touches_with_its_deepest_rim_point) {
  const Shape cylinder = Cylinder{0.5, 0.25};
  for (const double angle : {1e-6, 1e-3, 0.1, 0.6, 1.0, 1.5}) {
    const Quaternion tilt = about(Vector3::UnitZ(), 0.3) * about(Vector3::UnitX(), angle);
    const double low = 0.25 * std::cos(angle) + 0.5 * std::sin(angle);
    const auto contacts = collide(plane, at(0, 0, 0), cylinder, at(1, 2, low + 1e-3, tilt), 0.002);
    ASSERT_FALSE(contacts.empty());
    EXPECT_NEAR(least_gap(contacts), 1e-3, 1e-15) << angle;
  }
}

TEST(SpatialRound, cylinder_over_a_table_edge_touches_where_rim_and_edge_cross) {
  const Shape cylinder = Cylinder{0.5, 0.25}, table = Box{Vector3(2, 2, 1)};
  const auto contacts = collide(table, at(0, 0, 0), cylinder, at(1.8, 0, 1.25), 0.01);
  const double half_chord = std::sqrt(0.25 - 0.04);
  EXPECT_TRUE(has_point(contacts, Vector3(2, half_chord, 1), 1e-14));
  EXPECT_TRUE(has_point(contacts, Vector3(2, -half_chord, 1), 1e-14));
  EXPECT_TRUE(has_point(contacts, Vector3(1.3, 0, 1), 1e-14));
  EXPECT_EQ(contacts.size(), 5u);  // and two rim points across
}

TEST(SpatialRound, cylinders_stacked_askew_touch_in_a_lens_with_rim_crossings) {
  const Shape cylinder = Cylinder{0.5, 0.25};
  EXPECT_EQ(collide(cylinder, at(0, 0, 0), cylinder, at(0, 0, 0.5), 0.01).size(), 4u);
  const auto contacts = collide(cylinder, at(0, 0, 0), cylinder, at(0.6, 0, 0.5), 0.01);
  EXPECT_TRUE(has_point(contacts, Vector3(0.3, 0.4, 0.25), 1e-9));
  EXPECT_TRUE(has_point(contacts, Vector3(0.3, -0.4, 0.25), 1e-9));
  EXPECT_TRUE(has_point(contacts, Vector3(0.5, 0, 0.25), 1e-14));
  EXPECT_TRUE(has_point(contacts, Vector3(0.1, 0, 0.25), 1e-14));
  EXPECT_EQ(contacts.size(), 4u);
}

TEST(SpatialRound, cylinders_side_by_side_touch_along_their_common_line) {
  const Shape cylinder = Cylinder{0.5, 0.25};
  const auto contacts = collide(cylinder, at(0, 0, 0), cylinder, at(0.6, 0.8, 0.125), 0.01);
  ASSERT_EQ(contacts.size(), 2u);
  EXPECT_TRUE(has_point(contacts, Vector3(0.3, 0.4, 0.25), 1e-15));
  EXPECT_TRUE(has_point(contacts, Vector3(0.3, 0.4, -0.125), 1e-15));
  EXPECT_NEAR(contacts[0].gap, 0.0, 1e-15);
}

TEST(SpatialRound, half_space_sees_the_deepest_point_of_every_shape_both_ways_round) {
  Random random(4);
  for (int i = 0; i < 2000; ++i) {
    const Shape shape = random_shape(i % kind_count, random);
    const Pose ground{unit_vector(random), rotation(random)};
    const Pose pose{unit_vector(random), rotation(random)};
    const Vector3 normal = ground.rotation * Vector3::UnitZ();
    const Solid solid(shape, pose);
    const double expected = -solid.support(-normal) - normal.dot(ground.position);
    const auto contacts = collide(plane, ground, shape, pose, 5.0);
    ASSERT_NEAR(least_gap(contacts), expected, 1e-14) << i;
    for (const ContactPoint& c : contacts) {
      ASSERT_NEAR(solid.level(c.point_b), 0.0, 1e-14) << i;
      ASSERT_NEAR(normal.dot(c.point_a - ground.position), 0.0, 1e-14);
      ASSERT_NEAR(c.gap, normal.dot(c.point_b - c.point_a), 1e-14);
    }
    const auto swapped = collide(shape, pose, plane, ground, 5.0);
    ASSERT_EQ(swapped.size(), contacts.size());
    for (std::size_t j = 0; j < contacts.size(); ++j) {
      EXPECT_EQ(swapped[j].feature_a, contacts[j].feature_b);
      EXPECT_LT((swapped[j].normal + contacts[j].normal).norm(), 1e-15);
    }
  }
}

TEST(SpatialRound, two_half_spaces_give_no_contact) {
  EXPECT_TRUE(collide(plane, at(0, 0, 0), plane, at(0, 0, 1), 10.0).empty());
}

TEST(SpatialRound, coincident_and_aligned_shapes_have_finite_unit_normals) {
  Random random(5);
  std::vector<Shape> shapes{
      Sphere{0.5},        Capsule{Vector3(0, 0, 0.5), 0.25},      Box{Vector3(0.5, 0.5, 0.5)},
      Cylinder{0.5, 0.5}, box_polyhedron(Vector3(0.5, 0.5, 0.5)), Capsule{Vector3::Zero(), 0.5}};
  for (int kind = 0; kind < kind_count; ++kind) shapes.push_back(random_shape(kind, random));
  const std::vector<double> offsets{0.0, 0.5, 1.0, -1.0, 1e-16, 1e-9, 1e-300};
  const std::vector<Quaternion> turns{
      Quaternion::Identity(), about(Vector3::UnitX(), M_PI / 2), about(Vector3::UnitY(), M_PI / 2),
      about(Vector3::UnitZ(), M_PI / 4), about(Vector3::UnitX(), 1e-9)};
  int cases = 0;
  for (const Shape& a : shapes)
    for (const Shape& b : shapes)
      for (const Quaternion& turn : turns)
        for (const double x : offsets)
          for (const double z : offsets) {
            const auto contacts = collide(a, at(0, 0, 0), b, at(x, 0, z, turn), 3.0);
            ASSERT_FALSE(contacts.empty()) << kind_of(a) << ' ' << kind_of(b) << ' ' << x << ' '
                                           << z << ' ' << turn.coeffs().transpose();
            for (const ContactPoint& c : contacts) {
              ASSERT_TRUE(c.point_a.allFinite() && c.point_b.allFinite());
              ASSERT_NEAR(c.normal.norm(), 1.0, 1e-14) << kind_of(a) << ' ' << kind_of(b);
            }
            if (++cases % 8 != 0) continue;  // the bound takes most of the time
            const double expected =
                sampled_gap(Solid(a, at(0, 0, 0)), Solid(b, at(x, 0, z, turn)), 50, random);
            ASSERT_GE(least_gap(contacts), expected - 1e-8)
                << kind_of(a) << ' ' << kind_of(b) << ' ' << x << ' ' << z;
          }
}

TEST(SpatialRound, concentric_shapes_report_the_shortest_way_out) {
  const Shape sphere = Sphere{0.5}, box = Box{Vector3(1, 2, 3)}, cylinder = Cylinder{1, 2};
  const Pose here = at(1, 1, 1);
  EXPECT_DOUBLE_EQ(least_gap(collide(sphere, here, sphere, here, 0)), -1.0);
  EXPECT_DOUBLE_EQ(least_gap(collide(box, here, sphere, here, 0)), -1.5);
  EXPECT_DOUBLE_EQ(least_gap(collide(box, here, box, here, 0)), -2.0);
  EXPECT_DOUBLE_EQ(least_gap(collide(cylinder, here, cylinder, here, 0)), -2.0);
  EXPECT_DOUBLE_EQ(least_gap(collide(cylinder, here, box, here, 0)), -2.0);
}

TEST(SpatialRound, a_pose_that_is_not_a_number_never_makes_such_a_contact) {
  Random random(7);
  std::vector<Shape> shapes{plane};
  for (int kind = 0; kind < kind_count; ++kind) shapes.push_back(random_shape(kind, random));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Shape& a : shapes)
    for (const Shape& b : shapes) {
      EXPECT_TRUE(collide(a, at(0, 0, 0), b, at(nan, 0, 0), 1.0).empty());
      // A sphere does not care how it is turned.
      for (const ContactPoint& c :
           collide(a, at(0, 0, 0), b, at(0.1, 0, 0, Quaternion(nan, nan, 0, 0)), 1.0))
        EXPECT_TRUE(c.point_a.allFinite() && c.point_b.allFinite() && c.normal.allFinite());
    }
}

TEST(SpatialRound, a_small_box_rests_on_a_huge_one_with_four_contacts) {
  const Shape ground = Box{Vector3(500, 500, 50)}, pebble = Box{Vector3(1e-3, 1e-3, 1e-3)};
  const auto contacts = collide(ground, at(0, 0, -50), pebble, at(300, -200, 1e-3), 1e-4);
  ASSERT_EQ(contacts.size(), 4u);
  for (const ContactPoint& c : contacts) EXPECT_NEAR(c.gap, 0.0, 1e-13);  // rounding of 50 m
}

TEST(SpatialRound, a_settled_workspace_allocates_nothing) {
  Random random(6);
  std::vector<Shape> shapes{plane};
  for (int i = 0; i < 20; ++i) shapes.push_back(random_shape(i % kind_count, random));
  std::vector<Pose> poses;
  for (int i = 0; i < 20; ++i) poses.push_back({0.7 * unit_vector(random), rotation(random)});
  SpatialWorkspace workspace;
  std::vector<ContactPoint> out;
  const auto sweep = [&] {
    for (const Shape& a : shapes)
      for (const Shape& b : shapes)
        for (std::size_t i = 1; i < poses.size(); ++i) {
          out.clear();
          collide_spatial({&a, poses[i - 1], &b, poses[i]}, 0.1, workspace, out);
        }
  };
  sweep();
  const std::size_t before = allocations();
  sweep();
  EXPECT_EQ(allocations(), before);
}

}  // namespace
}  // namespace vinci
