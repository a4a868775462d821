// SPDX-License-Identifier: Apache-2.0
#include "vinci/proofs/scaled_rows.h"

#include <algorithm>
#include <cmath>

namespace vinci {
namespace {

// Shares of a diagonal entry that are rounding: of what elimination leaves, and of asymmetry.
constexpr double lost = 1e-13, uneven = 1e-12;
// Unknowns of a component; few are one.
constexpr int least = 3, small = 12;

}  // namespace

bool ScaledRows::factor_component(const SparseRows& M, int begin, int end) {
  const auto size = static_cast<std::size_t>(end - begin), place = factors_.size();
  places_.push_back(static_cast<int>(place));
  factors_.resize(place + size * size, 0.0);
  double* const L = factors_.data() + place;
  for (int row = begin; row < end; ++row)
    for (int k = M.starts[row]; k < M.starts[row + 1]; ++k)
      L[static_cast<std::size_t>(row - begin) * size +
        static_cast<std::size_t>(M.indices[k] - begin)] = M.values[k];
  for (std::size_t i = 0; i < size; ++i) {
    double* const row = L + i * size;
    for (std::size_t j = 0; j < i; ++j) {
      const double mirrored = L[j * size + i];
      if (std::abs(row[j] - mirrored) > uneven * (std::abs(row[j]) + std::abs(mirrored)))
        symmetric_ = false;
      double sum = 0.5 * (row[j] + mirrored);
      for (std::size_t k = 0; k < j; ++k) sum -= row[k] * L[j * size + k];
      row[j] = sum * L[j * size + j];
    }
    double rest = row[i];
    for (std::size_t k = 0; k < i; ++k) rest -= row[k] * row[k];
    if (!(row[i] > 0.0) || !(rest > lost * row[i])) return false;
    row[i] = 1.0 / std::sqrt(rest);
  }
  return true;
}

bool ScaledRows::factor(const SparseRows& M) {
  starts_.clear();
  places_.clear();
  factors_.clear();
  component_of_.resize(static_cast<std::size_t>(M.rows));
  symmetric_ = true;
  for (int begin = 0; begin < M.rows;) {
    // Of a component: no entry leads beyond. Few pieces per row, where bodies have no couplings.
    int end = std::min(begin + (M.rows <= small ? small : least), M.rows);
    for (int row = begin; row < end; ++row) {
      component_of_[static_cast<std::size_t>(row)] = static_cast<int>(starts_.size());
      for (int k = M.starts[row]; k < M.starts[row + 1]; ++k) {
        if (M.values[k] == 0.0) continue;
        if (M.indices[k] < begin) return false;  // not mirrored: nothing is known of it
        end = std::max(end, M.indices[k] + 1);
      }
    }
    starts_.push_back(begin);
    if (!factor_component(M, begin, end)) return false;
    begin = end;
  }
  starts_.push_back(M.rows);
  return true;
}

void ScaledRows::scale(const SparseRows& J) {
  unknowns_ = J.cols;
  piece_starts_.clear();
  piece_starts_.push_back(0);
  pieces_.clear();
  std::size_t size = 0;
  for (int row = 0; row < J.rows; ++row) {
    for (int k = J.starts[row]; k < J.starts[row + 1];) {
      const auto component =
          static_cast<std::size_t>(component_of_[static_cast<std::size_t>(J.indices[k])]);
      const int first = starts_[component], last = starts_[component + 1];
      pieces_.push_back({first, last - first, static_cast<int>(size)});
      size += static_cast<std::size_t>(last - first);
      while (k < J.starts[row + 1] && J.indices[k] < last) ++k;
    }
    piece_starts_.push_back(static_cast<int>(pieces_.size()));
  }
  scaled_.assign(size, 0.0);
  for (int row = 0; row < J.rows; ++row) {
    int k = J.starts[row];
    for (const Piece* piece = begin(row); piece != end(row); ++piece) {
      double* const g = scaled_.data() + piece->place;
      const int first = piece->first, count = piece->count;
      for (; k < J.starts[row + 1] && J.indices[k] < first + count; ++k)
        g[J.indices[k] - first] = J.values[k];
      const double* L =
          factors_.data() +
          places_[static_cast<std::size_t>(component_of_[static_cast<std::size_t>(first)])];
      for (int i = 0; i < count; ++i, L += count) {
        double value = g[i];
        for (int j = 0; j < i; ++j) value -= L[j] * g[j];
        g[i] = value * L[i];
      }
    }
  }
}

void ScaledRows::multiply(std::vector<double>& W) const {
  const std::size_t rows = piece_starts_.size() - 1;
  W.resize(rows * rows);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = 0.0;
      const Piece *a = begin(static_cast<int>(i)), *const a_end = end(static_cast<int>(i));
      const Piece *b = begin(static_cast<int>(j)), *const b_end = end(static_cast<int>(j));
      while (a != a_end && b != b_end) {
        if (a->first == b->first) {
          const double *x = scaled_.data() + a->place, *const x_end = x + a->count;
          for (const double* y = scaled_.data() + b->place; x != x_end; ++x, ++y) sum += *x * *y;
          ++a, ++b;
        } else {
          (a->first < b->first ? a : b) += 1;
        }
      }
      W[i * rows + j] = W[j * rows + i] = sum;
    }
}

double ScaledRows::product(int row, const VectorX& y) const {
  double sum = 0.0;
  for (const Piece* piece = begin(row); piece != end(row); ++piece) {
    const double* const g = scaled_.data() + piece->place;
    const double* const at = y.data() + piece->first;
    for (int i = 0; i < piece->count; ++i) sum += g[i] * at[i];
  }
  return sum;
}

void ScaledRows::add(int row, double factor, VectorX& to) const {
  for (const Piece* piece = begin(row); piece != end(row); ++piece) {
    const double* const g = scaled_.data() + piece->place;
    double* const at = to.data() + piece->first;
    for (int i = 0; i < piece->count; ++i) at[i] += factor * g[i];
  }
}

void ScaledRows::add_square(int row, double weight, std::vector<double>& to) const {
  for (const Piece* a = begin(row); a != end(row); ++a)
    for (const Piece* b = begin(row); b != end(row); ++b)
      for (int i = 0; i < a->count; ++i) {
        const double factor = weight * scaled_[static_cast<std::size_t>(a->place + i)];
        if (factor == 0.0) continue;
        const double* const g = scaled_.data() + b->place;
        double* const at = to.data() + (a->first + i) * unknowns_ + b->first;
        for (int j = 0; j < b->count; ++j) at[j] += factor * g[j];
      }
}

}  // namespace vinci
