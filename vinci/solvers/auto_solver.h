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
#include "vinci/solvers/small_solver.h"

namespace vinci {

class AutoSolver final : public Solver {
 public:
  using Settings = Cascade::Settings;
  AutoSolver() : AutoSolver(Settings{}) {}
  explicit AutoSolver(const Settings& settings)
      : settings_(settings), spare_(std::make_unique<Cascade>(settings)) {}

  std::string why_not(const ComplementarityProblem& problem) const override;
  SolveReport solve(const ComplementarityProblem& problem, Solution& solution) override;
  std::span<const Attempt> attempts() const override { return log_.entries(); }
  const VectorX* certificate() const override { return certificate_; }

 private:
  // Methods that have settled on problems of one size.
  struct Shape {
    int rows, unknowns;
    std::unique_ptr<Cascade> methods;
  };
  Cascade& methods(int rows, int unknowns);
  void share_tolerance();
  void keep_certificate(int island, const VectorX* part);
  SolveReport solve_connected(const ComplementarityProblem& problem, Solution& solution,
                              double tolerance, const Deadline& until);
  SolveReport solve_islands(const ComplementarityProblem& problem, Solution& solution,
                            const Deadline& until);

  Settings settings_;
  std::vector<Shape> shapes_;       // sorted
  std::unique_ptr<Cascade> spare_;  // for the first shape
  SmallSolver small_;
  Islands islands_;
  std::vector<double> tolerances_;  // per island
  Judge judge_;
  ComplementarityProblem part_;
  Solution part_solution_;
  AttemptLog log_;
  VectorX whole_certificate_;
  const VectorX* certificate_ = nullptr;
};

SolverRegistry::Entry auto_entry();

}  // namespace vinci
