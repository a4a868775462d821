// SPDX-License-Identifier: Apache-2.0
// The search for a path by random poses. Everything random comes from the seed.
#pragma once

#include <functional>
#include <vector>

#include "vinci/base/math.h"

namespace vinci {

struct PathSearch {
  bool planar = true;  // poses turn about z only, at the height and on top of the tilt of `start`
  Pose start;
  Vector3 lower, upper;  // of the position
  double radius = 1.0;   // weighs a turn against a displacement, m/rad
  double range = 1.0;    // longest single motion, m
  long effort = 0;
  unsigned long seed = 0;
  std::function<bool(const Pose&)> is_free;
  // Moves a pose that is not free to a near one that is; false if it cannot.
  std::function<bool(Pose&)> make_free;
  std::function<bool(const Pose&, const Pose&)> is_free_between;
  // A goal pose of three positions and three turns, from numbers evenly spread over [0, 1).
  std::function<Pose(const std::array<double, 6>&)> goal;
  std::function<bool()> stop;  // may be empty
};

struct PathFound {
  std::vector<Pose> path;  // empty: none
  long samples = 0;
};

PathFound search_path(const PathSearch& search);

}  // namespace vinci
