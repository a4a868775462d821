// SPDX-License-Identifier: Apache-2.0
// Sparse matrices by rows, as plain data that is refilled without allocating.
#pragma once

#include <vector>

#include <Eigen/SparseCore>

#include "vinci/base/math.h"

namespace vinci {

// Compressed sparse rows; column indices ascend within a row.
struct SparseRows {
  int rows = 0, cols = 0;
  std::vector<int> starts = {0};  // rows + 1
  std::vector<int> indices;
  std::vector<double> values;

  void reset(int new_cols);  // no rows, keeps the memory
  // Entries of the row being filled, in ascending column order; end_row() closes it.
  void push(int column, double value) {
    indices.push_back(column);
    values.push_back(value);
  }
  void end_row() {
    starts.push_back(static_cast<int>(indices.size()));
    ++rows;
  }
  bool empty() const { return indices.empty(); }

  using View = Eigen::Map<const Eigen::SparseMatrix<double, Eigen::RowMajor, int>>;
  View view() const {
    return {rows,          cols,           static_cast<long>(indices.size()),
            starts.data(), indices.data(), values.data()};
  }
  double diagonal(int row) const;  // 0 where nothing is stored
  SparseRows transposed() const;
  void multiply_add(const double* x, double* y) const;             // y += A x
  void multiply_transposed_add(const double* x, double* y) const;  // y += Aᵀ x
  static SparseRows from(const Eigen::SparseMatrix<double, Eigen::RowMajor, int>& matrix);
  static SparseRows from_dense(const MatrixX& matrix);  // drops exact zeros
};

}  // namespace vinci
