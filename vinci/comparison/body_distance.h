// SPDX-License-Identifier: Apache-2.0
// How far apart two poses of a body are: the largest displacement of any of its material points,
//   d(p, q) = max |p x − q x| over the points x of its shapes, in m.
// The displacement is a convex function of x, so the corners of a polygon or polyhedron suffice; a
// round part adds its radius times 2 sin(θ/2), θ being the angle between the rotations: exact in
// the plane, an upper bound in space.
#pragma once

#include <optional>
#include <vector>

#include "vinci/model/model.h"

namespace vinci {

struct RoundPoint {
  Vector3 point;        // body frame, m
  double radius = 0.0;  // m
};

class BodyDistance {
 public:
  // `unbounded`: the radius about its origin that counts of a half-plane or half-space, m.
  BodyDistance(const Model& model, int body, double unbounded);
  double operator()(const Pose& p, const Pose& q) const;
  // Largest distance between two points of the body, m; an upper bound for a cylinder.
  double diameter() const;

 private:
  std::vector<RoundPoint> points_;
};

// The largest diameter of a body that can move freely in some coordinate, m; none where no such
// body has an extent.
std::optional<double> moving_size(const Model& model);
double reference_length(const Model& model);  // the same, otherwise 1 m: for tolerances

}  // namespace vinci
