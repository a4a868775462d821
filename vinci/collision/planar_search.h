// SPDX-License-Identifier: Apache-2.0
// Signed distance of two convex sets of the plane, from their support points alone. With n a unit
// vector from a to b and v(n) = b's farthest point against n minus a's farthest point along it,
//   g(n) = n · v(n) <= n · v for every v of the difference b − a,
// and max g is the distance, or minus the least translation that parts the sets. Every direction
// tried bounds g from above everywhere; the bounds decide where to look next and when to stop, so
// the maximum is the global one whatever the shapes.
#pragma once

#include <span>

#include "vinci/collision/planar.h"

namespace vinci {

// A convex set: a curve, a convex piece of an outline or a single point; moved by an offset. What
// it is made from outlives it.
class PlanarConvex {
 public:
  // A superellipse or an implicit curve.
  PlanarConvex(const PlacedCurve& curve, const Vector2& offset);
  PlanarConvex(std::span<const PlanarOutline::RingVertex> piece, const Vector2& offset);
  explicit PlanarConvex(const Vector2& point) : offset_(point) {}

  Vector2 support(const Vector2& direction) const;
  const Vector2& offset() const { return offset_; }
  void move(const Vector2& shift) { offset_ += shift; }

 private:
  const PlacedCurve* curve_ = nullptr;
  std::span<const PlanarOutline::RingVertex> piece_;
  Vector2 offset_;
};

// A direction and what the sets look like along it.
struct PlanarProbe {
  Vector2 normal;            // unit, from a to b
  Vector2 point_a, point_b;  // farthest along it and against it
  double gap;                // normal · (point_b − point_a)
  double slope;              // derivative of the gap over the angle of the normal
};

PlanarProbe probe(const PlanarConvex& a, const PlanarConvex& b, const Vector2& normal);

struct PlanarSeparation {
  PlanarProbe best;
  // Whether `best` is the maximum. If not, the gap is greater than what was asked for, or the
  // search ran out of probes: it then lies between best.gap and `bound`.
  bool settled = false;
  double bound = 0.0;
  int probes = 0;  // tried
};

// Largest gap over all normals, to rounding of `size` (m, of the sets and their distance); ends as
// soon as a gap greater than `enough` is found. `first` is a guess of the normal.
PlanarSeparation largest_gap(const PlanarConvex& a, const PlanarConvex& b, const Vector2& first,
                             double size, double enough);

// Normals from `low` counter-clockwise to `high`, at most half a turn.
struct PlanarArc {
  Vector2 low, high;
  double size;   // m, as above
  double slack;  // slopes below it at the ends are nothing, m
  double least;  // a smaller gap is of no interest, m
};

// The largest gap of an arc; false if it is at one of the ends or less than asked for.
bool largest_gap_within(const PlanarConvex& a, const PlanarConvex& b, const PlanarArc& arc,
                        PlanarProbe& found);

// The largest gap between two normals less than half a turn apart, where the slope changes sign
// from positive at `low` to negative at `high`. On straight sides the points are those opposite to
// each other.
PlanarProbe largest_gap_between(const PlanarConvex& a, const PlanarConvex& b, PlanarProbe low,
                                PlanarProbe high, double size, int& probes);

}  // namespace vinci
