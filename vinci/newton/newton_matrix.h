// SPDX-License-Identifier: Apache-2.0
// The Newton matrix M + Jᵀ ρ P′(y) J of the augmented Lagrangian: assembled block by block into a
// fixed sparse pattern and factored with one symbolic analysis per pattern, front by front on the
// graph of the bodies (frontal_lu.h). P′ of Coulomb's law is not symmetric. Every velocity is taken
// in the unit of its energy: rows and columns are divided by the root of M's diagonal.
#pragma once

#include <vector>

#include <Eigen/SparseCore>

#include "vinci/linear/frontal_lu.h"
#include "vinci/newton/projections.h"

namespace vinci {

class NewtonMatrix {
 public:
  // P′ at y, with ρ_a = penalty/scale_a. False if it cannot be factored.
  bool assemble(const ComplementarityProblem& problem, const VectorX& scales, double penalty,
                Projection projection, const VectorX& y);
  // M + Jᵀ D J with D given block after block, each row-major.
  bool assemble(const ComplementarityProblem& problem, const std::vector<double>& D);
  void solve(VectorX& x);

 private:
  void make_pattern(const ComplementarityProblem& problem);
  bool same_pattern(const ComplementarityProblem& problem) const;
  int position(int row, int column) const;
  void add_block(const ComplementarityProblem& problem, int number, const double* D);
  void find_units(const ComplementarityProblem& problem);

  Eigen::SparseMatrix<double> matrix_;
  FrontalLu factors_;
  VectorX unit_;                                                            // per velocity
  std::vector<int> mass_starts_, mass_indices_, row_starts_, row_indices_;  // the pattern's own
  std::vector<int> mass_positions_;                                         // of the entries of M
  // Per block: its columns, and the positions of their pairs column by column, concatenated.
  std::vector<double> blocks_, rows_;  // D; J_a of one block
  std::vector<int> columns_, column_starts_, positions_, position_starts_;
};

}  // namespace vinci
