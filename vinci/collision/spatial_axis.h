// SPDX-License-Identifier: Apache-2.0
// The direction n from a to b that maximises the gap of two cores,
//
//   g(n) = min n·b − max n·a,   |n| = 1,
//
// whose maximum is the distance when they are apart and minus the penetration depth when they
// overlap. Apart the maximum is unique; overlapping it lies where the surface of b − a is locally
// flat enough: on a face, on the sum of two edges, on the sum of a rim and an edge, a side line or
// another rim. Every candidate direction gives a lower bound of the maximum, so that the best
// candidate is never an overestimate of the gap.
#pragma once

#include "vinci/collision/spatial_convex.h"

namespace vinci {

struct Axis {
  Vector3 normal = Vector3::UnitZ();
  double gap = -std::numeric_limits<double>::infinity();
  int flat = -1;      // the flat part of `owner` whose normal this is, −1 if none
  bool of_a = false;  // owner of the flat
};

// What counts as equal gaps: near a tie the flat axis is taken, so that resting faces keep their
// patch and its keys whatever rounding does to the other candidates. A billionth of the smaller
// shape plus a millionth of the gap.
double gap_tolerance(const Convex& a, const Convex& b, double gap);

// Best among the flat parts of both; stops early when the gap exceeds `margin`. Ties go to a, then
// to the lower number.
Axis best_flat_axis(const Convex& a, const Convex& b, double margin);

// Best among the flat parts whose normals have at least this cosine to the unit direction d from a
// to b; flat = −1 when there is none.
Axis best_flat_axis_near(const Convex& a, const Convex& b, const Vector3& d, double cosine);

// Best of all directions; `flat` is the best flat axis: the one to beat, to start from and to cull
// by.
Axis best_free_axis(SpatialWorkspace& workspace, const Axis& flat);

// Its two parts that know cylinders. `start`: the direction found by the distance algorithm, or
// null for overlapping cores, when all families are searched.
void offer_cylinder_polytope(SpatialWorkspace& workspace, const Vector3* start, Axis& best);
void offer_cylinder_cylinder(const Convex& a, const Convex& b, const Vector3* start, Axis& best);

// Evaluates the direction (any length) and keeps it when better.
void offer_axis(const Convex& a, const Convex& b, const Vector3& direction, Axis& best);

}  // namespace vinci
