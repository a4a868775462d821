// SPDX-License-Identifier: Apache-2.0
// Coulomb's law with unilateral contact and moments, exact: λ = (λ_n, λ_1, λ_2, ...), each λ_i in a
// ball of its own whose radius follows the normal impulse,
//
//   0 <= λ_n ⟂ w_n >= 0,  |λ_i| <= μ_i λ_n,  λ_i = −μ_i λ_n w_i/|w_i|  where w_i ≠ 0
//
// λ_1 is friction (λ_t, with a spin row scaled by a length for a limit surface), then come the
// rolling moment (λ_r) and the one about the normal (λ_s), whose μ_i are lengths.
// K = {|λ_i| <= μ_i λ_n}, K* = {w_n >= Σ μ_i |w_i|} and ŵ = w + (Σ μ_i |w_i|, 0, ...) turn it into
// K ∋ λ ⟂ ŵ ∈ K* [Acary & Bourrier 2021].
#pragma once

#include <array>

#include "vinci/complementarity/law_second_order.h"
#include "vinci/complementarity/problem.h"

namespace vinci::law {

struct Ball {
  int first, count;  // rows, from the first of the block
  double limit;      // μ_i
  bool moment;       // μ_i is a length, λ_i a moment
};

inline constexpr int most_balls = 3;

struct Balls {
  std::array<Ball, most_balls> at;
  int count = 0;
  const Ball* begin() const { return at.data(); }
  const Ball* end() const { return at.data() + count; }
};

// First row of the moments, counted from the first of the block; its size if it has none.
inline int moment_start(const Block& block) {
  if (block.law != Law::moments) return block.size;
  return 1 + (block.tangents > 0 ? block.tangents : (block.size - 1 - block.spins) / 2);
}

// The balls of a moments block; of a coulomb block its one.
inline Balls balls_of(const Block& block) {
  Balls balls;
  const int start = moment_start(block), spin = block.size - block.spins;
  balls.at[balls.count++] = {1, start - 1, block.friction, false};
  if (start < spin) balls.at[balls.count++] = {start, spin - start, block.rolling, true};
  if (block.law == Law::moments && spin < block.size)
    balls.at[balls.count++] = {spin, 1, block.torsion, true};
  return balls;
}

// The length ℓ at which moments λ_r/ℓ and angular velocities ℓ w_r compare with forces and
// velocities, the one at which both have the same inertia: ℓ² = scale/moment_scale, the mean
// diagonals of W in the rows of forces and of moments. Without them the larger of μ_r and μ_τ,
// without that 1.
inline double moment_length(double scale, double moment_scale, const Block& block) {
  const double length = std::sqrt(scale / moment_scale);
  if (length > 0.0 && std::isfinite(length)) return length;
  const double limit = block.rolling > block.torsion ? block.rolling : block.torsion;
  return limit > 0.0 ? limit : 1.0;
}

// ŵ_n; the other rows are unchanged.
inline double moments_shift(const Balls& balls, const double* w) {
  double result = w[0];
  for (const Ball& ball : balls) result += ball.limit * norm(ball.count, w + ball.first);
  return result;
}

// The normal part n >= 0 of the point of K nearest to (normal, ·, ...), where the others have the
// given lengths: the root of n − normal − Σ μ_i (length_i − μ_i n)₊, which grows with n and is
// straight between its bends length_i/μ_i.
inline double moments_normal(double normal, const Balls& balls, const double* lengths) {
  std::array<int, most_balls> order{0, 1, 2};  // the latest bend first
  const auto later = [&](int a, int b) {
    return lengths[a] * balls.at[b].limit >= lengths[b] * balls.at[a].limit;
  };
  for (int i = 1; i < balls.count; ++i)
    for (int j = i; j > 0 && !later(order[j - 1], order[j]); --j) {
      const int swap = order[j];
      order[j] = order[j - 1], order[j - 1] = swap;
    }
  const auto fits = [&](int from, double n) {
    for (int i = from; i < balls.count; ++i)
      if (lengths[order[i]] > balls.at[order[i]].limit * n) return false;
    return n >= 0.0;
  };
  if (fits(0, normal)) return normal;
  double result = 0.0, stretch = 1.0;
  for (int beyond = 1; beyond <= balls.count; ++beyond) {
    // Divided by the length of the normal (1, −μ_1, ...) so that no square can overflow.
    stretch = std::hypot(stretch, balls.at[order[beyond - 1]].limit);
    result = normal / stretch;
    for (int i = 0; i < beyond; ++i)
      result += balls.at[order[i]].limit / stretch * lengths[order[i]];
    result /= stretch;
    if (beyond < balls.count && fits(beyond, result)) return result;
  }
  return result > 0.0 ? result : 0.0;
}

// In place.
inline void project_moments(const Balls& balls, double* x) {
  double lengths[most_balls] = {};
  for (int i = 0; i < balls.count; ++i) lengths[i] = norm(balls.at[i].count, x + balls.at[i].first);
  x[0] = moments_normal(x[0], balls, lengths);
  for (const Ball& ball : balls) project_ball(ball.count, x + ball.first, ball.limit * x[0]);
}

// With moments divided by the length ℓ.
inline Balls scaled(Balls balls, double length) {
  for (int i = 0; i < balls.count; ++i)
    if (balls.at[i].moment) balls.at[i].limit /= length;
  return balls;
}

}  // namespace vinci::law
