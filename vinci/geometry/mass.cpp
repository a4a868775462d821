// SPDX-License-Identifier: Apache-2.0
// Mass properties in closed form. With the second moment S = ∫ x xᵀ dm about the centre the inertia
// is tr(S)·1 − S. Polygons and polyhedra sum signed simplices (origin, p₁ … p_d) of d = 2 or 3:
//   ∫ dm = ρ D / d!,  ∫ x dm = ρ D s / (d+1)!,  ∫ x xᵀ dm = ρ D (s sᵀ + Σ pᵢ pᵢᵀ) / (d+2)!
// with D = det(p₁ … p_d), s = Σ pᵢ; first from a vertex, then from the centre found, so that a body
// far from its own origin loses no digits.
#include "vinci/geometry/mass.h"

#include <fmt/format.h>

#include "vinci/base/error.h"
#include "vinci/geometry/curve.h"
#include "vinci/geometry/superquadric.h"
#include "vinci/geometry/triangle_mesh.h"

namespace vinci {

namespace {

Matrix3 inertia_of(const Matrix3& second_moment) {
  return second_moment.trace() * Matrix3::Identity() - second_moment;
}

struct Moments {
  double mass = 0.0;
  Vector3 first = Vector3::Zero();
  Matrix3 second = Matrix3::Zero();
};

void add_triangle(const Vector3& p, const Vector3& q, double density, Moments& sum) {
  const double weight = density * (p.x() * q.y() - p.y() * q.x());
  const Vector3 s = p + q;
  sum.mass += weight / 2.0;
  sum.first += weight / 6.0 * s;
  sum.second += weight / 24.0 * (s * s.transpose() + p * p.transpose() + q * q.transpose());
}

void add_tetrahedron(const Vector3& p, const Vector3& q, const Vector3& r, double density,
                     Moments& sum) {
  const double weight = density * p.dot(q.cross(r));
  const Vector3 s = p + q + r;
  sum.mass += weight / 6.0;
  sum.first += weight / 24.0 * s;
  sum.second += weight / 120.0 *
                (s * s.transpose() + p * p.transpose() + q * q.transpose() + r * r.transpose());
}

Moments moments(const Polygon& polygon, double density, const Vector3& origin) {
  Moments sum;
  const auto local = [&](const Vector2& v) -> Vector3 {
    return Vector3(v.x(), v.y(), 0.0) - origin;
  };
  for (std::size_t i = 0, n = polygon.vertices.size(); i < n; ++i)
    add_triangle(local(polygon.vertices[i]), local(polygon.vertices[(i + 1) % n]), density, sum);
  return sum;
}

Moments moments(const Polyhedron& polyhedron, double density, const Vector3& origin) {
  Moments sum;
  for (const std::vector<int>& face : polyhedron.faces) {
    const Vector3 apex = polyhedron.vertices[face[0]] - origin;
    for (std::size_t i = 2; i < face.size(); ++i)
      add_tetrahedron(apex, polyhedron.vertices[face[i - 1]] - origin,
                      polyhedron.vertices[face[i]] - origin, density, sum);
  }
  return sum;
}

Moments moments(const TriangleMesh& mesh, double density, const Vector3& origin) {
  Moments sum;
  for (const std::array<int, 3>& t : mesh.triangles)
    add_tetrahedron(mesh.vertices[t[0]] - origin, mesh.vertices[t[1]] - origin,
                    mesh.vertices[t[2]] - origin, density, sum);
  return sum;
}

template <class Faceted>
MassProperties from_simplices(const Faceted& shape, double density, const Vector3& start) {
  const Moments about_start = moments(shape, density, start);
  MassProperties result;
  result.center = start + about_start.first / about_start.mass;
  const Moments about_center = moments(shape, density, result.center);
  result.mass = about_center.mass;
  result.inertia = inertia_of(about_center.second);
  return result;
}

// A body of revolution about the unit vector `axis`: second moments along and across it.
MassProperties revolved(double mass, const Vector3& axis, double along, double across) {
  const Matrix3 outer = axis * axis.transpose();
  return {mass, Vector3::Zero(),
          inertia_of(along * outer + across * (Matrix3::Identity() - outer))};
}

// Rectangle 2c × 2r and two half discs of radius r, whose ∫ x dA is 2r³/3 each.
MassProperties stadium(const Capsule& s, double density) {
  const double c = s.half_axis.norm(), r = s.radius;
  const double core = density * 4.0 * c * r, disc = density * M_PI * r * r;
  const double across = core * r * r / 3.0 + disc * r * r / 4.0;
  const double along =
      core * c * c / 3.0 + disc * (c * c + r * r / 4.0) + density * 8.0 / 3.0 * c * r * r * r;
  const Vector3 u = c > 0.0 ? Vector3(s.half_axis / c) : Vector3::UnitX();
  const Vector3 w(-u.y(), u.x(), 0.0);
  return {core + disc, Vector3::Zero(),
          inertia_of(along * u * u.transpose() + across * w * w.transpose())};
}

// Cylinder of length 2c and two half balls of radius r, whose ∫ x dV is πr⁴/4 each.
MassProperties solid_capsule(const Capsule& s, double density) {
  const double c = s.half_axis.norm(), r = s.radius;
  const double core = density * 2.0 * c * M_PI * r * r;
  const double ball = density * 4.0 / 3.0 * M_PI * r * r * r;
  const double across = core * r * r / 4.0 + ball * r * r / 5.0;
  const double along =
      core * c * c / 3.0 + ball * (c * c + r * r / 5.0) + density * M_PI * c * r * r * r * r;
  return revolved(core + ball, c > 0.0 ? Vector3(s.half_axis / c) : Vector3::UnitX(), along,
                  across);
}

Matrix3 in_space(const Matrix2& second_moment) {
  Matrix3 result = Matrix3::Zero();
  result.topLeftCorner<2, 2>() = second_moment;
  return result;
}

MassProperties curved_sheet(const Superellipse& s, double density) {
  const AreaMoments moments = area_moments(s);
  return {density * moments.area, Vector3::Zero(), inertia_of(density * in_space(moments.second))};
}

MassProperties curved_sheet(const ImplicitCurve& s, double density) {
  return {density * s.area, Vector3(s.centroid.x(), s.centroid.y(), 0.0),
          inertia_of(density * in_space(s.second_moment))};
}

[[noreturn]] void no_extent(const Shape& shape, Extent extent) {
  throw Error(
      fmt::format("a {} has no {}", kind_of(shape), extent == Extent::planar ? "area" : "volume"));
}

MassProperties sheet(const Shape& shape, double density) {
  if (const auto* s = std::get_if<Circle>(&shape)) {
    const double mass = density * M_PI * s->radius * s->radius;
    const double second = mass * s->radius * s->radius / 4.0;
    return {mass, Vector3::Zero(), inertia_of(Vector3(second, second, 0.0).asDiagonal())};
  }
  if (const auto* s = std::get_if<Polygon>(&shape))
    return from_simplices(*s, density, Vector3(s->vertices[0].x(), s->vertices[0].y(), 0.0));
  if (const auto* s = std::get_if<Capsule>(&shape); s && s->half_axis.z() == 0.0)
    return stadium(*s, density);
  if (const auto* s = std::get_if<Superellipse>(&shape)) return curved_sheet(*s, density);
  if (const auto* s = std::get_if<ImplicitCurve>(&shape)) return curved_sheet(*s, density);
  no_extent(shape, Extent::planar);
}

MassProperties solid(const Shape& shape, double density) {
  if (const auto* s = std::get_if<Sphere>(&shape)) {
    const double mass = density * 4.0 / 3.0 * M_PI * s->radius * s->radius * s->radius;
    return {mass, Vector3::Zero(), 0.4 * mass * s->radius * s->radius * Matrix3::Identity()};
  }
  if (const auto* s = std::get_if<Box>(&shape)) {
    const double mass = density * 8.0 * s->half_extents.prod();
    const Vector3 second = mass / 3.0 * s->half_extents.cwiseAbs2();
    return {mass, Vector3::Zero(), inertia_of(second.asDiagonal())};
  }
  if (const auto* s = std::get_if<Cylinder>(&shape)) {
    const double mass = density * 2.0 * s->half_height * M_PI * s->radius * s->radius;
    return revolved(mass, Vector3::UnitZ(), mass * s->half_height * s->half_height / 3.0,
                    mass * s->radius * s->radius / 4.0);
  }
  if (const auto* s = std::get_if<Capsule>(&shape)) return solid_capsule(*s, density);
  if (const auto* s = std::get_if<Superquadric>(&shape)) {
    const VolumeMoments moments = volume_moments(*s);
    return {density * moments.volume, Vector3::Zero(),
            inertia_of((density * moments.second).asDiagonal())};
  }
  if (const auto* s = std::get_if<Polyhedron>(&shape))
    return from_simplices(*s, density, s->vertices[0]);
  if (const auto* s = std::get_if<Mesh>(&shape)) {
    if (!s->surface->closed) throw Error("an open mesh has no volume");
    return from_simplices(*s->surface, density, s->surface->vertices[0]);
  }
  no_extent(shape, Extent::spatial);
}

}  // namespace

MassProperties mass_properties(const Shape& shape, double density, Extent extent) {
  if (!(density > 0.0) || !std::isfinite(density))
    throw Error(fmt::format("density {} is impossible; accepted: a positive number", density));
  if (is_unbounded(shape)) throw Error(fmt::format("a {} has no finite mass", kind_of(shape)));
  const MassProperties result =
      extent == Extent::planar ? sheet(shape, density) : solid(shape, density);
  if (!(result.mass > 0.0) || !std::isfinite(result.mass) || !result.inertia.allFinite())
    throw Error(fmt::format("the mass of this {} is {} kg, beyond what a number can hold",
                            kind_of(shape), result.mass));
  return result;
}

MassProperties transformed(const MassProperties& properties, const Pose& pose) {
  const Matrix3 rotation = pose.rotation.toRotationMatrix();
  return {properties.mass, pose * properties.center,
          rotation * properties.inertia * rotation.transpose()};
}

MassProperties combined(std::span<const MassProperties> parts) {
  MassProperties sum;
  for (const MassProperties& part : parts) {
    sum.mass += part.mass;
    sum.center += part.mass * part.center;
  }
  if (sum.mass == 0.0) return {};
  sum.center /= sum.mass;
  for (const MassProperties& part : parts) {
    const Vector3 arm = part.center - sum.center;
    sum.inertia += part.inertia + part.mass * inertia_of(arm * arm.transpose());
  }
  return sum;
}

}  // namespace vinci
