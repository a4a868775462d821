// SPDX-License-Identifier: Apache-2.0
// Directions of friction pyramids.
#include "vinci/formulation/friction_cone.h"

#include "vinci/base/regular_polygon.h"

namespace vinci {

Vector2 pyramid_direction(World world, int directions, int j) {
  return polygon_corner(world == World::planar ? 2 : directions, j);
}

}  // namespace vinci
