// SPDX-License-Identifier: Apache-2.0
// The rows of a problem in units of equal energies: g_j = L⁻¹ J_jᵀ with M = L Lᵀ, so that Delassus'
// matrix is W_ij = g_i·g_j. A row has entries for the components of M alone that it meets.
#pragma once

#include <vector>

#include "vinci/linear/sparse_rows.h"

namespace vinci {

// Keep one for a sequence of problems: it does not allocate then.
class ScaledRows {
 public:
  // Of the symmetric part of M; false unless that is positive definite beyond rounding.
  bool factor(const SparseRows& M);
  // Whether M is its symmetric part.
  bool is_symmetric() const { return symmetric_; }
  void scale(const SparseRows& J);  // after factor()

  void multiply(std::vector<double>& W) const;          // g_i·g_j of all rows, by rows
  double product(int row, const VectorX& y) const;      // g_i·y
  void add(int row, double factor, VectorX& to) const;  // to += factor · g_i
  // weight · g_i g_iᵀ added to a matrix of all unknowns, by rows.
  void add_square(int row, double weight, std::vector<double>& to) const;

 private:
  struct Piece {
    int first, count, place;  // unknowns; their entries are scaled_[place, ...)
  };
  bool factor_component(const SparseRows& M, int begin, int end);
  const Piece* begin(int row) const {
    return pieces_.data() + piece_starts_[static_cast<std::size_t>(row)];
  }
  const Piece* end(int row) const { return begin(row + 1); }

  bool symmetric_ = true;
  int unknowns_ = 0;                                 // of the rows
  std::vector<int> starts_, places_, component_of_;  // per component, in factors_; per unknown
  std::vector<double> factors_;                      // L by rows, 1/L_ii on the diagonal
  std::vector<int> piece_starts_;                    // per row
  std::vector<Piece> pieces_;
  std::vector<double> scaled_;
};

}  // namespace vinci
