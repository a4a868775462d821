// SPDX-License-Identifier: Apache-2.0
#include "vinci/robots/geometry_mass.h"

#include "vinci/geometry/build.h"

namespace vinci {

TriangleSoup triangles_of(const RobotGeometry& mesh) {
  TriangleSoup soup = read_mesh_triangles(mesh.file);
  for (Vector3& point : soup.points) point = point.cwiseProduct(mesh.scale);
  if (mesh.scale.prod() < 0.0)
    for (std::array<int, 3>& triangle : soup.triangles) std::swap(triangle[1], triangle[2]);
  return soup;
}

std::vector<Vector3> hull_points(const RobotGeometry& mesh) {
  std::vector<Vector3> points = read_mesh_points(mesh.file);
  for (Vector3& point : points) point = point.cwiseProduct(mesh.scale);
  return convex_hull(points).vertices;
}

MassProperties mass_of(const RobotGeometry& geometry, double density) {
  const auto of = [&](const Shape& shape) {
    return transformed(mass_properties(shape, density, Extent::spatial), geometry.origin);
  };
  const Vector3& size = geometry.size;
  switch (geometry.kind) {
    case RobotShapeKind::box:
      return of(Box{0.5 * size});
    case RobotShapeKind::cylinder:
      return of(Cylinder{size[0], 0.5 * size[1]});
    case RobotShapeKind::sphere:
      return of(Sphere{size[0]});
    case RobotShapeKind::capsule:
      return of(Capsule{Vector3(0.0, 0.0, 0.5 * size[1]), size[0]});
    case RobotShapeKind::ellipsoid: {
      const double mass = density * 4.0 / 3.0 * M_PI * size.prod();
      const Vector3 squares = size.cwiseAbs2();
      MassProperties result;
      result.mass = mass;
      result.inertia.diagonal() = mass / 5.0 * (Vector3::Constant(squares.sum()) - squares);
      return transformed(result, geometry.origin);
    }
    case RobotShapeKind::mesh:
      break;
  }
  const Mesh mesh = make_mesh(triangles_of(geometry));
  if (mesh.surface->closed) return of(mesh);
  return of(convex_hull(hull_points(geometry)));
}

}  // namespace vinci
