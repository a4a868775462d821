// SPDX-License-Identifier: Apache-2.0
// Bodies that begin inside each other, in groups, at a cost that is bounded whatever the scene.
#pragma once

#include <vector>

#include "vinci/simulation/simulation.h"

namespace vinci {

struct OverlapGroup {
  std::vector<int> bodies;  // each overlaps another of them
  double depth = 0.0;       // m, of the deepest pair
};

struct Overlaps {
  std::vector<OverlapGroup> groups;
  // Too many pairs are near each other: only some of the bodies were looked at.
  bool is_complete = true;
};

// Depths of rounding do not count.
Overlaps find_overlaps(const Simulation& simulation, const Plugins& plugins);

}  // namespace vinci
