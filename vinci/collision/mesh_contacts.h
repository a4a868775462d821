// SPDX-License-Identifier: Apache-2.0
// Contacts of triangle meshes and height fields with every spatial shape. One of the two is the
// base: everything is computed in its own frame, in which its vertices need not be moved, and is
// turned into the world's at the end.
#pragma once

#include <cstdint>
#include <vector>

#include "vinci/collision/mesh_surface.h"

namespace vinci {

// A contact point in the frame of the base; the normal points from the base to the other shape.
struct MeshContact {
  std::uint32_t base_feature = 0, other_feature = 0;
  Vector3 base_point = Vector3::Zero(), other_point = Vector3::Zero();
  Vector3 normal = Vector3::UnitZ();
  double gap = 0.0;
  int base_flat = -1, other_flat = -1;      // the flat that the normal belongs to, if to one
  int base_vertex = -1, other_vertex = -1;  // the corner that lies over the flat of the other
};

// Where a point behind the base, or a corner of the base behind the other, may get out.
struct WayOut {
  int corner;     // of its surface; of a cylinder, its feature
  int flat;       // of the surface that it is behind
  double height;  // over the flat, negative
  bool of_base;   // the corner is the base's
  Vector3 point;
};

// Where an edge passes through a face.
struct Pierced {
  bool of_base;  // the edge is the base's
  bool enters;   // from the front of the face, on the way from the edge's tail to its head
  int edge, flat;
  double s;  // place on the edge, from 0 to 1
  Vector3 point;
};

struct MeshWorkspace {
  std::vector<MeshContact> found;
  std::vector<MeshContact> crossings;  // of edges that have passed each other
  std::vector<WayOut> ways;
  std::vector<Pierced> pierced;
  std::vector<std::pair<int, int>> stack;
  std::vector<int> group, hull;
  std::vector<Vector2> plane;
  std::vector<ContactPoint> points;
  std::vector<char> dropped, corner;
  std::vector<int> chain, members;
  std::vector<std::array<int, 4>> entries;  // base flat, other flat, which normal, contact
};

// One pair, of which `base` is a mesh or height field. Finds, then filters.
struct MeshPair {
  PlacedSurface base;
  double margin;
  double tolerance;  // lateral, as PatchEmitter has it: 1e-8 of the smaller shape
  double concave;    // by how much a point may lie behind the face next to the one it is over
  MeshWorkspace& work;
  double radius = 0.0;  // of the other shape's core
};

// The stages, by the kind of the other shape; all in the frame of the base.
void mesh_with_ball(MeshPair& pair, const Vector3& center);
void mesh_with_capsule(MeshPair& pair, const Convex& capsule);
void mesh_with_cylinder(MeshPair& pair, const Shape& shape, const Pose& pose,
                        SpatialWorkspace& spatial);
void mesh_with_superquadric(MeshPair& pair, const Shape& shape, const Pose& pose,
                            SpatialWorkspace& spatial);
void mesh_with_surface(MeshPair& pair, const PlacedSurface& other);
void mesh_with_half_space(MeshPair& pair, const Vector3& point, const Vector3& normal);

// Points behind the base, or corners of the base behind `other`: each leaves through the nearest
// face that its cone allows, and through further ones as long as it is still inside. A shape that
// is no surface has its center in place of `other`.
void take_ways_out(MeshPair& pair, const PlacedSurface* other,
                   const Vector3& center = Vector3::Zero());

// Contacts that are one, and those between the corners of the hull of a patch, are dropped. Without
// `other` it is a half-space with this normal.
void drop_repeats(MeshPair& pair);
void reduce_patches(MeshPair& pair, const PlacedSurface* other,
                    const Vector3& plane_normal = Vector3::Zero());

// At least one of the shapes is a mesh or a height field.
void collide_mesh(const PlacedPair& pair, double margin, SpatialWorkspace& workspace,
                  std::vector<ContactPoint>& out);

}  // namespace vinci
