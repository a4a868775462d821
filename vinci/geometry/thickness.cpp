// SPDX-License-Identifier: Apache-2.0
// Chords through planar shapes, widths of spatial ones.
#include <algorithm>
#include <cmath>

#include "vinci/geometry/shape.h"

namespace vinci {
namespace {

// Of a larger outline every n-th corner and edge is tried.
constexpr std::size_t most_chords = 1024;

class PolygonChords {
 public:
  explicit PolygonChords(const std::vector<Vector2>& vertices) : vertices_(vertices) {}

  // From every edge along its inward normal, from every convex corner between its edges.
  double least() const {
    const std::size_t n = vertices_.size(), stride = std::max<std::size_t>(1, n / most_chords);
    double least = infinity;
    for (std::size_t i = 0; i < n; i += stride) {
      const std::size_t before = (i + n - 1) % n, after = (i + 1) % n;
      const Vector2 inward = inward_normal(i);
      least = std::min(least, chord(0.5 * (vertices_[i] + vertices_[after]), inward, i, i));
      const Vector2 other = inward_normal(before);
      if (cross(other, inward) > 0.0)
        least = std::min(least, chord(vertices_[i], (inward + other).normalized(), before, i));
    }
    return least;
  }

 private:
  // Of the edge that begins at vertex i; the solid is on its left.
  Vector2 inward_normal(std::size_t i) const {
    const Vector2 along = vertices_[(i + 1) % vertices_.size()] - vertices_[i];
    return Vector2(-along.y(), along.x()).normalized();
  }
  // To the first other edge that is met.
  double chord(const Vector2& from, const Vector2& direction, std::size_t own,
               std::size_t also_own) const {
    double least = infinity;
    for (std::size_t i = 0, n = vertices_.size(); i < n; ++i) {
      if (i == own || i == also_own) continue;
      const Vector2 tail = vertices_[i] - from, along = vertices_[(i + 1) % n] - vertices_[i];
      const double facing = cross(direction, along);
      if (!(facing > 0.0)) continue;  // the line does not leave the solid there
      const double place = cross(tail, direction) / facing, length = cross(tail, along) / facing;
      if (place >= 0.0 && place <= 1.0 && length > 0.0) least = std::min(least, length);
    }
    return least;
  }
  const std::vector<Vector2>& vertices_;
};

// Across a convex curve, along the normals of its knots.
double least_width(const ImplicitCurve& curve) {
  const std::size_t stride = std::max<std::size_t>(1, curve.knots.size() / most_chords);
  double least = infinity;
  for (std::size_t i = 0; i < curve.knots.size(); i += stride) {
    const Vector2& normal = curve.knots[i].normal;
    double lower = infinity, upper = -infinity;
    for (const ImplicitCurve::Knot& knot : curve.knots) {
      lower = std::min(lower, normal.dot(knot.point));
      upper = std::max(upper, normal.dot(knot.point));
    }
    least = std::min(least, upper - lower);
  }
  return least;
}

struct Thickness {
  double operator()(const Circle& s) const { return 2.0 * s.radius; }
  double operator()(const Capsule& s) const { return 2.0 * s.radius; }
  double operator()(const Polygon& s) const { return PolygonChords(s.vertices).least(); }
  double operator()(const Superellipse& s) const {
    const double a = s.axes.x(), b = s.axes.y();
    return 2.0 * (s.exponent < 2.0 ? a * b / std::hypot(a, b) : std::min(a, b));
  }
  double operator()(const ImplicitCurve& s) const { return least_width(s); }
  double operator()(const Sphere& s) const { return 2.0 * s.radius; }
  double operator()(const Box& s) const { return 2.0 * s.half_extents.minCoeff(); }
  double operator()(const Cylinder& s) const { return 2.0 * std::min(s.radius, s.half_height); }
  template <class Other>
  double operator()(const Other&) const {
    return infinity;
  }
};

}  // namespace

double least_thickness(const Shape& shape) {
  const double thickness = std::visit(Thickness(), shape);
  // A convex body has a ball within it of at least volume over surface, so no width of it is less
  // than twice that.
  return std::isfinite(thickness) ? thickness : 2.0 * half_thickness(shape);
}

}  // namespace vinci
