// SPDX-License-Identifier: Apache-2.0
// complementarity and solvers as a library by itself, without mechanics: the LCP
// w = C λ + b, 0 <= λ ⟂ w >= 0 with C = [2 1; 1 2], b = (−5, −6) has λ = (4/3, 7/3), w = 0.
#include <cmath>
#include <cstdio>

#include "vinci/complementarity/solver.h"
#include "vinci/solvers/builtin.h"

int main() {
  vinci::MatrixX matrix(2, 2);
  matrix << 2, 1, 1, 2;
  vinci::ComplementarityProblem problem;
  problem.C = vinci::SparseRows::from_dense(matrix);
  problem.J.rows = 2;
  problem.J.starts = {0, 0, 0};
  problem.b = vinci::Vector2(-5.0, -6.0);
  problem.blocks = {{vinci::Law::nonnegative, 0, 1}, {vinci::Law::nonnegative, 1, 1}};
  if (const std::string reason = problem.why_invalid(); !reason.empty()) {
    std::printf("invalid: %s\n", reason.c_str());
    return 1;
  }

  vinci::SolverRegistry solvers("solver");
  vinci::add_builtin_solvers(solvers);
  vinci::Solution solution{vinci::VectorX(), vinci::VectorX::Zero(2)};
  const vinci::SolveReport report = solvers.make("lemke")->solve(problem, solution);
  std::printf("%s: λ = (%.15f, %.15f), residual %.1e\n", vinci::to_string(report.status).c_str(),
              solution.lambda[0], solution.lambda[1], report.residual.relative);
  const double error = std::hypot(solution.lambda[0] - 4.0 / 3.0, solution.lambda[1] - 7.0 / 3.0);
  return report.status == vinci::SolveStatus::solved && error < 1e-14 ? 0 : 1;
}
