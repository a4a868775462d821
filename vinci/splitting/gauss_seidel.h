// SPDX-License-Identifier: Apache-2.0
// Block Gauss–Seidel: the blocks are visited forwards and backwards in turn, each solved exactly
// with the others held (local_solve.h) [Jourdan, Alart, Jean 1998]. It takes every law and needs no
// matrix but J; its digits come one by one, so from time to time Newton's method on the active set
// found (active_set_polish.h) tries to finish [compare Silcowitz et al. 2010]. The guess is the
// start; the judge decides.
#pragma once

#include "vinci/complementarity/delassus_operator.h"
#include "vinci/complementarity/solve_frame.h"
#include "vinci/newton/active_set_polish.h"
#include "vinci/splitting/sweep_order.h"

namespace vinci {

class GaussSeidelSolver final : public SolveFrame {
 public:
  struct Settings {
    double tolerance = 1e-12;    // asked of the judge
    int max_iterations = 20000;  // sweeps
    double relaxation = 1.0;     // λ ← λ + ω (local solution − λ)
    bool breadth_first = false;  // sweep_order.h
    int check_interval = 10;     // sweeps between two judgements
    bool polish = true;
  };
  GaussSeidelSolver() : GaussSeidelSolver(Settings{}) {}
  explicit GaussSeidelSolver(const Settings& settings);
  void limit_iterations(int sweeps) { settings_.max_iterations = sweeps; }

 private:
  std::string refusal(const ComplementarityProblem& problem) const override;
  const char* prepare(const ComplementarityProblem& problem) override;
  Ending run(const ComplementarityProblem& problem, Solution& solution) override;
  void prepare_equalities(const ComplementarityProblem& problem);
  double sweep(const ComplementarityProblem& problem, bool forwards, VectorX& lambda);
  double visit(const ComplementarityProblem& problem, int block, VectorX& lambda);
  int polish_interval(const ComplementarityProblem& problem) const;

  Settings settings_;
  DelassusOperator operator_;
  SweepOrder order_;
  ActiveSetPolish polish_;
  std::vector<double> equality_inverses_;  // of W_aa, block after block
  std::vector<std::size_t> equality_starts_;
  std::vector<double> local_;
  double damping_ = 0.0;  // ρ
};

SolverRegistry::Entry gauss_seidel_entry();

}  // namespace vinci
