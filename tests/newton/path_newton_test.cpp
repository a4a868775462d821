// SPDX-License-Identifier: Apache-2.0
// Newton's method on mixed nonlinear complementarity problems: the classical set from several
// starts, the rate of convergence, limits, and Lemke as the second route on linear ones.
#include "vinci/newton/path_newton.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "tests/newton/nonlinear_examples.h"
#include "tests/support/contact_examples.h"
#include "vinci/pivoting/lemke.h"

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

// Errors of the last steps towards a regular solution: each at most a constant times the square of
// the one before.
TEST(PathNewton, converges_quadratically_at_regular_solutions) {
  PathNewton solver;
  solver.settings().tolerance = 1e-12;
  for (const Example& example : {examples::josephy(), examples::nash_cournot(),
                                 examples::rosen_suzuki(), examples::bounded_broyden()}) {
    SCOPED_TRACE(example.name);
    VectorX z = example.starts.at(1);
    ASSERT_EQ(solver.solve(example.problem, z).status, SolveStatus::solved);
    const std::vector<double>& errors = solver.history();
    int steps = 0;
    for (std::size_t k = 1; k < errors.size(); ++k) {
      if (errors[k - 1] > 1e-2 || errors[k - 1] < 1e-7) continue;  // the tail, above rounding
      EXPECT_LT(errors[k], 20.0 * errors[k - 1] * errors[k - 1]);
      ++steps;
    }
    EXPECT_GE(steps, 1);
  }
}

TEST(PathNewton, nash_cournot_gives_the_published_outputs) {
  const Example example = examples::nash_cournot();
  VectorX q = example.starts[0];
  ASSERT_EQ(PathNewton().solve(example.problem, q).status, SolveStatus::solved);
  const VectorX published = examples::vector({36.9325, 41.8182, 43.7066, 42.6592, 39.1790});
  EXPECT_LT((q - published).cwiseAbs().maxCoeff(), 1e-4);  // as many digits as are printed
}

// Projected Gauss–Seidel, which knows nothing of pivoting or Newton.
TEST(PathNewton, membranes_agree_with_projected_sweeps) {
  for (const Example& example :
       {examples::membrane(20, -2.0, infinity), examples::membrane(20, 15.0, 0.75)}) {
    VectorX z = example.starts[0];
    ASSERT_EQ(PathNewton().solve(example.problem, z).status, SolveStatus::solved);
    SparseRows A = example.problem.pattern;
    example.problem.derivative(z, A);
    VectorX swept = VectorX::Zero(z.size()), q(z.size());
    example.problem.function(swept, q);
    for (int sweep = 0; sweep < 3000; ++sweep)
      for (int i = 0; i < A.rows; ++i) {
        double sum = q[i];
        for (int k = A.starts[i]; k < A.starts[i + 1]; ++k)
          if (A.indices[k] != i) sum += A.values[k] * swept[A.indices[k]];
        swept[i] = std::clamp(-sum / 4.0, example.problem.lower[i], example.problem.upper[i]);
      }
    EXPECT_LT((swept - z).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_GT((z - example.problem.lower).cwiseAbs().minCoeff(), -1e-15);
    EXPECT_GT((z.array() == example.problem.lower.array()).count(), 10);  // it touches
  }
}

TEST(PathNewton, agrees_with_lemke_on_definite_linear_problems) {
  std::mt19937_64 random(17);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  PathNewton solver;
  LemkeSolver lemke;
  for (int trial = 0; trial < 100; ++trial) {
    const int n = 1 + trial % 40;
    MatrixX A(n, n);
    VectorX q(n);
    for (double& x : A.reshaped()) x = unit(random);
    for (double& x : q) x = unit(random);
    const MatrixX M = A * A.transpose() + MatrixX::Identity(n, n) + 0.3 * (A - A.transpose());
    const ComplementarityProblem problem = lcp(M, q);
    Solution pivoted{VectorX(0), VectorX::Zero(n)};
    ASSERT_EQ(lemke.solve(problem, pivoted).status, SolveStatus::solved);
    VectorX z = VectorX::Zero(n);
    const NonlinearReport report =
        solver.solve(linear_problem(problem.C, q, VectorX::Zero(n), examples::unbounded(n)), z);
    ASSERT_EQ(report.status, SolveStatus::solved) << trial;
    EXPECT_LT((z - pivoted.lambda).cwiseAbs().maxCoeff(), 1e-9) << trial;
  }
}

TEST(PathNewton, bounds_on_both_sides_agree_with_lemke) {
  std::mt19937_64 random(18);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  for (int trial = 0; trial < 50; ++trial) {
    const int n = 2 + trial % 12;
    MatrixX A(n, n);
    VectorX q(n), lower(n), upper(n);
    for (double& x : A.reshaped()) x = unit(random);
    for (double& x : q) x = unit(random);
    for (int i = 0; i < n; ++i) {
      lower[i] = i % 4 == 3 ? -std::numeric_limits<double>::infinity() : 0.3 * unit(random);
      upper[i] = i % 5 == 4 ? std::numeric_limits<double>::infinity() : 0.3 + 0.2 * unit(random);
      upper[i] = std::max(upper[i], lower[i]);
    }
    const MatrixX M = A * A.transpose() + 0.2 * MatrixX::Identity(n, n);
    ComplementarityProblem problem = lcp(M, q);
    for (int i = 0; i < n; ++i)
      problem.blocks[i] = {.law = Law::box, .offset = i, .lower = lower[i], .upper = upper[i]};
    Solution pivoted{VectorX(0), VectorX::Zero(n)};
    ASSERT_EQ(LemkeSolver().solve(problem, pivoted).status, SolveStatus::solved);
    VectorX z = VectorX::Zero(n);
    const NonlinearReport report =
        PathNewton().solve(linear_problem(problem.C, q, lower, upper), z);
    ASSERT_EQ(report.status, SolveStatus::solved) << trial;
    EXPECT_LT((z - pivoted.lambda).cwiseAbs().maxCoeff(), 1e-8) << trial;
  }
}

TEST(PathNewton, says_so_where_there_is_no_solution) {
  VectorX z = VectorX::Zero(1);  // −1 − z >= 0 has no z >= 0
  const NonlinearProblem problem =
      linear_problem(SparseRows::from_dense(-MatrixX::Ones(1, 1)), -VectorX::Ones(1),
                     VectorX::Zero(1), examples::unbounded(1));
  const NonlinearReport report = PathNewton().solve(problem, z);
  EXPECT_NE(report.status, SolveStatus::solved);
  EXPECT_GE(report.residual, 0.9);
  EXPECT_EQ(report.residual, natural_residual(problem, z));
}

TEST(PathNewton, keeps_the_limits_of_steps_and_time) {
  const Example hard = examples::kojima_shindo();
  PathNewton solver;
  solver.settings().max_iterations = 2;
  VectorX z = hard.starts[2];
  NonlinearReport report = solver.solve(hard.problem, z);
  EXPECT_EQ(report.status, SolveStatus::limit);
  EXPECT_EQ(report.iterations, 2);
  Example large = examples::membrane(60, -2.0, std::numeric_limits<double>::infinity());
  solver.settings() = {};
  solver.settings().time_limit = 0.0;
  z = large.starts[1];
  report = solver.solve(large.problem, z);
  EXPECT_EQ(report.status, SolveStatus::limit);
  EXPECT_EQ(report.iterations, 0);
}

TEST(PathNewton, refuses_what_does_not_fit) {
  NonlinearProblem problem = examples::billups().problem;
  VectorX wrong = VectorX::Zero(2), none = VectorX::Constant(1, std::nan(""));
  EXPECT_EQ(PathNewton().solve(problem, wrong).status, SolveStatus::refused);
  EXPECT_EQ(PathNewton().solve(problem, none).status, SolveStatus::refused);
  problem.upper[0] = -1.0;
  EXPECT_NE(problem.why_invalid(), "");
  problem = examples::billups().problem;
  problem.pattern.indices[0] = 3;
  EXPECT_NE(problem.why_invalid(), "");
  problem.function = nullptr;
  EXPECT_NE(problem.why_invalid(), "");
  VectorX nothing;
  const NonlinearProblem empty = linear_problem(SparseRows{}, nothing, nothing, nothing);
  EXPECT_EQ(PathNewton().solve(empty, nothing).status, SolveStatus::solved);
}

TEST(PathNewton, a_wrong_jacobian_is_found_by_differences) {
  NonlinearProblem problem = examples::josephy().problem;
  const auto right = problem.derivative;
  problem.derivative = [right](const VectorX& z, SparseRows& jacobian) {
    right(z, jacobian);
    jacobian.values[5] += 0.01;
  };
  EXPECT_GT(jacobian_error(problem, VectorX::Ones(4)), 1e-4);
}

TEST(PathNewton, large_membranes_are_solved_sparsely) {
  const Example large = examples::membrane(60, -2.0, std::numeric_limits<double>::infinity());
  for (const VectorX& start : large.starts) {
    VectorX z = start;
    const NonlinearReport report = PathNewton().solve(large.problem, z);
    EXPECT_EQ(report.status, SolveStatus::solved);
    EXPECT_LE(report.iterations, 60);
  }
}

}  // namespace
}  // namespace vinci
