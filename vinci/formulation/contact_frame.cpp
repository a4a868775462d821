// SPDX-License-Identifier: Apache-2.0
// Tangents from a normal.
#include "vinci/formulation/contact_frame.h"

#include <cmath>

namespace vinci {

ContactFrame contact_frame(World world, const Vector3& normal) {
  if (world == World::planar)
    return {normal, Vector3(-normal.y(), normal.x(), 0.0), Vector3::UnitZ()};
  const Vector3 axis = std::abs(normal.x()) < M_SQRT1_2 ? Vector3::UnitX() : Vector3::UnitY();
  const Vector3 tangent = (axis - axis.dot(normal) * normal).normalized();
  return {normal, tangent, normal.cross(tangent)};
}

std::optional<ContactFrame> contact_frame_along(const Vector3& axis, const Vector3& normal) {
  constexpr double parallel = 1e-6;  // sine of an angle: far below what an axis is known to
  const Vector3 along = axis - axis.dot(normal) * normal;
  if (!(along.norm() > parallel * axis.norm())) return {};
  const Vector3 tangent = along.normalized();
  return ContactFrame{normal, tangent, normal.cross(tangent)};
}

}  // namespace vinci
