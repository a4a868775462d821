// SPDX-License-Identifier: Apache-2.0
// Names and bounds of shapes.
#include "vinci/geometry/shape.h"

#include <algorithm>

#include "vinci/geometry/curve.h"
#include "vinci/geometry/superquadric.h"
#include "vinci/geometry/triangle_mesh.h"

namespace vinci {

namespace {

Vector3 lifted(const Vector2& point) {
  return {point.x(), point.y(), 0.0};
}

template <class Points>
double farthest(const Points& points) {
  double squared = 0.0;
  for (const auto& point : points) squared = std::max(squared, point.squaredNorm());
  return std::sqrt(squared);
}

struct BoundingRadius {
  double operator()(const Circle& s) const { return s.radius; }
  double operator()(const Polygon& s) const { return farthest(s.vertices); }
  double operator()(const HalfPlane&) const { return infinity; }
  double operator()(const Capsule& s) const { return s.half_axis.norm() + s.radius; }
  double operator()(const Sphere& s) const { return s.radius; }
  double operator()(const Box& s) const { return s.half_extents.norm(); }
  double operator()(const Cylinder& s) const { return std::hypot(s.radius, s.half_height); }
  double operator()(const Polyhedron& s) const { return farthest(s.vertices); }
  double operator()(const HalfSpace&) const { return infinity; }
  double operator()(const Superellipse& s) const { return farthest_distance(s); }
  double operator()(const ImplicitCurve& s) const { return farthest_distance(s); }
  double operator()(const Mesh& s) const { return s.surface->radius; }
  double operator()(const HeightField& s) const { return s.surface->radius; }
  double operator()(const Superquadric& s) const { return farthest_distance(s); }
};

struct BoundingBox {
  const Pose& pose;

  Box3 about(const Vector3& half) const { return {pose.position - half, pose.position + half}; }
  template <class Points, class Lift>
  Box3 around(const Points& points, Lift lift) const {
    const Matrix3 rotation = pose.rotation.toRotationMatrix();
    Box3 box{Vector3::Constant(infinity), Vector3::Constant(-infinity)};
    for (const auto& point : points) {
      const Vector3 world = pose.position + rotation * lift(point);
      box.lower = box.lower.cwiseMin(world);
      box.upper = box.upper.cwiseMax(world);
    }
    return box;
  }

  // A disc is bounded in depth as if it were a sphere; nothing planar looks along z.
  Box3 operator()(const Circle& s) const { return about(Vector3::Constant(s.radius)); }
  Box3 operator()(const Polygon& s) const { return around(s.vertices, lifted); }
  Box3 operator()(const HalfPlane&) const { return about(Vector3::Constant(infinity)); }
  Box3 operator()(const Capsule& s) const {
    return about((pose.rotation * s.half_axis).cwiseAbs() + Vector3::Constant(s.radius));
  }
  Box3 operator()(const Sphere& s) const { return about(Vector3::Constant(s.radius)); }
  Box3 operator()(const Box& s) const {
    return about(pose.rotation.toRotationMatrix().cwiseAbs() * s.half_extents);
  }
  Box3 operator()(const Cylinder& s) const {
    // A disc with unit normal n reaches r·√(1 − nᵢ²) along axis i.
    const Vector3 axis = pose.rotation * Vector3::UnitZ();
    const Vector3 disc = (1.0 - axis.array().square()).max(0.0).sqrt();
    return about(s.half_height * axis.cwiseAbs() + s.radius * disc);
  }
  Box3 operator()(const Polyhedron& s) const {
    return around(s.vertices, [](const Vector3& point) { return point; });
  }
  Box3 operator()(const HalfSpace&) const { return about(Vector3::Constant(infinity)); }
  Box3 operator()(const Superellipse& s) const { return around_curve(s); }
  Box3 operator()(const ImplicitCurve& s) const { return around_curve(s); }
  Box3 operator()(const Mesh& s) const { return around_box(s.surface->box); }
  Box3 operator()(const HeightField& s) const { return around_box(s.surface->box); }
  // Around the turned box rather than around all its triangles.
  Box3 around_box(const Box3& box) const {
    const Matrix3 rotation = pose.rotation.toRotationMatrix();
    const Vector3 center = pose.position + rotation * (0.5 * (box.lower + box.upper));
    const Vector3 half = rotation.cwiseAbs() * (0.5 * (box.upper - box.lower));
    return {center - half, center + half};
  }
  Box3 operator()(const Superquadric& s) const {
    const Matrix3 rotation = pose.rotation.toRotationMatrix();
    Vector3 half;
    for (int i = 0; i < 3; ++i) {
      const Vector3 direction = rotation.row(i);
      half[i] = direction.dot(support_point(s, direction));
    }
    return about(half);
  }

  template <class Curve>
  Box3 around_curve(const Curve& curve) const {
    const Matrix3 rotation = pose.rotation.toRotationMatrix();
    Box3 box{pose.position, pose.position};
    for (int i = 0; i < 2; ++i) {
      const Vector2 direction = rotation.row(i).head<2>().transpose();
      box.lower[i] += direction.dot(support_point(curve, -direction));
      box.upper[i] += direction.dot(support_point(curve, direction));
    }
    return box;
  }
};

// Of the polygon through these points.
template <class Points, class At>
double area_over_perimeter(const Points& points, At at) {
  double area = 0.0, perimeter = 0.0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vector2 a = at(points[i]), b = at(points[(i + 1) % points.size()]);
    area += 0.5 * (a.x() * b.y() - a.y() * b.x());
    perimeter += (b - a).norm();
  }
  return area / perimeter;
}

struct HalfThickness {
  double operator()(const Circle& s) const { return 0.5 * s.radius; }
  double operator()(const Polygon& s) const {
    return area_over_perimeter(s.vertices, [](const Vector2& point) { return point; });
  }
  double operator()(const HalfPlane&) const { return infinity; }
  double operator()(const Capsule& s) const { return 0.5 * s.radius; }
  double operator()(const Sphere& s) const { return s.radius / 3.0; }
  double operator()(const Box& s) const { return 1.0 / s.half_extents.cwiseInverse().sum(); }
  double operator()(const Cylinder& s) const {
    return 1.0 / (2.0 / s.radius + 1.0 / s.half_height);
  }
  double operator()(const Polyhedron& s) const {
    double volume = 0.0, surface = 0.0;
    for (std::size_t f = 0; f < s.faces.size(); ++f) {
      Vector3 twice = Vector3::Zero();  // the area as a vector
      const std::vector<int>& face = s.faces[f];
      const Vector3& first = s.vertices[static_cast<std::size_t>(face[0])];
      for (std::size_t i = 1; i + 1 < face.size(); ++i)
        twice += (s.vertices[static_cast<std::size_t>(face[i])] - first)
                     .cross(s.vertices[static_cast<std::size_t>(face[i + 1])] - first);
      surface += 0.5 * twice.norm();
      volume += first.dot(twice) / 6.0;
    }
    return volume / surface;
  }
  double operator()(const HalfSpace&) const { return infinity; }
  // Of the rhombus within it.
  double operator()(const Superellipse& s) const {
    return 0.5 * s.axes.x() * s.axes.y() / s.axes.norm();
  }
  double operator()(const ImplicitCurve& s) const {
    return area_over_perimeter(s.knots, [](const ImplicitCurve::Knot& knot) { return knot.point; });
  }
  double operator()(const Mesh& s) const {
    return s.surface->closed ? s.surface->volume / s.surface->area : infinity;
  }
  double operator()(const HeightField&) const { return infinity; }
  // Of the octahedron within it.
  double operator()(const Superquadric& s) const {
    return 1.0 / (3.0 * s.axes.cwiseInverse().norm());
  }
};

}  // namespace

std::string kind_of(const Shape& shape) {
  static constexpr const char* names[] = {
      "circle",   "polygon",  "half-plane",   "capsule",     "sphere",
      "box",      "cylinder", "polyhedron",   "half-space",  "superellipse",
      "implicit", "mesh",     "height-field", "superquadric"};
  static_assert(std::size(names) == std::variant_size_v<Shape>);
  return names[shape.index()];
}

bool is_unbounded(const Shape& shape) {
  return std::holds_alternative<HalfPlane>(shape) || std::holds_alternative<HalfSpace>(shape);
}

bool is_curve(const Shape& shape) {
  return std::holds_alternative<Superellipse>(shape) ||
         std::holds_alternative<ImplicitCurve>(shape);
}

const TriangleMesh* triangles_of(const Shape& shape) {
  if (const auto* mesh = std::get_if<Mesh>(&shape)) return mesh->surface.get();
  if (const auto* field = std::get_if<HeightField>(&shape)) return field->surface.get();
  return nullptr;
}

double bounding_radius(const Shape& shape) {
  return std::visit(BoundingRadius{}, shape);
}

double half_thickness(const Shape& shape) {
  return std::visit(HalfThickness{}, shape);
}

Box3 bounding_box(const Shape& shape, const Pose& pose) {
  return std::visit(BoundingBox{pose}, shape);
}

}  // namespace vinci
