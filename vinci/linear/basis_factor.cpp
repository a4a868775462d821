// SPDX-License-Identifier: Apache-2.0
#include "vinci/linear/basis_factor.h"

#include <cmath>

namespace vinci {

bool BasisFactor::factor(const SparseColumns& basis) {
  size_ = basis.cols();
  positions_.clear();
  etas_.clear();
  if (size_ == 0) return true;
  for (const double value : basis.values)
    if (!std::isfinite(value)) return false;
  if (size_ <= largest_dense) return factor_dense(basis);
  return sparse_.factor(basis) && sparse_.repaired().empty();
}

bool BasisFactor::factor_dense(const SparseColumns& basis) {
  dense_.setZero(size_, size_);
  for (int j = 0; j < size_; ++j)
    for (int k = basis.starts[j]; k < basis.starts[j + 1]; ++k)
      dense_(basis.indices[k], j) += basis.values[k];
  lu_.compute(dense_);
  for (int j = 0; j < size_; ++j) {
    const double pivot = std::abs(lu_.matrixLU()(j, j));
    if (!(pivot >
          SparseLu::singular_pivot * lu_.matrixLU().col(j).head(j + 1).cwiseAbs().maxCoeff()))
      return false;
  }
  return true;
}

void BasisFactor::solve(VectorX& x) {
  if (size_ == 0) return;
  if (size_ <= largest_dense) {
    scratch_ = x;
    x.noalias() = lu_.permutationP() * scratch_;
    lu_.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(x);
    lu_.matrixLU().triangularView<Eigen::Upper>().solveInPlace(x);
  } else {
    sparse_.solve(x.data());
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
