// SPDX-License-Identifier: Apache-2.0
// The planar narrow phase against brute force over random pairs.
#include <gtest/gtest.h>

#include "planar_helpers.h"

namespace vinci::planar_tests {
namespace {

constexpr double rounding = 1e-12;  // m, shapes of about 1 m

void expect_consistent(const Contacts& contacts, double margin) {
  for (const ContactPoint& c : contacts) {
    EXPECT_LE(c.gap, margin);
    EXPECT_NEAR(c.normal.norm(), 1.0, 1e-14);
    EXPECT_NEAR(c.gap, c.normal.dot(c.point_b - c.point_a), 1e-15);
    // The line between the witness points is along the normal.
    EXPECT_LT((c.point_b - c.point_a - c.gap * c.normal).norm(), rounding);
  }
  for (std::size_t i = 1; i < contacts.size(); ++i)
    EXPECT_LT(std::pair(contacts[i - 1].feature_a, contacts[i - 1].feature_b),
              std::pair(contacts[i].feature_a, contacts[i].feature_b));
}

TEST(PlanarPairs, least_gap_of_convex_polygons_is_the_signed_distance) {
  std::mt19937_64 random(1);
  int apart = 0, overlapping = 0;
  for (int trial = 0; trial < 20'000; ++trial) {
    const Polygon a = random_convex(random, 3 + trial % 9),
                  b = random_convex(random, 3 + trial % 7);
    const Pose pose_a = random_pose(random, 1.0), pose_b = random_pose(random, 1.0);
    const double margin = trial % 2 ? 0.5 : 0.02;
    const double expected = convex_distance(placed(a, pose_a), placed(b, pose_b));
    const Contacts contacts = contacts_of(a, pose_a, b, pose_b, margin);
    expect_consistent(contacts, margin);
    if (expected > margin) {
      EXPECT_TRUE(contacts.empty());
      continue;
    }
    ASSERT_NEAR(least_gap(contacts), expected, rounding) << trial;
    (expected > 0.0 ? apart : overlapping) += 1;
  }
  EXPECT_GT(apart, 1'000);
  EXPECT_GT(overlapping, 1'000);
}

TEST(PlanarPairs, least_gap_of_concave_polygons_is_their_distance) {
  std::mt19937_64 random(2);
  int compared = 0;
  for (int trial = 0; trial < 8'000; ++trial) {
    const Polygon a = random_star(random, 4 + trial % 12), b = random_star(random, 4 + trial % 9);
    const Pose pose_a = random_pose(random, 1.2), pose_b = random_pose(random, 1.2);
    const Points p = placed(a, pose_a), q = placed(b, pose_b);
    if (outlines_cross(p, q)) continue;
    const double margin = trial % 2 ? 0.3 : 0.05, expected = outline_distance(p, q);
    const Contacts contacts = contacts_of(a, pose_a, b, pose_b, margin);
    expect_consistent(contacts, margin);
    if (expected > margin) {
      EXPECT_TRUE(contacts.empty());
      continue;
    }
    ASSERT_NEAR(least_gap(contacts), expected, rounding) << trial;
    ++compared;
  }
  EXPECT_GT(compared, 500);
}

TEST(PlanarPairs, witness_points_of_concave_polygons_lie_on_their_outlines) {
  std::mt19937_64 random(3);
  int seen = 0;
  for (int trial = 0; trial < 3'000; ++trial) {
    const Polygon a = random_star(random, 9), b = random_star(random, 7);
    const Pose pose_a = random_pose(random, 1.2), pose_b = random_pose(random, 1.2);
    const Points p = placed(a, pose_a), q = placed(b, pose_b);
    if (outlines_cross(p, q)) continue;
    for (const ContactPoint& c : contacts_of(a, pose_a, b, pose_b, 0.3)) {
      EXPECT_LT(distance_to_outline(c.point_a.head<2>(), p), 1e-8);
      EXPECT_LT(distance_to_outline(c.point_b.head<2>(), q), 1e-8);
      ++seen;
    }
  }
  EXPECT_GT(seen, 0);
}

// Pushed together along the contact's normal until they overlap slightly, two concave polygons
// keep the contact they had: same features, gap as deep as they were pushed.
TEST(PlanarPairs, touching_contact_of_concave_polygons_survives_slight_overlap) {
  std::mt19937_64 random(4);
  int compared = 0;
  for (int trial = 0; trial < 6'000; ++trial) {
    const Polygon a = random_star(random, 8), b = random_star(random, 7);
    const Pose pose_a = random_pose(random, 1.2);
    Pose pose_b = random_pose(random, 1.2);
    if (outlines_cross(placed(a, pose_a), placed(b, pose_b))) continue;
    const double margin = 0.3;
    const Contacts before = contacts_of(a, pose_a, b, pose_b, margin);
    if (before.empty()) continue;
    const ContactPoint first = *std::min_element(
        before.begin(), before.end(),
        [](const ContactPoint& c, const ContactPoint& d) { return c.gap < d.gap; });
    const double depth = trial % 2 ? 1e-6 : 1e-4;
    pose_b.position -= (first.gap + depth) * first.normal;
    const Contacts after = contacts_of(a, pose_a, b, pose_b, 1e-3);
    // Corner against corner turns into corner against face.
    if (first.feature_a % 2 == 1 && first.feature_b % 2 == 1) {
      EXPECT_LT(least_gap(after), 0.0);
      continue;
    }
    bool found = false;
    for (const ContactPoint& c : after)
      found |= c.feature_a == first.feature_a && c.feature_b == first.feature_b &&
               std::abs(c.gap + depth) < rounding;
    // A second contact of the same bodies may have closed earlier; then that one is deeper.
    EXPECT_TRUE(found || least_gap(after) < -depth) << trial;
    compared += found;
  }
  EXPECT_GT(compared, 300);
}

// Slightly overlapping concave polygons, pieces and all: each corner that has sunk in is held by a
// contact near it, and no contact claims an overlap that is not there.
TEST(PlanarPairs, sunk_corners_of_concave_polygons_are_held_and_nothing_else_is_pushed) {
  std::mt19937_64 random(11);
  int held = 0;
  for (int trial = 0; trial < 20'000; ++trial) {
    const Polygon a = random_star(random, 9), b = random_star(random, 8);
    const Pose pose_a = random_pose(random, 1.2);
    // Every other time a face of each lies along one of the other, but for a small turn.
    Pose pose_b = trial % 2 ? random_pose(random, 1.2) : face_to_face(random, a, pose_a, b);
    if (outlines_cross(placed(a, pose_a), placed(b, pose_b))) continue;
    const Contacts before = contacts_of(a, pose_a, b, pose_b, 0.3);
    if (before.empty()) continue;
    const ContactPoint& first = *std::min_element(
        before.begin(), before.end(),
        [](const ContactPoint& c, const ContactPoint& d) { return c.gap < d.gap; });
    const double depth = 1e-5;
    pose_b.position -= (first.gap + depth) * first.normal;
    const Points p = placed(a, pose_a), q = placed(b, pose_b);
    const Contacts after = contacts_of(a, pose_a, b, pose_b, 1e-4);
    for (const auto& [own, other] : {std::pair(&p, &q), std::pair(&q, &p)})
      for (const Vector2& v : *own) {
        if (!inside(*other, v) || distance_to_outline(v, *other) > 2.0 * depth) continue;
        bool near = false;
        for (const ContactPoint& c : after)
          near |= c.gap < 0.0 && ((c.point_a.head<2>() - v).norm() < 1e-3 ||
                                  (c.point_b.head<2>() - v).norm() < 1e-3);
        EXPECT_TRUE(near) << trial;
        ++held;
      }
    // Two outlines pushed together by `depth` part again by as much.
    EXPECT_GE(least_gap(after), -depth * (1.0 + 1e-6)) << trial;
  }
  EXPECT_GT(held, 500);
}

TEST(PlanarPairs, overlap_of_concave_polygons_never_goes_unseen) {
  std::mt19937_64 random(12);
  int overlapping = 0;
  for (int trial = 0; trial < 5'000; ++trial) {
    const Polygon a = random_star(random, 5 + trial % 20), b = random_star(random, 4 + trial % 9);
    const Pose pose_a = random_pose(random, 0.8), pose_b = random_pose(random, 0.8);
    if (!outlines_cross(placed(a, pose_a), placed(b, pose_b))) continue;
    const Contacts contacts = contacts_of(a, pose_a, b, pose_b, 0.0);
    expect_consistent(contacts, 0.0);
    EXPECT_LT(least_gap(contacts), 0.0) << trial;
    ++overlapping;
  }
  EXPECT_GT(overlapping, 1'000);
}

TEST(PlanarPairs, swapping_the_shapes_mirrors_the_contacts) {
  std::mt19937_64 random(5);
  for (int trial = 0; trial < 3'000; ++trial) {
    const Polygon a = random_star(random, 7), b = random_convex(random, 5);
    const Pose pose_a = random_pose(random, 1.0), pose_b = random_pose(random, 1.0);
    const Contacts there = contacts_of(a, pose_a, b, pose_b, 0.1);
    Contacts back = contacts_of(b, pose_b, a, pose_a, 0.1);
    std::sort(back.begin(), back.end(), [](const ContactPoint& c, const ContactPoint& d) {
      return std::pair(c.feature_b, c.feature_a) < std::pair(d.feature_b, d.feature_a);
    });
    ASSERT_EQ(there.size(), back.size());
    for (std::size_t i = 0; i < there.size(); ++i) {
      EXPECT_EQ(there[i].feature_a, back[i].feature_b);
      EXPECT_EQ(there[i].feature_b, back[i].feature_a);
      EXPECT_NEAR(there[i].gap, back[i].gap, rounding);
      EXPECT_LT((there[i].normal + back[i].normal).norm(), rounding);
      EXPECT_LT((there[i].point_a - back[i].point_b).norm(), rounding);
    }
  }
}

TEST(PlanarPairs, common_motion_moves_the_contacts_along) {
  std::mt19937_64 random(6);
  for (int trial = 0; trial < 3'000; ++trial) {
    const Polygon a = random_star(random, 7), b = random_star(random, 6);
    const Pose pose_a = random_pose(random, 1.0), pose_b = random_pose(random, 1.0);
    const Pose motion = random_pose(random, 3.0);
    const Contacts here = contacts_of(a, pose_a, b, pose_b, 0.1);
    const Contacts there = contacts_of(a, motion * pose_a, b, motion * pose_b, 0.1);
    ASSERT_EQ(here.size(), there.size());
    for (std::size_t i = 0; i < here.size(); ++i) {
      EXPECT_EQ(here[i].feature_a, there[i].feature_a);
      EXPECT_EQ(here[i].feature_b, there[i].feature_b);
      EXPECT_NEAR(here[i].gap, there[i].gap, rounding);
      EXPECT_LT((motion * here[i].point_a - there[i].point_a).norm(), rounding);
      EXPECT_LT((motion.rotation * here[i].normal - there[i].normal).norm(), rounding);
    }
  }
}

TEST(PlanarPairs, every_corner_that_faces_the_other_body_within_the_margin_is_represented) {
  std::mt19937_64 random(7);
  int represented = 0;
  for (int trial = 0; trial < 20'000; ++trial) {
    const Polygon a = random_convex(random, 12), b = random_convex(random, 5);
    const Pose pose_a = random_pose(random, 1.2), pose_b = random_pose(random, 1.2);
    const Points p = placed(a, pose_a), q = placed(b, pose_b);
    if (outlines_cross(p, q)) continue;
    const double margin = 0.1;
    const Contacts contacts = contacts_of(a, pose_a, b, pose_b, margin);
    for (std::size_t i = 0; i < p.size(); ++i)
      for (std::size_t j = 0; j < q.size(); ++j) {
        const Vector2 tail = q[j], edge = q[(j + 1) % q.size()] - tail, along = edge.normalized();
        const Vector2 normal(along.y(), -along.x());
        const double t = along.dot(p[i] - tail), gap = normal.dot(p[i] - tail);
        if (t < 1e-6 || t > edge.norm() - 1e-6 || gap < 0.0 || gap > margin) continue;
        const Vector2 before = p[(i + p.size() - 1) % p.size()] - p[i];
        const Vector2 after = p[(i + 1) % p.size()] - p[i];
        if (-normal.dot(before) > 0.4 * before.norm() || -normal.dot(after) > 0.4 * after.norm())
          continue;
        bool found = false;
        for (const ContactPoint& c : contacts)
          found |=
              c.feature_a == 2 * i + 1 && c.feature_b == 2 * j && std::abs(c.gap - gap) < rounding;
        EXPECT_TRUE(found);
        ++represented;
      }
  }
  EXPECT_GT(represented, 500);
}

double segment_distance(const Vector2& a, const Vector2& b, const Vector2& c, const Vector2& d) {
  return std::min({distance_to_segment(a, c, d), distance_to_segment(b, c, d),
                   distance_to_segment(c, a, b), distance_to_segment(d, a, b)});
}

TEST(PlanarRound, circles_and_capsules_match_the_distance_of_their_cores) {
  std::mt19937_64 random(8);
  int apart = 0;
  std::uniform_real_distribution<double> size(0.05, 0.4);
  for (int trial = 0; trial < 5'000; ++trial) {
    const Circle circle{size(random)};
    const Capsule one{{size(random), size(random), 0.0}, size(random)};
    const Capsule two{{size(random), -size(random), 0.0}, size(random)};
    const Pose pose_a = random_pose(random, 1.0), pose_b = random_pose(random, 1.0);
    const double margin = 0.2;
    const auto ends = [](const Capsule& c, const Pose& pose) {
      return std::pair<Vector2, Vector2>((pose * Vector3(-c.half_axis)).head<2>(),
                                         (pose * c.half_axis).head<2>());
    };
    const auto [a, b] = ends(one, pose_a);
    const auto [c, d] = ends(two, pose_b);
    const Contacts disc = contacts_of(circle, pose_b, one, pose_a, margin);
    const double to_disc =
        distance_to_segment(pose_b.position.head<2>(), a, b) - circle.radius - one.radius;
    ASSERT_EQ(disc.size(), to_disc <= margin ? 1u : 0u);
    for (const ContactPoint& contact : disc) EXPECT_NEAR(contact.gap, to_disc, rounding);
    if (outlines_cross({a, b}, {c, d})) continue;
    ++apart;
    const double between = segment_distance(a, b, c, d) - one.radius - two.radius;
    const Contacts pair = contacts_of(one, pose_a, two, pose_b, margin);
    expect_consistent(pair, margin);
    if (between <= margin) {
      ASSERT_NEAR(least_gap(pair), between, rounding);
    } else {
      EXPECT_TRUE(pair.empty());
    }
  }
  EXPECT_GT(apart, 0);
}

TEST(PlanarRound, circles_against_polygons_match_the_distance_of_the_centre) {
  std::mt19937_64 random(9);
  int inside_it = 0, outside = 0;
  for (int trial = 0; trial < 5'000; ++trial) {
    const bool concave = trial % 2;
    const Polygon polygon = concave ? random_star(random, 9) : random_convex(random, 6);
    const Pose pose = random_pose(random, 0.5), at = random_pose(random, 1.5);
    const Circle circle{0.25};
    const Points outline = placed(polygon, pose);
    const Vector2 center = at.position.head<2>();
    const bool within = inside(outline, center);
    if (concave && within) continue;
    ++(within ? inside_it : outside);
    const double distance = distance_to_outline(center, outline);
    const double expected = (within ? -distance : distance) - circle.radius;
    const Contacts contacts = contacts_of(circle, at, polygon, pose, 0.1);
    expect_consistent(contacts, 0.1);
    if (expected <= 0.1) {
      ASSERT_NEAR(least_gap(contacts), expected, rounding) << trial;
    } else {
      EXPECT_TRUE(contacts.empty());
    }
  }
  EXPECT_GT(inside_it, 0);
  EXPECT_GT(outside, 0);
}

TEST(PlanarRound, concentric_circles_still_have_a_normal) {
  const Contacts contacts = contacts_of(Circle{0.5}, Pose{}, Circle{0.25}, Pose{}, 0.0);
  ASSERT_EQ(contacts.size(), 1u);
  EXPECT_DOUBLE_EQ(contacts[0].gap, -0.75);
  EXPECT_DOUBLE_EQ(contacts[0].normal.norm(), 1.0);
}

TEST(PlanarRound, crossing_capsules_part_the_short_way) {
  // Crossing at 0.1 from the end of the upright one: parting takes 0.1 along y, plus the radii.
  const Capsule lying{{1.0, 0.0, 0.0}, 0.05}, upright{{0.0, 1.0, 0.0}, 0.05};
  const Contacts contacts = contacts_of(lying, Pose{}, upright, planar_pose(0.3, 0.9, 0.0), 0.0);
  EXPECT_NEAR(least_gap(contacts), -0.2, rounding);
}

TEST(PlanarHalfPlane, all_corners_within_the_margin_are_contacts) {
  const Pose incline = planar_pose(0.2, -0.1, 0.3);
  std::mt19937_64 random(10);
  for (int trial = 0; trial < 500; ++trial) {
    const Polygon polygon = random_star(random, 9);
    const Pose pose = random_pose(random, 1.0);
    const Contacts contacts = contacts_of(HalfPlane{}, incline, polygon, pose, 0.4);
    const Points points = placed(polygon, pose);
    std::size_t expected = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Vector3 local = incline.to_local(Vector3(points[i].x(), points[i].y(), 0.0));
      const Vector2 in = points[i] - points[(i + 8) % 9], out = points[(i + 1) % 9] - points[i];
      if (local.y() > 0.4 || in.x() * out.y() - in.y() * out.x() < 0.0) continue;
      ++expected;
      const auto match = std::find_if(contacts.begin(), contacts.end(), [&](const ContactPoint& c) {
        return c.feature_b == 2 * i + 1;
      });
      ASSERT_NE(match, contacts.end());
      EXPECT_NEAR(match->gap, local.y(), rounding);
      EXPECT_LT((match->normal - incline.rotation * Vector3::UnitY()).norm(), rounding);
    }
    EXPECT_EQ(contacts.size(), expected);
  }
  EXPECT_EQ(contacts_of(Capsule{{1, 0, 0}, 0.1}, planar_pose(0, 0.1, 0), HalfPlane{}, Pose{}, 0.01)
                .size(),
            2u);
  EXPECT_TRUE(contacts_of(HalfPlane{}, Pose{}, HalfPlane{}, incline, 1.0).empty());
}

}  // namespace
}  // namespace vinci::planar_tests
