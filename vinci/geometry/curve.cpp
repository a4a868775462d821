// SPDX-License-Identifier: Apache-2.0
// Superellipses, and the outline of any curve from its support points.
#include "vinci/geometry/curve.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "vinci/base/error.h"
#include "vinci/base/functions.h"
#include "vinci/geometry/build.h"

namespace vinci {

namespace {

// One side of an outline: the curve between the two points lies in the triangle of the chord and
// the tangents at its ends.
struct Side {
  Vector2 point, normal;  // where it starts
  double sag = 0.0;       // height of the triangle, m
};

double sag_of(const Side& from, const Side& to) {
  const Vector2 chord = to.point - from.point;
  const double length = chord.norm(), turn = cross(from.normal, to.normal);
  if (length == 0.0 || turn <= 0.0) return 0.0;
  // L sin α sin β / sin(α + β) with α and β the angles between chord and tangents.
  const double sines = -from.normal.dot(chord) / length * (to.normal.dot(chord) / length);
  return std::max(0.0, sines) * length / turn;
}

template <class Curve>
std::vector<Vector2> outline(const Curve& curve, std::size_t count) {
  std::vector<Side> sides;
  for (const Vector2& normal :
       {Vector2(1.0, 0.0), Vector2(0.0, 1.0), Vector2(-1.0, 0.0), Vector2(0.0, -1.0)})
    sides.push_back({support_point(curve, normal), normal});
  const auto measure = [&](std::size_t i) {
    sides[i].sag = sag_of(sides[i], sides[(i + 1) % sides.size()]);
  };
  for (std::size_t i = 0; i < sides.size(); ++i) measure(i);
  while (sides.size() < count) {
    const auto worst = std::max_element(sides.begin(), sides.end(),
                                        [](const Side& a, const Side& b) { return a.sag < b.sag; });
    if (!(worst->sag > 0.0)) break;  // a polygon already
    const auto i = static_cast<std::size_t>(worst - sides.begin());
    const Vector2 chord = sides[(i + 1) % sides.size()].point - sides[i].point;
    const Vector2 normal = Vector2(chord.y(), -chord.x()).normalized();
    sides.insert(sides.begin() + static_cast<long>(i) + 1, {support_point(curve, normal), normal});
    measure(i);
    measure(i + 1);
  }
  std::vector<Vector2> points;
  for (const Side& side : sides)
    if (points.empty() || points.back() != side.point) points.push_back(side.point);
  if (points.size() > 1 && points.back() == points.front()) points.pop_back();
  return points;
}

}  // namespace

Superellipse make_superellipse(const Vector2& axes, double exponent) {
  constexpr double farthest = 1e12;  // m, as for polygons
  for (const double axis : {axes.x(), axes.y()})
    if (!(axis > 0.0) || !(axis <= farthest))
      throw Error(fmt::format("a semi-axis of {} m; accepted: positive lengths up to {:g} m", axis,
                              farthest));
  if (!(exponent >= 1.0))
    throw Error(
        fmt::format("with exponent {} the superellipse is not convex; accepted: from 1 "
                    "(rhombus) over 2 (ellipse) to {:g} (nearly a box)",
                    exponent, max_superellipse_exponent));
  if (!(exponent <= max_superellipse_exponent))
    throw Error(
        fmt::format("exponent {}; accepted: from 1 (rhombus) to {:g}, beyond that use a box",
                    exponent, max_superellipse_exponent));
  return {axes, exponent};
}

// With r the smaller of a|dx| and b|dy| over the larger and p = 1/(n−1): r^q = r·r^p, the larger
// coordinate is (1 + r^q)^(−1/n) and the smaller r^p times that; n = 1 (p infinite) included.
Vector2 support_point(const Superellipse& curve, const Vector2& direction) {
  const double u = curve.axes.x() * std::abs(direction.x());
  const double w = curve.axes.y() * std::abs(direction.y());
  const bool along_x = u >= w;
  const double ratio = along_x ? w / u : u / w;
  const double n = curve.exponent;
  const double power = n == 2.0 ? ratio : std::pow(ratio, 1.0 / (n - 1.0));
  const double base = 1.0 + ratio * power;
  const double larger = n == 2.0 ? 1.0 / std::sqrt(base) : std::pow(base, -1.0 / n);
  const double smaller = power * larger;
  return {std::copysign(curve.axes.x() * (along_x ? larger : smaller), direction.x()),
          std::copysign(curve.axes.y() * (along_x ? smaller : larger), direction.y())};
}

// The largest a²X² + b²Y² on Xⁿ + Yⁿ = 1 is the norm of (a, b) with exponent 2n/(n−2).
double farthest_distance(const Superellipse& curve) {
  const double large = curve.axes.maxCoeff(), small = curve.axes.minCoeff();
  if (curve.exponent <= 2.0) return large;
  const double power = 2.0 * curve.exponent / (curve.exponent - 2.0);
  return large * std::pow(1.0 + std::pow(small / large, power), 1.0 / power);
}

std::vector<Vector2> outline_points(const Superellipse& curve, std::size_t count) {
  return outline(curve, count);
}

std::vector<Vector2> outline_points(const ImplicitCurve& curve, std::size_t count) {
  return outline(curve, count);
}

// Dirichlet's integral: over x, y >= 0, xⁿ + yⁿ <= 1 with s = 1/n,
//   ∫ dA = Γ(1+s)² / Γ(1+2s),   ∫ x² dA = Γ(1+3s) Γ(1+s) / (3 Γ(1+4s)).
AreaMoments area_moments(const Superellipse& curve) {
  const double s = 1.0 / curve.exponent, a = curve.axes.x(), b = curve.axes.y();
  const double one = portable::gamma(1.0 + s);
  AreaMoments moments;
  moments.area = 4.0 * a * b * (one * one / portable::gamma(1.0 + 2.0 * s));
  const double second =
      4.0 / 3.0 * a * b * (portable::gamma(1.0 + 3.0 * s) * one / portable::gamma(1.0 + 4.0 * s));
  moments.second.diagonal() << second * a * a, second * b * b;
  return moments;
}

}  // namespace vinci
