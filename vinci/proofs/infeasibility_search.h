// SPDX-License-Identifier: Apache-2.0
// Looks for a proof that a problem has no solution, also where its cones are round: a vector y with
// g = Wᵀy such that sup gᵀλ + qᵀy < 0 over all admissible λ (certificate.h). Round cones and balls
// are replaced by the 16-sided ones around them, which have more λ: what has no solution with these
// has none at all. Left is a linear program in y; rows of finite boxes, balls and tangents have
// y = 0. The answer is checked by infeasibility(), the judge of certificates.
#pragma once

#include "vinci/complementarity/condense.h"
#include "vinci/complementarity/problem.h"
#include "vinci/pivoting/linear_program.h"

namespace vinci {

class InfeasibilitySearch {
 public:
  static constexpr int largest = 300;  // rows: the linear program is dense

  // True with the proof in certificate(); false proves nothing.
  bool prove(const ComplementarityProblem& problem);
  const VectorX& certificate() const { return certificate_; }

 private:
  void number_variables(const ComplementarityProblem& problem);
  void add_signs(const Block& block);
  void add_forces(const Block& block);
  void add_side(const Block& block, double normal, double tangent_1, double tangent_2,
                double bound);
  void gather(int row, double factor);

  int variables_ = 0;          // of the program: y in units of the problem, then bounds t
  std::vector<int> variable_;  // per row: of y; −1: y is zero
  std::vector<double> unit_;   // per row: √W_ii, the same within a block
  Condensation condensation_;
  LinearProgram program_;
  VectorX row_, objective_, point_, certificate_;
};

}  // namespace vinci
