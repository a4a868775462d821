// SPDX-License-Identifier: Apache-2.0
// A cheap proof that a planar body cannot get somewhere: a disk inside the body cannot either.
//
// The plane is cut into square cells of half diagonal ρ. If the disk (radius r) at the middle of a
// cell has a gap below c − ρ, it is too near to a body anywhere in the cell, for the gap is a
// distance; a still smaller gap, or a larger one, settles cells around, too. The disk's middle
// stays in the other cells; if those that hang together with the start's hold none of the goal's,
// there is no path.
#pragma once

#include <array>
#include <vector>

#include "vinci/passage/passage.h"

namespace vinci {

struct ClosedQuery {
  int body = 0;
  std::vector<Pose> poses;  // of all bodies
  Pose start;
  double clearance = 0.0;  // m
  std::array<CoordinateRange, coordinate_count> bounds, goal;
};

struct ClosedAnswer {
  bool closed = false;  // proven; else nothing is known
  double radius = 0.0;  // of the disk, m
  long queries = 0;
};

ClosedAnswer is_closed(const Model& model, CollisionDetector& detector, const ClosedQuery& query);

}  // namespace vinci
