// SPDX-License-Identifier: Apache-2.0
// One contact with rolling resistance by itself, exactly, in the plane or in space. With w_r = −s
// λ_r for an unknown s >= 0 the rolling rows are eliminated,
//
//   λ_r(s) = −(W_rr + s I)⁻¹ (q_r + W_rc λ_c),  c = (n, t),
//
// and a Coulomb contact with W_cc − W_cr (W_rr + s I)⁻¹ W_rc is left, which local_solve.h solves
// exactly. Either s = 0 and |λ_r| <= μ_r λ_n, or s is a root of μ_r λ_n(s)/|λ_r(s)| = 1. That
// ratio is large for a large s, so a bracket always exists; a secant is kept inside it. Newton
// steps on the equations of the case found (slide or stick, roll or not) remove the rounding of the
// elimination.
#pragma once

#include "vinci/complementarity/problem.h"

namespace vinci {

// As solve_local, for a rolling block.
bool solve_local_rolling(const Block& block, const double* W, const double* q, double* lambda);

}  // namespace vinci
