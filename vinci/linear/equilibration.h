// SPDX-License-Identifier: Apache-2.0
// Positive powers of two, per row and per column, with the entries of diag(row) A diag(column) at
// most about 1 and the largest of each row and column near 1 [Ruiz 2001]. Powers of two round
// nothing, so A can be brought back bit for bit.
#pragma once

#include "vinci/base/math.h"
#include "vinci/linear/sparse_lu.h"

namespace vinci {

class Equilibration {
 public:
  // Finds the scales of a square A and applies them.
  void apply(RowMatrix& A);
  void apply(SparseColumns& A);
  VectorX row, column;

 private:
  template <class Matrix>
  void iterate(Matrix& A, Eigen::Index size);

  VectorX row_largest_, column_largest_;
};

// The power of two nearest to x > 0, or to √x, on a logarithmic scale.
double power_of_two_near(double x, bool root = false);
// That of the largest entry of v; 1 for a zero vector.
double magnitude_of(const VectorX& v);

}  // namespace vinci
