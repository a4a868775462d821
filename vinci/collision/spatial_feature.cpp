// SPDX-License-Identifier: Apache-2.0
// Choice of the features that face a direction.
#include "vinci/collision/spatial_feature.h"

#include <cmath>

namespace vinci {
namespace {

Feature point_feature(const Convex& shape, const Vector3& point, std::uint32_t name) {
  Feature f;
  f.shape = &shape;
  f.ends[0] = point;
  f.end_features[0] = f.feature = name;
  return f;
}

Feature edge_segment(const Convex& shape, int tail, int head) {
  Feature f;
  f.kind = Feature::Kind::segment;
  f.shape = &shape;
  f.ends[0] = shape.vertices()[static_cast<std::size_t>(tail)];
  f.ends[1] = shape.vertices()[static_cast<std::size_t>(head)];
  f.end_features[0] = vertex_feature(tail);
  f.end_features[1] = vertex_feature(head);
  f.feature = edge_feature(tail, head);
  return f;
}

Feature side_line(const Convex& cylinder, const Vector3& radial) {
  Feature f;
  f.kind = Feature::Kind::segment;
  f.shape = &cylinder;
  for (int cap = 0; cap < 2; ++cap) {
    f.ends[cap] = cylinder.rim_point(cap, radial);
    f.end_features[cap] = edge_feature(cap, cap);
  }
  f.feature = face_feature(2);
  return f;
}

// Face with the normal nearest to d among those at the support vertex; −1 when there is none.
int best_face_at(const Convex& shape, int vertex, const Vector3& d) {
  int best = -1;
  double cosine = -2.0;
  for (int e = 0; e < shape.edge_count(); ++e) {
    const Polyhedron::Edge edge = shape.edge(e);
    if ((edge.tail != vertex && edge.head != vertex) || edge.left < 0) continue;
    for (const int f : {edge.left, edge.right}) {
      const double candidate = shape.normals()[static_cast<std::size_t>(f)].dot(d);
      // Equal tilts go to the lower number, whatever the order of the edges.
      if (candidate > cosine + 1e-9 || (candidate > cosine - 1e-9 && f < best)) {
        cosine = candidate;
        best = f;
      }
    }
  }
  return best;
}

}  // namespace

CapsuleView view_capsule(const Convex& capsule, const Vector3& d) {
  CapsuleView view;
  if (capsule.vertices().size() < 2) return view;
  const Vector3 axis = (capsule.vertices()[1] - capsule.vertices()[0]).normalized();
  const double along = axis.dot(d);
  view.lower = along > 0.0 ? 1 : 0;
  const Vector3 side = d - along * axis;
  const double cosine = side.norm();
  view.level = cosine > 0.5;
  if (view.level && std::abs(along) > 1e-12) view.aside = capsule.radius() * (side / cosine - d);
  return view;
}

Feature flat_feature(const Convex& shape, int flat) {
  Feature f;
  f.kind = shape.is_cylinder() ? Feature::Kind::disk : Feature::Kind::polygon;
  f.shape = &shape;
  f.flat = flat;
  if (f.kind == Feature::Kind::polygon) f.loop = shape.face(flat);
  f.feature = face_feature(flat);
  return f;
}

Feature facing_feature(const Convex& shape, const Vector3& d) {
  if (shape.is_cylinder()) {
    const double along = d.dot(shape.axis());
    if (std::abs(along) > cap_cosine) return flat_feature(shape, along > 0.0 ? 0 : 1);
    return side_line(shape, shape.perpendicular(d).normalized());
  }
  if (!shape.normals().empty()) {
    const ExtremePoint support = shape.support(d);
    const int face = best_face_at(shape, support.vertex, d);
    if (face >= 0) return flat_feature(shape, face);
  }
  const CapsuleView view = view_capsule(shape, d);
  if (!view.level)
    return point_feature(shape, shape.vertices()[static_cast<std::size_t>(view.lower)],
                         vertex_feature(view.lower));
  Feature side = edge_segment(shape, 0, 1);
  for (Vector3& end : side.ends) end += view.aside;
  return side;
}

Feature support_feature(const Convex& shape, const Vector3& d) {
  constexpr double angle = 1e-6;
  const ExtremePoint support = shape.support(d);
  if (shape.is_cylinder()) {
    const double along = d.dot(shape.axis());
    const Vector3 radial = shape.perpendicular(d);
    const double tilt = radial.norm();
    const int cap = along > 0.0 ? 0 : 1;
    if (tilt < angle) return flat_feature(shape, cap);
    if (std::abs(along) < angle) return side_line(shape, radial / tilt);
    return point_feature(shape, support.point, edge_feature(cap, cap));
  }
  int tail = -1, head = -1;
  double least = angle;
  for (int e = 0; e < shape.edge_count(); ++e) {
    const Polyhedron::Edge edge = shape.edge(e);
    if (edge.tail != support.vertex && edge.head != support.vertex) continue;
    const Vector3 along = shape.vertices()[static_cast<std::size_t>(edge.head)] -
                          shape.vertices()[static_cast<std::size_t>(edge.tail)];
    const double slope = std::abs(along.dot(d)) / along.norm();
    if (slope < least) {
      least = slope;
      tail = edge.tail;
      head = edge.head;
    }
  }
  if (tail >= 0) return edge_segment(shape, tail, head);
  return point_feature(shape, support.point, vertex_feature(support.vertex));
}

}  // namespace vinci
