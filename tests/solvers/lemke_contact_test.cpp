// SPDX-License-Identifier: Apache-2.0
// Friction pyramids are copositive, and Lemke's scheme solves every one whose gaps are not negative
// [Stewart 1996; Anitescu 1997]: thousands of them, degenerate and badly scaled. And the open
// problem set, where it is present.
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "contact_examples.h"
#include "tests/support/open_problems.h"
#include "vinci/base/clock.h"
#include "vinci/complementarity/problem_file.h"
#include "vinci/solvers/lemke.h"

namespace vinci {
namespace {

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
    ASSERT_TRUE(is_settled(report.residual, 1e-12))
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

TEST(LemkeContact, open_problem_set_is_solved) {
  const std::filesystem::path folder = test::open_problems();
  if (folder.empty()) GTEST_SKIP() << test::no_open_problems;
  LemkeSolver solver;
  for (const char* const kind : {"lcp", "mlcp", "relay", "fc2d"}) {
    for (const auto& entry : std::filesystem::directory_iterator(folder / kind)) {
      const ComplementarityProblem problem = load_problem(entry.path().string());
      if (problem.rows() > 700) continue;
      Solution solution{VectorX::Zero(problem.unknowns()), VectorX::Zero(problem.rows())};
      const Stopwatch watch;
      const SolveReport report = solver.solve(problem, solution);
      EXPECT_TRUE(is_settled(report.residual, 1e-12)) << entry.path();
      EXPECT_LT(report.residual.relative, 1e-10) << entry.path();
      EXPECT_LT(watch.seconds(), 5.0) << entry.path();  // n³ at 650 rows: 0.3 s on a quiet core
    }
  }
}

}  // namespace
}  // namespace vinci
