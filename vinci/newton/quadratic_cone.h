// SPDX-License-Identifier: Apache-2.0
// Friction with its quadratic constraint as a mixed nonlinear complementarity problem, as printed
// in [Berard, Nguyen, Trinkle 2009, eqs. (1)–(6)]: the multiplier σ (the sliding speed) comes from
// the principle of maximum dissipation, and u is kept as an unknown,
//
//   0 = M u − Jᵀ λ − p,   w = J u + C λ + b
//   0 <= λ_n ⟂ w_n >= 0 (second_order: w_n − μ σ)
//   0 = μ λ_n w_t + σ λ_t
//   0 <= σ ⟂ μ² λ_n² − |λ_t|² >= 0          (ball: r in place of μ λ_n)
//
// solved by PathNewton in the units of the judge. Nothing is inverted: M may be singular.
#pragma once

#include "vinci/complementarity/delassus_operator.h"
#include "vinci/complementarity/nonlinear_problem.h"
#include "vinci/complementarity/solve_frame.h"
#include "vinci/newton/path_newton.h"

namespace vinci {

// The problem as an NCP in z = (u, λ, σ), all without dimension: velocities over V = |q| of the
// judge, impulses over V/s. Refilled without allocating where the shape stays.
class QuadraticCone {
 public:
  QuadraticCone();
  QuadraticCone(const QuadraticCone&) = delete;
  QuadraticCone& operator=(const QuadraticCone&) = delete;

  // nullptr if every law has this form, otherwise the reason.
  static const char* reason_against(const ComplementarityProblem& problem);
  // The judge is prepared for the problem, which must stay while the NCP is in use.
  void build(const ComplementarityProblem& problem, const Judge& judge);
  const NonlinearProblem& problem() const { return form_; }
  // z of a guess: σ = |w_t| with w of the judge's last measurement.
  void guess(const Solution& solution, const VectorX& w, VectorX& z) const;
  void recover(const VectorX& z, Solution& solution) const;

 private:
  // How the tangential rows of a block look.
  enum class Shape : char { none, cone, ball };
  struct Row {  // of λ
    int block = 0;
    int slip = -1;  // index of σ in z; −1: none
    bool is_tangent = false;
    bool is_off = false;  // λ = 0 whatever happens: no friction, no radius
  };
  static Shape shape(const Block& block);
  void transpose();
  void set_units(const Judge& judge);
  void number_rows();
  void set_bounds();
  void set_pattern();
  void unpack(const VectorX& z) const;
  double radius(const Block& block, const VectorX& z) const;
  double size_of(const Block& block) const;
  void evaluate(const VectorX& z, VectorX& value) const;
  void differentiate(const VectorX& z, SparseRows& jacobian) const;
  void differentiate_block(std::size_t block, const VectorX& z, SparseRows& jacobian) const;
  void add_velocity_row(int row, double factor, SparseRows& jacobian) const;

  const ComplementarityProblem* problem_ = nullptr;
  NonlinearProblem form_;
  int unknowns_ = 0, rows_ = 0, slips_ = 0;
  double velocity_ = 1.0;     // V
  VectorX impulse_, weight_;  // per row: V/s, and the factor that makes w one
  VectorX motion_, force_;    // per unknown of u: its unit, and the factor of its equation
  std::vector<Row> row_;
  std::vector<int> slip_of_block_;  // index of σ in z; −1: none
  SparseRows transposed_;           // Jᵀ
  std::vector<int> columns_;
  mutable VectorX w_, u_, lambda_, balance_;
};

class QuadraticConeSolver final : public SolveFrame {
 public:
  struct Settings {
    double tolerance = 1e-12;  // asked of the judge
    int max_iterations = 500;  // steps of PathNewton
    int restarts = 4;
    int largest = 10000;  // rows and unknowns
  };
  QuadraticConeSolver() : QuadraticConeSolver(Settings{}) {}
  explicit QuadraticConeSolver(const Settings& settings);

 private:
  const char* reason_against(const ComplementarityProblem& problem) const;
  std::string refusal(const ComplementarityProblem& problem) const override;
  bool inverts_mass() const override { return false; }
  const char* prepare(const ComplementarityProblem& problem) override;
  Ending run(const ComplementarityProblem& problem, Solution& solution) override;
  bool judge_point(const VectorX& z);
  void leave_zero(VectorX& lambda);
  void spread(int attempt, VectorX& z) const;

  Settings settings_;
  QuadraticCone cone_;
  PathNewton newton_;
  const ComplementarityProblem* problem_ = nullptr;
  Solution trial_;
  DelassusOperator operator_;
  VectorX z_, local_;
};

SolverRegistry::Entry quadratic_cone_entry();

}  // namespace vinci
