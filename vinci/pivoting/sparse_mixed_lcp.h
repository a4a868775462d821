// SPDX-License-Identifier: Apache-2.0
// Large sparse mixed linear complementarity problems by complementary pivoting: equilibrated by
// powers of two, started from the basis of w or from a guessed one, ended by the basic solution
// refined in extended precision.
#pragma once

#include "vinci/linear/equilibration.h"
#include "vinci/pivoting/sparse_lemke.h"

namespace vinci {

class SparseMixedLcpSolver {
 public:
  static constexpr int attempts = 4;

  // Scales the problem, which must outlive the attempts.
  void prepare(const SparseMixedLcp& problem);
  // The attempts differ in the covering vector. They start from the basis in which the marked z are
  // basic; null: from that of w and the free variables.
  PivotOutcome attempt(int number, const std::vector<char>* basic, const PivotRules& rules,
                       Eigen::VectorXd& z);
  // Again from the last basis, where rounding left some of its values negative.
  PivotOutcome attempt_again(int number, const PivotRules& rules, Eigen::VectorXd& z);
  int pivots() const { return pivoting_.pivots(); }
  // As those of MixedLcpSolver.
  void ray_certificate(Eigen::VectorXd& v) const;
  bool search_certificate(const PivotRules& rules, Eigen::VectorXd& v);

 private:
  void set_covering(int number);
  PivotOutcome run(int number, const PivotRules& rules, Eigen::VectorXd& z);

  SparseMixedLcp scaled_, skew_;
  Equilibration scale_;
  double magnitude_ = 1.0;
  SparseLemke pivoting_, search_;
  std::vector<char> basic_, skew_basic_;
  Eigen::VectorXd covering_, skew_covering_;
};

}  // namespace vinci
