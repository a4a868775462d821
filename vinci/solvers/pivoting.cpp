// SPDX-License-Identifier: Apache-2.0
#include "vinci/solvers/pivoting.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace vinci {

namespace {

// A sum this much smaller than its terms is rounding: taken as the zero it stands for, so that
// degenerate vertices and dependent rows stay exactly that, whatever the units.
constexpr double cancelled = 1e-13;     // not less in long double: M is rounded to double
constexpr double vanishing = 1e-24;     // a pivot of a fresh dictionary that can only be rounding
constexpr int check_interval = 32;      // pivots between two looks at the drift of the dictionary
constexpr double drift_allowed = 1e-9;  // of |q|∞ ~ 1; above it the dictionary is computed anew

}  // namespace

template <class Real>
void Dictionary<Real>::reset(int rows, int columns) {
  rows_ = rows;
  columns_ = columns;
  stride_ = (columns + 2) & ~1;  // the constant, and rows that start on 16 bytes
  data_.assign(static_cast<std::size_t>(rows) * static_cast<std::size_t>(stride_), Real(0));
  nonzeros_.reserve(static_cast<std::size_t>(columns) + 1);
}

template <class Real>
void Dictionary<Real>::pivot(int r, int s) {
  Real* const pivot_row = row(r);
  const Real inverse = 1.0 / pivot_row[s];
  nonzeros_.clear();
  for (int j = 0; j <= columns_; ++j) {
    if (pivot_row[j] == 0.0) continue;
    pivot_row[j] *= -inverse;
    nonzeros_.push_back(j);
  }
  pivot_row[s] = inverse;
  // Contact problems begin sparse: an indexed update pays while few entries are set.
  const bool sparse = nonzeros_.size() * 4 < static_cast<std::size_t>(columns_);
  for (int i = 0; i < rows_; ++i) {
    Real* const target = row(i);
    const Real factor = target[s];
    if (i == r || factor == 0.0) continue;
    target[s] = 0.0;
    const auto update = [&](int j) {
      const Real sum = target[j] + factor * pivot_row[j];
      target[j] = std::abs(sum) > cancelled * std::abs(target[j]) ? sum : Real(0);
    };
    if (sparse) {
      for (const int j : nonzeros_) update(j);
    } else {
      for (int j = 0; j <= columns_; ++j) update(j);
    }
  }
}

template <class Real>
PivotOutcome LemkePivoting<Real>::run(const RowMatrix& M, const Eigen::VectorXd& q,
                                      const Eigen::VectorXd& d, const PivotRules& rules) {
  size_ = static_cast<int>(q.size());
  matrix_ = &M;
  vector_ = &q;
  covering_ = &d;
  rules_ = rules;
  pivots_ = 0;
  load();
  const int start = first_row();
  if (start < 0) return PivotOutcome::solved;
  int leaving = row_label_[static_cast<std::size_t>(start)];
  exchange(start, size_);
  while (leaving != cover()) {
    if (pivots_ >= rules_.limit) return PivotOutcome::limit;
    if (since_refactor_ % check_interval == 0 && drifted() && !refactor())
      return PivotOutcome::breakdown;
    const int entering = complement(leaving);
    int column = -1 - where_[static_cast<std::size_t>(entering)];
    int row = choose_row(column);
    if (row < 0 && since_refactor_ > 0) {  // a ray must hold on a fresh dictionary
      if (!refactor()) return PivotOutcome::breakdown;
      column = -1 - where_[static_cast<std::size_t>(entering)];
      row = choose_row(column);
    }
    if (row < 0) {
      note_ray(column);
      return PivotOutcome::ray;
    }
    leaving = row_label_[static_cast<std::size_t>(row)];
    exchange(row, column);
  }
  return PivotOutcome::solved;
}

template <class Real>
void LemkePivoting<Real>::load() {
  const int n = size_;
  table_.reset(n, n + 1);
  row_label_.resize(static_cast<std::size_t>(n));
  column_label_.resize(static_cast<std::size_t>(n) + 1);
  where_.resize(2 * static_cast<std::size_t>(n) + 1);
  candidates_.reserve(static_cast<std::size_t>(n));
  leaving_.reserve(static_cast<std::size_t>(n));
  entering_.reserve(static_cast<std::size_t>(n));
  values_.resize(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    Real* const row = table_.row(i);
    std::copy_n(matrix_->data() + static_cast<std::ptrdiff_t>(i) * n, n, row);
    row[n] = (*covering_)[i];
    row[n + 1] = (*vector_)[i];
    row_label_[static_cast<std::size_t>(i)] = i;
    where_[static_cast<std::size_t>(i)] = i;
    column_label_[static_cast<std::size_t>(i)] = n + i;
    where_[static_cast<std::size_t>(n + i)] = -1 - i;
  }
  column_label_[static_cast<std::size_t>(n)] = cover();
  where_[static_cast<std::size_t>(cover())] = -1 - n;
  since_refactor_ = 0;
}

// z₀ enters at the least value that makes every constant lexicographically positive; of tied rows
// the last one has the lexicographically least perturbation. −1: q >= 0 already.
template <class Real>
int LemkePivoting<Real>::first_row() const {
  int best = -1;
  Real least = 0.0;
  for (int i = 0; i < size_; ++i) {
    const Real ratio = table_.constant(i) / (*covering_)[i];
    if (ratio < least || (best >= 0 && ratio == least)) {
      least = ratio;
      best = i;
    }
  }
  return best;
}

template <class Real>
void LemkePivoting<Real>::exchange(int row, int column) {
  table_.pivot(row, column);
  int& below = row_label_[static_cast<std::size_t>(row)];
  int& above = column_label_[static_cast<std::size_t>(column)];
  std::swap(below, above);
  where_[static_cast<std::size_t>(below)] = row;
  where_[static_cast<std::size_t>(above)] = -1 - column;
  ++pivots_;
  ++since_refactor_;
}

// The row whose variable first reaches zero as the column's variable grows; −1: none.
template <class Real>
int LemkePivoting<Real>::choose_row(int column) {
  Real largest = 0.0;
  for (int i = 0; i < size_; ++i) largest = std::max(largest, std::abs(table_.row(i)[column]));
  const Real floor = rules_.pivot_tolerance * largest;
  Real least = std::numeric_limits<Real>::infinity();
  int best = -1;
  for (int i = 0; i < size_; ++i) {
    const Real slope = -table_.row(i)[column];
    if (slope <= floor) continue;
    const Real ratio = std::max<Real>(0, table_.constant(i)) / slope;
    if (ratio >= least) continue;
    least = ratio;
    best = i;
  }
  if (best < 0) return -1;
  candidates_.clear();
  for (int i = 0; i < size_; ++i) {
    const Real slope = -table_.row(i)[column];
    if (slope <= floor) continue;
    if (i != best && table_.constant(i) > least * slope + rules_.tie_tolerance) continue;
    if (row_label_[static_cast<std::size_t>(i)] == cover()) return i;  // ends the path
    candidates_.push_back(i);
  }
  if (candidates_.size() > 1) break_ties(column);
  return candidates_.front();
}

// Keeps of the tied rows the lexicographically least one of (B⁻¹)ᵢ / slopeᵢ. The column of B⁻¹ of
// w_k is minus its column in the dictionary where w_k is nonbasic, a unit vector where it is basic.
template <class Real>
void LemkePivoting<Real>::break_ties(int column) {
  for (int k = 0; k < size_ && candidates_.size() > 1; ++k) {
    const int place = where_[static_cast<std::size_t>(k)];
    Real least = std::numeric_limits<Real>::infinity();
    for (const int i : candidates_) {
      const Real* const row = table_.row(i);
      const Real entry = place >= 0 ? Real(place == i ? 1 : 0) : -row[-1 - place];
      const Real value = entry / -row[column];
      values_[static_cast<std::size_t>(i)] = value;
      least = std::min(least, value);
    }
    const Real allowed = least + rules_.tie_tolerance * std::max<Real>(1, std::abs(least));
    std::erase_if(candidates_,
                  [&](int i) { return values_[static_cast<std::size_t>(i)] > allowed; });
  }
  if (candidates_.size() < 2) return;  // otherwise equal to rounding: the largest slope is safest
  const auto steepest = std::min_element(candidates_.begin(), candidates_.end(), [&](int a, int b) {
    return table_.row(a)[column] < table_.row(b)[column];
  });
  std::swap(candidates_.front(), *steepest);
}

// Whether the constants have lost w = M z + q + d z₀ by more than rounding explains.
template <class Real>
bool LemkePivoting<Real>::drifted() {
  const int n = size_;
  Real worst = 0.0, scale = 1.0;
  for (int i = 0; i < n; ++i) scale = std::max(scale, std::abs(table_.constant(i)));
  for (int k = 0; k < n; ++k) {
    const double* const coefficients = matrix_->data() + static_cast<std::ptrdiff_t>(k) * n;
    Real sum = (*vector_)[k];
    for (int i = 0; i < n; ++i) {
      const int label = row_label_[static_cast<std::size_t>(i)];
      if (label == k) sum -= table_.constant(i);
      if (label == cover()) sum += (*covering_)[k] * table_.constant(i);
      if (label >= n && label < cover()) sum += coefficients[label - n] * table_.constant(i);
    }
    worst = std::max(worst, std::abs(sum));
  }
  return !(worst <= drift_allowed * scale);
}

// The dictionary of the present basis computed anew from M, with complete pivoting; false where the
// basis is singular to rounding.
template <class Real>
bool LemkePivoting<Real>::refactor() {
  leaving_.clear();
  entering_.clear();
  for (int label = 0; label <= cover(); ++label) {
    const bool basic = where_[static_cast<std::size_t>(label)] >= 0;
    if (label < size_ && !basic) leaving_.push_back(label);
    if (label >= size_ && basic) entering_.push_back(label);
  }
  const int pivots_before = pivots_;
  load();
  while (!entering_.empty()) {
    Real largest = 0.0;
    std::size_t best_row = 0, best_column = 0;
    for (std::size_t a = 0; a < leaving_.size(); ++a) {
      const Real* const row = table_.row(where_[static_cast<std::size_t>(leaving_[a])]);
      for (std::size_t b = 0; b < entering_.size(); ++b) {
        const Real entry = std::abs(row[-1 - where_[static_cast<std::size_t>(entering_[b])]]);
        if (entry <= largest) continue;
        largest = entry;
        best_row = a;
        best_column = b;
      }
    }
    if (!(largest > vanishing)) return false;
    exchange(where_[static_cast<std::size_t>(leaving_[best_row])],
             -1 - where_[static_cast<std::size_t>(entering_[best_column])]);
    leaving_.erase(leaving_.begin() + static_cast<std::ptrdiff_t>(best_row));
    entering_.erase(entering_.begin() + static_cast<std::ptrdiff_t>(best_column));
  }
  pivots_ = pivots_before;
  since_refactor_ = 0;
  return true;
}

template <class Real>
void LemkePivoting<Real>::note_ray(int column) {
  ray_.setZero(size_);
  const int entering = column_label_[static_cast<std::size_t>(column)];
  if (entering >= size_ && entering < cover()) ray_[entering - size_] = 1.0;
  for (int i = 0; i < size_; ++i) {
    const int label = row_label_[static_cast<std::size_t>(i)];
    if (label >= size_ && label < cover())
      ray_[label - size_] = static_cast<double>(std::max<Real>(0, table_.row(i)[column]));
  }
}

template class Dictionary<double>;
template class Dictionary<long double>;
template class LemkePivoting<double>;
template class LemkePivoting<long double>;

}  // namespace vinci
