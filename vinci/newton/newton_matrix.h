// SPDX-License-Identifier: Apache-2.0
// The Newton matrix M + Jᵀ ρ P′(y) J of the augmented Lagrangian: assembled block by block into a
// fixed sparse pattern and factored with one symbolic analysis per pattern, by Eigen's LDLᵀ for the
// convex projections and by LU for Coulomb's law itself, whose P′ is not symmetric.
#pragma once

#include <memory>
#include <vector>

#include "vinci/newton/projections.h"

namespace vinci {

class NewtonMatrix {
 public:
  NewtonMatrix();
  ~NewtonMatrix();
  // P′ at y, with ρ_a = penalty/scale_a. False if it cannot be factored.
  bool assemble(const ComplementarityProblem& problem, const VectorX& scales, double penalty,
                Projection projection, const VectorX& y);
  // M + Jᵀ D J with D given block after block, each row-major.
  bool assemble(const ComplementarityProblem& problem, const std::vector<double>& D,
                bool symmetric);
  void solve(VectorX& x) const;

 private:
  void make_pattern(const ComplementarityProblem& problem);
  bool same_pattern(const ComplementarityProblem& problem) const;
  int position(int row, int column) const;
  void add_block(const ComplementarityProblem& problem, int number, const double* D);
  bool factor();

  struct Sparse;
  std::unique_ptr<Sparse> sparse_;
  bool is_symmetric_ = true;
  bool general_analysed_ = false;
  std::vector<int> mass_starts_, mass_indices_, row_starts_, row_indices_;  // the pattern's own
  std::vector<int> mass_positions_;                                         // of the entries of M
  // Per block: its columns, and the positions of their pairs column by column, concatenated.
  std::vector<double> blocks_, rows_, weighted_;  // D; J_a and D_a J_a of one block
  std::vector<int> columns_, column_starts_, positions_, position_starts_;
};

}  // namespace vinci
