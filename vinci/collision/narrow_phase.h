// SPDX-License-Identifier: Apache-2.0
// The narrow phase: every contact point of one pair of placed shapes.
//
// Both functions append the contacts whose gap is at most `margin`. The normal is a unit vector
// from a to b, gap = normal · (point_b − point_a), the points lie on the surfaces. Feature numbers
// name vertices, edges or faces of the shapes and are the same from call to call as long as the
// same features meet. Nothing is allocated once `out` has grown.
#pragma once

#include <cstdint>
#include <vector>

#include "vinci/geometry/shape.h"

namespace vinci {

struct PlacedPair {
  const Shape* a;
  Pose pose_a;  // world
  const Shape* b;
  Pose pose_b;  // world
};

struct ContactPoint {
  std::uint32_t feature_a, feature_b;
  Vector3 point_a, point_b;  // world, m
  Vector3 normal;            // world, unit, from a to b
  double gap;                // m
};

// Circle, planar capsule, polygon, half-plane; poses in the x-y plane.
void collide_planar(const PlacedPair& pair, double margin, std::vector<ContactPoint>& out);

// Sphere, box, capsule, cylinder, polyhedron, half-space.
void collide_spatial(const PlacedPair& pair, double margin, std::vector<ContactPoint>& out);

}  // namespace vinci
