// SPDX-License-Identifier: Apache-2.0
#include "vinci/solvers/basis_factor.h"

#include <cmath>

#include <Eigen/SparseLU>

namespace vinci {

namespace {

// Pivots of U below this part of the largest of their column are rounding: the basis is singular.
constexpr double singular = 1e-13;

}  // namespace

struct BasisFactor::Sparse {
  Eigen::SparseMatrix<double> matrix;
  Eigen::SparseLU<Eigen::SparseMatrix<double>> lu;
  std::vector<int> starts, indices;  // of the last analysis
};

BasisFactor::BasisFactor() : sparse_(std::make_unique<Sparse>()) {}
BasisFactor::~BasisFactor() = default;

bool BasisFactor::factor(const SparseColumns& basis) {
  size_ = basis.columns();
  positions_.clear();
  etas_.clear();
  if (size_ == 0) return true;
  return size_ <= largest_dense ? factor_dense(basis) : factor_sparse(basis);
}

bool BasisFactor::factor_dense(const SparseColumns& basis) {
  dense_.setZero(size_, size_);
  for (int j = 0; j < size_; ++j)
    for (int k = basis.starts[j]; k < basis.starts[j + 1]; ++k)
      dense_(basis.indices[k], j) += basis.values[k];
  if (!dense_.allFinite()) return false;
  lu_.compute(dense_);
  for (int j = 0; j < size_; ++j) {
    const double pivot = std::abs(lu_.matrixLU()(j, j));
    if (!(pivot > singular * lu_.matrixLU().col(j).head(j + 1).cwiseAbs().maxCoeff())) return false;
  }
  return true;
}

bool BasisFactor::factor_sparse(const SparseColumns& basis) {
  const Eigen::Map<const Eigen::SparseMatrix<double>> view(
      size_, size_, static_cast<long>(basis.indices.size()), basis.starts.data(),
      basis.indices.data(), basis.values.data());
  Sparse& sparse = *sparse_;
  sparse.matrix = view;
  for (const double value : basis.values)
    if (!std::isfinite(value)) return false;
  if (sparse.starts != basis.starts || sparse.indices != basis.indices) {
    sparse.lu.analyzePattern(sparse.matrix);
    sparse.starts = basis.starts;
    sparse.indices = basis.indices;
  }
  sparse.lu.factorize(sparse.matrix);
  if (sparse.lu.info() != Eigen::Success) return false;
  // A basis that is singular to rounding shows in the size of a solution of a plain right side.
  scratch_.setOnes(size_);
  const VectorX answer = sparse.lu.solve(scratch_);
  double largest = 0.0;
  for (const double value : basis.values) largest = std::max(largest, std::abs(value));
  return answer.allFinite() && answer.cwiseAbs().maxCoeff() * largest * singular < 1.0;
}

void BasisFactor::solve(VectorX& x) {
  if (size_ == 0) return;
  scratch_ = x;
  if (size_ <= largest_dense) {
    x.noalias() = lu_.permutationP() * scratch_;
    lu_.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(x);
    lu_.matrixLU().triangularView<Eigen::Upper>().solveInPlace(x);
  } else {
    x = sparse_->lu.solve(scratch_);
  }
  for (std::size_t k = 0; k < positions_.size(); ++k) {
    const Eigen::Map<const VectorX> alpha(etas_.data() + k * static_cast<std::size_t>(size_),
                                          size_);
    const int p = positions_[k];
    const double value = x[p] / alpha[p];
    x -= value * alpha;
    x[p] = value;
  }
}

void BasisFactor::replace(int position, const VectorX& alpha) {
  positions_.push_back(position);
  etas_.insert(etas_.end(), alpha.data(), alpha.data() + size_);
}

}  // namespace vinci
