// SPDX-License-Identifier: Apache-2.0
// Elimination.
#include "vinci/linear/frontal_lu.h"

#include <algorithm>
#include <cmath>

namespace vinci {

namespace {

// A pivot below a few ε (rows have entries about 1) is rounding and is replaced by this.
constexpr double smallest_pivot = 1e-15;
// Numbers in a front's off-diagonal part, 16 × 16, from which blocked products pay for packing.
constexpr int least_product = 256;

using Dense = Eigen::Map<Eigen::MatrixXd, 0, Eigen::OuterStride<>>;

Dense view(double* first, int rows, int columns, int stride) {
  return {first, rows, columns, Eigen::OuterStride<>(stride)};
}

}  // namespace

// Which entries of the matrix each front begins with, and where its factors lie.
void FrontalLu::place_entries(const Matrix& pattern) {
  const int n = static_cast<int>(pattern.cols());
  const std::vector<Front>& fronts = tree_.fronts();
  std::vector<std::vector<std::pair<int, int>>> entries(fronts.size());  // source, column
  for (int column = 0; column < n; ++column)
    for (int k = pattern.outerIndexPtr()[column]; k < pattern.outerIndexPtr()[column + 1]; ++k)
      entries[std::min(tree_.front_of(column), tree_.front_of(pattern.innerIndexPtr()[k]))]
          .emplace_back(k, column);
  std::vector<int> local(static_cast<std::size_t>(n), -1);
  sources_.clear(), targets_.clear();
  places_.assign(fronts.size() + 1, {});
  for (std::size_t f = 0; f < fronts.size(); ++f) {
    const Front& front = fronts[f];
    for (int i = 0; i < front.size; ++i) local[tree_.rows()[front.rows + i]] = i;
    for (const auto& [source, column] : entries[f]) {
      sources_.push_back(source);
      targets_.push_back(local[column] * front.size + local[pattern.innerIndexPtr()[source]]);
    }
    const auto size = static_cast<std::size_t>(front.size);
    const auto pivots = static_cast<std::size_t>(front.pivots);
    places_[f].upper = places_[f].lower + size * pivots;
    places_[f + 1].lower = places_[f].upper + pivots * (size - pivots);
    places_[f + 1].entries = static_cast<int>(sources_.size());
  }
}

void FrontalLu::analyse(const Matrix& pattern, const std::vector<int>& starts) {
  std::vector<int> block_of(static_cast<std::size_t>(starts.back()));
  for (std::size_t b = 0; b + 1 < starts.size(); ++b)
    std::fill(block_of.begin() + starts[b], block_of.begin() + starts[b + 1], static_cast<int>(b));
  std::vector<std::pair<int, int>> links;
  for (int column = 0; column < pattern.outerSize(); ++column)
    for (Matrix::InnerIterator entry(pattern, column); entry; ++entry) {
      const std::pair<int, int> link(block_of[entry.row()], block_of[column]);
      if (links.empty() || links.back() != link) links.push_back(link);
    }
  tree_.analyse(links, starts);
  place_entries(pattern);
  factors_.resize(places_.back().lower);
  front_.resize(tree_.largest());
  stack_.resize(tree_.deepest());
  swaps_.resize(static_cast<std::size_t>(tree_.row_count()));
  y_.resize(pattern.cols());
}

// Eliminates the pivots of the front that lies in front_, by columns; leaves L and U there and the
// Schur complement in its last rows and columns.
bool FrontalLu::eliminate(const Front& front) {
  const int pivots = front.pivots, size = front.size, rest = size - pivots;
  const auto column = [&](int j) { return front_.data() + static_cast<std::ptrdiff_t>(j) * size; };
  // Small fronts at once; of large ones the pivot columns, then the others by products of matrices.
  const int at_once = rest * pivots < least_product ? size : pivots;
  for (int k = 0; k < pivots; ++k) {
    double* const pivot = column(k);
    int best = k;
    for (int i = k + 1; i < pivots; ++i)
      if (std::abs(pivot[i]) > std::abs(pivot[best])) best = i;
    swaps_[front.first + k] = best;
    if (best != k)
      for (int j = 0; j < size; ++j) std::swap(column(j)[k], column(j)[best]);
    if (!std::isfinite(pivot[k])) return false;
    if (std::abs(pivot[k]) < smallest_pivot)
      pivot[k] = pivot[k] < 0.0 ? -smallest_pivot : smallest_pivot;
    const Eigen::Map<VectorX> below(pivot + k + 1, size - k - 1);
    Eigen::Map<VectorX>(pivot + k + 1, size - k - 1) *= 1.0 / pivot[k];
    for (int j = k + 1; j < at_once; ++j) {
      double* const other = column(j);
      if (other[k] != 0.0) Eigen::Map<VectorX>(other + k + 1, size - k - 1) -= other[k] * below;
    }
  }
  if (at_once == size) return true;
  Dense L = view(column(0), pivots, pivots, size);
  Dense upper = view(column(pivots), pivots, rest, size);
  L.triangularView<Eigen::UnitLower>().solveInPlace(upper);
  view(column(pivots) + pivots, rest, rest, size).noalias() -=
      view(column(0) + pivots, rest, pivots, size) * upper;
  return true;
}

void FrontalLu::store(const Front& front, const Place& place) {
  const int pivots = front.pivots, size = front.size, rest = size - pivots;
  const double* F = front_.data();
  std::copy(F, F + static_cast<std::ptrdiff_t>(pivots) * size, &factors_[0] + place.lower);
  double* upper = factors_.data() + place.upper;
  F += static_cast<std::ptrdiff_t>(pivots) * size;
  for (int j = 0; j < rest; ++j, F += size, upper += pivots) std::copy(F, F + pivots, upper);
}

bool FrontalLu::factor(const double* values) {
  const std::vector<Front>& fronts = tree_.fronts();
  double* top = stack_.data();  // one past the remainders that wait for their parent
  for (std::size_t f = 0; f < fronts.size(); ++f) {
    const Front& front = fronts[f];
    const int size = front.size, rest = size - front.pivots;
    std::fill_n(front_.begin(), static_cast<std::ptrdiff_t>(size) * size, 0.0);
    for (int e = places_[f].entries; e < places_[f + 1].entries; ++e)
      front_[targets_[e]] += values[sources_[e]];
    // Postorder: the children's remainders are the uppermost ones.
    for (int c = front.children_end - 1; c >= front.children; --c) {
      const Front& child = fronts[tree_.children()[c]];
      const int count = child.size - child.pivots;
      top -= static_cast<std::ptrdiff_t>(count) * count;
      const int* const map = tree_.maps().data() + child.map;
      const double* from = top;
      for (int j = 0; j < count; ++j, from += count) {
        double* const to = front_.data() + static_cast<std::ptrdiff_t>(map[j]) * size;
        for (int i = 0; i < count; ++i) to[map[i]] += from[i];
      }
    }
    if (!eliminate(front)) return false;
    store(front, places_[f]);
    for (int j = 0; j < rest; ++j, top += rest) {
      const double* const from =
          front_.data() + static_cast<std::ptrdiff_t>(front.pivots + j) * size + front.pivots;
      std::copy(from, from + rest, top);
    }
  }
  return true;
}

void FrontalLu::solve(VectorX& x) {
  const std::vector<Front>& fronts = tree_.fronts();
  for (std::size_t f = 0; f < fronts.size(); ++f) {
    const Front& front = fronts[f];
    const int* const rows = tree_.rows().data() + front.rows;
    double* const y = y_.data() + front.first;
    for (int i = 0; i < front.pivots; ++i) y[i] = x[rows[i]];
    for (int k = 0; k < front.pivots; ++k) std::swap(y[k], y[swaps_[front.first + k]]);
    const double* L = factors_.data() + places_[f].lower;
    for (int k = 0; k < front.pivots; ++k, L += front.size) {
      const double value = y[k];
      if (value == 0.0) continue;
      for (int i = k + 1; i < front.pivots; ++i) y[i] -= L[i] * value;
      for (int i = front.pivots; i < front.size; ++i) x[rows[i]] -= L[i] * value;
    }
  }
  for (std::size_t f = fronts.size(); f-- > 0;) {
    const Front& front = fronts[f];
    const int* const rows = tree_.rows().data() + front.rows;
    double* const y = y_.data() + front.first;
    const double* U = factors_.data() + places_[f].upper;
    for (int j = front.pivots; j < front.size; ++j, U += front.pivots)
      for (int i = 0; i < front.pivots; ++i) y[i] -= U[i] * x[rows[j]];
    for (int k = front.pivots - 1; k >= 0; --k) {
      const double* const column =
          factors_.data() + places_[f].lower + static_cast<std::ptrdiff_t>(k) * front.size;
      y[k] /= column[k];
      for (int i = 0; i < k; ++i) y[i] -= column[i] * y[k];
    }
    for (int i = 0; i < front.pivots; ++i) x[rows[i]] = y[i];
  }
}

}  // namespace vinci
