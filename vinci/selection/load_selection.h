// SPDX-License-Identifier: Apache-2.0
// One rule among the solutions of a step, whatever solver found the first one: that which goes on
// from the loads of the last step at contacts of one vanishing compliance, or else that to which
// contacts lead that grow stiff together (compliant_limit.h). Per island.
#pragma once

#include "vinci/complementarity/condense.h"
#include "vinci/complementarity/islands.h"
#include "vinci/complementarity/solver.h"
#include "vinci/selection/compliant_limit.h"

namespace vinci {

struct SelectionReport {
  int chosen = 0;  // islands whose answer is that of the rule, and not the solver's
  int missed = 0;  // islands whose answer stays the solver's: too large, or the rule found none
};

class LoadSelection {
 public:
  static constexpr int most_rows = 150;  // of an island: the equations are dense

  // `start` has the loads of the last step, `solution` the answer of the solver and in the end that
  // of the rule, `solve` the verdict on it.
  SelectionReport operator()(const ComplementarityProblem& problem, const VectorX& start,
                             const Accuracy& accuracy, SolveReport& solve, Solution& solution);

 private:
  enum class Found : char { same, other, none };
  Found select(const ComplementarityProblem& problem, const VectorX& start,
               const Accuracy& accuracy, Solution& solution, Residual& residual);
  bool is_answer(const ComplementarityProblem& problem, const Accuracy& accuracy);

  Islands islands_;
  ComplementarityProblem part_;
  VectorX part_start_, lambda_;
  Solution part_solution_, trial_, best_;
  ContactUnits units_;
  Condensation condensation_;
  CompliantLimit limit_;
  Judge judge_;
  Residual best_residual_;
};

}  // namespace vinci
