// SPDX-License-Identifier: Apache-2.0
// Lines against planar outlines, and the points of a patch.
#include "vinci/stepping/contact_patch.h"

#include <cmath>

#include "vinci/geometry/curve.h"

namespace vinci {
namespace {

using Crossing = std::optional<double>;

Crossing leave_circle(const Vector2& center, double radius, const Vector2& origin,
                      const Vector2& direction) {
  const Vector2 arm = origin - center;
  const double aside = cross(direction, arm);
  if (std::abs(aside) > radius) return {};
  return -arm.dot(direction) + std::sqrt((radius - aside) * (radius + aside));
}

// A straight piece of outline with the solid on its left; its ends belong to it.
Crossing leave_edge(const Vector2& tail, const Vector2& head, const Vector2& origin,
                    const Vector2& direction) {
  const Vector2 along = head - tail;
  const double facing = cross(direction, along);  // > 0: the line leaves the solid
  if (facing <= 0.0) return {};
  const Vector2 arm = tail - origin;
  const double place = cross(arm, direction) / facing;
  constexpr double rounding = 1e-12;
  if (place < -rounding || place > 1.0 + rounding) return {};
  return cross(arm, along) / facing;
}

Crossing nearer(const Crossing& a, const Crossing& b, double near) {
  if (!a || !b) return a ? a : b;
  return std::abs(*b - near) < std::abs(*a - near) ? b : a;
}

Crossing later(const Crossing& a, const Crossing& b) {
  if (!a || !b) return a ? a : b;
  return std::max(*a, *b);
}

Crossing leave_polygon(const Polygon& polygon, const Vector2& origin, const Vector2& direction,
                       double near) {
  Crossing found;
  for (std::size_t i = 0, n = polygon.vertices.size(); i < n; ++i)
    found = nearer(
        found, leave_edge(polygon.vertices[i], polygon.vertices[(i + 1) % n], origin, direction),
        near);
  return found;
}

// Convex: of its parts the last one to be left.
Crossing leave_capsule(const Capsule& capsule, const Vector2& origin, const Vector2& direction) {
  const Vector2 half = capsule.half_axis.head<2>();
  Crossing found = later(leave_circle(-half, capsule.radius, origin, direction),
                         leave_circle(half, capsule.radius, origin, direction));
  if (half.squaredNorm() == 0.0) return found;
  const Vector2 side = capsule.radius * Vector2(half.y(), -half.x()).normalized();
  found = later(found, leave_edge(side - half, side + half, origin, direction));
  return later(found, leave_edge(half - side, -side - half, origin, direction));
}

// A convex set known by whether a point lies in it: samples of the line, then bisection.
template <class Inside>
Crossing leave_convex(const Inside& inside, const Vector2& center, double size,
                      const Vector2& origin, const Vector2& direction) {
  constexpr int samples = 256;
  const double middle = (center - origin).dot(direction);
  const auto at = [&](double u) { return inside(origin + u * direction); };
  for (int k = samples; k >= 0; --k) {
    double inner = middle + size * (2.0 * k / samples - 1.0);
    if (!at(inner)) continue;
    double outer = inner + 2.0 * size / samples;
    for (int i = 0; i < 64 && outer - inner > 1e-16 * size; ++i) {
      const double half = 0.5 * (inner + outer);
      (at(half) ? inner : outer) = half;
    }
    return inner;
  }
  return {};
}

}  // namespace

std::optional<double> leaving(const Shape& shape, const Vector2& origin, const Vector2& direction,
                              double near) {
  if (const auto* circle = std::get_if<Circle>(&shape))
    return leave_circle(Vector2::Zero(), circle->radius, origin, direction);
  if (const auto* polygon = std::get_if<Polygon>(&shape))
    return leave_polygon(*polygon, origin, direction, near);
  if (const auto* capsule = std::get_if<Capsule>(&shape))
    return leave_capsule(*capsule, origin, direction);
  if (std::holds_alternative<HalfPlane>(shape))
    return direction.y() > 1e-12 ? Crossing(-origin.y() / direction.y()) : Crossing();
  if (const auto* curve = std::get_if<Superellipse>(&shape)) {
    const auto inside = [&](const Vector2& point) {
      return std::pow(std::abs(point.x() / curve->axes.x()), curve->exponent) +
                 std::pow(std::abs(point.y() / curve->axes.y()), curve->exponent) <=
             1.0;
    };
    return leave_convex(inside, Vector2::Zero(), curve->axes.norm(), origin, direction);
  }
  if (const auto* curve = std::get_if<ImplicitCurve>(&shape)) {
    const auto inside = [&](const Vector2& point) {
      return field_value(curve->function, point).value <= 0.0;
    };
    return leave_convex(inside, curve->center, curve->size, origin, direction);
  }
  return {};
}

void append_patch(const Model& model, std::span<const Pose> poses, const Contact& contact,
                  const PatchPoints& points, double reach, ContactSet& out) {
  const int n = points.count();
  const Vector3 tangent(-contact.normal.y(), contact.normal.x(), 0.0);
  const Vector3 middle = 0.5 * (contact.point_a + contact.point_b);
  // Distance along the normal from `middle` to the outline of a shape that faces along `sign` n.
  const auto outline = [&](std::uint32_t shape, double sign, double offset) -> Crossing {
    const PlacedShape& placed = model.shapes[shape];
    const Pose pose = poses[placed.body] * placed.offset;
    const Vector3 origin = pose.rotation.conjugate() * (middle + offset * tangent - pose.position);
    const Vector3 direction = pose.rotation.conjugate() * (sign * contact.normal);
    return leaving(placed.shape, origin.head<2>(), direction.head<2>(), -0.5 * contact.gap);
  };
  for (int i = 0; i < n; ++i) {
    Contact point = contact;
    point.patch_point = i;
    if (2 * i + 1 != n) {
      const double offset = points.offset(i);
      const Crossing a = outline(contact.key.shape_a(), 1.0, offset);
      const Crossing b = outline(contact.key.shape_b(), -1.0, offset);
      if (!a || !b) continue;
      point.point_a = middle + offset * tangent + *a * contact.normal;
      point.point_b = middle + offset * tangent - *b * contact.normal;
      point.gap = -(*a + *b);
    }
    if (point.gap <= reach) out.push_back(point);
  }
}

}  // namespace vinci
