// SPDX-License-Identifier: Apache-2.0
// The one judge of solutions: the natural map of every law, with w recomputed from λ alone through
// u = M⁻¹(Jᵀλ + p). With W = J M⁻¹Jᵀ + C, s_a the mean diagonal of block a of W and
// q = J M⁻¹p + b:
//
//   relative = sqrt(Σ_a |s_a λ_a − P_a(s_a λ_a − ŵ_a)|²) / |q|,   |q| at least 0.2 % of its terms
//   without u and with scalar laws only (LCP, MLCP, relay): max |mid(λ − upper, w, λ − lower)| /
//   max |b|
//
// docs/theory/residual.md has the cases of a zero diagonal and of a singular M.
#pragma once

#include "vinci/complementarity/problem.h"
#include "vinci/linear/mass_factor.h"

namespace vinci {

struct Residual {
  double relative = 0.0;  // decides; +∞ where any number is not finite, never NaN
  double velocity = 0.0;  // absolute, unit of w (m/s)
  double impulse = 0.0;   // absolute, unit of λ (N s)
  // The part of `relative` that the rounding of w in double precision can make by itself: the
  // resolution of the judge. Above the tolerance only where the terms of w cancel in q.
  double rounding = 0.0;
};

// Working memory of the judge; keep one to judge a sequence of problems without allocating.
class Judge {
 public:
  Residual operator()(const ComplementarityProblem& problem, const Solution& solution) {
    prepare(problem);
    return measure(problem, solution);
  }
  // The two halves, to judge many answers to one problem: what depends on the problem alone, and
  // the measurement. The problem must be valid and stay as it was.
  void prepare(const ComplementarityProblem& problem);
  Residual measure(const ComplementarityProblem& problem, const Solution& solution);

  // Of the last measurement: the velocities that follow from λ (the given ones where M is
  // singular), and w.
  const VectorX& u() const { return u_; }
  const VectorX& w() const { return w_; }  // between prepare() and the first measurement: q
  // Per row, in the unit of w over that of λ.
  const VectorX& scales() const { return scale_; }
  const VectorX& weights() const { return weight_; }  // the factor of w where W has no diagonal
  double free_norm() const { return norm_; }          // |q|, or the 1 taken in its place
  bool maximum_norm() const { return scalar_; }       // LCP, MLCP, relay
  bool regular() const { return regular_; }           // M⁻¹ exists
  const MassFactor& mass() const { return mass_; }

 private:
  void prepare_scales(const ComplementarityProblem& problem);
  double floor_of(const ComplementarityProblem& problem) const;
  void recompute(const ComplementarityProblem& problem, const Solution& solution);
  double rounding_of(const ComplementarityProblem& problem, const VectorX& lambda);

  MassFactor mass_;
  bool scalar_ = false;          // LCP, MLCP, relay: the maximum norm, unscaled
  bool regular_ = true;          // M⁻¹ exists
  double norm_ = 1.0;            // |q|
  double equation_scale_ = 0.0;  // velocity over force, singular M only
  double equation_ = 0.0;        // |M u − Jᵀλ − p| · equation_scale_
  VectorX scale_, weight_;       // per row: s, and the factor of w (1, or d where W_jj = 0)
  VectorX u_, w_, force_, scratch_, row_scratch_;
};

// The same measure of small problems without u, in memory of its own size: for solvers whose whole
// work is less than an allocation. The same numbers as Judge's; `rounding` is left to a call of its
// own.
class SmallJudge {
 public:
  static constexpr int largest = 32;  // rows: a dense W of 8 kB, which stays in the first cache
  static bool takes(const ComplementarityProblem& problem) {
    return problem.unknowns() == 0 && problem.rows() <= largest;
  }
  void prepare(const ComplementarityProblem& problem);  // valid, and one that it takes
  Residual measure(const ComplementarityProblem& problem, const double* lambda);
  double rounding(const ComplementarityProblem& problem, const double* lambda) const;
  const double* w() const { return w_; }  // of the last measurement
  const double* scales() const { return scale_; }

 private:
  bool scalar_ = false;
  double norm_ = 1.0;
  double scale_[largest], weight_[largest], w_[largest];
};

Residual residual(const ComplementarityProblem& problem, const Solution& solution);

}  // namespace vinci
