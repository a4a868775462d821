// SPDX-License-Identifier: Apache-2.0
// Superquadrics: norms within norms.
#include "vinci/geometry/superquadric.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "vinci/base/error.h"
#include "vinci/base/functions.h"
#include "vinci/geometry/build.h"
#include "vinci/geometry/curve.h"

namespace vinci {

namespace {

// The dual norm f of (u, w), both 0 or more, to the norm with exponent n; (x, y) is its gradient, a
// point of the unit curve xⁿ + yⁿ = 1.
struct DualNorm {
  double value, x, y;
};

DualNorm dual_norm(double u, double w, double n) {
  const bool along_x = u >= w;
  const double large = along_x ? u : w, small = along_x ? w : u;
  if (!(large > 0.0)) return {0.0, 0.0, 0.0};
  const double ratio = small / large;
  const double power = n == 2.0 ? ratio : std::pow(ratio, 1.0 / (n - 1.0));
  const double base = 1.0 + ratio * power;
  const double larger = n == 2.0 ? 1.0 / std::sqrt(base) : std::pow(base, -1.0 / n);
  const double smaller = power * larger;
  const double value = large * (larger + ratio * smaller);
  return along_x ? DualNorm{value, larger, smaller} : DualNorm{value, smaller, larger};
}

// Its second derivatives are k w², −k u w and k u². Where one argument vanishes, k is 0 or infinite
// unless n = 2.
double curve_bend(const DualNorm& norm, double u, double w, double n) {
  if (n == 1.0 || !(norm.value > 0.0)) return 0.0;
  const double large = std::max(u, w);
  if (!(std::min(u, w) > 0.0))
    return n > 2.0 ? infinity : (n < 2.0 ? 0.0 : 1.0 / (large * large * large));
  return norm.x / u * (norm.y / w) / (norm.value * (n - 1.0));
}

// k t tᵀ with an eigenvalue of at most `largest`.
Matrix3 bounded(double k, const Vector3& t, double largest) {
  const double squared = t.squaredNorm();
  if (!(squared > 0.0) || !(k > 0.0)) return Matrix3::Zero();
  return std::min(k, largest / squared) * t * t.transpose();
}

double norm_of(double x, double y, double n) {
  const double large = std::max(x, y), small = std::min(x, y);
  if (!(large > 0.0)) return 0.0;
  if (n == 2.0) return std::hypot(x, y);
  return large * std::pow(1.0 + std::pow(small / large, n), 1.0 / n);
}

double signed_power(double base, double power) {
  return std::copysign(std::pow(std::abs(base), power), base);
}

}  // namespace

Superquadric make_superquadric(const Vector3& axes, double e1, double e2) {
  constexpr double farthest = 1e12;  // m, as for polygons
  for (const double axis : {axes.x(), axes.y(), axes.z()})
    if (!(axis > 0.0) || !(axis <= farthest))
      throw Error(fmt::format("a semi-axis of {} m; accepted: positive lengths up to {:g} m", axis,
                              farthest));
  for (const auto& [name, e] : {std::pair("e1", e1), std::pair("e2", e2)}) {
    if (!(e <= 2.0))
      throw Error(
          fmt::format("with {} = {} the superquadric is not convex; accepted: from {:g} (nearly a "
                      "box) over 1 (an ellipsoid) to 2 (edges as those of an octahedron)",
                      name, e, min_superquadric_exponent));
    if (!(e >= min_superquadric_exponent))
      throw Error(fmt::format("{} = {}; accepted: from {:g} to 2, below that use a box or cylinder",
                              name, e, min_superquadric_exponent));
  }
  return {axes, e1, e2};
}

Vector3 support_point(const Superquadric& s, const Vector3& direction) {
  const Vector3 d = s.axes.cwiseProduct(direction.cwiseAbs());
  const DualNorm level = dual_norm(d.x(), d.y(), 2.0 / s.e2);
  const DualNorm whole = dual_norm(level.value, d.z(), 2.0 / s.e1);
  return {std::copysign(s.axes.x() * (whole.x * level.x), direction.x()),
          std::copysign(s.axes.y() * (whole.x * level.y), direction.y()),
          std::copysign(s.axes.z() * whole.y, direction.z())};
}

CurvedPoint curved_support_point(const Superquadric& s, const Vector3& direction, double largest) {
  const Vector3 d = s.axes.cwiseProduct(direction.cwiseAbs());
  const double q = 2.0 / s.e2, p = 2.0 / s.e1;
  const DualNorm level = dual_norm(d.x(), d.y(), q);
  const DualNorm whole = dual_norm(level.value, d.z(), p);
  const Vector3 sign(std::copysign(1.0, direction.x()), std::copysign(1.0, direction.y()),
                     std::copysign(1.0, direction.z()));
  const Vector3 scale = sign.cwiseProduct(s.axes);
  CurvedPoint result;
  result.point = scale.cwiseProduct(Vector3(whole.x * level.x, whole.x * level.y, whole.y));
  // h = F(G(x, y), z): ∇²h = F_GG ∇G ∇Gᵀ + ... + F_G ∇²G, all in scaled coordinates.
  const double outer = curve_bend(whole, level.value, d.z(), p);
  const double inner = curve_bend(level, d.x(), d.y(), q);
  if (!(level.value > 0.0)) {  // at a pole, where no way around it is the first
    const double flat = s.e1 < 1.0 ? infinity : (s.e1 > 1.0 ? 0.0 : 1.0 / d.z());
    result.radii = bounded(flat, s.axes.x() * Vector3::UnitX(), largest) +
                   bounded(flat, s.axes.y() * Vector3::UnitY(), largest);
    return result;
  }
  const Vector3 turn(d.z() * level.x, d.z() * level.y, -level.value);
  const Vector3 around(d.y(), -d.x(), 0.0);
  result.radii = bounded(outer, scale.cwiseProduct(turn), largest) +
                 bounded(whole.x * inner, scale.cwiseProduct(around), largest);
  return result;
}

double gauge(const Superquadric& s, const Vector3& point) {
  const Vector3 x = point.cwiseQuotient(s.axes).cwiseAbs();
  return norm_of(norm_of(x.x(), x.y(), 2.0 / s.e2), x.z(), 2.0 / s.e1);
}

// Secants by the Illinois rule, kept in a bracket that shrinks at least as fast as by bisection.
Vector3 boundary_between(const Superquadric& s, const Vector3& inner, const Vector3& outer) {
  const Vector3 way = outer - inner;
  double low = 0.0, high = 1.0;
  double below = gauge(s, inner) - 1.0, above = gauge(s, outer) - 1.0;
  if (above <= 0.0) return outer;
  double width = 2.0;
  for (int side = 0; high - low > 1e-16 * high;) {
    const bool slow = high - low > 0.5 * width;
    width = high - low;
    double u = slow || !(below < 0.0) ? 0.5 * (low + high) : high - above * width / (above - below);
    if (!(u > low && u < high)) u = 0.5 * (low + high);
    if (!(u > low && u < high)) break;
    const double value = gauge(s, inner + u * way) - 1.0;
    if (value <= 0.0) {
      if (side < 0) above *= 0.5;
      low = u, below = value, side = -1;
      if (value == 0.0) break;
    } else {
      if (side > 0) below *= 0.5;
      high = u, above = value, side = 1;
    }
  }
  return inner + low * way;
}

double farthest_distance(const Superquadric& s) {
  const double level = farthest_distance(Superellipse{s.axes.head<2>(), 2.0 / s.e2});
  return farthest_distance(Superellipse{{level, s.axes.z()}, 2.0 / s.e1});
}

std::vector<Vector3> surface_points(const Superquadric& s, int rows, int columns) {
  std::vector<Vector3> points;
  for (int i = 0; i <= rows; ++i) {
    const double up = M_PI * (static_cast<double>(i) / rows - 0.5);
    const double ring = i == 0 || i == rows ? 0.0 : signed_power(std::cos(up), s.e1);
    for (int j = 0; j < columns; ++j) {
      const double around = 2.0 * M_PI * j / columns;
      points.emplace_back(s.axes.x() * ring * signed_power(std::cos(around), s.e2),
                          s.axes.y() * ring * signed_power(std::sin(around), s.e2),
                          s.axes.z() * signed_power(std::sin(up), s.e1));
    }
  }
  return points;
}

// Slices of constant z are superellipses scaled by R = (1 − (z/c)^p)^(1/p); with s = 1/p
//   ∫ R² dz = 2c Γ(1+s)Γ(1+2s)/Γ(1+3s),   ∫ R⁴ dz = 2c Γ(1+s)Γ(1+4s)/Γ(1+5s),
//   ∫ z² R² dz = (2c³/3) Γ(1+3s)Γ(1+2s)/Γ(1+5s).
VolumeMoments volume_moments(const Superquadric& shape) {
  const AreaMoments slice = area_moments(Superellipse{shape.axes.head<2>(), 2.0 / shape.e2});
  const double s = 0.5 * shape.e1, c = shape.axes.z();
  const auto gamma = [s](int k) { return portable::gamma(1.0 + k * s); };
  const double fourth = 2.0 * c * gamma(1) * gamma(4) / gamma(5);
  VolumeMoments moments;
  moments.volume = slice.area * 2.0 * c * gamma(1) * gamma(2) / gamma(3);
  moments.second << slice.second(0, 0) * fourth, slice.second(1, 1) * fourth,
      slice.area * (2.0 / 3.0) * c * c * c * gamma(3) * gamma(2) / gamma(5);
  return moments;
}

}  // namespace vinci
