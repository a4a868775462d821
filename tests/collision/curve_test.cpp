// SPDX-License-Identifier: Apache-2.0
// Contacts of superellipses and implicit curves: reference case 14, closed forms, and random pairs
// against sampled separating axes.
#include <gtest/gtest.h>

#include "tests/collision/curve_helpers.h"
#include "tests/support/allocations.h"
#include "tests/support/reference.h"

namespace vinci::planar_tests {
namespace {

using std::numbers::pi;

double number(const nlohmann::json& json) {
  return json.get<double>();
}
Vector2 pair_of(const nlohmann::json& json) {
  return {number(json[0]), number(json[1])};
}

TEST(CurveReference, superellipse_pairs_of_case_14) {
  const auto reference = test::reference("case14_superellipse");
  for (const auto& pair : reference["expected"]["pairs"]) {
    const auto shape = [](const nlohmann::json& c) {
      return make_superellipse({number(c["a"]), number(c["b"])}, number(c["n"]));
    };
    const auto pose = [](const nlohmann::json& c) {
      return planar_pose(number(c["centre"][0]), number(c["centre"][1]), number(c["theta"]));
    };
    const ContactPoint found = deepest(
        curve_contacts(shape(pair["A"]), pose(pair["A"]), shape(pair["B"]), pose(pair["B"]), 10.0));
    const bool flat = std::max(number(pair["A"]["n"]), number(pair["B"]["n"])) >= 4.0;
    const double distance = number(pair["signed_distance"]);
    EXPECT_NEAR(found.gap, distance, distance < 0.0 ? 1e-7 : 1e-8);
    EXPECT_LT((found.normal.head<2>() - pair_of(pair["normal_A_to_B"])).norm(), 1e-5);
    EXPECT_LT((found.point_a.head<2>() - pair_of(pair["witness_A"])).norm(), flat ? 1e-4 : 1e-6);
    EXPECT_LT((found.point_b.head<2>() - pair_of(pair["witness_B"])).norm(), flat ? 1e-4 : 1e-6);
    EXPECT_NEAR(found.gap, distance, 1e-13);  // what it does reach
  }
}

// Points on the surfaces, normal to both, with the gap between them.
void expect_contact(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                    const ContactPoint& contact, double size) {
  const Vector2 n = contact.normal.head<2>(), p = contact.point_a.head<2>(),
                q = contact.point_b.head<2>();
  EXPECT_NEAR(n.norm(), 1.0, 1e-14);
  EXPECT_NEAR(contact.gap, n.dot(q - p), 1e-14 * size);
  EXPECT_NEAR(Vector2(-n.y(), n.x()).dot(q - p), 0.0, 1e-10 * size);
  EXPECT_NEAR(n.dot(world_support(a, pose_a, n) - p), 0.0, 4e-15 * size);
  EXPECT_NEAR(n.dot(world_support(b, pose_b, -n) - q), 0.0, 4e-15 * size);
}

struct Family {
  double ratio, exponent, spread;
};

class RandomPairs : public testing::TestWithParam<Family> {};

TEST_P(RandomPairs, no_sampled_axis_separates_more_and_the_points_are_normal) {
  const Family family = GetParam();
  std::mt19937_64 random(11);
  int overlapping = 0;
  for (int i = 0; i < 400; ++i) {
    const Shape a = random_superellipse(random, family.ratio, family.exponent);
    const Shape b = random_superellipse(random, family.ratio, family.exponent);
    const Pose pose_a = random_pose(random, family.spread),
               pose_b = random_pose(random, family.spread);
    const double size =
        bounding_radius(a) + bounding_radius(b) + (pose_a.position - pose_b.position).norm();
    const Contacts contacts = curve_contacts(a, pose_a, b, pose_b, 4.0 * size);
    ASSERT_FALSE(contacts.empty());
    const ContactPoint found = deepest(contacts);
    expect_contact(a, pose_a, b, pose_b, found, size);
    EXPECT_GE(found.gap, sampled_gap(a, pose_a, b, pose_b, 720) - 1e-14 * size);
    overlapping += found.gap < 0.0;
  }
  if (family.spread < 1.0) {
    EXPECT_GT(overlapping, 100);
  }
}

INSTANTIATE_TEST_SUITE_P(Curves, RandomPairs,
                         testing::Values(Family{3.0, 8.0, 3.0}, Family{3.0, 8.0, 0.5},
                                         Family{1e3, 50.0, 3.0}, Family{1e3, 50.0, 0.5},
                                         Family{1e6, 1000.0, 30.0}, Family{3.0, 50.0, 1e6}));

TEST(CurveContacts, exchange_and_rigid_motion_change_nothing) {
  std::mt19937_64 random(12);
  int apart = 0;
  for (int i = 0; i < 200; ++i) {
    const Shape a = random_superellipse(random, 10.0, 20.0);
    const Shape b = random_superellipse(random, 10.0, 20.0);
    const Pose pose_a = random_pose(random, 2.0), pose_b = random_pose(random, 2.0);
    const Pose motion = random_pose(random, 5.0);
    const ContactPoint one = deepest(curve_contacts(a, pose_a, b, pose_b, 100.0));
    const ContactPoint exchanged = deepest(curve_contacts(b, pose_b, a, pose_a, 100.0));
    const ContactPoint moved =
        deepest(curve_contacts(a, motion * pose_a, b, motion * pose_b, 100.0));
    EXPECT_NEAR(exchanged.gap, one.gap, 1e-13);
    EXPECT_NEAR(moved.gap, one.gap, 1e-13);
    if (one.gap < 1e-3) continue;  // overlapping ones may have two equal ways out
    ++apart;
    EXPECT_LT((exchanged.normal + one.normal).norm(), 1e-6);
    EXPECT_LT((motion.rotation * one.normal - moved.normal).norm(), 1e-6);
  }
  EXPECT_GT(apart, 0);
}

TEST(CurveContacts, circles_ellipses_and_points_have_their_closed_forms) {
  const Shape disk = make_superellipse({0.5, 0.5}, 2.0);
  const ContactPoint disks =
      deepest(curve_contacts(disk, planar_pose(0, 0, 0.3), disk, planar_pose(3, 4, 1.0), 10.0));
  EXPECT_NEAR(disks.gap, 4.0, 1e-15);
  EXPECT_NEAR(disks.normal.x(), 0.6, 1e-15);
  // From (x, 0) on the long axis the end of the ellipse is nearest only beyond the evolute's cusp
  // at (a² − b²)/a = 1.5; inside it the foot has x_e = a² x/(a² − b²).
  const Shape ellipse = make_superellipse({2.0, 1.0}, 2.0);
  const auto distance = [&](double x, double y) {
    return deepest(curve_contacts(ellipse, Pose{}, Circle{1e-3}, planar_pose(x, y, 0), 10.0)).gap +
           1e-3;
  };
  EXPECT_NEAR(distance(5.0, 0.0), 3.0, 1e-14);
  EXPECT_NEAR(distance(0.0, 7.0), 6.0, 1e-14);
  EXPECT_NEAR(distance(1.9, 0.0), -0.1, 1e-14);
  const double foot = 4.0 * 1.2 / 3.0;
  EXPECT_NEAR(distance(1.2, 0.0), -std::hypot(foot - 1.2, std::sqrt(1.0 - foot * foot / 4.0)),
              1e-13);
  // A point at distance d along the normal of a known point of the ellipse.
  for (const double t : {0.1, 0.7, 1.3, 2.9}) {
    const Vector2 at(2.0 * std::cos(t), std::sin(t));
    const Vector2 out = Vector2(std::cos(t) / 2.0, std::sin(t)).normalized() * 0.75;
    EXPECT_NEAR(distance(at.x() + out.x(), at.y() + out.y()), 0.75, 1e-14);
  }
}

TEST(CurveContacts, implicit_curves_answer_as_their_superellipses) {
  std::mt19937_64 random(13);
  const Shape given = make_superellipse({1.25, 0.5}, 3.0);
  const Shape implicit = make_implicit_curve(function_of("abs(x/1.25)^3 + abs(y/0.5)^3 - 1"));
  const Polygon triangle = make_polygon(Points{{-1, -0.5}, {1, -0.4}, {0.2, 0.9}});
  for (int i = 0; i < 100; ++i) {
    const Shape other = i % 3 == 0   ? Shape(random_superellipse(random, 5.0, 10.0))
                        : i % 3 == 1 ? Shape(triangle)
                                     : Shape(Capsule{{0.4, 0.0, 0.0}, 0.2});
    const Pose pose_a = random_pose(random, 1.5), pose_b = random_pose(random, 1.5);
    const Contacts one = curve_contacts(given, pose_a, other, pose_b, 20.0);
    const Contacts two = curve_contacts(implicit, pose_a, other, pose_b, 20.0);
    EXPECT_NEAR(least_gap(one), least_gap(two), 1e-12);
  }
}

TEST(CurveContacts, a_large_exponent_is_nearly_a_box) {
  std::mt19937_64 random(14);
  const Shape curve = make_superellipse({0.8, 0.5}, 1000.0);
  const Polygon box = rectangle(1.6, 1.0);
  for (int i = 0; i < 300; ++i) {
    const Polygon other = random_convex(random, 5);
    const Pose pose_a = random_pose(random, 1.0), pose_b = random_pose(random, 1.0);
    const double exact = convex_distance(placed(box, pose_a), placed(other, pose_b));
    const Contacts contacts = curve_contacts(curve, pose_a, other, pose_b, 20.0);
    EXPECT_NEAR(least_gap(contacts), exact, 2e-3);
  }
}

TEST(CurveContacts, against_convex_shapes_the_least_gap_is_the_signed_distance) {
  std::mt19937_64 random(15);
  for (int i = 0; i < 1500; ++i) {
    const Shape curve = random_superellipse(random, i % 2 == 0 ? 3.0 : 1e3, 50.0);
    const Shape other = i % 3 == 0   ? Shape(random_convex(random, 3 + i % 7))
                        : i % 3 == 1 ? Shape(Circle{0.3})
                                     : Shape(Capsule{{0.4, 0.1, 0.0}, 0.1 + 0.2 * (i % 2)});
    const Pose pose_a = random_pose(random, 1.5), pose_b = random_pose(random, 1.5);
    const double size = bounding_radius(curve) + 3.0;
    const Contacts contacts = curve_contacts(curve, pose_a, other, pose_b, 40.0);
    ASSERT_FALSE(contacts.empty());
    const double sampled = sampled_gap(curve, pose_a, other, pose_b, 720);
    EXPECT_GE(least_gap(contacts), sampled - 1e-9 * size) << i;
    const ContactPoint found = deepest(contacts);  // no more than the gap along its own normal
    EXPECT_NEAR(gap_along(curve, pose_a, other, pose_b, found.normal.head<2>()), found.gap,
                1e-9 * size)
        << i;
    for (const ContactPoint& contact : contacts) {
      const Vector2 n = contact.normal.head<2>();
      EXPECT_NEAR(contact.gap, n.dot(contact.point_b.head<2>() - contact.point_a.head<2>()),
                  1e-14 * size);
      // The curve's point lies on the curve.
      const Vector3 local = pose_a.to_local(contact.point_a);
      const auto& s = std::get<Superellipse>(curve);
      const double larger =
          std::max(std::abs(local.x()) / s.axes.x(), std::abs(local.y()) / s.axes.y());
      EXPECT_LE(larger, 1.0 + 1e-12);
    }
  }
}

// The change of the gap under a small motion of a is what the stepper's row makes of it.
TEST(CurveContacts, the_gap_changes_as_its_jacobian_says) {
  std::mt19937_64 random(16);
  int compared = 0;
  for (int i = 0; i < 300; ++i) {
    const Shape a = random_superellipse(random, 3.0, 4.0),
                b = random_superellipse(random, 3.0, 4.0);
    const Pose pose_a = random_pose(random, 1.0), pose_b = random_pose(random, 2.0);
    const ContactPoint contact = deepest(curve_contacts(a, pose_a, b, pose_b, 20.0));
    if (contact.gap < 0.05) continue;  // where the normal does not jump
    ++compared;
    const Vector3 middle = 0.5 * (contact.point_a + contact.point_b), n = contact.normal;
    const double row[3] = {-n.x(), -n.y(), -(middle - pose_a.position).cross(n).z()};
    constexpr double h = 1e-6;
    for (int k = 0; k < 3; ++k) {
      const auto gap_at = [&](double by) {
        Pose moved = pose_a;
        if (k < 2) moved.position[k] += by;
        if (k == 2) moved.rotation = rotation_about_z(by) * moved.rotation;
        return deepest(curve_contacts(a, moved, b, pose_b, 20.0)).gap;
      };
      EXPECT_NEAR((gap_at(h) - gap_at(-h)) / (2.0 * h), row[k], 2e-6) << i << " " << k;
    }
  }
  EXPECT_GT(compared, 0);
}

TEST(CurveContacts, a_round_curve_on_a_floor_has_one_point_and_a_flat_one_its_ends) {
  const auto on_floor = [](double exponent, double tilt, double margin) {
    const Shape curve = make_superellipse({0.2, 0.1}, exponent);
    Pose pose = planar_pose(0.0, 0.0, tilt);
    pose.position.y() = -bounding_box(curve, pose).lower.y();
    return curve_contacts(curve, pose, HalfPlane{}, Pose{}, margin);
  };
  EXPECT_EQ(on_floor(2.0, 0.0, 1e-4).size(), 1u);
  EXPECT_EQ(on_floor(2.0, 0.4, 1e-4).size(), 1u);
  EXPECT_EQ(on_floor(50.0, 0.5, 1e-4).size(), 1u);
  const Contacts flat = on_floor(50.0, 0.0, 1e-4);
  ASSERT_EQ(flat.size(), 5u);
  double left = 0.0, right = 0.0;
  for (const ContactPoint& contact : flat) {
    EXPECT_GE(contact.gap, 0.0);
    EXPECT_LE(contact.gap, 1e-4);
    left = std::min(left, contact.point_a.x());
    right = std::max(right, contact.point_a.x());
  }
  EXPECT_LT(left, -0.16);
  EXPECT_GT(right, 0.16);
  // A rhombus that lies on a side: its two corners, and the middle that touches first.
  const Shape rhombus = make_superellipse({0.2, 0.2}, 1.0);
  const Contacts corners =
      curve_contacts(rhombus, planar_pose(0, std::sqrt(0.02), pi / 4.0), HalfPlane{}, Pose{}, 1e-4);
  left = right = 0.0;
  for (const ContactPoint& contact : corners) {
    EXPECT_NEAR(contact.gap, 0.0, 1e-9);
    left = std::min(left, contact.point_a.x());
    right = std::max(right, contact.point_a.x());
  }
  EXPECT_NEAR(right - left, 0.2 * std::sqrt(2.0), 1e-9);
}

TEST(CurveContacts, flat_sides_end_where_the_table_ends) {
  const Shape curve = make_superellipse({0.2, 0.1}, 50.0);
  const Polygon table = rectangle(1.0, 0.5);  // its top is y = 0.25, its end x = 0.5
  const Contacts contacts =
      curve_contacts(curve, planar_pose(0.45, 0.35, 0.0), table, Pose{}, 1e-4);
  ASSERT_GE(contacts.size(), 3u);
  double right = 0.0;
  for (const ContactPoint& contact : contacts) {
    EXPECT_NEAR(contact.normal.y(), -1.0, 1e-12);  // from the curve down
    right = std::max(right, contact.point_b.x());
  }
  EXPECT_NEAR(right, 0.5, 1e-12);
  // Two tables with a gap under the middle: the curve stands on both.
  Contacts bridge = curve_contacts(curve, planar_pose(0.6, 0.35, 0.0), table, Pose{}, 1e-4);
  ASSERT_FALSE(bridge.empty());
  for (const ContactPoint& contact : bridge) EXPECT_LE(contact.point_b.x(), 0.5 + 1e-12);
}

TEST(CurveContacts, flat_sides_on_each_other_touch_at_their_ends) {
  const Shape lower = make_superellipse({0.3, 0.1}, 40.0),
              upper = make_superellipse({0.2, 0.1}, 30.0);
  const Contacts contacts = curve_contacts(lower, Pose{}, upper, planar_pose(0.05, 0.2, 0.0), 1e-4);
  ASSERT_GE(contacts.size(), 3u);
  double left = 1.0, right = -1.0;
  for (const ContactPoint& contact : contacts) {
    EXPECT_NEAR(contact.normal.y(), 1.0, 1e-12);
    EXPECT_NEAR(contact.point_a.x(), contact.point_b.x(), 1e-12);
    EXPECT_LT(std::abs(contact.gap), 1e-4);
    left = std::min(left, contact.point_b.x());
    right = std::max(right, contact.point_b.x());
  }
  EXPECT_LT(left, -0.08);
  EXPECT_GT(right, 0.18);
}

TEST(CurveContacts, a_notch_touches_on_both_walls) {
  const Polygon notch = make_polygon(Points{{-1, -1}, {1, -1}, {1, 1}, {0, 0}, {-1, 1}});
  const Shape disk = make_superellipse({0.2, 0.2}, 2.0);
  const Contacts contacts =
      curve_contacts(disk, planar_pose(0, 0.2 * std::sqrt(2.0), 0), notch, Pose{}, 1e-3);
  ASSERT_EQ(contacts.size(), 2u);
  for (const ContactPoint& contact : contacts) EXPECT_NEAR(contact.gap, 0.0, 1e-15);
  const Contacts sunk =
      curve_contacts(disk, planar_pose(0, 0.2 * std::sqrt(2.0) - 1e-4, 0), notch, Pose{}, 1e-3);
  ASSERT_EQ(sunk.size(), 2u);
  for (const ContactPoint& contact : sunk) EXPECT_NEAR(contact.gap, -1e-4 / std::sqrt(2.0), 1e-12);
}

TEST(CurveContacts, cuts_between_pieces_never_push) {
  // An L drawn with a cut through its foot; a curve slides along the top of the foot.
  const Polygon bracket = make_polygon(Points{{0, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 3}, {0, 3}});
  const Shape curve = make_superellipse({0.2, 0.1}, 3.0);
  for (double x = 1.3; x < 2.9; x += 0.1) {
    const Contacts contacts =
        curve_contacts(curve, planar_pose(x, 1.1 - 1e-5, 0), bracket, Pose{}, 1e-4);
    ASSERT_FALSE(contacts.empty()) << x;
    for (const ContactPoint& contact : contacts) EXPECT_NEAR(contact.normal.y(), -1.0, 1e-9) << x;
    EXPECT_NEAR(least_gap(contacts), -1e-5, 1e-12) << x;
  }
}

TEST(CurveContacts, deep_inside_a_polygon_there_is_a_way_out) {
  std::mt19937_64 random(18);
  for (int i = 0; i < 300; ++i) {
    const Polygon star = random_star(random, 9);
    const Shape curve = make_superellipse({0.1, 0.05}, 2.5);
    const Pose pose = random_pose(random, 0.1);
    const Contacts contacts = curve_contacts(curve, pose, star, Pose{}, 1e-3);
    ASSERT_FALSE(contacts.empty()) << i;
    EXPECT_LT(least_gap(contacts), 0.0) << i;
    for (const ContactPoint& contact : contacts) EXPECT_TRUE(std::isfinite(contact.gap));
  }
}

TEST(CurveContacts, features_stay_as_the_pair_moves) {
  const Shape curve = make_superellipse({0.2, 0.1}, 20.0);
  const auto names = [&](double x, double tilt) {
    std::vector<std::uint32_t> found;
    for (const ContactPoint& c :
         curve_contacts(curve, planar_pose(x, 0.1, tilt), HalfPlane{}, Pose{}, 1e-3)) {
      EXPECT_EQ(c.feature_b, 0u);
      found.push_back(c.feature_a);
    }
    return found;
  };
  EXPECT_EQ(names(0.0, 0.0), (std::vector<std::uint32_t>{1, 3, 5, 7, 9, 11, 13}));
  EXPECT_EQ(names(0.3, 1e-12), names(0.0, 0.0));
  // Tilted by more, the closest point is one end of the flat side; the far ends keep their names.
  for (const double tilt : {-1e-5, -1e-7, 1e-7, 1e-5})
    EXPECT_EQ(names(0.0, tilt), (std::vector<std::uint32_t>{1, 5, 7, 11, 13})) << tilt;
}

TEST(CurveContacts, concentric_pairs_and_far_ones_end) {
  const Shape disk = make_superellipse({1.0, 1.0}, 2.0),
              thin = make_superellipse({1e3, 1e-3}, 50.0);
  for (const Shape& shape : {disk, thin})
    EXPECT_TRUE(curve_contacts(shape, Pose{}, shape, planar_pose(1e9, 1e9, 1.0), 1.0).empty());
  EXPECT_NEAR(least_gap(curve_contacts(disk, Pose{}, disk, Pose{}, 1.0)), -2.0, 1e-15);
  EXPECT_NEAR(least_gap(curve_contacts(thin, Pose{}, thin, Pose{}, 1.0)), -2e-3, 1e-12);
}

TEST(CurveContacts, nothing_is_allocated_once_settled) {
  std::mt19937_64 random(19);
  PlanarOutline a, b;
  CurveCollider collider;
  Contacts out;
  const Shape implicit = make_implicit_curve(function_of("x^4 + y^4 - 1"));
  const Shape curve = make_superellipse({1.0, 0.5}, 20.0), box = rectangle(1.0, 0.5);
  const auto run = [&] {
    for (const Shape* other : {&implicit, &curve, &box}) {
      out.clear();
      a.place(curve, planar_pose(0.0, 1.0, 0.1));
      b.place(*other, planar_pose(0.1, 0.2, 0.0));
      collider.collide(a, b, 0.1, out);
    }
  };
  for (int i = 0; i < 3; ++i) run();
  const std::size_t before = allocations();
  run();
  EXPECT_EQ(allocations(), before);
}

}  // namespace
}  // namespace vinci::planar_tests
