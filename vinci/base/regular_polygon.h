// SPDX-License-Identifier: Apache-2.0
// Directions that stand for a circle: the corners of a regular polygon.
#pragma once

#include <span>

#include "vinci/base/math.h"

namespace vinci {

// Corner j of `sides` >= 2 on the unit circle, the first along the first axis; two of them are the
// ends of an interval. Exact where the angle is a multiple of 90°, so that a square has no stray
// components.
Vector2 polygon_corner(int sides, int j);

// shares >= 0, one per corner: v as their sum along the two corners that it lies between.
void split_over_corners(const Vector2& v, std::span<double> shares);

}  // namespace vinci
