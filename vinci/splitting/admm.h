// SPDX-License-Identifier: Apache-2.0
// The alternating direction method of multipliers on the impulses [Boyd et al. 2011; Carpentier,
// Le Lidec, Montaut 2024]. With D = ρ diag(s), s the scale of the judge, one iteration is
//
//   x ← (W + D)⁻¹ (D y − z − q − e_n σ),  x̂ = α x + (1 − α) y,
//   y ← P(x̂ + D⁻¹z),  z ← z + D (x̂ − y),  σ ← μ |z_t|
//
// one factorisation per penalty ρ (penalty_factor.h). P projects onto the laws' sets; at rest
// x = y, z = −ŵ, and the fixed point in De Saxcé's shift σ makes the cone Coulomb's law [Acary et
// al. 2011]. Where W is monotone, symmetric or not, and the laws are convex this is
// Douglas–Rachford splitting, which converges for every ρ; ρ decides how fast and is balanced by
// the residuals. The active set that it finds is finished by Newton's method.
#pragma once

#include "vinci/complementarity/delassus_operator.h"
#include "vinci/complementarity/solve_frame.h"
#include "vinci/newton/active_set_polish.h"
#include "vinci/splitting/penalty_factor.h"

namespace vinci {

class AdmmSolver final : public SolveFrame {
 public:
  struct Settings {
    double tolerance = 1e-12;  // asked of the judge
    int max_iterations = 10000;
    double penalty = 0.1;     // ρ of the start
    bool adaptive = true;     // balance ρ
    double relaxation = 1.6;  // α
    bool polish = true;
  };
  AdmmSolver() : AdmmSolver(Settings{}) {}
  explicit AdmmSolver(const Settings& settings);

 private:
  std::string refusal(const ComplementarityProblem&) const override { return {}; }
  const char* prepare(const ComplementarityProblem& problem) override;
  Ending run(const ComplementarityProblem& problem, Solution& solution) override;
  void take_guess(const ComplementarityProblem& problem);
  bool set_penalty(double penalty);
  void iterate(const ComplementarityProblem& problem);
  void renew_shift(const ComplementarityProblem& problem);
  void project_block(const Block& block, double* x) const;
  bool balance(bool finish_failed);
  void judge_iterate(const ComplementarityProblem& problem, bool polish_now);

  Settings settings_;
  DelassusOperator operator_;
  PenaltyFactor factor_;
  ActiveSetPolish polish_;
  double penalty_ = 1.0;      // ρ
  double last_primal_ = 0.0;  // |s (x − y)|, in the unit of w
  double last_dual_ = 0.0;    // |D (y − y before)|
  VectorX free_;              // q
  VectorX metric_;            // D/ρ
  VectorX D_, x_, y_, z_, shift_, right_, before_;
  Solution candidate_;
  int last_gain_ = 0;
  double gained_ = 0.0;  // the residual at the last gain of a tenth
};

SolverRegistry::Entry admm_entry();

}  // namespace vinci
