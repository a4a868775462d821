// SPDX-License-Identifier: Apache-2.0
// How friction stands in the problem: the exact quadratic cone, or a pyramid of k unit directions
// in the tangent plane, inscribed in it.
#pragma once

#include "vinci/model/model.h"

namespace vinci {

enum class Cone { quadratic, pyramid };

struct ConeForm {
  Cone cone = Cone::quadratic;
  int directions = 8;  // of a pyramid in space; a planar contact has two
};

// Unit direction j of a pyramid, along tangent 1 and 2.
Vector2 pyramid_direction(World world, int directions, int j);
// How many of them a contact has.
inline int direction_count(World world, const ConeForm& form) {
  return world == World::planar ? 2 : form.directions;
}

}  // namespace vinci
