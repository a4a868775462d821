// SPDX-License-Identifier: Apache-2.0
#include "vinci/selection/velocity_matrix.h"

#include <algorithm>
#include <cmath>

namespace vinci {

void VelocityMatrix::begin(const std::vector<int>& sizes) {
  starts_.assign(1, 0);
  body_of_.clear();
  for (std::size_t body = 0; body < sizes.size(); ++body) {
    starts_.push_back(starts_.back() + sizes[body]);
    body_of_.insert(body_of_.end(), static_cast<std::size_t>(sizes[body]), static_cast<int>(body));
  }
  neighbours_.resize(sizes.size());
  for (std::size_t body = 0; body < sizes.size(); ++body)
    neighbours_[body].assign(1, static_cast<int>(body));
}

void VelocityMatrix::join(int a, int b) {
  if (a == b) return;
  neighbours_[static_cast<std::size_t>(a)].push_back(b);
  neighbours_[static_cast<std::size_t>(b)].push_back(a);
}

void VelocityMatrix::analyse(std::span<const double> diagonal) {
  const int size = starts_.back();
  std::vector<int> outer{0}, inner;
  places_.resize(neighbours_.size());
  for (std::size_t body = 0; body < neighbours_.size(); ++body) {
    std::vector<int>& joined = neighbours_[body];
    std::sort(joined.begin(), joined.end());
    joined.erase(std::unique(joined.begin(), joined.end()), joined.end());
    places_[body].clear();
    std::vector<int> rows;
    for (const int other : joined) {
      places_[body].push_back(static_cast<int>(rows.size()));
      for (int row = starts_[other]; row < starts_[other + 1]; ++row) rows.push_back(row);
    }
    for (int column = starts_[body]; column < starts_[body + 1]; ++column) {
      inner.insert(inner.end(), rows.begin(), rows.end());
      outer.push_back(static_cast<int>(inner.size()));
    }
  }
  matrix_.resize(size, size);
  matrix_.resizeNonZeros(static_cast<Eigen::Index>(inner.size()));
  std::copy(outer.begin(), outer.end(), matrix_.outerIndexPtr());
  std::copy(inner.begin(), inner.end(), matrix_.innerIndexPtr());
  scale_.resize(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < scale_.size(); ++i)
    scale_[i] = diagonal[i] > 0.0 ? 1.0 / std::sqrt(diagonal[i]) : 1.0;
  clear();
  lu_.analyse(matrix_, starts_);
}

void VelocityMatrix::clear() {
  std::fill_n(matrix_.valuePtr(), matrix_.nonZeros(), 0.0);
}

void VelocityMatrix::add(int row, int column, double value) {
  const auto of_row = static_cast<std::size_t>(body_of_[static_cast<std::size_t>(row)]);
  const auto of_column = static_cast<std::size_t>(body_of_[static_cast<std::size_t>(column)]);
  const std::vector<int>& joined = neighbours_[of_column];
  const auto at = static_cast<std::size_t>(
      std::lower_bound(joined.begin(), joined.end(), static_cast<int>(of_row)) - joined.begin());
  const int place =
      matrix_.outerIndexPtr()[column] + places_[of_column][at] + row - starts_[of_row];
  matrix_.valuePtr()[place] +=
      scale_[static_cast<std::size_t>(row)] * value * scale_[static_cast<std::size_t>(column)];
}

bool VelocityMatrix::factor() {
  return lu_.factor(matrix_.valuePtr());
}

void VelocityMatrix::solve(double* x) {
  const int size = starts_.back();
  right_.resize(size);
  for (int i = 0; i < size; ++i) right_[i] = scale_[static_cast<std::size_t>(i)] * x[i];
  lu_.solve(right_);
  for (int i = 0; i < size; ++i) x[i] = scale_[static_cast<std::size_t>(i)] * right_[i];
}

}  // namespace vinci
