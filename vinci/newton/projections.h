// SPDX-License-Identifier: Apache-2.0
// Projections of impulses in the units of the judge, with their derivatives: what the augmented
// Lagrangian and ADMM call P.
#pragma once

#include "vinci/complementarity/problem.h"

namespace vinci {

// Which P stands for a coulomb block: onto the cone, or the exact law as a fixed point of
// λ_n ← [y_n]₊, λ_t ← y_t cut to the length μ [y_n]₊ [Alart & Curnier 1991].
enum class Projection { cone, coulomb };

// x ← P(x), and P′ before that, row-major size × size. With moments P is the nearest point
// where they are divided by the length ℓ.
void apply_projection(const Block& block, Projection projection, double* x, double length = 1.0);
void projection_derivative(const Block& block, Projection projection, const double* y,
                           double* derivative, double length = 1.0);

// From the scales of the judge: ℓ of a block with moments (1 of others), and ρ of one of its rows,
// so that ρ w has the unit of λ.
inline double contact_length(const Block& block, const VectorX& scales) {
  return scales[block.offset] / scales[block.offset + block.size - 1];
}
inline double row_penalty(const Block& block, const VectorX& scales, int row, double penalty) {
  const double length = scales[block.offset] / scales[block.offset + row];
  return penalty / scales[block.offset] * length * length;
}

}  // namespace vinci
