// SPDX-License-Identifier: Apache-2.0
// The maps and their derivatives, law by law.
#include "vinci/newton/law_maps.h"

#include <algorithm>
#include <cmath>

#include "vinci/complementarity/law_moments.h"
#include "vinci/newton/fischer.h"

namespace vinci {
namespace {

// An element of the derivative of the root where it has none: that of a nearby point, this far off
// relative to its arguments: more than their rounding, less than any digit that is asked for.
constexpr double offset_at_kinks = 1e-10;

struct Scalar {
  double value, by_x, by_w;
};

// lower <= x <= upper in the unit of w.
Scalar scalar_map(LawMap map, double lower, double upper, double x, double w) {
  if (map != LawMap::fischer_burmeister) {
    if (std::isfinite(lower) && x - lower < w) return {x - lower, 1.0, 0.0};
    if (std::isfinite(upper) && x - upper > w) return {x - upper, 1.0, 0.0};
    return {w, 0.0, 1.0};
  }
  const Fischer phi = fischer_box(x, w, lower, upper);
  return {phi.value, phi.by_a, phi.by_b};
}

// A small square matrix, row-major.
struct Square {
  int size;
  double* at;
  double& operator()(int i, int j) const { return at[i * size + j]; }
  void set_identity(double value) const {
    std::fill(at, at + size * size, 0.0);
    for (int i = 0; i < size; ++i) (*this)(i, i) = value;
  }
};

// t = P_B(r)(z) for the tangents; where it is cut: its direction e, else `cut` is false.
struct Cut {
  bool cut = false;
  double length = 0.0, e[3] = {0.0, 0.0, 0.0};
};

Cut cut_to(int count, double radius, const double* z) {
  Cut result;
  result.length = law::norm(count, z);
  result.cut = radius == 0.0 || !(result.length <= radius);
  for (int i = 0; i < count && result.cut && result.length > 0.0; ++i)
    result.e[i] = z[i] / result.length;
  return result;
}

// The rows first .. first + count − 1 of x − P_B(r)(z), r moving by (by_x, by_w) with the normal.
void tangential_rows(int first, int count, double radius, const double* x, const double* z,
                     const double slope[2], double* phi, const Square& by_x, const Square& by_w) {
  const Cut cut = cut_to(count, radius, z + first);
  for (int i = 0; i < count; ++i) {
    const double projected = cut.cut ? radius * cut.e[i] : z[first + i];
    phi[first + i] = x[first + i] - projected;
    if (!by_x.at) continue;
    for (int j = 0; j < count; ++j) {
      const double one = i == j ? 1.0 : 0.0;
      const double turning = radius > 0.0 ? radius / cut.length : 0.0;
      const double P = cut.cut ? turning * (one - cut.e[i] * cut.e[j]) : one;
      by_x(first + i, first + j) = one - P;
      by_w(first + i, first + j) = P;
    }
    if (first == 0 || !cut.cut) continue;
    by_x(first + i, 0) = -cut.e[i] * slope[0];
    by_w(first + i, 0) = -cut.e[i] * slope[1];
  }
}

void friction_map(LawMap map, const Block& block, const MapPoint& point, const double* x,
                  const double* w, double* phi, const Square& by_x, const Square& by_w) {
  double z[largest_mapped_block];
  for (int i = 0; i < block.size; ++i) z[i] = x[i] - w[i];
  const bool pressed = z[0] > 0.0;
  phi[0] = pressed ? w[0] : x[0];
  if (by_x.at) {
    by_x.set_identity(0.0), by_w.set_identity(0.0);
    (pressed ? by_w : by_x)(0, 0) = 1.0;
  }
  const bool own = map == LawMap::jean_moreau;  // the radius is that of x itself
  const double normal = std::max(own ? x[0] : z[0], 0.0);
  const auto rows = [&](int first, int count, double mu) {
    const double slope[2] = {normal > 0.0 ? mu : 0.0, normal > 0.0 && !own ? -mu : 0.0};
    tangential_rows(first, count, mu * normal, x, z, slope, phi, by_x, by_w);
  };
  if (block.law != Law::moments) return rows(1, block.size - 1, block.friction);
  for (const law::Ball& ball : law::scaled(law::balls_of(block), point.length))
    rows(ball.first, ball.count, ball.limit);
}

// P_K and its derivative.
void project_cone(int size, double mu, double* z, const Square& P) {
  const double length = law::norm(size - 1, z + 1);
  if (z[0] >= 0.0 && length <= mu * z[0]) return P.set_identity(1.0);
  if (mu * length <= -z[0]) {
    std::fill(z, z + size, 0.0);
    return P.set_identity(0.0);
  }
  const double cosine = 1.0 / std::hypot(1.0, mu), sine = mu * cosine;
  const double along = z[0] * cosine + length * sine, turning = along * sine / length;
  double ray[3] = {cosine, 0.0, 0.0};
  for (int i = 1; i < size; ++i) ray[i] = sine * z[i] / length;
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < size; ++j) {
      P(i, j) = ray[i] * ray[j];
      if (i > 0 && j > 0)
        P(i, j) += turning * ((i == j ? 1.0 : 0.0) - z[i] / length * (z[j] / length));
    }
  for (int i = 0; i < size; ++i) z[i] = along * ray[i];
}

// ŵ, and by_w ← by_w ∂ŵ/∂w.
struct Shift {
  double w[3];
  double gradient[3] = {0.0, 0.0, 0.0};  // of ŵ_n by w_t, less that of w_n
  Shift(const Block& block, const MapPoint& point, const double* given) {
    std::copy(given, given + block.size, w);
    if (block.law != Law::coulomb) return;
    if (point.frozen >= 0.0) {
      w[0] += point.frozen;
      return;
    }
    const double speed = law::norm(block.size - 1, given + 1);
    w[0] += block.friction * speed;
    for (int i = 1; i < block.size && speed > 0.0; ++i)
      gradient[i] = block.friction * given[i] / speed;
  }
  void chain(const Square& by_w) const {
    for (int i = 0; i < by_w.size; ++i)
      for (int j = 1; j < by_w.size; ++j) by_w(i, j) += by_w(i, 0) * gradient[j];
  }
};

void natural_cone(const Block& block, const MapPoint& point, const double* x, const double* w,
                  double* phi, const Square& by_x, const Square& by_w) {
  const Shift shift(block, point, w);
  double z[3], derivative[9];
  const Square P{block.size, derivative};
  for (int i = 0; i < block.size; ++i) z[i] = x[i] - shift.w[i];
  project_cone(block.size, block.friction, z, P);
  for (int i = 0; i < block.size; ++i) phi[i] = x[i] - z[i];
  if (!by_x.at) return;
  for (int i = 0; i < block.size; ++i)
    for (int j = 0; j < block.size; ++j) {
      by_x(i, j) = (i == j ? 1.0 : 0.0) - P(i, j);
      by_w(i, j) = P(i, j);
    }
  shift.chain(by_w);
}

// D = 1 − L_z⁻¹ L_x with L_x the matrix of the Jordan product by x, L_z⁻¹ in closed form.
void jordan_derivative(const Square& D, const double* z, const double* x) {
  const int size = D.size;
  double squares = 0.0;
  for (int i = 1; i < size; ++i) squares += z[i] * z[i];
  const double length = std::sqrt(squares), determinant = (z[0] - length) * (z[0] + length);
  for (int j = 0; j < size; ++j) {
    double column[3];  // L_x e_j
    column[0] = x[j];
    for (int i = 1; i < size; ++i) column[i] = j == 0 ? x[i] : (i == j ? x[0] : 0.0);
    double along = 0.0;
    for (int i = 1; i < size; ++i) along += z[i] * column[i];
    const double first = (z[0] * column[0] - along) / determinant;
    for (int i = 0; i < size; ++i)
      D(i, j) = (i == j ? 1.0 : 0.0) - (i == 0 ? first : (column[i] - z[i] * first) / z[0]);
  }
}

void fischer_cone(const Block& block, const MapPoint& point, const double* x, const double* w,
                  double* phi, const Square& by_x, const Square& by_w) {
  const int size = block.size;
  const Shift shift(block, point, w);
  const double root = std::sqrt(block.friction);
  double a[3], b[3], v[3] = {0.0, 0.0, 0.0}, z[3];
  for (int i = 0; i < size; ++i) {
    a[i] = i == 0 ? root * x[0] : x[i] / root;
    b[i] = i == 0 ? shift.w[0] / root : root * shift.w[i];
    v[0] += a[i] * a[i] + b[i] * b[i];
  }
  for (int i = 1; i < size; ++i) v[i] = 2.0 * (a[0] * a[i] + b[0] * b[i]);
  const auto take_root = [&](double extra) {
    const double length = law::norm(size - 1, v + 1);
    const double low = std::sqrt(std::max(v[0] - length, 0.0) + extra);
    const double high = std::sqrt(v[0] + length + extra);
    z[0] = 0.5 * (high + low);
    for (int i = 1; i < size; ++i) z[i] = length > 0.0 ? 0.5 * (high - low) * v[i] / length : 0.0;
  };
  take_root(0.0);
  for (int i = 0; i < size; ++i) phi[i] = a[i] + b[i] - z[i];
  if (!by_x.at) return;
  take_root(offset_at_kinks * offset_at_kinks * v[0] + std::numeric_limits<double>::min());
  jordan_derivative(by_x, z, a);
  jordan_derivative(by_w, z, b);
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < size; ++j) {
      by_x(i, j) *= j == 0 ? root : 1.0 / root;
      by_w(i, j) *= j == 0 ? 1.0 / root : root;
    }
  shift.chain(by_w);
}

// μ = 0: the normal row alone, λ_t = 0.
void frictionless(LawMap map, const Block& block, const double* x, const double* w, double* phi,
                  const Square& by_x, const Square& by_w) {
  const Scalar normal = scalar_map(map, 0.0, std::numeric_limits<double>::infinity(), x[0], w[0]);
  phi[0] = normal.value;
  for (int i = 1; i < block.size; ++i) phi[i] = x[i];
  if (!by_x.at) return;
  by_x.set_identity(1.0), by_w.set_identity(0.0);
  by_x(0, 0) = normal.by_x, by_w(0, 0) = normal.by_w;
}

}  // namespace

const char* why_unmapped(LawMap map, const Block& block) {
  switch (block.law) {
    case Law::equality:
    case Law::nonnegative:
    case Law::box:
    case Law::coulomb:
      return nullptr;
    case Law::ball:
      return map == LawMap::fischer_burmeister && block.size > 1
                 ? "a ball is no cone: use another map than fischer-burmeister"
                 : nullptr;
    case Law::second_order:
      return map == LawMap::natural || map == LawMap::fischer_burmeister
                 ? nullptr
                 : "second-order cones: use the map natural or fischer-burmeister";
    case Law::moments:
      return map == LawMap::alart_curnier || map == LawMap::jean_moreau
                 ? nullptr
                 : "moments at contacts: use the map alart-curnier or jean-moreau";
  }
  return nullptr;
}

void evaluate_map(LawMap map, const Block& block, const MapPoint& point, const double* x,
                  const double* w, double* phi, double* by_x, double* by_w) {
  const Square A{block.size, by_x}, B{block.size, by_w};
  const bool box = block.law == Law::box, ball = block.law == Law::ball;
  if (block.law == Law::nonnegative || box || (ball && block.size == 1)) {
    const double upper = point.scale * block.upper;
    const double lower = box ? point.scale * block.lower : ball ? -upper : 0.0;
    const double most = box || ball ? upper : std::numeric_limits<double>::infinity();
    const Scalar result = scalar_map(map, lower, most, *x, *w);
    *phi = result.value;
    if (by_x) *by_x = result.by_x, *by_w = result.by_w;
    return;
  }
  if (ball) {
    double z[2] = {x[0] - w[0], x[1] - w[1]};
    const double slope[2] = {0.0, 0.0};
    return tangential_rows(0, 2, point.scale * block.upper, x, z, slope, phi, A, B);
  }
  if (block.law == Law::moments) return friction_map(map, block, point, x, w, phi, A, B);
  if (block.friction == 0.0) return frictionless(map, block, x, w, phi, A, B);
  if (map == LawMap::fischer_burmeister) return fischer_cone(block, point, x, w, phi, A, B);
  if (map == LawMap::natural || block.law == Law::second_order)
    return natural_cone(block, point, x, w, phi, A, B);
  friction_map(map, block, point, x, w, phi, A, B);
}

}  // namespace vinci
