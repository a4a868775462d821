// SPDX-License-Identifier: Apache-2.0
// The frame of a solve, the same for every method: refuse what the method does not take, make the
// guess usable, prepare the judge, let the method run, and give the judge's verdict on the best
// answer that was offered.
#pragma once

#include "vinci/complementarity/solver.h"

namespace vinci {

class SolveFrame : public Solver {
 public:
  std::string why_not(const ComplementarityProblem& problem) const final;
  SolveReport solve(const ComplementarityProblem& problem, Solution& solution) final;
  // The same for a problem that is known to be valid.
  SolveReport solve_valid(const ComplementarityProblem& problem, Solution& solution);

  const Accuracy& accuracy() const { return accuracy_; }
  void ask(const Accuracy& accuracy) { accuracy_ = accuracy; }  // of the solves to come

 protected:
  // `name` has static storage.
  SolveFrame(const char* name, const Accuracy& accuracy) : name_(name), accuracy_(accuracy) {}

  // How a method ended, where the judge does not call its answer solved.
  struct Ending {
    SolveStatus status = SolveStatus::inaccurate;
    const char* note = "";  // static storage
  };

  // Why the method does not take a valid problem, in words; "" where it does. Whether M is singular
  // need not be asked.
  virtual std::string refusal(const ComplementarityProblem& problem) const = 0;
  // Whether the method needs M⁻¹.
  virtual bool inverts_mass() const { return true; }
  // Whether the method prepares judge_ itself, where it needs it at all: for problems so small that
  // a judgement costs as much as a solution.
  virtual bool judges_itself() const { return false; }
  // What depends on the problem alone. Returns the reason to refuse it, static storage, or nullptr.
  virtual const char* prepare(const ComplementarityProblem& problem) = 0;
  // From the guess in `solution`, which is also the place to work in; offers its answers and counts
  // iterations_.
  virtual Ending run(const ComplementarityProblem& problem, Solution& solution) = 0;

  // Keeps an answer that the judge measured if it is the best so far; true if the best one is
  // settled. `u` are its velocities, where the judge has them at hand; otherwise they are computed
  // at the end.
  bool offer(const VectorX& lambda, const Residual& residual, const VectorX* u = nullptr);
  // Projects the guess onto the laws' sets and offers it, or zero where it is of no use; returns
  // the residual.
  Residual offer_guess(const ComplementarityProblem& problem, Solution& solution);
  const Residual& best_residual() const { return best_residual_; }
  const Solution& best() const { return best_; }
  bool settled(const Residual& residual) const { return accuracy_.is_settled(residual); }
  // In place of the method's own name, and static storage: who gave the answer.
  void credit(const char* solver) { report_.solver = solver; }

  Judge judge_;
  Deadline until_;  // of this solve, asked once per iteration
  int iterations_ = 0;

  static constexpr const char* singular_mass =
      "M is singular: the velocities cannot be eliminated; use the solver 'quadratic-cone'";

 private:
  const char* name_;
  Accuracy accuracy_;
  SolveReport report_;
  Solution best_;
  Residual best_residual_;
  bool has_velocities_ = false;  // best_.u follows from best_.lambda
};

// λ of the right size and finite, u likewise: as guessed, or zero.
void make_usable(const ComplementarityProblem& problem, Solution& guess);
// The nearest λ of the laws' sets.
void project_all(const ComplementarityProblem& problem, VectorX& lambda);

}  // namespace vinci
