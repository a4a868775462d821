// SPDX-License-Identifier: Apache-2.0
// One block by itself, exactly: given W (size × size, row-major) and q, find λ and w = W λ + q that
// obey the block's law. Scalar laws have closed forms; planar friction is enumerated (open, stick,
// slide either way); friction in space is one monotone root in the slip s of
//
//   w_t = −s λ_t,  λ_t(s) = −(S + s I)⁻¹ q̃,  |λ_t(s)| = μ λ_n(s),   S, q̃: W, q with w_n = 0 removed
//
// found by Newton's method kept inside a bracket that always holds one [after Daviet et al. 2011].
// W need not be symmetric. Nothing allocates.
#pragma once

#include "vinci/complementarity/problem.h"

namespace vinci {

// Every law but equality (which takes a factorisation, see GaussSeidelSolver). λ receives the
// answer; false, with the best candidate in λ, where no exact one was found (a W that is not
// positive).
bool solve_local(const Block& block, const double* W, const double* q, double* lambda);

}  // namespace vinci
