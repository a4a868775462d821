// SPDX-License-Identifier: Apache-2.0
// What every law offers: the projection onto its set, and its natural map. Each law has its own
// file law_*.h; here is the one switch over them.
#pragma once

#include "vinci/complementarity/problem.h"

namespace vinci {

// x ← P(x), the nearest point of the set of λ of this law scaled by `scale` > 0 (boxes and balls
// scale, cones do not).
void project(const Block& block, double scale, double* x);

// r = s λ − P(s λ − ŵ) with ŵ = w but for coulomb and moments, see their files. Zero if and only if
// (λ, w) obeys the law. λ, w, r hold block.size numbers; r has the unit of w. Moments
// are mapped with λ_r/ℓ, ℓ w_r and μ_r/ℓ in the place of λ_r, w_r and μ_r: with a length ℓ > 0 of
// the problem's own all of r is a velocity, and does not change with the unit of length.
void natural_map(const Block& block, double scale, const double* lambda, const double* w, double* r,
                 double length = 1.0);

}  // namespace vinci
