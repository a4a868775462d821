// SPDX-License-Identifier: Apache-2.0
// The one judge of solutions.
#pragma once

#include "vinci/complementarity/problem.h"

namespace vinci {

// Natural-map residual of the laws and of the equation, both recomputed from λ alone (u = M⁻¹(Jᵀλ +
// p)).
struct Residual {
  double relative = 0.0;  // decides; see complementarity/README.md
  double velocity = 0.0;  // absolute, unit of w (m/s)
  double impulse = 0.0;   // absolute, unit of λ (N s)
};

// Working memory of the judge; keep one to judge a sequence of problems without allocating.
class Judge {
 public:
  Residual operator()(const ComplementarityProblem& problem, const Solution& solution);
  // ... fields of the workspace

 private:
  std::vector<double> scratch_;
};

Residual residual(const ComplementarityProblem& problem, const Solution& solution);

}  // namespace vinci
