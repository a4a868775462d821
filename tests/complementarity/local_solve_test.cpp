// SPDX-License-Identifier: Apache-2.0
// Local solves leave rounding only, on ordinary and on hostile blocks.
#include "vinci/complementarity/local_solve.h"

#include <random>

#include <gtest/gtest.h>

#include "vinci/complementarity/laws.h"

namespace vinci {
namespace {

// Natural map of the local problem over the size of its terms.
double local_residual(const Block& block, const MatrixX& W, const VectorX& q,
                      const double* lambda) {
  const int size = block.size;
  const Eigen::Map<const VectorX> l(lambda, size);
  const VectorX w = W * l + q;
  const double scale = W.diagonal().mean();
  VectorX r(size);
  natural_map(block, scale, lambda, w.data(), r.data());
  // What rounding of W λ + q can make; μ |w_t| enters the map a second time.
  const double terms = (W.cwiseAbs() * l.cwiseAbs() + q.cwiseAbs()).norm();
  return r.norm() / (terms * (1.0 + block.friction));
}

struct Sweep {
  std::mt19937_64 random{11};
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> unit{0.0, 1.0};

  MatrixX gauss(int rows, int cols) {
    return MatrixX::NullaryExpr(rows, cols, [&] { return normal(random); });
  }
  // Positive definite, then made hostile in one of several ways.
  MatrixX block_matrix(int size, int kind) {
    const MatrixX A = gauss(size, size);
    MatrixX W = A * A.transpose();
    if (kind % 5 == 0) W += 0.1 * MatrixX::Identity(size, size);
    if (kind % 5 == 1) W *= std::pow(10.0, 12.0 * unit(random) - 6.0);
    if (kind % 5 == 2) {  // near singular: one direction 1e-8 as stiff
      const VectorX d = gauss(size, 1).normalized();
      const MatrixX P = MatrixX::Identity(size, size) - (1.0 - 1e-4) * d * d.transpose();
      W = P * (W + MatrixX::Identity(size, size)) * P;
    }
    if (kind % 5 == 3) {  // not symmetric, still positive
      const MatrixX B = gauss(size, size);
      W += MatrixX::Identity(size, size) + 0.3 * (B - B.transpose());
    }
    if (kind % 5 == 4) W = VectorX::Constant(size, 1.0 + unit(random)).asDiagonal();
    return W;
  }
  double friction(int kind) {
    const double choices[] = {0.0, 1e-8, 0.3, 1.0, 30.0, unit(random)};
    return choices[kind % 6];
  }
};

void run(Law law, int size, int count) {
  Sweep sweep;
  double worst = 0.0;
  int failures = 0;
  for (int trial = 0; trial < count; ++trial) {
    Block block{.law = law, .size = size};
    block.friction = sweep.friction(trial / 5);
    if (law == Law::ball) block.friction = 0.0, block.upper = 0.1 + sweep.unit(sweep.random);
    if (law == Law::box) block.lower = -0.2, block.upper = 0.4;
    const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> W =
        sweep.block_matrix(size, trial);
    VectorX q = sweep.gauss(size, 1) * std::pow(10.0, trial % 7 - 3);
    if (trial % 11 == 0) q.tail(size - 1).setZero();
    double lambda[3] = {};
    if (!solve_local(block, W.data(), q.data(), lambda)) ++failures;
    const double r = local_residual(block, W, q, lambda);
    if (r > 1e-12)
      ADD_FAILURE() << to_string(law) << " trial " << trial << " μ " << block.friction
                    << " residual " << r << "\nW\n"
                    << W << "\nq " << q.transpose();
    worst = std::max(worst, r);
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_EQ(failures, 0);
}

TEST(LocalSolve, planar_coulomb_is_exact) {
  run(Law::coulomb, 2, 100000);
}
TEST(LocalSolve, spatial_coulomb_is_exact) {
  run(Law::coulomb, 3, 100000);
}
TEST(LocalSolve, spatial_ball_is_exact) {
  run(Law::ball, 2, 100000);
}
TEST(LocalSolve, interval_and_box_are_exact) {
  run(Law::ball, 1, 1000);
  run(Law::box, 1, 1000);
  run(Law::nonnegative, 1, 1000);
}

TEST(LocalSolve, second_order_cones_are_exact) {
  run(Law::second_order, 2, 20000);
  run(Law::second_order, 3, 5000);
}

TEST(LocalSolve, painleve_coupling_still_finds_an_answer) {
  // W_nn − μ W_nt < 0: sliding one way would pull the contact in; positive definite all the same.
  const double W[4] = {1.0, 2.0, 2.0, 5.0};
  Block block{.law = Law::coulomb, .size = 2};
  block.friction = 0.8;
  std::mt19937_64 random(4);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 1000; ++trial) {
    const double q[2] = {normal(random), normal(random)};
    double lambda[2];
    EXPECT_TRUE(solve_local(block, W, q, lambda)) << q[0] << " " << q[1];
    EXPECT_EQ(lambda[0] == 0.0, q[0] >= 0.0);  // open where it may
  }
}

TEST(LocalSolve, a_contact_that_nothing_moves_is_open_or_reported) {
  const double W[9] = {}, apart[3] = {0.1, 1.0, 0.0}, into[3] = {-0.1, 1.0, 0.0};
  Block block{.law = Law::coulomb, .size = 3};
  block.friction = 0.5;
  double lambda[3];
  EXPECT_TRUE(solve_local(block, W, apart, lambda));
  EXPECT_EQ(lambda[0], 0.0);
  EXPECT_FALSE(solve_local(block, W, into, lambda));
}

}  // namespace
}  // namespace vinci
