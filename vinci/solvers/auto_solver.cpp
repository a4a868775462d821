// SPDX-License-Identifier: Apache-2.0
// The choice of a solver.
#include "vinci/solvers/auto_solver.h"

#include <algorithm>

namespace vinci {

namespace {

// Sweeps worth spending where Lemke stands ready: about what its m pivots on m² numbers cost.
int short_attempt(const ComplementarityProblem& problem) {
  const double m = problem.rows();
  const double sweep =
      10.0 * static_cast<double>(problem.J.indices.size() + problem.C.indices.size()) + 50.0 * m;
  return static_cast<int>(std::clamp(2.0 * m * m * m / sweep, 50.0, 5000.0));
}

GaussSeidelSolver::Settings sweeps(const AutoSolver::Settings& settings) {
  GaussSeidelSolver::Settings result;
  result.tolerance = settings.tolerance;
  result.max_iterations = settings.max_iterations;
  return result;
}

LemkeSolver::Settings pivots(const AutoSolver::Settings& settings) {
  LemkeSolver::Settings result;
  result.tolerance = settings.tolerance;
  return result;
}

bool has_pyramids(const ComplementarityProblem& problem) {
  // A row that C couples to others but that has neither a diagonal nor a Jacobian.
  for (const Block& block : problem.blocks)
    for (int row = block.offset; row < block.offset + block.size; ++row) {
      if (problem.J.starts[row + 1] > problem.J.starts[row]) continue;
      bool diagonal = false;
      const int begin = problem.C.starts[row], end = problem.C.starts[row + 1];
      for (int k = begin; k < end; ++k)
        diagonal = diagonal || (problem.C.indices[k] == row && problem.C.values[k] != 0.0);
      if (!diagonal && end > begin) return true;
    }
  return false;
}

}  // namespace

AutoSolver::AutoSolver(const Settings& settings)
    : settings_(settings),
      sweeping_(sweeps(settings)),
      short_sweeping_(sweeps(settings)),
      pivoting_(pivots(settings)) {}

std::string AutoSolver::why_not(const ComplementarityProblem& problem) const {
  const std::string sweeping = sweeping_.why_not(problem);
  if (sweeping.empty()) return {};
  const std::string pivoting = pivoting_.why_not(problem);
  if (pivoting.empty()) return {};
  return sweeping == pivoting ? sweeping : "gauss-seidel: " + sweeping + "; lemke: " + pivoting;
}

SolveReport AutoSolver::solve(const ComplementarityProblem& problem, Solution& solution) {
  const bool linear = LinearForm::why_not(problem).empty();
  if (!linear || problem.rows() > settings_.largest_lemke) {
    SolveReport report = sweeping_.solve(problem, solution);
    if (report.status != SolveStatus::refused || !linear) return report;
    return pivoting_.solve(problem, solution);
  }
  return sweep_then_pivot(problem, solution);
}

SolveReport AutoSolver::sweep_then_pivot(const ComplementarityProblem& problem,
                                         Solution& solution) {
  SolveReport best;
  best.residual.relative = std::numeric_limits<double>::infinity();
  kept_ = solution;
  const auto offer = [&](const SolveReport& report) {
    const bool proof = report.status == SolveStatus::no_solution;
    if (!proof && !(report.residual.relative < best.residual.relative)) return;
    best = report;
    kept_ = solution;
  };
  if (!has_pyramids(problem)) {
    short_sweeping_.limit_iterations(std::min(short_attempt(problem), settings_.max_iterations));
    best = short_sweeping_.solve(problem, solution);
    kept_ = solution;
    if (best.status == SolveStatus::solved) return best;
  }
  offer(pivoting_.solve(problem, solution));
  if (best.status == SolveStatus::solved || best.status == SolveStatus::no_solution ||
      has_pyramids(problem)) {
    solution = kept_;
    return best;
  }
  solution = kept_;
  offer(sweeping_.solve(problem, solution));
  solution = kept_;
  return best;
}

SolverRegistry::Entry auto_entry() {
  const AutoSolver::Settings fallback;
  OptionTable options{
      {"tolerance", "Relative residual asked of the judge.", fallback.tolerance, "", 0.0, 1.0},
      {"max-iterations", "Sweeps of Gauss–Seidel before giving up.", long{fallback.max_iterations},
       "", 0, 1e9},
      {"largest-lemke", "Rows up to which the dense Lemke method is tried.",
       long{fallback.largest_lemke}, "", 0, 1e6},
  };
  return {"auto", "Chooses by laws and size, falls back, returns the best answer by the judge.", "",
          options, [](const OptionValues& values) {
            AutoSolver::Settings settings;
            settings.tolerance = values.real("tolerance");
            settings.max_iterations = static_cast<int>(values.integer("max-iterations"));
            settings.largest_lemke = static_cast<int>(values.integer("largest-lemke"));
            return std::make_unique<AutoSolver>(settings);
          }};
}

}  // namespace vinci
