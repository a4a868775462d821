// SPDX-License-Identifier: Apache-2.0
// A nonlinear complementarity problem given by its function and Jacobian: five firms choose outputs
// q >= 0, each for its own profit, with marginal cost c + (q/L)^(1/β) and the price
// (5000/Q)^(1/1.1) of the total Q [Murphy, Sherali, Soyster 1982]. F_i = marginal cost − marginal
// revenue vanishes where a firm produces, and is >= 0 where it does not.
#include <cmath>
#include <cstdio>

#include "vinci/newton/path_newton.h"

namespace {

constexpr int firms = 5;
constexpr double cost[firms] = {10, 8, 6, 4, 2}, beta[firms] = {1.2, 1.1, 1.0, 0.9, 0.8};
constexpr double capacity = 5.0, elasticity = 1.1;

void marginal_loss(const vinci::VectorX& q, vinci::VectorX& value) {
  const double total = q.sum(), price = std::pow(5000.0 / total, 1.0 / elasticity);
  for (int i = 0; i < firms; ++i)
    value[i] = cost[i] + std::pow(q[i] / capacity, 1.0 / beta[i]) - price +
               q[i] * price / (elasticity * total);
}

void derivative(const vinci::VectorX& q, vinci::SparseRows& jacobian) {
  const double total = q.sum(), price = std::pow(5000.0 / total, 1.0 / elasticity);
  const double slope = -price / (elasticity * total);
  const double curvature = -slope * (1.0 + 1.0 / elasticity) / total;
  for (int i = 0; i < firms; ++i)
    for (int j = 0; j < firms; ++j) {
      double& entry = jacobian.values[static_cast<std::size_t>(firms * i + j)];
      entry = -slope - q[i] * curvature;
      if (i == j)
        entry += std::pow(q[i] / capacity, 1.0 / beta[i] - 1.0) / (beta[i] * capacity) - slope;
    }
}

}  // namespace

int main() {
  vinci::NonlinearProblem problem;
  // A little above zero: there the first firms' costs rise infinitely fast.
  problem.lower = vinci::VectorX::Constant(firms, 1e-6);
  problem.upper = vinci::VectorX::Constant(firms, std::numeric_limits<double>::infinity());
  problem.pattern = vinci::SparseRows::from_dense(vinci::MatrixX::Ones(firms, firms));
  problem.function = marginal_loss;
  problem.derivative = derivative;

  vinci::PathNewton solver;
  vinci::VectorX q = vinci::VectorX::Ones(firms);
  vinci::NonlinearReport report = solver.solve(problem, q);
  std::printf("outputs %.2f %.2f %.2f %.2f %.2f: %s, natural map %.0e after %d steps\n", q[0], q[1],
              q[2], q[3], q[4], vinci::to_string(report.status).c_str(), report.residual,
              report.iterations);
  problem.upper[2] = 30.0;  // from the last equilibrium on: a warm start
  report = solver.solve(problem, q);
  std::printf("with a cap: %.2f %.2f %.2f %.2f %.2f: %s after %d steps\n", q[0], q[1], q[2], q[3],
              q[4], vinci::to_string(report.status).c_str(), report.iterations);
  return report.status == vinci::SolveStatus::solved ? 0 : 1;
}
