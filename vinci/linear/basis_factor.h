// SPDX-License-Identifier: Apache-2.0
// LU factors of a square basis whose columns are exchanged one by one: dense for small ones,
// sparse beyond, with the product form of the inverse between two factorisations
// (B' = B E, E the identity but for one column).
#pragma once

#include <vector>

#include <Eigen/LU>

#include "vinci/base/math.h"
#include "vinci/linear/sparse_lu.h"

namespace vinci {

class BasisFactor {
 public:
  static constexpr int largest_dense = 128;

  // False if the basis is singular to working precision.
  bool factor(const SparseColumns& basis);
  void solve(VectorX& x);  // B x ← x
  // Column `position` becomes a, given α = B⁻¹a with α[position] ≠ 0.
  void replace(int position, const VectorX& alpha);
  int exchanges() const { return static_cast<int>(positions_.size()); }  // since factor()

 private:
  bool factor_dense(const SparseColumns& basis);

  int size_ = 0;
  MatrixX dense_;
  Eigen::PartialPivLU<MatrixX> lu_;
  SparseLu sparse_;
  VectorX scratch_;
  std::vector<int> positions_;
  std::vector<double> etas_;  // the exchanged columns α, one behind the other
};

}  // namespace vinci
