// SPDX-License-Identifier: Apache-2.0
// Convex curves by their support points: the point of the set that lies farthest along a direction.
// Everything that detection and drawing need follows from it. With q = n/(n−1) the superellipse has
//   h(d) = max d·x = ((a|dx|)^q + (b|dy|)^q)^(1/q),   |x/a| = (a|dx|/h)^(1/(n−1)), likewise y.
#pragma once

#include "vinci/geometry/shape.h"

namespace vinci {

// Direction: any vector but zero. Where a straight side faces it, any point of the side; right to
// rounding times the radius of curvature along the curve, to rounding across it.
Vector2 support_point(const Superellipse& curve, const Vector2& direction);
Vector2 support_point(const ImplicitCurve& curve, const Vector2& direction);

// Largest distance of the curve from the local origin; for implicit curves to 1e-12 of their size.
double farthest_distance(const Superellipse& curve);
double farthest_distance(const ImplicitCurve& curve);

// A polygon of `count` points of the curve (4 or more), counter-clockwise, made for drawing: it
// deviates most evenly, so that points stand close where the curve bends.
std::vector<Vector2> outline_points(const Superellipse& curve, std::size_t count);
std::vector<Vector2> outline_points(const ImplicitCurve& curve, std::size_t count);

// The function of an implicit curve with its exact derivatives at a point.
struct FieldValue {
  double value;
  Vector2 gradient;
  Matrix2 hessian;
};
FieldValue field_value(const Expression& function, const Vector2& point);

// Knots of an implicit curve nearer than this, of its size, are the two sides of a corner.
inline constexpr double implicit_corner_length = 1e-13;

// Where the segment from `inner` to `outer` leaves the set f <= 0: f(inner) <= 0, and f(outer) is
// positive or not a number. Right to rounding.
Vector2 boundary_between(const Expression& function, const Vector2& inner, const Vector2& outer);

// ∫ dA, ∫ x dA and ∫ x xᵀ dA about the local origin in closed form, or about the centre by
// quadrature to 1e-12 of the size; the latter needs function, knots, centre and size only.
struct AreaMoments {
  double area = 0.0;                 // m²
  Vector2 first = Vector2::Zero();   // m³
  Matrix2 second = Matrix2::Zero();  // m⁴
};
AreaMoments area_moments(const Superellipse& curve);
AreaMoments area_moments(const ImplicitCurve& curve);

}  // namespace vinci
