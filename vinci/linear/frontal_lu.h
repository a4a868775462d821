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
#include "vinci/linear/front_tree.h"

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
  using Front = FrontTree::Front;
  struct Place {
    int entries = 0;  // in sources_ and targets_, up to those of the next: entries of the matrix
    std::size_t lower = 0, upper = 0;  // in factors_: size × pivots, and pivots × (size − pivots)
  };
  void place_entries(const Matrix& pattern);
  bool eliminate(const Front& front);
  void store(const Front& front, const Place& place);

  FrontTree tree_;
  std::vector<Place> places_;  // per front, and the end
  std::vector<int> sources_, targets_, swaps_;
  std::vector<double> factors_, front_, stack_;
  VectorX y_;
};

}  // namespace vinci
