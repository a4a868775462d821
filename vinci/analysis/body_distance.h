// SPDX-License-Identifier: Apache-2.0
// How far apart two poses of a body are: the largest displacement of any of its material points,
//   d(p, q) = max |p x − q x| over the points x of its shapes, in m.
// The displacement is a convex function of x, so the corners of a polygon or polyhedron suffice; a
// round part adds its radius times 2 sin(θ/2), θ being the angle between the rotations: exact in
// the plane, an upper bound in space.
#pragma once

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

 private:
  std::vector<RoundPoint> points_;
};

// Length of the scene for tolerances: the largest diameter 2 r of a body that can move freely in
// some coordinate, r being its radius about the centre of mass; 1 m where there is none.
double moving_size(const Model& model);

}  // namespace vinci
