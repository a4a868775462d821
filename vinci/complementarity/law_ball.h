// SPDX-License-Identifier: Apache-2.0
// Ball of prescribed radius: |λ| <= r; w = 0 inside, λ = −r w/|w| otherwise (r may be infinite).
// Natural map s λ − P(s λ − w), P the projection onto the ball of radius s r.
#pragma once

#include <cmath>

namespace vinci::law {

inline double norm(int size, const double* x) {
  if (size == 1) return std::abs(x[0]);
  if (size == 2) return std::hypot(x[0], x[1]);
  if (size == 3) return std::hypot(x[0], x[1], x[2]);
  double sum = 0.0;
  for (int i = 0; i < size; ++i) sum += x[i] * x[i];
  return std::sqrt(sum);
}

// In place.
inline void project_ball(int size, double* x, double radius) {
  const double length = norm(size, x);
  if (length <= radius) return;
  for (int i = 0; i < size; ++i) x[i] *= radius / length;
}

}  // namespace vinci::law
