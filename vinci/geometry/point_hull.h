// SPDX-License-Identifier: Apache-2.0
// The hull of points in two to eight dimensions: its facets and its volume.
#pragma once

#include <vector>

#include "vinci/base/math.h"

namespace vinci {

struct PointHull {
  MatrixX normals;              // one a column, unit, outward
  std::vector<double> offsets;  // of the facets' planes from the origin, along the normals
  double volume = 0.0;
};

// `points`: one a column. A hull without facets if they do not span the space. Throws Error on
// numbers that are not finite, and Failure if rounding defeats it.
PointHull point_hull(const MatrixX& points);

}  // namespace vinci
