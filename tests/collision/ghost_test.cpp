// SPDX-License-Identifier: Apache-2.0
// What must not be there: contacts from the cuts between convex pieces, from collinear vertices and
// from the far side of corners; and what must: patches, corners with two walls, lasting keys.
#include <gtest/gtest.h>

#include "planar_helpers.h"

namespace vinci::planar_tests {
namespace {

// Floors whose top is y = 0 from x = −2 to 2.
Polygon plain_floor() {
  return make_polygon(Points{{-2, -1}, {2, -1}, {2, 0}, {-2, 0}});
}
Polygon floor_with_collinear_vertices() {
  Points points{{-2, -1}, {2, -1}};
  for (int i = 0; i <= 40; ++i) points.emplace_back(2.0 - 0.1 * i, 0.0);
  return make_polygon(points);
}
// Notches below split it into pieces whose cuts end at collinear vertices of the top.
Polygon floor_of_many_pieces() {
  Points points;
  for (int i = 0; i < 10; ++i) {
    const double x = -2.0 + 0.4 * i;
    points.emplace_back(x, -1.0);
    points.emplace_back(x + 0.2, -0.3);
  }
  points.emplace_back(2.0, -1.0);
  for (int i = 0; i <= 16; ++i) points.emplace_back(2.0 - 0.25 * i, 0.0);
  return make_polygon(points);
}

TEST(Ghosts, box_on_a_divided_floor_sees_the_constraints_of_a_plain_one) {
  const Polygon box = rectangle(0.37, 0.2), plain = plain_floor();
  ASSERT_GT(floor_of_many_pieces().pieces.size(), 5u);
  for (const Polygon& floor : {floor_with_collinear_vertices(), floor_of_many_pieces()})
    for (const double depth : {-1e-3, 0.0, 1e-9, 1e-6, 1e-4, 1e-3})
      for (const double tilt : {0.0, 1e-7, -1e-4})
        for (int i = 0; i < 400; ++i) {
          const Pose at = planar_pose(-1.5 + 3.0 * i / 400.0, 0.1 - depth, tilt);
          const Contacts expected = contacts_of(box, at, plain, Pose{}, 2e-3);
          const Contacts found = contacts_of(box, at, floor, Pose{}, 2e-3);
          ASSERT_EQ(found.size(), 2u) << depth << " " << at.position.x();
          ASSERT_EQ(expected.size(), 2u);
          for (int k = 0; k < 2; ++k) {
            EXPECT_EQ(found[k].feature_a, expected[k].feature_a);
            EXPECT_NEAR(found[k].gap, expected[k].gap, 1e-15);
            EXPECT_LT((found[k].normal - Vector3(0, -1, 0)).norm(), 1e-15);
          }
        }
}

TEST(Ghosts, box_exactly_at_the_joints_keeps_both_corners) {
  const Polygon box = rectangle(0.5, 0.2);  // corners land on the vertices 0.25 apart
  for (const double depth : {-1e-6, 0.0, 1e-6, 1e-3})
    for (int i = -5; i <= 5; ++i) {
      const Contacts found = contacts_of(floor_of_many_pieces(), Pose{}, box,
                                         planar_pose(0.25 * i, 0.1 - depth, 0.0), 1e-3);
      ASSERT_EQ(found.size(), 2u);
      for (const ContactPoint& contact : found) EXPECT_EQ(contact.normal, Vector3(0, 1, 0));
    }
}

TEST(Ghosts, keys_do_not_change_while_a_box_slides_over_joints) {
  const Polygon box = rectangle(0.37, 0.2), floor = floor_of_many_pieces();
  const Contacts first = contacts_of(box, planar_pose(-1.5, 0.1, 0.0), floor, Pose{}, 1e-3);
  ASSERT_EQ(first.size(), 2u);
  for (int i = 0; i < 1000; ++i) {
    const Contacts now = contacts_of(
        box, planar_pose(-1.5 + 0.003 * i, 0.1 + 1e-7 * std::sin(i), 1e-8 * std::cos(i)), floor,
        Pose{}, 1e-3);
    ASSERT_EQ(now.size(), 2u);
    for (int k = 0; k < 2; ++k) {
      EXPECT_EQ(now[k].feature_a, first[k].feature_a);
      EXPECT_EQ(now[k].feature_b, first[k].feature_b);
    }
  }
}

TEST(Ghosts, circle_rolls_over_joints_with_one_upward_contact) {
  for (const double depth : {-1e-4, 0.0, 1e-6, 1e-3})
    for (int i = 0; i < 500; ++i) {
      const Contacts found = contacts_of(floor_of_many_pieces(), Pose{}, Circle{0.3},
                                         planar_pose(-1.9 + 0.0076 * i, 0.3 - depth, 0.0), 1e-3);
      ASSERT_EQ(found.size(), 1u);
      EXPECT_NEAR(found[0].gap, -depth, 1e-15);
      EXPECT_EQ(found[0].normal, Vector3(0, 1, 0));
    }
}

TEST(Ghosts, two_divided_bodies_meet_like_two_plain_ones) {
  // Both faces are cut: a slab with notches on its upper side, turned over, on the notched floor.
  const Polygon floor = floor_of_many_pieces();
  Points upper;
  for (const Vector2& v : floor.vertices) upper.emplace_back(0.4 * v.x(), -0.4 * v.y());
  const Polygon slab = make_polygon(upper);
  for (const double depth : {-1e-6, 0.0, 1e-6, 1e-3})
    for (int i = 0; i < 200; ++i) {
      const Contacts found =
          contacts_of(slab, planar_pose(-1.0 + 0.01 * i, -depth, 0.0), floor, Pose{}, 1e-2);
      ASSERT_EQ(found.size(), 2u);
      for (const ContactPoint& contact : found) {
        EXPECT_NEAR(contact.gap, -depth, 1e-15);
        EXPECT_LT((contact.normal - Vector3(0, -1, 0)).norm(), 1e-15);
      }
    }
}

TEST(Ghosts, box_beside_a_corner_is_not_stopped_by_the_face_around_it) {
  const Polygon box = rectangle(0.2, 0.2), block = rectangle(1.0, 1.0);
  // Beside the block's right face, its lower edge above the top: free to fall past the corner.
  const Contacts beside = contacts_of(box, planar_pose(0.6 + 1e-3, 0.65, 0.0), block, Pose{}, 0.2);
  ASSERT_FALSE(beside.empty());
  for (const ContactPoint& contact : beside) EXPECT_LT(contact.normal.x(), 0.0);
  // Overhanging at rest, also slightly sunk: supported from below only.
  for (const double depth : {0.0, 1e-12, 1e-9, 1e-6, 1e-4})
    for (const double tilt : {0.0, 1e-8, -1e-8, 1e-5, -1e-5})
      for (const ContactPoint& contact :
           contacts_of(box, planar_pose(0.53, 0.6 - depth, tilt), block, Pose{}, 0.15))
        EXPECT_LT(contact.normal.y(), -0.999);
}

TEST(Ghosts, barely_supported_box_is_held_from_below) {
  const Polygon box = rectangle(0.2, 0.2), block = rectangle(1.0, 1.0);
  const Contacts found =
      contacts_of(box, planar_pose(0.6 - 1e-4, 0.6 - 1e-6, 0.0), block, Pose{}, 1e-3);
  ASSERT_EQ(found.size(), 2u);
  for (const ContactPoint& contact : found) {
    EXPECT_NEAR(contact.gap, -1e-6, 1e-15);
    EXPECT_LT((contact.normal - Vector3(0, -1, 0)).norm(), 1e-15);
  }
}

TEST(Ghosts, corners_of_blocks_in_a_regular_wall_do_not_block_sliding) {
  const Polygon box = rectangle(0.2, 0.2);
  for (const double offset : {0.0, 1e-13, -1e-13, 1e-11})
    for (const auto& [dx, dy] : {std::pair(0.2, 0.2), std::pair(-0.2, 0.2)}) {
      const Contacts found =
          contacts_of(box, Pose{}, box, planar_pose(dx + offset, dy - offset, 0.0), 1e-3);
      ASSERT_FALSE(found.empty());
      for (const ContactPoint& contact : found) EXPECT_GT(contact.normal.y(), 0.999);
    }
}

TEST(Patches, aligned_stack_has_one_contact_at_each_end_with_lasting_keys) {
  const Polygon box = rectangle(0.4, 0.2);
  Contacts first;
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> noise(-1e-11, 1e-11);
  for (int i = 0; i < 200; ++i) {
    const Contacts now = contacts_of(
        box, Pose{}, box, planar_pose(noise(random), 0.2 + noise(random), noise(random)), 1e-3);
    ASSERT_EQ(now.size(), 2u);
    if (i == 0) first = now;
    for (int k = 0; k < 2; ++k) {
      EXPECT_EQ(now[k].feature_a, first[k].feature_a);
      EXPECT_EQ(now[k].feature_b, first[k].feature_b);
      EXPECT_NEAR(std::abs(now[k].point_a.x()), 0.2, 1e-10);
    }
  }
}

TEST(Patches, shifted_stack_has_the_ends_of_the_overlap) {
  const Polygon lower = rectangle(0.4, 0.2), upper = rectangle(0.3, 0.2);
  const Contacts found = contacts_of(lower, Pose{}, upper, planar_pose(0.2, 0.2, 0.0), 1e-3);
  ASSERT_EQ(found.size(), 2u);
  std::vector<double> ends{found[0].point_a.x(), found[1].point_a.x()};
  std::sort(ends.begin(), ends.end());
  EXPECT_NEAR(ends[0], 0.05, 1e-15);
  EXPECT_NEAR(ends[1], 0.2, 1e-15);
}

TEST(Patches, wheel_of_short_edges_shows_every_corner_near_the_floor) {
  Points rim;
  const int n = 200;
  for (int i = 0; i < n; ++i)
    rim.emplace_back(std::cos(2.0 * std::numbers::pi * i / n),
                     std::sin(2.0 * std::numbers::pi * i / n));
  const Polygon wheel = make_polygon(rim);
  const Pose at = planar_pose(0.0, 1.0, 0.1);
  const double margin = 0.02;
  std::size_t expected = 0;
  for (const Vector2& v : placed(wheel, at)) expected += v.y() <= margin;
  EXPECT_GT(expected, 10u);
  EXPECT_EQ(contacts_of(plain_floor(), Pose{}, wheel, at, margin).size(), expected);
  // Two wheels: corners of each against edges of the other.
  EXPECT_GT(contacts_of(wheel, planar_pose(0.0, 0.0, 0.05), wheel, planar_pose(1.2, 1.6, 0.2), 0.02)
                .size(),
            10u);
}

TEST(Corners, corner_in_a_notch_touches_both_walls_also_when_sunk) {
  const Polygon notch = make_polygon(Points{{-1, -1}, {1, -1}, {1, 0}, {0, 0}, {0, 1}, {-1, 1}});
  const Polygon box = rectangle(0.2, 0.2);
  for (const double depth : {-1e-4, 0.0, 1e-12, 1e-9, 1e-6, 1e-3}) {
    const Contacts found =
        contacts_of(notch, Pose{}, box, planar_pose(0.1 - depth, 0.1 - depth, 0.0), 2e-3);
    ASSERT_EQ(found.size(), 4u) << depth;  // the corner twice, its neighbours once each
    int up = 0, right = 0;
    for (const ContactPoint& contact : found) {
      EXPECT_NEAR(contact.gap, -depth, 1e-15);
      up += contact.normal.y() > 0.999;
      right += contact.normal.x() > 0.999;
    }
    EXPECT_EQ(up, 2);
    EXPECT_EQ(right, 2);
  }
}

TEST(Corners, circle_in_a_notch_touches_both_walls) {
  const Polygon notch = make_polygon(Points{{-1, 1}, {-1, -1}, {1, -1}, {1, 1}, {0, 0}});
  const double r = 0.2;
  for (const double depth : {-1e-4, 0.0, 1e-6, 1e-2}) {
    const Contacts found = contacts_of(
        notch, Pose{}, Circle{r}, planar_pose(0.0, (r - depth) * std::numbers::sqrt2, 0.0), 1e-3);
    ASSERT_EQ(found.size(), 2u);
    for (const ContactPoint& contact : found) {
      EXPECT_NEAR(contact.gap, -depth, 1e-15);
      EXPECT_NEAR(contact.normal.y(), std::numbers::sqrt2 / 2.0, 1e-15);
    }
  }
}

TEST(Corners, far_side_of_a_thin_wall_is_not_felt) {
  // A wall 1 mm thick; the floor is at 0 on its right and 1 cm lower on its left, where the box
  // hovers with its lower edge just above the level of the right floor.
  const Polygon floor = make_polygon(
      Points{{-1, -1}, {1, -1}, {1, 0}, {0.001, 0}, {0.001, 1}, {0, 1}, {0, -0.01}, {-1, -0.01}});
  const Contacts found =
      contacts_of(rectangle(0.2, 0.2), planar_pose(-0.1, 0.1001, 0.0), floor, Pose{}, 0.05);
  ASSERT_EQ(found.size(), 4u);
  for (const ContactPoint& contact : found)
    EXPECT_NEAR(contact.gap, contact.normal.y() < -0.5 ? 0.0101 : 0.0, 1e-15);
}

// A cup leans with its side against a thick wall and has sunk in by micrometres, one end deeper
// than the other. The pieces into which the cup is cut end within its side; none of them is pushed
// out through the far side of the wall.
TEST(Corners, side_that_is_cut_into_pieces_leaves_by_the_face_that_it_lies_on) {
  const Polygon wall = rectangle(0.3, 2.0);
  const Polygon cup = make_polygon(Points{{-0.015, -0.018},
                                          {0.015, -0.018},
                                          {0.015, 0.018},
                                          {0.0125, 0.018},
                                          {0.0125, -0.001},
                                          {-0.0125, -0.001},
                                          {-0.0125, 0.018},
                                          {-0.015, 0.018}});
  for (const double depth : {1e-7, 1e-5, 1e-4})
    for (const double turn : {-2e-3, -1e-4, -1e-6, 0.0, 1e-6, 1e-4, 2e-3}) {
      const Contacts found =
          contacts_of(cup, planar_pose(-0.165 + depth, 0.1, turn), wall, Pose{}, 1e-3);
      ASSERT_EQ(found.size(), 2u) << depth << ' ' << turn;
      for (const ContactPoint& contact : found) {
        const double y = contact.feature_a == 3 ? -0.018 : 0.018;
        const double x = 0.015 * std::cos(turn) - y * std::sin(turn);
        EXPECT_NEAR(contact.gap, 0.015 - depth - x, 1e-15) << depth << ' ' << turn;
        EXPECT_NEAR(contact.normal.x(), 1.0, 1e-15);
      }
    }
}

TEST(Corners, deep_overlap_leaves_by_the_nearest_face) {
  const Contacts found = contacts_of(rectangle(1.0, 1.0), Pose{}, rectangle(0.2, 0.2),
                                     planar_pose(0.1, 0.3, 0.0), 0.0);
  ASSERT_EQ(found.size(), 2u);
  for (const ContactPoint& contact : found) {
    EXPECT_NEAR(contact.gap, -0.3, 1e-15);
    EXPECT_LT((contact.normal - Vector3(0, 1, 0)).norm(), 1e-15);
  }
}

}  // namespace
}  // namespace vinci::planar_tests
