// SPDX-License-Identifier: Apache-2.0
// The exponential map of rotations, and its inverse.
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

Vector3 rotation_vector(const Quaternion& rotation) {
  const double sine = rotation.vec().norm();
  const double cosine = rotation.w() < 0.0 ? -rotation.w() : rotation.w();
  // φ/sin(φ/2) tends to 2; the next term of its series is below rounding here.
  const double scale = sine < 1e-9 ? 2.0 : 2.0 * std::atan2(sine, cosine) / sine;
  return (rotation.w() < 0.0 ? -scale : scale) * rotation.vec();
}

}  // namespace vinci
