// SPDX-License-Identifier: Apache-2.0
// Many contacts with friction between bodies: the central path (cone_path.h) as far as its shift
// settles, then the polish on the active set that it shows. No other method costs less on large
// problems; what it leaves at tight tolerances is a start for the exact ones.
#pragma once

#include "vinci/newton/cone_path.h"
#include "vinci/newton/newton_solver.h"

namespace vinci {

class ConePathSolver final : public NewtonSolver {
 public:
  ConePathSolver();

 private:
  const char* reason_against(const ComplementarityProblem& problem) const override;
  void iterate(const ComplementarityProblem& problem) override;

  ScaledContacts contacts_;
  ConePath path_;
  VectorX x_;
};

}  // namespace vinci
