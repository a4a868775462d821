// SPDX-License-Identifier: Apache-2.0
// Condensation to the contact rows: eliminating u from
//
//   0 = M u − Jᵀ λ − p,   w = J u + C λ + b
//
// leaves w = W λ + q with W = J M⁻¹ Jᵀ + C (Delassus' matrix) and q = J M⁻¹ p + b.
#pragma once

#include <vector>

#include "vinci/complementarity/mass_factor.h"
#include "vinci/complementarity/problem.h"
#include "vinci/solvers/pivoting.h"

namespace vinci {

// Dense condensation; keep one to condense a sequence of problems without allocating.
class Condensation {
 public:
  // Fills W and q; false if M is singular to working precision.
  bool condense(const ComplementarityProblem& problem);
  // u = M⁻¹(Jᵀ λ + p) with the factors of the last condense().
  void recover(const ComplementarityProblem& problem, const VectorX& lambda, VectorX& u);

  const RowMatrix& W() const { return matrix_; }
  const VectorX& q() const { return vector_; }

 private:
  void gather_row(const SparseRows& J, int row);

  MassFactor mass_;
  RowMatrix matrix_;
  VectorX vector_, load_, motion_;
  std::vector<int> touched_;  // components of M that meet the row at hand
};

}  // namespace vinci
