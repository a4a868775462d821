// SPDX-License-Identifier: Apache-2.0
// Contacts of superquadrics: reference case 14, closed forms, and random pairs against a search of
// all directions that knows support functions only.
#include <gtest/gtest.h>

#include "tests/collision/spatial_oracle.h"
#include "tests/support/allocations.h"
#include "tests/support/reference.h"
#include "vinci/collision/planar_curve.h"
#include "vinci/collision/spatial_superquadric.h"

namespace vinci::superquadric_tests {
namespace {

using oracle::Random;
using oracle::uniform;

const ContactPoint& deepest(const std::vector<ContactPoint>& contacts) {
  return *std::min_element(contacts.begin(), contacts.end(),
                           [](const auto& p, const auto& q) { return p.gap < q.gap; });
}

// The dual norm, written out: no code in common with the detector.
double support_value(const Superquadric& s, const Vector3& d) {
  const auto dual = [](double u, double w, double e) {
    const double large = std::max(u, w);
    if (large == 0.0 || e == 2.0) return large;
    const double power = 2.0 / (2.0 - e);  // 1/p + 1/p' = 1 with p = 2/e
    return large * std::pow(std::pow(u / large, power) + std::pow(w / large, power), 1.0 / power);
  };
  const Vector3 scaled = s.axes.cwiseProduct(d.cwiseAbs());
  return dual(dual(scaled.x(), scaled.y(), s.e2), scaled.z(), s.e1);
}

double support_value(const Shape& shape, const Pose& pose, const Vector3& n) {
  if (const auto* s = std::get_if<Superquadric>(&shape))
    return n.dot(pose.position) + support_value(*s, pose.rotation.conjugate() * n);
  return oracle::Solid(shape, pose).support(n);
}

// The largest gap over all directions: spread over the sphere, then the best ones improved by steps
// around them that shrink. It bounds what is right from below, to rounding if it converges.
template <class Gap>
double searched_gap(const Gap& gap, Random& random, int samples = 600, int starts = 4) {
  struct Start {
    double gap;
    Vector3 normal;
  };
  std::vector<Start> all;
  for (int i = 0; i < samples; ++i) {
    const double z = 1.0 - (2.0 * i + 1.0) / samples, angle = i * 2.399963229728653;
    const double r = std::sqrt(1.0 - z * z);
    const Vector3 n(r * std::cos(angle), r * std::sin(angle), z);
    all.push_back({gap(n), n});
  }
  std::sort(all.begin(), all.end(), [](const Start& p, const Start& q) { return p.gap > q.gap; });
  double best = all[0].gap;
  for (int k = 0; k < starts; ++k) {
    Start now = all[static_cast<std::size_t>(3 * k)];
    double step = 0.1;
    for (int i = 0; i < 250 && step > 1e-14; ++i) {
      const Vector3 t = now.normal.unitOrthogonal(), s = now.normal.cross(t);
      const double phase = uniform(random, 0.0, 2.0 * M_PI);
      bool better = false;
      for (int j = 0; j < 6 && !better; ++j) {
        const double angle = phase + j * M_PI / 3.0;
        const Vector3 n =
            (now.normal + step * (std::cos(angle) * t + std::sin(angle) * s)).normalized();
        const double value = gap(n);
        if (value > now.gap) now = {value, n}, better = true;
      }
      step = better ? std::min(0.3, 1.7 * step) : 0.6 * step;
    }
    best = std::max(best, now.gap);
  }
  return best;
}

Shape random_superquadric(Random& random, double least, double most, double ratio) {
  const auto axis = [&] { return std::exp(uniform(random, -0.5, 0.5) * std::log(ratio)); };
  const auto exponent = [&] { return std::exp(uniform(random, std::log(least), std::log(most))); };
  const double e1 = exponent(), e2 = uniform(random, 0.0, 1.0) < 0.3 ? e1 : exponent();
  return make_superquadric({axis(), axis(), axis()}, e1, e2);
}

// Normal to both surfaces, the points on them, the gap between.
void expect_contact(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                    const ContactPoint& contact, double size, double aside) {
  const Vector3 &n = contact.normal, offset = contact.point_b - contact.point_a;
  EXPECT_NEAR(n.norm(), 1.0, 1e-14);
  EXPECT_NEAR(contact.gap, n.dot(offset), 1e-14 * size);
  EXPECT_LT((offset - contact.gap * n).norm(), aside * size);
  EXPECT_NEAR(support_value(a, pose_a, n) - n.dot(contact.point_a), 0.0, 1e-14 * size);
  EXPECT_NEAR(support_value(b, pose_b, -n) + n.dot(contact.point_b), 0.0, 1e-14 * size);
}

TEST(SuperquadricReference, pairs_of_case_14) {
  const auto reference = test::reference("case14_superellipse");
  const auto vector = [](const nlohmann::json& v) {
    return Vector3(v[0].get<double>(), v[1].get<double>(), v[2].get<double>());
  };
  const auto shape = [](const nlohmann::json& c) {
    return make_superquadric(
        Vector3(c["a"].get<double>(), c["b"].get<double>(), c["c"].get<double>()),
        c["e1"].get<double>(), c["e2"].get<double>());
  };
  const auto pose = [&](const nlohmann::json& c) {
    Matrix3 r;
    for (int i = 0; i < 3; ++i) r.row(i) = vector(c["R"][static_cast<std::size_t>(i)]);
    return Pose{vector(c["centre"]), Quaternion(r).normalized()};
  };
  int seen = 0;
  for (const auto& pair : reference["expected"]["superquadrics_3d"]) {
    const ContactPoint found = deepest(oracle::collide(shape(pair["A"]), pose(pair["A"]),
                                                       shape(pair["B"]), pose(pair["B"]), 10.0));
    const double distance = pair["signed_distance"].get<double>();
    bool flat = false;  // n = 2/e of 4 or more
    for (const char* body : {"A", "B"})
      for (const char* e : {"e1", "e2"}) flat = flat || pair[body][e].get<double>() <= 0.5;
    EXPECT_NEAR(found.gap, distance, distance < 0.0 ? 1e-7 : 1e-8);
    EXPECT_LT((found.normal - vector(pair["normal_A_to_B"])).norm(), 1e-5);
    EXPECT_LT((found.point_a - vector(pair["witness_A"])).norm(), flat ? 1e-4 : 1e-6);
    EXPECT_LT((found.point_b - vector(pair["witness_B"])).norm(), flat ? 1e-4 : 1e-6);
    EXPECT_NEAR(found.gap, distance, 1e-13);  // what it does reach
    ++seen;
  }
  EXPECT_EQ(seen, 6);
}

struct SuperquadricFamily {
  const char* name;
  double least, most, ratio;
};

class SuperquadricPairs : public testing::TestWithParam<SuperquadricFamily> {};
INSTANTIATE_TEST_SUITE_P(Families, SuperquadricPairs,
                         testing::Values(SuperquadricFamily{"smooth", 0.5, 1.4, 3.0},
                                         SuperquadricFamily{"ellipsoids", 1.0, 1.0, 4.0},
                                         SuperquadricFamily{"boxes", 0.02, 0.3, 3.0},
                                         SuperquadricFamily{"pointed", 1.5, 2.0, 3.0},
                                         SuperquadricFamily{"extreme", 0.002, 2.0, 100.0}),
                         [](const auto& family) { return std::string(family.param.name); });

TEST_P(SuperquadricPairs, no_direction_separates_more_and_the_points_are_normal) {
  const SuperquadricFamily family = GetParam();
  Random random(21);
  int overlapping = 0;
  for (int i = 0; i < 160; ++i) {
    const Shape a = random_superquadric(random, family.least, family.most, family.ratio);
    const Shape b = random_superquadric(random, family.least, family.most, family.ratio);
    const double size = bounding_radius(a) + bounding_radius(b);
    const bool aligned = i % 5 == 4;
    const Pose pose_a{Vector3(1.0, 2.0, 3.0),
                      aligned ? Quaternion::Identity() : oracle::rotation(random)};
    const Pose pose_b{
        pose_a.position + uniform(random, 0.0, 1.2) * size * oracle::unit_vector(random),
        aligned ? Quaternion::Identity() : oracle::rotation(random)};
    const auto contacts = oracle::collide(a, pose_a, b, pose_b, 10.0 * size);
    ASSERT_FALSE(contacts.empty());
    const ContactPoint found = deepest(contacts);
    overlapping += found.gap < 0.0;
    const double searched = searched_gap(
        [&](const Vector3& n) {
          return -support_value(a, pose_a, n) - support_value(b, pose_b, -n);
        },
        random);
    // Ties in overlap are settled to a billionth of the size and a millionth of the depth.
    const double tie = found.gap < 0.0 ? 1e-9 * size - 1e-6 * found.gap : 0.0;
    EXPECT_GE(found.gap, searched - tie - 2e-15 * size) << i;
    expect_contact(a, pose_a, b, pose_b, found, size, 1e-5);
  }
  EXPECT_GT(overlapping, 40);
}

TEST(SuperquadricContacts, with_every_other_shape_no_direction_separates_more) {
  Random random(22);
  for (int kind = 0; kind < oracle::kind_count; ++kind) {
    int overlapping = 0;
    for (int i = 0; i < 80; ++i) {
      const Shape a = random_superquadric(random, i % 2 ? 0.1 : 0.6, 1.6, 3.0);
      const Shape b = oracle::random_shape(kind, random);
      const double size = bounding_radius(a) + bounding_radius(b);
      const Pose pose_a{Vector3(-1.0, 0.5, 2.0), oracle::rotation(random)};
      const Pose pose_b{
          pose_a.position + uniform(random, 0.1, 1.1) * size * oracle::unit_vector(random),
          oracle::rotation(random)};
      const bool swapped = i % 3 == 0;
      const auto contacts = swapped ? oracle::collide(b, pose_b, a, pose_a, 10.0 * size)
                                    : oracle::collide(a, pose_a, b, pose_b, 10.0 * size);
      ASSERT_FALSE(contacts.empty());
      const ContactPoint found = deepest(contacts);
      overlapping += found.gap < 0.0;
      const double searched = searched_gap(
          [&](const Vector3& n) {
            return -support_value(a, pose_a, n) - support_value(b, pose_b, -n);
          },
          random);
      const double tie = found.gap < 0.0 ? 1e-9 * size - 1e-6 * found.gap : 0.0;
      SCOPED_TRACE(std::string(oracle::names[kind]) + " " + std::to_string(i) + ", gap " +
                   std::to_string(found.gap));
      EXPECT_GE(found.gap, searched - tie - 2e-15 * size);
      if (swapped)
        expect_contact(b, pose_b, a, pose_a, found, size, 1e-5);
      else
        expect_contact(a, pose_a, b, pose_b, found, size, 1e-5);
    }
    EXPECT_GT(overlapping, 10) << oracle::names[kind];
  }
}

TEST(SuperquadricContacts, swapping_and_moving_the_pair_changes_nothing_but_the_frame) {
  Random random(23);
  for (int i = 0; i < 150; ++i) {
    const Shape a = random_superquadric(random, 0.2, 1.8, 4.0);
    const Shape b = random_superquadric(random, 0.2, 1.8, 4.0);
    const double size = bounding_radius(a) + bounding_radius(b);
    const Pose pose_a{Vector3::Zero(), oracle::rotation(random)};
    const Pose pose_b{uniform(random, 0.3, 1.2) * size * oracle::unit_vector(random),
                      oracle::rotation(random)};
    const Pose moved{Vector3(30.0, -20.0, 10.0), oracle::rotation(random)};
    const ContactPoint first = deepest(oracle::collide(a, pose_a, b, pose_b, 9.0 * size));
    const ContactPoint back = deepest(oracle::collide(b, pose_b, a, pose_a, 9.0 * size));
    const ContactPoint there =
        deepest(oracle::collide(a, moved * pose_a, b, moved * pose_b, 9.0 * size));
    const double tie = first.gap < 0.0 ? 1e-9 * size - 1e-6 * first.gap : 1e-14 * size;
    EXPECT_NEAR(first.gap, back.gap, tie);
    EXPECT_NEAR(first.gap, there.gap, tie + 1e-13 * size);
    if (first.gap < 0.0) continue;  // of equal ways out either may be taken
    EXPECT_LT((first.normal + back.normal).norm(), 1e-5) << i;
    EXPECT_LT((moved.rotation * first.normal - there.normal).norm(), 1e-5) << i;
  }
}

TEST(SuperquadricContacts, spheres_are_spheres) {
  Random random(24);
  for (int i = 0; i < 100; ++i) {
    const double r = uniform(random, 0.1, 2.0), q = uniform(random, 0.1, 2.0);
    const Shape ball = make_superquadric({r, r, r}, 1.0, 1.0), sphere = Sphere{q},
                other = make_superquadric({q, q, q}, 1.0, 1.0);
    const Pose here{Vector3::Zero(), oracle::rotation(random)};
    const Vector3 way = uniform(random, 0.2, 1.5) * (r + q) * oracle::unit_vector(random);
    const Pose there{way, oracle::rotation(random)};
    for (const Shape& second : {sphere, other}) {
      const auto contacts = oracle::collide(ball, here, second, there, 10.0);
      ASSERT_EQ(contacts.size(), 1u);
      EXPECT_NEAR(contacts[0].gap, way.norm() - r - q, 1e-14 * (r + q));
      EXPECT_LT((contacts[0].normal - way.normalized()).norm(), 1e-7);
    }
  }
}

// Drums side by side: their cross-sections are superellipses, which have a detector of their own.
TEST(SuperquadricContacts, parallel_drums_are_as_far_apart_as_their_cross_sections) {
  Random random(28);
  for (int i = 0; i < 100; ++i) {
    const double e = uniform(random, 0.2, 1.9), f = uniform(random, 0.2, 1.9);
    const Vector2 p(uniform(random, 0.3, 1.0), uniform(random, 0.3, 1.0)),
        q(uniform(random, 0.3, 1.0), uniform(random, 0.3, 1.0));
    const auto turned = [&](double x, double y) {
      return Pose{Vector3(x, y, 0.0), oracle::about(Vector3::UnitZ(), uniform(random, -3.0, 3.0))};
    };
    const Pose here = turned(0.0, 0.0),
               there = turned(uniform(random, -2.0, 2.0), uniform(random, -2.0, 2.0));
    // So long that the way out is across.
    const Shape drum = make_superquadric({p.x(), p.y(), 4.0}, 1.0, e),
                other = make_superquadric({q.x(), q.y(), 4.0}, 1.0, f);
    PlanarOutline outline, other_outline;
    const Shape flat = make_superellipse(p, 2.0 / e), other_flat = make_superellipse(q, 2.0 / f);
    outline.place(flat, here);
    other_outline.place(other_flat, there);
    std::vector<ContactPoint> planar;
    CurveCollider().collide(outline, other_outline, 10.0, planar);
    const ContactPoint& expected = deepest(planar);
    const ContactPoint found = deepest(oracle::collide(drum, here, other, there, 10.0));
    const double tie = expected.gap < 0.0 ? 1e-8 - 1e-6 * expected.gap : 1e-13;
    EXPECT_NEAR(found.gap, expected.gap, tie) << e << " " << f;
    if (expected.gap > 1e-3) {
      EXPECT_LT((found.normal - expected.normal).norm(), 1e-5) << e << " " << f;
    }
  }
}

// What has the same set in other words: a box of the least exponent is one to a thousandth.
TEST(SuperquadricContacts, nearly_boxes_and_cylinders_are_as_far_apart_as_those) {
  Random random(25);
  for (int i = 0; i < 60; ++i) {
    const Vector3 half(uniform(random, 0.3, 1.0), uniform(random, 0.3, 1.0),
                       uniform(random, 0.3, 1.0));
    const double r = uniform(random, 0.3, 1.0);
    const Pose here{Vector3::Zero(), oracle::rotation(random)};
    const Pose there{uniform(random, 0.5, 3.0) * oracle::unit_vector(random),
                     oracle::rotation(random)};
    const Shape box = Box{half}, rounded = make_superquadric(half, 0.002, 0.002);
    const Shape cylinder = Cylinder{r, half.z()},
                round = make_superquadric({r, r, half.z()}, 0.002, 1.0);
    const double exact = oracle::least_gap(oracle::collide(box, here, cylinder, there, 10.0));
    EXPECT_NEAR(oracle::least_gap(oracle::collide(rounded, here, round, there, 10.0)), exact, 6e-3);
    EXPECT_NEAR(oracle::least_gap(oracle::collide(rounded, here, cylinder, there, 10.0)), exact,
                4e-3);
  }
}

TEST(SuperquadricContacts, touching_concentric_and_deep_pairs_have_their_closed_gaps) {
  const Pose origin;
  // Concentric ellipsoids with common axes part along the shortest way: (a + a') of the least sum.
  const Shape small = make_superquadric({0.3, 0.2, 0.25}, 1.0, 1.0),
              large = make_superquadric({1.0, 1.2, 0.9}, 1.0, 1.0);
  EXPECT_NEAR(oracle::least_gap(oracle::collide(small, origin, large, origin, 1.0)), -1.15, 1e-9);
  EXPECT_NEAR(oracle::least_gap(oracle::collide(small, origin, small, origin, 1.0)), -0.4, 1e-9);
  // Touching at their poles, exactly.
  for (const double e : {0.1, 0.5, 1.0, 1.5, 2.0})
    for (const double gap : {0.0, 1e-12, -1e-12, 1e-6, -1e-6}) {
      const Shape s = make_superquadric({0.5, 0.6, 0.7}, e, e);
      const auto contacts = oracle::collide(s, origin, s, oracle::at(0.0, 0.0, 1.4 + gap), 1e-3);
      ASSERT_FALSE(contacts.empty()) << e;
      const ContactPoint found = deepest(contacts);
      EXPECT_GE(found.gap, gap - 3e-16) << e;
      if (gap < 0.0 && e > 1.0) continue;  // pointed poles in each other leave it sideways
      EXPECT_LE(found.gap, gap + 3e-16) << e;
      if (e < 2.0) {
        EXPECT_LT((found.normal - Vector3::UnitZ()).norm(), 1e-6) << e << " " << gap;
      }
    }
  // A ball in the middle of one.
  const Shape ball = Sphere{0.1};
  EXPECT_NEAR(oracle::least_gap(oracle::collide(large, origin, ball, origin, 1.0)), -1.0, 1e-9);
}

TEST(SuperquadricPlane, meets_a_half_space_at_its_support_point) {
  Random random(26);
  for (int i = 0; i < 200; ++i) {
    const Shape s = random_superquadric(random, 0.05, 2.0, 5.0);
    const Pose pose{Vector3(uniform(random, -1, 1), 2.0, uniform(random, -1.0, 3.0)),
                    oracle::rotation(random)};
    const Pose plane{Vector3(0.3, 0.1, -0.2), oracle::rotation(random)};
    const Vector3 up = plane.rotation * Vector3::UnitZ();
    const double gap = -support_value(s, pose, -up) - up.dot(plane.position);
    for (const bool swapped : {false, true}) {
      const auto contacts = swapped ? oracle::collide(HalfSpace{}, plane, s, pose, 100.0)
                                    : oracle::collide(s, pose, HalfSpace{}, plane, 100.0);
      ASSERT_FALSE(contacts.empty());
      EXPECT_NEAR(oracle::least_gap(contacts), gap, 1e-14 * (1.0 + bounding_radius(s)));
      for (const ContactPoint& c : contacts) {
        EXPECT_LT((c.normal - (swapped ? up : Vector3(-up))).norm(), 1e-14);
        const Vector3& on = swapped ? c.point_b : c.point_a;
        EXPECT_NEAR(
            gauge(std::get<Superquadric>(s), pose.rotation.conjugate() * (on - pose.position)), 1.0,
            1e-8);
        EXPECT_NEAR(up.dot((swapped ? c.point_a : c.point_b) - plane.position), 0.0, 1e-13);
      }
    }
  }
}

// How many points a resting superquadric has, and how far they reach.
TEST(SuperquadricPlane, flat_sides_bring_the_corners_of_their_patch) {
  const auto resting = [](const Shape& s, const Quaternion& turn, double height, double margin) {
    return oracle::collide(HalfSpace{}, Pose(), s, oracle::at(0.0, 0.0, height, turn), margin);
  };
  const Quaternion upright = Quaternion::Identity();
  const auto reach = [](const std::vector<ContactPoint>& contacts, const Vector3& along) {
    double most = 0.0;
    for (const ContactPoint& c : contacts) most = std::max(most, along.dot(c.point_b));
    return most;
  };
  EXPECT_EQ(resting(make_superquadric({1.0, 1.0, 1.0}, 1.0, 1.0), upright, 1.0, 1e-3).size(), 1u);
  EXPECT_EQ(resting(make_superquadric({2.0, 1.0, 0.5}, 1.0, 1.0), upright, 0.5, 1e-3).size(), 1u);
  const auto block = resting(make_superquadric({1.0, 0.8, 0.5}, 0.02, 0.02), upright, 0.5, 1e-3);
  EXPECT_GE(block.size(), 5u);
  EXPECT_LE(block.size(), 13u);
  for (const double x : {-1.0, 1.0})
    for (const double y : {-1.0, 1.0})
      EXPECT_GT(reach(block, Vector3(x, y, 0.0)), 1.8 * 0.8) << x << y;
  // A drum on its cap, and on its side: two ends of a line.
  const Shape drum = make_superquadric({0.5, 0.5, 1.0}, 0.02, 1.0);
  const auto cap = resting(drum, upright, 1.0, 1e-3);
  EXPECT_GE(cap.size(), 5u);
  for (int i = 0; i < 12; ++i) {
    const double angle = i * M_PI / 6.0;
    EXPECT_GT(reach(cap, Vector3(std::cos(angle), std::sin(angle), 0.0)), 0.5 * 0.8) << i;
  }
  const auto side = resting(drum, oracle::about(Vector3::UnitY(), M_PI / 2.0), 0.5, 1e-3);
  EXPECT_GE(side.size(), 3u);
  EXPECT_GT(reach(side, Vector3::UnitX()), 0.8);
  EXPECT_GT(reach(side, -Vector3::UnitX()), 0.8);
  EXPECT_LT(reach(side, Vector3::UnitY()), 0.05);
}

// It sank by a tenth of its size: over a corner the line along the normal meets it in that corner
// alone, and the corners beside the lowest one were left out.
TEST(SuperquadricPlane, an_octahedron_brings_all_corners_of_the_face_it_lies_on) {
  const Shape octahedron = make_superquadric({1.0, 0.9, 1.1}, 2.0, 2.0);
  const Vector3 face = Vector3(1.0, 1.0 / 0.9, 1.0 / 1.1).normalized();
  for (const double tilt : {0.0, 1e-6, 0.01, 0.03})
    for (int i = 0; i < 6; ++i) {
      const Quaternion level = Quaternion::FromTwoVectors(face, -Vector3::UnitZ());
      const Vector3 axis(std::cos(i), std::sin(i), 0.0);
      const Pose pose{Vector3(0.0, 0.0, 0.55), oracle::about(axis, tilt) * level};
      const auto contacts = oracle::collide(octahedron, pose, HalfSpace{}, Pose(), 0.1);
      for (const Vector3& corner :
           {Vector3(1.0, 0.0, 0.0), Vector3(0.0, 0.9, 0.0), Vector3(0.0, 0.0, 1.1)}) {
        const Vector3 at = pose * corner;
        if (at.z() > 0.1) continue;
        EXPECT_TRUE(oracle::has_point(contacts, at, 1e-8)) << tilt << " " << i;
      }
    }
}

TEST(SuperquadricContacts, flat_sides_meet_in_the_patch_that_they_share) {
  const Shape block = make_superquadric({1.0, 1.0, 0.5}, 0.02, 0.02);
  const Shape box = Box{Vector3(1.0, 1.0, 0.5)};
  for (const Shape& under : {block, box}) {
    const auto contacts = oracle::collide(under, Pose(), block, oracle::at(0.9, 0.3, 1.0), 1e-3);
    ASSERT_GE(contacts.size(), 5u);
    double low = 1e9, high = -1e9;
    for (const ContactPoint& c : contacts) {
      EXPECT_LT((c.normal - Vector3::UnitZ()).norm(), 1e-6);
      EXPECT_LE(c.gap, 1e-3);
      low = std::min(low, c.point_a.x()), high = std::max(high, c.point_a.x());
      EXPECT_LT(c.point_a.x(), 1.02);
      EXPECT_GT(c.point_a.x(), -0.12);
      EXPECT_GT(c.point_a.y(), -0.72);
    }
    EXPECT_LT(low, 0.05);
    EXPECT_GT(high, 0.85);
  }
}

TEST(SuperquadricContacts, a_settled_detector_allocates_nothing) {
  Random random(27);
  SpatialWorkspace workspace;
  std::vector<ContactPoint> out;
  std::vector<Shape> shapes;
  std::vector<Pose> poses;
  for (int i = 0; i < 40; ++i) {
    shapes.push_back(random_superquadric(random, 0.1, 1.8, 3.0));
    poses.push_back(
        {uniform(random, 0.0, 2.0) * oracle::unit_vector(random), oracle::rotation(random)});
  }
  const auto run = [&] {
    for (std::size_t i = 0; i + 1 < shapes.size(); ++i) {
      out.clear();
      collide_spatial({&shapes[i], poses[i], &shapes[i + 1], poses[i + 1]}, 0.1, workspace, out);
    }
  };
  run();
  const std::size_t before = allocations();
  run();
  EXPECT_EQ(allocations(), before);
}

}  // namespace
}  // namespace vinci::superquadric_tests
