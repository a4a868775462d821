// SPDX-License-Identifier: Apache-2.0
// Superquadrics: support points, radii of curvature, bounds, mass, and what is refused.
#include "vinci/geometry/superquadric.h"

#include <random>

#include <gtest/gtest.h>

#include "vinci/base/error.h"
#include "vinci/geometry/build.h"
#include "vinci/geometry/mass.h"

namespace vinci::superquadric_tests {
namespace {

// Written as the definition has it.
double level(const Superquadric& s, const Vector3& p) {
  const double around = std::pow(std::abs(p.x() / s.axes.x()), 2.0 / s.e2) +
                        std::pow(std::abs(p.y() / s.axes.y()), 2.0 / s.e2);
  return std::pow(around, s.e2 / s.e1) + std::pow(std::abs(p.z() / s.axes.z()), 2.0 / s.e1);
}

double between(std::mt19937_64& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

Vector3 direction(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  return Vector3(normal(random), normal(random), normal(random)).normalized();
}

Superquadric random_superquadric(std::mt19937_64& random, double least, double most) {
  const auto axis = [&] { return std::exp(between(random, -1.0, 1.0)); };
  return make_superquadric({axis(), axis(), axis()}, between(random, least, most),
                           between(random, least, most));
}

TEST(Superquadric, support_points_lie_on_the_surface_and_nothing_lies_farther) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 300; ++i) {
    const Superquadric s = random_superquadric(random, 0.15, 2.0);
    const Vector3 d = direction(random), p = support_point(s, d);
    EXPECT_NEAR(level(s, p), 1.0, 1e-12);
    EXPECT_NEAR(gauge(s, p), 1.0, 1e-14);
    // Points of the surface by its usual angles.
    for (const Vector3& q : surface_points(s, 12, 24)) {
      EXPECT_NEAR(gauge(s, q), 1.0, 1e-13);
      EXPECT_LE(d.dot(q), d.dot(p) + 1e-13);
    }
    EXPECT_LE(p.norm(), bounding_radius(s) * (1.0 + 1e-14));
  }
}

TEST(Superquadric, radii_of_curvature_are_the_differences_of_support_points) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 200; ++i) {
    const Superquadric s = random_superquadric(random, 0.4, 1.7);
    const Vector3 d = direction(random), along = direction(random);
    if (d.cwiseAbs().minCoeff() < 0.05) continue;  // not smooth across the planes of its axes
    const double step = 1e-6;
    const Vector3 slope =
        (support_point(s, d + step * along) - support_point(s, d - step * along)) / (2.0 * step);
    const CurvedPoint found = curved_support_point(s, d, 1e12);
    EXPECT_LT((found.radii * along - slope).norm(), 1e-6 * (1.0 + slope.norm())) << s.e1 << s.e2;
    EXPECT_LT((found.radii * d).norm(), 1e-12 * (1.0 + found.radii.norm()));
    EXPECT_EQ(found.point, support_point(s, d));
  }
  // An ellipsoid below its centre: a²/c and b²/c.
  const CurvedPoint below =
      curved_support_point(make_superquadric({2.0, 3.0, 5.0}, 1.0, 1.0), -Vector3::UnitZ(), 1e12);
  EXPECT_NEAR(below.radii(0, 0), 4.0 / 5.0, 1e-14);
  EXPECT_NEAR(below.radii(1, 1), 9.0 / 5.0, 1e-14);
  EXPECT_EQ(below.point, Vector3(0.0, 0.0, -5.0));
}

TEST(Superquadric, is_an_ellipsoid_an_octahedron_and_nearly_a_box_or_cylinder) {
  const Vector3 d(0.3, -0.5, 0.8);
  const Vector3 axes(1.0, 2.0, 3.0);
  const Vector3 ellipsoid = support_point(make_superquadric(axes, 1.0, 1.0), d);
  const Vector3 scaled = axes.cwiseProduct(axes).cwiseProduct(d);
  EXPECT_LT((ellipsoid - scaled / std::sqrt(scaled.dot(d))).norm(), 1e-14);
  EXPECT_EQ(support_point(make_superquadric(axes, 2.0, 2.0), d), Vector3(0.0, 0.0, 3.0));
  const Vector3 box = support_point(make_superquadric(axes, 0.002, 0.002), d);
  EXPECT_LT((box - Vector3(1.0, -2.0, 3.0)).norm(), 0.02);
  const Vector3 cylinder = support_point(make_superquadric({2.0, 2.0, 3.0}, 0.002, 1.0), d);
  const Vector3 rim = 2.0 * Vector3(0.3, -0.5, 0.0).normalized() + Vector3(0.0, 0.0, 3.0);
  EXPECT_LT((cylinder - rim).norm(), 0.02);
}

TEST(Superquadric, bounds_are_those_of_its_support_points) {
  std::mt19937_64 random(8);
  for (int i = 0; i < 50; ++i) {
    const Superquadric s = random_superquadric(random, 0.1, 2.0);
    const Pose pose{Vector3(1.0, 2.0, 3.0),
                    Quaternion(direction(random).x(), 0.3, 0.5, -0.2).normalized()};
    const Box3 box = bounding_box(s, pose);
    double farthest = 0.0;
    Box3 seen{pose.position, pose.position};
    for (const Vector3& p : surface_points(s, 200, 400)) {
      farthest = std::max(farthest, p.norm());
      seen.lower = seen.lower.cwiseMin(pose * p);
      seen.upper = seen.upper.cwiseMax(pose * p);
    }
    EXPECT_LE(farthest, bounding_radius(s) * (1.0 + 1e-13));
    EXPECT_GE(farthest, bounding_radius(s) * 0.97);
    EXPECT_LE((seen.upper - box.upper).maxCoeff(), 1e-12);
    EXPECT_LE((box.lower - seen.lower).maxCoeff(), 1e-12);
    EXPECT_LT((seen.upper - box.upper).norm(), 0.1 * bounding_radius(s));
  }
  EXPECT_DOUBLE_EQ(bounding_radius(make_superquadric({1.0, 2.0, 3.0}, 1.0, 1.0)), 3.0);
  EXPECT_NEAR(bounding_radius(make_superquadric({1.0, 2.0, 3.0}, 0.002, 0.002)), std::sqrt(14.0),
              0.02);
}

TEST(Superquadric, closed_mass_is_that_of_ellipsoid_octahedron_cylinder_and_box) {
  const Vector3 axes(1.0, 2.0, 3.0), squares(1.0, 4.0, 9.0);
  const auto mass = [&](double e1, double e2) {
    return mass_properties(make_superquadric(axes, e1, e2), 3.0, Extent::spatial);
  };
  const auto second = [](const MassProperties& m) {  // ∫ x² dm and so on
    const Vector3 moments = m.inertia.diagonal();
    return Vector3(0.5 * moments.sum() * Vector3::Ones() - moments);
  };
  const MassProperties ellipsoid = mass(1.0, 1.0);
  EXPECT_NEAR(ellipsoid.mass, 3.0 * 4.0 / 3.0 * M_PI * 6.0, 1e-12);
  EXPECT_LT((second(ellipsoid) - ellipsoid.mass / 5.0 * squares).norm(), 1e-11);
  const MassProperties octahedron = mass(2.0, 2.0);
  EXPECT_NEAR(octahedron.mass, 3.0 * 4.0 / 3.0 * 6.0, 1e-12);
  EXPECT_LT((second(octahedron) - octahedron.mass / 10.0 * squares).norm(), 1e-11);
  // Within the first order in the exponent of what they tend to.
  EXPECT_NEAR(mass(0.002, 0.002).mass, 3.0 * 48.0, 0.1);
  EXPECT_NEAR(mass(0.002, 1.0).mass, 3.0 * M_PI * 12.0, 0.1);
  // A double cone.
  EXPECT_NEAR(mass(2.0, 1.0).mass, 3.0 * 2.0 / 3.0 * M_PI * 6.0, 1e-12);
}

// Gauss' rule in layers of z and wedges, another route than Dirichlet's integrals.
TEST(Superquadric, mass_is_that_of_a_sum_over_the_set) {
  std::mt19937_64 random(13);
  for (int i = 0; i < 6; ++i) {
    const Superquadric s = random_superquadric(random, 0.5, 1.6);
    const int n = 60;
    double volume = 0.0;
    Vector3 second = Vector3::Zero();
    for (int x = 0; x < n; ++x)
      for (int y = 0; y < n; ++y)
        for (int z = 0; z < n; ++z) {
          const Vector3 p =
              s.axes.cwiseProduct((Vector3(x, y, z) + Vector3::Constant(0.5)) / double(n));
          if (level(s, p) > 1.0) continue;
          const double cell = 8.0 * s.axes.prod() / (n * n * n);
          volume += cell;
          second += cell * p.cwiseAbs2();
        }
    const VolumeMoments found = volume_moments(s);
    EXPECT_NEAR(found.volume, volume, 0.01 * volume);
    EXPECT_LT((found.second - second).cwiseQuotient(second).norm(), 0.03);
  }
}

TEST(Superquadric, a_segment_leaves_it_where_its_definition_says) {
  std::mt19937_64 random(17);
  for (int i = 0; i < 200; ++i) {
    const Superquadric s = random_superquadric(random, 0.02, 2.0);
    const Vector3 inner = 0.9 * between(random, 0.0, 1.0) * support_point(s, direction(random));
    const Vector3 outer = 3.0 * bounding_radius(s) * direction(random);
    const Vector3 on = boundary_between(s, inner, outer);
    EXPECT_NEAR(gauge(s, on), 1.0, 1e-13);
    EXPECT_LT((on - inner).normalized().cross((outer - inner).normalized()).norm(), 1e-12);
  }
}

TEST(Superquadric, impossible_numbers_are_refused) {
  const Vector3 axes(1.0, 1.0, 1.0);
  for (const double e : {0.0, -1.0, 0.0019, 2.001, double(NAN), double(INFINITY)}) {
    EXPECT_THROW(make_superquadric(axes, e, 1.0), Error) << e;
    EXPECT_THROW(make_superquadric(axes, 1.0, e), Error) << e;
  }
  for (const double a : {0.0, -1.0, 1e13, double(NAN), double(INFINITY)})
    for (int i = 0; i < 3; ++i) {
      Vector3 wrong = axes;
      wrong[i] = a;
      EXPECT_THROW(make_superquadric(wrong, 1.0, 1.0), Error) << a;
    }
  EXPECT_THROW(mass_properties(make_superquadric(axes, 1.0, 1.0), 1.0, Extent::planar), Error);
}

}  // namespace
}  // namespace vinci::superquadric_tests
