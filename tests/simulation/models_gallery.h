// SPDX-License-Identifier: Apache-2.0
// The scenes that every model of motion is run on, with what each must answer: closed forms and
// reference cases 07, 08, 09 and 10. Distances in m; a turn counts by the way of a point at an arm.
#pragma once

#include <string>
#include <vector>

#include "vinci/simulation/simulation.h"

namespace vinci::test {

enum class MotionModel { dynamic, first_order, quasi_static };

struct GalleryScene {
  std::string name;
  std::string (*yaml)(MotionModel) = nullptr;
  // Without inertia the forces of this scene cannot balance: the run ends there.
  bool unbalanced = false;
  // Steps of 25 ms and more, in which a layer of song-pang-kumar would take thousands of substeps:
  // slow pushing is not what it is for.
  bool slow = false;
  // Distance of the run's end from the reference, and what a first-order method may leave.
  double (*error)(const Simulation&, MotionModel) = nullptr;
  double (*tolerance)(const Simulation&, MotionModel) = nullptr;
};

// Polygons of directions are wrong by at most the angle between two of them.
inline constexpr int gallery_directions = 16;

// Materials have a layer that only the stepper song-pang-kumar sees: k = 1e8 N/m, d = 1e6 N s/m.
// The heaviest body, 31 kg at 0.44 m/s, presses it in by v m/d, and by m g/k at rest; rebounds of
// m k/d² = 0.3 % of the speed are far below.
inline constexpr double layer_depth = 31.0 * 0.44 / 1e6 + 31.0 * 9.81 / 1e8;

std::vector<GalleryScene> planar_gallery();
std::vector<GalleryScene> table_gallery();    // 2.5D
std::vector<GalleryScene> spatial_gallery();  // rigid bodies alone

}  // namespace vinci::test
