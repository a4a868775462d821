// SPDX-License-Identifier: Apache-2.0
// The quadratic cone as a mixed nonlinear complementarity problem: its derivatives, closed forms,
// every law, and the other solvers as second routes.
#include "vinci/newton/quadratic_cone.h"

#include <filesystem>
#include <random>

#include <gtest/gtest.h>

#include "tests/support/allocations.h"
#include "tests/support/contact_examples.h"
#include "tests/support/contact_scenes.h"
#include "tests/support/open_problems.h"
#include "tests/support/zero.h"
#include "vinci/complementarity/problem_file.h"
#include "vinci/splitting/gauss_seidel.h"

namespace vinci {
namespace {

// Every law once, one unit mass on a row of its own: w = λ + p.
ComplementarityProblem every_law() {
  ComplementarityProblem problem;
  problem.blocks = {{.law = Law::equality, .offset = 0, .size = 1},
                    {.law = Law::nonnegative, .offset = 1},
                    {.law = Law::nonnegative, .offset = 2},
                    {.law = Law::box, .offset = 3, .lower = -1.0, .upper = 2.0},
                    {.law = Law::box, .offset = 4, .lower = -infinity, .upper = 2.0},
                    {.law = Law::box, .offset = 5, .lower = -1.0, .upper = 2.0},
                    {.law = Law::ball, .offset = 6, .size = 2, .upper = 1.0},
                    {.law = Law::coulomb, .offset = 8, .size = 3, .friction = 0.5},   // slides
                    {.law = Law::coulomb, .offset = 11, .size = 3, .friction = 0.5},  // sticks
                    {.law = Law::coulomb, .offset = 14, .size = 3, .friction = 0.5},  // parts
                    {.law = Law::coulomb, .offset = 17, .size = 2, .friction = 0.0},
                    {.law = Law::ball, .offset = 19, .size = 1, .upper = infinity},
                    {.law = Law::ball, .offset = 20, .size = 2, .upper = 0.0},
                    {.law = Law::second_order, .offset = 22, .size = 3, .friction = 0.5}};
  constexpr int n = 25;
  problem.M = problem.J = SparseRows::from_dense(MatrixX::Identity(n, n));
  problem.C = SparseRows::from_dense(MatrixX::Zero(n, n));
  problem.b.setZero(n);
  problem.p.resize(n);
  problem.p << 3, -2, 2, -0.5, -5, 4, 3, 4, -2, 3, 4, -2, 0.3, -0.4, 1, 2, 3, -1, 7, 4, 1, 2, -2, 3,
      4;
  return problem;
}

TEST(QuadraticCone, solves_every_law_in_closed_form) {
  const ComplementarityProblem problem = every_law();
  // The second-order cone: λ = −p projected onto K, λ_n = (2 + 0.5·5)/1.25 = 3.6, |λ_t| = 1.8.
  VectorX expected(25);
  expected << 0, 0, 2, 0, -3, 3, 2.4, 3.2, 0, 2.4, 3.2, 0, 0, 0, 1, 2, 3, 0, 7, 0, 1, 2, 1.6,
      3 - 1.8 * 0.6, 4 - 1.8 * 0.8;
  Solution solution = zero(problem);
  const SolveReport report = QuadraticConeSolver().solve(problem, solution);
  EXPECT_EQ(report.status, SolveStatus::solved) << report.residual.relative;
  EXPECT_LT((solution.u - expected).norm(), 1e-10) << solution.u.transpose();
}

TEST(QuadraticCone, jacobian_is_that_of_differences) {
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> unit(0.1, 1.0);
  for (const ComplementarityProblem& problem :
       {every_law(), scenes::random_pile(random, 3, 6, 2),
        scenes::random_pile(random, 2, 4, 1, Law::second_order),
        random_contacts({2, 3, 4, 0.6}, random), random_contacts({2, 3, 0, 1e3}, random)}) {
    Judge judge;
    judge.prepare(problem);
    QuadraticCone cone;
    cone.build(problem, judge);
    EXPECT_EQ(cone.problem().why_invalid(), "");
    VectorX z(cone.problem().size());
    for (double& x : z) x = unit(random);
    EXPECT_LT(jacobian_error(cone.problem(), z), 1e-8);
  }
}

TEST(QuadraticCone, the_guess_at_a_solution_solves_the_equations) {
  std::mt19937_64 random(6);
  for (int trial = 0; trial < 10; ++trial) {
    const ComplementarityProblem problem = scenes::random_pile(random, 4, 8, 1);
    Solution solution = zero(problem);
    ASSERT_EQ(GaussSeidelSolver().solve(problem, solution).status, SolveStatus::solved) << trial;
    Judge judge;
    judge.prepare(problem);
    judge.measure(problem, solution);
    QuadraticCone cone;
    cone.build(problem, judge);
    VectorX z;
    cone.guess(solution, judge.w(), z);
    EXPECT_LT(natural_residual(cone.problem(), z), 1e-9) << trial;
  }
}

TEST(QuadraticCone, random_piles_agree_with_sweeps) {
  std::mt19937_64 random(12);
  QuadraticConeSolver solver;
  for (int trial = 0; trial < 30; ++trial) {
    const ComplementarityProblem problem = scenes::random_pile(random, 4, 6, 2);
    Solution mine = zero(problem), other = zero(problem);
    const SolveReport report = solver.solve(problem, mine);
    EXPECT_EQ(report.residual.relative, residual(problem, mine).relative);
    EXPECT_EQ(report.status, SolveStatus::solved) << trial;
    EXPECT_LE(report.residual.relative, 1e-12) << trial;
    EXPECT_EQ(GaussSeidelSolver().solve(problem, other).status, SolveStatus::solved) << trial;
    // Coulomb's law allows more than one motion in principle; these piles have one.
    EXPECT_LT((mine.u - other.u).cwiseAbs().maxCoeff(), 1e-8) << trial;
  }
}

TEST(QuadraticCone, planar_contacts_and_pyramids_are_solved) {
  std::mt19937_64 random(13);
  QuadraticConeSolver solver;
  for (const int directions : {0, 4, 8})
    for (int trial = 0; trial < 20; ++trial) {
      const ComplementarityProblem problem =
          random_contacts({1 + trial % 3, 1 + trial % 4, directions, 0.5}, random);
      Solution solution = zero(problem);
      const SolveReport report = solver.solve(problem, solution);
      EXPECT_EQ(report.status, SolveStatus::solved)
          << directions << ", " << trial << ": " << report.residual.relative;
    }
}

TEST(QuadraticCone, corpus_is_solved) {
  QuadraticConeSolver solver;
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(VINCI_SOURCE_DIR "/problems")) {
    if (entry.path().extension() != ".h5") continue;
    const ComplementarityProblem problem = load_problem(entry.path());
    if (problem.rows() > 200 || !solver.why_not(problem).empty()) continue;
    Solution solution = zero(problem);
    const SolveReport report = solver.solve(problem, solution);
    EXPECT_EQ(report.status, SolveStatus::solved)
        << entry.path().filename() << ' ' << report.residual.relative;
    ++files;
  }
  EXPECT_GE(files, 16);
}

TEST(QuadraticCone, small_third_party_problems_are_solved) {
  const std::filesystem::path folder = test::open_problems();
  if (folder.empty()) GTEST_SKIP() << test::no_open_problems;
  QuadraticConeSolver solver;
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "fc3d")) {
    const ComplementarityProblem problem = load_problem(entry.path());
    if (problem.rows() > 150) continue;
    Solution solution = zero(problem);
    const SolveReport report = solver.solve(problem, solution);
    EXPECT_EQ(report.status, SolveStatus::solved)
        << entry.path().filename() << ' ' << report.residual.relative;
    ++files;
  }
  EXPECT_GE(files, 15);
}

TEST(QuadraticCone, takes_a_singular_mass) {
  // Quasi-static: a block of no inertia pressed with 3 N and pushed with a prescribed velocity in
  // the tangential rows; it slides with the pusher, λ_t = μ λ_n against the motion.
  ComplementarityProblem problem;
  problem.M.reset(1), problem.M.end_row();
  MatrixX J(3, 1);
  J << 1, 0, 0;
  problem.J = SparseRows::from_dense(J);
  problem.C = SparseRows::from_dense(MatrixX::Zero(3, 3));
  problem.p = VectorX::Constant(1, -3.0);
  problem.b = Vector3(0.1, 0.3, -0.4);
  problem.blocks = {{.law = Law::coulomb, .offset = 0, .size = 3, .friction = 0.5}};
  Solution solution = zero(problem);
  const SolveReport report = QuadraticConeSolver().solve(problem, solution);
  EXPECT_EQ(report.status, SolveStatus::solved) << report.residual.relative;
  EXPECT_LT((solution.lambda - Vector3(3.0, -0.9, 1.2)).norm(), 1e-9);
  EXPECT_NEAR(solution.u[0], -0.1, 1e-12);
}

TEST(QuadraticCone, units_of_mass_and_length_do_not_matter) {
  std::mt19937_64 random(14);
  const ComplementarityProblem problem = scenes::random_pile(random, 3, 5, 1);
  Solution plain = zero(problem);
  ASSERT_EQ(QuadraticConeSolver().solve(problem, plain).status, SolveStatus::solved);
  for (const double mass : {1e-6, 1e6}) {
    ComplementarityProblem scaled = problem;
    for (double& value : scaled.M.values) value *= mass;
    scaled.p *= mass * 1e3;  // and speeds a thousand times
    Solution solution = zero(scaled);
    EXPECT_EQ(QuadraticConeSolver().solve(scaled, solution).status, SolveStatus::solved) << mass;
    EXPECT_LT((solution.u / 1e3 - plain.u).norm(), 1e-9);
  }
}

TEST(QuadraticCone, a_warm_start_takes_fewer_steps) {
  ComplementarityProblem problem = scenes::box_stack(2);
  QuadraticConeSolver solver;
  Solution solution = zero(problem);
  const SolveReport cold = solver.solve(problem, solution);
  ASSERT_EQ(cold.status, SolveStatus::solved);
  EXPECT_EQ(solver.solve(problem, solution).iterations, 0);
  problem.p *= 1.001;
  const SolveReport warm = solver.solve(problem, solution);
  EXPECT_EQ(warm.status, SolveStatus::solved);
  EXPECT_LT(warm.iterations, cold.iterations);
}

TEST(QuadraticCone, refuses_in_words_and_keeps_its_limits) {
  ComplementarityProblem problem = scenes::box_stack(1);
  problem.b[0] = std::nan("");
  QuadraticConeSolver solver;
  EXPECT_NE(solver.why_not(problem), "");
  Solution solution = zero(problem);
  EXPECT_EQ(solver.solve(problem, solution).status, SolveStatus::refused);
  const ComplementarityProblem wall = scenes::brick_wall(4, 4);
  QuadraticConeSolver::Settings settings;
  settings.max_iterations = 1;
  solution = zero(wall);
  const SolveReport one = QuadraticConeSolver(settings).solve(wall, solution);
  EXPECT_EQ(one.status, SolveStatus::limit);
  EXPECT_EQ(one.iterations, 1);
  solver.limit_time(0.0);
  solution = zero(wall);
  const SolveReport none = solver.solve(wall, solution);
  EXPECT_EQ(none.status, SolveStatus::limit);
  EXPECT_EQ(none.iterations, 0);
}

TEST(QuadraticCone, a_settled_sequence_does_not_allocate) {
  if (!allocations_are_counted()) GTEST_SKIP() << "the sanitizer has an allocator of its own";
  std::mt19937_64 random(15);
  ComplementarityProblem problem = scenes::random_pile(random, 2, 3, 1);
  QuadraticConeSolver solver;
  Solution solution = zero(problem);
  for (int warm = 0; warm < 3; ++warm) {
    solution.lambda.setZero();
    solver.solve(problem, solution);
  }
  solution.lambda.setZero();
  const std::size_t before = allocations();
  solver.solve(problem, solution);
  EXPECT_EQ(allocations() - before, 0u);
}

}  // namespace
}  // namespace vinci
