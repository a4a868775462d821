// SPDX-License-Identifier: Apache-2.0
// The scenes of the step benchmark as plain data, from which every engine builds the same thing:
// equal boxes between fixed ones. In the plane y is up, in space z is up.
#pragma once

#include <string>
#include <vector>

#include "vinci/base/math.h"

namespace vinci {

// The same for every engine.
inline constexpr double step_size = 1e-3;  // s
inline constexpr double gravity = 9.81;    // m/s², downwards
inline constexpr double box_size =
    0.5;  // m, edge of a box: inside the range the peers are made for
inline constexpr double density = 1000.0;  // kg/m² in the plane, kg/m³ in space
inline constexpr double friction = 0.5;    // of every pair

struct PlacedBox {
  Vector3 center;        // m
  Vector3 half_extents;  // m; z is not used in the plane
};

struct Layout {
  std::string name;
  bool planar = true;
  std::vector<PlacedBox> fixed;  // floor and walls
  std::vector<PlacedBox> boxes;  // at rest, axis-aligned
};

// A column of `count` boxes on a floor, touching.
Layout stack(bool planar, int count);

// `count` boxes in a bin, in layers of running bond (each layer shifted by half a box along x),
// with a clearance of 1 mm below and beside each, and a seeded sideways scatter within it.
Layout bin(bool planar, int count);

}  // namespace vinci
