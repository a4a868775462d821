// SPDX-License-Identifier: Apache-2.0
// The part of a core that faces a direction: a vertex, a segment (edge, capsule axis, side line of
// a cylinder), a face, or a cylinder's cap.
#pragma once

#include "vinci/collision/spatial_convex.h"

namespace vinci {

struct Feature {
  enum class Kind { point, segment, polygon, disk };
  Kind kind = Kind::point;
  const Convex* shape = nullptr;
  int flat = -1;                    // polygon: face; disk: cap
  Vector3 ends[2];                  // point: the first; segment: both
  std::uint32_t end_features[2]{};  // names of the ends
  std::uint32_t feature = 0;        // name of the whole

  std::span<const int> loop;  // polygon: its vertices, counter-clockwise from outside

  // The boundary as a chain of edges: count() vertices, edge_count() edges from i to i + 1
  // (cyclic).
  int count() const {
    if (kind == Kind::polygon) return static_cast<int>(loop.size());
    return kind == Kind::segment ? 2 : (kind == Kind::point ? 1 : 0);
  }
  int edge_count() const {
    return kind == Kind::polygon ? count() : (kind == Kind::segment ? 1 : 0);
  }
  const Vector3& vertex(int i) const {
    return kind == Kind::polygon ? shape->vertices()[static_cast<std::size_t>(corner(i))] : ends[i];
  }
  std::uint32_t vertex_name(int i) const {
    return kind == Kind::polygon ? vertex_feature(corner(i)) : end_features[i];
  }
  std::uint32_t edge_name(int i) const {
    return kind == Kind::polygon ? edge_feature(corner(i), corner(i + 1)) : feature;
  }

 private:
  int corner(int i) const {
    const auto j = static_cast<std::size_t>(i);
    return loop[j < loop.size() ? j : 0];
  }
};

Feature flat_feature(const Convex& shape, int flat);

// The feature that faces the unit direction d when the other shape brings a flat: generous, the
// margin decides which of its points count.
Feature facing_feature(const Convex& shape, const Vector3& d);

// The feature that supports in the direction d exactly (to 1e-6 rad).
Feature support_feature(const Convex& shape, const Vector3& d);

// A tilted capsule shows its deepest end and, less than 60° from level, the line on its side.
struct CapsuleView {
  int lower = 0;                    // vertex that lies deeper along d
  bool level = false;               // the side counts
  Vector3 aside = Vector3::Zero();  // from a core point + radius·d to the side's point beside it
};
CapsuleView view_capsule(const Convex& capsule, const Vector3& d);

inline constexpr double facing_cosine = 0.1;
inline constexpr double cap_cosine = 0.70710678118654752;  // beyond 45° a cylinder shows its side

// Points of a cap; calls visit(point, name).
template <class Visit>
void visit_cap_points(const Convex& cylinder, int cap, const Vector3& d, Visit&& visit) {
  const Vector3 radial = cylinder.perpendicular(d);
  const double tilt = radial.norm();
  for (int i = 0; i < 4; ++i) {
    const Vector3 r = (i & 2 ? -1.0 : 1.0) * cylinder.frame(i & 1);
    visit(cylinder.rim_point(cap, r), vertex_feature(4 * cap + i));
  }
  // Below a billionth of a radian the deepest point is no deeper than the others to rounding.
  if (tilt > 1e-9) visit(cylinder.rim_point(cap, radial / tilt), edge_feature(cap, cap));
}

// Points that stand for a shape facing the unit direction d, less radius·d; calls visit(point,
// name). Vertices count when they belong to a face that looks toward d by more than 6°, or support.
template <class Visit>
void visit_facing_points(const Convex& shape, const Vector3& d, Visit&& visit) {
  if (shape.is_cylinder()) {
    const double along = d.dot(shape.axis());
    if (std::abs(along) > cap_cosine) return visit_cap_points(shape, along > 0.0 ? 0 : 1, d, visit);
    const Vector3 radial = shape.perpendicular(d).normalized();
    for (int cap = 0; cap < 2; ++cap) visit(shape.rim_point(cap, radial), edge_feature(cap, cap));
    return;
  }
  const auto vertices = shape.vertices();
  const auto normals = shape.normals();
  if (normals.empty()) {
    const CapsuleView view = view_capsule(shape, d);
    const auto lower = static_cast<std::size_t>(view.lower);
    visit(vertices[lower], vertex_feature(view.lower));
    if (view.level) visit(vertices[1 - lower] + view.aside, vertex_feature(1 - view.lower));
    return;
  }
  const ExtremePoint support = shape.support(d);
  visit(support.point, vertex_feature(support.vertex));
  for (int f = 0; f < static_cast<int>(normals.size()); ++f) {
    if (normals[static_cast<std::size_t>(f)].dot(d) <= facing_cosine) continue;
    for (const int v : shape.face(f))
      visit(vertices[static_cast<std::size_t>(v)], vertex_feature(v));
  }
}

}  // namespace vinci
