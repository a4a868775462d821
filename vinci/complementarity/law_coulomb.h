// SPDX-License-Identifier: Apache-2.0
// Coulomb's law with unilateral contact, exact: 0 <= λ_N ⟂ w_N >= 0, |λ_T| <= μ λ_N, and
// λ_T = −μ λ_N w_T/|w_T| where w_T ≠ 0. De Saxcé's change of variable ŵ = w + (μ|w_T|, 0, 0) turns
// it into K ∋ λ ⟂ ŵ ∈ K*, so the natural map is s λ − P_K(s λ − ŵ) [De Saxcé & Feng 1998].
#pragma once

#include "vinci/complementarity/law_second_order.h"

namespace vinci::law {

// ŵ_N = w_N + μ |w_T|; the tangential part is unchanged.
inline double coulomb_shift(int size, const double* w, double friction) {
  return w[0] + friction * norm(size - 1, w + 1);
}

}  // namespace vinci::law
