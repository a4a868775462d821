// SPDX-License-Identifier: Apache-2.0
// The step without inertia [Trinkle 2005]: 0 = D u − Jᵀλ − f with D the viscosity of supports,
// often none, so that no velocity follows from the forces and the answer need not be unique.
//
// Of all answers the one of least motion uᵀM u is taken, M the inertia: with ρ → 0
//   0 = (D + ρ M) u − Jᵀλ − f
// has a solution that tends to it, and is it for all small ρ where the laws are polyhedral
// [Mangasarian 1984]. From that start the proximal steps f + ρ M u_k [Rockafellar 1976] and
// Newton's method on the active set, with corrections of least motion, end at ρ = 0. Every problem
// that is handed to the solver has a regular matrix, so every solver serves, and the one rule of
// selection decides what rigid bodies leave open (load_selection.h). What has not converged
// is no answer: damping alone would carry a body that nothing holds as far as one likes. Proofs, of
// balance and of uniqueness: docs/theory/quasi_static.md.
#pragma once

#include <memory>

#include "vinci/complementarity/islands.h"
#include "vinci/complementarity/solver.h"
#include "vinci/proofs/balance.h"
#include "vinci/proofs/uniqueness.h"
#include "vinci/selection/load_selection.h"
#include "vinci/solvers/ending.h"
#include "vinci/solvers/quasi_static_polish.h"

namespace vinci {

struct QuasiStaticAnswer {
  SolveReport solve;  // the residual is that of the problem without inertia
  Ending ending = Ending::none;
  FreeDirections free;
  SelectionReport selection;  // of the last problem that was solved
  // Of no_equilibrium: per unknown, the least force that would have to act besides for the part of
  // the problem that lacks most, and the unknown that lacks most of it.
  VectorX missing;
  int unbalanced = -1;
};

class QuasiStatic {
 public:
  // `problem` has D as its M; `inertia` is regular. `solution` holds a guess, the velocities and
  // forces of the last step. `accuracy` is that of the run.
  QuasiStaticAnswer solve(const ComplementarityProblem& problem, const SparseRows& inertia,
                          Solver& solver, Solution& solution, const Accuracy& accuracy = {});
  // Whether four directions of friction are the corners of a square around the circle.
  void take_boxes(bool boxes) { selection_.take_boxes(boxes); }

 private:
  QuasiStaticAnswer solve_viscous(const ComplementarityProblem& problem, Solver& solver,
                                  Solution& solution);
  bool go_on(const ComplementarityProblem& problem, const SparseRows& inertia,
             QuasiStaticAnswer& answer);
  bool balances(const ComplementarityProblem& problem, const SparseRows& inertia,
                QuasiStaticAnswer& answer);
  int find_parts(const ComplementarityProblem& problem, const SparseRows& inertia);
  void search(const ComplementarityProblem& problem, const SparseRows& inertia, Solver& solver,
              QuasiStaticAnswer& answer);
  void part_by_part(const ComplementarityProblem& problem, const SparseRows& inertia,
                    Solver& solver);
  double first_weight(const ComplementarityProblem& problem, const SparseRows& inertia);
  void load(const ComplementarityProblem& problem, const SparseRows& inertia, double rho);
  bool polish(const ComplementarityProblem& problem, const SparseRows& inertia);
  void sharpen(const ComplementarityProblem& problem, const SparseRows& inertia);
  void keep_if_better(const ComplementarityProblem& problem, const Solution& candidate);

  bool is_content() const { return residual_.relative <= accuracy_.tolerance; }
  bool is_near(const ComplementarityProblem& problem, const SparseRows& inertia);

  Accuracy accuracy_;  // of the solve at hand
  Judge judge_;
  std::vector<FrictionSet> sets_;
  ComplementarityProblem regular_;
  Solution trial_, refined_, best_;
  Residual residual_;  // of best_
  VectorX push_;
  LoadSelection selection_;
  QuasiStaticPolish polish_;
  UniquenessTest uniqueness_;
  Islands islands_;
  BalanceTest balance_;
  std::vector<FrictionSet> part_sets_;
  ComplementarityProblem part_, weighted_;
  Solution part_solution_;
  std::unique_ptr<QuasiStatic> inner_;  // of one island
};

}  // namespace vinci
