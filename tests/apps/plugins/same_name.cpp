// SPDX-License-Identifier: Apache-2.0
// A plugin that takes the name of a built-in solver.
#include "vinci/simulation/plugins.h"

VINCI_PLUGIN(plugins) {
  plugins.solvers.add({"lemke", "Another one.", "", {}, nullptr});
}
