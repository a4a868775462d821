// SPDX-License-Identifier: Apache-2.0
#include "vinci/newton/cone_path_solver.h"

#include <algorithm>
#include <cmath>

namespace vinci {
namespace {

constexpr int most_factorisations = 60, largest_factored = 1000000;
// Relative residual to which the path leads as a rule; the active set shows by then.
constexpr double end_of_path = 1e-6;
// A guess this near is better gone on from than pushed inside.
constexpr double near_guess = 0.5;
// Of the tolerance; the rest is rounding between two ways to sum.
constexpr double margin_of_judge = 0.99;
constexpr int most_polish_steps = 10;

}  // namespace

ConePathSolver::ConePathSolver()
    : NewtonSolver("cone-path", {}, {most_factorisations, largest_factored}) {}

const char* ConePathSolver::reason_against(const ComplementarityProblem& problem) const {
  for (const Block& block : problem.blocks)
    if (block.law != Law::coulomb && block.law != Law::nonnegative && block.law != Law::equality)
      return "laws other than friction, contact and equality";
  return nullptr;
}

void ConePathSolver::iterate(const ComplementarityProblem& problem) {
  if (!contacts_.read(problem, judge_)) return;
  const double norm = judge_.free_norm();
  ConePath::Terms terms;
  terms.target = margin_of_judge * std::max(accuracy().tolerance, end_of_path) * norm;
  terms.unit = norm / std::sqrt(static_cast<double>(problem.blocks.size()));
  terms.steps = limits_.max_iterations;
  terms.until = &until_;
  x_.resize(0);
  if (best_residual().relative < near_guess) contacts_.load(candidate_.lambda, x_);
  iterations_ += path_.run(contacts_, terms, x_).steps;
  contacts_.store(x_, candidate_.lambda);
  Residual residual = judge_.measure(problem, candidate_);
  if (offer(candidate_.lambda, residual)) return;
  residual =
      polish_.improve(problem, operator_, judge_, {accuracy(), most_polish_steps, nullptr, &until_},
                      candidate_, residual);
  offer(candidate_.lambda, residual);
}

}  // namespace vinci
