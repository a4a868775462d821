// SPDX-License-Identifier: Apache-2.0
// Random pairs of every two bounded spatial shapes against the oracle.
#include <map>

#include <gtest/gtest.h>

#include "spatial_oracle.h"
#include "tests/support/trials.h"

namespace vinci {
namespace {

using namespace oracle;  // the test's own helpers

constexpr double far = 10.0;  // a margin that lets every pair through

struct Case {
  Shape a, b;
  Pose pose_a, pose_b;
};

// Centres from coincident to well apart.
Case random_case(int kind_a, int kind_b, Random& random) {
  Case c;
  c.a = random_shape(kind_a, random);
  c.b = random_shape(kind_b, random);
  c.pose_a = {10.0 * unit_vector(random), rotation(random)};
  c.pose_b = {c.pose_a.position + uniform(random, 0.05, 3.0) * unit_vector(random),
              rotation(random)};
  return c;
}

class SpatialPairs : public testing::TestWithParam<std::tuple<int, int>> {};

// A direction proves that the gap is at least so much; witness points that far apart prove that it
// is at most that. Together they certify every separated pair without any other algorithm.
TEST_P(SpatialPairs, separated_gap_is_certified_by_direction_and_witness_points) {
  const auto [kind_a, kind_b] = GetParam();
  Random random(static_cast<unsigned>(100 * kind_a + kind_b));
  int separated = 0;
  for (int i = 0; i < 1500; ++i) {
    const Case c = random_case(kind_a, kind_b, random);
    const Solid a(c.a, c.pose_a), b(c.b, c.pose_b);
    const auto contacts = collide(c.a, c.pose_a, c.b, c.pose_b, far);
    ASSERT_FALSE(contacts.empty());
    const double gap = least_gap(contacts);
    for (const ContactPoint& p : contacts) {
      ASSERT_NEAR(p.normal.norm(), 1.0, 1e-14);
      ASSERT_NEAR(p.gap, p.normal.dot(p.point_b - p.point_a), 1e-13);
      ASSERT_NEAR(a.level(p.point_a), 0.0, 2e-8) << i;  // 1e-8 of the size counts as inside
      ASSERT_NEAR(b.level(p.point_b), 0.0, 2e-8) << i;
      if (p.gap == gap) {
        ASSERT_NEAR(oracle::gap_along(a, b, p.normal), gap, 1e-8) << i;
        if (gap > 0.0) {
          ASSERT_NEAR((p.point_b - p.point_a).norm(), gap, 1e-9 + 1e-6 * gap) << i;
        }
      }
    }
    separated += gap > 0.0;
  }
  EXPECT_GT(separated, 100);
}

TEST_P(SpatialPairs, no_direction_beats_the_reported_depth) {
  const auto [kind_a, kind_b] = GetParam();
  Random random(static_cast<unsigned>(7000 + 100 * kind_a + kind_b));
  const bool exact = kind_a != cylinder && kind_b != cylinder;
  int overlapping = 0;
  for (int i = 0; i < (exact ? 500 : 400); ++i) {
    const Case c = random_case(kind_a, kind_b, random);
    const Solid a(c.a, c.pose_a), b(c.b, c.pose_b);
    const double gap = least_gap(collide(c.a, c.pose_a, c.b, c.pose_b, far));
    if (exact) {
      const double expected = exhaustive_gap(a, b);
      ASSERT_NEAR(gap, expected, 2e-9 + 1.1e-6 * std::abs(expected)) << i;
    } else {
      const double bound = sampled_gap(a, b, 4000, random);
      ASSERT_GE(gap, bound - 2e-9 - 1.1e-6 * std::abs(bound)) << i;
    }
    overlapping += gap < 0.0;
  }
  EXPECT_GT(overlapping, 50);
}

TEST_P(SpatialPairs, swapping_the_shapes_turns_the_contacts_round) {
  const auto [kind_a, kind_b] = GetParam();
  Random random(static_cast<unsigned>(3000 + 100 * kind_a + kind_b));
  for (int i = 0; i < 300; ++i) {
    const Case c = random_case(kind_a, kind_b, random);
    const auto forward = collide(c.a, c.pose_a, c.b, c.pose_b, 0.2);
    const auto backward = collide(c.b, c.pose_b, c.a, c.pose_a, 0.2);
    if (forward.empty()) {
      ASSERT_TRUE(backward.empty());
      continue;
    }
    ASSERT_NEAR(least_gap(forward), least_gap(backward), 3e-9 + 2e-6 * std::abs(least_gap(forward)))
        << i;
    ASSERT_EQ(forward.size(), backward.size()) << i;
    for (const ContactPoint& p : forward) {
      const bool found = std::any_of(backward.begin(), backward.end(), [&](const auto& q) {
        return p.feature_a == q.feature_b && p.feature_b == q.feature_a &&
               (p.point_a - q.point_b).norm() < 1e-7 && (p.normal + q.normal).norm() < 1e-7;
      });
      ASSERT_TRUE(found) << i;
    }
  }
}

TEST_P(SpatialPairs, rigid_motion_of_both_moves_the_contacts_along) {
  const auto [kind_a, kind_b] = GetParam();
  Random random(static_cast<unsigned>(5000 + 100 * kind_a + kind_b));
  for (int i = 0; i < 300; ++i) {
    const Case c = random_case(kind_a, kind_b, random);
    const Pose motion{5.0 * unit_vector(random), rotation(random)};
    const auto here = collide(c.a, c.pose_a, c.b, c.pose_b, 0.2);
    const auto there = collide(c.a, motion * c.pose_a, c.b, motion * c.pose_b, 0.2);
    ASSERT_EQ(here.size(), there.size()) << i;
    for (std::size_t j = 0; j < here.size(); ++j) {
      ASSERT_EQ(here[j].feature_a, there[j].feature_a) << i;
      ASSERT_EQ(here[j].feature_b, there[j].feature_b) << i;
      ASSERT_NEAR(here[j].gap, there[j].gap, 1e-9) << i;
      ASSERT_LT((motion * here[j].point_a - there[j].point_a).norm(), 1e-6) << i;
      ASSERT_LT((motion.rotation * here[j].normal - there[j].normal).norm(), 1e-6) << i;
    }
  }
}

TEST_P(SpatialPairs, beyond_the_margin_there_is_no_contact_and_within_it_there_is) {
  const auto [kind_a, kind_b] = GetParam();
  Random random(static_cast<unsigned>(9000 + 100 * kind_a + kind_b));
  for (int i = 0; i < 300; ++i) {
    const Case c = random_case(kind_a, kind_b, random);
    const double gap = least_gap(collide(c.a, c.pose_a, c.b, c.pose_b, far));
    EXPECT_TRUE(collide(c.a, c.pose_a, c.b, c.pose_b, gap - 1e-6).empty()) << i;
    const auto contacts = collide(c.a, c.pose_a, c.b, c.pose_b, gap + 1e-6);
    ASSERT_FALSE(contacts.empty()) << i;
    for (const ContactPoint& p : contacts) EXPECT_LE(p.gap, gap + 1e-6);
  }
}

// Moved along its normal a separated pair keeps witness points and normal until it touches; pushed
// further the depth is at most that much. The tolerance is what a face may lose to a tie: twice
// 1e-9 of the size (up to 1.8) and 1e-6 of the gap.
TEST_P(SpatialPairs, approach_along_the_normal_keeps_the_gap_through_touching) {
  const auto [kind_a, kind_b] = GetParam();
  Random random(static_cast<unsigned>(11000 + 100 * kind_a + kind_b));
  const bool polytopes = kind_a != cylinder && kind_b != cylinder;
  int all = 0;
  test::Trials inexact;
  for (int i = 0; i < 300; ++i) {
    Case c = random_case(kind_a, kind_b, random);
    auto contacts = collide(c.a, c.pose_a, c.b, c.pose_b, far);
    const auto first = *std::min_element(contacts.begin(), contacts.end(),
                                         [](auto& p, auto& q) { return p.gap < q.gap; });
    if (first.gap <= 0.0) continue;
    const Vector3 start = c.pose_b.position;
    for (const double gap : {1e-3, 1e-6, 1e-9, 1e-12, 0.0, -1e-12, -1e-9, -1e-6, -1e-3}) {
      c.pose_b.position = start - (first.gap - gap) * first.normal;
      contacts = collide(c.a, c.pose_a, c.b, c.pose_b, 1e-2);
      ASSERT_FALSE(contacts.empty()) << i << ' ' << gap;
      const double found = least_gap(contacts), tolerance = 4e-9 + 2e-6 * std::abs(gap);
      for (const ContactPoint& p : contacts) ASSERT_NEAR(p.normal.norm(), 1.0, 1e-14);
      ASSERT_GE(found, gap - tolerance) << i << ' ' << gap;
      if (gap >= 0.0) {
        ASSERT_LE(found, gap + tolerance) << i << ' ' << gap;
      } else if (polytopes) {
        const double expected = exhaustive_gap(Solid(c.a, c.pose_a), Solid(c.b, c.pose_b));
        ASSERT_NEAR(found, expected, tolerance) << i << ' ' << gap;
      }
      if (gap < 1e-7) continue;
      ++all;
      // Rounding of coordinates of size 20.
      if (std::abs(found - gap) >= 1e-14 * 20.0) inexact.push_back(i);
    }
  }
  ASSERT_GT(all, 100);
  // Nearly parallel features multiply the rounding of the coordinates there.
  const std::map<std::pair<std::string, std::string>, test::Trials> nearly_parallel = {
      {{"box", "box"}, {11, 278}},
      {{"polyhedron", "box"}, {8, 62, 77, 141}},
      {{"polyhedron", "cylinder"}, {72, 245}},
      {{"polyhedron", "polyhedron"}, {129}}};
  const auto known =
      nearly_parallel.find({names[std::get<0>(GetParam())], names[std::get<1>(GetParam())]});
  EXPECT_EQ(inexact, known == nearly_parallel.end() ? test::Trials() : known->second);
}

std::string pair_name(const testing::TestParamInfo<std::tuple<int, int>>& info) {
  return std::string(names[std::get<0>(info.param)]) + "_" + names[std::get<1>(info.param)];
}

INSTANTIATE_TEST_SUITE_P(all, SpatialPairs,
                         testing::Combine(testing::Range(0, int(kind_count)),
                                          testing::Range(0, int(kind_count))),
                         pair_name);

}  // namespace
}  // namespace vinci
