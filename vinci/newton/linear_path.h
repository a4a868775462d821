// SPDX-License-Identifier: Apache-2.0
// The path from a point z to the solution of the linearised mixed complementarity problem: with y
// the displacement, l <= z + y <= u, v the slack (>= 0 at lower, <= 0 at upper, 0 inside),
//
//   F + (A + E) y − v = (1 − t) r,     t from 0 (y = 0) to 1 (solved)
//
// is a path of line segments, followed by complementary pivoting from the active set of z on; E is
// a diagonal proximal perturbation [Ralph 1994; Dirkse, Ferris 1995]. Revised form: LU factors of
// the basis and an exchange of one column per pivot, dense or sparse.
#pragma once

#include "vinci/base/clock.h"
#include "vinci/complementarity/nonlinear_problem.h"
#include "vinci/linear/basis_factor.h"

namespace vinci {

class LinearPath {
 public:
  enum class End : char {
    solved,    // t = 1
    ray,       // a segment without end: no solution on this path
    returned,  // back at t = 0
    limit,     // pivots or time ran out
    singular,  // the basis at z, or a later one
  };
  // A = the Jacobian at z, F the value there; they stay until the next load().
  void load(const NonlinearProblem& problem, const VectorX& z, const VectorX& value,
            const SparseRows& jacobian);
  // Follows the path with E = proximity · (the largest entry of each row of A).
  End follow(double proximity, int pivot_limit, const Deadline& deadline);
  // The step y of the farthest point reached, and its t.
  const VectorX& step() const { return best_step_; }
  double reached() const { return best_t_; }
  int pivots() const { return pivots_; }  // of the last follow()

  // One step of Newton's method on the variables that are inside their bounds or pulled inside,
  // the others held: the crash direction. False if its matrix is singular.
  bool projected_newton(double proximity, VectorX& y);

 private:
  // What is basic in a pair's place, or where the nonbasic variable of the pair lies.
  enum class Side : char { inside, lower, upper, fixed };
  void choose_basis();
  bool refactor();
  void push_column(int label);
  void load_column(int label, VectorX& column) const;
  double low(int position) const;
  double high(int position) const;
  struct Block {  // what stops the entering variable
    int position = -1;
    double length = 0.0;
    bool at_high = false;
  };
  Block ratio_test(double direction, double reach) const;
  bool begin(double proximity);
  bool exchange(const Block& block, double start);
  void gather(VectorX& y) const;
  void note_progress(double t);
  void recompute();

  // Labels: y_k is k, v_k is n + k, t is 2n.
  int size_ = 0, pivots_ = 0;
  const NonlinearProblem* problem_ = nullptr;
  VectorX value_, low_, high_;     // F; l − z and u − z
  SparseColumns columns_, basis_;  // A by columns
  std::vector<int> fill_;
  VectorX row_scale_, shift_;     // E
  VectorX residue_;               // r
  std::vector<int> label_;        // per position of the basis
  std::vector<Side> side_;        // per pair: where z_k is; inside: z_k is basic
  VectorX basic_, alpha_, step_;  // values of the basic variables; B⁻¹a of the entering one
  int entering_ = 0, t_position_ = -1;  // a label; where t is basic
  double direction_ = 1.0;              // of the entering variable
  VectorX best_step_;
  double best_t_ = 0.0;
  BasisFactor factor_;
};

}  // namespace vinci
