// SPDX-License-Identifier: Apache-2.0
// A surface of triangles placed in the frame of a pair, and the tests that decide which of its
// features may touch along a direction. Private to the contacts of meshes.
//
// A feature can be the lowest of its surroundings along −n, that is, nearest to what comes from
// there, if no way along the surface leads further: e · n <= 0 for every edge e at a vertex, and
// for the directions from an edge into its two faces. That is its normal cone; faces have n alone.
#pragma once

#include "vinci/collision/narrow_phase.h"
#include "vinci/geometry/mesh_tree.h"

namespace vinci {

// Sine of the angle by which a normal cone is widened for points that may touch next: as the
// patches of convex shapes (patch_angle).
inline constexpr double cone_slack = 0.247;

constexpr std::uint32_t mesh_edge_feature(int edge) {
  return (1u << 30) | static_cast<std::uint32_t>(edge);
}

struct PlacedSurface {
  const TriangleMesh* mesh = nullptr;
  Vector3 scale = Vector3::Ones();  // of a box, whose triangles are those of a cube
  Matrix3 rotation = Matrix3::Identity();
  Vector3 position = Vector3::Zero();
  bool is_box = false;

  Vector3 vertex(int v) const {
    return position + rotation * scale.cwiseProduct(mesh->vertices[static_cast<std::size_t>(v)]);
  }
  Vector3 normal(int flat) const {
    return rotation * mesh->flats[static_cast<std::size_t>(flat)].normal;
  }
  // Height of x over the plane of a flat, m.
  double height(int flat, const Vector3& x) const {
    const TriangleMesh::Flat& f = mesh->flats[static_cast<std::size_t>(flat)];
    const double offset = is_box ? f.normal.cwiseAbs().dot(scale) : f.offset;
    return f.normal.dot(rotation.transpose() * (x - position)) - offset;
  }
  // From a vertex into the solid.
  Vector3 inward(int v) const {
    return rotation * -mesh->vertex_normals[static_cast<std::size_t>(v)];
  }
  Vector3 local(const Vector3& x) const { return rotation.transpose() * (x - position); }
  double size() const { return is_box ? scale.norm() : mesh->size; }
  Box3 box_of(const Box3& box) const;  // around a box of the mesh, in the pair's frame
  Box3 triangle_box(int triangle) const;

  // How far behind the surface x is, m; not positive if it is not behind.
  double depth(const Vector3& x) const;
  bool contains(const Vector3& x) const { return depth(x) > 0.0; }

  // Is n in the normal cone of the vertex, widened by an angle of this sine?
  bool vertex_faces(int vertex, const Vector3& n, double slack) const;
  // The same, or a face at the vertex looks along n by more than 6°: it may touch what is there.
  bool vertex_may_touch(int vertex, const Vector3& n) const;
  bool edge_faces(int edge, const Vector3& n, double slack) const;

  // Is x over the triangle, seen along its normal? Beyond an edge where the surface rises it is as
  // long as it is behind the face there, by no more than `concave`: it has sunk in.
  bool is_over(int triangle, const Vector3& x, double tolerance, double concave) const;
};

// Mesh, height field, box or polyhedron at a pose in the pair's frame.
PlacedSurface place_surface(const Shape& shape, const Pose& pose);

}  // namespace vinci
