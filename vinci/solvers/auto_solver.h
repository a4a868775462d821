// SPDX-License-Identifier: Apache-2.0
// Chooses by laws and size, from the cheap to the sure; the first answer that the judge calls
// solved ends it, otherwise the best one by the judge is returned. The report names who gave it.
//
//   1 gauss-seidel           on a short leash; settled steps end here at once (not for pyramids)
//   2 interior-point         where u is kept and C is empty
//   3 augmented-lagrangian   likewise
//   4 lemke                  piecewise linear laws, up to `largest-lemke` rows
//   5 gauss-seidel           to the end of its sweeps, where 2 and 3 do not apply
#pragma once

#include "vinci/solvers/augmented_lagrangian.h"
#include "vinci/solvers/gauss_seidel.h"
#include "vinci/solvers/interior_point.h"
#include "vinci/solvers/lemke.h"
#include "vinci/solvers/solver.h"

namespace vinci {

class AutoSolver final : public Solver {
 public:
  struct Settings {
    double tolerance = 1e-11;   // asked of the judge
    int max_iterations = 5000;  // sweeps of Gauss–Seidel; the others limit themselves
    int largest_newton = 6000;  // unknowns
    int largest_lemke = 3000;   // rows
  };
  AutoSolver() : AutoSolver(Settings{}) {}
  explicit AutoSolver(const Settings& settings);

  std::string why_not(const ComplementarityProblem& problem) const override;
  SolveReport solve(const ComplementarityProblem& problem, Solution& solution) override;

 private:
  bool attempt(Solver& solver, const ComplementarityProblem& problem, Solution& solution);

  Settings settings_;
  GaussSeidelSolver sweeping_;
  InteriorPointSolver interior_;
  AugmentedLagrangianSolver newton_;
  LemkeSolver pivoting_;
  SolveReport best_;
  Solution kept_;  // the answer of best_
};

SolverRegistry::Entry auto_entry();

}  // namespace vinci
