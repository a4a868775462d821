// SPDX-License-Identifier: Apache-2.0
// Whether the motion of a step without inertia is the only one, with the friction limits μ λ_N held
// [Trinkle 2005, proposition 1]. The step minimises −fᵀu + ½ uᵀD u + Σ L |w_T| over w_N >= 0, a
// convex program, so it is unique unless it can be left along some d without cost:
//   D d = 0;  J_N d = 0 where λ_N > 0, J_N d >= 0 where λ_N = 0 = w_N;
//   friction that sticks inside its limit: J_T d = 0;  at its limit: J_T d along −λ_T;
//   friction that slides on a disk: J_T d along w_T;  in the plane: free.
// Proposition 1 asks J_T d = 0 of sliding contacts too, and fᵀd >= 0; so it misses the force that
// sits exactly on the sliding limit.
#pragma once

#include "vinci/complementarity/problem.h"
#include "vinci/proofs/friction_sets.h"

namespace vinci {

struct FreeMotion {
  int count = 0;     // dimension of the motions that nothing resists; 0: the motion is unique
  int unknown = -1;  // that moves most along one of them
};

class UniquenessTest {
 public:
  FreeMotion operator()(const ComplementarityProblem& problem, const std::vector<FrictionSet>& sets,
                        const SparseRows& inertia, const Solution& solution);

 private:
  void add_set(const ComplementarityProblem& problem, const FrictionSet& set,
               const VectorX& lambda);
  void add_directions(const ComplementarityProblem& problem, const FrictionSet& set,
                      const VectorX& lambda);
  void add_row(const ComplementarityProblem& problem, int row, double factor, bool equality);
  VectorX& next(bool equality);
  int rank();  // of the equalities; destroys matrix_
  void load(const ComplementarityProblem& problem, const std::vector<FrictionSet>& sets,
            const SparseRows& inertia, const Solution& solution);
  bool has_direction(const MatrixX& free, VectorX& direction) const;

  double force_ = 1.0, speed_ = 1.0;
  int unknowns_ = 0, equalities_ = 0, inequalities_ = 0;
  VectorX w_, unit_;
  std::vector<VectorX> equal_, least_;  // rows in units of unit_; their memory is kept
  MatrixX matrix_;
};

}  // namespace vinci
