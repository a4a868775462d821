// SPDX-License-Identifier: Apache-2.0
// Newton's method on the equations of an active set, without inertia: from an approximate answer to
// one that the judge finds exact. Corrections are those of least norm in the mass metric, so that
// what the equations leave free stays where it is.
#pragma once

#include <Eigen/QR>

#include "vinci/complementarity/problem.h"
#include "vinci/stepping/friction_sets.h"

namespace vinci {

class QuasiStaticPolish {
 public:
  static constexpr int largest = 400;  // unknowns and rows together: the equations are dense
  static bool takes(const ComplementarityProblem& problem) {
    return problem.unknowns() + problem.rows() <= largest;
  }
  // One step; false where it is not finite.
  bool improve(const ComplementarityProblem& problem, const std::vector<FrictionSet>& sets,
               const SparseRows& inertia, Solution& solution);

 private:
  void measure(const ComplementarityProblem& problem, const SparseRows& inertia,
               const Solution& solution);
  void write_balance(const ComplementarityProblem& problem, const Solution& solution);
  void write_set(const ComplementarityProblem& problem, const FrictionSet& set,
                 const VectorX& lambda);
  void write_motion(const ComplementarityProblem& problem, int row);  // w_row = 0
  void write_force(int row, double value);                            // λ_row = 0

  int unknowns_ = 0;
  double force_ = 1.0, speed_ = 1.0;  // units of λ and of w
  VectorX unit_;                      // of every unknown, then of every λ
  VectorX w_;
  MatrixX equations_;
  VectorX values_, step_;
  Eigen::CompleteOrthogonalDecomposition<MatrixX> factor_;
};

}  // namespace vinci
