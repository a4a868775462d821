// SPDX-License-Identifier: Apache-2.0
// The frame of the Newton methods: what they refuse, the guess, the best answer so far, and the
// judge's verdict at the end. A method improves `best_` in iterate().
#pragma once

#include "vinci/complementarity/delassus_operator.h"
#include "vinci/complementarity/residual.h"
#include "vinci/complementarity/solver.h"
#include "vinci/newton/active_set_polish.h"

namespace vinci {

class VelocitySolver : public Solver {
 public:
  void ask(double tolerance) { frame_.tolerance = tolerance; }
  std::string why_not(const ComplementarityProblem& problem) const override;
  SolveReport solve(const ComplementarityProblem& problem, Solution& solution) override;

 protected:
  struct Frame {
    const char* name = "";     // static storage
    double tolerance = 1e-12;  // asked of the judge
    int max_iterations = 0;    // Newton steps
    int largest = 0;           // unknowns
  };
  explicit VelocitySolver(const Frame& frame) : frame_(frame) {}

  // A reason of the method's own, or nullptr.
  virtual const char* refusal(const ComplementarityProblem& problem) const = 0;
  // From candidate_, the guess, on; counts iterations_.
  virtual void iterate(const ComplementarityProblem& problem) = 0;

  bool settled(const Residual& residual) const { return is_settled(residual, frame_.tolerance); }
  bool out_of_limits() const { return iterations_ >= frame_.max_iterations || until_.passed(); }
  // Takes the candidate where it is the best so far; true if the best one is settled.
  bool offer(const Residual& residual);

  Frame frame_;
  Judge judge_;
  DelassusOperator operator_;
  ActiveSetPolish polish_;
  Solution candidate_, best_;
  Residual best_residual_;
  int iterations_ = 0;
  Deadline until_;  // asked once an iteration

 private:
  const char* reason_against(const ComplementarityProblem& problem) const;
  void begin(const ComplementarityProblem& problem, Solution& solution);
};

}  // namespace vinci
