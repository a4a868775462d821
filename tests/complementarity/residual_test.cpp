// SPDX-License-Identifier: Apache-2.0
// The judge against hand-computed cases and against its definition in dense algebra.
#include "vinci/complementarity/residual.h"

#include <random>

#include <gtest/gtest.h>

#include "vinci/complementarity/laws.h"

namespace vinci {
namespace {

SparseRows zero_matrix(int rows, int cols) {
  return SparseRows::from_dense(MatrixX::Zero(rows, cols));
}

ComplementarityProblem local_problem(const MatrixX& W, const VectorX& q) {
  ComplementarityProblem problem;
  problem.C = SparseRows::from_dense(W);
  problem.J = zero_matrix(static_cast<int>(q.size()), 0);
  problem.b = q;
  return problem;
}

TEST(Judge, an_lcp_is_measured_by_the_largest_minimum) {
  MatrixX M(2, 2);
  M << 2.0, 1.0, 1.0, 2.0;
  ComplementarityProblem problem = local_problem(M, Eigen::Vector2d(-5.0, -6.0));
  problem.blocks = {{.law = Law::nonnegative, .offset = 0}, {.law = Law::nonnegative, .offset = 1}};
  EXPECT_LE(residual(problem, {{}, Eigen::Vector2d(4.0 / 3.0, 7.0 / 3.0)}).relative, 1e-15);
  // λ = (1, 2): w = (−1, −1), |min| = 1, max |q| = 6.
  EXPECT_DOUBLE_EQ(residual(problem, {{}, Eigen::Vector2d(1.0, 2.0)}).relative, 1.0 / 6.0);
  EXPECT_DOUBLE_EQ(residual(problem, {{}, Eigen::Vector2d(1.0, 2.0)}).velocity, 1.0);
}

TEST(Judge, a_norm_below_the_rounding_unit_counts_as_one) {
  ComplementarityProblem problem =
      local_problem(MatrixX::Identity(1, 1), VectorX::Constant(1, 1e-17));
  problem.blocks = {{.law = Law::nonnegative}};
  EXPECT_DOUBLE_EQ(residual(problem, {{}, VectorX::Constant(1, 0.5)}).relative, 0.5);
}

TEST(Judge, one_sliding_contact_of_a_sphere) {
  // Sphere of 2 kg on the ground at 1 m/s: slides with λ = (m g h, −μ m g h).
  ComplementarityProblem problem;
  problem.M = SparseRows::from_dense(2.0 * MatrixX::Identity(2, 2));
  MatrixX J(2, 2);
  J << 0.0, 1.0, 1.0, 0.0;  // u = (x, z); normal first
  problem.J = SparseRows::from_dense(J);
  problem.C = zero_matrix(2, 2);
  problem.b = VectorX::Zero(2);
  problem.p = Eigen::Vector2d(2.0, -0.02);
  problem.blocks = {{.law = Law::coulomb, .size = 2}};
  problem.blocks[0].friction = 0.5;
  EXPECT_LE(residual(problem, {VectorX::Zero(2), Eigen::Vector2d(0.02, -0.01)}).relative, 1e-15);
  // λ = 0: w = (−0.01, 1), ŵ_n = 0.49: −P_K(−ŵ), with −ŵ = (−0.49, −1) nearest to the edge
  // (2, −1)/√5: along = (−0.98 + 1)/√5, so r = 0.02/√5.
  const Residual zero = residual(problem, {VectorX::Zero(2), VectorX::Zero(2)});
  EXPECT_NEAR(zero.velocity, 0.02 / std::sqrt(5.0), 1e-15);
  EXPECT_NEAR(zero.relative, 0.02 / std::sqrt(5.0) / std::hypot(0.01, 1.0), 1e-15);
  EXPECT_NEAR(zero.impulse, 2.0 * zero.velocity, 1e-15);  // s = 1/m
}

struct Random {
  std::mt19937_64 engine{7};
  std::normal_distribution<double> normal;
  MatrixX matrix(int rows, int cols) {
    return MatrixX::NullaryExpr(rows, cols, [&] { return normal(engine); });
  }
  VectorX vector(int size) { return matrix(size, 1); }
};

// Every law once, on a random M (symmetric or not) and a random C.
ComplementarityProblem mixed_problem(Random& random, int n, bool symmetric) {
  ComplementarityProblem problem;
  const MatrixX A = random.matrix(n, n);
  MatrixX M = A * A.transpose() + MatrixX::Identity(n, n);
  if (!symmetric) M += 0.3 * (A - A.transpose());
  int offset = 0;
  const auto add = [&](Law law, int size) {
    Block block{.law = law, .offset = offset, .size = size};
    block.friction = 0.4;
    if (law == Law::box) block.lower = -0.3, block.upper = 0.4;
    if (law == Law::ball) block.upper = 0.5;
    problem.blocks.push_back(block);
    offset += size;
  };
  add(Law::equality, 2);
  add(Law::nonnegative, 1);
  add(Law::box, 1);
  add(Law::ball, 2);
  add(Law::coulomb, 2);
  add(Law::coulomb, 3);
  add(Law::second_order, 3);
  problem.M = SparseRows::from_dense(M);
  problem.J = SparseRows::from_dense(random.matrix(offset, n));
  const MatrixX B = random.matrix(offset, offset);
  problem.C = SparseRows::from_dense(0.1 * B * B.transpose());
  problem.p = random.vector(n);
  problem.b = random.vector(offset);
  return problem;
}

// The definition, with dense inverses.
double naive_relative(const ComplementarityProblem& problem, const VectorX& lambda) {
  const MatrixX J = MatrixX(problem.J.view()), inverse = MatrixX(problem.M.view()).inverse();
  const MatrixX W = J * inverse * J.transpose() + MatrixX(problem.C.view());
  const VectorX q = J * inverse * problem.p + problem.b;
  const VectorX w = W * lambda + q;
  double sum = 0.0;
  for (const Block& block : problem.blocks) {
    const int o = block.offset, size = block.size;
    const double s = W.block(o, o, size, size).diagonal().mean();
    VectorX shifted = w.segment(o, size);
    if (block.law == Law::coulomb) shifted[0] += block.friction * w.segment(o + 1, size - 1).norm();
    VectorX projected = s * lambda.segment(o, size) - shifted;
    project(block, s, projected.data());
    sum += (s * lambda.segment(o, size) - projected).squaredNorm();
  }
  return std::sqrt(sum) / q.norm();
}

TEST(Judge, agrees_with_the_definition_in_dense_algebra) {
  Random random;
  for (const int n : {3, 12, 20})  // dense blocks, and beyond them the sparse factors
    for (const bool symmetric : {true, false})
      for (int trial = 0; trial < 20; ++trial) {
        const ComplementarityProblem problem = mixed_problem(random, n, symmetric);
        ASSERT_EQ(problem.why_invalid(), "");
        const VectorX lambda = random.vector(problem.rows());
        const double expected = naive_relative(problem, lambda);
        EXPECT_NEAR(residual(problem, {VectorX::Zero(n), lambda}).relative, expected,
                    1e-10 * expected);
      }
}

TEST(Judge, units_of_mass_length_and_time_do_not_matter) {
  Random random;
  ComplementarityProblem problem = mixed_problem(random, 5, true);
  problem.blocks.resize(1);  // keep laws without a dimensional bound
  problem.blocks = {{.law = Law::equality, .offset = 0, .size = 3},
                    {.law = Law::nonnegative, .offset = 3},
                    {.law = Law::coulomb, .offset = 4, .size = 3},
                    {.law = Law::coulomb, .offset = 7, .size = 3},
                    {.law = Law::second_order, .offset = 10, .size = 2},
                    {.law = Law::nonnegative, .offset = 12},
                    {.law = Law::nonnegative, .offset = 13}};
  for (Block& block : problem.blocks) block.friction = 0.7;
  const VectorX lambda = random.vector(problem.rows());
  const double expected = residual(problem, {VectorX::Zero(5), lambda}).relative;
  const double mass = 1e9, velocity = 1e-5;
  ComplementarityProblem other = problem;
  for (double& x : other.M.values) x *= mass;
  for (double& x : other.C.values) x /= mass;
  other.p *= mass * velocity;
  other.b *= velocity;
  EXPECT_NEAR(residual(other, {VectorX::Zero(5), lambda * mass * velocity}).relative, expected,
              1e-12 * expected);
}

TEST(Judge, a_row_without_a_diagonal_is_measured_as_a_speed) {
  // One planar contact with a two-sided pyramid: rows n, f+, f−, σ.
  ComplementarityProblem problem;
  problem.M = SparseRows::from_dense(4.0 * MatrixX::Identity(2, 2));
  MatrixX J(4, 2), C = MatrixX::Zero(4, 4);
  J << 0, 1, 1, 0, -1, 0, 0, 0;
  C(1, 3) = C(2, 3) = 1.0;
  C(3, 0) = 0.5;
  C(3, 1) = C(3, 2) = -1.0;
  problem.J = SparseRows::from_dense(J);
  problem.C = SparseRows::from_dense(C);
  problem.p = Eigen::Vector2d(4.0, -0.4);
  problem.b = VectorX::Zero(4);
  for (int row = 0; row < 4; ++row)
    problem.blocks.push_back({.law = Law::nonnegative, .offset = row});
  VectorX lambda(4);
  lambda << 0.4, 0.0, 0.2, 1.0 - 0.2 / 4.0;  // slides: σ is the speed left
  EXPECT_LE(residual(problem, {VectorX::Zero(2), lambda}).relative, 1e-15);
  lambda[2] = 0.3;  // outside the cone by 0.1 N s: w_σ = −0.1, d = 1/4
  lambda[3] = 1.0 - 0.3 / 4.0;
  const Residual outside = residual(problem, {VectorX::Zero(2), lambda});
  EXPECT_NEAR(outside.velocity, 0.025, 1e-15);
  EXPECT_NEAR(outside.impulse, 0.1, 1e-15);
}

TEST(Judge, a_singular_mass_takes_the_given_velocity_and_adds_the_equation) {
  // Quasi-static push: 0 = λ − f with M = 0; p = −3 N pulls the body against a stop.
  ComplementarityProblem problem;
  problem.M = zero_matrix(1, 1);
  problem.J = SparseRows::from_dense(MatrixX::Identity(1, 1));
  problem.C = zero_matrix(1, 1);
  problem.p = VectorX::Constant(1, -3.0);
  problem.b = VectorX::Constant(1, 0.2);
  problem.blocks = {{.law = Law::nonnegative}};
  const Solution exact{VectorX::Constant(1, -0.2), VectorX::Constant(1, 3.0)};
  EXPECT_LE(residual(problem, exact).relative, 1e-15);
  // Half the force leaves half the equation: (V/F)·1.5/V = 0.5.
  EXPECT_NEAR(residual(problem, {exact.u, VectorX::Constant(1, 1.5)}).relative, 0.5, 1e-15);
  EXPECT_GT(residual(problem, {VectorX::Zero(1), exact.lambda}).relative, 0.5);
}

TEST(Judge, whatever_is_not_finite_is_infinitely_wrong) {
  Random random;
  const ComplementarityProblem problem = mixed_problem(random, 4, true);
  for (const double bad : {std::nan(""), infinity, -infinity, 1e308}) {
    VectorX lambda = VectorX::Zero(problem.rows());
    lambda[3] = bad;
    lambda[5] = bad;
    const Residual result = residual(problem, {VectorX::Zero(4), lambda});
    EXPECT_FALSE(std::isnan(result.relative));
    EXPECT_GT(result.relative, 1e300);
  }
  ComplementarityProblem broken = problem;
  broken.b[0] = std::nan("");
  EXPECT_EQ(residual(broken, {VectorX::Zero(4), VectorX::Zero(problem.rows())}).relative, infinity);
  EXPECT_EQ(residual(problem, {VectorX::Zero(4), VectorX::Zero(1)}).relative, infinity);
}

// Bodies side by side at 1e6 m/s: q is what rounding left of their difference, and no violation.
TEST(Judge, what_rounding_leaves_of_velocities_that_cancel_is_no_residual) {
  ComplementarityProblem problem;
  problem.M = SparseRows::from_dense(MatrixX::Identity(2, 2));
  MatrixX J(1, 2);
  J << 1.0, -1.0;
  problem.J = SparseRows::from_dense(J);
  problem.C = zero_matrix(1, 1);
  problem.b = VectorX::Zero(1);
  problem.blocks = {{.law = Law::nonnegative}};
  const Solution nothing{VectorX::Zero(2), VectorX::Zero(1)};
  const double speed = 1e6, unit = speed * 2.2e-16;
  for (const double units : {1.0, 4.0, 8.0}) {
    problem.p = Eigen::Vector2d(speed, speed + units * unit);
    EXPECT_LE(residual(problem, nothing).relative, 1e-11) << units;
  }
  // A thousand times that is one, and so is all that can be told apart from rounding.
  problem.p = Eigen::Vector2d(speed, speed + 1e4 * unit);
  EXPECT_GT(residual(problem, nothing).relative, 1e-10);
  problem.p = Eigen::Vector2d(0.0, 1.0);
  EXPECT_NEAR(residual(problem, nothing).relative, 1.0, 1e-15);
  EXPECT_LT(residual(problem, nothing).rounding, 1e-15);
}

TEST(MassFactor, solves_what_it_factored_and_names_a_singular_matrix) {
  Random random;
  for (const int block : {1, 3, 6, 12, 32, 33, 40}) {
    const int n = 3 * block;
    MatrixX M = MatrixX::Zero(n, n);
    for (int k = 0; k < 3; ++k) {
      const MatrixX A = random.matrix(block, block);
      M.block(k * block, k * block, block, block) =
          A * A.transpose() + MatrixX::Identity(block, block);
    }
    M.row(0) *= 1e-12;  // units apart
    M.col(0) *= 1e-12;
    MassFactor factor;
    ASSERT_TRUE(factor.factor(SparseRows::from_dense(M)));
    EXPECT_EQ(factor.block_diagonal(), block <= MassFactor::largest_block);
    VectorX x = random.vector(n);
    x[0] *= 1e12;
    const VectorX right = M * x;
    VectorX y(n);
    factor.solve(right.data(), y.data());
    VectorX error = y - x;
    error[0] *= 1e-12;
    EXPECT_LE(error.norm(), 1e-9 * x.tail(n - 1).norm()) << block;
    M.row(1) = block > 2 ? VectorX(M.row(2)) : VectorX(VectorX::Zero(n));
    EXPECT_FALSE(factor.factor(SparseRows::from_dense(M))) << block;
  }
}

TEST(Problem, says_in_words_what_is_wrong) {
  Random random;
  const ComplementarityProblem good = mixed_problem(random, 3, true);
  EXPECT_EQ(good.why_invalid(), "");
  const auto why = [&](auto&& change) {
    ComplementarityProblem problem = good;
    change(problem);
    return problem.why_invalid();
  };
  EXPECT_NE(why([](auto& p) { p.b[2] = infinity; }).find("b(2) is inf"), std::string::npos);
  EXPECT_NE(why([](auto& p) { p.blocks.pop_back(); }).find("cover 11 of 14 rows"),
            std::string::npos);
  EXPECT_NE(why([](auto& p) { p.blocks[4].friction = -0.1; }).find("friction"), std::string::npos);
  EXPECT_NE(why([](auto& p) { p.blocks[2].lower = 1.0; }).find("holds no number"),
            std::string::npos);
  EXPECT_NE(why([](auto& p) { p.M.indices[1] = 99; }).find("column 99"), std::string::npos);
  EXPECT_NE(why([](auto& p) { p.C = SparseRows(); }).find("C is 0 x 0"), std::string::npos);
  EXPECT_NE(why([](auto& p) { p.blocks[1].size = 2; }).find("cannot have 2 rows"),
            std::string::npos);
}

}  // namespace
}  // namespace vinci
