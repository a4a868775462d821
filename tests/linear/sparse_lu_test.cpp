// SPDX-License-Identifier: Apache-2.0
#include "vinci/linear/sparse_lu.h"

#include <random>

#include <Eigen/LU>
#include <gtest/gtest.h>

namespace vinci {
namespace {

SparseColumns columns_of(const Eigen::MatrixXd& A) {
  SparseColumns result;
  result.reset(static_cast<int>(A.rows()));
  for (int j = 0; j < A.cols(); ++j) {
    for (int i = 0; i < A.rows(); ++i)
      if (A(i, j) != 0.0) result.push(i, A(i, j));
    result.end_column();
  }
  return result;
}

Eigen::MatrixXd random_sparse(int n, double fill, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      if (unit(random) < fill) A(i, j) = normal(random);
  for (int i = 0; i < n; ++i) A(i, (i * 7 + 3) % n) += 3.0;  // regular, mostly off the diagonal
  return A;
}

TEST(SparseLu, solves_as_dense_factors_do) {
  std::mt19937_64 random(61);
  SparseLu lu;
  int compared = 0;
  for (int round = 0; round < 100; ++round) {
    const int n = 1 + round % 80;
    if (n % 7 == 0) continue;  // i ↦ 7 i + 3 is no permutation
    const Eigen::MatrixXd A = random_sparse(n, 3.0 / n, random);
    const Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(n, -1.0, 2.0);
    const Eigen::FullPivLU<Eigen::MatrixXd> dense(A);
    if (dense.rcond() < 1e-8) continue;
    ASSERT_TRUE(lu.factor(columns_of(A))) << round;
    EXPECT_TRUE(lu.repaired().empty());
    Eigen::VectorXd x = b;
    lu.solve(x.data());
    EXPECT_LT((A * x - b).norm(), 1e-9 * b.norm()) << round;
    // A given order changes the rounding only.
    std::vector<int> order;
    for (int k = 0; k < n; ++k) order.push_back(n - 1 - k);
    ASSERT_TRUE(lu.factor(columns_of(A), 1e-13, &order));
    Eigen::VectorXd y = b;
    lu.solve(y.data());
    EXPECT_LT((x - y).norm(), 1e-7 * x.norm()) << round;
    ++compared;
  }
  EXPECT_GT(compared, 0);
}

TEST(SparseLu, dependent_column_is_replaced_by_its_unit_column) {
  Eigen::Matrix3d A;
  A << 2, 1, 1, 1, 2, 2, 1, 2, 2;  // the last two columns are equal
  SparseLu lu;
  ASSERT_TRUE(lu.factor(columns_of(A)));
  ASSERT_EQ(lu.repaired().size(), 1u);
  const int column = lu.repaired()[0];
  A.col(column) = Eigen::Vector3d::Unit(column);
  Eigen::Vector3d x(1, 2, 3);
  lu.solve(x.data());
  EXPECT_LT((A * x - Eigen::Vector3d(1, 2, 3)).norm(), 1e-14);
}

TEST(SparseLu, empty_matrix_is_regular) {
  SparseLu lu;
  EXPECT_TRUE(lu.factor(columns_of(Eigen::MatrixXd(0, 0))));
}

}  // namespace
}  // namespace vinci
