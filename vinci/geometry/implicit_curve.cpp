// SPDX-License-Identifier: Apache-2.0
// Implicit curves once they are made: support points by Newton's method on f = 0, ∇f × d = 0 from
// the knots around the direction, with bisection between the knots where that fails (corners, flat
// spots); moments by adaptive quadrature in polar coordinates.
#include <algorithm>
#include <array>
#include <cmath>

#include "vinci/geometry/curve.h"

namespace vinci {

namespace {

using Knot = ImplicitCurve::Knot;

// After a step of Newton's method so short, of the size, the next would be lost in rounding.
constexpr double settled = 1e-9;

// Value and derivatives of f along `line` at `point`.
Jet along(const Expression& function, const Vector2& point, const Vector2& line) {
  const std::array<Jet, 2> variables{{{point.x(), line.x(), 0.0}, {point.y(), line.y(), 0.0}}};
  return function.jet(variables);
}

// The last knot, counted around, whose normal lies not ahead of the direction: the support point is
// on the curve between it and the next knot. Normals turn once around, counter-clockwise.
std::size_t knot_before(const std::vector<Knot>& knots, const Vector2& direction) {
  // Turned clockwise from the first normal by a monotone measure of the angle, 0 to 4.
  const auto angle = [&](const Vector2& v) {
    const double c = knots[0].normal.dot(v), s = cross(knots[0].normal, v);
    const double share = s / (std::abs(c) + std::abs(s));
    return c >= 0.0 ? (s >= 0.0 ? share : 4.0 + share) : 2.0 - share;
  };
  const double wanted = angle(direction);
  std::size_t low = 0, high = knots.size();
  while (high - low > 1) {
    const std::size_t middle = (low + high) / 2;
    (angle(knots[middle].normal) <= wanted ? low : high) = middle;
  }
  return low;
}

struct Arc {
  const Knot &from, &to;
  // Inside the triangle of the chord and the two tangents, where the curve runs.
  bool holds(const Vector2& point, double slack) const {
    return from.normal.dot(point - from.point) <= slack &&
           to.normal.dot(point - to.point) <= slack &&
           cross(to.point - from.point, point - from.point) <=
               slack * (to.point - from.point).norm();
  }
};

// Newton's method; false where it does not settle within the arc.
bool newton_support(const ImplicitCurve& curve, const Arc& arc, const Vector2& direction,
                    Vector2& point) {
  const double ahead = cross(arc.from.normal, direction), behind = cross(direction, arc.to.normal);
  const double share = ahead + behind > 0.0 ? ahead / (ahead + behind) : 0.5;
  // On the parabola over the chord, whose tangents at the ends turn by as much.
  const Vector2 chord = arc.to.point - arc.from.point;
  const double bulge = 0.5 * share * (1.0 - share) * cross(arc.from.normal, arc.to.normal);
  point = arc.from.point + share * chord + bulge * Vector2(chord.y(), -chord.x());
  constexpr int most = 8;
  for (int i = 0; i < most; ++i) {
    const FieldValue f = field_value(curve.function, point);
    Matrix2 jacobian;  // of (f, ∇f × d)
    jacobian.row(0) = f.gradient.transpose();
    jacobian.row(1) = direction.y() * f.hessian.row(0) - direction.x() * f.hessian.row(1);
    const double determinant = jacobian.determinant();
    const Vector2 residual(f.value, cross(f.gradient, direction));
    const Vector2 step = Vector2(jacobian(1, 1) * residual.x() - jacobian(0, 1) * residual.y(),
                                 jacobian(0, 0) * residual.y() - jacobian(1, 0) * residual.x()) /
                         determinant;
    if (!step.allFinite()) return false;
    point -= step;
    if (!arc.holds(point, 1e-3 * curve.size)) return false;
    if (step.norm() <= settled * curve.size) return arc.holds(point, 1e-9 * curve.size);
  }
  return false;
}

// Bisection of the chord: from its points the curve is reached along the chord's normal.
Vector2 bisected_support(const ImplicitCurve& curve, const Arc& arc, const Vector2& direction) {
  Knot low = arc.from, high = arc.to;
  const double least = machine_epsilon * (curve.size + low.point.norm());
  for (int i = 0; i < 100; ++i) {
    const Vector2 chord = high.point - low.point;
    const double length = chord.norm(), turn = std::abs(cross(low.normal, high.normal));
    if (length * turn <= least || length <= implicit_corner_length * curve.size) break;
    const Vector2 outward(chord.y() / length, -chord.x() / length);
    const Vector2 middle = low.point + 0.5 * chord;
    const Vector2 point =
        boundary_between(curve.function, middle, middle + (length + 1e-9 * curve.size) * outward);
    const Vector2 gradient = field_value(curve.function, point).gradient;
    const double size = gradient.norm();
    if (!(size > 0.0) || !std::isfinite(size)) break;
    Knot& side = cross(gradient, direction) > 0.0 ? low : high;
    side = {point, gradient / size};
  }
  return direction.dot(high.point - low.point) > 0.0 ? high.point : low.point;
}

// Distance of the curve from `origin` along the unit vector (cos φ, sin φ).
double radius_at(const ImplicitCurve& curve, const Vector2& origin, double angle) {
  const Vector2 ray(std::cos(angle), std::sin(angle));
  const double far = 1.1 * (curve.size + (origin - curve.center).norm());
  return (boundary_between(curve.function, origin, origin + far * ray) - origin).norm();
}

// ∫ r²/2, r³/3 (c, s), r⁴/4 (c², cs, s²) dφ.
using Integrals = Eigen::Matrix<double, 6, 1>;

// Gauss's rule of ten points.
Integrals gauss(const ImplicitCurve& curve, const Vector2& origin, double from, double to) {
  constexpr std::array<double, 5> nodes{0.1488743389816312108848260, 0.4333953941292471907992659,
                                        0.6794095682990244062343274, 0.8650633666889845107320967,
                                        0.9739065285171717200779640};
  constexpr std::array<double, 5> weights{0.2955242247147528701738930, 0.2692667193099963550912269,
                                          0.2190863625159820439955349, 0.1494513491505805931457763,
                                          0.0666713443086881375935688};
  const double middle = 0.5 * (from + to), half = 0.5 * (to - from);
  Integrals sum = Integrals::Zero();
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (const double side : {-1.0, 1.0}) {
      const double angle = middle + side * half * nodes[i];
      const double r = radius_at(curve, origin, angle), c = std::cos(angle), s = std::sin(angle);
      const double cube = r * r * r / 3.0, fourth = r * r * r * r / 4.0;
      Integrals at;
      at << 0.5 * r * r, cube * c, cube * s, fourth * c * c, fourth * c * s, fourth * s * s;
      sum += weights[i] * at;
    }
  return half * sum;
}

// Halves are integrated again until they agree with their whole. Where the boundary itself is known
// less well than that they never do, and further halves tell nothing: their number has a bound,
// above that of a smooth arc (2) and of one with a corner (2 per halving). Such a curve then costs
// a few times what others do.
struct Quadrature {
  const ImplicitCurve& curve;
  Vector2 origin;
  Integrals tolerance;
  int left_in_all, left_here = 0;

  Integrals arc(double from, double to) {
    constexpr int deepest = 12;
    left_here = 64;
    return integral(from, to, gauss(curve, origin, from, to), deepest);
  }

  Integrals integral(double from, double to, const Integrals& whole, int depth) {
    left_in_all -= 2;
    left_here -= 2;
    const double middle = 0.5 * (from + to);
    const Integrals left = gauss(curve, origin, from, middle);
    const Integrals right = gauss(curve, origin, middle, to);
    const Integrals sum = left + right;
    if (depth == 0 || left_in_all < 0 || left_here < 0 ||
        ((sum - whole).array().abs() <= tolerance.array()).all())
      return sum;
    return integral(from, middle, left, depth - 1) + integral(middle, to, right, depth - 1);
  }
};

}  // namespace

// Three jets: the mixed derivative by polarisation, fxy = (f'' along (1, 1) − fxx − fyy) / 2.
FieldValue field_value(const Expression& function, const Vector2& point) {
  const Jet x = along(function, point, Vector2::UnitX()),
            y = along(function, point, Vector2::UnitY());
  const Jet both = along(function, point, Vector2::Ones());
  const double mixed = 0.5 * (both.second - x.second - y.second);
  FieldValue field{x.value, {x.first, y.first}, {}};
  field.hessian << x.second, mixed, mixed, y.second;
  return field;
}

// Newton's method on the segment, kept between the bounds by bisection.
Vector2 boundary_between(const Expression& function, const Vector2& inner, const Vector2& outer) {
  const Vector2 line = outer - inner;
  const double length = line.norm();
  const double least = length > 0.0 ? machine_epsilon * (inner.norm() + length) / length : 1.0;
  double low = 0.0, high = 1.0, at = 1.0;
  for (int i = 0; i < 200 && high - low > least; ++i) {
    const Jet f = along(function, inner + at * line, line);
    if (f.value == 0.0) return inner + at * line;
    (f.value < 0.0 ? low : high) = at;  // not a number counts as outside
    const double next = at - f.value / f.first;
    const bool fits = next > low && next < high && std::isfinite(next);
    if (fits && std::abs(next - at) <= settled) return inner + next * line;
    at = fits && i % 4 != 3 ? next : 0.5 * (low + high);
  }
  return inner + 0.5 * (low + high) * line;
}

Vector2 support_point(const ImplicitCurve& curve, const Vector2& direction) {
  const Vector2 unit = direction.normalized();
  const std::size_t i = knot_before(curve.knots, unit);
  const Arc arc{curve.knots[i], curve.knots[(i + 1) % curve.knots.size()]};
  const bool corner = (arc.to.point - arc.from.point).norm() <= implicit_corner_length * curve.size;
  Vector2 point;
  if (!corner && newton_support(curve, arc, unit, point)) return point;
  return bisected_support(curve, arc, unit);
}

// The support point along x never lies nearer than x: the sequence climbs from the farthest knot.
double farthest_distance(const ImplicitCurve& curve) {
  const auto farthest = std::max_element(
      curve.knots.begin(), curve.knots.end(),
      [](const Knot& a, const Knot& b) { return a.point.squaredNorm() < b.point.squaredNorm(); });
  Vector2 point = farthest->point;
  for (int i = 0; i < 1000; ++i) {
    const Vector2 next = support_point(curve, point);
    const double gain = next.norm() - point.norm();
    if (gain > 0.0) point = next;
    if (gain <= 1e-16 * curve.size) break;
  }
  return point.norm() + 1e-12 * curve.size;
}

AreaMoments area_moments(const ImplicitCurve& curve) {
  const auto angle = [&](const Knot& knot) {
    return std::atan2(knot.point.y() - curve.center.y(), knot.point.x() - curve.center.x());
  };
  const double d = curve.size;
  Integrals scale;
  scale << d * d, d * d * d, d * d * d, d * d * d * d, d * d * d * d, d * d * d * d;
  // Far from the origin the coordinates round more coarsely than that.
  const double tolerance = 1e-13 + machine_epsilon * curve.center.norm() / d;
  Quadrature quadrature{curve, curve.center,
                        tolerance / static_cast<double>(curve.knots.size()) * scale,
                        300 + 2 * static_cast<int>(curve.knots.size())};
  Integrals sum = Integrals::Zero();
  for (std::size_t i = 0; i < curve.knots.size(); ++i) {
    const double from = angle(curve.knots[i]);
    double to = angle(curve.knots[(i + 1) % curve.knots.size()]);
    if (to < from) to += 2.0 * M_PI;
    if (to - from > M_PI || to == from) continue;  // two knots at a corner, swapped by rounding
    sum += quadrature.arc(from, to);
  }
  AreaMoments moments;
  moments.area = sum[0];
  moments.first << sum[1], sum[2];
  moments.second << sum[3], sum[4], sum[4], sum[5];
  return moments;
}

}  // namespace vinci
