// SPDX-License-Identifier: Apache-2.0
// Closed forms: spheres and capsules among themselves, a sphere against a box or a cylinder.
#pragma once

#include "vinci/collision/spatial_patch.h"

namespace vinci {

// Both cores are points or segments. Segments that are not far from parallel (within 30°) also give
// the ends of each beside the other, each with its own normal: they may touch next.
void collide_round(const Convex& a, const Convex& b, PatchEmitter& emitter);

// `point` is a sphere's core, `solid` a box or a cylinder.
void collide_point_solid(const Convex& point, const Convex& solid, bool point_is_a,
                         PatchEmitter& emitter);

}  // namespace vinci
