// SPDX-License-Identifier: Apache-2.0
// The Newton matrix M + Jᵀ ρ P′(y) J of the augmented Lagrangian: assembled block by block into a
// fixed sparse pattern, factored by Eigen's LDLᵀ with one symbolic analysis a pattern.
#pragma once

#include <vector>

#include <Eigen/SparseCholesky>

#include "vinci/complementarity/problem.h"

namespace vinci {

class NewtonMatrix {
 public:
  // P′ at y, with ρ_a = penalty/scale_a. False if the matrix is not positive definite.
  bool assemble(const ComplementarityProblem& problem, const VectorX& scales, double penalty,
                const VectorX& y);
  void solve(VectorX& x) const { x = factor_.solve(x); }

 private:
  void make_pattern(const ComplementarityProblem& problem);
  int position(int row, int column) const;

  using Matrix = Eigen::SparseMatrix<double>;  // lower triangle
  Matrix matrix_;
  Eigen::SimplicialLDLT<Matrix> factor_;
  std::vector<int> mass_starts_, mass_indices_, row_starts_,
      row_indices_;                  // pattern they belong to
  std::vector<int> mass_positions_;  // of the entries of M in the lower triangle, −1 above it
  // Per block: its columns, and the positions of their pairs (row >= column), both concatenated.
  std::vector<int> columns_, column_starts_, positions_, position_starts_;
};

// P′(y) of a block's projection, row-major size × size; symmetric, between 0 and 1.
void projection_derivative(const Block& block, const double* y, double* derivative);

}  // namespace vinci
