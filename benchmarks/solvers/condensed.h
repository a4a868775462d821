// SPDX-License-Identifier: Apache-2.0
// A problem without velocities: w = W λ + q, as solvers are given it that know no other form.
#pragma once

#include "vinci/complementarity/condense.h"

namespace vinci {

inline ComplementarityProblem condensed(const ComplementarityProblem& problem) {
  Condensation condensation;
  condensation.condense(problem);
  ComplementarityProblem local;
  local.C = SparseRows::from_dense(condensation.W());
  local.b = condensation.q();
  local.blocks = problem.blocks;
  local.M.reset(0);
  local.J.reset(0);
  for (int i = 0; i < problem.rows(); ++i) local.J.end_row();
  local.p.resize(0);
  return local;
}

}  // namespace vinci
