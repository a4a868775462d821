// SPDX-License-Identifier: Apache-2.0
// What a solution obeys to first order when it is left: the equations and inequalities of (du, dλ)
// at (u, λ), from the balance M du = Jᵀdλ and from every law at the place where it is:
//   open: dλ = 0;  pressed: dw_n = 0;  touching without force: dλ_n >= 0, dw_n >= 0;
//   sticking: dw_t = 0, at the limit dw_t along −λ_t and dλ_t no farther out than the limit;
//   sliding: dλ_t of λ_t = −L w_t/|w_t|, L = μ λ_n or known;
//   on the relaxed cone likewise with w_n = μ |w_t|;  motors and limits (box) as rows do.
// Where a law has a corner these are more than can be left to (its two sides are not told apart),
// so that what they forbid is proved to be forbidden. Unknowns are in units: velocities of equal
// energies, forces over the largest one.
#pragma once

#include <vector>

#include "vinci/complementarity/accuracy.h"
#include "vinci/complementarity/problem.h"

namespace vinci {

class LocalEquations {
 public:
  static constexpr int largest = 240;  // unknowns and rows together: what follows is dense
  // Whether all laws are of the kinds above and the problem is small enough.
  static bool takes(const ComplementarityProblem& problem);

  // Fixes the units at this solution; `inertia` is regular.
  void measure(const ComplementarityProblem& problem, const SparseRows& inertia,
               const Solution& solution, const Accuracy& accuracy);
  // The equations and inequalities there.
  void write(const ComplementarityProblem& problem, const Solution& solution);
  // Directions that the equations leave: an orthonormal basis, (du, dλ) in units.
  MatrixX directions() const;
  const std::vector<VectorX>& inequalities() const { return inequalities_; }  // row·x >= 0

  // Newton's step of least norm towards a solution with the active set of this point.
  bool improve(const ComplementarityProblem& problem, Solution& solution);

  const VectorX& units() const { return unit_; }  // per unknown, then per row
  double speed() const { return speed_; }
  // unit · step added to a point.
  void add(const VectorX& step, double factor, Solution& solution) const;

 private:
  enum class At : char { equation, both };  // one side of a corner, or what both allow
  void find_w(const ComplementarityProblem& problem, const Solution& solution);
  void begin(const ComplementarityProblem& problem);
  void write_all(const ComplementarityProblem& problem, const Solution& solution, At corners);
  void write_balance(const ComplementarityProblem& problem, const Solution& solution);
  // Returns whether the row is pressed (1), open (0) or at the corner of both (−1).
  int write_normal(const ComplementarityProblem& problem, const VectorX& lambda, int row,
                   At corners);
  void write_box(const ComplementarityProblem& problem, const VectorX& lambda, const Block& block,
                 At corners);
  void write_cone(const ComplementarityProblem& problem, const VectorX& lambda, const Block& block,
                  At corners);
  void write_closing(const Block& block);
  VectorX turned(const ComplementarityProblem& problem, const VectorX& along, int first,
                 bool of_motion) const;
  void write_friction(const ComplementarityProblem& problem, const VectorX& lambda,
                      const Block& block, int pressed, At corners);
  void write_sliding(const ComplementarityProblem& problem, const VectorX& lambda,
                     const Block& block);
  VectorX motion_row(const ComplementarityProblem& problem, int row) const;  // dw of a row
  VectorX force_row(int row) const;                                          // dλ of a row
  void add_equation(const VectorX& row, double value);
  void add_inequality(VectorX row);

  int unknowns_ = 0, size_ = 0, written_ = 0;
  double force_ = 1.0, speed_ = 1.0, zero_ = 0.0;
  VectorX unit_, row_unit_;  // row_unit_: of w
  VectorX w_;
  MatrixX equations_;
  VectorX values_;
  std::vector<VectorX> inequalities_;
};

}  // namespace vinci
