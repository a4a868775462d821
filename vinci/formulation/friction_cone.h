// SPDX-License-Identifier: Apache-2.0
// How friction stands in the problem: the exact quadratic cone, a pyramid of k unit directions in
// the tangent plane, inscribed in it, or the box max(|λ_t|, |λ_o|) <= μ λ_n around it [Trinkle
// 2005, eq. 33], which is the pyramid of the four directions (±1, ±1).
#pragma once

#include "vinci/base/options.h"
#include "vinci/model/model.h"

namespace vinci {

enum class Cone { quadratic, pyramid, box };

struct ConeForm {
  Cone cone = Cone::quadratic;
  int directions = 8;  // of a pyramid in space; a planar contact has two
};

// As the options `cone` and `directions` of a run say.
ConeForm cone_form(const OptionValues& options);
// Whether friction stands as forces along directions; otherwise as components along the tangents.
inline bool has_directions(const ConeForm& form) {
  return form.cone != Cone::quadratic;
}
// Direction j of a pyramid or box, along tangent 1 and 2.
Vector2 cone_direction(World world, const ConeForm& form, int j);
// How many of them a contact has.
inline int direction_count(World world, const ConeForm& form) {
  if (world == World::planar) return 2;
  return form.cone == Cone::box ? 4 : form.directions;
}

}  // namespace vinci
