// SPDX-License-Identifier: Apache-2.0
// Directions of friction pyramids and boxes.
#include "vinci/formulation/friction_cone.h"

#include "vinci/base/regular_polygon.h"

namespace vinci {

ConeForm cone_form(const OptionValues& options) {
  const std::string& name = options.text("cone");
  return {name == "pyramid" ? Cone::pyramid
          : name == "box"   ? Cone::box
                            : Cone::quadratic,
          static_cast<int>(options.integer("directions"))};
}

Vector2 cone_direction(World world, const ConeForm& form, int j) {
  if (world == World::spatial && form.cone == Cone::box)
    return {j == 0 || j == 3 ? 1.0 : -1.0, j < 2 ? 1.0 : -1.0};
  return polygon_corner(direction_count(world, form), j);
}

}  // namespace vinci
