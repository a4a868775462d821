// SPDX-License-Identifier: Apache-2.0
#include "vinci/solvers/lemke.h"

#include <algorithm>
#include <limits>

namespace vinci {

namespace {

constexpr const char* name = "lemke";
constexpr int pivots_per_row = 50, most_pivots = 200000;

}  // namespace

std::string LemkeSolver::why_not(const ComplementarityProblem& problem) const {
  if (std::string reason = problem.why_invalid(); !reason.empty()) return reason;
  if (std::string reason = LinearForm::why_not(problem); !reason.empty()) return reason;
  MassFactor mass;
  if (problem.unknowns() > 0 && !mass.factor(problem.M))
    return "M is singular: the velocities cannot be eliminated, which this solver does first";
  return "";
}

SolveReport LemkeSolver::refuse(const ComplementarityProblem& problem, Solution& solution,
                                const char* note) {
  SolveReport report{SolveStatus::refused, {}, 0, name, note};
  solution.u.setZero(problem.unknowns());
  solution.lambda.setZero(problem.rows());
  judge_.prepare(problem);
  report.residual = judge_.measure(problem, solution);
  return report;
}

SolveReport LemkeSolver::solve(const ComplementarityProblem& problem, Solution& solution) {
  for (const Block& block : problem.blocks)
    if (!LinearForm::is_linear(block)) return refuse(problem, solution, "a law is not linear");
  if (!condensation_.condense(problem)) return refuse(problem, solution, "M is singular");
  if (!condensation_.W().allFinite() || !condensation_.q().allFinite())
    return refuse(problem, solution, "numbers that are not finite");
  form_.build(problem.blocks, condensation_.W(), condensation_.q());
  lcp_.prepare(form_.problem());
  judge_.prepare(problem);
  return pivot(problem, solution);
}

// Attempts until the judge is satisfied; keeps the best answer.
SolveReport LemkeSolver::pivot(const ComplementarityProblem& problem, Solution& solution) {
  SolveReport report{SolveStatus::inaccurate, {}, 0, name, ""};
  report.residual.relative = std::numeric_limits<double>::infinity();
  PivotRules rules;
  rules.pivot_tolerance = settings_.pivot_tolerance;
  const int limit = settings_.max_iterations > 0
                        ? settings_.max_iterations
                        : std::min(most_pivots, pivots_per_row * (form_.problem().size() + 1));
  const int attempts = lcp_.inconsistent() ? 0 : MixedLcpSolver::attempts;
  int tried = 0, rays = 0, limits = 0;
  for (int number = 0; number < attempts; ++number) {
    // No attempt may use up what the others need; 5 n pivots are far more than a good path takes.
    rules.limit = std::min(limit - report.iterations, 5 * form_.problem().size() + 20);
    if (rules.limit <= 0) break;
    const PivotOutcome outcome = lcp_.attempt(number, rules, z_);
    ++tried;
    report.iterations += lcp_.pivots();
    rays += outcome == PivotOutcome::ray;
    limits += outcome == PivotOutcome::limit;
    form_.recover(z_, trial_.lambda);
    condensation_.recover(problem, trial_.lambda, trial_.u);
    const Residual measured = judge_.measure(problem, trial_);
    if (number == 0 || measured.relative < report.residual.relative) {
      report.residual = measured;
      solution.u = trial_.u;
      solution.lambda = trial_.lambda;
    }
    if (is_settled(report.residual, settings_.tolerance)) {
      report.status = verdict(report.residual, settings_.tolerance, SolveStatus::inaccurate);
      if (report.status == SolveStatus::inaccurate) report.note = at_resolution;
      return report;
    }
    if (outcome == PivotOutcome::ray && lcp_.proves_infeasible(rules)) {
      report.status = SolveStatus::no_solution;
      report.note = "a ray proves that no impulses satisfy the inequalities";
      return report;
    }
  }
  if (lcp_.inconsistent()) {
    report = refuse(problem, solution, "equality rows contradict each other");
    report.status = SolveStatus::no_solution;
  } else if (rays > 0 && rays + limits == tried) {
    report.note = "secondary ray: no conclusion";
  } else if (limits == tried) {
    report.status = SolveStatus::limit;
    report.note = "pivots ran out";
  }
  return report;
}

SolverRegistry::Entry lemke_entry() {
  const LemkeSolver::Settings defaults;
  return {
      name,
      "Lemke's complementary pivoting, lexicographic, dense: exact for pyramids, planar friction, "
      "joints, limits and boxes; cost grows as the cube of the rows.",
      "Cottle, Pang, Stone, The Linear Complementarity Problem, 1992, ch. 4",
      {
          {"tolerance", "Relative residual asked of the judge.", defaults.tolerance, "", 0.0, 1.0},
          {"max-iterations", "Pivots an attempt; 0: 50 for each row of the LCP.",
           static_cast<long>(defaults.max_iterations), "", 0.0, 1e9},
          {"pivot-tolerance",
           "Entries below this part of the largest one of the entering column do not block.",
           defaults.pivot_tolerance, "", 0.0, 1e-3},
      },
      [](const OptionValues& values) -> std::unique_ptr<Solver> {
        LemkeSolver::Settings settings;
        settings.tolerance = values.real("tolerance");
        settings.max_iterations = static_cast<int>(values.integer("max-iterations"));
        settings.pivot_tolerance = values.real("pivot-tolerance");
        return std::make_unique<LemkeSolver>(settings);
      },
  };
}

}  // namespace vinci
