// SPDX-License-Identifier: Apache-2.0
// Lemke's complementary pivoting with lexicographic ratio test [Lemke 1965; Cottle, Pang, Stone
// 1992], dense: for problems whose laws are piecewise linear (pyramids, planar friction, joints,
// limits, boxes). It ends after finitely many pivots, and on the copositive problems of
// time-stepping with friction pyramids at a solution [Stewart 1996; Anitescu 1997].
#pragma once

#include "vinci/solvers/condense.h"
#include "vinci/solvers/linear_form.h"
#include "vinci/solvers/mixed_lcp.h"
#include "vinci/solvers/solver.h"

namespace vinci {

class LemkeSolver final : public Solver {
 public:
  struct Settings {
    double tolerance = 1e-12;        // asked of the judge
    double pivot_tolerance = 1e-12;  // of the largest entry of the entering column
    int max_iterations = 0;          // pivots an attempt; 0: 50 for each row of the LCP
  };
  LemkeSolver() = default;
  explicit LemkeSolver(const Settings& settings) : settings_(settings) {}
  void ask(double tolerance) { settings_.tolerance = tolerance; }

  std::string why_not(const ComplementarityProblem& problem) const override;
  // Starts from zero whatever the guess: the path is the proof.
  SolveReport solve(const ComplementarityProblem& problem, Solution& solution) override;

 private:
  SolveReport refuse(const ComplementarityProblem& problem, Solution& solution, const char* note);
  SolveReport pivot(const ComplementarityProblem& problem, Solution& solution);

  Settings settings_;
  Condensation condensation_;
  LinearForm form_;
  MixedLcpSolver lcp_;
  Judge judge_;
  Solution trial_;
  VectorX z_;
};

SolverRegistry::Entry lemke_entry();

}  // namespace vinci
