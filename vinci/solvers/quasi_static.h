// SPDX-License-Identifier: Apache-2.0
// The step without inertia [Trinkle 2005]: 0 = D u − Jᵀλ − f with D the viscosity of supports,
// often none, so that no velocity follows from the forces and the answer need not be unique.
//
// Of all answers the one of least motion uᵀM u is taken, M the inertia: with ρ → 0
//   0 = (D + ρ M) u − Jᵀλ − f
// has a solution that tends to it, and is it for all small ρ where the laws are polyhedral
// [Mangasarian 1984]. From that start the proximal steps f + ρ M u_k [Rockafellar 1976] and
// Newton's method on the active set, with corrections of least motion, end at ρ = 0. Every problem
// that is handed to the solver has a regular matrix, so every solver serves. The proofs asked for,
// uniqueness and that there is no equilibrium, are in docs/theory/quasi_static.md.
#pragma once

#include <memory>

#include "vinci/complementarity/islands.h"
#include "vinci/complementarity/solver.h"
#include "vinci/proofs/uniqueness.h"
#include "vinci/solvers/ending.h"
#include "vinci/solvers/quasi_static_polish.h"

namespace vinci {

struct QuasiStaticAnswer {
  SolveReport solve;  // the residual is that of the problem without inertia
  Ending ending = Ending::none;
  FreeDirections free;
};

class QuasiStatic {
 public:
  // `problem` has D as its M; `inertia` is regular. `solution` holds a guess, the velocities and
  // forces of the last step. `accuracy` is that of the run.
  QuasiStaticAnswer solve(const ComplementarityProblem& problem, const SparseRows& inertia,
                          Solver& solver, Solution& solution, const Accuracy& accuracy = {});

 private:
  QuasiStaticAnswer solve_viscous(const ComplementarityProblem& problem, Solver& solver,
                                  Solution& solution);
  bool go_on(const ComplementarityProblem& problem, const SparseRows& inertia,
             QuasiStaticAnswer& answer);
  void balance(const ComplementarityProblem& problem, const SparseRows& inertia,
               QuasiStaticAnswer& answer);
  void search(const ComplementarityProblem& problem, const SparseRows& inertia, Solver& solver,
              QuasiStaticAnswer& answer);
  void part_by_part(const ComplementarityProblem& problem, const SparseRows& inertia,
                    Solver& solver);
  double first_weight(const ComplementarityProblem& problem, const SparseRows& inertia);
  void load(const ComplementarityProblem& problem, const SparseRows& inertia, double rho);
  bool polish(const ComplementarityProblem& problem, const SparseRows& inertia);
  void keep_if_better(const ComplementarityProblem& problem, const Solution& candidate);

  bool is_content() const { return residual_.relative <= accuracy_.tolerance; }
  double hopeless() const;

  Accuracy accuracy_;  // of the solve at hand
  Judge judge_;
  std::vector<FrictionSet> sets_;
  ComplementarityProblem regular_;
  Solution trial_, refined_, best_;
  Residual residual_;  // of best_
  VectorX push_;
  QuasiStaticPolish polish_;
  UniquenessTest uniqueness_;
  Islands islands_;
  ComplementarityProblem part_, weighted_;
  Solution part_solution_;
  std::unique_ptr<QuasiStatic> inner_;  // of one island
};

// Whether no contact forces of the sets balance the forces of the problem, proved by a motion d
// with D d = 0 along which the applied forces gain more than any friction could take,
//   fᵀd > Σ L |J_t d|,   J_n d >= μ |J_t d|.
bool no_equilibrium(const ComplementarityProblem& problem, const std::vector<FrictionSet>& sets,
                    const SparseRows& inertia);

}  // namespace vinci
