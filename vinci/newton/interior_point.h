// SPDX-License-Identifier: Apache-2.0
// Primal-dual interior point on the exact law. The smoothed laws (smoothed_law.h) keep λ and w
// strictly inside while τ goes to zero; a Newton step solves
//
//   (M + Jᵀ D J) du = p + Jᵀλ − M u + Jᵀ(g − D (J u + b − w)),  dw = J du + (J u + b − w),
//   dλ = g − D dw
//
// (without u, or where C couples blocks, the coupled system of coupled_matrix.h; a C within blocks
// is part of D) twice with one
// factorisation: first for τ = 0, then with τ and the second-order terms chosen by
// how far that went [Mehrotra 1992; for friction compare Acary, Armand, Nguyen 2023]. The path
// leads to the middle of the set of impulses: contacts that repeat each other share the load and
// stay off the edges of their cones, so that the active set shows early and the polish ends it.
#pragma once

#include "vinci/newton/coupled_matrix.h"
#include "vinci/newton/newton_matrix.h"
#include "vinci/newton/newton_solver.h"
#include "vinci/newton/smoothed_law.h"

namespace vinci {

class InteriorPointSolver final : public NewtonSolver {
 public:
  struct Settings {
    double tolerance = 1e-12;      // asked of the judge
    int max_iterations = 100;      // factorisations
    int largest = 20000;           // unknowns
    double polished_under = 1e-3;  // relative residual from which the indicators tell the set
  };
  InteriorPointSolver() : InteriorPointSolver(Settings{}) {}
  explicit InteriorPointSolver(const Settings& settings);

 private:
  const char* reason_against(const ComplementarityProblem& problem) const override;
  void iterate(const ComplementarityProblem& problem) override;
  void start(const ComplementarityProblem& problem, double epsilon);
  enum class Order { plain, centred, corrected };
  void measure_gaps(const ComplementarityProblem& problem);
  bool newton_step(const ComplementarityProblem& problem, double epsilon2, Order order);
  bool gather_compliance(const ComplementarityProblem& problem);
  bool absorb_compliance(const ComplementarityProblem& problem);
  bool solve_velocity(const ComplementarityProblem& problem);
  bool solve_coupled(const ComplementarityProblem& problem);
  // Of λ to w; and τ over ε², where a row without a diagonal in W counts as weight · w.
  double scale_of(const Block& block) const {
    return judge_.scales()[block.offset] / judge_.weights()[block.offset];
  }
  double unit_of(const Block& block) const {
    return 1.0 / (judge_.scales()[block.offset] * judge_.weights()[block.offset]);
  }
  SmoothedStep kept_step(const ComplementarityProblem& problem, std::size_t block) const;
  void respond(const ComplementarityProblem& problem, const VectorX& x, VectorX& y) const;
  double bend(const ComplementarityProblem& problem) const;
  double longest(const ComplementarityProblem& problem, double reach) const;
  double mean_product(const ComplementarityProblem& problem) const;
  void advance(const ComplementarityProblem& problem, double length);
  bool judge_point(const ComplementarityProblem& problem, double epsilon);
  SmoothedState state(const ComplementarityProblem& problem, std::size_t block) const;

  NewtonMatrix matrix_;
  CoupledMatrix coupled_matrix_;
  bool coupled_ = false;       // not the velocity form: the laws as A dλ + B dw = g
  bool compliant_ = false;     // C within blocks
  std::vector<double> D_, A_;  // D_ holds B where coupled
  std::vector<double> compliances_, block_, inverse_, pivots_, right_;
  mutable VectorX lambda_, w_, slip_;
  VectorX u_, du_, dlambda_, dw_, dslip_;
  VectorX kept_lambda_, kept_w_, kept_slip_;
  std::vector<ActiveSetPolish::Contact> contacts_;  // as the last step indicates
  VectorX g_, gap_, defect_, scratch_;
  const double polished_under_;
  double polished_ = 0.0;  // ε of the last polish
};

SolverRegistry::Entry interior_point_entry();

}  // namespace vinci
