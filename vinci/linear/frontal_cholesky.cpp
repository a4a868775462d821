// SPDX-License-Identifier: Apache-2.0
#include "vinci/linear/frontal_cholesky.h"

#include <algorithm>
#include <cmath>

#include "vinci/base/math.h"

namespace vinci {

namespace {

constexpr int panel = 4;  // pivots whose columns are subtracted at once

using Run = Eigen::Map<VectorX>;
using ConstantRun = Eigen::Map<const VectorX>;

// to −= Σ factor_k from_k; the columns lie `stride` apart.
void subtract(int count, int terms, const double* factor, const double* from, std::ptrdiff_t stride,
              double* to) {
  if (terms == panel) {
    Run(to, count) -= factor[0] * ConstantRun(from, count) +
                      factor[1] * ConstantRun(from + stride, count) +
                      factor[2] * ConstantRun(from + 2 * stride, count) +
                      factor[3] * ConstantRun(from + 3 * stride, count);
    return;
  }
  for (int k = 0; k < terms; ++k, from += stride)
    Run(to, count) -= factor[k] * ConstantRun(from, count);
}

}  // namespace

void FrontalCholesky::analyse(const std::vector<Link>& links, const std::vector<int>& starts) {
  if (links == links_ && starts == starts_) return;
  links_ = links;
  starts_ = starts;
  tree_.analyse(links, starts);
  place_blocks();
  front_.resize(tree_.largest());
  stack_.resize(tree_.deepest());
  rows_.resize(static_cast<std::size_t>(tree_.row_count()));
}

// Where each block of the matrix lies in the front that eliminates the first of its rows.
void FrontalCholesky::place_blocks() {
  const std::vector<Front>& fronts = tree_.fronts();
  places_.assign(blocks() + links_.size(), {});
  std::size_t size = 0;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    Place& place = places_[i];
    place.on_diagonal = i < blocks();
    const auto [a, b] =
        place.on_diagonal ? Link(static_cast<int>(i), static_cast<int>(i)) : links_[i - blocks()];
    place.rows = starts_[a + 1] - starts_[a];
    place.columns = starts_[b + 1] - starts_[b];
    place.row = starts_[a], place.column = starts_[b];  // scalar rows, until the front is known
    place.front = std::min(tree_.front_of(place.row), tree_.front_of(place.column));
    place.from = size;
    size += static_cast<std::size_t>(place.rows) * static_cast<std::size_t>(place.columns);
  }
  values_.assign(size, 0.0);

  begins_.assign(fronts.size() + 1, 0);
  for (const Place& place : places_) ++begins_[place.front + 1];
  for (std::size_t f = 0; f < fronts.size(); ++f) begins_[f + 1] += begins_[f];
  std::vector<int> next(begins_.begin(), begins_.end() - 1);
  sorted_.resize(places_.size());
  for (std::size_t i = 0; i < places_.size(); ++i)
    sorted_[next[places_[i].front]++] = static_cast<int>(i);

  std::vector<int> local(static_cast<std::size_t>(tree_.row_count()));
  lower_.resize(fronts.size());
  std::size_t stored = 0;
  for (std::size_t f = 0; f < fronts.size(); ++f) {
    const Front& front = fronts[f];
    for (int i = 0; i < front.size; ++i) local[tree_.rows()[front.rows + i]] = i;
    for (int k = begins_[f]; k < begins_[f + 1]; ++k) {
      Place& place = places_[sorted_[k]];
      place.row = local[place.row], place.column = local[place.column];
      place.turned = place.row < place.column;
    }
    lower_[f] = stored;
    stored += static_cast<std::size_t>(front.size) * static_cast<std::size_t>(front.pivots);
  }
  factors_.resize(stored);
}

void FrontalCholesky::add_block(const Place& place, int size) {
  const double* from = values_.data() + place.from;
  const auto at = [&](int row, int column) {
    return front_.data() + static_cast<std::ptrdiff_t>(column) * size + row;
  };
  for (int j = 0; j < place.columns; ++j, from += place.rows) {
    if (place.turned) {
      for (int i = 0; i < place.rows; ++i) *at(place.column + j, place.row + i) += from[i];
    } else {
      double* const to = at(place.row, place.column + j);
      for (int i = place.on_diagonal ? j : 0; i < place.rows; ++i) to[i] += from[i];
    }
  }
}

// The lower half of the pivots' columns, which become L, and of what is left.
bool FrontalCholesky::eliminate(int pivots, int size, double* front) {
  const auto column = [&](int j) { return front + static_cast<std::ptrdiff_t>(j) * size; };
  for (int first = 0; first < pivots; first += panel) {
    const int last = std::min(first + panel, pivots);
    for (int k = first; k < last; ++k) {
      double* const own = column(k);
      if (!(own[k] > 0.0) || !std::isfinite(own[k])) return false;
      const double root = std::sqrt(own[k]), inverse = 1.0 / root;
      own[k] = root;
      Run(own + k + 1, size - k - 1) *= inverse;
      for (int j = k + 1; j < last; ++j)
        subtract(size - j, 1, own + j, own + j, size, column(j) + j);
    }
    double factors[panel] = {};
    for (int j = last; j < size; ++j) {
      for (int k = first; k < last; ++k) factors[k - first] = column(k)[j];
      subtract(size - j, last - first, factors, column(first) + j, size, column(j) + j);
    }
  }
  return true;
}

bool FrontalCholesky::factor() {
  const std::vector<Front>& fronts = tree_.fronts();
  double* top = stack_.data();  // one past the remainders that wait for their parent
  for (std::size_t f = 0; f < fronts.size(); ++f) {
    const Front& front = fronts[f];
    const int size = front.size, rest = size - front.pivots;
    std::fill_n(front_.begin(), static_cast<std::ptrdiff_t>(size) * size, 0.0);
    for (int k = begins_[f]; k < begins_[f + 1]; ++k) add_block(places_[sorted_[k]], size);
    // Postorder: the children's remainders are the uppermost ones.
    for (int c = front.children_end - 1; c >= front.children; --c) {
      const Front& child = fronts[tree_.children()[c]];
      const int count = child.size - child.pivots;
      top -= static_cast<std::ptrdiff_t>(count) * count;
      const int* const map = tree_.maps().data() + child.map;
      const double* from = top;
      for (int j = 0; j < count; ++j, from += count)
        for (int i = j; i < count; ++i) {
          const auto [column, row] = std::minmax(map[i], map[j]);
          front_[static_cast<std::size_t>(column) * static_cast<std::size_t>(size) +
                 static_cast<std::size_t>(row)] += from[i];
        }
    }
    if (!eliminate(front.pivots, size, front_.data())) return false;
    std::copy_n(front_.begin(), static_cast<std::ptrdiff_t>(size) * front.pivots,
                factors_.begin() + static_cast<std::ptrdiff_t>(lower_[f]));
    for (int j = 0; j < rest; ++j, top += rest) {
      const double* const from =
          front_.data() + static_cast<std::ptrdiff_t>(front.pivots + j) * size + front.pivots;
      std::copy(from + j, from + rest, top + j);
    }
  }
  return true;
}

void FrontalCholesky::solve(double* x) {
  const std::vector<Front>& fronts = tree_.fronts();
  double* const y = rows_.data();  // the rows of one front
  for (std::size_t f = 0; f < fronts.size(); ++f) {
    const Front& front = fronts[f];
    const int* const rows = tree_.rows().data() + front.rows;
    const double* L = factors_.data() + lower_[f];
    for (int i = 0; i < front.size; ++i) y[i] = x[rows[i]];
    for (int k = 0; k < front.pivots; ++k, L += front.size) {
      const double value = y[k] /= L[k];
      Run(y + k + 1, front.size - k - 1) -= value * ConstantRun(L + k + 1, front.size - k - 1);
    }
    for (int i = 0; i < front.size; ++i) x[rows[i]] = y[i];
  }
  for (std::size_t f = fronts.size(); f-- > 0;) {
    const Front& front = fronts[f];
    const int* const rows = tree_.rows().data() + front.rows;
    for (int i = 0; i < front.size; ++i) y[i] = x[rows[i]];
    for (int k = front.pivots - 1; k >= 0; --k) {
      const double* const L =
          factors_.data() + lower_[f] + static_cast<std::ptrdiff_t>(k) * front.size;
      const int below = front.size - k - 1;
      y[k] = (y[k] - ConstantRun(L + k + 1, below).dot(ConstantRun(y + k + 1, below))) / L[k];
    }
    for (int i = 0; i < front.pivots; ++i) x[rows[i]] = y[i];
  }
}

}  // namespace vinci
