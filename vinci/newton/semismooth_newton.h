// SPDX-License-Identifier: Apache-2.0
// Semi-smooth Newton on the laws written as equations (law_maps.h), in a problem of any form:
// rounds of damped steps on Φ(s λ, w + ρ s (λ − λ̄)) = 0, λ̄ the last round's answer, with ρ driven
// to zero (the proximal point method: the rounds are regular however many contacts repeat each
// other, and their error dies with ρ). A round that fails is repeated with a larger ρ. Compared
// with other methods in [Acary, Brémond, Huber 2018].
#pragma once

#include "vinci/newton/newton_round.h"
#include "vinci/newton/newton_solver.h"

namespace vinci {

class SemismoothNewtonSolver final : public NewtonSolver {
 public:
  struct Settings {
    double tolerance = 1e-12;  // asked of the judge
    int max_iterations = 300;  // factorisations
    int largest = 20000;       // unknowns and rows
    LawMap map = LawMap::alart_curnier;
    LineSearch search = LineSearch::armijo;
    int memory = 5;           // of the line search
    double proximity = 1e-3;  // ρ of the first round; 0: plain Newton
    bool polish = true;
  };
  SemismoothNewtonSolver() : SemismoothNewtonSolver(Settings{}) {}
  explicit SemismoothNewtonSolver(const Settings& settings);

 private:
  const char* reason_against(const ComplementarityProblem& problem) const override;
  void iterate(const ComplementarityProblem& problem) override;
  NewtonRound::Outcome round(const ComplementarityProblem& problem, double proximity);

  Settings settings_;
  NewtonRound round_;
  VectorX center_, last_;  // λ̄, and where its round ended
};

SolverRegistry::Entry semismooth_newton_entry();

}  // namespace vinci
