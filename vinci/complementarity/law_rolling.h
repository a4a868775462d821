// SPDX-License-Identifier: Apache-2.0
// Coulomb's law with unilateral contact and rolling resistance, exact: λ = (λ_n, λ_t, λ_r), λ_r the
// rolling moment, w_r the relative angular velocity of rolling:
//
//   0 <= λ_n ⟂ w_n >= 0,  |λ_t| <= μ λ_n,    λ_t = −μ λ_n w_t/|w_t|    where w_t ≠ 0,
//                         |λ_r| <= μ_r λ_n,  λ_r = −μ_r λ_n w_r/|w_r|  where w_r ≠ 0
//
// K = {|λ_t| <= μ λ_n, |λ_r| <= μ_r λ_n}, K* = {w_n >= μ|w_t| + μ_r|w_r|} and
// ŵ = w + (μ|w_t| + μ_r|w_r|, 0, 0) turn it into K ∋ λ ⟂ ŵ ∈ K* [Acary & Bourrier 2021]. μ_r is a
// length. Blocks of 5 in space, of 3 in the plane.
#pragma once

#include "vinci/complementarity/law_second_order.h"

namespace vinci::law {

// Rows of λ_t, as many as of λ_r; the normal row is the first.
inline int rolling_tangents(int size) {
  return (size - 1) / 2;
}

// The length ℓ at which moments λ_r/ℓ and angular velocities ℓ w_r compare with forces and
// velocities, the one at which both have the same inertia: ℓ² = scale/moment_scale, the mean
// diagonals of W in the rows (n, t) and r. Without them μ_r, without that 1.
inline double rolling_length(double scale, double moment_scale, double rolling) {
  const double length = std::sqrt(scale / moment_scale);
  if (length > 0.0 && std::isfinite(length)) return length;
  return rolling > 0.0 ? rolling : 1.0;
}

// ŵ_n; the other rows are unchanged.
inline double rolling_shift(int size, const double* w, double friction, double rolling) {
  const int k = rolling_tangents(size);
  return w[0] + friction * norm(k, w + 1) + rolling * norm(k, w + 1 + k);
}

// The normal part n >= 0 of the point of K nearest to (normal, ·, ·), where the others have the
// lengths t and r: the root of n − normal − μ (t − μ n)₊ − μ_r (r − μ_r n)₊, which grows with n
// and is straight between its two bends.
inline double rolling_normal(double normal, double t, double r, double friction, double rolling) {
  if (t * rolling < r * friction) {  // let t/μ be the later bend
    const double swap = t;
    t = r, r = swap;
    const double other = friction;
    friction = rolling, rolling = other;
  }
  if (normal >= 0.0 && t <= friction * normal && r <= rolling * normal) return normal;
  // One beyond its limit, then both; divided by the length of the normal (1, −μ, −μ_r) so that no
  // square can overflow.
  double length = std::hypot(1.0, friction);
  const double one = (normal / length + friction / length * t) / length;
  if (one >= 0.0 && r <= rolling * one) return one;
  length = std::hypot(1.0, friction, rolling);
  const double both = (normal / length + friction / length * t + rolling / length * r) / length;
  return both > 0.0 ? both : 0.0;
}

// In place; x = (x_n, x_t, x_r).
inline void project_rolling(int size, double* x, double friction, double rolling) {
  const int k = rolling_tangents(size);
  double *const tangential = x + 1, *const moment = x + 1 + k;
  x[0] = rolling_normal(x[0], norm(k, tangential), norm(k, moment), friction, rolling);
  project_ball(k, tangential, friction * x[0]);
  project_ball(k, moment, rolling * x[0]);
}

}  // namespace vinci::law
