// SPDX-License-Identifier: Apache-2.0
// The narrow phase of superquadrics: among themselves and against every other spatial shape. Which
// points are contacts is explained in docs/theory/collision_spatial.md.
#pragma once

#include "vinci/collision/narrow_phase.h"

namespace vinci {

// Appends the contacts with gap <= margin; a or b is a superquadric.
void collide_superquadric(const PlacedPair& pair, double margin, SpatialWorkspace& workspace,
                          std::vector<ContactPoint>& out);

// The same of a plane with this outward normal, as a, and a placed superquadric, as b.
void collide_plane_superquadric(const SpatialSet& set, const Vector3& normal,
                                const Vector3& on_plane, double margin,
                                std::vector<ContactPoint>& out);

}  // namespace vinci
