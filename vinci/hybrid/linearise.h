// SPDX-License-Identifier: Apache-2.0
// The linear system that a constrained one is near a state, in the mode of that state: which
// constraints act is said, not guessed from a simulation.
#pragma once

#include "vinci/hybrid/hybrid_motion.h"
#include "vinci/systems/linear_system.h"

namespace vinci {

// x = (q, v, further states, slips of friction that sticks) as deviations, u the inputs,
// y = (q, v, further states, λ, v'). Constraints that act stay in the system with their
// stabilisation: each shows as the poles of s² + α₁ s + α₀. Exact derivatives; what is
// within the rounding of what it is computed from is zero. Throws Error where the accelerations are
// not determined.
LinearSystem linearise(const ConstrainedSystem& system, const HybridState& state,
                       const VectorX& inputs);

// The same with the constraints solved for: motions that obey h = 0 and h' = 0 (of friction slip
// and its velocity zero). z are some of the states of x, those that tell the others best, and
// x = basis z. Since z is the same part of x along the whole motion this holds off equilibria too,
// where the directions that constraints leave turn as it goes on.
struct EliminatedSystem {
  LinearSystem system;
  MatrixX basis;
  std::vector<int> states;  // which of x
};
EliminatedSystem linearise_eliminated(const ConstrainedSystem& system, const HybridState& state,
                                      const VectorX& inputs);

// A product where sums whose terms cancel to their rounding are zero.
MatrixX clean_product(const MatrixX& a, const MatrixX& b);

// Newton's method for v = 0, v' = 0, x' = 0 from a guess, with the constraints that act at h = 0
// and the given inputs; λ comes along. Least changes where something is not determined, least
// forces where these are open: whether contacts and friction can bear them is another question
// (bearable_forces.h).
struct Equilibrium {
  bool found = false;
  int iterations = 0;
  VectorX positions, multipliers, extras;
  double imbalance = 0.0;  // largest row that is left, N, N m or m
  // Where nothing was found: the row that misses most for what it may, of balances, constraints and
  // further states, and by how much.
  int worst_row = 0;
  double worst_left = 0.0;
};
Equilibrium equilibrium(const ConstrainedSystem& system, const HybridState& guess,
                        const VectorX& inputs);

}  // namespace vinci
