// SPDX-License-Identifier: Apache-2.0
// Ruiz's scaling of dense and sparse matrices.
#include "vinci/linear/equilibration.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace vinci {
namespace {

// Entries over forty orders, some of them zero.
RowMatrix wild(int size, std::mt19937_64& random) {
  std::normal_distribution<double> number;
  std::uniform_real_distribution<double> exponent(-20.0, 20.0);
  std::bernoulli_distribution is_set(0.4);
  RowMatrix A = RowMatrix::Zero(size, size);
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < size; ++j)
      if (i == j || is_set(random)) A(i, j) = number(random) * std::pow(10.0, exponent(random));
  return A;
}

SparseColumns sparse_columns(const RowMatrix& A) {
  SparseColumns result;
  result.reset(static_cast<int>(A.rows()));
  for (Eigen::Index j = 0; j < A.cols(); ++j) {
    for (Eigen::Index i = 0; i < A.rows(); ++i)
      if (A(i, j) != 0.0) result.push(static_cast<int>(i), A(i, j));
    result.end_column();
  }
  return result;
}

TEST(Equilibration, the_largest_entry_of_every_row_and_column_is_near_one) {
  std::mt19937_64 random(1);
  for (const int size : {1, 2, 7, 40}) {
    RowMatrix A = wild(size, random);
    Equilibration scale;
    scale.apply(A);
    for (int k = 0; k < size; ++k) {
      EXPECT_LE(A.row(k).cwiseAbs().maxCoeff(), 4.0);
      EXPECT_GE(A.row(k).cwiseAbs().maxCoeff(), 0.25);
      EXPECT_LE(A.col(k).cwiseAbs().maxCoeff(), 4.0);
      EXPECT_GE(A.col(k).cwiseAbs().maxCoeff(), 0.25);
    }
  }
}

TEST(Equilibration, scales_are_powers_of_two_and_bring_the_matrix_back_bit_for_bit) {
  std::mt19937_64 random(2);
  const RowMatrix before = wild(20, random);
  RowMatrix A = before;
  Equilibration scale;
  scale.apply(A);
  int exponent = 0;
  for (int k = 0; k < 20; ++k) {
    EXPECT_EQ(std::frexp(scale.row[k], &exponent), 0.5);
    EXPECT_EQ(std::frexp(scale.column[k], &exponent), 0.5);
  }
  for (int i = 0; i < 20; ++i)
    for (int j = 0; j < 20; ++j) EXPECT_EQ(A(i, j) / scale.row[i] / scale.column[j], before(i, j));
}

TEST(Equilibration, dense_and_sparse_matrices_have_the_same_scales) {
  std::mt19937_64 random(3);
  for (const int size : {1, 5, 30}) {
    RowMatrix A = wild(size, random);
    SparseColumns columns = sparse_columns(A);
    Equilibration dense, sparse;
    dense.apply(A);
    sparse.apply(columns);
    EXPECT_EQ(dense.row, sparse.row);
    EXPECT_EQ(dense.column, sparse.column);
    const SparseColumns expected = sparse_columns(A);
    EXPECT_EQ(columns.values, expected.values);
  }
}

TEST(Equilibration, rows_and_columns_of_zeros_stay) {
  RowMatrix A = RowMatrix::Zero(3, 3);
  A(0, 0) = 1e6;
  Equilibration scale;
  scale.apply(A);
  EXPECT_EQ(scale.row[1], 1.0);
  EXPECT_EQ(scale.column[2], 1.0);
  EXPECT_NEAR(std::abs(std::log2(A(0, 0))), 0.0, 1.0);
}

}  // namespace
}  // namespace vinci
