// SPDX-License-Identifier: Apache-2.0
// Enumeration of all solutions: problems whose number of solutions is known, continua with their
// dimension, and plain trial of every combination as the second route.
#include "vinci/proofs/all_solutions.h"

#include <random>

#include <gtest/gtest.h>

#include "tests/support/contact_examples.h"
#include "tests/support/contact_scenes.h"
#include "tests/support/enumeration.h"
#include "vinci/base/error.h"
#include "vinci/complementarity/condense.h"
#include "vinci/splitting/gauss_seidel.h"

namespace vinci {
namespace {

// No u: w = W λ + q under the blocks' laws.
ComplementarityProblem local(const MatrixX& W, const VectorX& q, std::vector<Block> blocks) {
  ComplementarityProblem problem = lcp(W, q);
  problem.blocks = std::move(blocks);
  return problem;
}

VectorX vector(std::initializer_list<double> values) {
  VectorX result(static_cast<Eigen::Index>(values.size()));
  Eigen::Index k = 0;
  for (const double value : values) result[k++] = value;
  return result;
}

Block coulomb(int offset, int size, double friction) {
  Block block{Law::coulomb, offset, size};
  block.friction = friction;
  return block;
}

TEST(AllSolutions, definite_matrices_have_one) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  for (const int n : {1, 5, 12, 20}) {
    MatrixX A(n, n);
    VectorX q(n);
    for (double& x : A.reshaped()) x = unit(random);
    for (double& x : q) x = unit(random);
    const MatrixX M = A * A.transpose() + 0.1 * MatrixX::Identity(n, n);
    const AllSolutions all = all_solutions(lcp(M, q));
    EXPECT_TRUE(all.complete) << all.note;
    ASSERT_EQ(all.solutions.size(), 1u) << n;
    EXPECT_LT(all.solutions[0].residual.relative, 1e-12);
    EXPECT_LT(all.pieces + all.cut, 10000) << n;  // a hundredth of 2²⁰
  }
}

TEST(AllSolutions, minus_identity_has_two_to_the_n) {
  for (const int n : {1, 4, 10}) {
    const AllSolutions all = all_solutions(lcp(-MatrixX::Identity(n, n), VectorX::Ones(n)));
    EXPECT_TRUE(all.complete);
    EXPECT_EQ(all.solutions.size(), std::size_t{1} << n);
    for (const FoundSolution& one : all.solutions) EXPECT_EQ(one.dimension, 0);
  }
}

TEST(AllSolutions, murtys_triangular_matrix_has_one) {
  constexpr int n = 12;  // Lemke's scheme visits 2ⁿ bases of it
  MatrixX M = MatrixX::Identity(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j) M(i, j) = 2.0;
  const AllSolutions all = all_solutions(lcp(M, -VectorX::Ones(n)));
  ASSERT_EQ(all.solutions.size(), 1u);
  VectorX expected = VectorX::Zero(n);
  expected[0] = 1.0;
  EXPECT_LT((all.solutions[0].solution.lambda - expected).norm(), 1e-14);
}

// One planar contact whose sliding makes W_NN − μ W_NT negative (Painlevé's rod): open, sticking
// and sliding are all consistent, or only the impact that sticks, by the sign of q_n.
TEST(AllSolutions, painleves_rod_has_three_or_one) {
  MatrixX W(2, 2);
  W << 1.75, 1.299, 1.299, 3.25;
  const AllSolutions three = all_solutions(local(W, vector({0.1, 1.0}), {coulomb(0, 2, 2.0)}));
  EXPECT_TRUE(three.complete);
  ASSERT_EQ(three.solutions.size(), 3u);
  EXPECT_EQ(to_string(three.solutions[0].modes), "open");
  EXPECT_EQ(to_string(three.solutions[1].modes), "stick");
  EXPECT_EQ(to_string(three.solutions[2].modes), "slide");
  EXPECT_NEAR(three.solutions[2].solution.lambda[0], 0.1 / (2.0 * 1.299 - 1.75), 1e-14);
  const AllSolutions one = all_solutions(local(W, vector({-1e-3, 1.0}), {coulomb(0, 2, 2.0)}));
  ASSERT_EQ(one.solutions.size(), 1u);
  EXPECT_EQ(to_string(one.solutions[0].modes), "stick");
}

TEST(AllSolutions, none_one_or_two_where_sliding_is_forced) {
  const auto count = [](double q) {
    const AllSolutions all = all_solutions(lcp(-MatrixX::Ones(1, 1), vector({q})));
    EXPECT_TRUE(all.complete);
    return all.solutions.size();
  };
  EXPECT_EQ(count(-1.0), 0u);
  EXPECT_EQ(count(0.0), 1u);  // open and closed at once: one point
  EXPECT_EQ(count(1.0), 2u);
}

TEST(AllSolutions, continua_are_reported_once_with_their_dimension) {
  MatrixX swap(2, 2);
  swap << 0, -1, -1, 0;
  EXPECT_EQ(all_solutions(lcp(swap, vector({1, 1}))).solutions.size(), 2u);
  const AllSolutions segment = all_solutions(lcp(swap, vector({0, 1})));  // λ₁ from 0 to 1
  ASSERT_EQ(segment.solutions.size(), 1u);
  EXPECT_EQ(segment.solutions[0].dimension, 1);
  EXPECT_EQ(to_string(segment.solutions[0].modes), "closed, open");
  const AllSolutions quadrant = all_solutions(lcp(MatrixX::Zero(3, 3), vector({0, 0, 1})));
  ASSERT_EQ(quadrant.solutions.size(), 1u);
  EXPECT_EQ(quadrant.solutions[0].dimension, 2);
  EXPECT_GT(quadrant.solutions[0].solution.lambda.head(2).minCoeff(), 0.0);
}

TEST(AllSolutions, a_planar_box_on_four_points_has_a_continuum_of_loads_and_one_motion) {
  // Weight on a row of four points, all sticking: 8 impulses, 3 equations.
  MatrixX J = MatrixX::Zero(8, 3);
  for (int c = 0; c < 4; ++c) {
    const double x = -1.5 + c;
    J.row(2 * c) << 0, 1, x;
    J.row(2 * c + 1) << 1, 0, 0.5;
  }
  ComplementarityProblem problem;
  problem.M = SparseRows::from_dense(MatrixX::Identity(3, 3));
  problem.J = SparseRows::from_dense(J);
  problem.C = SparseRows::from_dense(MatrixX::Zero(8, 8));
  problem.p = vector({0.1, -1.0, 0.0});
  problem.b = VectorX::Zero(8);
  for (int c = 0; c < 4; ++c) problem.blocks.push_back(coulomb(2 * c, 2, 0.5));
  const AllSolutions all = all_solutions(problem);
  EXPECT_TRUE(all.complete);
  ASSERT_EQ(all.solutions.size(), 1u);
  EXPECT_EQ(all.solutions[0].dimension, 5);
  EXPECT_EQ(to_string(all.solutions[0].modes), "stick, stick, stick, stick");
  EXPECT_LT(all.solutions[0].solution.u.norm(), 1e-12);
}

TEST(AllSolutions, agree_with_trial_of_every_combination) {
  std::mt19937_64 random(8);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  const Block limits{.law = Law::box, .offset = 5, .lower = -0.5, .upper = 0.3};
  const Block limits2{.law = Law::box, .offset = 6, .lower = -0.2, .upper = 0.7};
  const std::vector<Block> blocks = {{Law::equality, 0, 1},
                                     {Law::nonnegative, 1, 1},
                                     {Law::nonnegative, 2, 1},
                                     coulomb(3, 2, 0.7),
                                     limits,
                                     limits2};
  std::size_t most = 0, none = 0;
  for (int trial = 0; trial < 60; ++trial) {
    MatrixX W(7, 7);
    VectorX q(7);
    for (double& x : W.reshaped()) x = unit(random);
    for (double& x : q) x = unit(random);
    const AllSolutions all = all_solutions(local(W, q, blocks));
    const std::vector<VectorX> tried = all_solutions(blocks, W, q);
    ASSERT_EQ(all.solutions.size(), tried.size()) << trial;
    for (const FoundSolution& one : all.solutions)
      EXPECT_LT(distance(one.solution.lambda, tried), 1e-9 * (1.0 + one.solution.lambda.norm()));
    most = std::max(most, tried.size());
    none += tried.empty();
  }
  EXPECT_GE(most, 4u);
  EXPECT_GE(none, 1u);
}

TEST(AllSolutions, spatial_contacts_include_what_the_sweeps_find) {
  std::mt19937_64 random(9);
  int slides = 0, compared = 0;
  for (int trial = 0; trial < 10; ++trial) {
    const ComplementarityProblem problem = scenes::random_pile(random, 2, 3, 1);
    Solution sweeps{VectorX::Zero(problem.unknowns()), VectorX::Zero(problem.rows())};
    if (GaussSeidelSolver().solve(problem, sweeps).status != SolveStatus::solved) continue;
    const AllSolutions all = all_solutions(problem);
    double nearest = std::numeric_limits<double>::infinity();
    for (const FoundSolution& one : all.solutions) {
      nearest = std::min(nearest, (one.solution.u - sweeps.u).cwiseAbs().maxCoeff());
      const auto& modes = one.modes;
      slides += std::find(modes.begin(), modes.end(), BlockMode::slide) != modes.end();
    }
    EXPECT_LT(nearest, 1e-8) << trial << ": " << all.solutions.size();
    ++compared;
  }
  EXPECT_GE(compared, 8);
  EXPECT_GE(slides, 3);
}

TEST(AllSolutions, a_box_at_rest_on_four_points_in_space) {
  const AllSolutions all = all_solutions(scenes::box_stack(1));
  ASSERT_EQ(all.solutions.size(), 1u);
  EXPECT_EQ(all.solutions[0].dimension, 6);  // 12 impulses, 6 equations
  EXPECT_EQ(to_string(all.solutions[0].modes), "stick, stick, stick, stick");
}

TEST(AllSolutions, a_box_that_slides_in_space_is_one_set_of_loads) {
  ComplementarityProblem problem = scenes::box_stack(1, 0.3);
  problem.p[0] = 0.2;  // m/s, along x, 1 kg
  problem.p[1] = 0.1;
  const AllSolutions all = all_solutions(problem);
  EXPECT_FALSE(all.complete);
  EXPECT_NE(all.note, "");
  ASSERT_EQ(all.solutions.size(), 1u);
  EXPECT_EQ(to_string(all.solutions[0].modes), "slide, slide, slide, slide");
  EXPECT_EQ(all.solutions[0].dimension, 1);  // four normal loads, three equations
  EXPECT_LT(all.solutions[0].residual.relative, 1e-10);
}

TEST(AllSolutions, no_rows_have_the_free_motion) {
  ComplementarityProblem free = scenes::spatial_problem({scenes::unit_box({0, 0, 1})}, {});
  const AllSolutions all = all_solutions(free);
  ASSERT_EQ(all.solutions.size(), 1u);
  EXPECT_NEAR(all.solutions[0].solution.u[2], -9.81e-3, 1e-15);
  EXPECT_EQ(all_solutions(lcp(MatrixX(0, 0), VectorX(0))).solutions.size(), 1u);
}

TEST(AllSolutions, quasi_static_problems_keep_u) {
  ComplementarityProblem problem;  // 0 = −λ + 2, w = u + 0.5
  problem.M.reset(1), problem.M.end_row();
  problem.J = SparseRows::from_dense(MatrixX::Ones(1, 1));
  problem.C.reset(1), problem.C.end_row();
  problem.p = vector({-2.0});
  problem.b = vector({0.5});
  problem.blocks = {{Law::nonnegative, 0, 1}};
  const AllSolutions all = all_solutions(problem);
  ASSERT_EQ(all.solutions.size(), 1u);
  EXPECT_NEAR(all.solutions[0].solution.lambda[0], 2.0, 1e-14);
  EXPECT_NEAR(all.solutions[0].solution.u[0], -0.5, 1e-14);
}

TEST(AllSolutions, limits_of_number_and_time_are_kept_and_said) {
  const ComplementarityProblem many = lcp(-MatrixX::Identity(24, 24), VectorX::Ones(24));
  AllSolutionsLimits limits;
  limits.solutions = 50;
  const AllSolutions few = all_solutions(many, limits);
  EXPECT_EQ(few.solutions.size(), 50u);
  EXPECT_FALSE(few.complete);
  EXPECT_EQ(few.note, "more solutions than asked for");
  limits.solutions = 1 << 24;
  limits.seconds = 0.0;
  const AllSolutions none = all_solutions(many, limits);
  EXPECT_EQ(none.solutions.size(), 0u);
  EXPECT_FALSE(none.complete);
  EXPECT_EQ(none.note, "time ran out");
}

TEST(AllSolutions, refuse_in_words) {
  EXPECT_THROW(all_solutions(lcp(MatrixX::Identity(25, 25), VectorX::Ones(25))), Error);
  EXPECT_THROW(all_solutions(lcp(MatrixX::Identity(1, 1), vector({std::nan("")}))), Error);
}

}  // namespace
}  // namespace vinci
