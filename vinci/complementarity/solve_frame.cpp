// SPDX-License-Identifier: Apache-2.0
#include "vinci/complementarity/solve_frame.h"

#include <cmath>
#include <limits>
#include <utility>

#include "vinci/complementarity/laws.h"

namespace vinci {

std::string SolveFrame::why_not(const ComplementarityProblem& problem) const {
  if (std::string why = problem.why_invalid(); !why.empty()) return why;
  if (std::string why = refusal(problem); !why.empty()) return why;
  MassFactor mass;
  return !inverts_mass() || mass.factor(problem.M) ? "" : singular_mass;
}

SolveReport SolveFrame::solve(const ComplementarityProblem& problem, Solution& solution) {
  if (problem.why_invalid().empty()) return solve_valid(problem, solution);
  SolveReport report{SolveStatus::refused, {}, 0, name_, "the problem is not valid"};
  report.residual.relative = std::numeric_limits<double>::infinity();
  return report;
}

SolveReport SolveFrame::solve_valid(const ComplementarityProblem& problem, Solution& solution) {
  until_ = deadline();
  iterations_ = 0;
  report_ = {SolveStatus::refused, {}, 0, name_, ""};
  make_usable(problem, solution);
  if (!judges_itself()) judge_.prepare(problem);
  if (const char* reason = prepare(problem)) {
    if (judges_itself()) judge_.prepare(problem);
    report_.residual = judge_.measure(problem, solution);
    report_.note = reason;
    return report_;
  }
  best_residual_.relative = std::numeric_limits<double>::infinity();
  has_velocities_ = false;
  const Ending ending = run(problem, solution);
  if (std::isfinite(best_residual_.relative)) std::swap(solution, best_);
  if (!has_velocities_) {
    make_usable(problem, solution);
    if (judges_itself()) judge_.prepare(problem);
    best_residual_ = judge_.measure(problem, solution);
    solution.u = judge_.u();
  }
  report_.status = ending.status;
  report_.note = ending.note;
  report_.residual = best_residual_;
  report_.iterations = iterations_;
  conclude(report_, accuracy_, until_);
  return report_;
}

bool SolveFrame::offer(const VectorX& lambda, const Residual& residual, const VectorX* u) {
  if (residual.relative < best_residual_.relative) {
    best_residual_ = residual;
    best_.lambda = lambda;
    has_velocities_ = u != nullptr;
    if (u != nullptr) best_.u = *u;
  }
  return settled(best_residual_);
}

Residual SolveFrame::offer_guess(const ComplementarityProblem& problem, Solution& solution) {
  project_all(problem, solution.lambda);
  Residual residual = judge_.measure(problem, solution);
  if (!(residual.relative <= 1.0)) {  // that of λ = 0 is about 1
    solution.lambda.setZero();
    project_all(problem, solution.lambda);
    residual = judge_.measure(problem, solution);
  }
  offer(solution.lambda, residual, &judge_.u());
  return residual;
}

void make_usable(const ComplementarityProblem& problem, Solution& guess) {
  if (guess.lambda.size() != problem.rows() || !guess.lambda.allFinite())
    guess.lambda.setZero(problem.rows());
  if (guess.u.size() != problem.unknowns() || !guess.u.allFinite())
    guess.u.setZero(problem.unknowns());
}

void project_all(const ComplementarityProblem& problem, VectorX& lambda) {
  for (const Block& block : problem.blocks) project(block, 1.0, lambda.data() + block.offset);
}

}  // namespace vinci
