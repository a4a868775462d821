// SPDX-License-Identifier: Apache-2.0
// Orthogonal reductions of linear systems, step by step down to what they are looked at for.
#pragma once

#include "vinci/systems/linear_system.h"

namespace vinci {

// Turns the states so that those that inputs reach come first; how many they are. [Van Dooren 1981]
int to_staircase(LinearSystem& system, double tolerance);
// The first states alone.
LinearSystem leading(const LinearSystem& system, int states);
// Inputs and outputs exchanged: Aᵀ, Cᵀ, Bᵀ, Dᵀ.
LinearSystem transposed(const LinearSystem& system);

// A part with the same invariant zeros whose D is square and regular [Emami-Naeini 1982].
struct PlainPart {
  MatrixX a, b, c, d;
  int normal_rank = 0;
};
PlainPart plain_part(const LinearSystem& system, double tolerance);

}  // namespace vinci
