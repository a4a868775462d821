// SPDX-License-Identifier: Apache-2.0
// Closest points of two convex cores by the algorithm of Gilbert, Johnson and Keerthi [Gilbert
// 1988], with the nearest point of each simplex found over all of its faces that hold the newest
// vertex.
#pragma once

#include "vinci/collision/spatial_convex.h"

namespace vinci {

struct ClosestPoints {
  bool overlap = false;              // the cores meet, to rounding; only then the rest is unset
  Vector3 offset = Vector3::Zero();  // from a's closest point to b's
  int count = 0;                     // vertices of the final simplex, 1 to 3
  ExtremePoint a[4], b[4];
};

// `guess` is a first direction from a to b, any length but zero.
ClosestPoints closest_points(const Convex& a, const Convex& b, const Vector3& guess);

}  // namespace vinci
