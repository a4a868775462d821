// SPDX-License-Identifier: Apache-2.0
// The linear system of a Newton step on a problem in any form. The laws are linearised block by
// block as A dλ + B dw = r; with dw = J du + C dλ + gap it reads
//
//   [ M    −Jᵀ     ] [du]   [ f         ]
//   [ B J  A + B C ] [dλ] = [ r − B gap ]         without u (n = 0): (A + B C) dλ = r − B gap
//
// No symmetry is assumed. λ is taken in the unit of w (times the judge's scale) and u in that of
// its energy, rows are divided by their largest entry: units that change by powers of two change no
// bit of the factors. Small or well-filled systems are dense, others sparse with one analysis:
// FrontalLu without u, whose blocks can be eliminated in any order, SparseLU with u.
#pragma once

#include <memory>
#include <vector>

#include <Eigen/LU>

#include "vinci/complementarity/problem.h"
#include "vinci/linear/frontal_lu.h"

namespace vinci {

class CoupledMatrix {
 public:
  static constexpr int largest_dense = 240;  // unknowns and rows

  CoupledMatrix();
  ~CoupledMatrix();

  // Once a problem: its numbers and the scale of λ per row. Both must stay as they are.
  void prepare(const ComplementarityProblem& problem, const VectorX& scales);
  // A and B block after block, each row-major. False if it cannot be factored.
  bool factor(const std::vector<double>& A, const std::vector<double>& B);
  // f, of length n, becomes du, and `right`, of length m, holds r − B gap and becomes dλ.
  bool solve(VectorX& f, VectorX& right);

 private:
  bool same_pattern(const ComplementarityProblem& problem) const;
  void make_pattern(const ComplementarityProblem& problem);
  void find_columns(const ComplementarityProblem& problem);
  void place(const ComplementarityProblem& problem);
  void gather(const ComplementarityProblem& problem, const VectorX& scales);
  double* storage();
  void fill_mass_rows(const ComplementarityProblem& problem);

  struct Sparse;
  enum class Kind : char { dense, frontal, pivoting };
  int unknowns_ = 0, size_ = 0;
  Kind kind_ = Kind::dense;
  MatrixX dense_matrix_;
  Eigen::PartialPivLU<MatrixX> dense_lu_;
  std::unique_ptr<Sparse> sparse_;
  FrontalLu frontal_;
  std::vector<int> pattern_[6];  // starts and indices of M, J and C that the pattern was made for
  std::vector<Block> blocks_;
  // Per block: the columns in which its rows have entries, the values of [J C] there (a block's
  // rows contiguous) and the position of the first row in the storage.
  std::vector<int> column_starts_, columns_, positions_, own_;
  std::vector<double> values_;
  std::vector<std::size_t> value_starts_;
  std::vector<int> mass_positions_, force_positions_;  // of the entries of M and Jᵀ
  VectorX column_scale_, row_scale_, x_, y_;
  std::vector<double> rows_;  // of one block
};

}  // namespace vinci
