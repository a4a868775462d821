// SPDX-License-Identifier: Apache-2.0
// Products and conversions of sparse rows.
#include "vinci/linear/sparse_rows.h"

#include "vinci/linear/short_rows.h"

namespace vinci {

void SparseRows::reset(int new_cols) {
  rows = 0;
  cols = new_cols;
  starts.clear();
  starts.push_back(0);
  indices.clear();
  values.clear();
}

void SparseRows::multiply_add(const double* x, double* y) const {
  for (int row = 0; row < rows; ++row) {
    const int begin = starts[row], count = starts[row + 1] - begin;
    const int* const columns = indices.data() + begin;
    const double* const own = values.data() + begin;
    double sum = 0.0;
    if (is_run(count, columns))
      sum = sum_entries(count, own, x + columns[0], 0.0);
    else
      for (int k = 0; k < count; ++k) sum += own[k] * x[columns[k]];
    y[row] += sum;
  }
}

void SparseRows::multiply_transposed_add(const double* x, double* y) const {
  for (int row = 0; row < rows; ++row) {
    const double factor = x[row];
    if (factor == 0.0) continue;
    const int begin = starts[row], count = starts[row + 1] - begin;
    const int* const columns = indices.data() + begin;
    const double* const own = values.data() + begin;
    if (is_run(count, columns))
      add_entries(count, own, factor, y + columns[0]);
    else
      for (int k = 0; k < count; ++k) y[columns[k]] += own[k] * factor;
  }
}

double SparseRows::diagonal(int row) const {
  for (int k = starts[row]; k < starts[row + 1]; ++k)
    if (indices[k] == row) return values[k];
  return 0.0;
}

SparseRows SparseRows::transposed() const {
  return from(Eigen::SparseMatrix<double, Eigen::RowMajor, int>(view().transpose()));
}

SparseRows SparseRows::from(const Eigen::SparseMatrix<double, Eigen::RowMajor, int>& matrix) {
  SparseRows result;
  result.reset(static_cast<int>(matrix.cols()));
  for (int row = 0; row < matrix.outerSize(); ++row) {
    for (Eigen::SparseMatrix<double, Eigen::RowMajor, int>::InnerIterator it(matrix, row); it; ++it)
      result.push(static_cast<int>(it.col()), it.value());
    result.end_row();
  }
  return result;
}

SparseRows SparseRows::from_dense(const MatrixX& matrix) {
  SparseRows result;
  result.reset(static_cast<int>(matrix.cols()));
  for (int row = 0; row < matrix.rows(); ++row) {
    for (int col = 0; col < matrix.cols(); ++col)
      if (matrix(row, col) != 0.0) result.push(col, matrix(row, col));
    result.end_row();
  }
  return result;
}

}  // namespace vinci
