// SPDX-License-Identifier: Apache-2.0
// A wall of bricks that lands, at loose tolerances: more rows and velocities than the exact rule
// takes.
#include "vinci/selection/soft_path.h"

#include <gtest/gtest.h>

#include "tests/support/statics.h"
#include "vinci/selection/load_selection.h"
#include "vinci/solvers/auto_solver.h"

namespace vinci {
namespace {

using namespace test;

// Bricks on each other, two contacts between neighbours, each brick with a speed of its own.
ComplementarityProblem falling_column(int bricks, double friction) {
  const int n = 3 * bricks, m = 4 * bricks;
  MatrixX J = MatrixX::Zero(m, n);
  VectorX speed(n);
  std::vector<Block> blocks;
  for (int i = 0; i < bricks; ++i) {
    speed.segment(3 * i, 3) << 0.3 * ((7 * i) % 5 - 2), -1.0 - 0.1 * ((3 * i) % 4),
        0.2 * (i % 3 - 1);
    for (int side = 0; side < 2; ++side) {
      const int row = 4 * i + 2 * side;
      const double x = side == 0 ? -1.0 : 1.0;
      J.block(row, 3 * i, 2, 3) << 0, 1, x, 1, 0, 0.5;
      if (i > 0) J.block(row, 3 * i - 3, 2, 3) << 0, -1, -x, -1, 0, 0.5;
      blocks.push_back(rubbing(row, 2, friction));
    }
  }
  ComplementarityProblem problem = statics(J, speed, VectorX::Zero(m), blocks);
  problem.M = SparseRows::from_dense(MatrixX::Identity(n, n));
  return problem;
}

TEST(SoftPath, meets_every_loose_tolerance_on_islands_of_any_size) {
  for (const double friction : {0.0, 0.1, 0.5, 1.0})
    for (const double tolerance : {1e-2, 1e-3, 1e-4}) {
      const ComplementarityProblem problem = falling_column(40, friction);
      LoadSelection selection;
      AutoSolver solver;
      solver.ask({tolerance});
      Solution solution{VectorX::Zero(problem.unknowns()), VectorX::Zero(problem.rows())};
      const SolveReport report = selection.solve(problem, solver, {tolerance}, solution);
      EXPECT_EQ(report.status, SolveStatus::solved) << friction << ' ' << tolerance;
      EXPECT_LE(residual(problem, solution).relative, tolerance);
      EXPECT_EQ(selection.report().missed, 0);
    }
}

// The same column turned over is the same problem with signs: its loads are mirrored.
TEST(SoftPath, has_mirrored_loads_of_mirrored_bodies) {
  const ComplementarityProblem problem = falling_column(30, 0.5);
  ComplementarityProblem mirror = problem;
  for (int i = 0; i < problem.unknowns(); ++i)
    if (i % 3 != 1) mirror.p[i] = -problem.p[i];
  Solution one, other;
  Residual measured;
  Judge judge;
  SoftPath path;
  judge.prepare(problem);
  const VectorX none = VectorX::Zero(problem.rows());
  ASSERT_TRUE(path.find(problem, judge, none, {1e-3}, one, measured));
  judge.prepare(mirror);
  ASSERT_TRUE(path.find(mirror, judge, none, {1e-3}, other, measured));
  const double largest = one.lambda.cwiseAbs().maxCoeff();
  for (int row = 0; row < problem.rows(); row += 4)
    for (int side = 0; side < 2; ++side) {
      EXPECT_NEAR(other.lambda[row + 2 * side], one.lambda[row + 2 - 2 * side], 1e-9 * largest);
      EXPECT_NEAR(other.lambda[row + 2 * side + 1], -one.lambda[row + 3 - 2 * side],
                  1e-9 * largest);
    }
}

// Out of time, no answer is worse than the guess.
TEST(AutoSolver, keeps_a_good_guess_where_time_is_out) {
  const ComplementarityProblem problem = falling_column(40, 0.5);
  AutoSolver solver;
  Solution solution{VectorX::Zero(problem.unknowns()), VectorX::Zero(problem.rows())};
  solver.ask({1e-4});
  const SolveReport rough = solver.solve(problem, solution);
  ASSERT_EQ(rough.status, SolveStatus::solved);
  solver.ask({1e-13});
  solver.limit_time(0.0);
  const SolveReport hurried = solver.solve(problem, solution);
  EXPECT_LE(hurried.residual.relative, rough.residual.relative);
}

}  // namespace
}  // namespace vinci
