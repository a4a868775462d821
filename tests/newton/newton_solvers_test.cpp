// SPDX-License-Identifier: Apache-2.0
// The two solvers on velocities, augmented-lagrangian and interior-point: closed forms, redundant
// piles, every law, agreement with the other solvers, and the derivatives they rest on.
#include <cmath>
#include <memory>

#include <gtest/gtest.h>

#include "tests/support/allocations.h"
#include "tests/support/contact_scenes.h"
#include "tests/support/trials.h"
#include "tests/support/zero.h"
#include "vinci/complementarity/residual.h"
#include "vinci/newton/projections.h"
#include "vinci/newton/smoothed_law.h"
#include "vinci/solvers/auto_solver.h"
#include "vinci/solvers/builtin.h"

namespace vinci {
namespace {

// One unit mass on a row of its own for each block: M = 1, J = 1, w = λ + p + b.
ComplementarityProblem separate(const std::vector<Block>& blocks, const VectorX& p) {
  ComplementarityProblem problem;
  const int n = static_cast<int>(p.size());
  problem.M.reset(n), problem.J.reset(n), problem.C.reset(n);
  for (int i = 0; i < n; ++i) {
    problem.M.push(i, 1.0), problem.M.end_row();
    problem.J.push(i, 1.0), problem.J.end_row();
    problem.C.end_row();
  }
  problem.p = p;
  problem.b.setZero(n);
  problem.blocks = blocks;
  return problem;
}

class OnVelocities : public testing::TestWithParam<const char*> {
 protected:
  std::unique_ptr<Solver> solver() const {
    SolverRegistry registry("solver");
    add_builtin_solvers(registry);
    return registry.make(GetParam(), OptionValues(registry.at(GetParam()).options));
  }
  // Solves from zero and asks another judge.
  VectorX solved(const ComplementarityProblem& problem) const {
    Solution solution = zero(problem);
    const SolveReport report = solver()->solve(problem, solution);
    EXPECT_EQ(report.status, SolveStatus::solved) << report.residual.relative;
    EXPECT_LE(residual(problem, solution).relative, 1e-12);
    return solution.u;
  }
};

INSTANTIATE_TEST_SUITE_P(Solvers, OnVelocities,
                         testing::Values("augmented-lagrangian", "interior-point"),
                         [](const auto& chosen) {
                           return std::string(chosen.param).substr(0, 8) == "interior"
                                      ? "interior_point"
                                      : "augmented_lagrangian";
                         });

TEST_P(OnVelocities, solves_every_law_in_closed_form) {
  const std::vector<Block> blocks = {
      {.law = Law::equality, .offset = 0, .size = 1},
      {.law = Law::nonnegative, .offset = 1},
      {.law = Law::nonnegative, .offset = 2},
      {.law = Law::box, .offset = 3, .lower = -1.0, .upper = 2.0},
      {.law = Law::box, .offset = 4, .lower = -infinity, .upper = 2.0},
      {.law = Law::box, .offset = 5, .lower = -1.0, .upper = 2.0},
      {.law = Law::ball, .offset = 6, .size = 2, .upper = 1.0},
      {.law = Law::coulomb, .offset = 8, .size = 3, .friction = 0.5},   // slides
      {.law = Law::coulomb, .offset = 11, .size = 3, .friction = 0.5},  // sticks
      {.law = Law::coulomb, .offset = 14, .size = 3, .friction = 0.5},  // parts
      {.law = Law::coulomb, .offset = 17, .size = 2, .friction = 0.0}};
  VectorX p(19), expected(19);
  p << 3, -2, 2, -0.5, -5, 4, 3, 4, -2, 3, 4, -2, 0.3, -0.4, 1, 2, 3, -1, 7;
  expected << 0, 0, 2, 0, -3, 3, 2.4, 3.2, 0, 2.4, 3.2, 0, 0, 0, 1, 2, 3, 0, 7;
  EXPECT_LT((solved(separate(blocks, p)) - expected).norm(), 1e-10);
}

TEST_P(OnVelocities, holds_stacks_and_walls_at_rest) {
  EXPECT_LT(solved(scenes::box_stack(12)).norm(), 1e-11);
  EXPECT_LT(solved(scenes::brick_wall(4, 5)).norm(), 1e-11);
}

TEST_P(OnVelocities, agrees_with_sweeps_on_random_piles_of_repeated_contacts) {
  std::mt19937_64 random(11);
  test::Trials unsolved, alone, different;
  for (int trial = 0; trial < 20; ++trial) {
    const ComplementarityProblem problem = scenes::random_pile(random, 6, 12, 4);
    Solution mine = zero(problem), other = zero(problem);
    const SolveReport report = solver()->solve(problem, mine);
    EXPECT_EQ(report.status == SolveStatus::solved, residual(problem, mine).relative <= 1e-12);
    GaussSeidelSolver sweeps;
    const bool swept = sweeps.solve(problem, other).status == SolveStatus::solved;
    if (report.status != SolveStatus::solved)
      unsolved.push_back(trial);
    else if (!swept)
      alone.push_back(trial);
    else if ((mine.u - other.u).norm() >= 1e-8 * (1.0 + other.u.norm()))
      different.push_back(trial);
  }
  // 9: the rounds of the augmented Lagrangian, a fixed point on μ |w_T|, settle nowhere.
  const bool cycles = std::string(GetParam()) == "augmented-lagrangian";
  EXPECT_EQ(unsolved, cycles ? test::Trials{9} : test::Trials());
  EXPECT_EQ(alone, test::Trials());
  // 3: two motions, both certified: Coulomb's law allows it.
  const bool others = cycles || std::string(GetParam()) == "interior-point";
  EXPECT_EQ(different, others ? test::Trials{3} : test::Trials());
}

TEST_P(OnVelocities, refuses_in_words_what_it_cannot_take) {
  ComplementarityProblem problem =
      separate({{.law = Law::nonnegative}}, VectorX::Constant(1, -1.0));
  problem.M.values[0] = 0.0;
  EXPECT_NE(solver()->why_not(problem).find("M is singular"), std::string::npos);
  Solution solution = zero(problem);
  EXPECT_EQ(solver()->solve(problem, solution).status, SolveStatus::refused);
  problem.p[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(solver()->why_not(problem), "");
  EXPECT_EQ(solver()->solve(problem, solution).status, SolveStatus::refused);
}

TEST(Projections, derivatives_are_those_of_finite_differences) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  const Block blocks[] = {{.law = Law::coulomb, .size = 3, .friction = 0.7},
                          {.law = Law::second_order, .size = 3, .friction = 0.7},
                          {.law = Law::coulomb, .size = 2, .friction = 0.3},
                          {.law = Law::ball, .size = 2, .upper = 0.5}};
  for (const Block& block : blocks)
    for (const Projection projection : {Projection::cone, Projection::coulomb})
      for (int trial = 0; trial < 50; ++trial) {
        double y[3], derivative[9];
        for (double& x : y) x = unit(random);
        projection_derivative(block, projection, y, derivative);
        const double step = 1e-6;
        for (int j = 0; j < block.size; ++j) {
          double ahead[3] = {y[0], y[1], y[2]}, behind[3] = {y[0], y[1], y[2]};
          ahead[j] += step, behind[j] -= step;
          apply_projection(block, projection, ahead), apply_projection(block, projection, behind);
          for (int i = 0; i < block.size; ++i)
            EXPECT_NEAR((ahead[i] - behind[i]) / (2.0 * step), derivative[i * block.size + j], 1e-4)
                << to_string(block.law) << " trial " << trial;
        }
      }
}

// A Newton step of the smoothed law, repeated at a given w, ends where its equations hold.
TEST(SmoothedLaw, newton_steps_end_on_the_central_path) {
  const Block block{.law = Law::coulomb, .size = 3, .friction = 0.5};
  const double tau = 1e-4, w[3] = {0.02, 0.3, -0.4};
  double lambda[3] = {0.01, 0.0, 0.0}, velocity[3] = {0.02, 0.1, 0.0}, slip[2];
  const SmoothedState state{&block, lambda, velocity, slip};
  start_inside(state, 1.0, std::sqrt(tau));
  for (int k = 0; k < 200; ++k) {
    double D[9], g[3], d_lambda[3], d_w[3], d_slip[2];
    linearise(state, 1.0, tau, {}, D, g);
    for (int i = 0; i < 3; ++i) d_w[i] = w[i] - velocity[i];
    for (int i = 0; i < 3; ++i)
      d_lambda[i] = g[i] - D[3 * i] * d_w[0] - D[3 * i + 1] * d_w[1] - D[3 * i + 2] * d_w[2];
    slip_step(state, tau, {}, d_lambda, d_slip);
    const double length = std::min(1.0, 0.9 * longest_inside(state, {d_lambda, d_w, d_slip}, 2.0));
    for (int i = 0; i < 3; ++i) lambda[i] += length * d_lambda[i], velocity[i] += length * d_w[i];
    for (int i = 0; i < 2; ++i) slip[i] += length * d_slip[i];
  }
  const double radius = 0.5 * lambda[0], tangential = std::hypot(lambda[1], lambda[2]);
  EXPECT_NEAR(lambda[0], tau / w[0], 1e-12);
  EXPECT_NEAR(slip[0] * (radius * radius - tangential * tangential) / (2.0 * radius), tau, 1e-12);
  EXPECT_NEAR(radius * w[1] + slip[0] * lambda[1], 0.0, 1e-12);
  EXPECT_NEAR(radius * w[2] + slip[0] * lambda[2], 0.0, 1e-12);
  EXPECT_LT(bent(state, 1.0), 1e-20);
}

TEST(Auto, a_settled_sequence_does_not_allocate) {
  if (!allocations_are_counted()) GTEST_SKIP() << "allocations are not counted in this build";
  const ComplementarityProblem problem = scenes::box_stack(10);
  AutoSolver solver;
  Solution solution = zero(problem);
  solver.solve(problem, solution);
  solver.solve(problem, solution);
  const std::size_t before = allocations();
  EXPECT_EQ(solver.solve(problem, solution).status, SolveStatus::solved);
  EXPECT_EQ(allocations() - before, 0u);
}

}  // namespace
}  // namespace vinci
