// SPDX-License-Identifier: Apache-2.0
// One choice of pieces with blocks that slide in space: Newton's method on the linear equations of
// the other pieces together with, for each sliding block, the angle θ and the slip s,
//
//   w_n = 0 (second_order: μ s),   λ_t + μ λ_n d(θ) = 0 (ball: r d),   w_t − s d(θ) = 0.
//
// Steps are of least norm, so that redundant contacts do no harm.
#pragma once

#include <vector>

#include "vinci/base/math.h"
#include "vinci/complementarity/problem.h"

namespace vinci {

// λ = L x, w = W x + q over the unknowns x, in whatever units.
struct AffineRows {
  MatrixX L, W;
  VectorX q;
};

struct SlidingBlock {
  Block block;
  double angle = 0.0;  // of the start
};

struct SlidingSearch {
  const AffineRows& rows;
  const MatrixX& equations;  // equations x = values: the other pieces
  const VectorX& values;
  std::vector<SlidingBlock> sliding;

  // From x (any point) and the angles; true where it converged, with x the answer, `slips` >= 0 and
  // the dimension of the solutions about it.
  bool run(VectorX& x, int& dimension) const;

 private:
  void evaluate(const VectorX& y, VectorX& value, MatrixX* jacobian) const;
};

}  // namespace vinci
