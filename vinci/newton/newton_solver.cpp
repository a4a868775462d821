// SPDX-License-Identifier: Apache-2.0
#include "vinci/newton/newton_solver.h"

namespace vinci {

const char* NewtonSolver::reason(const ComplementarityProblem& problem) const {
  // Where C is empty u alone is factored.
  const int rows = problem.unknowns() == 0 || !problem.C.empty() ? problem.rows() : 0;
  if (problem.unknowns() + rows > limits_.largest)
    return "more unknowns than the option 'largest' allows";
  return reason_against(problem);
}

std::string NewtonSolver::refusal(const ComplementarityProblem& problem) const {
  const char* const text = reason(problem);
  return text ? text : "";
}

const char* NewtonSolver::prepare(const ComplementarityProblem& problem) {
  if (const char* text = reason(problem)) return text;
  return operator_.prepare(problem) ? nullptr : singular_mass;
}

SolveFrame::Ending NewtonSolver::run(const ComplementarityProblem& problem, Solution& solution) {
  project_all(problem, solution.lambda);
  candidate_ = solution;
  if (!offer(candidate_.lambda, judge_.measure(problem, candidate_), &judge_.u())) iterate(problem);
  return {out_of_limits() ? SolveStatus::limit : SolveStatus::inaccurate};
}

}  // namespace vinci
