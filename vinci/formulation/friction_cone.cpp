// SPDX-License-Identifier: Apache-2.0
// Directions of friction pyramids and boxes.
#include "vinci/formulation/friction_cone.h"

#include <cmath>

namespace vinci {

Vector2 cone_direction(World world, const ConeForm& form, int j) {
  if (world == World::planar) return {j == 0 ? 1.0 : -1.0, 0.0};
  if (form.cone == Cone::box) return {j == 0 || j == 3 ? 1.0 : -1.0, j < 2 ? 1.0 : -1.0};
  const int directions = form.directions;
  // Exact where the angle is a multiple of 90°, so that a pyramid of 4 sides has no stray
  // components.
  const int quarter = 4 * j;
  if (quarter % directions == 0) {
    constexpr double cosines[4] = {1.0, 0.0, -1.0, 0.0};
    const int turn = quarter / directions % 4;
    return {cosines[turn], cosines[(turn + 3) % 4]};
  }
  const double angle = 2.0 * M_PI * j / directions;
  return {std::cos(angle), std::sin(angle)};
}

}  // namespace vinci
