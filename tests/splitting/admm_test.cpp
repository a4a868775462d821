// SPDX-License-Identifier: Apache-2.0
// ADMM: closed forms, piles, every law, non-symmetric W, units, warm starts, limits.
#include "vinci/splitting/admm.h"

#include <filesystem>
#include <map>

#include <gtest/gtest.h>

#include "tests/support/allocations.h"
#include "tests/support/contact_scenes.h"
#include "tests/support/cpu_time.h"
#include "tests/support/open_problems.h"
#include "tests/support/zero.h"
#include "vinci/complementarity/problem_file.h"
#include "vinci/newton/interior_point.h"
#include "vinci/pivoting/lemke.h"

namespace vinci {
namespace {

// w = W λ + q without u.
ComplementarityProblem local(const MatrixX& W, const VectorX& q, std::vector<Block> blocks) {
  ComplementarityProblem problem;
  problem.C = SparseRows::from_dense(W);
  problem.J = SparseRows::from_dense(MatrixX::Zero(q.size(), 0));
  problem.b = q;
  problem.blocks = std::move(blocks);
  return problem;
}

ComplementarityProblem condensed(const ComplementarityProblem& global) {
  const MatrixX J = MatrixX(global.J.view()), inverse = MatrixX(global.M.view()).inverse();
  return local(J * inverse * J.transpose(), J * inverse * global.p + global.b, global.blocks);
}

TEST(Admm, a_sliding_box_is_braked_by_mu_m_g_h) {
  std::vector<scenes::Body> bodies{scenes::unit_box({0.0, 0.0, 0.5}, 3.0)};
  bodies[0].velocity = {0.6, 0.8, 0.0};
  std::vector<scenes::Point> points;
  scenes::add_patch(points, -1, 0, Vector3::Zero(), 1.0, 1.0, 0.25);
  const ComplementarityProblem problem = scenes::spatial_problem(bodies, points);
  Solution solution = zero(problem);
  const SolveReport report = AdmmSolver().solve(problem, solution);
  EXPECT_EQ(report.status, SolveStatus::solved);
  EXPECT_STREQ(report.solver, "admm");
  const double speed = 1.0 - 0.25 * 9.81e-3;
  EXPECT_NEAR(solution.u[0], 0.6 * speed, 1e-12);
  EXPECT_NEAR(solution.u[1], 0.8 * speed, 1e-12);
  EXPECT_NEAR(solution.u.tail(4).norm(), 0.0, 1e-12);
}

TEST(Admm, without_its_finish_it_converges_to_the_same_velocities) {
  std::vector<scenes::Body> bodies{scenes::unit_box({0.0, 0.0, 0.5}, 3.0)};
  bodies[0].velocity = {0.6, 0.8, 0.0};
  std::vector<scenes::Point> points;
  scenes::add_patch(points, -1, 0, Vector3::Zero(), 1.0, 1.0, 0.25);
  const ComplementarityProblem problem = scenes::spatial_problem(bodies, points);
  AdmmSolver::Settings plain;
  plain.polish = false;
  plain.tolerance = 1e-10;
  Solution solution = zero(problem);
  EXPECT_EQ(AdmmSolver(plain).solve(problem, solution).status, SolveStatus::solved);
  EXPECT_NEAR(solution.u.head(2).norm(), 1.0 - 0.25 * 9.81e-3, 1e-9);
}

TEST(Admm, stacks_and_walls_rest) {
  for (const int size : {1, 3, 8}) {
    for (const ComplementarityProblem& problem :
         {scenes::box_stack(4 * size), scenes::brick_wall(size, size)}) {
      Solution solution = zero(problem);
      const SolveReport report = AdmmSolver().solve(problem, solution);
      EXPECT_EQ(report.status, SolveStatus::solved) << size << " " << report.residual.relative;
    }
  }
}

TEST(Admm, random_piles_move_as_the_interior_point_says) {
  std::mt19937_64 random(11);
  for (int trial = 0; trial < 80; ++trial) {
    const ComplementarityProblem problem =
        scenes::random_pile(random, 1 + trial % 12, 1 + trial % 30, 1 + trial % 3);
    Solution solution = zero(problem), other = zero(problem);
    const SolveReport report = AdmmSolver().solve(problem, solution);
    EXPECT_EQ(report.residual.relative, residual(problem, solution).relative);
    EXPECT_EQ(report.status, SolveStatus::solved) << trial;
    EXPECT_LE(report.residual.relative, 1e-12) << trial;
    EXPECT_EQ(InteriorPointSolver().solve(problem, other).status, SolveStatus::solved) << trial;
    // Exact friction may have several solutions in principle; these piles have one motion.
    EXPECT_LE((solution.u - other.u).norm(), 1e-8 * (1.0 + other.u.norm())) << trial;
  }
}

TEST(Admm, the_relaxed_cone_has_one_velocity) {
  std::mt19937_64 random(12);
  for (int trial = 0; trial < 40; ++trial) {
    const ComplementarityProblem problem = scenes::random_pile(
        random, 1 + trial % 6, 1 + trial % 12, 1 + trial % 2, Law::second_order);
    Solution solution = zero(problem), other = zero(problem);
    const SolveReport report = AdmmSolver().solve(problem, solution);
    EXPECT_EQ(report.status, SolveStatus::solved) << trial << " " << report.residual.relative;
    AdmmSolver::Settings different;
    different.penalty = 10.0;
    different.relaxation = 1.0;
    different.adaptive = false;
    AdmmSolver(different).solve(problem, other);
    EXPECT_LE((solution.u - other.u).norm(), 1e-9 * (1.0 + other.u.norm())) << trial;
  }
}

TEST(Admm, local_global_and_dense_mass_forms_agree) {
  std::mt19937_64 random(3);
  ComplementarityProblem global = scenes::random_pile(random, 4, 5, 1);
  const ComplementarityProblem small = condensed(global);
  Solution a = zero(global), b = zero(small);
  ASSERT_EQ(AdmmSolver().solve(global, a).status, SolveStatus::solved);
  ASSERT_EQ(AdmmSolver().solve(small, b).status, SolveStatus::solved);
  EXPECT_LE((a.lambda - b.lambda).norm(), 1e-9 * a.lambda.norm());
  MatrixX M = MatrixX(global.M.view());
  M += 0.01 * MatrixX::Ones(M.rows(), M.cols());  // one component of 24
  global.M = SparseRows::from_dense(M);
  ASSERT_EQ(AdmmSolver().solve(global, a).status, SolveStatus::solved);
  const VectorX force = MatrixX(global.J.view()).transpose() * a.lambda + global.p;
  EXPECT_LE((M * a.u - force).norm(), 1e-10 * force.norm());
}

// Beyond the dense sizes: LDLᵀ of M + JᵀD⁻¹J, of W + D, and LU where W is not symmetric.
TEST(Admm, sparse_factorisations_give_the_same) {
  const ComplementarityProblem global = scenes::box_stack(30);
  ComplementarityProblem small = condensed(global);
  Solution a = zero(global), b = zero(small), c = zero(small);
  ASSERT_EQ(AdmmSolver().solve(global, a).status, SolveStatus::solved);
  ASSERT_EQ(AdmmSolver().solve(small, b).status, SolveStatus::solved);
  const MatrixX J = MatrixX(global.J.view()), inverse = MatrixX(global.M.view()).inverse();
  const VectorX u = inverse * (J.transpose() * b.lambda + global.p);
  EXPECT_LE((a.u - u).norm(), 1e-11);
  // A skew part of M⁻¹, as of gyroscopic forces, leaves rest what it is.
  MatrixX skew = MatrixX::Zero(inverse.rows(), inverse.cols());
  for (int i = 0; i + 1 < skew.rows(); ++i) skew(i, i + 1) = 0.3, skew(i + 1, i) = -0.3;
  small.C = SparseRows::from_dense(J * (inverse + skew) * J.transpose());
  small.b = J * (inverse + skew) * global.p;
  ASSERT_EQ(AdmmSolver().solve(small, c).status, SolveStatus::solved);
  EXPECT_LE((MatrixX(small.C.view()) * c.lambda + small.b).norm(), 1e-11);
}

// A box held by a joint row, a support with prescribed friction and a bounded motor, beside C.
TEST(Admm, joints_balls_and_boxes_together) {
  const ComplementarityProblem problem = scenes::motor_and_support();
  Solution solution = zero(problem);
  EXPECT_EQ(AdmmSolver().solve(problem, solution).status, SolveStatus::solved);
  EXPECT_NEAR(solution.lambda.segment(1, 2).norm(), 0.3, 1e-12);
  EXPECT_NEAR(solution.lambda[3], -1.0, 1e-12);  // the motor brakes with all it has
  EXPECT_NEAR(solution.u[2], 2.5, 1e-12);
}

// A wheel of 1 kg, 1 kg m² that meets the ground at 1 m/s and turns at 2 rad/s over a point that
// does not slide: λ_n = 1, the moment is at most μ_r λ_n.
TEST(Admm, rolling_resistance_takes_its_moment) {
  for (const double rolling : {0.3, 5.0}) {
    Block block{.law = Law::moments, .offset = 0, .size = 5};
    block.friction = 0.5;
    block.rolling = rolling;
    VectorX q(5);
    q << -1.0, 0.0, 0.0, 2.0, 0.0;
    const ComplementarityProblem problem = local(MatrixX::Identity(5, 5), q, {block});
    Solution solution = zero(problem);
    EXPECT_EQ(AdmmSolver().solve(problem, solution).status, SolveStatus::solved);
    EXPECT_NEAR(solution.lambda[0], 1.0, 1e-11);
    EXPECT_NEAR(solution.lambda[3], -std::min(rolling, 2.0), 1e-11);
  }
}

// Monotone but not symmetric: a skew part of the size of the symmetric one.
TEST(Admm, skew_parts_of_W_do_not_harm) {
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  for (int trial = 0; trial < 20; ++trial) {
    const int n = 5 + trial;
    const MatrixX A = MatrixX::NullaryExpr(n, n, [&] { return unit(random); });
    const MatrixX B = MatrixX::NullaryExpr(n, n, [&] { return unit(random); });
    const VectorX q = VectorX::NullaryExpr(n, [&] { return unit(random); });
    std::vector<Block> blocks(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) blocks[static_cast<std::size_t>(i)].offset = i;
    const ComplementarityProblem problem = local(A * A.transpose() + B - B.transpose(), q, blocks);
    Solution solution = zero(problem), pivoted = zero(problem);
    EXPECT_EQ(AdmmSolver().solve(problem, solution).status, SolveStatus::solved) << trial;
    ASSERT_EQ(LemkeSolver().solve(problem, pivoted).status, SolveStatus::solved);
    EXPECT_LE((solution.lambda - pivoted.lambda).norm(), 1e-8 * (1.0 + pivoted.lambda.norm()));
  }
}

TEST(Admm, units_change_nothing_and_mass_ratios_of_1e8_are_carried) {
  int iterations = 0;
  for (const double scale : {1.0, 1e-12, 1e12}) {
    ComplementarityProblem problem = scenes::brick_wall(3, 3);
    for (double& value : problem.M.values) value *= scale;
    problem.p *= scale;
    Solution solution = zero(problem);
    const SolveReport report = AdmmSolver().solve(problem, solution);
    EXPECT_EQ(report.status, SolveStatus::solved) << scale;
    if (iterations == 0) iterations = report.iterations;
    EXPECT_EQ(report.iterations, iterations) << scale;
  }
  for (const double ratio : {1e-8, 1e8}) {
    std::vector<scenes::Body> bodies;
    std::vector<scenes::Point> points;
    for (int i = 0; i < 3; ++i) {
      bodies.push_back(scenes::unit_box({0.0, 0.0, i + 0.5}, i == 2 ? ratio : 1.0));
      scenes::add_patch(points, i - 1, i, {0.0, 0.0, 1.0 * i}, 1.0, 1.0, 0.5);
    }
    const ComplementarityProblem problem = scenes::spatial_problem(bodies, points);
    Solution solution = zero(problem);
    const SolveReport report = AdmmSolver().solve(problem, solution);
    // One unit in the last place of each term is `rounding`; ten of them add up over 36 rows.
    EXPECT_LE(report.residual.relative, std::max(1e-12, 10.0 * report.residual.rounding)) << ratio;
  }
}

TEST(Admm, the_adaptive_penalty_repairs_a_bad_one) {
  const ComplementarityProblem problem = scenes::brick_wall(4, 4);
  for (const double penalty : {1e-6, 1e6}) {
    AdmmSolver::Settings settings;
    settings.penalty = penalty;
    settings.max_iterations = 1000;
    Solution solution = zero(problem);
    EXPECT_EQ(AdmmSolver(settings).solve(problem, solution).status, SolveStatus::solved) << penalty;
  }
}

TEST(Admm, a_warm_start_takes_fewer_iterations) {
  std::mt19937_64 random(6);
  ComplementarityProblem problem = scenes::random_pile(random, 8, 12, 1);
  AdmmSolver::Settings settings;
  settings.polish = false;
  settings.tolerance = 1e-6;
  AdmmSolver solver(settings);
  Solution solution = zero(problem);
  const int cold = solver.solve(problem, solution).iterations;
  EXPECT_EQ(solver.solve(problem, solution).iterations, 0);
  problem.p *= 1.001;
  const SolveReport warm = solver.solve(problem, solution);
  EXPECT_EQ(warm.status, SolveStatus::solved);
  EXPECT_LT(warm.iterations, cold / 2);
}

TEST(Admm, a_settled_sequence_does_not_allocate) {
  if (!allocations_are_counted()) GTEST_SKIP() << "allocations are not counted in this build";
  // Dense Cholesky in velocities, dense LU of W, and the sparse LDLᵀ of W + D.
  ComplementarityProblem skew = condensed(scenes::box_stack(2));
  skew.C.values[1] += 1e-6;
  for (const ComplementarityProblem& problem : {scenes::box_stack(10), skew}) {
    AdmmSolver solver;
    Solution solution = zero(problem);
    solver.solve(problem, solution);
    solution.lambda.setZero();
    const std::size_t before = allocations();
    const SolveReport report = solver.solve(problem, solution);
    EXPECT_EQ(allocations() - before, 0u);
    EXPECT_EQ(report.status, SolveStatus::solved);
  }
}

TEST(Admm, limits_are_kept_and_bad_input_is_refused_in_words) {
  ComplementarityProblem problem = scenes::box_stack(8);
  AdmmSolver::Settings few;
  few.max_iterations = 3;
  Solution solution = zero(problem);
  const SolveReport report = AdmmSolver(few).solve(problem, solution);
  EXPECT_EQ(report.status, SolveStatus::limit);
  EXPECT_EQ(report.iterations, 3);
  AdmmSolver hurried;
  hurried.limit_time(0.0);
  solution = zero(problem);
  EXPECT_EQ(hurried.solve(problem, solution).status, SolveStatus::limit);
  solution.lambda[4] = std::nan("");  // a guess of no use
  EXPECT_EQ(AdmmSolver().solve(problem, solution).status, SolveStatus::solved);
  problem.p[1] = std::nan("");
  EXPECT_EQ(AdmmSolver().solve(problem, solution).status, SolveStatus::refused);
  EXPECT_NE(AdmmSolver().why_not(problem).find("p(1) is nan"), std::string::npos);
  problem = scenes::box_stack(1);
  problem.M.values[0] = 0.0;
  EXPECT_NE(AdmmSolver().why_not(problem).find("singular"), std::string::npos);
  EXPECT_EQ(AdmmSolver().solve(problem, solution).status, SolveStatus::refused);
}

// Beyond the limit no more processor time than up to the first finish, which is tried after ten
// iterations.
TEST(Admm, a_time_limit_holds_through_the_finish) {
  const ComplementarityProblem problem = scenes::brick_wall(14, 14, 0.3);
  AdmmSolver::Settings endless;
  endless.tolerance = 0.0;
  AdmmSolver::Settings brief = endless;
  brief.max_iterations = 10;
  Solution solution = zero(problem);
  const double finish = test::cpu_seconds_of([&] { AdmmSolver(brief).solve(problem, solution); });
  AdmmSolver solver(endless);
  solver.limit_time(0.2);
  solution = zero(problem);
  solver.solve(problem, solution);  // how long a step takes is known from here on
  solution = zero(problem);
  SolveReport report;
  const double taken = test::cpu_seconds_of([&] { report = solver.solve(problem, solution); });
  EXPECT_NE(report.status, SolveStatus::solved);
  EXPECT_LE(taken, 0.2 + finish);
}

// The open set from zero at 1e-8, but for the granular flow whose W has six digits.
TEST(Admm, solves_the_contact_problems_of_the_open_set) {
  namespace fs = std::filesystem;
  const fs::path root = test::open_problems();
  if (root.empty()) GTEST_SKIP() << test::no_open_problems;
  AdmmSolver::Settings settings;
  settings.tolerance = 1e-8;
  std::map<std::string, int> solved;
  for (const char* folder : {"fc2d", "gfc2d", "fc3d", "gfc3d", "relay"})
    for (const auto& entry : fs::directory_iterator(root / folder)) {
      const std::string name = entry.path().stem().string();
      if (entry.path().extension() != ".h5" || fs::file_size(entry) > 1000000) continue;
      const ComplementarityProblem problem = load_problem(entry.path().string());
      Solution solution = zero(problem);
      const SolveReport report = AdmmSolver(settings).solve(problem, solution);
      const bool six_digits = name.starts_with("fc2d_granularflow");
      EXPECT_LE(report.residual.relative, six_digits ? 1e-6 : 1e-8) << name;
      ++solved[folder];
    }
  EXPECT_EQ(solved.size(), 5u) << "a kind of problem was not tried";
}

}  // namespace
}  // namespace vinci
