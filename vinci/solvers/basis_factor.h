// SPDX-License-Identifier: Apache-2.0
// LU factors of a square basis whose columns are exchanged one by one: dense for small ones,
// Eigen's sparse LU beyond, with the product form of the inverse between two factorisations
// (B' = B E, E the identity but for one column).
#pragma once

#include <memory>
#include <vector>

#include <Eigen/LU>

#include "vinci/base/math.h"

namespace vinci {

// Compressed sparse columns of a fixed pattern, refilled without allocating.
struct SparseColumns {
  std::vector<int> starts = {0}, indices;
  std::vector<double> values;

  void reset() {
    starts.assign(1, 0);
    indices.clear();
    values.clear();
  }
  void push(int row, double value) {
    indices.push_back(row);
    values.push_back(value);
  }
  void end_column() { starts.push_back(static_cast<int>(indices.size())); }
  int columns() const { return static_cast<int>(starts.size()) - 1; }
};

class BasisFactor {
 public:
  static constexpr int largest_dense = 128;

  BasisFactor();
  ~BasisFactor();
  // False if the basis is singular to working precision.
  bool factor(const SparseColumns& basis);
  void solve(VectorX& x);  // B x ← x
  // Column `position` becomes a, given α = B⁻¹a with α[position] ≠ 0.
  void replace(int position, const VectorX& alpha);
  int exchanges() const { return static_cast<int>(positions_.size()); }  // since factor()

 private:
  struct Sparse;
  bool factor_dense(const SparseColumns& basis);
  bool factor_sparse(const SparseColumns& basis);

  int size_ = 0;
  MatrixX dense_;
  Eigen::PartialPivLU<MatrixX> lu_;
  std::unique_ptr<Sparse> sparse_;
  VectorX scratch_;
  std::vector<int> positions_;
  std::vector<double> etas_;  // the exchanged columns α, one behind the other
};

}  // namespace vinci
