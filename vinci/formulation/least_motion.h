// SPDX-License-Identifier: Apache-2.0
// The least motion that rows ask for, also where some follow from others or contradict them:
//
//   x = −W⁻¹ Jᵀ (J W⁻¹ Jᵀ + ε D)⁻¹ b
//
// with weights W of the unknowns, D the diagonal of J W⁻¹ Jᵀ and ε small: J x is −b as far as that
// is possible, and x the least of those that do it. What lies outside of what the rows can reach
// moves nothing.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/SparseCholesky>

#include "vinci/linear/sparse_rows.h"

namespace vinci {

class LeastMotion {
 public:
  // The diagonal of M are the weights; where it is zero, they are small.
  void factor(const SparseRows& M, const SparseRows& rows);
  void solve(const VectorX& b, VectorX& x);

 private:
  static constexpr int largest_dense = 96;  // rows

  void factor_dense();
  void factor_sparse();

  SparseRows rows_;  // weighed, of length 1 at most
  VectorX roots_;    // √W⁻¹, per unknown
  VectorX lengths_;  // that rows were divided by
  MatrixX dense_, product_;
  Eigen::LLT<MatrixX> llt_;
  Eigen::SparseMatrix<double> sparse_;
  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> ldlt_;
  VectorX load_;
};

}  // namespace vinci
