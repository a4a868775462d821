// SPDX-License-Identifier: Apache-2.0
#include "vinci/proofs/scaled_rows.h"

#include <algorithm>
#include <cmath>

namespace vinci {
namespace {

// Shares of a diagonal entry that are rounding: of what elimination leaves, and of asymmetry.
constexpr double lost = 1e-13, uneven = 1e-12;
constexpr int least = 3;  // unknowns of a component

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
    int end = std::min(begin + least, M.rows);
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
  piece_starts_.clear();
  piece_starts_.push_back(0);
  pieces_.clear();
  scaled_.clear();
  for (int row = 0; row < J.rows; ++row) {
    for (int k = J.starts[row]; k < J.starts[row + 1];) {
      const int component = component_of_[static_cast<std::size_t>(J.indices[k])];
      const int first = starts_[static_cast<std::size_t>(component)];
      const int last = starts_[static_cast<std::size_t>(component) + 1];
      const auto count = static_cast<std::size_t>(last - first), place = scaled_.size();
      pieces_.push_back({component, static_cast<int>(place)});
      scaled_.resize(place + count, 0.0);
      double* const g = scaled_.data() + place;
      for (; k < J.starts[row + 1] && J.indices[k] < last; ++k)
        g[J.indices[k] - first] = J.values[k];
      const double* L = factors_.data() + places_[static_cast<std::size_t>(component)];
      for (std::size_t i = 0; i < count; ++i, L += count) {
        for (std::size_t j = 0; j < i; ++j) g[i] -= L[j] * g[j];
        g[i] *= L[i];
      }
    }
    piece_starts_.push_back(static_cast<int>(pieces_.size()));
  }
}

double ScaledRows::product(int row, int other) const {
  double sum = 0.0;
  const Piece* a = pieces_.data() + piece_starts_[static_cast<std::size_t>(row)];
  const Piece* const a_end = pieces_.data() + piece_starts_[static_cast<std::size_t>(row) + 1];
  const Piece* b = pieces_.data() + piece_starts_[static_cast<std::size_t>(other)];
  const Piece* const b_end = pieces_.data() + piece_starts_[static_cast<std::size_t>(other) + 1];
  while (a != a_end && b != b_end) {
    if (a->component == b->component) {
      const double *x = scaled_.data() + a->place, *y = scaled_.data() + b->place;
      for (int i = 0; i < size(a->component); ++i) sum += x[i] * y[i];
      ++a, ++b;
    } else {
      (a->component < b->component ? a : b) += 1;
    }
  }
  return sum;
}

double ScaledRows::product(int row, const VectorX& y) const {
  double sum = 0.0;
  for (int k = piece_starts_[static_cast<std::size_t>(row)];
       k < piece_starts_[static_cast<std::size_t>(row) + 1]; ++k) {
    const Piece& piece = pieces_[static_cast<std::size_t>(k)];
    const double* const g = scaled_.data() + piece.place;
    const double* const at = y.data() + starts_[static_cast<std::size_t>(piece.component)];
    for (int i = 0; i < size(piece.component); ++i) sum += g[i] * at[i];
  }
  return sum;
}

void ScaledRows::add(int row, double factor, VectorX& to) const {
  for (int k = piece_starts_[static_cast<std::size_t>(row)];
       k < piece_starts_[static_cast<std::size_t>(row) + 1]; ++k) {
    const Piece& piece = pieces_[static_cast<std::size_t>(k)];
    const double* const g = scaled_.data() + piece.place;
    double* const at = to.data() + starts_[static_cast<std::size_t>(piece.component)];
    for (int i = 0; i < size(piece.component); ++i) at[i] += factor * g[i];
  }
}

}  // namespace vinci
