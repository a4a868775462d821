// SPDX-License-Identifier: Apache-2.0
// The function of Fischer and Burmeister, φ(a, b) = a + b − √(a² + b²), zero if and only if
// 0 <= a ⟂ b >= 0, and its extension to bounds on both sides.
#pragma once

#include <cmath>

namespace vinci {

struct Fischer {
  double value, by_a, by_b;  // φ and its derivatives
};

inline Fischer fischer(double a, double b) {
  const double root = std::hypot(a, b);
  if (root == 0.0) return {0.0, 1.0 - M_SQRT1_2, 1.0 - M_SQRT1_2};
  // Without cancellation where both are positive: 2ab/(a + b + √).
  const double value = a > 0.0 && b > 0.0 ? 2.0 * a * (b / (a + b + root)) : a + b - root;
  return {value, 1.0 - a / root, 1.0 - b / root};
}

// φ(z − lower, −φ(upper − z, −F)) for lower <= z <= upper, either of them infinite or not, by z and
// by F [Billups 1995].
inline Fischer fischer_box(double z, double F, double lower, double upper) {
  Fischer inner{F, 0.0, 1.0};
  if (std::isfinite(upper)) {
    const Fischer above = fischer(upper - z, -F);
    inner = {-above.value, above.by_a, above.by_b};
  }
  if (!std::isfinite(lower)) return inner;
  const Fischer both = fischer(z - lower, inner.value);
  return {both.value, both.by_a + both.by_b * inner.by_a, both.by_b * inner.by_b};
}

}  // namespace vinci
