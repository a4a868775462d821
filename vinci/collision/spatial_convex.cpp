// SPDX-License-Identifier: Apache-2.0
// Placement and support functions of the convex cores.
#include "vinci/collision/spatial_convex.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace vinci {
namespace {

// Box vertex v has the sign of coordinate i in bit i; faces are +x −x +y −y +z −z.
constexpr std::array<std::array<int, 4>, 6> box_faces{
    {{1, 3, 7, 5}, {0, 4, 6, 2}, {2, 6, 7, 3}, {0, 1, 5, 4}, {4, 5, 7, 6}, {0, 2, 3, 1}}};
constexpr std::array<std::array<int, 4>, 12> box_edges{{{0, 1, 3, 5},
                                                        {2, 3, 5, 2},
                                                        {4, 5, 4, 3},
                                                        {6, 7, 2, 4},
                                                        {0, 2, 5, 1},
                                                        {1, 3, 0, 5},
                                                        {4, 6, 1, 4},
                                                        {5, 7, 4, 0},
                                                        {0, 4, 1, 3},
                                                        {1, 5, 3, 0},
                                                        {2, 6, 2, 1},
                                                        {3, 7, 0, 2}}};

}  // namespace

void Convex::place(const Shape& shape, const Vector3& position, const Quaternion& rotation) {
  const Matrix3 r = rotation.toRotationMatrix();
  for (int i = 0; i < 3; ++i) frame_[i] = r.col(i);
  kind_ = Kind::polytope;
  center_ = position;
  radius_ = 0.0;
  polyhedron_ = nullptr;
  edge_count_ = 0;
  vertices_.clear();
  normals_.clear();
  if (const auto* sphere = std::get_if<Sphere>(&shape)) {
    vertices_.push_back(position);
    radius_ = extent_ = sphere->radius;
  } else if (const auto* capsule = std::get_if<Capsule>(&shape)) {
    const Vector3 arm = r * capsule->half_axis;
    vertices_.push_back(position - arm);
    if (!arm.isZero(0.0)) {
      vertices_.push_back(position + arm);
      edge_count_ = 1;
    }
    radius_ = capsule->radius;
    extent_ = arm.norm() + radius_;
  } else if (const auto* box = std::get_if<Box>(&shape)) {
    kind_ = Kind::box;
    half_ = box->half_extents;
    extent_ = half_.norm();
    edge_count_ = 12;
    for (int v = 0; v < 8; ++v)
      vertices_.push_back(position + r * Vector3(v & 1 ? half_[0] : -half_[0],
                                                 v & 2 ? half_[1] : -half_[1],
                                                 v & 4 ? half_[2] : -half_[2]));
    for (int i = 0; i < 3; ++i) {
      normals_.push_back(frame_[i]);
      normals_.push_back(-frame_[i]);
    }
  } else if (const auto* cylinder = std::get_if<Cylinder>(&shape)) {
    kind_ = Kind::cylinder;
    half_ = Vector3(cylinder->radius, cylinder->radius, cylinder->half_height);
    extent_ = std::hypot(cylinder->radius, cylinder->half_height);
  } else if (const auto* polyhedron = std::get_if<Polyhedron>(&shape)) {
    polyhedron_ = polyhedron;
    edge_count_ = static_cast<int>(polyhedron->edges.size());
    Vector3 sum = Vector3::Zero();
    for (const Vector3& v : polyhedron->vertices) {
      vertices_.push_back(position + r * v);
      sum += vertices_.back();
    }
    for (const Vector3& n : polyhedron->face_normals) normals_.push_back(r * n);
    center_ = sum / static_cast<double>(std::max<std::size_t>(1, vertices_.size()));
    extent_ = 0.0;
    for (const Vector3& v : vertices_) extent_ = std::max(extent_, (v - center_).norm());
  }
}

ExtremePoint Convex::support(const Vector3& direction) const {
  if (kind_ == Kind::box) {
    int vertex = 0;
    for (int i = 0; i < 3; ++i)
      if (direction.dot(frame_[i]) > 0.0) vertex |= 1 << i;
    return {vertices_[static_cast<std::size_t>(vertex)], vertex};
  }
  if (kind_ == Kind::cylinder) {
    const Vector3 cap = cap_center(direction.dot(frame_[2]) >= 0.0 ? 0 : 1);
    const Vector3 radial = perpendicular(direction);
    const double length = radial.norm();
    // Below this the direction is the cap's normal to rounding and every point of the cap supports.
    if (length <= 1e-15 * direction.norm()) return {cap, -1};
    return {cap + (half_[0] / length) * radial, -1};
  }
  int best = 0;
  double value = direction.dot(vertices_[0]);
  for (int v = 1; v < static_cast<int>(vertices_.size()); ++v) {
    const double candidate = direction.dot(vertices_[static_cast<std::size_t>(v)]);
    if (candidate > value) {
      value = candidate;
      best = v;
    }
  }
  return {vertices_[static_cast<std::size_t>(best)], best};
}

double Convex::lowest(const Vector3& direction, double floor) const {
  const double x = direction.dot(frame_[0]), y = direction.dot(frame_[1]),
               z = direction.dot(frame_[2]);
  if (kind_ == Kind::box)
    return direction.dot(center_) -
           (half_[0] * std::abs(x) + half_[1] * std::abs(y) + half_[2] * std::abs(z));
  if (kind_ == Kind::cylinder)
    return direction.dot(center_) - (half_[0] * std::sqrt(x * x + y * y) + half_[2] * std::abs(z));
  double value = std::numeric_limits<double>::infinity();
  for (const Vector3& v : vertices_) {
    value = std::min(value, direction.dot(v));
    if (value < floor) break;
  }
  return value;
}

void Convex::translate(const Vector3& by) {
  center_ += by;
  for (Vector3& v : vertices_) v += by;
}

Vector3 Convex::flat_normal(int flat) const {
  if (!is_cylinder()) return normals_[static_cast<std::size_t>(flat)];
  return flat == 0 ? frame_[2] : Vector3(-frame_[2]);
}

Vector3 Convex::flat_point(int flat) const {
  return is_cylinder() ? cap_center(flat) : vertices_[static_cast<std::size_t>(face(flat)[0])];
}

std::span<const int> Convex::face(int index) const {
  const auto f = static_cast<std::size_t>(index);
  if (kind_ == Kind::box) return box_faces[f];
  return polyhedron_->faces[f];
}

Polyhedron::Edge Convex::edge(int index) const {
  const auto e = static_cast<std::size_t>(index);
  if (kind_ == Kind::box)
    return {box_edges[e][0], box_edges[e][1], box_edges[e][2], box_edges[e][3]};
  if (polyhedron_) return polyhedron_->edges[e];
  return {0, 1, -1, -1};
}

double gap_along(const Convex& a, const Convex& b, const Vector3& n, double floor) {
  // −lowest(−n) is a's support value; b's part alone bounds the gap once a's is known.
  const double top = -a.lowest(-n);
  return b.lowest(n, floor + top) - top;
}

}  // namespace vinci
