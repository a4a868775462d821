// SPDX-License-Identifier: Apache-2.0
// How exact an answer has to be: one number τ, the relative residual asked of the judge, and what
// follows from it. A run has one; its stepper and its solver are handed it, and solvers hand it, or
// a share of it, to the methods they are made of.
#pragma once

#include <algorithm>

#include "vinci/complementarity/residual.h"

namespace vinci {

struct Accuracy {
  // What a run asks for unless told otherwise. The judge rounds at 1e-16 times the terms of w: this
  // leaves five digits for terms that cancel.
  static constexpr double usual = 1e-11;

  double tolerance = usual;  // τ

  // The judge measured at most τ. Where rounding alone can make a hundred times τ, two of its
  // digits, a small residual is chance and proves nothing.
  bool is_solved(const Residual& residual) const {
    const bool meant = residual.rounding <= 100.0 * tolerance || residual.relative == 0.0;
    return residual.relative <= tolerance && meant;
  }
  // Nothing more can be asked: at most τ, or as far as double precision can tell. Only the first is
  // called solved.
  bool is_settled(const Residual& residual) const {
    return residual.relative <= tolerance || residual.relative <= residual.rounding;
  }
  // 5 τ, τ at most the usual one: a residual so near to τ, and so near to the digits of double
  // precision, is left by rounding, and another method has no less of it. A looser τ is far from
  // both, and another method may well meet it.
  double near() const { return 5.0 * std::min(tolerance, usual); }
  // 10 τ: a residual that a run does not count as a failure, and the share of a velocity that is
  // taken for what the solver left of zero.
  double acceptable() const { return 10.0 * tolerance; }
  // 100 τ, τ at least the usual one (a tighter one is not always met): forces and velocities below
  // this share of the largest one count as zero where an answer says which contacts are open, stick
  // or slide.
  double zero() const { return 100.0 * std::max(tolerance, usual); }
};

}  // namespace vinci
