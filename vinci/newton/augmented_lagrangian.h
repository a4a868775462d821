// SPDX-License-Identifier: Apache-2.0
// Augmented Lagrangian with semi-smooth Newton steps on the velocities [compare Alart, Curnier
// 1991]. With y(u) = λ̄ − ρ (J u + b + μ|w̄_t| e_n), λ̄ and w̄ of the last round, one round minimises
//
//   ½ uᵀM u − pᵀu + Σ_a φ_a(y_a)/ρ_a,   ∇: F(u) = M u − p − Jᵀ P(y(u)),
//   Newton matrix M + Jᵀ ρ P′(y) J,
//
// which is strictly convex in u however many contacts repeat each other (φ is the Moreau envelope,
// ρ_a = ρ/s_a with s_a the scale of the judge). Then λ̄ ← P(y). The fixed point in μ|w̄_t| makes the
// cone of De Saxcé the exact law [Acary et al. 2011]; where ρ has grown large, rounds on the exact
// law itself take over (newton_matrix.h) and the active set they find is polished. Where there is
// no u, or C couples the rows, the same rounds are solved for λ = P(λ̄ − ρ (w + shift)) itself
// (newton_round.h).
#pragma once

#include "vinci/newton/newton_matrix.h"
#include "vinci/newton/newton_round.h"
#include "vinci/newton/newton_solver.h"

namespace vinci {

class AugmentedLagrangianSolver final : public NewtonSolver {
 public:
  struct Settings {
    double tolerance = 1e-12;  // asked of the judge
    int max_iterations = 300;  // Newton steps
    double penalty = 10.0;     // ρ of the first round
    int largest = 20000;       // unknowns
  };
  AugmentedLagrangianSolver() : AugmentedLagrangianSolver(Settings{}) {}
  explicit AugmentedLagrangianSolver(const Settings& settings);

 private:
  const char* reason_against(const ComplementarityProblem&) const override { return nullptr; }
  void iterate(const ComplementarityProblem& problem) override;
  void iterate_rows(const ComplementarityProblem& problem);
  void start(const ComplementarityProblem& problem);
  void prepare_round(const ComplementarityProblem& problem);
  bool minimise(const ComplementarityProblem& problem, double target);
  void evaluate(const ComplementarityProblem& problem, const VectorX& u);
  void search_slope(const ComplementarityProblem& problem, double slope);
  bool search_norm(const ComplementarityProblem& problem);
  double force_norm() const;
  bool judge_round(const ComplementarityProblem& problem);

  double first_penalty_;
  NewtonRound rows_round_;  // where the problem has no u or C couples its rows
  NewtonMatrix newton_;
  Projection projection_ = Projection::cone;
  double penalty_ = 0.0;  // ρ
  VectorX center_;        // λ̄
  VectorX shift_;         // μ|w̄_t| in the normal rows of coulomb blocks, else 0
  VectorX u_, kept_u_, trial_, step_;
  VectorX y_, impulse_;  // y(u) and P(y(u))
  VectorX force_;        // F(u)
  VectorX weights_;      // 1/M_ii
  VectorX scratch_;
  double largest_scale_ = 0.0;   // s of the blocks
  double round_residual_ = 0.0;  // of the last round, before the polish
};

SolverRegistry::Entry augmented_lagrangian_entry();

}  // namespace vinci
