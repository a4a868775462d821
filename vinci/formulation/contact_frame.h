// SPDX-License-Identifier: Apache-2.0
// The axes of a contact: normal n from a to b and tangents t1, t2 with n × t1 = t2.
//
// In the plane t1 = ez × n. In space t1 is the projection of world x on the tangent plane, or of
// world y where n is within 45° of x; so on a floor t1 = x, and direction j of a pyramid of k sides
// lies at the angle 2πj/k from t1 towards t2. Where friction has an axis, t1 is its projection.
#pragma once

#include <optional>

#include "vinci/base/math.h"
#include "vinci/model/model.h"

namespace vinci {

struct ContactFrame {
  Vector3 normal, tangent_1, tangent_2;
};

ContactFrame contact_frame(World world, const Vector3& normal);

// In space, with t1 along this axis of the world; nothing where it is parallel to the normal.
std::optional<ContactFrame> contact_frame_along(const Vector3& axis, const Vector3& normal);

}  // namespace vinci
