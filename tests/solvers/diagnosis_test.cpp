// SPDX-License-Identifier: Apache-2.0
// Whether velocities are the only ones: problems whose number of motions is known, and 2,000 with
// large friction beside plain trial of every combination.
#include "vinci/solvers/diagnosis.h"

#include <random>

#include <gtest/gtest.h>

#include "tests/support/contact_examples.h"
#include "tests/support/contact_scenes.h"
#include "tests/support/enumeration.h"
#include "vinci/complementarity/condense.h"
#include "vinci/proofs/all_solutions.h"
#include "vinci/solvers/auto_solver.h"
#include "vinci/splitting/gauss_seidel.h"

namespace vinci {
namespace {

// Every unknown by itself.
MotionMeasure plain(int unknowns) {
  MotionMeasure measure{SparseRows::from_dense(MatrixX::Identity(unknowns, unknowns)), {}};
  for (int i = 0; i < unknowns; ++i) measure.group.push_back(i);
  return measure;
}

Diagnosis diagnose(const ComplementarityProblem& problem, const Solution& solution,
                   const Diagnoser::Settings& settings = {}) {
  Diagnoser diagnoser(settings);
  const MotionMeasure measure = plain(problem.unknowns());
  return diagnoser({.problem = problem, .solution = solution, .measure = measure});
}

bool solve(const ComplementarityProblem& problem, Solution& solution) {
  solution.u = VectorX::Zero(problem.unknowns());
  solution.lambda = VectorX::Zero(problem.rows());
  AutoSolver solver;
  return solver.solve(problem, solution).status == SolveStatus::solved;
}

TEST(Diagnosis, a_box_at_rest_on_four_corners_has_one_motion) {
  for (const int boxes : {1, 2, 5, 20}) {
    const ComplementarityProblem problem = scenes::box_stack(boxes);
    Solution solution;
    ASSERT_TRUE(solve(problem, solution));
    EXPECT_EQ(diagnose(problem, solution).verdict, Uniqueness::unique) << boxes;
  }
}

TEST(Diagnosis, a_box_that_slides_and_turns_on_four_corners_has_a_continuum) {
  ComplementarityProblem problem = scenes::box_stack(1, 0.3);
  problem.p[0] = 0.2;   // along x
  problem.p[5] = 0.05;  // and turning
  Solution solution;
  ASSERT_TRUE(solve(problem, solution));
  const Diagnosis found = diagnose(problem, solution);
  EXPECT_EQ(found.verdict, Uniqueness::several);
  EXPECT_TRUE(found.continuum);
  EXPECT_GE(found.solutions.size(), 2u);
  EXPECT_GT(found.distance, 0.0);
  // What it shows obeys the laws.
  for (const Solution& one : found.solutions) EXPECT_LT(residual(problem, one).relative, 1e-10);
}

TEST(Diagnosis, a_box_that_slides_without_turning_on_four_corners_has_one_motion) {
  ComplementarityProblem problem = scenes::box_stack(1, 0.3);
  problem.p[0] = 0.2;
  Solution solution;
  ASSERT_TRUE(solve(problem, solution));
  const Diagnosis found = diagnose(problem, solution);
  EXPECT_EQ(found.verdict, Uniqueness::unique);
  EXPECT_TRUE(found.locally_unique && found.complete);
}

// A rod at 60° whose end slides into Painlevé's paradox: open, sticking, sliding (see
// all_solutions_test.cpp).
TEST(Diagnosis, painleves_rod_has_three_motions) {
  ComplementarityProblem problem;
  problem.M = SparseRows::from_dense(Vector3(1.0, 1.0, 1.0 / 12.0).asDiagonal().toDenseMatrix());
  MatrixX J(2, 3);
  J << 0, 1, -0.25, 1, 0, 0.5 * std::sin(M_PI / 3.0);
  problem.J = SparseRows::from_dense(J);
  problem.C = SparseRows::from_dense(MatrixX::Zero(2, 2));
  problem.b = VectorX::Zero(2);
  problem.p = Vector3(-1.0, 0.05, 0.0);
  problem.blocks = {{.law = Law::coulomb, .offset = 0, .size = 2, .friction = 3.0}};
  const AllSolutions all = all_solutions(problem);
  ASSERT_EQ(all.solutions.size(), 3u);
  for (const FoundSolution& one : all.solutions) {
    const Diagnosis found = diagnose(problem, one.solution);
    EXPECT_EQ(found.verdict, Uniqueness::several);
    EXPECT_EQ(found.solutions.size(), 3u);
    EXPECT_FALSE(found.continuum);
  }
}

// Quasi-static: 0 = −Jᵀλ − p, without friction. A particle between walls that move in keeps its
// motion across them open.
TEST(Diagnosis, a_particle_that_a_wall_pushes_may_slide_along_it) {
  ComplementarityProblem problem;
  problem.M.reset(2), problem.M.end_row(), problem.M.end_row();
  MatrixX J(1, 2);
  J << 1, 0;
  problem.J = SparseRows::from_dense(J);
  problem.C = SparseRows::from_dense(MatrixX::Zero(1, 1));
  problem.p = VectorX::Zero(2);
  problem.b = VectorX::Constant(1, -0.5);
  problem.blocks = {{Law::nonnegative, 0, 1}};
  const Solution solution{Eigen::Vector2d(0.5, 0.0), VectorX::Zero(1)};
  const SparseRows inertia = SparseRows::from_dense(MatrixX::Identity(2, 2));
  const MotionMeasure measure = plain(2);
  const Diagnosis found = Diagnoser()(
      {.problem = problem, .inertia = &inertia, .solution = solution, .measure = measure});
  EXPECT_EQ(found.verdict, Uniqueness::several);
  EXPECT_TRUE(found.continuum);
}

TEST(Diagnosis, an_answer_that_is_none_is_not_called_unique) {
  const ComplementarityProblem problem = scenes::box_stack(1);
  Solution wrong;
  ASSERT_TRUE(solve(problem, wrong));
  wrong.lambda *= 1.01;
  EXPECT_EQ(diagnose(problem, wrong).verdict, Uniqueness::unknown);
}

TEST(Diagnosis, the_same_problem_and_seed_give_the_same_answer) {
  ComplementarityProblem problem = scenes::box_stack(1, 0.3);
  problem.p[0] = 0.2;
  problem.p[5] = 0.05;
  Solution solution;
  ASSERT_TRUE(solve(problem, solution));
  const Diagnosis one = diagnose(problem, solution), other = diagnose(problem, solution);
  ASSERT_EQ(one.solutions.size(), other.solutions.size());
  for (std::size_t k = 0; k < one.solutions.size(); ++k)
    EXPECT_EQ(one.solutions[k].u, other.solutions[k].u);
}

// Planar contacts with regular W: plain trial finds every solution.
TEST(DiagnosisOracle, no_second_motion_where_2000_problems_with_large_friction_are_called_unique) {
  std::mt19937_64 random(17);
  std::uniform_real_distribution<double> friction(0.1, 5.0);
  int asked = 0, unique = 0, several = 0, unknown = 0;
  Diagnoser diagnoser;
  for (int trial = 0; asked < 2000; ++trial) {
    const RandomContacts what{.bodies = 2,
                              .contacts = 1 + trial % 3,
                              .directions = 0,
                              .friction = friction(random),
                              .mass_ratio = trial % 4 == 0 ? 30.0 : 1.0,
                              .largest_gap = trial % 2 == 0 ? 0.5 : 0.0};
    const ComplementarityProblem problem = random_contacts(what, random);
    Condensation condensation;
    ASSERT_TRUE(condensation.condense(problem));
    const MatrixX W = condensation.W();
    if (Eigen::FullPivLU<MatrixX>(W).rcond() < 1e-6) continue;
    Solution solution;
    if (!solve(problem, solution)) continue;
    ++asked;
    const std::vector<VectorX> tried = all_solutions(problem.blocks, W, condensation.q());
    double apart = 0.0;
    VectorX u;
    for (const VectorX& lambda : tried) {
      condensation.recover(problem, lambda, u);
      apart = std::max(apart, (u - solution.u).cwiseAbs().maxCoeff());
    }
    const MotionMeasure measure = plain(problem.unknowns());
    const Diagnosis found =
        diagnoser({.problem = problem, .solution = solution, .measure = measure});
    unique += found.verdict == Uniqueness::unique;
    several += found.verdict == Uniqueness::several;
    unknown += found.verdict == Uniqueness::unknown;
    if (found.verdict == Uniqueness::unique) {
      EXPECT_LT(apart, 1e-5) << "problem " << trial;
    } else if (found.verdict == Uniqueness::several) {
      EXPECT_GT(apart, 1e-7) << "problem " << trial;
    }
  }
  EXPECT_GE(unique, 1000);
  EXPECT_GE(several, 20);
  EXPECT_EQ(unknown, 0);  // small planar problems are decided
}

// Starts that the diagnosis does not make.
TEST(DiagnosisOracle, random_starts_find_no_other_motion_where_it_says_unique) {
  std::mt19937_64 random(19);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  GaussSeidelSolver sweeps({.tolerance = 1e-11, .max_iterations = 500});
  int unique = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const ComplementarityProblem problem = scenes::random_pile(random, 2, 2 + trial % 4, 1);
    Solution answer;
    if (!solve(problem, answer) ||
        diagnose(problem, answer, {.choices = 200}).verdict != Uniqueness::unique)
      continue;
    ++unique;
    for (int start = 0; start < 6; ++start) {
      Solution other = answer;
      for (double& x : other.lambda) x = 5.0 * unit(random);
      if (sweeps.solve(problem, other).status != SolveStatus::solved) continue;
      EXPECT_LT((other.u - answer.u).cwiseAbs().maxCoeff(), 1e-6) << trial;
    }
  }
  EXPECT_GE(unique, 5);
}

}  // namespace
}  // namespace vinci
