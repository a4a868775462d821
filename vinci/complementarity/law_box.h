// SPDX-License-Identifier: Apache-2.0
// Box: lower <= λ <= upper (each may be infinite); w = 0 inside, w >= 0 at lower, w <= 0 at upper.
// Natural map mid(λ − upper, w, λ − lower), the median of the three.
#pragma once

namespace vinci::law {

inline double project_box(double x, double lower, double upper) {
  return x < lower ? lower : (x > upper ? upper : x);
}

// `to_upper` = s (λ − upper) <= `to_lower` = s (λ − lower); either may be infinite.
inline double box_map(double to_upper, double w, double to_lower) {
  return w < to_upper ? to_upper : (w > to_lower ? to_lower : w);
}

}  // namespace vinci::law
