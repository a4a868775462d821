// SPDX-License-Identifier: Apache-2.0
// Problems of a few rows, whose whole solution costs less than the preparations of the other
// methods: dense, in memory of fixed size.
//
//   scalar laws   block principal pivoting: every row at a bound or inside, W_FF z_F = −q_F for
//                 those inside; all rows that contradict their place change it [Kostreva 1978]
//   contacts      two sweeps of exact local solves, then Newton's method on the active set: a block
//                 is open, sticks (w = 0), or slides with λ = α (1, μ d), w_n = 0 and t·w_t = 0,
//                 t ⟂ d. With y = α μ δθ the last reads t·δw_t + (|w_t|/α μ) y = −t·w_t.
//
// Where redundant contacts make the matrix singular a proximal term of 1e-9 of the scale is added;
// its error dies over the steps. There is no guarantee: what the judge does not call solved is left
// to other methods.
#pragma once

#include "vinci/complementarity/condense.h"
#include "vinci/complementarity/solve_frame.h"

namespace vinci {

class SmallSolver final : public SolveFrame {
 public:
  static constexpr int largest = SmallJudge::largest;  // rows
  static constexpr int most_unknowns = 24;             // four bodies in space
  struct Settings {
    double tolerance = 1e-12;  // asked of the judge
    int max_iterations = 12;   // factorisations
  };
  SmallSolver() : SmallSolver(Settings{}) {}
  explicit SmallSolver(const Settings& settings);
  // Whether it takes a valid problem, but for a singular M.
  static bool takes(const ComplementarityProblem& problem);

 private:
  std::string refusal(const ComplementarityProblem& problem) const override;
  bool judges_itself() const override { return true; }
  const char* prepare(const ComplementarityProblem& problem) override;
  Ending run(const ComplementarityProblem& problem, Solution& solution) override;

  Settings settings_;
  Condensation condensation_;
  ComplementarityProblem local_;  // the condensed problem, where there is a u
};

SolverRegistry::Entry small_entry();

}  // namespace vinci
