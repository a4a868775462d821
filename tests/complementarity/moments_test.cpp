// SPDX-License-Identifier: Apache-2.0
// The law of contacts with moments in all its shapes: projection, natural map, judge and check.
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "tests/support/moment_scenes.h"
#include "vinci/complementarity/certificate.h"
#include "vinci/complementarity/law_moments.h"
#include "vinci/complementarity/laws.h"
#include "vinci/complementarity/residual.h"

namespace vinci {
namespace {

struct Gauss {
  std::mt19937_64 engine{29};
  std::normal_distribution<double> normal;
  VectorX vector(int size) {
    return VectorX::NullaryExpr(size, [&] { return normal(engine); });
  }
  MatrixX matrix(int rows, int cols) {
    return MatrixX::NullaryExpr(rows, cols, [&] { return normal(engine); });
  }
};

const double limits[][3] = {{0.3, 0.05, 0.2}, {0.05, 0.3, 1.0}, {1.0, 1.0, 1.0},
                            {0.0, 0.4, 0.2},  {0.4, 0.0, 0.0},  {30.0, 1e-6, 2.0},
                            {0.0, 0.0, 0.0},  {1e-6, 30.0, 0.1}};

// y = P(x) if and only if y in K, y − x in K* and y ⟂ y − x [Moreau].
TEST(MomentsLaw, the_projection_splits_into_cone_and_dual_cone) {
  Gauss gauss;
  for (const moments::Shape& shape : moments::all_shapes())
    for (const auto& [mu, mu_r, mu_s] : limits)
      for (int trial = 0; trial < 200; ++trial) {
        const Block block = moments::block_of(shape, mu, mu_r, mu_s);
        const VectorX x = gauss.vector(block.size);
        VectorX y = x;
        project(block, 1.0, y.data());
        const VectorX dual = y - x;
        ASSERT_GE(y[0], 0.0);
        double sum = dual[0], stiff = 1.0;
        for (const law::Ball& ball : law::balls_of(block)) {
          EXPECT_LE(y.segment(ball.first, ball.count).norm(), ball.limit * y[0] * (1.0 + 1e-15));
          sum -= ball.limit * dual.segment(ball.first, ball.count).norm();
          stiff += ball.limit;
        }
        EXPECT_GE(sum, -8e-16 * x.norm() * stiff * stiff);
        EXPECT_NEAR(y.dot(dual), 0.0, 2e-15 * x.squaredNorm() * stiff);
      }
}

TEST(MomentsLaw, balls_are_the_rows_of_friction_rolling_and_torsion) {
  const law::Balls all = law::balls_of(moments::block_of({2, 2, 1}, 0.5, 0.1, 0.2));
  ASSERT_EQ(all.count, 3);
  EXPECT_EQ(all.at[0].first, 1);
  EXPECT_EQ(all.at[0].count, 2);
  EXPECT_EQ(all.at[0].limit, 0.5);
  EXPECT_EQ(all.at[1].first, 3);
  EXPECT_EQ(all.at[1].count, 2);
  EXPECT_EQ(all.at[1].limit, 0.1);
  EXPECT_EQ(all.at[2].first, 5);
  EXPECT_EQ(all.at[2].count, 1);
  EXPECT_EQ(all.at[2].limit, 0.2);
  const law::Balls surface = law::balls_of(moments::block_of({3, 0, 0}, 0.5, 0.1, 0.2));
  ASSERT_EQ(surface.count, 1);
  EXPECT_EQ(surface.at[0].count, 3);
  // As blocks were written before there was torsion.
  const law::Balls old = law::balls_of({.law = Law::moments, .size = 5, .friction = 0.5});
  ASSERT_EQ(old.count, 2);
  EXPECT_EQ(old.at[1].first, 3);
}

TEST(MomentsLaw, shapes_that_are_none_are_named) {
  for (const moments::Shape& shape :
       {moments::Shape{4, 0, 0}, {3, 2, 1}, {2, 3, 0}, {2, 0, 2}, {2, -1, 0}}) {
    ComplementarityProblem problem;
    const Block block = moments::block_of(shape, 0.5, 0.1, 0.1);
    problem.C = SparseRows::from_dense(MatrixX::Identity(block.size, block.size));
    problem.J.reset(0);
    for (int i = 0; i < block.size; ++i) problem.J.end_row();
    problem.M.reset(0);
    problem.b.setZero(block.size);
    problem.blocks = {block};
    EXPECT_NE(problem.why_invalid().find("a moments block cannot have"), std::string::npos);
  }
  Block block = moments::block_of({2, 0, 1}, 0.5, 0.0, -0.1);
  ComplementarityProblem problem;
  problem.C = SparseRows::from_dense(MatrixX::Identity(4, 4));
  problem.J.reset(0);
  for (int i = 0; i < 4; ++i) problem.J.end_row();
  problem.M.reset(0);
  problem.b.setZero(4);
  problem.blocks = {block};
  EXPECT_NE(problem.why_invalid().find("torsional friction is -0.1"), std::string::npos);
}

// The map of (λ, w) that obey the law is zero to rounding, and of those that do not it is not.
TEST(MomentsLaw, the_map_vanishes_on_the_law_alone) {
  Gauss gauss;
  for (const moments::Shape& shape : moments::all_shapes())
    for (int trial = 0; trial < 200; ++trial) {
      const Block block = moments::block_of(shape, 0.5, 0.1, 0.3);
      VectorX lambda = VectorX::Zero(block.size), w = VectorX::Zero(block.size);
      lambda[0] = 1.0 + std::abs(gauss.normal(gauss.engine));
      for (const law::Ball& ball : law::balls_of(block)) {
        const VectorX d = gauss.vector(ball.count).normalized();
        const bool yields = gauss.normal(gauss.engine) > 0.0;
        lambda.segment(ball.first, ball.count) = -(yields ? 1.0 : 0.5) * ball.limit * lambda[0] * d;
        if (yields) w.segment(ball.first, ball.count) = 2.0 * d;
      }
      VectorX r(block.size);
      for (const double length : {0.1, 1.0, 10.0}) {
        natural_map(block, 2.0, lambda.data(), w.data(), r.data(), length);
        EXPECT_LE(r.norm(), 1e-13 * (length + 1.0 / length));
      }
      VectorX wrong = lambda;
      const int row = 1 + static_cast<int>(gauss.engine() % (block.size - 1));
      wrong[row] = (wrong[row] > 0.0 ? 1.0 : -1.0) * (lambda[0] + 0.4);  // outside every ball
      natural_map(block, 2.0, wrong.data(), w.data(), r.data());
      EXPECT_GT(r.norm(), 1e-3);
    }
}

// λ and w of each row in other units, with one unit of energy: all are velocities to the judge.
TEST(MomentsJudge, units_of_length_and_time_do_not_matter) {
  std::mt19937_64 random(7);
  Gauss gauss;
  for (int trial = 0; trial < 20; ++trial) {
    const ComplementarityProblem problem = moments::random_pile(random, 3, 5);
    ASSERT_EQ(problem.why_invalid(), "");
    const VectorX lambda = gauss.vector(problem.rows());
    const Solution at{VectorX::Zero(problem.unknowns()), lambda};
    const Residual expected = residual(problem, at);
    for (const double unit : {1e-3, 1e3}) {  // of length
      ComplementarityProblem other = problem;
      Solution there = at;
      // Velocities m/s -> unit m/s, angular velocities stay; forces and inertia by one energy.
      const double energy = unit * unit;
      for (const Block& block : other.blocks)
        for (int i = 0; i < block.size; ++i) {
          const int row = block.offset + i;
          const bool moment = i >= law::moment_start(block);
          const double omega = moment ? 1.0 : unit;
          for (int k = other.J.starts[row]; k < other.J.starts[row + 1]; ++k)
            other.J.values[k] *= omega;
          other.b[row] *= omega;
          there.lambda[row] *= energy / omega;
        }
      for (double& x : other.M.values) x *= energy;
      other.p *= energy;
      for (Block& block : other.blocks) block.rolling *= unit, block.torsion *= unit;
      EXPECT_NEAR(residual(other, there).relative, expected.relative, 1e-11 * expected.relative);
    }
  }
}

// y presses a normal against its limit: sup gᵀλ over K is what a vertex of the cone gives.
TEST(MomentsCertificate, the_supremum_counts_every_ball) {
  // W = −I in the normal row: λ_n pulls itself in; the moments' rows take from it by couplings.
  const Block block = moments::block_of({2, 2, 1}, 0.5, 0.1, 0.2);
  for (const double coupling : {0.5, 2.0}) {
    MatrixX W = MatrixX::Zero(6, 6);
    // g = Wᵀ y = (−1, a, 0, b, 0, c) with y = e_0.
    W.row(0) << -1.0, coupling, 0.0, 2.0 * coupling, 0.0, coupling;
    ComplementarityProblem problem;
    problem.C = SparseRows::from_dense(W);
    problem.J.reset(0);
    for (int i = 0; i < 6; ++i) problem.J.end_row();
    problem.M.reset(0);
    problem.b = VectorX::Zero(6);
    problem.b[0] = -1.0;
    problem.blocks = {block};
    ASSERT_EQ(problem.why_invalid(), "");
    // w_n = −λ_n + a λ_1 + 2a λ_3 + a λ_5 − 1 < 0 for all λ of K if a (0.5 + 0.2 + 0.2) <= 1.
    const bool none = coupling * 0.9 <= 1.0;
    EXPECT_EQ(infeasibility(problem, VectorX::Unit(6, 0)).proves_no_solution, none) << coupling;
  }
}

}  // namespace
}  // namespace vinci
