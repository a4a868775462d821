// SPDX-License-Identifier: Apache-2.0
// The Newton matrix M + Jᵀ ρ P′(y) J of the augmented Lagrangian: assembled block by block into a
// fixed sparse pattern and factored with one symbolic analysis a pattern, by Eigen's LDLᵀ for the
// convex projections and by LU for Coulomb's law itself, whose P′ is not symmetric.
#pragma once

#include <memory>
#include <vector>

#include "vinci/complementarity/problem.h"

namespace vinci {

// Which P stands for a coulomb block: onto the cone, or the exact law as a fixed point of
// λ_N ← [y_N]₊, λ_T ← y_T cut to the length μ [y_N]₊ [Alart & Curnier 1991].
enum class ContactMap { cone, coulomb };

// x ← P(x), and P′ before that, row-major size × size. Where there is rolling resistance P is the
// nearest point with moments divided by the length ℓ.
void apply_map(const Block& block, ContactMap map, double* x, double length = 1.0);
void map_derivative(const Block& block, ContactMap map, const double* y, double* derivative,
                    double length = 1.0);

// From the scales of the judge: ℓ of a rolling block (1 of others), and ρ of one of its rows, so
// that ρ w has the unit of λ.
inline double contact_length(const Block& block, const VectorX& scales) {
  return scales[block.offset] / scales[block.offset + block.size - 1];
}
inline double row_penalty(const Block& block, const VectorX& scales, int row, double penalty) {
  const double length = scales[block.offset] / scales[block.offset + row];
  return penalty / scales[block.offset] * length * length;
}

class NewtonMatrix {
 public:
  NewtonMatrix();
  ~NewtonMatrix();
  // P′ at y, with ρ_a = penalty/scale_a. False if it cannot be factored.
  bool assemble(const ComplementarityProblem& problem, const VectorX& scales, double penalty,
                ContactMap map, const VectorX& y);
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
