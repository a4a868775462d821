// SPDX-License-Identifier: Apache-2.0
// Coulomb's law with unilateral contact, exact: 0 <= λ_n ⟂ w_n >= 0, |λ_t| <= μ λ_n, and
// λ_t = −μ λ_n w_t/|w_t| where w_t ≠ 0. De Saxcé's change of variable ŵ = w + (μ|w_t|, 0, 0) turns
// it into K ∋ λ ⟂ ŵ ∈ K*, so the natural map is s λ − P_K(s λ − ŵ) [De Saxcé & Feng 1998].
#pragma once

#include "vinci/complementarity/law_second_order.h"

namespace vinci::law {

// ŵ_n = w_n + μ |w_t|; the tangential part is unchanged.
inline double coulomb_shift(int size, const double* w, double friction) {
  return w[0] + friction * norm(size - 1, w + 1);
}

}  // namespace vinci::law
