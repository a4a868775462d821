// SPDX-License-Identifier: Apache-2.0
// Dense LU factors with partial pivoting, rows compared after scaling by their largest entry, in
// memory that only grows.
#pragma once

#include <cstddef>
#include <vector>

namespace vinci {

class DenseLu {
 public:
  // Fill the matrix through entry(i, j), then factor. Pivots that vanish to rounding are left out;
  // the unknowns they would determine come out as zero.
  void reset(int size);
  double& entry(int i, int j) { return data_[static_cast<std::size_t>(i * size_ + j)]; }
  void factor();
  void solve(double* x) const;                         // in place
  double least_pivot() const { return least_pivot_; }  // of the rows scaled to a largest entry of 1
  // A lower bound of |A⁻¹|, hardly ever a tenth of it.
  double inverse_norm() const;

 private:
  int find_end(int i);  // into end_
  int size_ = 0;
  double least_pivot_ = 0.0;
  std::vector<double> data_, scale_;
  std::vector<int> swaps_;
  std::vector<int> first_, end_;  // of the entries of a row that are not zero
};

}  // namespace vinci
