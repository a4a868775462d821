// SPDX-License-Identifier: Apache-2.0
// The choice of a solver.
#include "vinci/solvers/auto_solver.h"

#include <algorithm>

namespace vinci {

namespace {

// Sweeps of the first attempt where Newton follows: as many as a few of its steps cost.
constexpr int leash_before_newton = 20;
// A residual after the interior point that is left to rounding, where less was asked for.
constexpr double near_enough = 5e-11;
// Where Newton was tried before, pivoting is worth its m³ only up to here.
constexpr int largest_lemke_after_newton = 500;

// Sweeps worth spending where Lemke stands ready: about what its m pivots on m² numbers cost.
int leash_before_lemke(const ComplementarityProblem& problem) {
  const double m = problem.rows();
  const double sweep =
      10.0 * static_cast<double>(problem.J.indices.size() + problem.C.indices.size()) + 50.0 * m;
  return static_cast<int>(std::clamp(2.0 * m * m * m / sweep, 50.0, 5000.0));
}

template <class Settings>
Settings with_tolerance(double tolerance) {
  Settings settings;
  settings.tolerance = tolerance;
  return settings;
}

template <class Newton>
Newton newton_settings(const AutoSolver::Settings& settings) {
  auto result = with_tolerance<Newton>(settings.tolerance);
  result.largest = settings.largest_newton;
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
      sweeping_(with_tolerance<GaussSeidelSolver::Settings>(settings.tolerance)),
      interior_(newton_settings<InteriorPointSolver::Settings>(settings)),
      newton_(newton_settings<AugmentedLagrangianSolver::Settings>(settings)),
      pivoting_(with_tolerance<LemkeSolver::Settings>(settings.tolerance)) {}

std::string AutoSolver::why_not(const ComplementarityProblem& problem) const {
  const std::string sweeping = sweeping_.why_not(problem);
  if (sweeping.empty()) return {};
  const std::string pivoting = pivoting_.why_not(problem);
  if (pivoting.empty()) return {};
  return sweeping == pivoting ? sweeping : "gauss-seidel: " + sweeping + "; lemke: " + pivoting;
}

// From the best answer so far; true if nothing better can be had.
bool AutoSolver::attempt(Solver& solver, const ComplementarityProblem& problem,
                         Solution& solution) {
  const SolveReport report = solver.solve(problem, solution);
  const bool proof = report.status == SolveStatus::no_solution;
  if (proof || report.residual.relative < best_.residual.relative) {
    best_ = report;
    kept_ = solution;
  } else {
    solution = kept_;
  }
  return proof || best_.status == SolveStatus::solved;
}

SolveReport AutoSolver::solve(const ComplementarityProblem& problem, Solution& solution) {
  best_ = {};
  best_.residual.relative = std::numeric_limits<double>::infinity();
  kept_ = solution;
  const bool pyramids = has_pyramids(problem);
  const bool newton =
      problem.unknowns() > 0 && problem.C.empty() && problem.unknowns() <= settings_.largest_newton;
  if (!pyramids) {
    const int leash = newton ? leash_before_newton : leash_before_lemke(problem);
    sweeping_.limit_iterations(std::min(leash, settings_.max_iterations));
    if (attempt(sweeping_, problem, solution)) return best_;
  }
  if (newton && attempt(interior_, problem, solution)) return best_;
  // So near it is rounding that is left, and no other method has less of it.
  if (newton && best_.residual.relative <= near_enough) return best_;
  if (newton && attempt(newton_, problem, solution)) return best_;
  const int largest = newton ? std::min(largest_lemke_after_newton, settings_.largest_lemke)
                             : settings_.largest_lemke;
  const bool linear = LinearForm::why_not(problem).empty();
  if (linear && problem.rows() <= largest && attempt(pivoting_, problem, solution)) return best_;
  if (!newton && !pyramids) {
    sweeping_.limit_iterations(settings_.max_iterations);
    attempt(sweeping_, problem, solution);
  } else if (best_.status == SolveStatus::refused && linear) {
    attempt(pivoting_, problem, solution);
  }
  return best_;
}

SolverRegistry::Entry auto_entry() {
  const AutoSolver::Settings fallback;
  OptionTable options{
      {"tolerance", "Relative residual asked of the judge.", fallback.tolerance, "", 0.0, 1.0},
      {"max-iterations", "Sweeps of Gauss–Seidel before giving up.", long{fallback.max_iterations},
       "", 0, 1e9},
      {"largest-newton", "Unknowns up to which the augmented Lagrangian is tried.",
       long{fallback.largest_newton}, "", 0, 1e7},
      {"largest-lemke", "Rows up to which the dense Lemke method is tried.",
       long{fallback.largest_lemke}, "", 0, 1e6},
  };
  return {"auto", "Chooses by laws and size, falls back, returns the best answer by the judge.", "",
          options, [](const OptionValues& values) {
            AutoSolver::Settings settings;
            settings.tolerance = values.real("tolerance");
            settings.max_iterations = static_cast<int>(values.integer("max-iterations"));
            settings.largest_newton = static_cast<int>(values.integer("largest-newton"));
            settings.largest_lemke = static_cast<int>(values.integer("largest-lemke"));
            return std::make_unique<AutoSolver>(settings);
          }};
}

}  // namespace vinci
