// SPDX-License-Identifier: Apache-2.0
// Where a solver starts that has no guess.
#pragma once

#include "vinci/complementarity/solver.h"

namespace vinci {

inline Solution zero(const ComplementarityProblem& problem) {
  return {VectorX::Zero(problem.unknowns()), VectorX::Zero(problem.rows())};
}

}  // namespace vinci
