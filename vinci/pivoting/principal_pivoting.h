// SPDX-License-Identifier: Apache-2.0
// Block principal pivoting for w = W λ + q under bounds l <= λ <= u, W a P-matrix or positive
// semi-definite: every row is basic (w = 0) or at a bound; the basic ones are solved for, and all
// rows of the wrong sign change sides at once. Where their number does not fall for some steps,
// only the first of them changes, which ends on every P-matrix [Murty 1974; Júdice, Pires 1994].
// A singular W is regularised by a proximal term ρ (λ − λ̄) on rows scaled to a diagonal of 1. Its
// centre λ̄ follows the answer until the term is gone [Rockafellar 1976]; ρ grows where the sets of
// basic rows do not settle, and falls again where they do.
#pragma once

#include "vinci/complementarity/condense.h"
#include "vinci/complementarity/solve_frame.h"
#include "vinci/linear/dense_lu.h"
#include "vinci/linear/equilibration.h"
#include "vinci/linear/sparse_lu.h"

namespace vinci {

class PrincipalPivotingSolver final : public SolveFrame {
 public:
  struct Settings {
    double tolerance = 1e-12;      // asked of the judge
    int max_iterations = 0;        // factorisations; 0: 100 + 2 for each row
    double regularisation = 1e-9;  // the least ρ
    int patience = 10;             // block steps without fewer rows of the wrong sign
  };
  PrincipalPivotingSolver() : PrincipalPivotingSolver(Settings{}) {}
  explicit PrincipalPivotingSolver(const Settings& settings);

 private:
  enum class State : unsigned char { basic, lower, upper };
  enum class Outcome : unsigned char { settled, stalled, singular, limit };
  std::string refusal(const ComplementarityProblem& problem) const override;
  const char* prepare(const ComplementarityProblem& problem) override;
  Ending run(const ComplementarityProblem& problem, Solution& solution) override;
  void set_bounds(const ComplementarityProblem& problem);
  void scale();
  void list_columns();
  void find_order();
  void start_from(const VectorX& guess);
  Outcome approach(const ComplementarityProblem& problem);
  void judge_values(const ComplementarityProblem& problem);
  Outcome pivot(bool single_steps);
  bool solve_basic();
  bool factor_basic();
  void multiply();
  int find_wrong();
  void change_side(int row);

  Settings settings_;
  Condensation condensation_;
  Solution trial_;
  int limit_ = 0;
  // The problem scaled by S = diag(scale): S W S, S q / κ, bounds S⁻¹ (l, u) / κ.
  SparseRows matrix_;
  SparseColumns columns_, basic_matrix_;
  VectorX vector_, lower_, upper_, scale_;
  double magnitude_ = 1.0, proximal_ = 0.0;  // κ, ρ
  VectorX guess_, center_, value_, velocity_;
  std::vector<double> step_;
  std::vector<State> states_, factored_;
  std::vector<int> basic_, place_, order_, basic_order_, wrong_, pattern_starts_, pattern_indices_;
  SparseLu sparse_;
  DenseLu dense_;
};

SolverRegistry::Entry principal_pivoting_entry();

}  // namespace vinci
