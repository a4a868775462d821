// SPDX-License-Identifier: Apache-2.0
// The choice that a user need not make: what is small is tried at once (small_solver.h), what is
// larger is split into islands (islands.h), each solved by the methods that fit it, from the cheap
// to the sure (cascade.h), and the whole is judged. The report names who gave the answer,
// attempts() what was tried.
//
// With the 2-norm of the judge, the islands share the tolerance: K islands of free velocities q_k
// are each asked for tolerance · |q| / (√K |q_k|), so that together they meet tolerance · |q|.
#pragma once

#include <memory>
#include <vector>

#include "vinci/complementarity/islands.h"
#include "vinci/solvers/cascade.h"
#include "vinci/solvers/pyramid_solver.h"
#include "vinci/solvers/small_solver.h"

namespace vinci {

class AutoSolver final : public SolveFrame {
 public:
  using Settings = Cascade::Settings;
  AutoSolver() : AutoSolver(Settings{}) {}
  explicit AutoSolver(const Settings& settings);

  const Settings& settings() const { return settings_; }
  bool leaves_choice() const override { return true; }
  std::span<const Attempt> attempts() const override { return log_.entries(); }
  const VectorX* certificate() const override { return certificate_; }

 private:
  // Methods that have settled on problems of one size.
  struct Shape {
    int rows, unknowns;
    std::unique_ptr<Cascade> methods;
  };
  std::string refusal(const ComplementarityProblem& problem) const override;
  bool inverts_mass() const override { return false; }  // its methods say what they invert
  bool judges_itself() const override { return true; }
  const char* prepare(const ComplementarityProblem& problem) override;
  Ending run(const ComplementarityProblem& problem, Solution& solution) override;
  Cascade& methods(int rows, int unknowns);
  void share_tolerance();
  void take_part(const ComplementarityProblem& problem, int island, const Solution& solution);
  void keep_better(int island, const Residual& residual, Solution& solution);
  void answer_roughly(const ComplementarityProblem& problem, Solution& solution);
  void keep_certificate(int island, const VectorX* part);
  SolveReport solve_connected(const ComplementarityProblem& problem, Solution& solution,
                              const Accuracy& accuracy);
  Ending solve_islands(const ComplementarityProblem& problem, Solution& solution);

  Settings settings_;
  std::vector<Shape> shapes_;       // sorted
  std::unique_ptr<Cascade> spare_;  // for the first shape
  SmallSolver small_;
  PyramidSolver pyramids_;
  Islands islands_;
  std::vector<Accuracy> shares_;  // per island
  ComplementarityProblem part_;
  Solution part_solution_, part_guess_;
  Judge part_judge_;
  AttemptLog log_;
  VectorX whole_certificate_;
  const VectorX* certificate_ = nullptr;
};

SolverRegistry::Entry auto_entry();

}  // namespace vinci
