// SPDX-License-Identifier: Apache-2.0
// Exact local solves, one function per law.
#include "vinci/complementarity/local_solve.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "vinci/complementarity/law_box.h"
#include "vinci/complementarity/law_second_order.h"
#include "vinci/complementarity/laws.h"
#include "vinci/complementarity/local_moments.h"

namespace vinci {

namespace {

// What an exact answer leaves, of the terms of w: rounding, with room for a bad condition. Of
// 100,000 random blocks of each law all are met.
constexpr double accepted = 1e-12;
// A candidate is exact to a few roundings: others need not be looked for.
constexpr double exact = 1e-14;

struct Pair {
  double x = 0.0, y = 0.0;
  // hypot only where a square leaves the range of doubles: it costs as much as a linear solve.
  double norm() const {
    const double squared = x * x + y * y;
    return squared > 1e-280 && squared < 1e280 ? std::sqrt(squared) : std::hypot(x, y);
  }
  double dot(const Pair& other) const { return x * other.x + y * other.y; }
};

// [a b; c d] x = r by elimination with the larger pivot of the first column; false if singular.
bool solve_pair(double a, double b, double c, double d, Pair r, Pair& x) {
  if (std::abs(a) < std::abs(c)) {
    std::swap(a, c);
    std::swap(b, d);
    std::swap(r.x, r.y);
  }
  if (a == 0.0) return false;
  const double factor = c / a, pivot = d - factor * b;
  if (pivot == 0.0) return false;
  x.y = (r.y - factor * r.x) / pivot;
  x.x = (r.x - b * x.y) / a;
  return std::isfinite(x.x) && std::isfinite(x.y);
}

// Size of the local natural map over that of the terms of w: an exact answer leaves rounding.
double violation(const Block& block, const double* W, const double* q, const double* lambda) {
  double w[3], r[3], scale = 0.0, size = 0.0, sum = 0.0;
  for (int i = 0; i < block.size; ++i) {
    double terms = std::abs(q[i]);
    w[i] = q[i];
    for (int j = 0; j < block.size; ++j) {
      w[i] += W[i * block.size + j] * lambda[j];
      terms += std::abs(W[i * block.size + j] * lambda[j]);
    }
    size += terms * terms;
    scale += W[i * block.size + i] / block.size;
  }
  natural_map(block, scale > 0.0 ? scale : 1.0, lambda, w, r);
  for (int i = 0; i < block.size; ++i) sum += r[i] * r[i];
  // w_t enters Coulomb's map a second time, as μ |w_t|.
  return sum == 0.0 ? 0.0 : std::sqrt(sum / size) / (1.0 + block.friction);
}

bool solve_scalar(double lower, double upper, double W, double q, double* lambda) {
  if (W > 0.0) {
    lambda[0] = law::project_box(-q / W, lower, upper);
    return true;
  }
  // w does not fall with λ: at the bound that its sign asks for.
  const double bound = q > 0.0 ? lower : (q < 0.0 ? upper : law::project_box(0.0, lower, upper));
  lambda[0] = std::isfinite(bound) ? bound : law::project_box(0.0, lower, upper);
  return W == 0.0 && std::isfinite(bound);
}

// -------------------------------------------------------------------------------- planar friction

// Keeps the candidate with the least violation.
struct Best {
  const Block& block;
  const double *W, *q;
  double least = infinity;
  std::array<double, 3> lambda{};

  void offer(const double* candidate) {
    for (int i = 0; i < block.size; ++i)
      if (!std::isfinite(candidate[i])) return;
    const double v = violation(block, W, q, candidate);
    if (!(v < least)) return;
    least = v;
    std::copy(candidate, candidate + block.size, lambda.begin());
  }
  bool take(double* out) const {
    std::copy(lambda.begin(), lambda.begin() + block.size, out);
    return least <= accepted;
  }
};

bool solve_coulomb_planar(const Block& block, const double* W, const double* q, double* lambda) {
  const double mu = block.friction;
  lambda[0] = lambda[1] = 0.0;
  if (q[0] >= 0.0) return true;
  Best best{block, W, q};
  // Stick. Where the tangent cannot be moved a vanishing λ_t is the one to take.
  Pair stick;
  if (W[3] == 0.0 && W[1] == 0.0 && W[2] == 0.0 && q[1] == 0.0)
    stick = {-q[0] / W[0], 0.0};
  else if (!solve_pair(W[0], W[1], W[2], W[3], {-q[0], -q[1]}, stick))
    stick = {-1.0, 0.0};
  if (stick.x >= 0.0 && std::abs(stick.y) <= mu * stick.x) {
    lambda[0] = stick.x;
    lambda[1] = stick.y;
    return true;
  }
  for (const double side : {-1.0, 1.0}) {
    const double slope = W[0] + side * mu * W[1];
    if (!(slope > 0.0)) continue;
    const double candidate[2] = {-q[0] / slope, side * mu * (-q[0] / slope)};
    best.offer(candidate);
  }
  // Rounding at the edge of the cone.
  if (stick.x >= 0.0) {
    const double limit = mu * stick.x;
    const double candidate[2] = {stick.x, std::clamp(stick.y, -limit, limit)};
    best.offer(candidate);
  }
  return best.take(lambda);
}

bool solve_second_order_planar(const Block& block, const double* W, const double* q,
                               double* lambda) {
  const double mu = block.friction;
  Best best{block, W, q};
  const double zero[2] = {0.0, 0.0};
  best.offer(zero);
  Pair stick;
  if (solve_pair(W[0], W[1], W[2], W[3], {-q[0], -q[1]}, stick) && stick.x >= 0.0 &&
      std::abs(stick.y) <= mu * stick.x) {
    const double candidate[2] = {stick.x, stick.y};
    best.offer(candidate);
  }
  for (const double side : {-1.0, 1.0}) {
    const double t = side * mu;
    const double slope = W[0] + t * (W[1] + W[2]) + t * t * W[3], pull = q[0] + t * q[1];
    if (!(slope > 0.0) || pull > 0.0) continue;
    const double candidate[2] = {-pull / slope, t * (-pull / slope)};
    best.offer(candidate);
  }
  return best.take(lambda);
}

// ------------------------------------------------------------------------------ friction in space

// λ(s) = −(S + s I)⁻¹ q̃ against the limit r(s) = r∞ − g·λ(s): friction with r = μ λ_n, or a ball
// with g = 0.
struct Slip {
  double a, b, c, d;  // S
  Pair q;
  Pair gradient;  // g = μ W_nt / W_nn
  double limit;   // r∞ > 0

  bool at(double s, Pair& x) const { return solve_pair(a + s, b, c, d + s, {-q.x, -q.y}, x); }
  double limit_at(const Pair& x) const { return limit - gradient.dot(x); }
  // h(s) = r(s)/|λ(s)| − 1, nearly linear in s: negative while the force is too large.
  bool value(double s, Pair& x, double& h, double& slope) const {
    Pair rate;
    if (!solve(s, q, x) || !solve(s, x, rate)) return false;
    const double length = x.norm(), r = limit_at(x);
    h = r / length - 1.0;
    slope = -gradient.dot(rate) / length - r * x.dot(rate) / (length * length * length);
    return std::isfinite(h);
  }

 private:
  // x = −(S + s I)⁻¹ right: by Cramer's rule where the determinant cancels by two digits at most.
  bool solve(double s, const Pair& right, Pair& x) const {
    const double first = a + s, second = d + s, product = first * second;
    const double determinant = product - b * c;
    if (!(determinant > 0.01 * std::abs(product)) || !(determinant < infinity))
      return solve_pair(first, b, c, second, {-right.x, -right.y}, x);
    const double factor = -1.0 / determinant;
    x.x = factor * (second * right.x - b * right.y);
    x.y = factor * (first * right.y - c * right.x);
    return true;
  }
};

// The root of h in (0, ∞), from `x` = λ(0); x receives λ_t there. Newton's steps inside the bracket
// that is known; they start at 0, where h is negative, and h is nearly straight.
bool find_slip(const Slip& slip, Pair& x) {
  const double pull = slip.q.norm();
  if (pull == 0.0) {
    x = {};
    return true;
  }
  // |λ(s)| <= |q̃|/s where S is positive semidefinite gives h > 0 from here on.
  const double bound = pull * (1.0 + slip.gradient.norm()) / slip.limit;
  double low = 0.0, high = infinity, s = 0.0, h = 0.0, slope = 0.0;
  if (!slip.value(s, x, h, slope)) h = -1.0, slope = 0.0;
  for (int iteration = 0; iteration < 300; ++iteration) {
    double next = s - h / slope;
    const bool newton = next > low && next < high;
    if (!newton) next = high < infinity ? 0.5 * (low + high) : std::max(bound, 2.0 * low);
    if (high == infinity) next = std::min(next, std::max(bound, 2.0 * low));
    const double moved = std::abs(next - s);
    s = next;
    // A step of Newton's this short leaves its square behind, 1e-18.
    if (newton && moved <= 1e-9 * s) return slip.at(s, x);
    // Where S + s I is singular the force is unbounded: the root lies above.
    if (!slip.value(s, x, h, slope)) h = -1.0, slope = 0.0;
    (h < 0.0 ? low : high) = s;
    const bool narrow = high < infinity && high - low <= 2.0 * machine_epsilon * high;
    if (std::abs(h) <= 2.0 * machine_epsilon || narrow) return slip.at(s, x);
  }
  return high < infinity && slip.at(s, x);
}

bool solve_coulomb_spatial(const Block& block, const double* W, const double* q, double* lambda) {
  const double mu = block.friction;
  lambda[0] = lambda[1] = lambda[2] = 0.0;
  if (q[0] >= 0.0) return true;
  if (!(W[0] > 0.0)) return false;
  const double free_normal = -q[0] / W[0];
  if (mu == 0.0) {
    lambda[0] = free_normal;
    return true;
  }
  const Slip slip{W[4] - W[3] * W[1] / W[0],
                  W[5] - W[3] * W[2] / W[0],
                  W[7] - W[6] * W[1] / W[0],
                  W[8] - W[6] * W[2] / W[0],
                  {q[1] + W[3] * free_normal, q[2] + W[6] * free_normal},
                  {mu * W[1] / W[0], mu * W[2] / W[0]},
                  mu * free_normal};
  Pair x;
  const auto normal = [&] { return free_normal - (W[1] * x.x + W[2] * x.y) / W[0]; };
  const bool pulls = slip.q.x != 0.0 || slip.q.y != 0.0;
  if (!pulls || (slip.at(0.0, x) && x.norm() <= mu * normal())) {
    lambda[0] = normal();
    lambda[1] = x.x;
    lambda[2] = x.y;
    return true;
  }
  if (!find_slip(slip, x)) return false;
  // On the cone exactly, along the direction found; w_n = 0 fixes the length.
  const double length = x.norm();
  const Pair d{x.x / length, x.y / length};
  const double slope = W[0] + mu * (W[1] * d.x + W[2] * d.y);
  lambda[0] = slope > 0.1 * W[0] ? -q[0] / slope : std::max(normal(), 0.0);
  lambda[1] = mu * lambda[0] * d.x;
  lambda[2] = mu * lambda[0] * d.y;
  return true;
}

bool solve_ball(const Block& block, const double* W, const double* q, double* lambda) {
  const double radius = block.upper;
  if (block.size == 1) return solve_scalar(-radius, radius, W[0], q[0], lambda);
  lambda[0] = lambda[1] = 0.0;
  if (radius == 0.0 || (q[0] == 0.0 && q[1] == 0.0)) return true;
  const Slip slip{W[0], W[1], W[2], W[3], {q[0], q[1]}, {}, radius};
  Pair x;
  if (slip.at(0.0, x) && x.norm() <= radius) {
    lambda[0] = x.x;
    lambda[1] = x.y;
    return true;
  }
  if (!std::isfinite(radius) || !find_slip(slip, x)) return false;
  const double length = x.norm();
  lambda[0] = radius * (x.x / length);
  lambda[1] = radius * (x.y / length);
  return true;
}

// ------------------------------------------------------------------- second-order cone in space

// On the boundary λ = α c(θ), c = (1, μ cos θ, μ sin θ), w ⟂ c and w ⟂ ∂c/∂θ. Eliminating α leaves
// a trigonometric polynomial of degree 3 in θ, whose sign changes are bracketed and bisected.
struct Boundary {
  const double *W, *q;
  double mu;

  double value(double theta, double* lambda) const {
    const double c[3] = {1.0, mu * std::cos(theta), mu * std::sin(theta)};
    const double t[2] = {-std::sin(theta), std::cos(theta)};
    double slope = 0.0, pull = 0.0, Wc[3];
    for (int i = 0; i < 3; ++i) {
      Wc[i] = W[3 * i] * c[0] + W[3 * i + 1] * c[1] + W[3 * i + 2] * c[2];
      slope += c[i] * Wc[i];
      pull += c[i] * q[i];
    }
    const double alpha = slope > 0.0 ? std::max(-pull / slope, 0.0) : 0.0;
    for (int i = 0; i < 3; ++i) lambda[i] = alpha * c[i];
    return (t[0] * q[1] + t[1] * q[2]) * slope - pull * (t[0] * Wc[1] + t[1] * Wc[2]);
  }
};

void search_boundary(const Boundary& boundary, int samples, Best& best) {
  double lambda[3];
  const double step = 2.0 * M_PI / samples;
  double before = boundary.value(0.0, lambda);
  for (int k = 1; k <= samples; ++k) {
    double low = (k - 1) * step, high = k * step;
    const double after = boundary.value(high, lambda);
    // At a solution the tangential pull turns from with θ to against it.
    if (before <= 0.0 && after >= 0.0) {
      for (int i = 0; i < 80 && high - low > machine_epsilon * high; ++i) {
        const double middle = 0.5 * (low + high);
        (boundary.value(middle, lambda) < 0.0 ? low : high) = middle;
      }
      boundary.value(0.5 * (low + high), lambda);
      best.offer(lambda);
    }
    before = after;
  }
}

bool solve_second_order_spatial(const Block& block, const double* W, const double* q,
                                double* lambda) {
  Best best{block, W, q};
  const double zero[3] = {0.0, 0.0, 0.0};
  best.offer(zero);
  if (best.least == 0.0) return best.take(lambda);
  if (W[0] > 0.0) {
    const double free_normal = -q[0] / W[0];
    const Slip slip{W[4] - W[3] * W[1] / W[0],
                    W[5] - W[3] * W[2] / W[0],
                    W[7] - W[6] * W[1] / W[0],
                    W[8] - W[6] * W[2] / W[0],
                    {q[1] + W[3] * free_normal, q[2] + W[6] * free_normal},
                    {},
                    0.0};
    Pair x;
    if (slip.at(0.0, x)) {
      const double normal = free_normal - (W[1] * x.x + W[2] * x.y) / W[0];
      const double candidate[3] = {normal, x.x, x.y};
      if (x.norm() <= block.friction * normal) best.offer(candidate);
    }
  }
  const Boundary boundary{W, q, block.friction};
  // A polynomial of degree 3 has up to six roots; the finer ones are for roots side by side.
  for (const int samples : {24, 360, 3600})
    if (best.least > exact) search_boundary(boundary, samples, best);
  return best.take(lambda);
}

}  // namespace

bool solve_local(const Block& block, const double* W, const double* q, double* lambda) {
  switch (block.law) {
    case Law::equality:
      return false;
    case Law::nonnegative:
      return solve_scalar(0.0, infinity, W[0], q[0], lambda);
    case Law::box:
      return solve_scalar(block.lower, block.upper, W[0], q[0], lambda);
    case Law::ball:
      return solve_ball(block, W, q, lambda);
    case Law::coulomb:
      return block.size == 2 ? solve_coulomb_planar(block, W, q, lambda)
                             : solve_coulomb_spatial(block, W, q, lambda);
    case Law::second_order:
      return block.size == 2 ? solve_second_order_planar(block, W, q, lambda)
                             : solve_second_order_spatial(block, W, q, lambda);
    case Law::moments:
      return solve_local_moments(block, W, q, lambda);
  }
  return false;
}

}  // namespace vinci
