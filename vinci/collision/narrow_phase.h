// SPDX-License-Identifier: Apache-2.0
// The narrow phase: every contact point of one pair of placed shapes. The planar one is in
// planar.h.
//
// Contacts whose gap is at most `margin` are appended. The normal is a unit vector from a to b,
// gap = normal · (point_b − point_a), the points lie on the surfaces. Feature numbers name
// vertices, edges or faces of the shapes and are the same from call to call as long as the same
// features meet. Nothing is allocated once `out` and the workspace have grown.
#pragma once

#include <cstdint>
#include <vector>

#include "vinci/collision/spatial_convex.h"
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

// Sphere, box, capsule, cylinder, polyhedron, superquadric, mesh, height field, half-space. The
// workspace carries nothing from call to call but its capacity. Two half-spaces give no contact.
void collide_spatial(const PlacedPair& pair, double margin, SpatialWorkspace& workspace,
                     std::vector<ContactPoint>& out);

}  // namespace vinci
