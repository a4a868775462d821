// SPDX-License-Identifier: Apache-2.0
// Superquadrics on meshes: against half-spaces, against boxes, and against a minimisation over
// every triangle that knows the norm of a superquadric only.
#include <gtest/gtest.h>

#include "tests/collision/mesh_oracle.h"
#include "tests/collision/spatial_oracle.h"
#include "tests/support/allocations.h"
#include "tests/support/mesh_shapes.h"
#include "vinci/geometry/superquadric.h"

namespace vinci::mesh_superquadric_tests {
namespace {

using oracle::Random;
using oracle::uniform;

Shape random_solid(Random& random, double least, double most) {
  const auto axis = [&] { return uniform(random, 0.15, 0.5); };
  const auto exponent = [&] { return std::exp(uniform(random, std::log(least), std::log(most))); };
  return make_superquadric({axis(), axis(), axis()}, exponent(), exponent());
}

std::vector<ContactPoint> touch(const Shape& a, const Pose& pose_a, const Shape& b,
                                const Pose& pose_b, double margin) {
  const auto points = oracle::collide(a, pose_a, b, pose_b, margin);
  for (const ContactPoint& p : points) {
    EXPECT_NEAR(p.normal.norm(), 1.0, 1e-12);
    EXPECT_NEAR(p.gap, p.normal.dot(p.point_b - p.point_a), 1e-12);
    EXPECT_LE(p.gap, margin);
  }
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      EXPECT_FALSE(points[i].feature_a == points[j].feature_a &&
                   points[i].feature_b == points[j].feature_b);
  return points;
}

double lowest_gap(const std::vector<ContactPoint>& points) {
  double least = infinity;
  for (const ContactPoint& p : points) least = std::min(least, p.gap);
  return least;
}

const ContactPoint& lowest(const std::vector<ContactPoint>& points) {
  return *std::min_element(points.begin(), points.end(),
                           [](const auto& p, const auto& q) { return p.gap < q.gap; });
}

Quaternion about(const Vector3& axis, double angle) {
  return Quaternion(Eigen::AngleAxisd(angle, axis.normalized()));
}

TEST(MeshSuperquadric, has_on_a_floor_of_random_triangles_the_contacts_of_a_half_space) {
  Random random(41);
  std::size_t patches = 0, overlaps = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const Mesh floor = make_mesh(meshes::floor(random, 2.0, 9));
    const Shape solid = random_solid(random, 0.05, 1.9);
    // Every other one lies on a side, level or nearly so: then the ground is not turned, for which
    // point of a flat side is the closest depends on rounding.
    const Pose ground{3.0 * oracle::unit_vector(random),
                      trial % 2 == 0 ? oracle::rotation(random) : Quaternion::Identity()};
    const Quaternion turn =
        trial % 2 == 0
            ? oracle::rotation(random)
            : about(oracle::unit_vector(random), trial % 4 == 1 ? 1e-3 : 0.0) *
                  about(trial % 3 == 0 ? Vector3::UnitX() : Vector3::UnitZ(), M_PI / 2.0);
    Pose body{Vector3(uniform(random, -0.7, 0.7), uniform(random, -0.7, 0.7), 5.0), turn};
    const double high = lowest_gap(touch(HalfSpace{}, Pose(), solid, body, 10.0));
    body.position.z() += uniform(random, -0.03, 0.03) - high;
    const Pose placed = ground * body;
    const auto expected = touch(HalfSpace{}, ground, solid, placed, 0.05);
    auto other_way = touch(solid, placed, floor, ground, 0.05);
    for (ContactPoint& c : other_way) std::swap(c.point_a, c.point_b), c.normal = -c.normal;
    patches += expected.size() > 3;
    overlaps += lowest_gap(expected) < 0.0;
    for (const auto& found : {touch(floor, ground, solid, placed, 0.05), other_way}) {
      ASSERT_EQ(found.size(), expected.size()) << trial;
      for (const ContactPoint& e : expected) {
        double nearest = infinity;
        for (const ContactPoint& c : found)
          nearest =
              std::min(nearest, (c.point_a - e.point_a).norm() + (c.point_b - e.point_b).norm() +
                                    (c.normal - e.normal).norm() + std::abs(c.gap - e.gap));
        EXPECT_LT(nearest, 1e-9) << trial;
      }
    }
  }
  EXPECT_GT(patches, 100u);
  EXPECT_GT(overlaps, 100u);
}

TEST(MeshSuperquadric, is_as_far_from_a_box_of_triangles_as_from_the_box) {
  Random random(42);
  int apart = 0, shallow = 0, deep = 0;
  for (int trial = 0; trial < 800; ++trial) {
    const Vector3 half(uniform(random, 0.1, 0.7), uniform(random, 0.1, 0.7),
                       uniform(random, 0.1, 0.7));
    const Mesh mesh = make_mesh(meshes::box(half, 1 + trial % 3));
    const Shape solid = random_solid(random, 0.05, 1.9);
    const Pose ground{3.0 * oracle::unit_vector(random), oracle::rotation(random)};
    const Pose body = ground * Pose{uniform(random, 0.0, 1.5) * oracle::unit_vector(random),
                                    oracle::rotation(random)};
    const ContactPoint exact = lowest(touch(Box{half}, ground, solid, body, 10.0));
    const auto found = touch(mesh, ground, solid, body, 10.0);
    ASSERT_FALSE(found.empty()) << trial;
    if (exact.gap > 0.0) {
      ++apart;
      EXPECT_NEAR(lowest_gap(found), exact.gap, 1e-8) << trial;
      EXPECT_LT((lowest(found).normal - exact.normal).norm(), 1e-4) << trial;
      continue;
    }
    // A short way out leads out, or nearly so, and is no detour; a long one leads on.
    const ContactPoint& way = lowest(found);
    ASSERT_LT(way.gap, 0.0) << trial;
    Pose moved = body;
    moved.position -= way.gap * way.normal;
    const double after = lowest_gap(touch(Box{half}, ground, solid, moved, 10.0));
    const bool is_shallow = exact.gap > -0.02;
    ++(is_shallow ? shallow : deep);
    EXPECT_GT(after, is_shallow ? 0.3 * exact.gap : exact.gap) << trial << " " << exact.gap;
    if (is_shallow) {
      EXPECT_GT(way.gap, 3.0 * exact.gap - 1e-9) << trial << " " << exact.gap;
    }
  }
  EXPECT_GT(apart, 200);
  EXPECT_GT(shallow, 10);
  EXPECT_GT(deep, 100);
}

// Support values, written out: no code in common with the detector.
double norm_of_dual(double u, double w, double e) {
  const double large = std::max(u, w);
  if (large == 0.0 || e == 2.0) return large;
  const double power = 2.0 / (2.0 - e);
  return large * std::pow(std::pow(u / large, power) + std::pow(w / large, power), 1.0 / power);
}

double gap_of(const oracle::Triangle& t, const Superquadric& s, const Pose& pose,
              const Vector3& n) {
  const Vector3 d = s.axes.cwiseProduct((pose.rotation.conjugate() * n).cwiseAbs());
  const double reach = norm_of_dual(norm_of_dual(d.x(), d.y(), s.e2), d.z(), s.e1);
  return n.dot(pose.position) - reach - std::max({n.dot(t[0]), n.dot(t[1]), n.dot(t[2])});
}

// The direction of largest gap from one point of space: smooth, so steps that shrink find it.
Vector3 direction_from(const Vector3& x, const Superquadric& s, const Pose& pose) {
  const oracle::Triangle point{x, x, x};
  Vector3 n = (pose.position - x).normalized();
  double gap = gap_of(point, s, pose, n), step = 0.3;
  for (int i = 0; i < 250 && step > 1e-9; ++i) {
    const Vector3 u = n.unitOrthogonal(), v = n.cross(u);
    bool better = false;
    for (int j = 0; j < 6 && !better; ++j) {
      const double angle = i + j * M_PI / 3.0;
      const Vector3 m = (n + step * (std::cos(angle) * u + std::sin(angle) * v)).normalized();
      const double value = gap_of(point, s, pose, m);
      if (value > gap) gap = value, n = m, better = true;
    }
    step = better ? std::min(0.5, 1.7 * step) : 0.5 * step;
  }
  return n;
}

// The same from a whole line, among the directions across it.
Vector3 direction_from(const Vector3& p, const Vector3& q, const Superquadric& s,
                       const Pose& pose) {
  const oracle::Triangle point{p, p, p};
  const Vector3 along = (q - p).normalized();
  const Vector3 arm = pose.position - p;
  const Vector3 u = (arm - arm.dot(along) * along).normalized(), v = along.cross(u);
  const auto at = [&](double angle) -> Vector3 {
    return std::cos(angle) * u + std::sin(angle) * v;
  };
  double best = 0.0, gap = gap_of(point, s, pose, at(0.0)), step = 0.3;
  for (int i = 0; i < 250 && step > 1e-10; ++i) {
    bool better = false;
    for (const double to : {best + step, best - step})
      if (const double value = gap_of(point, s, pose, at(to)); value > gap)
        gap = value, best = to, better = true;
    step *= better ? 1.7 : 0.5;
  }
  return at(best);
}

// Every direction bounds the distance from below, and apart the best one is that from a corner,
// from the line of an edge, or the normal.
double triangle_gap(const oracle::Triangle& t, const Superquadric& s, const Pose& pose) {
  const Vector3 normal = (t[1] - t[0]).cross(t[2] - t[0]).normalized();
  double gap = std::max(gap_of(t, s, pose, normal), gap_of(t, s, pose, -normal));
  for (std::size_t k = 0; k < 3; ++k)
    gap = std::max({gap, gap_of(t, s, pose, direction_from(t[k], s, pose)),
                    gap_of(t, s, pose, direction_from(t[k], t[(k + 1) % 3], s, pose))});
  return gap;
}

TEST(MeshSuperquadric, least_gap_with_rough_solids_is_the_distance_over_all_triangles) {
  Random random(43);
  int apart = 0, crossing = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const Mesh mesh = make_mesh(trial % 2 == 0 ? meshes::rough_ball(random, 4, 5)
                                               : meshes::torus(0.7, 0.25, 6, 4));
    const Shape solid = random_solid(random, 0.3, 1.7);
    const auto& s = std::get<Superquadric>(solid);
    const Pose ground{2.0 * oracle::unit_vector(random), oracle::rotation(random)};
    const Pose body = ground * Pose{uniform(random, 0.0, 1.8) * oracle::unit_vector(random),
                                    oracle::rotation(random)};
    const auto triangles = oracle::placed_triangles(*mesh.surface, ground);
    double distance = infinity;
    for (const auto& t : triangles) distance = std::min(distance, triangle_gap(t, s, body));
    const auto found = touch(mesh, ground, solid, body, 10.0);
    if (distance < 1e-6 || oracle::winding(triangles, body.position) > 0.5) {
      ++crossing;
      if (distance < -1e-6) {
        EXPECT_LT(lowest_gap(found), 0.0) << trial << " " << distance;
      }
      continue;
    }
    ++apart;
    EXPECT_NEAR(lowest_gap(found), distance, 1e-9) << trial;
  }
  EXPECT_GT(apart, 15);
  EXPECT_GT(crossing, 15);
}

// A superquadric that is a ball: what a ball touches, by closed forms and exact cones, it touches.
TEST(MeshSuperquadric, round_one_has_every_contact_of_a_ball) {
  Random random(45);
  int contacts = 0, overlaps = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    const Mesh mesh = make_mesh(trial % 2 == 0 ? meshes::rough_ball(random, 4, 5)
                                               : meshes::torus(0.7, 0.25, 6, 4));
    const double radius = uniform(random, 0.05, 0.4);
    const Shape solid = make_superquadric(Vector3::Constant(radius), 1.0, 1.0);
    const Pose ground{2.0 * oracle::unit_vector(random), oracle::rotation(random)};
    const Pose body = ground * Pose{uniform(random, 0.0, 1.4) * oracle::unit_vector(random),
                                    oracle::rotation(random)};
    const auto expected = touch(mesh, ground, Sphere{radius}, body, 0.2);
    const auto found = touch(mesh, ground, solid, body, 0.2);
    if (lowest_gap(expected) < 0.0) {
      ++overlaps;
      EXPECT_LT(lowest_gap(found), 0.0) << trial;
    }
    // Deeper, the rule of balls is by the centre, and the lowest point may be out at the back.
    if (lowest_gap(expected) < -0.01 * radius) continue;
    for (const ContactPoint& e : expected) {
      const bool has = std::any_of(found.begin(), found.end(), [&](const ContactPoint& c) {
        return std::abs(c.gap - e.gap) < 1e-9 && (c.point_a - e.point_a).norm() < 1e-5 &&
               (c.normal - e.normal).norm() < 1e-5;
      });
      EXPECT_TRUE(has) << trial << " " << e.gap;
      ++contacts;
    }
  }
  EXPECT_GT(contacts, 200);
  EXPECT_GT(overlaps, 100);
}

TEST(MeshSuperquadric, wholly_inside_or_through_a_wall_leaves_the_short_way) {
  const Mesh block = make_mesh(meshes::box(Vector3(1.0, 1.0, 0.6), 4));
  const Shape pebble = make_superquadric({0.05, 0.04, 0.03}, 1.0, 0.6);
  const auto inside =
      touch(block, Pose(), pebble, {Vector3(0.1, 0.1, 0.2), Quaternion::Identity()}, 0.01);
  ASSERT_EQ(inside.size(), 1u);
  EXPECT_NEAR(inside[0].gap, 0.2 - 0.03 - 0.6, 1e-12);
  EXPECT_NEAR((inside[0].normal - Vector3::UnitZ()).norm(), 0.0, 1e-12);
  // A thin plate through a thick drum, above its middle.
  const Mesh plate = make_mesh(meshes::box(Vector3(1.0, 1.0, 0.005), 4));
  const Shape drum = make_superquadric({0.2, 0.2, 0.3}, 0.1, 1.0);
  const auto through =
      touch(plate, Pose(), drum, {Vector3(0.1, 0.1, 0.1), Quaternion::Identity()}, 0.01);
  ASSERT_FALSE(through.empty());
  for (const ContactPoint& c : through) {
    EXPECT_NEAR(c.gap, 0.1 - 0.3 - 0.005, 1e-9);
    EXPECT_NEAR((c.normal - Vector3::UnitZ()).norm(), 0.0, 1e-12);
  }
}

TEST(MeshSuperquadric, settled_detection_allocates_nothing) {
  Random random(44);
  const Shape hills = make_mesh(meshes::rough_ball(random, 8, 9));
  const Shape solid = make_superquadric({0.3, 0.2, 0.4}, 0.3, 0.8);
  SpatialWorkspace workspace;
  std::vector<ContactPoint> points;
  const PlacedPair pair{&hills, Pose(), &solid, {Vector3(0.9, 0.2, 0.3), oracle::rotation(random)}};
  collide_spatial(pair, 0.1, workspace, points);
  points.clear();
  const std::size_t before = allocations();
  collide_spatial(pair, 0.1, workspace, points);
  EXPECT_EQ(allocations(), before);
}

}  // namespace
}  // namespace vinci::mesh_superquadric_tests
