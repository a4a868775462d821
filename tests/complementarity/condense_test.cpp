// SPDX-License-Identifier: Apache-2.0
#include "vinci/complementarity/condense.h"

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "tests/support/contact_examples.h"

namespace vinci {
namespace {

MatrixX dense(const SparseRows& A) {
  return MatrixX(A.view());
}

TEST(Condensation, equals_the_dense_schur_complement) {
  std::mt19937_64 random(11);
  Condensation condensation;
  for (int round = 0; round < 50; ++round) {
    const ComplementarityProblem problem =
        random_contacts({1 + round % 4, 1 + round % 7, round % 2 ? 4 : 0, 0.5}, random);
    ASSERT_EQ(problem.why_invalid(), "");
    ASSERT_TRUE(condensation.condense(problem));
    const MatrixX J = dense(problem.J), inverse = dense(problem.M).inverse();
    const MatrixX W = J * inverse * J.transpose() + dense(problem.C);
    const VectorX q = J * inverse * problem.p + problem.b;
    // A few roundings of each of the at most 24 products.
    EXPECT_LT((condensation.W() - W).cwiseAbs().maxCoeff(), 1e-13 * W.cwiseAbs().maxCoeff());
    EXPECT_LT((condensation.q() - q).cwiseAbs().maxCoeff(), 1e-13 * (1.0 + q.norm()));
  }
}

TEST(Condensation, takes_a_full_unsymmetric_mass_matrix) {
  std::mt19937_64 random(12);
  std::normal_distribution<double> normal;
  const auto draw = [&](int rows, int cols) {
    return MatrixX(MatrixX::NullaryExpr(rows, cols, [&] { return normal(random); }));
  };
  const int n = 20, m = 5;
  const MatrixX M = draw(n, n) + 10.0 * MatrixX::Identity(n, n), J = draw(m, n);
  ComplementarityProblem problem;
  problem.M = SparseRows::from_dense(M);
  problem.J = SparseRows::from_dense(J);
  problem.C = SparseRows::from_dense(MatrixX::Zero(m, m));
  problem.p = draw(n, 1);
  problem.b = draw(m, 1);
  for (int i = 0; i < m; ++i) problem.blocks.push_back({Law::nonnegative, i, 1});
  Condensation condensation;
  ASSERT_TRUE(condensation.condense(problem));
  EXPECT_LT((condensation.W() - J * M.inverse() * J.transpose()).norm(), 1e-12);

  const VectorX lambda = draw(m, 1);
  VectorX u;
  condensation.recover(problem, lambda, u);
  EXPECT_LT((M * u - J.transpose() * lambda - problem.p).norm(), 1e-12);
}

TEST(Condensation, without_unknowns_is_the_problem_itself) {
  const MatrixX M = (MatrixX(2, 2) << 2, -1, 0, 3).finished();
  Condensation condensation;
  ASSERT_TRUE(condensation.condense(lcp(M, Vector2(1, -2))));
  EXPECT_EQ(condensation.W(), M);
  EXPECT_EQ(condensation.q(), Vector2(1, -2));
}

TEST(Condensation, says_that_a_massless_body_cannot_be_eliminated) {
  std::mt19937_64 random(13);
  ComplementarityProblem problem = random_contacts({1, 1, 4, 0.5}, random);
  problem.M = SparseRows::from_dense(MatrixX::Zero(6, 6));
  Condensation condensation;
  EXPECT_FALSE(condensation.condense(problem));
}

}  // namespace
}  // namespace vinci
