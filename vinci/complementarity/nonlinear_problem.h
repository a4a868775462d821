// SPDX-License-Identifier: Apache-2.0
// The mixed nonlinear complementarity problem, given by a function and its Jacobian: find z with
//
//   lower <= z <= upper,   F(z)_k = 0 where z_k is inside, >= 0 at lower, <= 0 at upper
//
// (either bound may be infinite: a free variable has the equation F(z)_k = 0). F is asked only
// within the bounds. Its judge is the natural map max_k |mid(z_k − upper_k, F_k, z_k − lower_k)|
// [Facchinei, Pang 2003, ch. 1].
#pragma once

#include <functional>
#include <string>

#include "vinci/base/math.h"
#include "vinci/complementarity/problem.h"

namespace vinci {

struct NonlinearProblem {
  VectorX lower, upper;
  // F(z) into `value`, which has the right size. A value that is not finite says that z lies
  // outside the domain of F; solvers then take shorter steps.
  std::function<void(const VectorX& z, VectorX& value)> function;
  // ∂F_i/∂z_j into jacobian.values; the pattern is that of `pattern` and stays.
  std::function<void(const VectorX& z, SparseRows& jacobian)> derivative;
  SparseRows pattern;  // of the Jacobian, all entries that are ever nonzero

  int size() const { return static_cast<int>(lower.size()); }
  // "" if sizes, bounds and pattern fit together, otherwise what is wrong, in words.
  std::string why_invalid() const;
};

// max_k |mid(z_k − upper_k, F_k, z_k − lower_k)|, zero if and only if z is a solution; +∞ where a
// number is not finite.
double natural_residual(const NonlinearProblem& problem, const VectorX& z, const VectorX& value);
double natural_residual(const NonlinearProblem& problem, const VectorX& z);

// The largest error of the Jacobian at z against central differences of F with steps
// h (1 + |z_j|), relative to 1 + the largest difference quotient; entries outside of the pattern
// count. Near 1e-9 for a right Jacobian of a smooth F in plain units; for tests. The best h is
// about the third root of ε, 6e-6.
double jacobian_error(const NonlinearProblem& problem, const VectorX& z, double h = 1e-5);

// F(z) = M z + q under the bounds, with the pattern of M.
NonlinearProblem linear_problem(const SparseRows& M, const VectorX& q, const VectorX& lower,
                                const VectorX& upper);

}  // namespace vinci
