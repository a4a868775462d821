// SPDX-License-Identifier: Apache-2.0
// How the poles of a loop of one input and one output move with its gain: u = sign · k y.
#pragma once

#include "vinci/systems/linear_system.h"

namespace vinci {

struct RootLocus {
  VectorX gains;        // k, growing
  ComplexMatrix poles;  // one row per gain; a column is a branch, followed from gain to gain
};

// At these gains, and at others between them where a branch turns sharply. Throws Error for several
// inputs or outputs, for gains that do not grow, and where the loop of a gain has no solution.
RootLocus root_locus(const LinearSystem& system, const VectorX& gains, double sign = -1.0);

}  // namespace vinci
