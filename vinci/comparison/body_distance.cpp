// SPDX-License-Identifier: Apache-2.0
#include "vinci/comparison/body_distance.h"

#include <algorithm>
#include <cmath>

#include "vinci/geometry/curve.h"
#include "vinci/geometry/superquadric.h"
#include "vinci/geometry/triangle_mesh.h"

namespace vinci {
namespace {

constexpr std::size_t curve_points = 256;  // chords fall short of a circle by 7.5e-5 of its radius

Vector3 lifted(const Vector2& v) {
  return {v.x(), v.y(), 0.0};
}

// The points of a shape in its own frame whose displacements bound all others.
struct Outline {
  double unbounded;
  std::vector<RoundPoint> points = {};

  void operator()(const Circle& s) { points.push_back({Vector3::Zero(), s.radius}); }
  void operator()(const Sphere& s) { points.push_back({Vector3::Zero(), s.radius}); }
  void operator()(const Polygon& s) {
    for (const Vector2& v : s.vertices) points.push_back({lifted(v)});
  }
  void operator()(const Polyhedron& s) {
    for (const Vector3& v : s.vertices) points.push_back({v});
  }
  void operator()(const Capsule& s) {
    points.push_back({s.half_axis, s.radius});
    points.push_back({-s.half_axis, s.radius});
  }
  void operator()(const Box& s) {
    for (int i = 0; i < 8; ++i) {
      const Vector3 signs((i & 1) != 0 ? 1.0 : -1.0, (i & 2) != 0 ? 1.0 : -1.0,
                          (i & 4) != 0 ? 1.0 : -1.0);
      points.push_back({signs.cwiseProduct(s.half_extents)});
    }
  }
  void operator()(const Cylinder& s) {
    points.push_back({Vector3(0.0, 0.0, s.half_height), s.radius});
    points.push_back({Vector3(0.0, 0.0, -s.half_height), s.radius});
  }
  void operator()(const HalfPlane&) { points.push_back({Vector3::Zero(), unbounded}); }
  void operator()(const HalfSpace&) { points.push_back({Vector3::Zero(), unbounded}); }
  void operator()(const Superellipse& s) { curve(s); }
  void operator()(const ImplicitCurve& s) { curve(s); }
  void operator()(const Mesh& s) { triangles(*s.surface); }
  void operator()(const HeightField& s) { triangles(*s.surface); }
  void operator()(const Superquadric& s) {
    for (const Vector3& v : surface_points(s, 16, 32)) points.push_back({v});
  }

 private:
  // The corners of a box around it bound a large one.
  void triangles(const TriangleMesh& mesh) {
    constexpr std::size_t few = 5000;
    if (mesh.vertices.size() <= few) {
      for (const Vector3& v : mesh.vertices) points.push_back({v});
      return;
    }
    for (int i = 0; i < 8; ++i) {
      Vector3 corner = mesh.box.lower;
      for (int k = 0; k < 3; ++k)
        if ((i >> k & 1) != 0) corner[k] = mesh.box.upper[k];
      points.push_back({corner});
    }
  }
  template <class Curve>
  void curve(const Curve& s) {
    for (const Vector2& v : outline_points(s, curve_points)) points.push_back({lifted(v)});
  }
};

}  // namespace

BodyDistance::BodyDistance(const Model& model, int body, double unbounded) {
  const Body& it = model.bodies[static_cast<std::size_t>(body)];
  for (int i = it.first_shape; i < it.first_shape + it.shape_count; ++i) {
    const PlacedShape& placed = model.shapes[static_cast<std::size_t>(i)];
    Outline outline{unbounded};
    std::visit(outline, placed.shape);
    for (const RoundPoint& p : outline.points)
      points_.push_back({placed.offset * p.point, p.radius});
  }
  for (const Support& support : it.supports) points_.push_back({support.point});
  if (points_.empty()) points_.push_back({it.mass.center});
}

double BodyDistance::operator()(const Pose& p, const Pose& q) const {
  // |sin(θ/2)| is the length of the vector part of the relative rotation.
  const double turn = 2.0 * (p.rotation.conjugate() * q.rotation).vec().norm();
  double largest = 0.0;
  for (const RoundPoint& x : points_)
    largest = std::max(largest, (p * x.point - q * x.point).norm() + turn * x.radius);
  return largest;
}

double BodyDistance::diameter() const {
  struct Reach {
    double radius;  // m, about the middle of the points, of the round part's far side
    const RoundPoint* part;
  };
  Vector3 middle = Vector3::Zero();
  for (const RoundPoint& x : points_) middle += x.point / static_cast<double>(points_.size());
  std::vector<Reach> reaches;
  for (const RoundPoint& x : points_) reaches.push_back({(x.point - middle).norm() + x.radius, &x});
  std::stable_sort(reaches.begin(), reaches.end(),
                   [](const Reach& a, const Reach& b) { return a.radius > b.radius; });
  // No pair is farther apart than its reaches together, which end the search early.
  double largest = 0.0;
  for (std::size_t i = 0; i < reaches.size(); ++i)
    for (std::size_t j = i; j < reaches.size(); ++j) {
      if (reaches[i].radius + reaches[j].radius <= largest) break;
      const RoundPoint &a = *reaches[i].part, &b = *reaches[j].part;
      largest = std::max(largest, (a.point - b.point).norm() + a.radius + b.radius);
    }
  return largest;
}

std::optional<double> moving_size(const Model& model) {
  double size = 0.0;
  for (std::size_t b = 0; b < model.bodies.size(); ++b)
    if (model.is_moved(static_cast<int>(b)) && std::isfinite(model.bodies[b].bounding_radius))
      size = std::max(size, BodyDistance(model, static_cast<int>(b), 0.0).diameter());
  return size > 0.0 ? std::optional(size) : std::nullopt;
}

double reference_length(const Model& model) {
  return moving_size(model).value_or(1.0);
}

}  // namespace vinci
