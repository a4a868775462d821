// SPDX-License-Identifier: Apache-2.0
// Condensation to the contact rows: eliminating u from
//
//   0 = M u − Jᵀ λ − p,   w = J u + C λ + b
//
// leaves w = W λ + q with W = J M⁻¹ Jᵀ + C (Delassus' matrix) and q = J M⁻¹ p + b. W comes dense,
// sparse, or for some of the rows only.
#pragma once

#include <span>
#include <vector>

#include "vinci/complementarity/problem.h"
#include "vinci/linear/mass_factor.h"

namespace vinci {

// Keep one to condense a sequence of problems without allocating.
class Condensation {
 public:
  // Fills W and q; false if M is singular to working precision.
  bool condense(const ComplementarityProblem& problem) {
    if (!begin(problem)) return false;
    fill(problem);
    return true;
  }
  // The parts: M⁻¹ and q first, then W in one form or another.
  bool begin(const ComplementarityProblem& problem);
  void fill(const ComplementarityProblem& problem);
  void fill_sparse(const ComplementarityProblem& problem);
  // W of the given rows and the same columns, by rows in part().
  void fill_rows(const ComplementarityProblem& problem, std::span<const int> rows);
  // u = M⁻¹(Jᵀ λ + p) with the factors of the last condense().
  void recover(const ComplementarityProblem& problem, const VectorX& lambda, VectorX& u);

  const VectorX& q() const { return vector_; }
  const RowMatrix& W() const { return matrix_; }          // of fill()
  const double* part() const { return part_.data(); }     // of fill_rows()
  const SparseRows& sparse_W() const { return sparse_; }  // of fill_sparse()

 private:
  void fill_by_columns(const ComplementarityProblem& problem);
  void gather_row(const SparseRows& J, int row);
  void list_columns(const SparseRows& J);

  MassFactor mass_;
  RowMatrix matrix_, transposed_;  // W, and Jᵀ where it is filled by rows
  SparseRows sparse_;
  VectorX vector_, load_, motion_, sums_;
  std::vector<int> touched_;  // components of M that meet the row at hand
  std::vector<double> part_;
  std::vector<int> local_;  // place of a row in fill_rows(), −1: none
  std::vector<int> marks_, met_, column_starts_, column_rows_;
  std::vector<double> column_values_;
};

}  // namespace vinci
