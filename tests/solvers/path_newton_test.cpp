// SPDX-License-Identifier: Apache-2.0
// Newton's method on mixed nonlinear complementarity problems: the classical set from several
// starts, the rate of convergence, limits, and Lemke as the second route on linear ones.
#include "vinci/solvers/path_newton.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "tests/solvers/allocations.h"
#include "tests/solvers/contact_examples.h"
#include "tests/solvers/nonlinear_examples.h"
#include "vinci/base/clock.h"
#include "vinci/solvers/lemke.h"

namespace vinci {
namespace {

using examples::Example;

TEST(PathNewton, classical_problems_from_every_start) {
  PathNewton solver;
  int starts = 0;
  for (const Example& example : examples::classical()) {
    for (const VectorX& start : example.starts) {
      SCOPED_TRACE(example.name + " from start " + std::to_string(starts));
      VectorX z = start;
      const NonlinearReport report = solver.solve(example.problem, z);
      ++starts;
      EXPECT_EQ(report.status, SolveStatus::solved) << report.residual;
      EXPECT_EQ(report.residual, natural_residual(example.problem, z));
      EXPECT_LE(report.residual, 1e-10);
      if (example.solutions.empty()) continue;
      double distance = std::numeric_limits<double>::infinity();
      for (const VectorX& known : example.solutions)
        distance = std::min(distance, (z - known).cwiseAbs().maxCoeff());
      // The root of the tolerance where the solution is degenerate (Kojima–Shindo's first).
      EXPECT_LT(distance, 1e-5) << z.transpose();
    }
  }
  EXPECT_EQ(starts, 53);
}

TEST(PathNewton, jacobians_of_the_examples_are_right) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> unit(0.2, 1.8);
  for (const Example& example : examples::classical()) {
    VectorX z(example.problem.size());
    for (double& x : z) x = unit(random);
    EXPECT_LT(jacobian_error(example.problem, z), 1e-7) << example.name;
  }
}

}  // namespace
}  // namespace vinci
