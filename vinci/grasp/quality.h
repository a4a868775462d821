// SPDX-License-Identifier: Apache-2.0
// How well a grasp holds [Ferrari 1992]: the radius of the largest ball about the origin in the set
// of wrenches that contacts give with limited normal forces, torques divided by ℓ. With the sum of
// all normal forces at most 1 N the set is the hull of the contacts' own; with each at most 1 N, it
// is their Minkowski sum. Their support functions are max h_i(y) and Σ max(0, h_i(y)); the radius
// is the least of it over unit y, and y the weakest direction: a wrench of that size against it
// takes all the force there is.
#pragma once

#include "vinci/grasp/grasp_map.h"

namespace vinci {

enum class ForceLimit : char { sum, each };  // L1 and L∞ in the literature

struct QualityOptions {
  double tolerance = 1e-3;  // relative width of the interval that is asked for
  int most_facets = 150'000;
  int directions = 0;  // of pyramids in the cones' place; 0: the exact cones
};

struct Quality {
  double lower = 0.0, upper = 0.0;    // N: the radius lies between; both 0 of open grasps
  Vector6 weakest = Vector6::Zero();  // y of `upper`, N and N m about the centre
  bool settled = true;                // the interval is as narrow as was asked for
  int points = 0, facets = 0;         // of the hull that proves `lower`
};

// `upper` is a local minimum, met to rounding, the best of all that were found; `lower` is proved
// by a polytope within the set.
Quality grasp_quality(const Grasp& grasp, ForceLimit limit, const QualityOptions& options = {});

// The hull of the wrenches of pyramids with this many directions, from each contact's tangent on,
// per unit of normal force (for ForceLimit::sum; the origin is not added).
struct WrenchHull {
  bool flat = false;        // the wrenches do not span the space
  bool has_origin = false;  // strictly within
  double radius = 0.0;      // of the largest ball about the origin, N; 0 if it is not within
  double volume = 0.0;      // N^d, torques divided by ℓ
  Vector6 weakest = Vector6::Zero();
};
// With `outside` the pyramids are circumscribed: both hulls enclose that of the exact cones. Throws
// Error if they have too many corners.
inline constexpr std::size_t most_hull_corners = 400;
std::size_t hull_corners(const Grasp& grasp, int directions);
WrenchHull wrench_hull(const Grasp& grasp, int directions, bool outside = false);

}  // namespace vinci
