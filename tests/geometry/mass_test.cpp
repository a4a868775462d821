// SPDX-License-Identifier: Apache-2.0
// Mass properties against closed forms and against midpoint quadrature over membership tests.
#include "vinci/geometry/mass.h"

#include <numbers>
#include <random>

#include <gtest/gtest.h>

#include "vinci/base/error.h"
#include "vinci/geometry/build.h"

namespace vinci {
namespace {

using std::numbers::pi;

// Midpoint sums over a grid on the bounding cube: an independent route with error O(cell).
template <class Inside>
MassProperties quadrature(double half, int cells, bool planar, Inside inside) {
  const double step = 2.0 * half / cells;
  double mass = 0.0;
  Vector3 first = Vector3::Zero();
  Matrix3 second = Matrix3::Zero();
  for (int i = 0; i < cells; ++i)
    for (int j = 0; j < cells; ++j)
      for (int k = 0; k < (planar ? 1 : cells); ++k) {
        const Vector3 p(-half + (i + 0.5) * step, -half + (j + 0.5) * step,
                        planar ? 0.0 : -half + (k + 0.5) * step);
        if (!inside(p)) continue;
        const double weight = planar ? step * step : step * step * step;
        mass += weight;
        first += weight * p;
        second += weight * p * p.transpose();
      }
  const Vector3 center = first / mass;
  const Matrix3 central = second - mass * center * center.transpose();
  return {mass, center, central.trace() * Matrix3::Identity() - central};
}

void expect_close(const MassProperties& found, const MassProperties& expected, double relative) {
  EXPECT_NEAR(found.mass, expected.mass, relative * expected.mass);
  EXPECT_LT((found.center - expected.center).norm(), relative);
  EXPECT_LT((found.inertia - expected.inertia).norm(), relative * expected.inertia.norm());
}

TEST(Mass, planar_closed_forms) {
  const MassProperties disc = mass_properties(Circle{0.5}, 2.0, Extent::planar);
  EXPECT_DOUBLE_EQ(disc.mass, 2.0 * pi * 0.25);
  EXPECT_DOUBLE_EQ(disc.planar_inertia(), 0.5 * disc.mass * 0.25);

  const Polygon box = make_polygon(std::vector<Vector2>{{0, 0}, {3, 0}, {3, 2}, {0, 2}});
  const MassProperties plate = mass_properties(box, 7.0, Extent::planar);
  EXPECT_DOUBLE_EQ(plate.mass, 42.0);
  EXPECT_LT((plate.center - Vector3(1.5, 1.0, 0.0)).norm(), 1e-15);
  EXPECT_NEAR(plate.planar_inertia(), 42.0 * (9.0 + 4.0) / 12.0, 1e-12);

  const Polygon triangle = make_polygon(std::vector<Vector2>{{0, 0}, {3, 0}, {0, 4}});
  const MassProperties sheet = mass_properties(triangle, 1.0, Extent::planar);
  EXPECT_LT((sheet.center - Vector3(1.0, 4.0 / 3.0, 0.0)).norm(), 1e-15);
  EXPECT_NEAR(sheet.planar_inertia(), 6.0 * (9.0 + 16.0) / 18.0, 1e-13);
}

TEST(Mass, spatial_closed_forms) {
  const MassProperties ball = mass_properties(Sphere{2.0}, 3.0, Extent::spatial);
  EXPECT_NEAR(ball.mass, 32.0 * pi, 1e-12);
  EXPECT_NEAR(ball.inertia(0, 0), 0.4 * ball.mass * 4.0, 1e-11);
  const MassProperties box = mass_properties(Box{{1, 2, 3}}, 0.5, Extent::spatial);
  EXPECT_DOUBLE_EQ(box.mass, 24.0);
  EXPECT_NEAR(box.inertia(0, 0), 24.0 * (16.0 + 36.0) / 12.0, 1e-12);
  const MassProperties can = mass_properties(Cylinder{0.5, 1.0}, 1.0, Extent::spatial);
  EXPECT_NEAR(can.mass, 0.5 * pi, 1e-15);
  EXPECT_NEAR(can.inertia(2, 2), 0.5 * can.mass * 0.25, 1e-15);
  EXPECT_NEAR(can.inertia(0, 0), can.mass * (3 * 0.25 + 4.0) / 12.0, 1e-15);
}

TEST(Mass, capsule_without_length_is_a_circle_or_a_ball) {
  const Capsule point{Vector3::Zero(), 0.7};
  expect_close(mass_properties(point, 2.0, Extent::planar),
               mass_properties(Circle{0.7}, 2.0, Extent::planar), 1e-14);
  expect_close(mass_properties(point, 2.0, Extent::spatial),
               mass_properties(Sphere{0.7}, 2.0, Extent::spatial), 1e-14);
}

TEST(Mass, capsules_agree_with_quadrature) {
  const Capsule flat{{0.5, 0.3, 0.0}, 0.25};
  const auto distance = [](const Capsule& c, const Vector3& p) {
    const double t = std::clamp(p.dot(c.half_axis) / c.half_axis.squaredNorm(), -1.0, 1.0);
    return (p - t * c.half_axis).norm();
  };
  expect_close(mass_properties(flat, 1.0, Extent::planar),
               quadrature(0.9, 2000, true,
                          [&](const Vector3& p) { return distance(flat, p) <= flat.radius; }),
               3e-4);
  const Capsule slanted{{0.4, 0.2, -0.3}, 0.25};
  expect_close(mass_properties(slanted, 1.0, Extent::spatial),
               quadrature(0.85, 160, false,
                          [&](const Vector3& p) { return distance(slanted, p) <= slanted.radius; }),
               1e-3);
}

TEST(Mass, concave_polygon_agrees_with_quadrature) {
  const std::vector<Vector2> outline{
      {-0.8, -0.7}, {0.9, -0.5}, {0.1, 0.0}, {0.8, 0.9}, {-0.6, 0.8}};
  const auto inside = [&](const Vector3& p) {
    bool in = false;
    for (std::size_t i = 0, j = outline.size() - 1; i < outline.size(); j = i++)
      if ((outline[i].y() > p.y()) != (outline[j].y() > p.y()) &&
          p.x() < outline[i].x() + (p.y() - outline[i].y()) * (outline[j].x() - outline[i].x()) /
                                       (outline[j].y() - outline[i].y()))
        in = !in;
    return in;
  };
  expect_close(mass_properties(make_polygon(outline), 1.0, Extent::planar),
               quadrature(1.0, 2000, true, inside), 1e-4);
}

TEST(Mass, polyhedron_agrees_with_box_and_with_quadrature) {
  const Vector3 half(0.3, 0.5, 0.7);
  expect_close(mass_properties(box_polyhedron(half), 5.0, Extent::spatial),
               mass_properties(Box{half}, 5.0, Extent::spatial), 1e-14);
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> coordinate(-0.9, 0.9);
  std::vector<Vector3> points;
  for (int i = 0; i < 12; ++i)
    points.emplace_back(coordinate(random), coordinate(random), coordinate(random));
  const Polyhedron hull = convex_hull(points);
  const auto inside = [&](const Vector3& p) {
    for (std::size_t f = 0; f < hull.faces.size(); ++f)
      if (hull.face_normals[f].dot(p - hull.vertices[hull.faces[f][0]]) > 0.0) return false;
    return true;
  };
  expect_close(mass_properties(hull, 1.0, Extent::spatial), quadrature(0.9, 160, false, inside),
               2e-3);
}

TEST(Mass, body_far_from_its_origin_keeps_its_inertia) {
  std::vector<Vector2> outline{{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  for (Vector2& vertex : outline) vertex += Vector2(0x1p20, -0x1p20);
  const MassProperties found = mass_properties(make_polygon(outline), 1.0, Extent::planar);
  EXPECT_NEAR(found.planar_inertia(), 1.0 / 6.0, 1e-9);
}

TEST(Mass, parallel_axis_two_halves_make_a_whole) {
  const MassProperties half = mass_properties(Box{{0.5, 1, 1}}, 2.0, Extent::spatial);
  const Pose turned{{3, 1, 2}, Quaternion(Eigen::AngleAxisd(0.7, Vector3(1, 2, 3).normalized()))};
  const MassProperties parts[] = {transformed(half, turned * Pose{{0.5, 0, 0}}),
                                  transformed(half, turned * Pose{{-0.5, 0, 0}})};
  const MassProperties whole =
      transformed(mass_properties(Box{{1, 1, 1}}, 2.0, Extent::spatial), turned);
  expect_close(combined(parts), whole, 1e-14);
}

TEST(Mass, impossible_requests_are_refused) {
  EXPECT_THROW(mass_properties(HalfPlane{}, 1.0, Extent::planar), Error);
  EXPECT_THROW(mass_properties(HalfSpace{}, 1.0, Extent::spatial), Error);
  EXPECT_THROW(mass_properties(Circle{1.0}, 1.0, Extent::spatial), Error);
  EXPECT_THROW(mass_properties(Sphere{1.0}, 1.0, Extent::planar), Error);
  EXPECT_THROW(mass_properties(Capsule{{0, 0, 1}, 1.0}, 1.0, Extent::planar), Error);
  EXPECT_THROW(mass_properties(Sphere{1.0}, 0.0, Extent::spatial), Error);
  EXPECT_THROW(mass_properties(Sphere{1.0}, std::nan(""), Extent::spatial), Error);
  EXPECT_THROW(mass_properties(Sphere{1e150}, 1.0, Extent::spatial), Error);
}

}  // namespace
}  // namespace vinci
