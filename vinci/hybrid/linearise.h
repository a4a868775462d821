// SPDX-License-Identifier: Apache-2.0
// The linear system that a constrained one is near a state, in the mode that is named: which
// contacts act is an argument, not something that has to be guessed from a simulation.
#pragma once

#include "vinci/hybrid/hybrid_motion.h"
#include "vinci/systems/linear_system.h"

namespace vinci {

// x = (q, v) as deviations, u the inputs, y = (q, v, λ). Constraints that act stay in the system
// with their stabilisation: each shows as the poles of s² + α₁ s + α₀. Exact derivatives. Throws
// Error where the accelerations are not determined.
LinearSystem linearise(const ConstrainedSystem& system, double time, const VectorX& positions,
                       const VectorX& velocities, const VectorX& inputs,
                       const std::vector<ContactState>& states);

// Newton's method for v = 0, v' = 0 from a guess of the positions, with the constraints that act at
// h = 0 and the given inputs; λ comes along. Least changes where positions are not determined.
struct Equilibrium {
  bool found = false;
  int iterations = 0;
  VectorX positions, multipliers;
};
Equilibrium equilibrium(const ConstrainedSystem& system, double time, const VectorX& guess,
                        const VectorX& inputs, const std::vector<ContactState>& states);

}  // namespace vinci
