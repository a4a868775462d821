// SPDX-License-Identifier: Apache-2.0
// Gauss–Seidel with its Newton finish, and the automatic choice.
#include "vinci/splitting/gauss_seidel.h"

#include <cstdlib>

#include <gtest/gtest.h>

#include "tests/support/allocations.h"
#include "tests/support/contact_scenes.h"
#include "tests/support/zero.h"
#include "vinci/solvers/auto_solver.h"
#include "vinci/solvers/builtin.h"

namespace vinci {
namespace {

TEST(GaussSeidel, a_sliding_box_is_braked_by_mu_m_g_h) {
  std::vector<scenes::Body> bodies{scenes::unit_box({0.0, 0.0, 0.5}, 3.0)};
  bodies[0].velocity = {0.6, 0.8, 0.0};
  std::vector<scenes::Point> points;
  scenes::add_patch(points, -1, 0, Vector3::Zero(), 1.0, 1.0, 0.25);
  const ComplementarityProblem problem = scenes::spatial_problem(bodies, points);
  Solution solution = zero(problem);
  const SolveReport report = GaussSeidelSolver().solve(problem, solution);
  EXPECT_EQ(report.status, SolveStatus::solved);
  const double speed = 1.0 - 0.25 * 9.81e-3;
  EXPECT_NEAR(solution.u[0], 0.6 * speed, 1e-12);
  EXPECT_NEAR(solution.u[1], 0.8 * speed, 1e-12);
  EXPECT_NEAR(solution.u.tail(4).norm(), 0.0, 1e-12);
}

TEST(GaussSeidel, stacks_rest_at_the_tolerance_within_few_sweeps) {
  for (const int count : {1, 3, 10, 30}) {
    const ComplementarityProblem problem = scenes::box_stack(count);
    Solution solution = zero(problem);
    const SolveReport report = GaussSeidelSolver().solve(problem, solution);
    EXPECT_EQ(report.status, SolveStatus::solved);
    EXPECT_LE(report.residual.relative, std::max(1e-12, report.residual.rounding)) << count;
    EXPECT_LE(report.iterations, 200) << count;
    EXPECT_LE(solution.u.cwiseAbs().maxCoeff(), 1e-12) << count;
    double carried = 0.0;  // by the ground
    for (int c = 0; c < 4; ++c) carried += solution.lambda[3 * c];
    EXPECT_NEAR(carried, count * 9.81e-3, 1e-10);
  }
}

TEST(GaussSeidel, brick_walls_rest_too) {
  for (const int size : {2, 5, 8}) {
    const ComplementarityProblem problem = scenes::brick_wall(size, size);
    Solution solution = zero(problem);
    EXPECT_EQ(GaussSeidelSolver().solve(problem, solution).status, SolveStatus::solved) << size;
  }
}

TEST(GaussSeidel, random_piles_with_repeated_contacts) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 120; ++trial) {
    const ComplementarityProblem problem =
        scenes::random_pile(random, 1 + trial % 12, 1 + trial % 30, 1 + trial % 3);
    Solution solution = zero(problem);
    const SolveReport report = GaussSeidelSolver().solve(problem, solution);
    const Residual judged = residual(problem, solution);
    EXPECT_EQ(report.residual.relative, judged.relative);
    EXPECT_EQ(report.status, SolveStatus::solved) << trial;
    EXPECT_LE(judged.relative, 1e-12) << trial;
  }
}

TEST(GaussSeidel, the_relaxed_cone_always_converges) {
  std::mt19937_64 random(2);
  for (int trial = 0; trial < 40; ++trial) {
    const ComplementarityProblem problem = scenes::random_pile(
        random, 1 + trial % 6, 1 + trial % 12, 1 + trial % 2, Law::second_order);
    Solution solution = zero(problem);
    const SolveReport report = GaussSeidelSolver().solve(problem, solution);
    EXPECT_EQ(report.status, SolveStatus::solved) << trial << " " << report.residual.relative;
  }
}

TEST(GaussSeidel, sweeps_alone_reach_the_same_velocities) {
  const ComplementarityProblem problem = scenes::box_stack(4);
  GaussSeidelSolver::Settings plain;
  plain.polish = false;
  plain.tolerance = 1e-10;
  Solution swept = zero(problem), polished = zero(problem);
  EXPECT_EQ(GaussSeidelSolver(plain).solve(problem, swept).status, SolveStatus::solved);
  GaussSeidelSolver().solve(problem, polished);
  EXPECT_LE((swept.u - polished.u).norm(), 1e-9);
}

TEST(GaussSeidel, local_and_global_form_agree) {
  std::mt19937_64 random(3);
  const ComplementarityProblem global = scenes::random_pile(random, 4, 5, 1);
  const MatrixX J = MatrixX(global.J.view()), inverse = MatrixX(global.M.view()).inverse();
  ComplementarityProblem local;
  local.C = SparseRows::from_dense(J * inverse * J.transpose());
  local.b = J * inverse * global.p + global.b;
  local.J = SparseRows::from_dense(MatrixX::Zero(global.rows(), 0));
  local.blocks = global.blocks;
  Solution a = zero(global), b = zero(local);
  ASSERT_EQ(GaussSeidelSolver().solve(global, a).status, SolveStatus::solved);
  ASSERT_EQ(GaussSeidelSolver().solve(local, b).status, SolveStatus::solved);
  EXPECT_LE((a.lambda - b.lambda).norm(), 1e-9 * a.lambda.norm());
}

TEST(GaussSeidel, a_mass_matrix_that_couples_all_bodies_is_condensed) {
  std::mt19937_64 random(5);
  ComplementarityProblem problem = scenes::random_pile(random, 4, 5, 1);
  MatrixX M = MatrixX(problem.M.view());
  M += 0.01 * MatrixX::Ones(M.rows(), M.cols());  // positive definite, one component of 24
  problem.M = SparseRows::from_dense(M);
  Solution solution = zero(problem);
  EXPECT_EQ(GaussSeidelSolver().solve(problem, solution).status, SolveStatus::solved);
  const VectorX force = MatrixX(problem.J.view()).transpose() * solution.lambda + problem.p;
  EXPECT_LE((M * solution.u - force).norm(), 1e-10 * force.norm());
}

// A box held by a joint row, a support with prescribed friction and a bounded motor.
TEST(GaussSeidel, joints_balls_and_boxes_together) {
  const ComplementarityProblem problem = scenes::motor_and_support();
  Solution solution = zero(problem);
  EXPECT_EQ(GaussSeidelSolver().solve(problem, solution).status, SolveStatus::solved);
  EXPECT_NEAR(solution.lambda.segment(1, 2).norm(), 0.3, 1e-12);
  EXPECT_NEAR(solution.lambda[3], -1.0, 1e-12);  // the motor brakes with all it has
  EXPECT_NEAR(solution.u[2], 2.5, 1e-12);
}

TEST(GaussSeidel, a_pyramid_is_refused_in_words) {
  ComplementarityProblem problem;
  MatrixX C(2, 2);
  C << 1.0, 1.0, -1.0, 0.0;
  problem.C = SparseRows::from_dense(C);
  problem.J = SparseRows::from_dense(MatrixX::Zero(2, 0));
  problem.b = Eigen::Vector2d(-1.0, 1.0);
  problem.blocks = {{.law = Law::nonnegative, .offset = 0}, {.law = Law::nonnegative, .offset = 1}};
  EXPECT_NE(GaussSeidelSolver().why_not(problem).find("use lemke"), std::string::npos);
  Solution solution = zero(problem);
  EXPECT_EQ(GaussSeidelSolver().solve(problem, solution).status, SolveStatus::refused);
  EXPECT_EQ(AutoSolver().why_not(problem), "");
  EXPECT_EQ(AutoSolver().solve(problem, solution).status, SolveStatus::solved);
}

TEST(GaussSeidel, numbers_that_are_not_finite_are_refused_or_ignored) {
  ComplementarityProblem problem = scenes::box_stack(2);
  Solution solution = zero(problem);
  solution.lambda[4] = std::nan("");  // a guess of no use
  EXPECT_EQ(GaussSeidelSolver().solve(problem, solution).status, SolveStatus::solved);
  problem.p[1] = std::nan("");
  EXPECT_EQ(GaussSeidelSolver().solve(problem, solution).status, SolveStatus::refused);
  EXPECT_NE(GaussSeidelSolver().why_not(problem).find("p(1) is nan"), std::string::npos);
}

TEST(GaussSeidel, a_warm_start_at_the_solution_takes_no_sweep) {
  const ComplementarityProblem problem = scenes::box_stack(10);
  GaussSeidelSolver solver;
  Solution solution = zero(problem);
  solver.solve(problem, solution);
  EXPECT_LE(solver.solve(problem, solution).iterations, 1);
}

// Any order of the sweeps ends at the same velocities, in velocities and condensed; the order is
// one.
TEST(GaussSeidel, breadth_first_sweeps_visit_every_block_once) {
  std::mt19937_64 random(8);
  for (int trial = 0; trial < 20; ++trial) {
    ComplementarityProblem problem = scenes::random_pile(random, 1 + trial % 7, 1 + trial, 1);
    if (trial % 2 == 1) {  // one component: the condensed form
      MatrixX M = MatrixX(problem.M.view());
      M += 0.01 * MatrixX::Ones(M.rows(), M.cols());
      problem.M = SparseRows::from_dense(M);
    }
    Judge judge;
    judge.prepare(problem);
    DelassusOperator op;
    ASSERT_TRUE(op.prepare(problem));
    SweepOrder order;
    order.breadth_first(problem, op, judge.scales());
    std::vector<int> blocks = order.blocks();
    EXPECT_TRUE(std::all_of(blocks.begin(), blocks.end(), [&](int block) {
      return judge.scales()[problem.blocks[block].offset] >=
             judge.scales()[problem.blocks[blocks.front()].offset];
    }));
    std::sort(blocks.begin(), blocks.end());
    for (std::size_t i = 0; i < blocks.size(); ++i) EXPECT_EQ(blocks[i], static_cast<int>(i));
    ASSERT_EQ(blocks.size(), problem.blocks.size());
  }
  const ComplementarityProblem wall = scenes::brick_wall(5, 5);
  GaussSeidelSolver::Settings settings;
  settings.breadth_first = true;
  Solution ordered = zero(wall), given = zero(wall);
  EXPECT_EQ(GaussSeidelSolver(settings).solve(wall, ordered).status, SolveStatus::solved);
  GaussSeidelSolver().solve(wall, given);
  EXPECT_LE((ordered.u - given.u).norm(), 1e-11);
}

TEST(GaussSeidel, a_settled_sequence_does_not_allocate) {
  if (!allocations_are_counted()) GTEST_SKIP() << "allocations are not counted in this build";
  const ComplementarityProblem problem = scenes::box_stack(10);
  GaussSeidelSolver solver;
  Solution solution = zero(problem);
  solver.solve(problem, solution);
  solution.lambda.setZero();
  solver.solve(problem, solution);
  solution.lambda.setZero();
  const std::size_t before = allocations();
  const SolveReport report = solver.solve(problem, solution);
  EXPECT_EQ(allocations() - before, 0u);
  EXPECT_EQ(report.status, SolveStatus::solved);
}

TEST(GaussSeidel, mass_ratios_and_units_do_not_decide) {
  for (const double scale : {1e-6, 1.0, 1e6}) {
    std::vector<scenes::Body> bodies;
    std::vector<scenes::Point> points;
    for (int i = 0; i < 3; ++i) {
      bodies.push_back(scenes::unit_box({0.0, 0.0, i + 0.5}, scale * (i == 2 ? 1e4 : 1.0)));
      scenes::add_patch(points, i - 1, i, {0.0, 0.0, 1.0 * i}, 1.0, 1.0, 0.5);
    }
    const ComplementarityProblem problem = scenes::spatial_problem(bodies, points);
    Solution solution = zero(problem);
    // The load of 1e4 leaves 1e-12 of w to rounding: what the judge can resolve is reached.
    const Residual reached = GaussSeidelSolver().solve(problem, solution).residual;
    EXPECT_LE(reached.relative, std::max(1e-12, reached.rounding)) << scale;
    EXPECT_LE(reached.relative, 1e-11) << scale;
  }
}

TEST(Solvers, are_listed_by_name_and_take_their_options) {
  SolverRegistry registry("solver");
  add_builtin_solvers(registry);
  const std::vector<std::string> names = registry.names();
  for (const char* const name : {"auto", "gauss-seidel", "admm", "augmented-lagrangian",
                                 "interior-point", "semismooth-newton", "lemke"})
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
  const ComplementarityProblem problem = scenes::box_stack(8);
  OptionValues values(registry.at("gauss-seidel").options);
  values.set("max-iterations", 2L);
  values.set("polish", false);
  Solution solution = zero(problem);
  const SolveReport report = registry.make("gauss-seidel", values)->solve(problem, solution);
  EXPECT_EQ(report.status, SolveStatus::limit);
  EXPECT_EQ(report.iterations, 2);
  EXPECT_EQ(to_string(report.status), "limit");
}

}  // namespace
}  // namespace vinci
