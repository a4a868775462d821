// SPDX-License-Identifier: Apache-2.0
// Complementarity problems without mechanics: a linear one, and a contact with friction whose
// impulse is known in closed form.
#include <cstdio>

#include "vinci/complementarity/solver.h"
#include "vinci/solvers/builtin.h"

namespace {

void solve(vinci::Solver& solver, const vinci::ComplementarityProblem& problem) {
  vinci::Solution solution{vinci::VectorX::Zero(problem.unknowns()),
                           vinci::VectorX::Zero(problem.rows())};
  const vinci::SolveReport report = solver.solve(problem, solution);
  std::printf("%s, residual %.0e:", to_string(report.status).c_str(), report.residual.relative);
  for (const double value : solution.lambda) std::printf(" %.17g", value);
  std::printf("\n");
}

}  // namespace

int main() {
  vinci::SolverRegistry registry("solver");
  vinci::add_builtin_solvers(registry);
  const auto solver = registry.make("auto");

  // 0 <= z ⟂ A z + q >= 0.
  vinci::ComplementarityProblem linear;
  linear.C =
      vinci::SparseRows::from_dense((vinci::MatrixX(3, 3) << 2, 1, 0, 1, 2, 1, 0, 1, 2).finished());
  linear.J = vinci::SparseRows::from_dense(vinci::MatrixX(3, 0));  // there is no u
  linear.b = vinci::Vector3(-4.0, 1.0, -3.0);
  for (int i = 0; i < 3; ++i) linear.blocks.push_back({vinci::Law::nonnegative, i, 1});
  solve(*solver, linear);

  // A particle of 2 kg that arrives with (−1, 3, 4) m/s (normal, tangents) and slides: the normal
  // impulse is 2 N s, friction 0.5 · 2 N s against (3, 4)/5.
  vinci::ComplementarityProblem friction;
  friction.C = vinci::SparseRows::from_dense(0.5 * vinci::MatrixX::Identity(3, 3));
  friction.J = linear.J;
  friction.b = vinci::Vector3(-1.0, 3.0, 4.0);
  friction.blocks.push_back({vinci::Law::coulomb, 0, 3, 0.5});
  solve(*solver, friction);
}
