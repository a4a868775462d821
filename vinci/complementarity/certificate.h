// SPDX-License-Identifier: Apache-2.0
// The one judge of certificates that a problem has no solution. With W = J M⁻¹Jᵀ + C,
// q = J M⁻¹p + b and g = Wᵀy, every λ and w of the laws' sets with w = W λ + q give
//
//   0 <= yᵀw = gᵀλ + qᵀy <= sup gᵀλ + qᵀy
//
// where y lies in the dual of the set of w. A negative right-hand side is a contradiction
// [Farkas 1902; Cottle, Pang, Stone 1992, th. 2.7.9]. The sets are those of the single sides of the
// laws; complementarity is not used, so a problem that only complementarity forbids has no such y.
#pragma once

#include "vinci/complementarity/problem.h"

namespace vinci {

struct Infeasibility {
  // −(sup gᵀλ + qᵀy) over the sum of the sizes of its terms: 1 where nothing cancels.
  double margin = -std::numeric_limits<double>::infinity();
  // The most by which an entry of y or g is outside of its set, over the terms of its sum.
  double violation = std::numeric_limits<double>::infinity();
  // The margin is more than rounding, and every λ that could make up for the violation has terms of
  // yᵀW λ 1e11 times as large as those of qᵀy: too large to leave digits of w.
  bool proves_no_solution = false;
};

// y has one entry per row. Proves nothing where the problem is not valid or M is singular.
Infeasibility infeasibility(const ComplementarityProblem& problem, const VectorX& y);

}  // namespace vinci
