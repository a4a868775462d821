// SPDX-License-Identifier: Apache-2.0
// Block Gauss–Seidel: the blocks are visited forwards and backwards in turn, each solved exactly
// with the others held (local_solve.h) [Jourdan, Alart, Jean 1998]. It takes every law and needs no
// matrix but J; its digits come one by one, so from time to time Newton's method on the active set
// found (active_set_polish.h) tries to finish [compare Silcowitz et al. 2010]. The guess is the
// start; the judge decides.
#pragma once

#include "vinci/complementarity/delassus_operator.h"
#include "vinci/complementarity/residual.h"
#include "vinci/complementarity/solver.h"
#include "vinci/newton/active_set_polish.h"
#include "vinci/splitting/sweep_order.h"

namespace vinci {

class GaussSeidelSolver final : public Solver {
 public:
  struct Settings {
    double tolerance = 1e-12;    // asked of the judge
    int max_iterations = 20000;  // sweeps
    double relaxation = 1.0;     // λ ← λ + ω (local solution − λ)
    bool breadth_first = false;  // sweep_order.h
    int check_interval = 10;     // sweeps between two judgements
    bool polish = true;
  };
  GaussSeidelSolver() = default;
  explicit GaussSeidelSolver(const Settings& settings) : settings_(settings) {}
  void ask(double tolerance) { settings_.tolerance = tolerance; }
  void limit_iterations(int sweeps) { settings_.max_iterations = sweeps; }

  std::string why_not(const ComplementarityProblem& problem) const override;
  SolveReport solve(const ComplementarityProblem& problem, Solution& solution) override;

 private:
  const char* prepare(const ComplementarityProblem& problem);
  Residual start(const ComplementarityProblem& problem, Solution& solution);
  void prepare_equalities(const ComplementarityProblem& problem);
  double sweep(const ComplementarityProblem& problem, bool forwards, VectorX& lambda);
  double visit(const ComplementarityProblem& problem, int block, VectorX& lambda);
  void keep_best(const Residual& residual, const VectorX& lambda, bool judged);
  int polish_interval(const ComplementarityProblem& problem) const;
  SolveReport finish(const ComplementarityProblem& problem, Solution& solution, int sweeps,
                     bool stalled);

  Settings settings_;
  Judge judge_;
  DelassusOperator operator_;
  SweepOrder order_;
  ActiveSetPolish polish_;
  std::vector<double> equality_inverses_;  // of W_aa, block after block
  std::vector<std::size_t> equality_starts_;
  std::vector<double> local_;
  double damping_ = 0.0;  // ρ
  VectorX best_lambda_;
  Residual best_;
  bool judged_best_ = false;  // solution.lambda is the best, and the judge's u and w are its own
};

SolverRegistry::Entry gauss_seidel_entry();

}  // namespace vinci
