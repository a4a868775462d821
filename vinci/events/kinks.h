// SPDX-License-Identifier: Apache-2.0
// Where what a derivative describes is not the same on both sides: `abs`, saturations, limits of
// laws. A derivative alone does not tell; values beside the point do.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "vinci/base/math.h"

namespace vinci {

struct KinkQuestion {
  // Numbers as a function of the point; not finite outside of its domain.
  std::function<VectorX(const VectorX& point)> values;
  VectorX point;
  VectorX scales;      // how far a place of the point has to move to be far away
  double noise = 0.0;  // of values, by rounding
  std::vector<std::string> rows, columns;
};

// One sentence per place of the point along which some value turns or jumps. Second differences of
// a smooth function fall with the square of their step, those of a kink in proportion, and a jump
// stays.
std::vector<std::string> kinks(const KinkQuestion& question);

}  // namespace vinci
