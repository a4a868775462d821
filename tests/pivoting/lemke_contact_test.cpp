// SPDX-License-Identifier: Apache-2.0
// Friction pyramids are copositive, and Lemke's scheme solves every one whose gaps are not negative
// [Stewart 1996; Anitescu 1997]: thousands of them, degenerate and badly scaled. And the open
// problem set, where it is present.
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "tests/support/contact_examples.h"
#include "tests/support/contact_scenes.h"
#include "tests/support/open_problems.h"
#include "vinci/complementarity/problem_file.h"
#include "vinci/pivoting/lemke.h"

namespace vinci {
namespace {

// Coulomb blocks in space as pyramids of so many directions: rows (λ_n; λ_f; σ) a contact.
ComplementarityProblem pyramids(const ComplementarityProblem& round, int directions) {
  using Sparse = Eigen::SparseMatrix<double, Eigen::RowMajor, int>;
  const int count = static_cast<int>(round.blocks.size()), size = directions + 2;
  ComplementarityProblem problem;
  problem.M = round.M;
  problem.p = round.p;
  problem.b.setZero(count * size);
  std::vector<Eigen::Triplet<double>> turn, couplings;  // J of the pyramid = turn · J
  for (int c = 0; c < count; ++c) {
    const int row = c * size, from = round.blocks[static_cast<std::size_t>(c)].offset;
    const int slip = row + directions + 1;
    turn.emplace_back(row, from, 1.0);
    for (int k = 1; k <= directions; ++k) {
      const double angle = 2.0 * M_PI * k / directions;
      turn.emplace_back(row + k, from + 1, std::cos(angle));
      turn.emplace_back(row + k, from + 2, std::sin(angle));
      couplings.emplace_back(row + k, slip, 1.0);
      couplings.emplace_back(slip, row + k, -1.0);
    }
    couplings.emplace_back(slip, row, round.blocks[static_cast<std::size_t>(c)].friction);
    for (int k = 0; k < size; ++k) problem.blocks.push_back({Law::nonnegative, row + k, 1});
  }
  Sparse T(count * size, round.rows()), C(count * size, count * size);
  T.setFromTriplets(turn.begin(), turn.end());
  C.setFromTriplets(couplings.begin(), couplings.end());
  problem.J = SparseRows::from(Sparse(T * round.J.view()));
  problem.C = SparseRows::from(C);
  return problem;
}

void expect_all_solved(RandomContacts what, int count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  LemkeSolver solver;
  for (int k = 0; k < count; ++k) {
    what.bodies = 1 + k % 3;
    what.contacts = 1 + k % 6;
    const ComplementarityProblem problem = random_contacts(what, random);
    Solution solution{VectorX::Zero(problem.unknowns()), VectorX::Zero(problem.rows())};
    const SolveReport report = solver.solve(problem, solution);
    // Huge friction and mass ratios lift the rounding of w above 1e-12.
    ASSERT_TRUE(Accuracy{1e-12}.is_settled(report.residual))
        << "directions " << what.directions << ", friction " << what.friction << ", number " << k
        << ": " << report.note << ", residual " << report.residual.relative;
  }
}

TEST(LemkeContact, moving_bodies_with_any_number_of_directions) {
  for (const int directions : {0, 2, 4, 5, 6, 8, 12, 16})
    for (const double friction : {0.0, 0.1, 0.5, 2.0})
      expect_all_solved({1, 1, directions, friction}, 100, 31);
}

TEST(LemkeContact, contacts_that_may_close_in_the_step) {
  for (const int directions : {0, 2, 4, 8}) {
    RandomContacts what{1, 1, directions, 0.7};
    what.largest_gap = 1.0;
    expect_all_solved(what, 200, 32);
  }
}

TEST(LemkeContact, degenerate_bodies_at_rest) {
  for (const int directions : {0, 2, 4, 8, 16}) {
    RandomContacts what{1, 1, directions, 0.5};
    what.speed = 0.0;
    expect_all_solved(what, 200, 33);
  }
}

TEST(LemkeContact, huge_friction) {
  for (const int directions : {0, 2, 4, 8})
    for (const double friction : {1e3, 1e6})
      expect_all_solved({1, 1, directions, friction}, 100, 34);
}

TEST(LemkeContact, mass_ratio_of_a_hundred_million) {
  for (const int directions : {0, 2, 4, 8}) {
    RandomContacts what{1, 1, directions, 0.5};
    what.mass_ratio = 1e8;
    expect_all_solved(what, 200, 35);
  }
}

TEST(LemkeContact, contacts_repeated_a_hundred_times) {
  for (const int directions : {0, 4}) {
    std::mt19937_64 random(36);
    RandomContacts what{1, 1, directions, 0.5};
    what.copies = 100;
    LemkeSolver solver;
    for (const double speed : {0.0, 1.0}) {
      what.speed = speed;
      const ComplementarityProblem problem = random_contacts(what, random);
      Solution solution{VectorX::Zero(problem.unknowns()), VectorX::Zero(problem.rows())};
      const SolveReport report = solver.solve(problem, solution);
      EXPECT_EQ(report.status, SolveStatus::solved) << report.residual.relative;
    }
  }
}

TEST(LemkeContact, planar_coulomb_and_its_pyramid_of_two_directions_move_alike) {
  std::mt19937_64 random(37);
  LemkeSolver solver;
  for (int k = 0; k < 200; ++k) {
    const auto same = random;
    const auto velocities = [&](int directions) {
      random = same;
      const ComplementarityProblem problem =
          random_contacts({1 + k % 3, 1 + k % 4, directions, 0.3}, random);
      Solution solution{VectorX::Zero(problem.unknowns()), VectorX::Zero(problem.rows())};
      EXPECT_EQ(solver.solve(problem, solution).status, SolveStatus::solved);
      return solution.u;
    };
    const VectorX block = velocities(0), pyramid = velocities(2);
    EXPECT_LT((block - pyramid).norm(), 1e-10) << k;
  }
}

// --- warm start ---

TEST(LemkeContact, guess_with_the_right_basis_needs_no_pivot) {
  std::mt19937_64 random(38);
  LemkeSolver solver;
  int at_once = 0;
  for (int k = 0; k < 200; ++k) {
    RandomContacts what{1 + k % 3, 1 + k % 6, k % 3 == 0 ? 0 : 4, 0.5};
    ComplementarityProblem problem = random_contacts(what, random);
    Solution solution{VectorX::Zero(problem.unknowns()), VectorX::Zero(problem.rows())};
    ASSERT_EQ(solver.solve(problem, solution).status, SolveStatus::solved);
    problem.p *= 1.0 + 1e-3;  // as the next step: another solution with the same basis
    Solution cold{VectorX::Zero(problem.unknowns()), VectorX::Zero(problem.rows())};
    ASSERT_EQ(solver.solve(problem, cold).status, SolveStatus::solved);
    const SolveReport warm = solver.solve(problem, solution);
    ASSERT_EQ(warm.status, SolveStatus::solved);
    at_once += warm.iterations == 0;
    EXPECT_LT((solution.u - cold.u).norm(), 1e-9 * (1.0 + cold.u.norm())) << k;
  }
  EXPECT_GE(at_once, 160);  // λ alone does not tell the basis of a degenerate vertex
}

TEST(LemkeContact, any_guess_leads_to_a_solution) {
  std::mt19937_64 random(39);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  for (const int largest_dense : {1000, 0}) {
    LemkeSolver::Settings settings;
    settings.largest_dense = largest_dense;
    LemkeSolver solver(settings);
    for (int k = 0; k < 200; ++k) {
      const ComplementarityProblem problem =
          random_contacts({1 + k % 3, 1 + k % 6, k % 2 == 0 ? 0 : 6, 0.5}, random);
      Solution solution{VectorX::Zero(problem.unknowns()), VectorX::Zero(problem.rows())};
      for (int i = 0; i < problem.rows(); ++i) solution.lambda[i] = std::max(0.0, unit(random));
      if (k % 10 == 0) solution.lambda[0] = std::nan("");
      const SolveReport report = solver.solve(problem, solution);
      ASSERT_TRUE(Accuracy{1e-12}.is_settled(report.residual))
          << k << ": " << report.residual.relative;
    }
  }
}

// --- large problems: sparse factors ---

TEST(LemkeContact, sparse_and_dense_pivoting_move_bodies_alike) {
  std::mt19937_64 random(40);
  LemkeSolver::Settings settings;
  LemkeSolver dense(settings);
  settings.largest_dense = 0;
  LemkeSolver sparse(settings);
  for (int k = 0; k < 200; ++k) {
    const ComplementarityProblem problem =
        random_contacts({1 + k % 4, 1 + k % 8, k % 2 == 0 ? 0 : 4, 0.4}, random);
    Solution first{VectorX::Zero(problem.unknowns()), VectorX::Zero(problem.rows())};
    Solution second = first;
    ASSERT_EQ(dense.solve(problem, first).status, SolveStatus::solved);
    ASSERT_EQ(sparse.solve(problem, second).status, SolveStatus::solved);
    EXPECT_LT((first.u - second.u).norm(), 1e-9 * (1.0 + first.u.norm())) << k;
  }
}

TEST(LemkeContact, wall_of_thirty_bricks_in_one_piece_is_solved_by_sparse_pivoting) {
  const ComplementarityProblem wall = pyramids(scenes::brick_wall(6, 5), 4);
  ASSERT_EQ(wall.rows(), 1200);
  LemkeSolver solver;
  Solution solution{VectorX::Zero(wall.unknowns()), VectorX::Zero(wall.rows())};
  const SolveReport report = solver.solve(wall, solution);
  EXPECT_EQ(report.status, SolveStatus::solved);
  EXPECT_LT(report.iterations, 1200);
  EXPECT_LT(solution.u.norm(), 1e-9);  // it stands
  solution.lambda *= 1.0 + 1e-9;
  EXPECT_EQ(solver.solve(wall, solution).status, SolveStatus::solved);
}

TEST(LemkeContact, connected_pile_of_1700_rows_is_solved_by_sparse_pivoting) {
  std::mt19937_64 random(5);
  const ComplementarityProblem pile = pyramids(scenes::random_pile(random, 110, 285, 1), 4);
  LemkeSolver solver;
  Solution solution{VectorX::Zero(pile.unknowns()), VectorX::Zero(pile.rows())};
  const SolveReport report = solver.solve(pile, solution);
  EXPECT_EQ(report.status, SolveStatus::solved) << report.residual.relative;
}

TEST(LemkeContact, time_limit_is_honoured_dense_and_sparse) {
  std::mt19937_64 random(6);
  const ComplementarityProblem pile = pyramids(scenes::random_pile(random, 150, 400, 1), 4);
  for (const int largest_dense : {0, 3000}) {
    LemkeSolver::Settings settings;
    settings.largest_dense = largest_dense;
    LemkeSolver solver(settings);
    solver.limit_time(0.0);
    Solution solution{VectorX::Zero(pile.unknowns()), VectorX::Zero(pile.rows())};
    const SolveReport report = solver.solve(pile, solution);
    EXPECT_EQ(report.status, SolveStatus::limit);
    EXPECT_STREQ(report.note, "time ran out");
    EXPECT_EQ(report.iterations, 0);
    EXPECT_TRUE(solution.lambda.allFinite());
  }
}

TEST(LemkeContact, open_problem_set_is_solved) {
  const std::filesystem::path folder = test::open_problems();
  if (folder.empty()) GTEST_SKIP() << test::no_open_problems;
  LemkeSolver solver;
  for (const char* const kind : {"lcp", "mlcp", "relay", "fc2d"}) {
    int solved = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder / kind)) {
      const ComplementarityProblem problem = load_problem(entry.path().string());
      if (problem.rows() > 2500) continue;
      Solution solution{VectorX::Zero(problem.unknowns()), VectorX::Zero(problem.rows())};
      const SolveReport report = solver.solve(problem, solution);
      EXPECT_TRUE(Accuracy{1e-12}.is_settled(report.residual)) << entry.path();
      EXPECT_LT(report.residual.relative, 1e-10) << entry.path();
      ++solved;
    }
    EXPECT_GT(solved, 0) << kind;
  }
}

}  // namespace
}  // namespace vinci
