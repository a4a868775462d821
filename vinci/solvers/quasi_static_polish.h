// SPDX-License-Identifier: Apache-2.0
// Newton's method on the equations of an active set, without inertia: from an approximate answer to
// one that the judge finds exact. Corrections are those of least norm in the mass metric, so that
// what the equations leave free stays where it is: a step is (AᵀA + ε) δ = Aᵀr with A in units in
// which its entries are about 1, so that ε = 1e-14 moves nothing along what A does not see, and
// costs well-determined directions eight digits per step at least.
#pragma once

#include "vinci/complementarity/problem.h"
#include "vinci/proofs/friction_sets.h"

namespace vinci {

class QuasiStaticPolish {
 public:
  static constexpr int largest = 400;  // unknowns and rows together: the equations are dense
  static bool takes(const ComplementarityProblem& problem) {
    return problem.unknowns() + problem.rows() <= largest;
  }
  // How a step is solved: by the normal equations, or by an orthogonal decomposition of A itself,
  // which costs more (and allocates) but does not square its condition.
  enum class Precision { usual, high };
  // One step; false where it is not finite.
  bool improve(const ComplementarityProblem& problem, const std::vector<FrictionSet>& sets,
               const SparseRows& inertia, Precision precision, Solution& solution);

 private:
  void measure(const ComplementarityProblem& problem, const SparseRows& inertia,
               const Solution& solution);
  void write_balance(const ComplementarityProblem& problem, const Solution& solution);
  void write_set(const ComplementarityProblem& problem, const FrictionSet& set,
                 const VectorX& lambda);
  void write_motion(const ComplementarityProblem& problem, int row);  // w_row = 0
  void write_force(int row, double value);                            // λ_row = 0
  bool solve_least(Precision precision);  // step_ from equations_ and values_

  int unknowns_ = 0;
  double force_ = 1.0, speed_ = 1.0;  // units of λ and of w
  VectorX unit_;                      // of every unknown, then of every λ
  VectorX w_;
  MatrixX equations_;
  VectorX values_, step_, against_;
  MatrixX normal_;  // AᵀA + ε, then its factor
};

}  // namespace vinci
