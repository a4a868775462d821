// SPDX-License-Identifier: Apache-2.0
// A placed spatial shape as a convex core swollen by a radius: sphere = point, capsule = segment,
// box and polyhedron = polytope (radius 0), cylinder = itself (radius 0).
//
// Everything lives in world axes about the origin of shape a, so that accuracy does not depend on
// how far from the world's origin the pair is. h(d) = max d·x is the core's support function.
// Feature numbers: two top bits say vertex, edge or face; a polytope's edge is its vertex pair.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "vinci/collision/spatial_search.h"
#include "vinci/geometry/shape.h"

namespace vinci {

constexpr std::uint32_t vertex_feature(int vertex) {
  return static_cast<std::uint32_t>(vertex);
}
constexpr std::uint32_t edge_feature(int tail, int head) {
  const auto low = static_cast<std::uint32_t>(tail < head ? tail : head);
  const auto high = static_cast<std::uint32_t>(tail < head ? head : tail);
  return (1u << 30) | (low << 15) | high;
}
constexpr std::uint32_t face_feature(int face) {
  return (2u << 30) | static_cast<std::uint32_t>(face);
}

struct ExtremePoint {
  Vector3 point;
  int vertex;  // −1 on a cylinder
};

class Convex {
 public:
  enum class Kind { polytope, box, cylinder };

  // Takes sphere, capsule, box, cylinder or polyhedron; `position` is relative to the pair's
  // origin.
  void place(const Shape& shape, const Vector3& position, const Quaternion& rotation);

  void translate(const Vector3& by);

  Kind kind() const { return kind_; }
  bool is_cylinder() const { return kind_ == Kind::cylinder; }
  double radius() const { return radius_; }
  double extent() const { return extent_; }  // core's bounding radius about center(), plus radius()
  const Vector3& center() const { return center_; }

  ExtremePoint support(const Vector3& direction) const;
  // min d·x; any value below `floor` may be returned once the minimum is known to be below it.
  double lowest(const Vector3& direction,
                double floor = -std::numeric_limits<double>::infinity()) const;

  // The flat parts of the surface: faces of a polytope, the two caps of a cylinder.
  int flat_count() const { return is_cylinder() ? 2 : static_cast<int>(normals_.size()); }
  Vector3 flat_normal(int flat) const;  // outward, unit
  Vector3 flat_point(int flat) const;   // one point on it

  // Polytopes, the box among them. A point has one vertex, a segment two vertices and one edge.
  std::span<const Vector3> vertices() const { return vertices_; }
  std::span<const Vector3> normals() const { return normals_; }
  std::span<const int> face(int index) const;
  int edge_count() const { return edge_count_; }
  Polyhedron::Edge edge(int index) const;  // a lone segment's edge has no faces: left = right = −1

  // Cylinder, and the columns of the rotation for cylinder and box.
  const Vector3& axis() const { return frame_[2]; }  // unit, from cap 1 to cap 0
  const Vector3& frame(int column) const { return frame_[column]; }
  double cylinder_radius() const { return half_[0]; }
  double half_height() const { return half_[2]; }
  const Vector3& half_extents() const { return half_; }  // of a box
  Vector3 cap_center(int cap) const {
    return cap == 0 ? Vector3(center_ + half_[2] * frame_[2])
                    : Vector3(center_ - half_[2] * frame_[2]);
  }
  // Point of a cap's rim farthest along `radial`, a unit vector perpendicular to the axis.
  Vector3 rim_point(int cap, const Vector3& radial) const {
    return cap_center(cap) + half_[0] * radial;
  }
  Vector3 perpendicular(const Vector3& d) const {  // part of d perpendicular to the axis
    return d.dot(frame_[0]) * frame_[0] + d.dot(frame_[1]) * frame_[1];
  }

 private:
  Kind kind_ = Kind::polytope;
  double radius_ = 0.0, extent_ = 0.0;
  Vector3 center_ = Vector3::Zero(), half_ = Vector3::Zero();
  Vector3 frame_[3];
  std::vector<Vector3> vertices_, normals_;
  const Polyhedron* polyhedron_ = nullptr;
  int edge_count_ = 0;
};

struct MeshWorkspace;  // mesh_contacts.h

// Buffers of the spatial narrow phase; one for each thread of detection.
struct SpatialWorkspace {
  Convex a, b;
  std::vector<int> edges_a, edges_b;    // candidates that survive culling
  std::vector<int> flats_a, flats_b;    // that face each other
  std::shared_ptr<MeshWorkspace> mesh;  // made when the first mesh is met
  SpatialSearch search;                 // of superquadrics
};

// Signed gap along the unit vector n from a to b, cores only: min n·b − max n·a. Its maximum over n
// is the distance of the cores, or minus their penetration depth. `floor` as in Convex::lowest.
double gap_along(const Convex& a, const Convex& b, const Vector3& n,
                 double floor = -std::numeric_limits<double>::infinity());

}  // namespace vinci
