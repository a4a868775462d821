// SPDX-License-Identifier: Apache-2.0
// Chooses by laws and size, and falls back to the method that is sure where there is one:
//
//   cones, balls            gauss-seidel; planar ones that it leaves inaccurate then lemke
//   scalar laws, W with a positive diagonal   gauss-seidel on a short leash, then lemke
//   scalar laws otherwise (pyramids)          lemke
//
// Lemke is dense and left out beyond `largest_lemke` rows. The best answer by the judge is
// returned, and the report names who gave it.
#pragma once

#include "vinci/solvers/gauss_seidel.h"
#include "vinci/solvers/lemke.h"
#include "vinci/solvers/solver.h"

namespace vinci {

class AutoSolver final : public Solver {
 public:
  struct Settings {
    double tolerance = 1e-12;    // asked of the judge
    int max_iterations = 20000;  // sweeps of Gauss–Seidel; pivots are limited by size
    int largest_lemke = 3000;    // rows
  };
  AutoSolver() : AutoSolver(Settings{}) {}
  explicit AutoSolver(const Settings& settings);

  std::string why_not(const ComplementarityProblem& problem) const override;
  SolveReport solve(const ComplementarityProblem& problem, Solution& solution) override;

 private:
  SolveReport sweep_then_pivot(const ComplementarityProblem& problem, Solution& solution);

  Settings settings_;
  GaussSeidelSolver sweeping_;        // to the end
  GaussSeidelSolver short_sweeping_;  // as a cheap attempt before pivoting
  LemkeSolver pivoting_;
  Solution kept_;
};

SolverRegistry::Entry auto_entry();

}  // namespace vinci
