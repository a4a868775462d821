// SPDX-License-Identifier: Apache-2.0
// What the Newton methods share: the size up to which they factor, the guess projected onto the
// laws' sets, and the polish that finishes the active set they find. A method improves its
// candidate in iterate().
#pragma once

#include "vinci/complementarity/delassus_operator.h"
#include "vinci/complementarity/solve_frame.h"
#include "vinci/newton/active_set_polish.h"

namespace vinci {

class NewtonSolver : public SolveFrame {
 protected:
  struct Limits {
    int max_iterations = 0;  // Newton steps
    int largest = 0;         // unknowns of the linear systems
  };
  NewtonSolver(const char* name, const Accuracy& accuracy, const Limits& limits)
      : SolveFrame(name, accuracy), limits_(limits) {}

  // A reason of the method's own, or nullptr.
  virtual const char* reason_against(const ComplementarityProblem& problem) const = 0;
  // From candidate_, the guess, on; counts iterations_.
  virtual void iterate(const ComplementarityProblem& problem) = 0;

  bool out_of_limits() const { return iterations_ >= limits_.max_iterations || until_.passed(); }

  const Limits limits_;
  DelassusOperator operator_;
  ActiveSetPolish polish_;
  Solution candidate_;

 private:
  const char* reason(const ComplementarityProblem& problem) const;
  std::string refusal(const ComplementarityProblem& problem) const override;
  const char* prepare(const ComplementarityProblem& problem) override;
  Ending run(const ComplementarityProblem& problem, Solution& solution) override;
};

}  // namespace vinci
