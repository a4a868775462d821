// SPDX-License-Identifier: Apache-2.0
// The law of rolling resistance: its projection against two independent routes, its natural map
// case by case, and the judge's measure of it.
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "vinci/complementarity/law_moments.h"
#include "vinci/complementarity/laws.h"
#include "vinci/complementarity/residual.h"

namespace vinci {
namespace {

using Vector5 = Eigen::Matrix<double, 5, 1>;

struct RandomFives {
  std::mt19937_64 engine{17};
  std::normal_distribution<double> normal;
  MatrixX matrix(int rows, int cols) {
    return MatrixX::NullaryExpr(rows, cols, [&] { return normal(engine); });
  }
  Vector5 vector() { return matrix(5, 1); }
};

Block rolling_block(int size, double friction, double rolling, int offset = 0) {
  Block block{.law = Law::moments, .offset = offset, .size = size};
  block.friction = friction;
  block.rolling = rolling;
  return block;
}

void project_rolling(double* x, double friction, double rolling) {
  law::project_moments(law::balls_of(rolling_block(5, friction, rolling)), x);
}

const double coefficients[][2] = {{0.0, 0.0}, {0.3, 0.05}, {0.05, 0.3},  {1.0, 1.0},
                                  {0.0, 0.4}, {0.4, 0.0},  {30.0, 1e-6}, {1e-6, 30.0}};

// y = P(x) if and only if y in K, y − x in K* and y ⟂ y − x [Moreau].
TEST(RollingLaw, the_projection_splits_into_cone_and_dual_cone) {
  RandomFives random;
  for (const auto& [mu, mu_r] : coefficients)
    for (int trial = 0; trial < 2000; ++trial) {
      const Vector5 x = random.vector();
      Vector5 y = x;
      project_rolling(y.data(), mu, mu_r);
      const Vector5 dual = y - x;
      EXPECT_GE(y[0], 0.0);
      EXPECT_LE(y.segment<2>(1).norm(), mu * y[0] * (1.0 + 1e-15));
      EXPECT_LE(y.segment<2>(3).norm(), mu_r * y[0] * (1.0 + 1e-15));
      const double size = (1.0 + mu + mu_r) * x.norm();
      EXPECT_GE(dual[0] - mu * dual.segment<2>(1).norm() - mu_r * dual.segment<2>(3).norm(),
                -4e-16 * size * (1.0 + mu + mu_r));
      EXPECT_NEAR(y.dot(dual), 0.0, 1e-15 * x.squaredNorm() * (1.0 + mu + mu_r));
    }
}

// K is where two circular cones over the same normal meet: Dykstra's alternating projections.
TEST(RollingLaw, the_projection_is_the_limit_of_alternating_ones) {
  RandomFives random;
  for (const auto& [mu, mu_r] : coefficients) {
    if (mu > 20.0 || mu_r > 20.0) continue;  // they converge slowly between such cones
    for (int trial = 0; trial < 20; ++trial) {
      const Vector5 x = random.vector();
      Vector5 y = x, p = Vector5::Zero(), q = Vector5::Zero();
      for (int sweep = 0; sweep < 5000; ++sweep) {
        const auto onto = [](const Vector5& from, int first, double limit) {
          Vector5 result = from;
          double part[3] = {from[0], from[first], from[first + 1]};
          law::project_cone(3, part, limit);
          result[0] = part[0], result[first] = part[1], result[first + 1] = part[2];
          return result;
        };
        const Vector5 middle = onto(y + p, 1, mu);
        p = y + p - middle;
        y = onto(middle + q, 3, mu_r);
        q = middle + q - y;
      }
      Vector5 exact = x;
      project_rolling(exact.data(), mu, mu_r);
      EXPECT_LE((exact - y).norm(), 1e-6 * x.norm()) << mu << " " << mu_r;
    }
  }
}

TEST(RollingLaw, no_coefficient_overflows_the_projection) {
  for (const double mu : {1e-300, 1e200, 1e300})
    for (const double mu_r : {1e-300, 1e200, 1e300}) {
      Vector5 x(-1.0, 2.0, 0.0, 0.0, 3.0);
      project_rolling(x.data(), mu, mu_r);
      EXPECT_TRUE(x.allFinite()) << mu << " " << mu_r;
      EXPECT_GE(x[0], 0.0);
    }
}

TEST(RollingLaw, without_rolling_it_projects_as_coulombs_cone) {
  RandomFives random;
  for (const double mu : {0.0, 0.2, 3.0})
    for (int trial = 0; trial < 500; ++trial) {
      const Vector5 x = random.vector();
      Vector5 y = x, cone = x;
      project_rolling(y.data(), mu, 0.0);
      law::project_cone(3, cone.data(), mu);
      EXPECT_LE((y - cone).head<3>().norm(), 1e-15 * x.norm());
      EXPECT_EQ(y[3], 0.0);
      EXPECT_EQ(y[4], 0.0);
    }
}

double map_norm(const Block& block, const Vector5& lambda, const Vector5& w, double length) {
  double r[5] = {};
  natural_map(block, 2.0, lambda.data(), w.data(), r, length);
  return Eigen::Map<VectorX>(r, block.size).norm();
}

TEST(RollingLaw, the_map_vanishes_exactly_on_the_law) {
  const Block block = rolling_block(5, 0.5, 0.1);
  for (const double length : {0.01, 1.0, 7.0}) {
    const auto map = [&](const Vector5& lambda, const Vector5& w) {
      return map_norm(block, lambda, w, length);
    };
    const double rounding = 1e-15 / length + 1e-14 * length;
    EXPECT_EQ(map(Vector5::Zero(), {0.3, 4.0, -2.0, 1.0, 2.0}), 0.0);
    EXPECT_LE(map({2.0, 0.6, -0.7, 0.1, 0.1}, Vector5::Zero()), rounding);
    EXPECT_LE(map({2.0, 0.6, -0.8, 0.1, 0.1}, {0.0, -3.0, 4.0, 0.0, 0.0}), rounding);    // slides
    EXPECT_LE(map({2.0, 0.1, 0.1, 0.12, -0.16}, {0.0, 0.0, 0.0, -3.0, 4.0}), rounding);  // rolls
    EXPECT_LE(map({2.0, 0.6, -0.8, 0.12, -0.16}, {0.0, -3.0, 4.0, -6.0, 8.0}), 2.0 * rounding);
    const double wrong = 0.1 * std::min(length, 1.0 / length);
    EXPECT_GT(map({2.0, 0.6, -0.8, 0.12, -0.16}, {0.0, -3.0, 4.0, 6.0, -8.0}), wrong);  // drives
    EXPECT_GT(map({2.0, 0.1, 0.1, 0.06, -0.08}, {0.0, 0.0, 0.0, -3.0, 4.0}), wrong);    // too weak
    EXPECT_GT(map({2.0, 0.0, 0.0, 0.3, 0.0}, Vector5::Zero()), wrong);            // too strong
    EXPECT_GT(map({1.0, 0.0, 0.0, 0.0, 0.0}, {0.2, 0.0, 0.0, 0.0, 0.0}), wrong);  // pulls
  }
}

// Rows (N, T, R) of two contacts, in space and in the plane, and one of coulomb.
ComplementarityProblem rolling_problem(RandomFives& random, double rolling) {
  ComplementarityProblem problem;
  const MatrixX A = random.matrix(9, 9);
  problem.M = SparseRows::from_dense(A * A.transpose() + MatrixX::Identity(9, 9));
  problem.J = SparseRows::from_dense(random.matrix(10, 9));
  problem.C = SparseRows::from_dense(0.1 * MatrixX::Identity(10, 10));
  problem.p = random.matrix(9, 1);
  problem.b = random.matrix(10, 1);
  problem.blocks = {rolling_block(5, 0.4, rolling),
                    rolling_block(3, 0.3, rolling, 5),
                    {.law = Law::coulomb, .offset = 8, .size = 2, .friction = 0.6}};
  return problem;
}

// The definition, with dense inverses and the moments brought to forces by hand.
double naive_rolling_relative(const ComplementarityProblem& problem, const VectorX& lambda) {
  const MatrixX J = MatrixX(problem.J.view()), inverse = MatrixX(problem.M.view()).inverse();
  const MatrixX W = J * inverse * J.transpose() + MatrixX(problem.C.view());
  const VectorX q = J * inverse * problem.p + problem.b, w = W * lambda + q;
  double sum = 0.0, norm = 0.0;
  for (const Block& block : problem.blocks) {
    const int o = block.offset, size = block.size, k = (size - 1) / 2;
    const int forces = block.law == Law::moments ? 1 + k : size;
    const double s = W.diagonal().segment(o, forces).mean();
    const double length =
        forces < size ? std::sqrt(s / W.diagonal().segment(o + forces, k).mean()) : 1.0;
    VectorX x = s * lambda.segment(o, size), v = w.segment(o, size);
    x.tail(size - forces) /= length;
    v.tail(size - forces) *= length;
    Block scaled = block;
    scaled.rolling /= length;
    VectorX target = x - v;
    target[0] -= block.friction * w.segment(o + 1, forces - 1).norm() +
                 block.rolling * w.segment(o + forces, size - forces).norm();
    project(scaled, 1.0, target.data());
    sum += (x - target).squaredNorm();
    norm += q.segment(o, forces).squaredNorm();
    if (block.rolling > 0.0) norm += (length * q.segment(o + forces, size - forces)).squaredNorm();
  }
  return std::sqrt(sum / norm);
}

TEST(RollingJudge, agrees_with_the_definition_in_dense_algebra) {
  RandomFives random;
  for (const double rolling : {0.0, 0.2})
    for (int trial = 0; trial < 20; ++trial) {
      const ComplementarityProblem problem = rolling_problem(random, rolling);
      ASSERT_EQ(problem.why_invalid(), "");
      const VectorX lambda = random.matrix(10, 1);
      const double expected = naive_rolling_relative(problem, lambda);
      EXPECT_NEAR(residual(problem, {VectorX::Zero(9), lambda}).relative, expected,
                  1e-11 * expected);
    }
}

// λ and w of each row in other units, Λ and Ω times as large, with one unit of energy.
TEST(RollingJudge, units_of_mass_length_and_time_do_not_matter) {
  RandomFives random;
  const ComplementarityProblem problem = rolling_problem(random, 0.2);
  const VectorX lambda = random.matrix(10, 1);
  const Residual expected = residual(problem, {VectorX::Zero(9), lambda});
  for (const double length : {1e-6, 1e3})
    for (const double time : {1e-3, 60.0})
      for (const double mass : {1e-9, 1e4}) {
        const double energy = mass * length * length / (time * time);
        ComplementarityProblem other = problem;
        VectorX there = lambda;
        for (const Block& block : other.blocks)
          for (int i = 0; i < block.size; ++i) {
            const int row = block.offset + i;
            const bool moment = block.law == Law::moments && i > (block.size - 1) / 2;
            const double omega = moment ? 1.0 / time : length / time;
            // u in the unit √(energy/mass unit) of M: J carries the unit of w alone.
            for (int k = other.J.starts[row]; k < other.J.starts[row + 1]; ++k)
              other.J.values[k] *= omega;
            for (int k = other.C.starts[row]; k < other.C.starts[row + 1]; ++k)
              other.C.values[k] *= omega * omega / energy;
            other.b[row] *= omega;
            there[row] *= energy / omega;
          }
        for (double& x : other.M.values) x *= energy;
        other.p *= energy;
        for (Block& block : other.blocks) block.rolling *= length;
        const Residual result = residual(other, {VectorX::Zero(9), there});
        EXPECT_NEAR(result.relative, expected.relative, 1e-12 * expected.relative);
        EXPECT_NEAR(result.velocity, expected.velocity * length / time, 1e-12 * result.velocity);
        EXPECT_NEAR(result.impulse, expected.impulse * mass * length / time,
                    1e-12 * result.impulse);
        EXPECT_NEAR(result.rounding, expected.rounding, 1e-9 * expected.rounding);
      }
}

TEST(RollingJudge, without_rolling_resistance_it_measures_what_coulomb_does) {
  RandomFives random;
  const ComplementarityProblem problem = rolling_problem(random, 0.0);
  ComplementarityProblem coulomb = problem;
  const int kept[] = {0, 1, 2, 5, 6, 8, 9};
  MatrixX J(7, 9), C = MatrixX::Zero(7, 7);
  VectorX lambda = VectorX::Zero(10), short_lambda(7);
  for (int i = 0; i < 7; ++i) {
    J.row(i) = MatrixX(problem.J.view()).row(kept[i]);
    C(i, i) = 0.1;
    lambda[kept[i]] = short_lambda[i] = random.matrix(1, 1)(0, 0);
  }
  coulomb.J = SparseRows::from_dense(J);
  coulomb.C = SparseRows::from_dense(C);
  coulomb.b = VectorX::NullaryExpr(7, [&](Eigen::Index i) { return problem.b[kept[i]]; });
  coulomb.blocks = {{.law = Law::coulomb, .offset = 0, .size = 3, .friction = 0.4},
                    {.law = Law::coulomb, .offset = 3, .size = 2, .friction = 0.3},
                    {.law = Law::coulomb, .offset = 5, .size = 2, .friction = 0.6}};
  const Residual a = residual(problem, {VectorX::Zero(9), lambda});
  const Residual b = residual(coulomb, {VectorX::Zero(9), short_lambda});
  EXPECT_NEAR(a.relative, b.relative, 1e-14 * b.relative);
  EXPECT_NEAR(a.impulse, b.impulse, 1e-14 * b.impulse);
  EXPECT_NEAR(a.rounding, b.rounding, 1e-14 * b.rounding);
}

TEST(RollingLaw, says_in_words_what_is_wrong) {
  RandomFives random;
  const ComplementarityProblem good = rolling_problem(random, 0.1);
  const auto why = [&](auto&& change) {
    ComplementarityProblem problem = good;
    change(problem.blocks[0]);
    return problem.why_invalid();
  };
  EXPECT_EQ(why([](Block&) {}), "");
  EXPECT_EQ(to_string(Law::moments), "moments");
  EXPECT_NE(why([](Block& b) { b.rolling = -1e-9; }).find("rolling resistance is -1e-09"),
            std::string::npos);
  EXPECT_NE(why([](Block& b) { b.rolling = std::nan(""); }).find("rolling resistance is nan"),
            std::string::npos);
  EXPECT_NE(why([](Block& b) { b.rolling = INFINITY; }).find("rolling resistance is inf"),
            std::string::npos);
  EXPECT_NE(why([](Block& b) { b.friction = std::nan(""); }).find("friction coefficient is nan"),
            std::string::npos);
  EXPECT_NE(why([](Block& b) { b.size = 4; }).find("a moments block cannot have 4 rows"),
            std::string::npos);
}

}  // namespace
}  // namespace vinci
