// SPDX-License-Identifier: Apache-2.0
// Faces that are nearly parallel: whichever axis is the best one, every point of the patch within
// the margin is a contact, and the least gap stays the exact signed distance.
#include <set>

#include <gtest/gtest.h>

#include "spatial_oracle.h"

namespace vinci {
namespace {

using namespace oracle;  // the test's own helpers

using Keys = std::set<std::pair<std::uint32_t, std::uint32_t>>;

struct Tilted {
  Shape a, b;
  Pose pose_a, pose_b;
};

// Two boxes, b over a: any yaw, a lateral offset that leaves an overlap, a tilt of a few
// microradians up to 0.1 rad, and the distance from overlap to apart.
Tilted tilted_boxes(Random& random) {
  const auto half = [&] {
    return Vector3(uniform(random, 0.03, 0.1), uniform(random, 0.03, 0.1), 0.05);
  };
  const Vector3 ha = half(), hb = half();
  const Quaternion yaw = exponential(Vector3(0, 0, uniform(random, -M_PI, M_PI)));
  const double angle = std::pow(10.0, uniform(random, -6, -1)), way = uniform(random, -M_PI, M_PI);
  const Quaternion tilt = exponential(angle * Vector3(std::cos(way), std::sin(way), 0));
  const Vector3 offset(uniform(random, -0.05, 0.05), uniform(random, -0.05, 0.05), 0.3);
  Tilted t{Box{ha}, Box{hb}, Pose{Vector3::Zero(), Quaternion::Identity()},
           Pose{offset, tilt * yaw}};
  const double gap = uniform(random, -1e-4, 1e-3);
  for (int i = 0; i < 50; ++i) {  // lowered until the exact gap is as wanted
    const double now = exhaustive_gap(Solid(t.a, t.pose_a), Solid(t.b, t.pose_b));
    if (std::abs(now - gap) < 1e-12) break;
    t.pose_b.position.z() -= now - gap;
  }
  const Pose motion{3.0 * unit_vector(random), rotation(random)};
  t.pose_a = motion * t.pose_a;
  t.pose_b = motion * t.pose_b;
  return t;
}

// Vertices of `own` (box) that stand over the facing face of `other` by more than `inset`, with gap
// at most `margin`, by coordinates in the frame of `other`.
std::vector<Vector3> vertices_over(const Shape& own, const Pose& own_pose, const Shape& other,
                                   const Pose& other_pose, double up, double margin, double inset) {
  const Vector3 half = std::get<Box>(other).half_extents, extent = std::get<Box>(own).half_extents;
  std::vector<Vector3> found;
  for (int i = 0; i < 4; ++i) {
    const Vector3 corner((i & 1 ? 1 : -1) * extent.x(), (i & 2 ? 1 : -1) * extent.y(),
                         -up * extent.z());
    const Vector3 world = own_pose * corner;
    const Vector3 local = other_pose.rotation.inverse() * (world - other_pose.position);
    if (up * local.z() - half.z() <= margin && std::abs(local.x()) < half.x() - inset &&
        std::abs(local.y()) < half.y() - inset)
      found.push_back(world);
  }
  return found;
}

TEST(SpatialNearParallel, boxes_give_every_vertex_over_the_other_face_and_the_exact_gap) {
  Random random(21);
  const double margin = 2e-3;
  int demanded = 0, by_edges = 0;
  for (int i = 0; i < 5000; ++i) {
    const Tilted t = tilted_boxes(random);
    const Solid a(t.a, t.pose_a), b(t.b, t.pose_b);
    const auto contacts = collide(t.a, t.pose_a, t.b, t.pose_b, margin);
    const double gap = exhaustive_gap(a, b);
    if (gap > margin) continue;
    ASSERT_NEAR(least_gap(contacts), gap, 1e-10 + 1.1e-6 * std::abs(gap)) << i;
    // In overlap the features are those of the touching position, which lies at most the depth
    // away.
    const double inset = 1e-9 + std::max(0.0, -gap);
    auto over = vertices_over(t.b, t.pose_b, t.a, t.pose_a, 1.0, margin - 1e-9, inset);
    const auto under = vertices_over(t.a, t.pose_a, t.b, t.pose_b, -1.0, margin - 1e-9, inset);
    over.insert(over.end(), under.begin(), under.end());
    demanded += static_cast<int>(over.size());
    for (const Vector3& v : over)
      ASSERT_TRUE(std::any_of(contacts.begin(), contacts.end(), [&](const ContactPoint& c) {
        return (c.point_a - v).norm() < 1e-8 || (c.point_b - v).norm() < 1e-8;
      })) << i;
    for (std::size_t j = 0; j < contacts.size(); ++j) {
      const ContactPoint& c = contacts[j];
      ASSERT_NEAR(a.level(c.point_a), 0.0, 2e-9) << i;
      ASSERT_NEAR(b.level(c.point_b), 0.0, 2e-9) << i;
      ASSERT_NEAR(c.normal.dot(c.point_b - c.point_a), c.gap, 1e-14) << i;
      ASSERT_LE(c.gap, margin);
      ASSERT_GT(c.normal.dot(t.pose_a.rotation * Vector3::UnitZ()), std::cos(0.5)) << i;
      if (c.gap == least_gap(contacts)) by_edges += (c.feature_a >> 30) == 1;
      for (std::size_t k = 0; k < j; ++k) {
        ASSERT_GT((c.point_a - contacts[k].point_a).norm(), 1e-10) << i;
        ASSERT_GT((c.point_b - contacts[k].point_b).norm(), 1e-10) << i;
        ASSERT_FALSE(c.feature_a == contacts[k].feature_a && c.feature_b == contacts[k].feature_b);
      }
    }
  }
  EXPECT_GT(demanded, 5000);
  EXPECT_GT(by_edges, 500);
}

}  // namespace
}  // namespace vinci
