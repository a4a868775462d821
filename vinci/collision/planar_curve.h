// SPDX-License-Identifier: Apache-2.0
// The narrow phase of curves: superellipses and implicit curves among themselves and against
// circles, capsules, polygons and half-planes. Which points are contacts is explained in
// docs/theory/collision_planar.md.
#pragma once

#include "vinci/collision/planar_search.h"

namespace vinci {

class CurveCollider {
 public:
  // Appends the contacts of one pair with gap <= margin, sorted by features; a or b is a curve.
  void collide(const PlanarOutline& a, const PlanarOutline& b, double margin,
               std::vector<ContactPoint>& out);

 private:
  using Piece = PlanarOutline::Piece;
  // What the curve meets along a normal: the points of a second curve, or a straight face.
  struct Opposite {
    const PlanarConvex* curve = nullptr;
    Vector2 point;  // opposite to the curve's farthest point
    // Where the face ends, along the tangent from there, m.
    double lowest = 0.0, highest = 0.0;
  };

  void collide_curves();
  void collide_piece(const Piece& piece);
  void part_piece(const Piece& piece);
  std::span<const PlanarOutline::RingVertex> ring(const Piece& piece) const;
  bool find_valid_axis(const Piece& piece, bool corners, PlanarProbe& best, int& feature) const;
  bool probe_corner(int corner, const PlanarConvex& curve, double least, PlanarProbe& found) const;
  void meet_face(int face);
  void meet_corner(int corner);
  void add_flat(const Vector2& normal, const Vector2& point, const Opposite& opposite,
                std::uint32_t feature);
  Vector2 point_beside(const PlanarConvex& convex, const PlanarProbe& turned, const Vector2& from,
                       const Vector2& along, double distance) const;
  void add(const Vector2& on_curve, const Vector2& on_other, const Vector2& normal,
           std::uint32_t feature_curve, std::uint32_t feature_other);
  void deliver(std::vector<ContactPoint>& out);

  const PlanarOutline* own_ = nullptr;  // the curve; lengths are taken from its origin
  const PlanarOutline* other_ = nullptr;
  bool own_is_a_ = true;
  double margin_ = 0.0;       // between the surfaces, m
  double core_margin_ = 0.0;  // between the curve and the other's core, m
  double tolerance_ = 0.0;    // lengths below it are nothing, m
  bool overlap_ = false;      // with some piece
  Vector2 shift_;             // of the curve, to where it just touches the piece
  std::vector<ContactPoint> found_;
};

}  // namespace vinci
