// SPDX-License-Identifier: Apache-2.0
// Random curves, their contacts, and a signed distance by brute force for the tests.
#pragma once

#include "tests/collision/planar_helpers.h"
#include "vinci/collision/planar_curve.h"
#include "vinci/geometry/curve.h"

namespace vinci::planar_tests {

inline Contacts curve_contacts(const Shape& a, const Pose& pose_a, const Shape& b,
                               const Pose& pose_b, double margin) {
  PlanarOutline outline_a, outline_b;
  outline_a.place(a, pose_a);
  outline_b.place(b, pose_b);
  CurveCollider collider;
  Contacts out;
  collider.collide(outline_a, outline_b, margin, out);
  return out;
}

// The contact of the least gap.
inline ContactPoint deepest(const Contacts& contacts) {
  return *std::min_element(
      contacts.begin(), contacts.end(),
      [](const ContactPoint& p, const ContactPoint& q) { return p.gap < q.gap; });
}

inline Expression function_of(const std::string& text) {
  const std::vector<std::string> names{"x", "y"};
  return Expression::parse(text, names);
}

inline Superellipse random_superellipse(std::mt19937_64& random, double largest_ratio,
                                        double largest_exponent) {
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  const double a = std::exp(std::log(largest_ratio) * (unit(random) - 0.5));
  const double n = unit(random) < 0.1 ? 1.0 : std::pow(largest_exponent, unit(random));
  return make_superellipse({a, 1.0 / a}, n);
}

inline Vector2 world_support(const Shape& shape, const Pose& pose, const Vector2& direction) {
  const Matrix2 turn = pose.rotation.toRotationMatrix().topLeftCorner<2, 2>();
  const Vector2 local = turn.transpose() * direction, origin = pose.position.head<2>();
  if (const auto* s = std::get_if<Superellipse>(&shape))
    return origin + turn * support_point(*s, local);
  if (const auto* s = std::get_if<ImplicitCurve>(&shape))
    return origin + turn * support_point(*s, local);
  if (const auto* s = std::get_if<Circle>(&shape))
    return origin + s->radius * direction.normalized();
  if (const auto* s = std::get_if<Capsule>(&shape)) {
    const Vector2 half = turn * s->half_axis.head<2>();
    return origin + (direction.dot(half) > 0.0 ? half : Vector2(-half)) +
           s->radius * direction.normalized();
  }
  const auto& polygon = std::get<Polygon>(shape);
  Vector2 best = polygon.vertices[0];
  for (const Vector2& v : polygon.vertices)
    if (local.dot(v - best) > 0.0) best = v;
  return origin + turn * best;
}

// n·b − n·a at its least over the sets: never more than the signed distance.
inline double gap_along(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                        const Vector2& normal) {
  return normal.dot(world_support(b, pose_b, -normal) - world_support(a, pose_a, normal));
}

// The largest gap over `count` normals, evenly by angle and along either outline.
inline double sampled_gap(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                          int count) {
  double best = -std::numeric_limits<double>::infinity();
  for (int i = 0; i < count; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / count;
    best = std::max(best, gap_along(a, pose_a, b, pose_b, {std::cos(angle), std::sin(angle)}));
  }
  for (const auto& [shape, pose, sign] :
       {std::tuple(&a, &pose_a, 1.0), std::tuple(&b, &pose_b, -1.0)})
    if (const auto* s = std::get_if<Superellipse>(shape)) {
      const Matrix2 turn = pose->rotation.toRotationMatrix().topLeftCorner<2, 2>();
      for (int i = 0; i < count; ++i) {
        const double angle = 2.0 * std::numbers::pi * i / count;
        const Vector2 normal(std::cos(angle) / s->axes.x(), std::sin(angle) / s->axes.y());
        best = std::max(best, gap_along(a, pose_a, b, pose_b, sign * (turn * normal).normalized()));
      }
    }
  return best;
}

}  // namespace vinci::planar_tests
