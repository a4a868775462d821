// SPDX-License-Identifier: Apache-2.0
#include "vinci/pivoting/principal_pivoting.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "tests/support/allocations.h"
#include "tests/support/contact_examples.h"
#include "tests/support/contact_scenes.h"
#include "tests/support/enumeration.h"
#include "tests/support/open_problems.h"
#include "tests/support/random_matrices.h"
#include "vinci/complementarity/problem_file.h"
#include "vinci/pivoting/lemke.h"

namespace vinci {
namespace {

SolveReport solve(const ComplementarityProblem& problem, Solution& solution) {
  EXPECT_EQ(problem.why_invalid(), "");
  PrincipalPivotingSolver solver;
  solution = {VectorX::Zero(problem.unknowns()), VectorX::Zero(problem.rows())};
  return solver.solve(problem, solution);
}

TEST(PrincipalPivoting, p_matrices_under_bounds_agree_with_enumeration) {
  std::mt19937_64 random(71);
  for (int round = 0; round < 300; ++round) {
    const int m = 2 + round % 5;
    ComplementarityProblem problem =
        lcp(random_p_matrix(m, random), 2.0 * random_matrix(m, 1, random));
    if (round % 2 == 0) problem.blocks[0].law = Law::equality;
    if (round % 3 == 0) problem.blocks[1] = {Law::box, 1, 1, 0.0, -0.5, 0.3};
    if (round % 5 == 0) problem.blocks.back() = {Law::ball, m - 1, 1, 0.0, 0.0, 0.2};
    Solution solution;
    const SolveReport report = solve(problem, solution);
    ASSERT_EQ(report.status, SolveStatus::solved) << round << ": " << report.note;
    Condensation condensation;
    condensation.condense(problem);
    if (round % 5 == 0) problem.blocks.back() = {Law::box, m - 1, 1, 0.0, -0.2, 0.2};  // the same
    const auto exact = all_solutions(problem.blocks, condensation.W(), condensation.q());
    EXPECT_LT(distance(solution.lambda, exact), 1e-9) << round;
  }
}

TEST(PrincipalPivoting, cyclic_p_matrix_ends_by_single_steps) {
  // Changing all wrong rows at once returns to where it was.
  const MatrixX M = (MatrixX(3, 3) << 1, 2, 0, 0, 1, 2, 2, 0, 1).finished();
  Solution solution;
  ASSERT_EQ(solve(lcp(M, Vector3(-1, -1, -1)), solution).status, SolveStatus::solved);
  EXPECT_LT((solution.lambda - Vector3::Constant(1.0 / 3.0)).norm(), 1e-12);
}

TEST(PrincipalPivoting, murtys_problem_is_solved_at_every_size) {
  for (int n = 1; n <= 12; ++n) {  // single steps take up to 2^n
    MatrixX M = MatrixX::Identity(n, n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < i; ++j) M(i, j) = 2.0;
    Solution solution;
    ASSERT_EQ(solve(lcp(M, -VectorX::Ones(n)), solution).status, SolveStatus::solved) << n;
    EXPECT_NEAR(solution.lambda[0], 1.0, 1e-11);
  }
}

// Contacts without friction: only the normal rows carry impulses.
ComplementarityProblem frictionless(ComplementarityProblem problem) {
  for (Block& block : problem.blocks) block.friction = 0.0;
  return problem;
}

TEST(PrincipalPivoting, singular_contact_problems_move_bodies_as_lemke_does) {
  std::mt19937_64 random(72);
  LemkeSolver lemke;
  for (int round = 0; round < 40; ++round) {
    // More contacts than freedoms, some repeated: W is singular.
    const ComplementarityProblem problem =
        frictionless(scenes::random_pile(random, 1 + round % 6, 10 + round, 3));
    Solution solution, reference{VectorX::Zero(problem.unknowns()), VectorX::Zero(problem.rows())};
    const SolveReport report = solve(problem, solution);
    ASSERT_TRUE(Accuracy{1e-12}.is_settled(report.residual))
        << round << ": " << report.residual.relative;
    lemke.solve(problem, reference);
    EXPECT_LT((solution.u - reference.u).norm(), 1e-8 * (1.0 + reference.u.norm())) << round;
  }
}

TEST(PrincipalPivoting, wall_without_friction_is_solved_and_solved_again_at_once) {
  const ComplementarityProblem wall = frictionless(scenes::brick_wall(8, 6));
  PrincipalPivotingSolver solver;
  Solution solution{VectorX::Zero(wall.unknowns()), VectorX::Zero(wall.rows())};
  ASSERT_EQ(solver.solve(wall, solution).status, SolveStatus::solved);
  const SolveReport again = solver.solve(wall, solution);
  EXPECT_EQ(again.status, SolveStatus::solved);
  EXPECT_LE(again.iterations, 2);
}

TEST(PrincipalPivoting, never_calls_solved_what_is_not) {
  std::mt19937_64 random(73);
  int solved = 0;
  for (int round = 0; round < 2000; ++round) {
    const int n = 1 + round % 6;
    const ComplementarityProblem problem =
        lcp(random_matrix(n, n, random), random_matrix(n, 1, random));
    Solution solution;
    const SolveReport report = solve(problem, solution);
    EXPECT_EQ(report.residual.relative, residual(problem, solution).relative);
    if (report.status != SolveStatus::solved) continue;
    ++solved;
    EXPECT_LE(report.residual.relative, 1e-12);
  }
  EXPECT_GT(solved, 500);
}

TEST(PrincipalPivoting, refuses_friction_in_words) {
  ComplementarityProblem problem = lcp(MatrixX::Identity(2, 2), Vector2(-1, 0));
  problem.blocks = {{Law::coulomb, 0, 2, 0.5}};
  PrincipalPivotingSolver solver;
  EXPECT_NE(solver.why_not(problem).find("use the solver 'lemke'"), std::string::npos);
  Solution solution{VectorX(0), VectorX::Zero(2)};
  EXPECT_EQ(solver.solve(problem, solution).status, SolveStatus::refused);
  problem.blocks[0].friction = 0.0;
  EXPECT_EQ(solver.why_not(problem), "");
  EXPECT_EQ(solver.solve(problem, solution).status, SolveStatus::solved);
}

TEST(PrincipalPivoting, limits_are_honoured) {
  std::mt19937_64 random(74);
  const ComplementarityProblem problem =
      lcp(random_p_matrix(60, random), random_matrix(60, 1, random));
  PrincipalPivotingSolver::Settings settings;
  settings.max_iterations = 1;
  PrincipalPivotingSolver solver(settings);
  Solution solution{VectorX(0), VectorX::Zero(60)};
  EXPECT_EQ(solver.solve(problem, solution).status, SolveStatus::limit);
  PrincipalPivotingSolver timed;
  timed.limit_time(0.0);
  solution.lambda.setZero();
  EXPECT_EQ(timed.solve(problem, solution).status, SolveStatus::limit);
}

TEST(PrincipalPivoting, settled_sequence_of_one_shape_does_not_allocate) {
  if (!allocations_are_counted()) GTEST_SKIP() << "the sanitizer has its own allocator";
  std::mt19937_64 random(75);
  std::vector<ComplementarityProblem> sequence;
  for (int k = 0; k < 10; ++k)
    sequence.push_back(frictionless(random_contacts({3, 8, 0, 0.5}, random)));
  PrincipalPivotingSolver solver;
  Solution solution{VectorX::Zero(9), VectorX::Zero(16)};
  for (int pass = 0; pass < 2; ++pass)
    for (const auto& problem : sequence) solver.solve(problem, solution);
  const std::size_t before = allocations();
  for (const auto& problem : sequence)
    ASSERT_EQ(solver.solve(problem, solution).status, SolveStatus::solved);
  EXPECT_EQ(allocations(), before);
}

TEST(PrincipalPivoting, open_problems_under_bounds_are_solved) {
  const std::filesystem::path folder = test::open_problems();
  if (folder.empty()) GTEST_SKIP() << test::no_open_problems;
  for (const char* const kind : {"lcp", "relay"}) {
    int solved = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder / kind)) {
      const std::string name = entry.path().filename().string();
      if (std::string(kind) == "lcp" && name.find("normal_") != 0) continue;
      PrincipalPivotingSolver::Settings settings;
      settings.tolerance = 1e-8;
      PrincipalPivotingSolver solver(settings);
      const ComplementarityProblem problem = load_problem(entry.path().string());
      Solution solution{VectorX::Zero(problem.unknowns()), VectorX::Zero(problem.rows())};
      EXPECT_EQ(solver.solve(problem, solution).status, SolveStatus::solved) << name;
      ++solved;
    }
    EXPECT_GT(solved, 0) << kind;
  }
}

}  // namespace
}  // namespace vinci
