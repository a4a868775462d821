// SPDX-License-Identifier: Apache-2.0
// An independent second route for the spatial narrow phase: support functions and membership
// written on their own, and exhaustive search for the axis of largest gap.
#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include "vinci/collision/narrow_phase.h"
#include "vinci/geometry/build.h"

namespace vinci::oracle {

using Random = std::mt19937_64;

inline double uniform(Random& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}
inline Vector3 unit_vector(Random& random) {
  std::normal_distribution<double> normal;
  Vector3 v;
  do v = Vector3(normal(random), normal(random), normal(random));
  while (v.norm() < 1e-3);
  return v.normalized();
}
inline Quaternion rotation(Random& random) {
  std::normal_distribution<double> normal;
  return Quaternion(normal(random), normal(random), normal(random), normal(random)).normalized();
}

enum Kind { sphere, capsule, box, cylinder, polyhedron, kind_count };
inline const char* names[] = {"sphere", "capsule", "box", "cylinder", "polyhedron"};

inline Shape random_shape(int kind, Random& random) {
  const auto size = [&] { return uniform(random, 0.2, 1.0); };
  if (kind == sphere) return Sphere{size()};
  if (kind == capsule) return Capsule{size() * unit_vector(random), size()};
  if (kind == box) return Box{Vector3(size(), size(), size())};
  if (kind == cylinder) return Cylinder{size(), size()};
  std::vector<Vector3> points;
  const int count = std::uniform_int_distribution<int>(5, 16)(random);
  for (int i = 0; i < count; ++i) points.push_back(unit_vector(random) * size());
  return convex_hull(points);
}

// Core as a point set, edges and normals in the world; a cylinder has its own fields.
struct Solid {
  bool round_side = false;
  Vector3 center, axis;
  double side_radius = 0.0, half_height = 0.0, radius = 0.0;
  std::vector<Vector3> vertices, edges, normals;
  std::vector<std::pair<int, int>> ends;

  Solid(const Shape& shape, const Pose& pose) : center(pose.position) {
    if (const auto* s = std::get_if<Sphere>(&shape)) {
      radius = s->radius;
      vertices = {center};
    } else if (const auto* c = std::get_if<Capsule>(&shape)) {
      radius = c->radius;
      vertices = {pose * c->half_axis, pose * Vector3(-c->half_axis)};
      ends = {{0, 1}};
    } else if (const auto* y = std::get_if<Cylinder>(&shape)) {
      round_side = true;
      axis = pose.rotation * Vector3::UnitZ();
      side_radius = y->radius;
      half_height = y->half_height;
      normals = {axis, -axis};
    } else {
      const auto* b = std::get_if<Box>(&shape);
      const Polyhedron p = b ? box_polyhedron(b->half_extents) : std::get<Polyhedron>(shape);
      for (const Vector3& v : p.vertices) vertices.push_back(pose * v);
      for (const Vector3& n : p.face_normals) normals.push_back(pose.rotation * n);
      for (const auto& e : p.edges) ends.push_back({e.tail, e.head});
    }
    for (const auto& [i, j] : ends)
      edges.push_back(vertices[static_cast<std::size_t>(j)] -
                      vertices[static_cast<std::size_t>(i)]);
  }

  double support(const Vector3& n) const {  // of the whole shape, n unit
    if (round_side) {
      const double along = n.dot(axis);
      return n.dot(center) + half_height * std::abs(along) + side_radius * (n.cross(axis)).norm();
    }
    double value = -1e300;
    for (const Vector3& v : vertices) value = std::max(value, n.dot(v));
    return value + radius;
  }

  // Negative inside, zero on the surface, at least the distance to a facet's plane outside.
  double level(const Vector3& x) const {
    if (round_side) {
      const double height = std::abs((x - center).dot(axis)) - half_height;
      return std::max(height, (x - center).cross(axis).norm() - side_radius);
    }
    if (!normals.empty()) {
      double value = -1e300;
      for (const Vector3& n : normals) value = std::max(value, n.dot(x) - support(n));
      return value;
    }
    return (x - nearest_on_core(x)).norm() - radius;
  }

  Vector3 nearest_on_core(const Vector3& x) const {
    if (vertices.size() == 1) return vertices[0];
    const double t = (x - vertices[0]).dot(edges[0]) / edges[0].squaredNorm();
    return vertices[0] + std::clamp(t, 0.0, 1.0) * edges[0];
  }
};

inline double gap_along(const Solid& a, const Solid& b, const Vector3& n) {
  return -b.support(-n) - a.support(n);
}

struct BestAxis {
  const Solid &a, &b;
  double gap = -1e300;
  Vector3 normal = Vector3::UnitZ();

  void offer(const Vector3& direction) {
    if (direction.norm() < 1e-9) return;
    const Vector3 n = direction.normalized();
    const double value = oracle::gap_along(a, b, n);
    if (value > gap) {
      gap = value;
      normal = n;
    }
  }
};

// Exact for polytopal cores: the largest gap lies along a face normal, a common normal of edges, or
// the line between nearest points of vertices and edges.
inline double exhaustive_gap(const Solid& a, const Solid& b) {
  BestAxis best{a, b};
  for (const Vector3& n : a.normals) best.offer(n);
  for (const Vector3& n : b.normals) best.offer(-n);
  for (const Vector3& e : a.edges)
    for (const Vector3& f : b.edges) {
      best.offer(e.cross(f));
      best.offer(-e.cross(f));
    }
  const auto to_edges = [&](const Solid& s, const Vector3& x, double sign) {
    for (std::size_t e = 0; e < s.edges.size(); ++e) {
      const Vector3& p = s.vertices[static_cast<std::size_t>(s.ends[e].first)];
      const double t = (x - p).dot(s.edges[e]) / s.edges[e].squaredNorm();
      best.offer(sign * (p + std::clamp(t, 0.0, 1.0) * s.edges[e] - x));
    }
  };
  for (const Vector3& x : a.vertices) {
    to_edges(b, x, 1.0);
    for (const Vector3& y : b.vertices) best.offer(y - x);
  }
  for (const Vector3& y : b.vertices) to_edges(a, y, -1.0);
  return best.gap;
}

// A lower bound for any pair: directions spread over the sphere, the best improved by random steps.
inline double sampled_gap(const Solid& a, const Solid& b, int samples, Random& random) {
  BestAxis best{a, b};
  for (const Vector3& n : a.normals) best.offer(n);
  for (const Vector3& n : b.normals) best.offer(-n);
  for (int i = 0; i < samples; ++i) {
    const double z = 1.0 - (2.0 * i + 1.0) / samples, angle = i * 2.399963229728653;
    const double r = std::sqrt(1.0 - z * z);
    best.offer({r * std::cos(angle), r * std::sin(angle), z});
  }
  for (double step = 0.1; step > 1e-9; step *= 0.97)
    best.offer(best.normal + step * unit_vector(random));
  return best.gap;
}

inline std::vector<ContactPoint> collide(const Shape& a, const Pose& pose_a, const Shape& b,
                                         const Pose& pose_b, double margin) {
  SpatialWorkspace workspace;
  std::vector<ContactPoint> out;
  collide_spatial({&a, pose_a, &b, pose_b}, margin, workspace, out);
  return out;
}

inline double least_gap(const std::vector<ContactPoint>& contacts) {
  double least = 1e300;
  for (const ContactPoint& c : contacts) least = std::min(least, c.gap);
  return least;
}

inline Pose at(double x, double y, double z, const Quaternion& turn = Quaternion::Identity()) {
  return {Vector3(x, y, z), turn};
}

inline Quaternion about(const Vector3& axis, double angle) {
  return Quaternion(Eigen::AngleAxisd(angle, axis));
}

inline bool has_point(const std::vector<ContactPoint>& contacts, const Vector3& p,
                      double tolerance) {
  return std::any_of(contacts.begin(), contacts.end(),
                     [&](const auto& c) { return (c.point_a - p).norm() <= tolerance; });
}

}  // namespace vinci::oracle
