// SPDX-License-Identifier: Apache-2.0
// The forces that the laws of a stepper's problem allow, one set per contact or support, seen from
// the rows alone: a normal force λ_n >= 0 and a friction force in L times an interval, a disk or
// the hull of directions, with the limit L = μ λ_n, or a known one. A contact with moments has
// several such sets on one normal, one after the other: those behind the first follow it. Rows of
// joints are sets of one row without a normal: friction, servos and clutches have a known limit,
// and what holds joints together has none, L = ∞.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "vinci/complementarity/problem.h"

namespace vinci {

struct FrictionSet {
  int normal = -1;           // row of λ_n, or −1: the limit is known
  double limit = 0.0;        // μ, or L where there is no normal row; ∞: it holds whatever acts
  int first = 0, count = 0;  // rows of the friction force
  bool directions = false;   // they are λ >= 0 along directions, otherwise components
  int sigma = -1;            // row of the slip speed of directions
  bool follows = false;      // its normal is that of the set before it

  bool holds() const { return normal < 0 && std::isinf(limit); }
  double bound(const VectorX& lambda) const {
    return normal < 0 ? limit : limit * std::max(0.0, lambda[normal]);
  }
};

// Whether a block is the row σ of a pyramid: it sees neither velocities nor itself, but directions,
// and one normal force at most.
bool is_slip_row(const ComplementarityProblem& problem, const Block& block);

// Of the blocks that steppers make: nonnegative normals, planar and spatial Coulomb blocks, with
// and without moments, balls, pyramids (normal and directions, or directions alone, then σ),
// equalities, one set per row, and boxes that are symmetric about 0.
void find_friction_sets(const ComplementarityProblem& problem, std::vector<FrictionSet>& sets);

// Most that one unit of the set's friction force can do against the relative velocity v: |v|, or
// the largest −v along a direction, 0 at least. `v` runs over all rows.
double resistance(const FrictionSet& set, const VectorX& v);

}  // namespace vinci
