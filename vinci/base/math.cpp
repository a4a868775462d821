// SPDX-License-Identifier: Apache-2.0
// The exponential map of rotations.
#include "vinci/base/math.h"

namespace vinci {

Quaternion exponential(const Vector3& rotation_vector) {
  const double angle = rotation_vector.norm();
  // sin(θ/2)/θ from its series where the quotient would lose digits; the next term is below 1e-19.
  const double scale = angle < 1e-4 ? 0.5 - angle * angle / 48.0 : std::sin(0.5 * angle) / angle;
  Quaternion result;
  result.w() = std::cos(0.5 * angle);
  result.vec() = scale * rotation_vector;
  return result;
}

}  // namespace vinci
