// SPDX-License-Identifier: Apache-2.0
// Islands, and the choice of methods over them.
#include <filesystem>
#include <random>

#include <gtest/gtest.h>

#include "tests/support/allocations.h"
#include "tests/support/contact_examples.h"
#include "tests/support/contact_scenes.h"
#include "tests/support/cpu_time.h"
#include "tests/support/open_problems.h"
#include "tests/support/statics.h"
#include "tests/support/zero.h"
#include "vinci/complementarity/certificate.h"
#include "vinci/complementarity/problem_file.h"
#include "vinci/solvers/auto_solver.h"

namespace vinci {
namespace {

// Both problems in one, that of b behind that of a.
ComplementarityProblem side_by_side(const ComplementarityProblem& a,
                                    const ComplementarityProblem& b) {
  const int n = a.unknowns() + b.unknowns(), m = a.rows() + b.rows();
  MatrixX M = MatrixX::Zero(n, n), J = MatrixX::Zero(m, n), C = MatrixX::Zero(m, m);
  M.topLeftCorner(a.unknowns(), a.unknowns()) = MatrixX(a.M.view());
  M.bottomRightCorner(b.unknowns(), b.unknowns()) = MatrixX(b.M.view());
  J.topLeftCorner(a.rows(), a.unknowns()) = MatrixX(a.J.view());
  J.bottomRightCorner(b.rows(), b.unknowns()) = MatrixX(b.J.view());
  C.topLeftCorner(a.rows(), a.rows()) = MatrixX(a.C.view());
  C.bottomRightCorner(b.rows(), b.rows()) = MatrixX(b.C.view());
  ComplementarityProblem both;
  both.M = SparseRows::from_dense(M);
  both.J = SparseRows::from_dense(J);
  both.C = SparseRows::from_dense(C);
  both.p.resize(n);
  both.p << a.p, b.p;
  both.b.resize(m);
  both.b << a.b, b.b;
  both.blocks = a.blocks;
  for (Block block : b.blocks) {
    block.offset += a.rows();
    both.blocks.push_back(block);
  }
  return both;
}

TEST(Islands, parts_are_found_and_are_the_problems_they_came_from) {
  const ComplementarityProblem stack = scenes::box_stack(3), wall = scenes::brick_wall(2, 2);
  const ComplementarityProblem both = side_by_side(stack, wall);
  Islands islands;
  ASSERT_EQ(islands.find(both), 2);
  ComplementarityProblem part;
  islands.extract(both, 1, part);
  EXPECT_EQ(part.why_invalid(), "");
  EXPECT_EQ(MatrixX(part.M.view()), MatrixX(wall.M.view()));
  EXPECT_EQ(MatrixX(part.J.view()), MatrixX(wall.J.view()));
  EXPECT_EQ(part.p, wall.p);
  EXPECT_EQ(part.b, wall.b);
  ASSERT_EQ(part.blocks.size(), wall.blocks.size());
  for (std::size_t i = 0; i < part.blocks.size(); ++i)
    EXPECT_EQ(part.blocks[i].offset, wall.blocks[i].offset);
}

TEST(Islands, stored_zeros_do_not_couple_and_unknowns_without_rows_belong_to_none) {
  ComplementarityProblem problem = lcp(MatrixX::Identity(3, 3), -VectorX::Ones(3));
  problem.C.reset(3);
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) problem.C.push(column, row == column ? 1.0 : 0.0);
    problem.C.end_row();
  }
  problem.M = SparseRows::from_dense(MatrixX::Identity(2, 2));
  problem.p = VectorX::Ones(2);
  problem.J.reset(2);
  problem.J.push(1, 1.0);
  for (int row = 0; row < 3; ++row) problem.J.end_row();
  Islands islands;
  ASSERT_EQ(islands.find(problem), 3);
  EXPECT_EQ(islands.unknowns(0), 1);
  EXPECT_EQ(islands.unknowns(1) + islands.unknowns(2), 0);
  Solution solution = zero(problem);
  const SolveReport report = AutoSolver().solve(problem, solution);
  EXPECT_EQ(report.status, SolveStatus::solved);
  EXPECT_DOUBLE_EQ(solution.u[0], 1.0);  // no row acts on it
  EXPECT_DOUBLE_EQ(solution.u[1], 1.0);  // w = u₁ + λ − 1 = 0 with λ = 0
  EXPECT_DOUBLE_EQ(solution.lambda[1], 1.0);
}

TEST(Auto, islands_together_meet_the_tolerance_and_agree_with_the_whole) {
  std::mt19937_64 random(5);
  int compared = 0;
  for (int trial = 0; trial < 30; ++trial) {
    ComplementarityProblem light = scenes::random_pile(random, 2 + trial % 4, 3 + trial % 7, 1);
    light.p *= 1e-6;  // an island whose velocities hardly count
    const ComplementarityProblem both = side_by_side(scenes::random_pile(random, 3, 6, 1), light);
    Solution split = zero(both), whole = zero(both);
    AutoSolver solver;
    const SolveReport report = solver.solve(both, split);
    ASSERT_EQ(report.status, SolveStatus::solved);
    EXPECT_EQ(report.residual.relative, residual(both, split).relative);
    EXPECT_LE(report.residual.relative, AutoSolver::Settings{}.tolerance);
    ASSERT_FALSE(solver.attempts().empty());
    GaussSeidelSolver sweeping;
    if (sweeping.solve(both, whole).status != SolveStatus::solved) continue;
    ++compared;
    EXPECT_LE((split.u - whole.u).cwiseAbs().maxCoeff(),
              1e-8 * std::max(1.0, whole.u.cwiseAbs().maxCoeff()));
  }
  EXPECT_GT(compared, 0);
}

TEST(Auto, an_island_without_a_solution_leaves_the_whole_without_one) {
  // w = −λ − 1 >= 0 has no λ >= 0.
  const ComplementarityProblem both =
      side_by_side(lcp(MatrixX::Identity(2, 2), -VectorX::Ones(2)),
                   lcp(-MatrixX::Identity(1, 1), -VectorX::Ones(1)));
  Solution solution = zero(both);
  AutoSolver solver;
  EXPECT_EQ(solver.solve(both, solution).status, SolveStatus::no_solution);
  ASSERT_NE(solver.certificate(), nullptr);
  EXPECT_EQ(solver.certificate()->head(2), VectorX::Zero(2));
  EXPECT_GT((*solver.certificate())[2], 0.0);
}

// A box between a floor at rest and a ceiling that comes down on it.
ComplementarityProblem squeezed(Law law, double descent) {
  const std::vector<scenes::Body> bodies = {scenes::unit_box({0.0, 0.0, 0.5})};
  std::vector<scenes::Point> points;
  scenes::add_patch(points, -1, 0, {0.0, 0.0, 0.0}, 1.0, 1.0, 0.5);
  const std::size_t below = points.size();
  scenes::add_patch(points, -1, 0, {0.0, 0.0, 1.0}, 1.0, 1.0, 0.5);
  for (std::size_t i = below; i < points.size(); ++i) points[i].normal = -points[i].normal;
  ComplementarityProblem problem = scenes::spatial_problem(bodies, points, law);
  for (std::size_t i = below; i < points.size(); ++i)
    problem.b[3 * static_cast<Eigen::Index>(i)] = -descent;
  return problem;
}

TEST(Auto, proves_that_a_rigid_box_cannot_be_squeezed) {
  for (const Law law : {Law::coulomb, Law::second_order})
    for (const double unit : {1e-6, 1.0, 1e6}) {
      ComplementarityProblem problem = squeezed(law, 0.1);
      problem.b *= unit;
      problem.p *= unit;
      Solution solution = zero(problem);
      AutoSolver solver;
      const SolveReport report = solver.solve(problem, solution);
      EXPECT_EQ(report.status, SolveStatus::no_solution) << to_string(law) << " " << unit;
      ASSERT_NE(solver.certificate(), nullptr);
      EXPECT_TRUE(infeasibility(problem, *solver.certificate()).proves_no_solution);
    }
  // A ceiling at rest only touches.
  const ComplementarityProblem problem = squeezed(Law::coulomb, 0.0);
  Solution solution = zero(problem);
  EXPECT_EQ(AutoSolver().solve(problem, solution).status, SolveStatus::solved);
  EXPECT_FALSE(InfeasibilitySearch().prove(problem));
}

TEST(Auto, solves_quasi_static_problems) {
  // A point of no mass, pressed down by 2 N on a floor and pushed by 0.5 N at μ = 0.5: it sticks.
  ComplementarityProblem problem;
  problem.M.reset(3);
  for (int i = 0; i < 3; ++i) problem.M.end_row();
  problem.J = SparseRows::from_dense(MatrixX::Identity(3, 3));
  problem.C.reset(3);
  for (int i = 0; i < 3; ++i) problem.C.end_row();
  problem.p = Vector3(-2.0, 0.5, 0.0);
  problem.b = Vector3(0.1, 0.0, 0.0);  // a gap to close first
  problem.blocks = {{Law::coulomb, 0, 3, 0.5}};
  Solution solution = zero(problem);
  EXPECT_EQ(AutoSolver().solve(problem, solution).status, SolveStatus::solved);
  EXPECT_NEAR(solution.u[0], -0.1, 1e-10);
  EXPECT_LE((solution.lambda - Vector3(2.0, -0.5, 0.0)).norm(), 1e-10);
}

TEST(Auto, says_what_it_tried) {
  std::mt19937_64 random(3);
  const ComplementarityProblem problem = scenes::brick_wall(4, 4);
  Solution solution = zero(problem);
  AutoSolver solver;
  const SolveReport report = solver.solve(problem, solution);
  ASSERT_FALSE(solver.attempts().empty());
  EXPECT_STREQ(solver.attempts().front().solver, "cone-path");
  EXPECT_STREQ(solver.attempts().back().solver, report.solver);
  int iterations = 0;
  for (const Attempt& attempt : solver.attempts()) iterations += attempt.iterations;
  EXPECT_GE(iterations, report.iterations);
}

TEST(Auto, a_settled_sequence_of_islands_does_not_allocate) {
  if (!allocations_are_counted()) GTEST_SKIP() << "the allocator is not ours";
  const ComplementarityProblem both = side_by_side(scenes::box_stack(1), scenes::box_stack(2));
  AutoSolver solver;
  Solution solution = zero(both);
  for (int i = 0; i < 3; ++i) solver.solve(both, solution);
  const std::size_t before = allocations();
  EXPECT_EQ(solver.solve(both, solution).status, SolveStatus::solved);
  EXPECT_EQ(allocations(), before);
}

// No more processor time than the limit, and preparing the problem and a step beyond it: five times
// those of a single Newton step.
TEST(Auto, stops_in_time_with_its_best_answer) {
  const ComplementarityProblem problem = scenes::brick_wall(16, 16);
  Solution solution = zero(problem);
  InteriorPointSolver once({.tolerance = 0.0, .max_iterations = 1});
  const double step = test::cpu_seconds_of([&] { once.solve(problem, solution); });
  AutoSolver::Settings settings;
  settings.tolerance = 0.0;  // never satisfied
  AutoSolver solver(settings);
  solver.limit_time(0.05);
  solution = zero(problem);
  SolveReport report;
  const double taken = test::cpu_seconds_of([&] { report = solver.solve(problem, solution); });
  EXPECT_LE(taken, 0.05 + 5.0 * step);
  EXPECT_EQ(report.status, SolveStatus::limit);
  EXPECT_EQ(report.residual.relative, residual(problem, solution).relative);
  EXPECT_LE(report.residual.relative, residual(problem, zero(problem)).relative);
}

TEST(Auto, numbers_that_are_not_finite_are_refused) {
  ComplementarityProblem problem = scenes::box_stack(1);
  problem.b[0] = std::numeric_limits<double>::quiet_NaN();
  Solution solution = zero(problem);
  EXPECT_EQ(AutoSolver().why_not(problem), "b(0) is nan");
  EXPECT_EQ(AutoSolver().solve(problem, solution).status, SolveStatus::refused);
}

// Every problem of the open set from zero: at 1e-8, and at 1e-12 as far as double precision allows.
TEST(Auto, solves_the_open_set) {
  namespace fs = std::filesystem;
  const fs::path root = test::open_problems();
  if (root.empty()) GTEST_SKIP() << test::no_open_problems;
  for (const double tolerance : {1e-8, 1e-12}) {
    AutoSolver::Settings settings;
    settings.tolerance = tolerance;
    int files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
      if (entry.path().extension() != ".h5") continue;
      const ComplementarityProblem problem = load_problem(entry.path().string());
      Solution solution = zero(problem);
      const SolveReport report = AutoSolver(settings).solve(problem, solution);
      const Residual judged = residual(problem, solution);
      EXPECT_EQ(report.status == SolveStatus::solved, judged.relative <= tolerance) << entry.path();
      EXPECT_TRUE(Accuracy{tolerance}.is_settled(judged))
          << entry.path() << ": " << judged.relative << ", rounding " << judged.rounding;
      EXPECT_LE(judged.relative, 1e-8) << entry.path();
      ++files;
    }
    EXPECT_GT(files, 0);
  }
}

}  // namespace
}  // namespace vinci
