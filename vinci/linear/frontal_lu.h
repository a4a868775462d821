// SPDX-License-Identifier: Apache-2.0
// Multifrontal LU of a sparse matrix whose pattern is symmetric by blocks and whose blocks may be
// eliminated in any order (contact problems in local form: W + D⁻¹). The blocks are ordered once by
// approximate minimum degree; columns of like structure are eliminated together in small dense
// fronts, whose Schur complements are added into the front of their parent in the elimination tree
// [Duff & Reid 1983]. Rows are exchanged within a front's own pivots only, so that the storage is
// known in advance and nothing is allocated while factoring. Rows are expected to be equilibrated.
#pragma once

#include <vector>

#include <Eigen/SparseCore>

#include "vinci/base/math.h"

namespace vinci {

class FrontalLu {
 public:
  using Matrix = Eigen::SparseMatrix<double>;

  // The pattern; block b holds the unknowns starts[b] ... starts[b + 1] − 1.
  void analyse(const Matrix& pattern, const std::vector<int>& starts);
  // The values of that pattern, compressed columns. False where a number is not finite.
  bool factor(const double* values);
  void solve(VectorX& x);  // in place

 private:
  struct Front {
    int pivots = 0, size = 0;            // of its rows; the first `pivots` are eliminated
    int first = 0;                       // pivots of all fronts before
    int children = 0, children_end = 0;  // in children_
    int rows = 0;                        // first in rows_: the scalar rows in elimination order
    int parent = -1;                     // front
    int map = 0;                         // first in maps_: where the other rows lie in the parent
    int entries = 0, entry_end = 0;      // in sources_ and targets_: entries of the matrix itself
    std::size_t lower = 0, upper = 0;  // in factors_: size × pivots, and pivots × (size − pivots)
  };
  struct Tree;
  void order(const Matrix& pattern, const std::vector<int>& starts, Tree& tree) const;
  void make_fronts(const Tree& tree, const std::vector<int>& starts);
  void place_entries(const Matrix& pattern);
  void plan_memory();
  bool eliminate(const Front& front);
  void store(const Front& front);

  std::vector<Front> fronts_;
  std::vector<int> rows_, maps_, children_, sources_, targets_, swaps_;
  std::vector<int> front_of_;  // per scalar row: where it is eliminated
  std::vector<double> factors_, front_, stack_;
  VectorX y_;
};

}  // namespace vinci
