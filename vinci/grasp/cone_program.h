// SPDX-License-Identifier: Apache-2.0
// Small dense convex programs over second-order cones:
//
//   minimise ½ xᵀ P x + cᵀ x   subject to   A x = b,   F_k x + g_k in K_k,
//
// P >= 0 diagonal, K = {(s₀, s₁) : |s₁| <= s₀}, half a line where it has one row. Primal-dual
// interior point method with the scaling of Nesterov and Todd and Mehrotra's corrector [Andersen
// 2003]. Its dual, with multipliers y of A x = b and z_k in K_k,
//
//   maximise −½ xᵀ P x − bᵀ y − Σ g_kᵀ z_k   subject to   P x + c + Aᵀ y = Σ F_kᵀ z_k,
//
// bounds the optimum from below whatever found (y, z): measure() looks at both sides, and knows
// nothing of how they were found.
#pragma once

#include <vector>

#include "vinci/base/math.h"

namespace vinci {

class ConeProgram {
 public:
  explicit ConeProgram(int variables);

  VectorX curvature, cost;  // diagonal of P; c

  void add_equality(const VectorX& row, double value);            // row·x = value
  void add_cone(const MatrixX& factor, const VectorX& constant);  // factor·x + constant in K
  void add_at_least(const VectorX& row, double value);            // row·x >= value

  int variables() const { return static_cast<int>(cost.size()); }
  int equalities() const { return static_cast<int>(values_.size()); }
  int rows() const { return static_cast<int>(constants_.size()); }  // of all cones
  const std::vector<int>& cones() const { return cones_; }          // rows of each
  // Equality `i`, and row `i` of the cones.
  auto equality(int i) const { return equality_rows_.row(i); }
  double value(int i) const { return values_[i]; }
  auto factor(int i) const { return factor_rows_.row(i); }
  double constant(int i) const { return constants_[i]; }

 private:
  RowMatrix equality_rows_, factor_rows_;  // with room beyond what is used
  std::vector<double> values_, constants_;
  std::vector<int> cones_;
};

struct ConeSolution {
  VectorX x, y, z;
  int iterations = 0;
};

// How good an answer is, with rows and cones recomputed from the program. A solution is exact where
// all are zero.
struct ConeResidual {
  double primal = 0.0;   // largest violation of A x = b, and of a cone: |s₁| − s₀
  double dual = 0.0;     // the same of P x + c + Aᵀ y = Fᵀ z and of z
  double gap = 0.0;      // value − bound
  double value = 0.0;    // of the objective at x
  double bound = 0.0;    // of the dual at (x, y, z)
  double worst() const;  // the largest, the gap relative to 1 + |value|
};

// Needs equalities that are independent and strictly feasible points on both sides; gives the best
// iterate that it met, which measure() may find to be no solution.
ConeSolution solve(const ConeProgram& program);
ConeResidual measure(const ConeProgram& program, const ConeSolution& solution);

}  // namespace vinci
