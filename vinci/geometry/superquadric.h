// SPDX-License-Identifier: Apache-2.0
// Superquadrics by their support points. With p = 2/e1, q = 2/e2 the set is the unit ball of the
// norm N_p(N_q(x/a, y/b), z/c), and its support function the dual norm, with 1/p + 1/p' = 1:
//   h(d) = max d·x = N_p'(N_q'(a dx, b dy), c dz).
#pragma once

#include "vinci/geometry/shape.h"

namespace vinci {

// Direction: any vector but zero. Where a flat part faces it, any point of that.
Vector3 support_point(const Superquadric& shape, const Vector3& direction);

// The support point with its derivative by the direction, ∇²h: across the unit direction its
// eigenvalues are the two radii of curvature there, m. Zero at corners, up to `largest` where the
// surface is flat.
struct CurvedPoint {
  Vector3 point;
  Matrix3 radii;
};
CurvedPoint curved_support_point(const Superquadric& shape, const Vector3& direction,
                                 double largest);

// The norm: 1 on the surface, proportional to the distance from the centre along a ray.
double gauge(const Superquadric& shape, const Vector3& point);

// Where the segment from `inner`, a point of the set, to `outer`, one outside, leaves it; right to
// rounding.
Vector3 boundary_between(const Superquadric& shape, const Vector3& inner, const Vector3& outer);

// Largest distance of the surface from the centre.
double farthest_distance(const Superquadric& shape);

// Points of the surface, rows from −z to z, dense where it bends.
std::vector<Vector3> surface_points(const Superquadric& shape, int rows, int columns);

struct VolumeMoments {
  double volume = 0.0;               // m³
  Vector3 second = Vector3::Zero();  // ∫ x² dV, ∫ y² dV, ∫ z² dV, m⁵
};
VolumeMoments volume_moments(const Superquadric& shape);

}  // namespace vinci
