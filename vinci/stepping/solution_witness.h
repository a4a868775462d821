// SPDX-License-Identifier: Apache-2.0
// Who sees the problems that a step solves, with their answers: at the instant at which an answer
// is there, before anything follows from it.
#pragma once

#include "vinci/complementarity/solver.h"
#include "vinci/kinematics/recursive.h"
#include "vinci/model/model.h"
#include "vinci/stepping/report.h"

namespace vinci {

enum class MotionModel {
  dynamic,      // M vˡ⁺¹ = M vˡ + h f + Jᵀλ, λ an impulse
  first_order,  // M vˡ⁺¹ = f + Jᵀλ: the inertia read as damping, λ a force
  quasi_static  // 0 = f + Jᵀλ, λ a force
};

// A problem that has an answer. The unknowns are the free velocities of the model: entry i of the
// packed ones is unknown model.free_index[i], or prescribed where that is −1; and the rates of the
// joints that bodies hang on.
struct SolvedProblem {
  const ComplementarityProblem& problem;
  const Model& model;
  const Tree* tree = nullptr;  // where bodies hang on joints: at the start of the step
  MotionModel motion = MotionModel::dynamic;
  const SparseRows* inertia = nullptr;  // quasi-static: what measures motion; null: the M above
  Accuracy accuracy;                    // of the run
};

class SolutionWitness {
 public:
  virtual ~SolutionWitness() = default;
  // Called for every problem that was solved, several times in a step where it is made in parts or
  // solved again; not where a solver refused or there is no solution. Another answer may be put in
  // the place of `solution`, whose u then follows from its λ (judge.u() where M is regular).
  virtual void look(const SolvedProblem& solved, Solution& solution, StepReport& report) = 0;
};

// A solver that shows what it solved: for those who are handed a solver, as impact laws are.
class WitnessedSolver final : public Solver {
 public:
  WitnessedSolver(Solver& solver, SolutionWitness& witness, const Model& model,
                  const Accuracy& accuracy, StepReport& report)
      : solver_(solver), witness_(witness), model_(model), accuracy_(accuracy), report_(report) {}
  std::string why_not(const ComplementarityProblem& problem) const override {
    return solver_.why_not(problem);
  }
  SolveReport solve(const ComplementarityProblem& problem, Solution& solution) override {
    const SolveReport solved = solver_.solve(problem, solution);
    if (has_answer(solved))
      witness_.look({.problem = problem, .model = model_, .accuracy = accuracy_}, solution,
                    report_);
    return solved;
  }
  std::span<const Attempt> attempts() const override { return solver_.attempts(); }
  const VectorX* certificate() const override { return solver_.certificate(); }

  static bool has_answer(const SolveReport& report) {
    return report.status != SolveStatus::refused && report.status != SolveStatus::no_solution;
  }

 private:
  Solver& solver_;
  SolutionWitness& witness_;
  const Model& model_;
  const Accuracy& accuracy_;
  StepReport& report_;
};

}  // namespace vinci
