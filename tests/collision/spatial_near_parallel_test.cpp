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

TEST(SpatialNearParallel, keys_of_the_patch_survive_a_rocking_motion) {
  const Shape box = Box{Vector3(0.05, 0.05, 0.05)};
  const Pose below{Vector3::Zero(), Quaternion::Identity()};
  const Quaternion yaw = exponential(Vector3(0, 0, 0.4));
  const auto keys_at = [&](const Vector3& tilt) {
    Pose above{Vector3(0.013, 0.021, 0.2), exponential(tilt) * yaw};
    above.position.z() -= exhaustive_gap(Solid(box, below), Solid(box, above));
    Keys keys;
    for (const ContactPoint& c : collide(box, below, box, above, 1.5e-3))
      keys.insert({c.feature_a, c.feature_b});
    return keys;
  };
  const Keys keys = keys_at(Vector3::Zero());
  EXPECT_GE(keys.size(), 5u);
  for (int i = 0; i < 1000; ++i)  // about both axes, so that every corner is once the deepest
    ASSERT_EQ(keys_at(Vector3(4e-3 * std::sin(0.1 * i), 4e-3 * std::cos(0.037 * i), 0)), keys) << i;
}

// A long body lies across a box and reaches over both of its edges: whichever end is lower, the
// crossings with both edges are contacts.
TEST(SpatialNearParallel, long_round_bodies_across_a_box_touch_both_of_its_edges) {
  const Shape box = Box{Vector3(0.05, 0.2, 0.05)};
  const Pose below{Vector3::Zero(), Quaternion::Identity()};
  Random random(22);
  for (int i = 0; i < 1000; ++i)
    for (const bool capsule : {true, false}) {
      const Shape body =
          capsule ? Shape(Capsule{Vector3(0, 0, 0.15), 0.02}) : Shape(Cylinder{0.02, 0.15});
      const double tilt = (i & 1 ? 1 : -1) * std::pow(10.0, uniform(random, -6, -2.2));
      const double yaw = uniform(random, -0.5, 0.5), gap = uniform(random, -1e-5, 1e-4);
      const Quaternion lying = exponential(Vector3(0, M_PI / 2 + tilt, 0));
      const double height = 0.07 + 0.05 * std::abs(tilt) + gap;
      const Pose above{Vector3(0, 0, height), exponential(Vector3(0, 0, yaw)) * lying};
      const auto contacts = collide(box, below, body, above, 2e-3);
      for (const double x : {-0.05, 0.05})
        ASSERT_TRUE(std::any_of(contacts.begin(), contacts.end(),
                                [&](const ContactPoint& c) {
                                  return std::abs(c.point_a.x() - x) < 1e-9 &&
                                         std::abs(c.point_a.y() - x * std::tan(yaw)) < 1e-3;
                                }))
            << i << ' ' << capsule;
    }
}

TEST(SpatialNearParallel, tilted_cylinder_over_an_edge_keeps_its_rim_points_and_crossings) {
  const Shape box = Box{Vector3(0.05, 0.05, 0.05)}, cylinder = Cylinder{0.03, 0.05};
  const Pose below{Vector3::Zero(), Quaternion::Identity()};
  Random random(23);
  for (int i = 0; i < 300; ++i) {
    const double way = uniform(random, -M_PI, M_PI), tilt = std::pow(10.0, uniform(random, -6, -2));
    const Vector3 axis(std::cos(way), std::sin(way), 0);
    Pose above{Vector3(0.045, 0, 0.2), exponential(tilt * axis)};
    for (int k = 0; k < 4; ++k)  // lowered until the gap is as wanted
      above.position.z() -= least_gap(collide(box, below, cylinder, above, 1.0)) - 1e-5;
    const auto contacts = collide(box, below, cylinder, above, 2e-3);
    ASSERT_NEAR(least_gap(contacts), 1e-5, 1e-7) << i;
    for (const Vector3& rim :
         {Vector3(-0.03, 0, -0.05), Vector3(0, 0.03, -0.05), Vector3(0, -0.03, -0.05)})
      ASSERT_TRUE(std::any_of(contacts.begin(), contacts.end(), [&](const ContactPoint& c) {
        return (c.point_b - above * rim).norm() < 1e-9;
      })) << i;
    int crossings = 0;
    for (const ContactPoint& c : contacts)
      crossings += std::abs(c.point_a.x() - 0.05) < 1e-9 && std::abs(c.point_a.y()) > 0.02;
    ASSERT_EQ(crossings, 2) << i;
  }
}

// Brute force: does the vertex stand over a face of the polyhedron that looks along d, within the
// height?
bool stands_over(const Vector3& v, const Polyhedron& p, const Pose& pose, const Vector3& d,
                 double height) {
  const Vector3 x = pose.inverse() * v, way = pose.rotation.inverse() * d;
  for (std::size_t f = 0; f < p.faces.size(); ++f) {
    const Vector3& m = p.face_normals[f];
    const auto& loop = p.faces[f];
    const auto corner = [&](std::size_t i) {
      return p.vertices[static_cast<std::size_t>(loop[i % loop.size()])];
    };
    const double above = m.dot(x - corner(0));
    bool over = m.dot(way) > std::cos(0.2) && above >= 0.0 && above <= height;
    for (std::size_t i = 0; i < loop.size() && over; ++i) {
      const Vector3 side = (corner(i + 1) - corner(i)).cross(m).normalized();
      over = side.dot(x - corner(i)) < -1e-6;
    }
    if (over) return true;
  }
  return false;
}

TEST(SpatialNearParallel, hulls_of_many_small_faces_keep_every_vertex_over_any_near_face) {
  Random random(24);
  int demanded = 0;
  for (int i = 0; i < 100; ++i) {
    Polyhedron hulls[2];
    for (Polyhedron& hull : hulls) {
      std::vector<Vector3> points;
      for (int k = 0; k < 80; ++k)  // flattened: neighbouring faces are nearly parallel
        points.push_back(unit_vector(random).cwiseProduct(Vector3(0.1, 0.1, 0.01)));
      hull = convex_hull(points);
    }
    const Shape a = hulls[0], b = hulls[1];
    const Pose pose_a{Vector3::Zero(), rotation(random)};
    Pose pose_b = pose_a * Pose{Vector3(uniform(random, -0.02, 0.02), 0, 0.05),
                                exponential(Vector3(0.01, -0.02, uniform(random, -3, 3)))};
    const Vector3 up = pose_a.rotation * Vector3::UnitZ();
    pose_b.position -= (least_gap(collide(a, pose_a, b, pose_b, 1.0)) - 1e-4) * up;
    const double margin = 2e-3;
    const auto contacts = collide(a, pose_a, b, pose_b, margin);
    ASSERT_FALSE(contacts.empty());
    const auto deepest = std::min_element(contacts.begin(), contacts.end(),
                                          [](auto& p, auto& q) { return p.gap < q.gap; });
    const Vector3 n = deepest->normal;
    const auto demand = [&](const Vector3& v) {
      ++demanded;
      return std::any_of(contacts.begin(), contacts.end(), [&](const ContactPoint& c) {
        return (c.point_a - v).norm() < 1e-8 || (c.point_b - v).norm() < 1e-8;
      });
    };
    for (const Vector3& v : hulls[0].vertices)
      if (stands_over(pose_a * v, hulls[1], pose_b, -n, 0.9 * margin)) {
        ASSERT_TRUE(demand(pose_a * v)) << i;
      }
    for (const Vector3& v : hulls[1].vertices)
      if (stands_over(pose_b * v, hulls[0], pose_a, n, 0.9 * margin)) {
        ASSERT_TRUE(demand(pose_b * v)) << i;
      }
  }
  EXPECT_GT(demanded, 100);
}

}  // namespace
}  // namespace vinci
