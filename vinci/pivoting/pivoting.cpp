// SPDX-License-Identifier: Apache-2.0
#include "vinci/pivoting/pivoting.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace vinci {

namespace {

// A sum this much smaller than its terms is rounding: taken as the zero it stands for, so that
// degenerate vertices and dependent rows stay exactly that, whatever the units.
// ε of a few hundred terms; not less in long double, for M is rounded to double.
constexpr double cancelled = 1e-13;
// A pivot of a fresh dictionary that can only be rounding: a sum that cancelled, of one that did.
constexpr double vanishing = 1e-24;
// Such a pivot of a guessed basis: it would cost ten digits, better start cold.
constexpr double nearly_singular = 1e-10;
// Pivots between two looks at the drift of the dictionary, which cost about one pivot.
constexpr int check_interval = 32;
// Of |q|∞ ~ 1; above it the dictionary is computed anew. A thousand ties (tie_tolerance) wide.
constexpr double drift_allowed = 1e-9;

}  // namespace

double generic_number(int k) {
  constexpr double irrational = 0.7861513777574233;  // the square root of the golden ratio
  const double x = irrational * (k + 1);
  return 0.5 + (x - std::floor(x));
}

template <class Real>
void Dictionary<Real>::reset(int rows, int columns) {
  rows_ = rows;
  columns_ = columns;
  stride_ = (columns + 3) & ~1;  // constant, order, and rows that start on 16 bytes
  data_.assign(static_cast<std::size_t>(rows) * static_cast<std::size_t>(stride_), Real(0));
  nonzeros_.reserve(static_cast<std::size_t>(columns) + 2);
}

namespace {

template <class Real>
inline Real sum_or_zero(Real before, Real change) {
  const Real sum = before + change;
  return std::abs(sum) > cancelled * std::abs(before) ? sum : Real(0);
}

// target += factor · source, sums that cancel set to zero.
template <class Real>
void add_row(Real* target, const Real* source, Real factor, int count) {
  for (int j = 0; j < count; ++j) target[j] = sum_or_zero(target[j], factor * source[j]);
}

#if defined(__GNUC__)
// Two at a time: compilers do not vectorise the choice by themselves. Rows are aligned and padded.
void add_row(double* target, const double* source, double factor, int count) {
  using Pair = double __attribute__((vector_size(16), may_alias));
  using Mask = long long __attribute__((vector_size(16), may_alias));
  const Pair factors = {factor, factor}, limits = {cancelled, cancelled};
  constexpr Mask magnitude = {0x7fffffffffffffffLL, 0x7fffffffffffffffLL};
  for (int j = 0; j < count; j += 2) {
    Pair& before = *reinterpret_cast<Pair*>(target + j);
    const Pair sum = before + factors * *reinterpret_cast<const Pair*>(source + j);
    const Mask bits = reinterpret_cast<Mask>(sum) & magnitude;
    const Mask bits_before = reinterpret_cast<Mask>(before) & magnitude;
    const Mask keep = reinterpret_cast<Mask>(reinterpret_cast<Pair>(bits) >
                                             limits * reinterpret_cast<Pair>(bits_before));
    before = reinterpret_cast<Pair>(reinterpret_cast<Mask>(sum) & keep);
  }
}
#endif

}  // namespace

template <class Real>
void Dictionary<Real>::pivot(int r, int s) {
  Real* const pivot_row = row(r);
  const Real inverse = 1.0 / pivot_row[s];
  nonzeros_.clear();
  for (int j = 0; j < columns_ + 2; ++j) {
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
    if (sparse) {
      for (const int j : nonzeros_) target[j] = sum_or_zero(target[j], factor * pivot_row[j]);
    } else {
      add_row(target, pivot_row, factor, columns_ + 2);
    }
  }
}

template <class Real>
PivotOutcome LemkePivoting<Real>::run(const RowMatrix& M, const Eigen::VectorXd& q,
                                      const Eigen::VectorXd& d, const PivotRules& rules,
                                      const std::vector<char>* start) {
  size_ = static_cast<int>(q.size());
  matrix_ = &M;
  vector_ = &q;
  rules_ = rules;
  pivots_ = 0;
  set_columns(d, start);
  load();
  if (!entering_.empty() && !pivot_to_basis(nearly_singular)) return PivotOutcome::breakdown;
  const int first = first_row();
  if (first < 0) return PivotOutcome::solved;
  int leaving = row_label_[static_cast<std::size_t>(first)];
  exchange(first, -1 - where_[static_cast<std::size_t>(cover())]);
  while (leaving != cover()) {
    if (pivots_ >= rules_.limit || rules_.deadline.passed()) return PivotOutcome::limit;
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

// D and r from their values in the first basis, d and generic numbers: B = (e_k or −M_k).
template <class Real>
void LemkePivoting<Real>::set_columns(const Eigen::VectorXd& d, const std::vector<char>* start) {
  covering_ = d;
  order_.resize(size_);
  for (int k = 0; k < size_; ++k) order_[k] = generic_number(k);
  leaving_.clear();
  entering_.clear();
  if (start == nullptr) return;
  for (int k = 0; k < size_; ++k) {
    if (!(*start)[static_cast<std::size_t>(k)]) continue;
    leaving_.push_back(k);
    entering_.push_back(size_ + k);
    covering_[k] = order_[k] = 0.0;
  }
  for (const int label : leaving_) {
    covering_ -= d[label] * matrix_->col(label);
    order_ -= generic_number(label) * matrix_->col(label);
  }
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
  basic_.reserve(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    Real* const row = table_.row(i);
    std::copy_n(matrix_->data() + static_cast<std::ptrdiff_t>(i) * n, n, row);
    row[n] = covering_[i];
    row[n + 1] = (*vector_)[i];
    row[n + 2] = order_[i];
    row_label_[static_cast<std::size_t>(i)] = i;
    where_[static_cast<std::size_t>(i)] = i;
    column_label_[static_cast<std::size_t>(i)] = n + i;
    where_[static_cast<std::size_t>(n + i)] = -1 - i;
  }
  column_label_[static_cast<std::size_t>(n)] = cover();
  where_[static_cast<std::size_t>(cover())] = -1 - n;
  since_refactor_ = 0;
}

// z₀ enters at the least value that makes every constant lexicographically positive. −1: they are
// already.
template <class Real>
int LemkePivoting<Real>::first_row() const {
  const int column = -1 - where_[static_cast<std::size_t>(cover())];
  int best = -1;
  Real least = 0.0, least_order = 0.0;
  for (int i = 0; i < size_; ++i) {
    const Real slope = table_.row(i)[column];
    const Real ratio = table_.constant(i) / slope, order = table_.order(i) / slope;
    if (!(ratio < least || (best >= 0 && ratio == least && order < least_order))) continue;
    least = ratio;
    least_order = order;
    best = i;
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
  return candidates_.size() > 1 ? break_tie(column) : best;
}

// Of the tied rows the one of least oᵢ/slopeᵢ.
template <class Real>
int LemkePivoting<Real>::break_tie(int column) const {
  int best = -1;
  Real least = std::numeric_limits<Real>::infinity();
  for (const int i : candidates_) {
    const Real ratio = table_.order(i) / -table_.row(i)[column];
    if (best >= 0 && ratio >= least) continue;
    least = ratio;
    best = i;
  }
  return best;
}

// Whether the constants have lost w = M z + q + d z₀ by more than rounding explains.
template <class Real>
bool LemkePivoting<Real>::drifted() {
  const int n = size_;
  Real worst = 0.0, scale = 1.0;
  for (int i = 0; i < n; ++i) scale = std::max(scale, std::abs(table_.constant(i)));
  const int cover_row = where_[static_cast<std::size_t>(cover())];
  const Real cover_value = cover_row >= 0 ? table_.constant(cover_row) : Real(0);
  basic_.clear();
  for (int k = 0; k < n; ++k)
    if (z_is_basic(k)) basic_.push_back(k);
  for (int k = 0; k < n; ++k) {
    const double* const coefficients = matrix_->data() + static_cast<std::ptrdiff_t>(k) * n;
    Real sum = (*vector_)[k] + covering_[k] * cover_value;
    const int row = where_[static_cast<std::size_t>(k)];
    if (row >= 0) sum -= table_.constant(row);
    for (const int j : basic_)
      sum += coefficients[j] * table_.constant(where_[static_cast<std::size_t>(n + j)]);
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
  load();
  return pivot_to_basis(vanishing);
}

// Exchanges entering_ with leaving_ on a dictionary just loaded; false where only pivots of at most
// `least` are left.
template <class Real>
bool LemkePivoting<Real>::pivot_to_basis(double least) {
  const int pivots_before = pivots_;
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
    if (!(largest > least) || rules_.deadline.passed()) return false;
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
