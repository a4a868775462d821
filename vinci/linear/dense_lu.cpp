// SPDX-License-Identifier: Apache-2.0
#include "vinci/linear/dense_lu.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace vinci {

namespace {

// A pivot of rows scaled to 1 that is only rounding, and rounding of rounding: about ε² = 5e-32.
constexpr double negligible = 1e-30;

}  // namespace

void DenseLu::reset(int size) {
  size_ = size;
  data_.assign(static_cast<std::size_t>(size) * static_cast<std::size_t>(size), 0.0);
  swaps_.resize(static_cast<std::size_t>(size));
  scale_.resize(static_cast<std::size_t>(size));
  first_.resize(static_cast<std::size_t>(size));
  end_.resize(static_cast<std::size_t>(size));
}

void DenseLu::factor() {
  least_pivot_ = std::numeric_limits<double>::infinity();
  for (int i = 0; i < size_; ++i) {
    double largest = 0.0;
    for (int j = 0; j < size_; ++j) largest = std::max(largest, std::abs(entry(i, j)));
    scale_[static_cast<std::size_t>(i)] = largest > 0.0 ? 1.0 / largest : 1.0;
  }
  for (int k = 0; k < size_; ++k) {
    int best = k;
    double largest = -1.0;
    for (int i = k; i < size_; ++i) {
      const double part = std::abs(entry(i, k)) * scale_[static_cast<std::size_t>(i)];
      if (part > largest) largest = part, best = i;
    }
    swaps_[static_cast<std::size_t>(k)] = best;
    least_pivot_ = std::min(least_pivot_, largest);
    if (best != k) {
      std::swap_ranges(&entry(k, 0), &entry(k, 0) + size_, &entry(best, 0));
      std::swap(scale_[static_cast<std::size_t>(k)], scale_[static_cast<std::size_t>(best)]);
    }
    double* const pivot_row = &entry(k, 0);
    const int end = find_end(k);
    if (!(largest > negligible)) {
      pivot_row[k] = std::numeric_limits<double>::infinity();  // dividing by it gives the zero
      continue;
    }
    for (int i = k + 1; i < size_; ++i) {
      double* const row = &entry(i, 0);
      if (row[k] == 0.0) continue;
      const double factor = row[k] /= pivot_row[k];
      for (int j = k + 1; j < end; ++j) row[j] -= factor * pivot_row[j];
    }
  }
  for (int i = 0; i < size_; ++i) {
    int first = 0;
    while (first < i && entry(i, first) == 0.0) ++first;
    first_[static_cast<std::size_t>(i)] = first;
  }
}

int DenseLu::find_end(int i) {
  int end = size_;
  while (end > i + 1 && entry(i, end - 1) == 0.0) --end;
  return end_[static_cast<std::size_t>(i)] = end;
}

void DenseLu::solve(double* x) const {
  const auto row = [&](int i) { return data_.data() + static_cast<std::ptrdiff_t>(i) * size_; };
  for (int k = 0; k < size_; ++k) std::swap(x[k], x[swaps_[static_cast<std::size_t>(k)]]);
  for (int i = 0; i < size_; ++i) {
    double sum = x[i];
    for (int j = first_[static_cast<std::size_t>(i)]; j < i; ++j) sum -= row(i)[j] * x[j];
    x[i] = sum;
  }
  for (int i = size_ - 1; i >= 0; --i) {
    double sum = x[i];
    const int end = end_[static_cast<std::size_t>(i)];
    for (int j = i + 1; j < end; ++j) sum -= row(i)[j] * x[j];
    x[i] = sum / row(i)[i];
  }
}

// |A⁻¹y| / |y| for the y that solves Aᵀy = (±1, …, ±1), signs such that it grows.
double DenseLu::inverse_norm() const {
  const auto row = [&](int i) { return data_.data() + static_cast<std::ptrdiff_t>(i) * size_; };
  std::vector<double> y(static_cast<std::size_t>(size_), 0.0);
  for (int k = 0; k < size_; ++k) {
    y[k] = ((y[k] > 0.0 ? 1.0 : -1.0) + y[k]) / row(k)[k];
    for (int j = k + 1; j < size_; ++j) y[j] -= row(k)[j] * y[k];
  }
  for (int k = size_ - 1; k > 0; --k)
    for (int j = 0; j < k; ++j) y[j] -= row(k)[j] * y[k];
  for (int k = size_ - 1; k >= 0; --k) std::swap(y[k], y[swaps_[static_cast<std::size_t>(k)]]);
  const auto square = [&] { return std::inner_product(y.begin(), y.end(), y.begin(), 0.0); };
  const double before = square();
  solve(y.data());
  return before > 0.0 ? std::sqrt(square() / before) : 0.0;
}

}  // namespace vinci
