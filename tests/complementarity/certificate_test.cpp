// SPDX-License-Identifier: Apache-2.0
// The judge of certificates: true ones pass at any scale, false ones do not.
#include "vinci/complementarity/certificate.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace vinci {
namespace {

ComplementarityProblem local(const MatrixX& W, const VectorX& q, std::vector<Block> blocks) {
  ComplementarityProblem problem;
  problem.C = SparseRows::from_dense(W);
  problem.b = q;
  problem.p.resize(0);
  problem.M.reset(0);
  problem.J.reset(0);
  for (Eigen::Index i = 0; i < q.size(); ++i) problem.J.end_row();
  problem.blocks = std::move(blocks);
  return problem;
}

std::vector<Block> nonnegative(int count) {
  std::vector<Block> blocks;
  for (int i = 0; i < count; ++i) blocks.push_back({Law::nonnegative, i, 1});
  return blocks;
}

bool proves(const ComplementarityProblem& problem, const VectorX& y) {
  return infeasibility(problem, y).proves_no_solution;
}

TEST(Certificate, farkas_vector_of_an_lcp_is_accepted_and_its_neighbours_are_not) {
  const MatrixX W = (MatrixX(2, 2) << 1, -1, -1, 1).finished();
  const ComplementarityProblem problem = local(W, Vector2(-1, 0), nonnegative(2));
  const Infeasibility judged = infeasibility(problem, Vector2(1, 1));
  EXPECT_TRUE(judged.proves_no_solution);
  EXPECT_EQ(judged.margin, 1.0);  // the only term of q'y
  EXPECT_EQ(judged.violation, 0.0);
  EXPECT_FALSE(proves(problem, Vector2(1, 1 + 1e-6)));  // g > 0: a large λ makes up for it
  EXPECT_FALSE(proves(problem, Vector2(-1, -1)));
  EXPECT_FALSE(proves(problem, Vector2(0, 0)));
  EXPECT_FALSE(proves(problem, Vector2(1, std::nan(""))));
  EXPECT_FALSE(proves(problem, VectorX::Ones(3)));
}

TEST(Certificate, no_vector_condemns_a_problem_that_has_a_solution) {
  std::mt19937_64 random(51);
  std::normal_distribution<double> normal;
  for (int round = 0; round < 2000; ++round) {
    const int n = 1 + round % 4;
    const auto draw = [&] { return normal(random); };
    const MatrixX W = MatrixX::NullaryExpr(n, n, draw);
    VectorX lambda = VectorX::NullaryExpr(n, draw).cwiseMax(0.0);
    VectorX w = VectorX::NullaryExpr(n, draw).cwiseAbs();
    for (int i = 0; i < n; ++i)
      if (lambda[i] > 0.0) w[i] = 0.0;
    const ComplementarityProblem problem = local(W, w - W * lambda, nonnegative(n));
    for (int k = 0; k < 20; ++k)
      ASSERT_FALSE(proves(problem, VectorX::NullaryExpr(n, draw).cwiseMax(0.0)));
  }
}

TEST(Certificate, scales_of_units_over_fifteen_decades_do_not_matter) {
  std::mt19937_64 random(52);
  std::uniform_real_distribution<double> unit(0.1, 1.0), exponent(-15.0, 15.0);
  for (int round = 0; round < 300; ++round) {
    const int n = 2 + round % 10;
    // Wᵀy <= 0 by construction: the first row takes what the others have too much.
    MatrixX W = MatrixX::NullaryExpr(n, n, [&] { return unit(random) - 0.5; });
    VectorX y = VectorX::NullaryExpr(n, [&] { return unit(random); });
    for (int j = 0; j < n; ++j)
      W(0, j) -= std::max(0.0, W.col(j).dot(y) / y[0]) + (j % 2 == 0 ? 0.1 : 0.0);
    VectorX q = VectorX::NullaryExpr(n, [&] { return unit(random) - 0.5; });
    q[0] -= q.dot(y) / y[0] + 1.0;
    const VectorX row = VectorX::NullaryExpr(n, [&] { return std::pow(10.0, exponent(random)); });
    const VectorX column =
        VectorX::NullaryExpr(n, [&] { return std::pow(10.0, exponent(random)); });
    const ComplementarityProblem scaled =
        local(row.asDiagonal() * W * column.asDiagonal(), row.cwiseProduct(q), nonnegative(n));
    EXPECT_TRUE(proves(scaled, 1e-200 * y.cwiseQuotient(row))) << round;
    EXPECT_FALSE(proves(scaled, 1e200 * VectorX::Unit(n, 1).cwiseQuotient(row))) << round;
  }
}

TEST(Certificate, equality_rows_that_contradict_each_other) {
  ComplementarityProblem problem;
  problem.M = SparseRows::from_dense((MatrixX(2, 2) << 2, 1, 0, 3).finished());  // not symmetric
  problem.J = SparseRows::from_dense((MatrixX(3, 2) << 1, 0, 2, 0, 0, 1).finished());
  problem.C.reset(3);
  for (int i = 0; i < 3; ++i) problem.C.end_row();
  problem.p = Vector2(1, -1);
  problem.b = Vector3(0.5, -0.5, 0);
  problem.blocks = {{Law::equality, 0, 2}, {Law::nonnegative, 2, 1}};
  EXPECT_TRUE(proves(problem, Vector3(-2, 1, 0)));
  EXPECT_FALSE(proves(problem, Vector3(2, -1, 0)));
  EXPECT_FALSE(proves(problem, Vector3(-2, 1, 0.1)));
  problem.b = Vector3(0.5, 1.0, 0);  // redundant: nothing is left of qᵀy
  EXPECT_FALSE(proves(problem, Vector3(-2, 1, 0)));
  problem.M = SparseRows::from_dense(MatrixX::Zero(2, 2));
  EXPECT_FALSE(proves(problem, Vector3(-2, 1, 0)));
}

TEST(Certificate, box_counts_what_its_bounds_allow) {
  // w₂ = −λ₁ − c >= 0 with λ₁ in [−1, 2] is impossible for c > 1.
  const MatrixX W = (MatrixX(2, 2) << 1, 0, -1, 0).finished();
  for (const double c : {0.5, 1.5}) {
    const ComplementarityProblem problem =
        local(W, Vector2(0, -c), {{Law::box, 0, 1, 0.0, -1.0, 2.0}, {Law::nonnegative, 1, 1}});
    EXPECT_EQ(proves(problem, Vector2(0, 1)), c > 1.0);
    EXPECT_FALSE(proves(problem, Vector2(0.1, 1)));  // w of a box has no sign
  }
  const auto with = [&](double lower, double upper) {
    return local(W, Vector2(0, -1.5),
                 {{Law::box, 0, 1, 0.0, lower, upper}, {Law::nonnegative, 1, 1}});
  };
  EXPECT_FALSE(proves(with(-infinity, 2.0), Vector2(0, 1)));
  EXPECT_TRUE(proves(with(-1.0, infinity), Vector2(0, 1)));
  EXPECT_FALSE(proves(with(-infinity, infinity), Vector2(0, 1)));
}

TEST(Certificate, ball_counts_its_radius) {
  const MatrixX W = (MatrixX(3, 3) << 1, 0, 0, 0, 1, 0, 3, 4, 0).finished();
  const auto with = [&](double radius) {
    return local(W, Vector3(0, 0, -1),
                 {{Law::ball, 0, 2, 0.0, 0.0, radius}, {Law::nonnegative, 2, 1}});
  };
  EXPECT_TRUE(proves(with(0.19), Vector3(0, 0, 1)));  // |g| = 5
  EXPECT_FALSE(proves(with(0.21), Vector3(0, 0, 1)));
  EXPECT_FALSE(proves(with(infinity), Vector3(0, 0, 1)));
}

TEST(Certificate, cones_hold_their_tangential_rows_against_the_normal_one) {
  // The last row reads w = −λ_n + s λ_t1 − 1: positive within the cone only where μ s > 1.
  for (const Law law : {Law::coulomb, Law::second_order}) {
    for (const double s : {1.0, 3.0}) {
      MatrixX W = MatrixX::Identity(4, 4);
      W.row(3) << -1, s, 0, 0;
      const ComplementarityProblem problem =
          local(W, Eigen::Vector4d(0, 0, 0, -1), {{law, 0, 3, 0.5}, {Law::nonnegative, 3, 1}});
      EXPECT_EQ(proves(problem, Eigen::Vector4d(0, 0, 0, 1)), s < 2.0);
    }
  }
  // 0 = w_n + w_t + 1: w_n >= |w_t| μ' of the dual cone, but Coulomb's w_t has any sign.
  const MatrixX W = MatrixX::Zero(2, 2);
  EXPECT_TRUE(proves(local(W, Vector2(-1, -1), {{Law::second_order, 0, 2, 1.0}}), Vector2(1, 1)));
  EXPECT_FALSE(proves(local(W, Vector2(1, -1), {{Law::coulomb, 0, 2, 1.0}}), Vector2(0, 1)));
  EXPECT_TRUE(proves(local(W, Vector2(-1, -1), {{Law::coulomb, 0, 2, 1.0}}), Vector2(1, 0)));
}

TEST(Certificate, rolling_adds_its_moment) {
  // w = −λ_n + λ_t + s λ_r − 1 with μ = 0.5: positive within the cone only where μ_r s > 0.5.
  for (const double s : {1.0, 3.0}) {
    MatrixX W = MatrixX::Identity(4, 4);
    W.row(3) << -1, 1, s, 0;
    Block block{Law::moments, 0, 3, 0.5};
    block.rolling = 0.25;
    const ComplementarityProblem problem =
        local(W, Eigen::Vector4d(0, 0, 0, -1), {block, {Law::nonnegative, 3, 1}});
    EXPECT_EQ(proves(problem, Eigen::Vector4d(0, 0, 0, 1)), s < 2.0);
    EXPECT_FALSE(proves(problem, Eigen::Vector4d(0, 0, 0.1, 1)));
  }
}

}  // namespace
}  // namespace vinci
