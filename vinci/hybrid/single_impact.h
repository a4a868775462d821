// SPDX-License-Identifier: Apache-2.0
// One impact on a stabilised constraint, and the energy that it takes or gives.
#pragma once

#include "vinci/base/stabilisation.h"

namespace vinci {

// An impact at `speed` (> 0, m/s) while other forces press with the acceleration `pressing` (>= 0,
// m/s²) against the constraint, as gravity does on a ball.
struct Impact {
  bool leaves = false;       // the force ended; otherwise the constraint settles
  double speed = 0.0;        // m/s, of leaving
  double height = 0.0;       // m, h where the force ended
  double duration = 0.0;     // s
  double energy_gain = 0.0;  // J/kg: kinetic and of `pressing`, at the end less at the start
};
Impact impact(const Stabilisation& stabilisation, double speed, double pressing);

}  // namespace vinci
