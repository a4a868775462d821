// SPDX-License-Identifier: Apache-2.0
// Axes in which the deformations of a patch are told, and how they are carried from one normal to
// another: by the least rotation that brings one normal onto the other.
//
// The ends of a patch in space are the corners of the convex hull of its points, seen along the
// normal, each with the exterior angle over 2π as its share: a quarter for a corner of a rectangle,
// a half for an end of a row, nothing for a point on an edge. These shares depend on the hull as a
// set, continuously, and not on how many points describe it.
#pragma once

#include <span>
#include <vector>

#include "vinci/formulation/contact_frame.h"

namespace vinci {

// Components along tangents of `to` from those along tangents of `from`, both right-handed.
Matrix2 carried(const ContactFrame& from, const ContactFrame& to);

// A quarter turn: the velocity of a place by a twist of 1 rad/s.
inline Vector2 quarter_turn(const Vector2& place) {
  return {-place.y(), place.x()};
}

class PatchEnds {
 public:
  // Shares, summing up to 1, of points that belong to a patch by their nearness, 0 to 1, at least
  // one of them by 1: those of the hull of all with a nearness of at least c, over all c.
  void share_out(std::span<const Vector2> places, std::span<const double> nearness,
                 std::span<double> shares);

  // Of the hull of all those points, in turn.
  std::span<const int> corners() const { return corners_; }

 private:
  void add_hull(std::span<const Vector2> places, int count, double weight,
                std::span<double> shares);

  std::vector<int> order_;    // by falling nearness
  std::vector<int> sorted_;   // of a hull, by place
  std::vector<int> corners_;  // of a hull, in turn
};

}  // namespace vinci
