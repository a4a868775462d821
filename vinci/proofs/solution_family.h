// SPDX-License-Identifier: Apache-2.0
// Solutions beside a given one: whether it can be left in its motion or in its contact forces, and
// the family of solutions along such a direction, followed both ways until it ends.
//
// A direction of LocalEquations is only a promise: the family holds what Newton's method found from
// there and the judge accepts, so that two of its members are a proof that the answer is not the
// only one. Where no direction is left, the solution is isolated.
#pragma once

#include "vinci/complementarity/residual.h"
#include "vinci/proofs/local_equations.h"

namespace vinci {

// What may change about a solution to first order.
struct Freedoms {
  bool decided = false;  // false: the problem is too large or has other laws
  MatrixX motions;       // directions (du, dλ) in units, along which a velocity changes
  MatrixX loads;         // directions along which contact forces change and no velocity does
  MatrixX ways;          // directions that span both and keep the inequalities of corners

  bool is_locally_unique() const { return decided && motions.cols() == 0; }  // the velocities
};

class SolutionFamily {
 public:
  // Relative to the largest speed or force: less than this is no change.
  static constexpr double visible = 1e-7;

  // At a solution of the problem; `inertia` is regular.
  Freedoms freedoms(const ComplementarityProblem& problem, const SparseRows& inertia,
                    const Solution& solution, const Accuracy& accuracy = {});
  // Of the last call: solutions from one end to the other through that one, along a direction of
  // it. The solution alone where the direction leads to no other.
  std::vector<Solution> along(const ComplementarityProblem& problem, const Solution& solution,
                              const VectorX& direction);

 private:
  void gather_forces(const ComplementarityProblem& problem, const MatrixX& directions,
                     MatrixX& forces) const;
  MatrixX allowed(const MatrixX& directions) const;
  void follow(const ComplementarityProblem& problem, Solution at, VectorX direction,
              std::vector<Solution>& found);
  bool correct(const ComplementarityProblem& problem, Solution& trial);
  double distance(const Solution& a, const Solution& b) const;

  LocalEquations equations_;
  Accuracy accuracy_;
  Judge judge_;
};

}  // namespace vinci
