// SPDX-License-Identifier: Apache-2.0
// A = Q R of a matrix whose columns come and go one by one, Q with orthonormal columns:
// Gram–Schmidt done twice for a column that enters [Daniel, Gragg, Kaufman, Stewart 1976],
// rotations for one that leaves. The memory only grows.
#pragma once

#include "vinci/base/math.h"

namespace vinci {

class GrowingQr {
 public:
  void reset(int rows);
  int columns() const { return columns_; }
  // Behind the others. False, and nothing changes, where less than `least` of its norm is outside
  // of what they span.
  bool append(const VectorX& column, double least);
  void remove(int place);
  // x of the least |A x − target|.
  void solve(const VectorX& target, VectorX& x) const;
  // x less its part in the span, to the rounding of what is left.
  void remove_span(VectorX& x) const;

 private:
  auto basis() const { return Q_.leftCols(columns_); }

  int columns_ = 0;
  MatrixX Q_, R_;  // their first columns count
  VectorX outside_;
};

}  // namespace vinci
