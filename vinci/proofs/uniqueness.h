// SPDX-License-Identifier: Apache-2.0
// Whether the motion of a step without inertia is the only one, with the friction limits μ λ_n held
// [Trinkle 2005, proposition 1]. The step minimises −fᵀu + ½ uᵀD u + Σ L |w_t| over w_n >= 0, a
// convex program, so it is unique unless it can be left along some d without cost:
//   D d = 0;  J_n d = 0 where λ_n > 0, J_n d >= 0 where λ_n = 0 = w_n;
//   friction that sticks inside its limit: J_t d = 0;  at its limit: J_t d along −λ_t;
//   friction that slides on a disk: J_t d along w_t;  in the plane: free.
// Proposition 1 asks J_t d = 0 of sliding contacts too, and fᵀd >= 0, which with the balance of
// forces is J_n d = 0 where λ_n > 0; so it misses the force that sits exactly on the sliding limit.
#pragma once

#include "vinci/complementarity/accuracy.h"
#include "vinci/proofs/friction_sets.h"

namespace vinci {

struct FreeDirections {
  int count = 0;     // dimension of the motions that nothing resists; 0: the motion is unique
  int unknown = -1;  // that moves most along one of them
};

// A basis of the motions d that cost nothing, one per column, over the unknowns.
struct FreeMotions {
  MatrixX both_ways;  // −d costs nothing either
  MatrixX one_way;
  Eigen::Index count() const { return both_ways.cols() + one_way.cols(); }
};

// Which contacts hold: those that do, or all that are loaded, as proposition 1 has it.
enum class Holding : char { exact, proposition_1 };

class UniquenessTest {
 public:
  FreeDirections operator()(const ComplementarityProblem& problem,
                            const std::vector<FrictionSet>& sets, const SparseRows& inertia,
                            const Solution& solution, const Accuracy& accuracy = {});
  FreeMotions motions(const ComplementarityProblem& problem, const std::vector<FrictionSet>& sets,
                      const SparseRows& inertia, const Solution& solution,
                      const Accuracy& accuracy = {}, Holding holding = Holding::exact);

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

  double force_ = 1.0, speed_ = 1.0;  // the largest ones
  double zero_ = 0.0;                 // shares of them that count as zero
  Holding holding_ = Holding::exact;
  int unknowns_ = 0, equalities_ = 0, inequalities_ = 0;
  VectorX w_, unit_;
  std::vector<VectorX> equal_, least_;  // rows in units of unit_; their memory is kept
  MatrixX matrix_;
};

}  // namespace vinci
