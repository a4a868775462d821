// SPDX-License-Identifier: Apache-2.0
// Least squares by regularised normal equations.
#include "vinci/formulation/least_motion.h"

#include <algorithm>
#include <cmath>

namespace vinci {
namespace {

// Of the square of a row: far below what rows that count differ by, far above rounding.
constexpr double shared = 1e-10;

}  // namespace

void LeastMotion::factor(const SparseRows& M, const SparseRows& rows) {
  rows_ = rows;
  roots_.resize(rows.cols);
  double heaviest = 0.0;
  for (int i = 0; i < rows.cols; ++i) heaviest = std::max(heaviest, M.diagonal(i));
  if (!(heaviest > 0.0)) heaviest = 1.0;
  constexpr double lightest = 1e-12;
  for (int i = 0; i < rows.cols; ++i)
    roots_[i] = 1.0 / std::sqrt(std::max(M.diagonal(i), lightest * heaviest));
  lengths_.resize(rows.rows);
  for (int i = 0; i < rows.rows; ++i) {
    double square = 0.0;
    for (int k = rows_.starts[i]; k < rows_.starts[i + 1]; ++k) {
      rows_.values[k] *= roots_[rows_.indices[k]];
      square += rows_.values[k] * rows_.values[k];
    }
    lengths_[i] = std::sqrt(square);
  }
  // Rows far shorter than others are those whose errors are of second order: they are not to count
  // as much as those that take the first order out.
  constexpr double shortest = 1e-3;
  const double longest = rows.rows > 0 ? lengths_.maxCoeff() : 0.0;
  for (int i = 0; i < rows.rows; ++i) {
    lengths_[i] = longest > 0.0 ? std::max(lengths_[i], shortest * longest) : 1.0;
    for (int k = rows_.starts[i]; k < rows_.starts[i + 1]; ++k) rows_.values[k] /= lengths_[i];
  }
  if (rows.rows <= largest_dense)
    factor_dense();
  else
    factor_sparse();
}

void LeastMotion::factor_dense() {
  dense_.setZero(rows_.rows, rows_.cols);
  for (int i = 0; i < rows_.rows; ++i)
    for (int k = rows_.starts[i]; k < rows_.starts[i + 1]; ++k)
      dense_(i, rows_.indices[k]) = rows_.values[k];
  product_.noalias() = dense_ * dense_.transpose();
  product_.diagonal().array() += shared;
  llt_.compute(product_);
}

void LeastMotion::factor_sparse() {
  const auto rows = rows_.view();
  sparse_ = rows * Eigen::SparseMatrix<double>(rows.transpose());
  for (int i = 0; i < rows_.rows; ++i) sparse_.coeffRef(i, i) += shared;
  ldlt_.compute(sparse_);
}

void LeastMotion::solve(const VectorX& b, VectorX& x) {
  load_ = -b.cwiseQuotient(lengths_);
  if (rows_.rows <= largest_dense)
    llt_.solveInPlace(load_);
  else
    load_ = ldlt_.solve(load_).eval();
  x.setZero(rows_.cols);
  rows_.multiply_transposed_add(load_.data(), x.data());
  x.array() *= roots_.array();
}

}  // namespace vinci
