// SPDX-License-Identifier: Apache-2.0
#include "vinci/linear/growing_qr.h"

#include <algorithm>

namespace vinci {

void GrowingQr::reset(int rows) {
  columns_ = 0;
  if (Q_.rows() != rows) Q_.resize(rows, std::max(Q_.cols(), Eigen::Index{8}));
  if (R_.rows() == 0) R_.resize(8, 8);
}

bool GrowingQr::append(const VectorX& column, double least) {
  const double norm = column.norm();
  if (columns_ == Q_.rows() || !(norm > 0.0)) return false;
  if (columns_ == std::min(Q_.cols(), R_.cols())) {
    const Eigen::Index more = 2 * columns_ + 8;
    Q_.conservativeResize(Eigen::NoChange, more);
    R_.conservativeResize(more, more);
  }
  outside_ = column;
  auto entries = R_.col(columns_).head(columns_);
  entries.setZero();
  for (int pass = 0; pass < 3; ++pass)  // the third for what the first two all but take away
    for (int j = 0; j < columns_; ++j) {
      const double part = Q_.col(j).dot(outside_);
      entries[j] += part;
      outside_ -= part * Q_.col(j);
    }
  const double left = outside_.norm();
  if (!(left > least * norm)) return false;
  R_(columns_, columns_) = left;
  Q_.col(columns_) = outside_ / left;
  ++columns_;
  return true;
}

void GrowingQr::remove(int place) {
  for (int j = place; j + 1 < columns_; ++j) R_.col(j).head(j + 2) = R_.col(j + 1).head(j + 2);
  --columns_;
  for (int j = place; j < columns_; ++j) {
    const double a = R_(j, j), b = R_(j + 1, j), r = std::hypot(a, b);
    if (r == 0.0) continue;
    const double c = a / r, s = b / r;
    for (int k = j; k < columns_; ++k) {
      const double upper = R_(j, k), lower = R_(j + 1, k);
      R_(j, k) = c * upper + s * lower;
      R_(j + 1, k) = c * lower - s * upper;
    }
    for (Eigen::Index i = 0; i < Q_.rows(); ++i) {
      const double left = Q_(i, j), right = Q_(i, j + 1);
      Q_(i, j) = c * left + s * right;
      Q_(i, j + 1) = c * right - s * left;
    }
  }
}

void GrowingQr::solve(const VectorX& target, VectorX& x) const {
  x = basis().transpose() * target;
  for (int j = columns_; j-- > 0;) {
    x[j] /= R_(j, j);
    x.head(j) -= x[j] * R_.col(j).head(j);
  }
}

void GrowingQr::remove_span(VectorX& x) const {
  for (int pass = 0; pass < 3; ++pass)
    for (int j = 0; j < columns_; ++j) x -= Q_.col(j).dot(x) * Q_.col(j);
}

}  // namespace vinci
