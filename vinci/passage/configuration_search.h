// SPDX-License-Identifier: Apache-2.0
// The search for a path of joint coordinates. Everything random comes from the seed.
#pragma once

#include <functional>
#include <vector>

#include "vinci/base/math.h"

namespace vinci {

struct ConfigurationSearch {
  VectorX start, lower, upper;
  VectorX weights;     // of the coordinates, m per unit
  double range = 1.0;  // longest single motion, m
  long effort = 0;
  unsigned long seed = 0;
  std::function<bool(const VectorX&)> is_free;
  // Moves a configuration that is not free to a near one that is; false if it cannot.
  std::function<bool(VectorX&)> make_free;
  std::function<bool(const VectorX&, const VectorX&)> is_free_between;
  // A configuration of the goal, from a source of numbers evenly spread over [0, 1).
  std::function<VectorX(const std::function<double()>&)> goal;
  std::function<bool()> stop;  // may be empty
};

struct ConfigurationsFound {
  std::vector<VectorX> path;  // empty: none
  long samples = 0;
};

ConfigurationsFound search_configurations(const ConfigurationSearch& search);

}  // namespace vinci
