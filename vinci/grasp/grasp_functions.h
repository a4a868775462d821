// SPDX-License-Identifier: Apache-2.0
// How frictionless jaws turn a part [Goldberg 1993]. φ is the direction of the jaw's normal in the
// frame of the part, u = (cos φ, sin φ).
//
//   squeeze:  two parallel jaws close. The part turns so that its diameter
//             d(φ) = max u·x − min u·x falls, down to a local minimum: an edge lies flush. Period
//             π.
//   push:     one jaw, on the side +u, pushes along −u a part that lies on a table. The part turns
//             so that its radius r(φ) = max u·(x − c) about the centre of its friction falls
//             [Mason 1986]. Period 2π.
//
// Both are pieces of cosines between the normals of the hull's edges: maxima lie within the pieces,
// minima at their ends.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "vinci/base/math.h"

namespace vinci {

class JawFunction {
 public:
  struct Extremum {
    double angle;  // φ in [0, period), rad
    double value;  // d or r, m
    int edge;      // of the part that lies flush, by its first vertex; −1 at a maximum
  };

  struct Normal {
    double angle;  // of an edge of the hull, outward, in [0, period)
    int edge;
  };
  // `chord_along(u)` gives the vector whose share along u is the function, for u between normals.
  JawFunction(double period, const std::vector<Normal>& normals,
              const std::function<Vector2(const Vector2&)>& chord_along);

  double period() const { return period_; }  // rad
  double value(double angle) const;
  const std::vector<Extremum>& minima() const { return minima_; }  // stable orientations
  const std::vector<Extremum>& maxima() const { return maxima_; }  // where the outcome changes
  // The stable orientation that a part in this one comes to. Exactly on a maximum the part stays,
  // and the answer is the angle itself, in [0, period).
  double outcome(double angle) const;

 private:
  struct Piece {
    double start;   // φ at which it begins, rad; it ends where the next one begins
    int edge;       // flush at its start
    Vector2 chord;  // d = u·chord
    double peak;    // φ of the chord, near the piece
  };
  void find_extrema();
  double wrapped(double angle) const;
  std::size_t piece_at(double angle) const;  // of an angle in [0, period)

  double period_;
  std::vector<Piece> pieces_;  // starts rise
  std::vector<Extremum> minima_, maxima_;
};

// Vertices of a polygon in order, either way round, convex or not; the jaws touch its hull. Throws
// Error on fewer than three vertices, numbers that are not finite, and vertices all in line.
JawFunction squeeze_function(std::span<const Vector2> vertices);
// `center` lies inside the hull; the centroid of the polygon if not given.
JawFunction push_function(std::span<const Vector2> vertices,
                          std::optional<Vector2> center = std::nullopt);

}  // namespace vinci
