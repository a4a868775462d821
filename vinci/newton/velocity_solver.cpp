// SPDX-License-Identifier: Apache-2.0
// What the Newton methods on the velocities do alike.
#include "vinci/newton/velocity_solver.h"

#include <limits>

#include "vinci/complementarity/laws.h"

namespace vinci {

const char* VelocitySolver::reason_against(const ComplementarityProblem& problem) const {
  // Where C is empty u alone is factored.
  const int rows = problem.unknowns() == 0 || !problem.C.empty() ? problem.rows() : 0;
  if (problem.unknowns() + rows > frame_.largest) return "more unknowns than the option 'largest'";
  return refusal(problem);
}

std::string VelocitySolver::why_not(const ComplementarityProblem& problem) const {
  if (std::string why = problem.why_invalid(); !why.empty()) return why;
  if (const char* reason = reason_against(problem)) return reason;
  MassFactor mass;
  return mass.factor(problem.M) ? "" : "M is singular";
}

void VelocitySolver::begin(const ComplementarityProblem& problem, Solution& solution) {
  if (solution.lambda.size() != problem.rows() || !solution.lambda.allFinite())
    solution.lambda.setZero(problem.rows());
  for (const Block& block : problem.blocks)
    project(block, 1.0, solution.lambda.data() + block.offset);
  best_residual_ = judge_.measure(problem, solution);
  best_.lambda = solution.lambda;
  candidate_ = solution;
  iterations_ = 0;
}

bool VelocitySolver::offer(const Residual& residual) {
  if (residual.relative < best_residual_.relative) {
    best_residual_ = residual;
    best_.lambda = candidate_.lambda;
  }
  return settled(best_residual_);
}

SolveReport VelocitySolver::solve(const ComplementarityProblem& problem, Solution& solution) {
  SolveReport report;
  report.solver = frame_.name;
  report.residual.relative = std::numeric_limits<double>::infinity();
  if (!problem.why_invalid().empty()) {
    report.note = "the problem is not valid";
    return report;
  }
  until_ = deadline();
  judge_.prepare(problem);
  if (const char* reason = reason_against(problem); reason || !operator_.prepare(problem)) {
    report.note = reason ? reason : "M is singular";
    return report;
  }
  begin(problem, solution);
  if (!settled(best_residual_)) iterate(problem);
  solution.lambda = best_.lambda;
  report.residual = judge_.measure(problem, solution);
  solution.u = judge_.u();
  report.iterations = iterations_;
  report.status = verdict(report.residual, frame_.tolerance,
                          out_of_limits() ? SolveStatus::limit : SolveStatus::inaccurate);
  if (report.status != SolveStatus::solved && settled(report.residual)) {
    report.status = SolveStatus::inaccurate;
    report.note = at_resolution;
  }
  return noted(report, until_);
}

}  // namespace vinci
