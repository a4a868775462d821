// SPDX-License-Identifier: Apache-2.0
// Steps without inertia in closed form: pushed, held, sliding, free, and without an answer.
#include "vinci/solvers/quasi_static.h"

#include <gtest/gtest.h>

#include "tests/support/statics.h"
#include "vinci/solvers/auto_solver.h"

namespace vinci {
namespace {

using namespace test;

struct Answer {
  QuasiStaticAnswer found;
  VectorX u, lambda;
};

// Of a problem whose unknowns have these masses, from zero.
Answer solve(const ComplementarityProblem& problem, const VectorX& masses) {
  EXPECT_EQ(problem.why_invalid(), "");
  AutoSolver solver;
  Solution solution{VectorX::Zero(problem.unknowns()), VectorX::Zero(problem.rows())};
  const QuasiStaticAnswer found = QuasiStatic().solve(
      problem, SparseRows::from_dense(MatrixX(masses.asDiagonal())), solver, solution);
  return {found, solution.u, solution.lambda};
}

void expect_solved(const Answer& answer, const VectorX& u, const VectorX& lambda) {
  EXPECT_EQ(answer.found.solve.status, SolveStatus::solved);
  EXPECT_EQ(answer.found.ending, Ending::none);
  EXPECT_LE(answer.found.solve.residual.relative, 1e-11);
  EXPECT_LT((answer.u - u).norm(), 1e-10 * (1.0 + u.norm())) << answer.u.transpose();
  EXPECT_LT((answer.lambda - lambda).norm(), 1e-10 * (1.0 + lambda.norm()))
      << answer.lambda.transpose();
}

// A pusher of speed v behind a body that lies on the table with R: w = u − v, and friction −R.
ComplementarityProblem pushed(double speed, double limit) {
  return statics(MatrixX::Ones(2, 1), numbers({0}), numbers({-speed, 0}),
                 {touching(0), lying(1, 1, limit)});
}

TEST(QuasiStatic, a_pushed_body_takes_the_speed_of_the_pusher_and_presses_with_its_friction) {
  for (const double speed : {1e-6, 0.1, 1e3})
    for (const double limit : {1e-3, 2.0}) {
      const Answer answer = solve(pushed(speed, limit), numbers({3}));
      expect_solved(answer, numbers({speed}), numbers({limit, -limit}));
      EXPECT_EQ(answer.found.free.count, 0);
    }
}

TEST(QuasiStatic, the_inertia_does_not_show_where_the_motion_is_unique) {
  for (const double mass : {1e-3, 1.0, 1e3})
    expect_solved(solve(pushed(0.1, 2.0), numbers({mass})), numbers({0.1}), numbers({2, -2}));
}

TEST(QuasiStatic, a_force_below_the_limit_of_friction_is_held) {
  const auto problem =
      statics(MatrixX::Identity(2, 2), numbers({3, 4}), numbers({0, 0}), {lying(0, 2, 6.0)});
  const Answer answer = solve(problem, numbers({2, 2}));
  expect_solved(answer, numbers({0, 0}), numbers({-3, -4}));
  EXPECT_EQ(answer.found.free.count, 0);
}

TEST(QuasiStatic, a_force_beyond_it_has_no_equilibrium) {
  const auto problem =
      statics(MatrixX::Identity(2, 2), numbers({3, 4}), numbers({0, 0}), {lying(0, 2, 4.9)});
  const Answer answer = solve(problem, numbers({2, 2}));
  EXPECT_EQ(answer.found.ending, Ending::no_equilibrium);
  EXPECT_EQ(answer.found.solve.status, SolveStatus::no_solution);
}

TEST(QuasiStatic, the_end_of_balance_is_the_limit_to_nine_digits) {
  for (const double distance : {1e-3, 1e-6, 1e-8, 2e-9})
    for (const double side : {-1.0, 1.0}) {
      const double load = 1.0 + side * distance;
      const auto problem = statics(MatrixX::Identity(2, 2), load * numbers({3, 4}), numbers({0, 0}),
                                   {lying(0, 2, 5.0)});
      const Answer answer = solve(problem, numbers({2, 2}));
      if (side < 0.0) {
        expect_solved(answer, numbers({0, 0}), -load * numbers({3, 4}));
        EXPECT_TRUE(answer.u.isZero(0.0));
        continue;
      }
      EXPECT_EQ(answer.found.ending, Ending::no_equilibrium) << distance;
      EXPECT_LT((answer.found.missing + distance * numbers({3, 4})).norm(),
                1e-13 + 1e-6 * distance);
      EXPECT_EQ(answer.found.unbalanced, 1);
    }
}

// A floor with μ = 0.5 under 10 N: 5 N are held.
TEST(QuasiStatic, on_a_rough_floor_the_normal_force_makes_the_limit) {
  const MatrixX J = (MatrixX(2, 2) << 0, 1, 1, 0).finished();
  const auto held = statics(J, numbers({4.9, -10}), numbers({0, 0}), {rubbing(0, 2, 0.5)});
  expect_solved(solve(held, numbers({1, 1})), numbers({0, 0}), numbers({10, -4.9}));
  const auto driven = statics(J, numbers({5.1, -10}), numbers({0, 0}), {rubbing(0, 2, 0.5)});
  EXPECT_EQ(solve(driven, numbers({1, 1})).found.ending, Ending::no_equilibrium);
}

// A belt under the body: it is carried along, and held back with up to μ N by nothing.
TEST(QuasiStatic, a_body_on_a_belt_goes_with_it) {
  const MatrixX J = (MatrixX(2, 2) << 0, 1, 1, 0).finished();
  const auto problem = statics(J, numbers({0, -10}), numbers({0, -0.3}), {rubbing(0, 2, 0.5)});
  const Answer answer = solve(problem, numbers({1, 1}));
  expect_solved(answer, numbers({0.3, 0}), numbers({10, 0}));
  EXPECT_EQ(answer.found.free.count, 0);
}

TEST(QuasiStatic, of_motions_that_nothing_resists_the_least_is_taken) {
  // A smooth pusher along x against 3 N, on a smooth table: y is free.
  const auto problem =
      statics(Eigen::RowVector2d(1, 0), numbers({-3, 0}), numbers({-0.2}), {touching(0)});
  const Answer answer = solve(problem, numbers({1, 5}));
  expect_solved(answer, numbers({0.2, 0}), numbers({3}));
  EXPECT_EQ(answer.found.free.count, 1);
  EXPECT_EQ(answer.found.free.unknown, 1);
  EXPECT_STREQ(answer.found.solve.note, "the motion is not unique: the least is taken");
}

// A wedge driven between two free bodies: u₁ + u₂ >= v at least energy ½ Σ m u².
TEST(QuasiStatic, the_least_motion_is_that_of_least_energy) {
  const double light = 1.0, heavy = 3.0;
  const auto problem =
      statics(Eigen::RowVector2d(1, 1), numbers({0, 0}), numbers({-0.4}), {touching(0)});
  const Answer answer = solve(problem, numbers({light, heavy}));
  expect_solved(answer, numbers({0.3, 0.1}), numbers({0}));
}

TEST(QuasiStatic, without_contacts_and_forces_nothing_moves) {
  const auto problem = statics(MatrixX(0, 2), numbers({0, 0}), VectorX(0), {});
  const Answer answer = solve(problem, numbers({1, 1}));
  expect_solved(answer, numbers({0, 0}), VectorX(0));
  EXPECT_EQ(answer.found.free.count, 2);
  const auto forced = statics(MatrixX(0, 2), numbers({0, 1}), VectorX(0), {});
  EXPECT_EQ(solve(forced, numbers({1, 1})).found.ending, Ending::no_equilibrium);
}

TEST(QuasiStatic, between_faces_that_approach_there_is_no_motion) {
  const MatrixX J = (MatrixX(2, 1) << 1, -1).finished();
  const auto problem = statics(J, numbers({0}), numbers({-0.1, -0.1}), {touching(0), touching(1)});
  EXPECT_EQ(solve(problem, numbers({1})).found.ending, Ending::no_motion);
}

// D = 2 N s/m: 0 = 2 u − λ − f.
TEST(QuasiStatic, viscosity_makes_speed_of_force) {
  auto problem = statics(MatrixX::Ones(1, 1), numbers({3}), numbers({0}), {touching(0)});
  problem.M = SparseRows::from_dense(2.0 * MatrixX::Identity(1, 1));
  expect_solved(solve(problem, numbers({1})), numbers({1.5}), numbers({0}));
  problem.p = numbers({-3});
  expect_solved(solve(problem, numbers({1})), numbers({0}), numbers({3}));
}

TEST(QuasiStatic, the_next_step_goes_on_from_the_last_answer) {
  const auto problem = pushed(0.1, 2.0);
  const SparseRows inertia = SparseRows::from_dense(MatrixX::Identity(1, 1));
  AutoSolver solver;
  QuasiStatic method;
  Solution solution{numbers({0}), numbers({0, 0})};
  method.solve(problem, inertia, solver, solution);
  const Solution first = solution;
  const QuasiStaticAnswer again = method.solve(problem, inertia, solver, solution);
  EXPECT_EQ(again.solve.status, SolveStatus::solved);
  EXPECT_STREQ(again.solve.solver, "continuation");
  EXPECT_EQ(again.solve.iterations, 0);
  EXPECT_EQ(solution.u, first.u);
  EXPECT_EQ(solution.lambda, first.lambda);
}

// One island creeps at a millionth of the speed of the other.
TEST(QuasiStatic, slow_islands_are_solved_beside_fast_ones) {
  const MatrixX J = (MatrixX(4, 2) << 1, 0, 1, 0, 0, 1, 0, 1).finished();
  const auto problem = statics(J, numbers({0, 0}), numbers({-1e-6, 0, -1, 0}),
                               {touching(0), lying(1, 1, 2.0), touching(2), lying(3, 1, 3.0)});
  expect_solved(solve(problem, numbers({1, 1})), numbers({1e-6, 1}), numbers({2, -2, 3, -3}));
}

}  // namespace
}  // namespace vinci
