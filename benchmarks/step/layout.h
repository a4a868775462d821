// SPDX-License-Identifier: Apache-2.0
// The scenes of the benchmarks of boxes as plain data, from which every engine builds the same
// thing: equal boxes between fixed ones. In the plane y is up, in space z is up.
#pragma once

#include <string>
#include <vector>

#include "vinci/base/math.h"

namespace vinci {

// The same for every engine.
inline constexpr double gravity = 9.81;  // m/s², downwards
inline constexpr double box_size =
    0.5;  // m, edge of a box: inside the range the peers are made for
inline constexpr double density = 1000.0;  // kg/m² in the plane, kg/m³ in space

struct PlacedBox {
  Vector3 center;                                // m
  Vector3 half_extents;                          // m; z is not used in the plane
  Quaternion rotation = Quaternion::Identity();  // in the plane about z
};

struct Layout {
  std::string name;
  bool planar = true;
  std::vector<PlacedBox> fixed;  // floor and walls
  std::vector<PlacedBox> boxes;  // at rest
  double step = 1e-3;            // s
  double friction = 0.5;         // of every pair
};

// A column of `count` boxes on a floor, touching.
Layout stack(bool planar, int count);

// `count` boxes in a bin, in layers of running bond (each layer shifted by half a box along x),
// with a clearance of 1 mm below and beside each, and a seeded sideways scatter within it.
Layout bin(bool planar, int count);

// `count` boxes above a bin, in rows with gaps, each tilted and displaced by seeded random numbers:
// they fall, tumble, and come to rest in a heap.
Layout heap(bool planar, int count);

}  // namespace vinci
