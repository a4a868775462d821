// SPDX-License-Identifier: Apache-2.0
// A plugin whose registration adds a solver and then fails.
#include <stdexcept>

#include "vinci/simulation/plugins.h"

VINCI_PLUGIN(plugins) {
  plugins.solvers.add({"half-added", "Must not be seen.", "", {}, nullptr});
  throw std::runtime_error("no licence found");
}
