// SPDX-License-Identifier: Apache-2.0
// One contact with moments by itself, exactly, in the plane or in space. Newton steps on the
// equations of the case at hand (each ball holds or yields) are tried first. Where they do not end
// in an answer the balls are eliminated one by one: with w_r = −s λ_r for an unknown s >= 0,
//
//   λ_r(s) = −(W_rr + s I)⁻¹ (q_r + W_rc λ_c),  c: the other rows,
//
// a contact of one ball less with W_cc − W_cr (W_rr + s I)⁻¹ W_rc is left, at last a Coulomb
// contact, which local_solve.h solves exactly. Either s = 0 and |λ_r| <= μ_r λ_n, or s is a root of
// μ_r λ_n(s)/|λ_r(s)| = 1. That ratio is large for a large s, so a bracket always exists; a secant
// is kept inside it. Newton steps remove the rounding of the elimination.
#pragma once

#include "vinci/complementarity/problem.h"

namespace vinci {

// As solve_local, for a moments block.
bool solve_local_moments(const Block& block, const double* W, const double* q, double* lambda);

}  // namespace vinci
