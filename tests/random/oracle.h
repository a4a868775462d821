// SPDX-License-Identifier: Apache-2.0
// A second judge, written from the definition of the residual alone and sharing no code with
// the first: long double throughout, M inverted block by block. And a check of certificates: y
// proves that there is no solution if
//
//   yᵀw >= 0 for every w that the laws allow, and sup over the allowed λ of yᵀ(W λ + q) < 0.
#pragma once

#include <vector>

#include "vinci/complementarity/problem.h"

namespace vinci::test {

struct Measured {
  double relative = 0.0;  // the residual that decides
  double rounding = 0.0;  // what double precision can make of w by itself, over |q|
};

class Oracle {
 public:
  explicit Oracle(const ComplementarityProblem& problem);
  // λ decides; u counts only where M is singular.
  Measured measure(const Solution& solution) const;
  // By how much y falls short of a proof: what is left of Wᵀy where nothing should be, relative to
  // the terms that cancel there, over the share of its terms that is left of yᵀq. A rounding error
  // where y is a proof: a solution would be larger than the problem's numbers by the inverse of
  // this. Infinity where a sign is wrong. M must be regular.
  double certificate_defect(const VectorX& y) const;
  bool regular() const { return regular_; }

 private:
  using Real = long double;
  using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
  using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
  void invert_mass();
  Vector solve_mass(const Vector& x, bool transposed = false) const;
  Vector delassus_diagonal() const;
  void find_scales();
  void scale_rolling(const Block& block, const Vector& diagonal);
  Vector local_velocity(const Vector& u, const Vector& lambda) const;
  Vector rounding(const Vector& lambda, const Vector& given_u) const;

  const ComplementarityProblem& problem_;
  std::vector<int> starts_;  // of the blocks of M, and their end
  std::vector<Matrix> inverses_;
  bool regular_ = true, scalar_ = true;
  Vector free_, scale_, weight_;
};

}  // namespace vinci::test
