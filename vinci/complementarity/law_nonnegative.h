// SPDX-License-Identifier: Apache-2.0
// Nonnegative: 0 <= λ ⟂ w >= 0. Natural map λ − max(0, λ − w) = min(λ, w).
#pragma once

namespace vinci::law {

inline double project_nonnegative(double x) {
  return x > 0.0 ? x : 0.0;
}

// With x = s λ: min(s λ, w).
inline double nonnegative_map(double x, double w) {
  return x < w ? x : w;
}

}  // namespace vinci::law
