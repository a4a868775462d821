// SPDX-License-Identifier: Apache-2.0
// The hull of points around the origin, in up to six dimensions, grown point by point: a point
// beyond some facets replaces them by facets from itself to their rim. A facet is its plane
// {x : z·x = 1}, a corner of the polar body; its distance from the origin is 1/|z|. Facets are
// simplices: points are drawn towards the origin by up to `shrinking` of their length, each by its
// own share, so that no more than d of them lie in one plane and the hull stays within theirs.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "vinci/base/math.h"

namespace vinci {

class GrowingHull {
 public:
  static constexpr int most_dimensions = 6;
  static constexpr double shrinking = 1e-6;

  // Begins with a simplex whose corners are `radius` from the origin.
  GrowingHull(int dimension, double radius);

  int facets() const { return alive_; }
  int points() const { return static_cast<int>(points_.size()); }
  // The facet nearest to the origin, and its plane.
  int nearest();
  VectorX plane(int facet) const;  // z
  // Takes in a point; false, and nothing changes, if it lies within or the facets that see it do
  // not have one rim, for rounding. `facet`: one that sees it.
  bool add(const VectorX& point, int facet);

 private:
  using Corners = std::array<int, most_dimensions>;
  struct Facet {
    Corners corners;     // sorted
    Corners neighbours;  // across the ridge without that corner
    Eigen::Matrix<double, most_dimensions, 1> plane;
    bool alive = true;
    std::int64_t mark = 0;
  };
  struct Ridge {
    Corners corners;  // d − 1 of them
    int facet, place;
  };

  bool make(Corners corners, Facet& facet) const;
  void push(int facet);
  bool sees(const Facet& facet, const VectorX& point) const;

  int d_, alive_ = 0;
  std::int64_t mark_ = 0;
  std::uint64_t random_ = 1;
  std::vector<VectorX> points_;
  std::vector<Facet> all_;
  std::vector<int> free_;
  std::vector<std::pair<double, int>> heap_;  // (|z|, facet), the largest first; some are gone
  std::vector<double> lengths_;               // |z| per facet, to know which entries hold
};

}  // namespace vinci
