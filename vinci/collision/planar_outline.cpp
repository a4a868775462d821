// SPDX-License-Identifier: Apache-2.0
// Planar shapes placed in the world as corners, faces and convex pieces.
#include <limits>

#include "vinci/collision/planar.h"
#include "vinci/geometry/curve.h"

namespace vinci {

namespace {

// A vertex that turns by less than this angle (rad) is no corner: rounding of decimal coordinates
// turns collinear vertices by about 1e-16, and a face bent by so little moves no point of it by
// more than 1e-12 of its length.
constexpr double straight = 1e-12;

Matrix2 turn_of(const Pose& pose) {
  const Matrix3 rotation = pose.rotation.toRotationMatrix();
  return rotation.topLeftCorner<2, 2>();
}

// Outward normal of an edge with the solid on its left.
Vector2 right_of(const Vector2& tangent) {
  return {tangent.y(), -tangent.x()};
}

}  // namespace

void PlanarOutline::place(const Shape& shape, const Pose& pose) {
  corners.clear(), faces.clear(), ring.clear(), pieces.clear();
  box.setEmpty();
  radius = 0.0;
  curve = {};
  depth = pose.position.z();
  unbounded = std::holds_alternative<HalfPlane>(shape);
  const Vector2 center = pose.position.head<2>();
  if (unbounded) {
    const Vector2 normal = turn_of(pose).col(1);
    faces.push_back({center, Vector2(-normal.y(), normal.x()), normal,
                     std::numeric_limits<double>::infinity()});
  } else if (const auto* circle = std::get_if<Circle>(&shape)) {
    radius = circle->radius;
    place_convex({center});
  } else if (const auto* capsule = std::get_if<Capsule>(&shape)) {
    radius = capsule->radius;
    const Vector2 half = turn_of(pose) * capsule->half_axis.head<2>();
    if (half.squaredNorm() > 0.0)
      place_convex({center - half, center + half});
    else
      place_convex({center});
  } else if (const auto* polygon = std::get_if<Polygon>(&shape)) {
    place_polygon(*polygon, pose);
  } else if (is_curve(shape)) {
    place_curve(shape, pose);
  }
}

void PlanarOutline::place_curve(const Shape& shape, const Pose& pose) {
  curve.superellipse = std::get_if<Superellipse>(&shape);
  curve.implicit = std::get_if<ImplicitCurve>(&shape);
  curve.turn = turn_of(pose);
  curve.origin = pose.position.head<2>();
  // A circle that holds the curve.
  curve.middle = curve.origin;
  if (curve.implicit) curve.middle += curve.turn * curve.implicit->center;
  curve.size = curve.superellipse ? curve.superellipse->axes.maxCoeff() : curve.implicit->size;
  const double reach = curve.superellipse ? std::sqrt(2.0) * curve.size : curve.size;
  box.extend(Vector2(curve.middle.array() - reach));
  box.extend(Vector2(curve.middle.array() + reach));
}

Vector2 PlacedCurve::support(const Vector2& direction) const {
  const Vector2 local = turn.transpose() * direction;
  return turn *
         (superellipse ? support_point(*superellipse, local) : support_point(*implicit, local));
}

// A point or a segment, walked there and back.
void PlanarOutline::place_convex(std::initializer_list<Vector2> points) {
  for (const Vector2& point : points)
    corners.push_back({point, static_cast<std::uint32_t>(corners.size()), true});
  if (corners.size() > 1) make_faces();
  for (int i = 0; i < static_cast<int>(corners.size()); ++i) {
    const bool edge = !faces.empty();
    ring.push_back({corners[i].point, edge ? faces[i].normal : Vector2(0.0, 0.0), corners[i].vertex,
                    i, edge ? i : -1});
  }
  add_piece(0);
}

void PlanarOutline::place_polygon(const Polygon& polygon, const Pose& pose) {
  const std::vector<Vector2>& vertices = polygon.vertices;
  const int n = static_cast<int>(vertices.size());
  const Matrix2 turn = turn_of(pose);
  const Vector2 origin = pose.position.head<2>();
  corner_of_.assign(n, -1);
  face_of_.assign(n, -1);
  // Straightness is decided in the shape's own frame, so that it does not change as it moves.
  for (int i = 0; i < n; ++i) {
    const Vector2 in = vertices[i] - vertices[(i + n - 1) % n];
    const Vector2 out = vertices[(i + 1) % n] - vertices[i];
    const double bend = cross(in, out);
    if (std::abs(bend) <= straight * in.norm() * out.norm()) continue;
    corner_of_[i] = static_cast<int>(corners.size());
    corners.push_back({origin + turn * vertices[i], static_cast<std::uint32_t>(i), bend > 0.0});
  }
  make_faces();
  int face = static_cast<int>(faces.size()) - 1;  // a face may start before vertex 0
  for (int i = 0; i < n; ++i) {
    if (corner_of_[i] >= 0) face = corner_of_[i];
    face_of_[i] = face;
  }
  for (const std::vector<int>& piece : polygon.pieces) {
    const int first = static_cast<int>(ring.size()), size = static_cast<int>(piece.size());
    for (int k = 0; k < size; ++k) {
      const int u = piece[k], v = piece[(k + 1) % size];
      const bool outer = v == (u + 1) % n;
      const Vector2 normal =
          outer ? faces[face_of_[u]].normal
                : Vector2(turn * right_of((vertices[v] - vertices[u]).normalized()));
      ring.push_back({origin + turn * vertices[u], normal, static_cast<std::uint32_t>(u),
                      corner_of_[u], outer ? face_of_[u] : -1});
    }
    add_piece(first);
  }
}

void PlanarOutline::make_faces() {
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Vector2 tail = corners[i].point, head = corners[(i + 1) % corners.size()].point;
    const double length = (head - tail).norm();
    const Vector2 tangent = (head - tail) / length;
    faces.push_back({tail, tangent, right_of(tangent), length});
  }
}

void PlanarOutline::add_piece(int first) {
  Piece piece{first, static_cast<int>(ring.size()) - first, {}};
  for (int i = first; i < first + piece.size; ++i) piece.box.extend(ring[i].point);
  box.extend(piece.box);
  pieces.push_back(piece);
}

bool PlanarOutline::contains(const Vector2& point, double tolerance) const {
  for (const Piece& piece : pieces) {
    if (piece.size < 3 || !piece.box.contains(point)) continue;
    bool inside = true;
    for (int i = piece.first; i < piece.first + piece.size && inside; ++i)
      inside = ring[i].normal.dot(point - ring[i].point) < (ring[i].face < 0 ? tolerance : 0.0);
    if (inside) return true;
  }
  return false;
}

}  // namespace vinci
