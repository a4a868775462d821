// SPDX-License-Identifier: Apache-2.0
#include "vinci/newton/linear_path.h"

#include <algorithm>
#include <cmath>

namespace vinci {

namespace {

// Entries of B⁻¹a below this part of the largest are rounding and do not block: what is singular to
// rounding (sparse_lu.h), after 64 exchanges.
constexpr double smallest_pivot = 1e-11;
// Steps nearer to each other than this part of the values are ties: the larger pivot is taken.
constexpr double tie = 1e-12;
// Exchanged columns after which solving costs more than factoring anew.
constexpr int most_exchanges = 64;

}  // namespace

void LinearPath::load(const NonlinearProblem& problem, const VectorX& z, const VectorX& value,
                      const SparseRows& jacobian) {
  problem_ = &problem;
  size_ = problem.size();
  value_ = value;
  low_ = problem.lower - z;
  high_ = problem.upper - z;
  columns_.rows = size_;
  columns_.starts.assign(size_ + 1, 0);
  for (const int column : jacobian.indices) ++columns_.starts[column + 1];
  for (int j = 0; j < size_; ++j) columns_.starts[j + 1] += columns_.starts[j];
  columns_.indices.resize(jacobian.indices.size());
  columns_.values.resize(jacobian.indices.size());
  fill_.assign(columns_.starts.begin(), columns_.starts.end() - 1);
  row_scale_.setZero(size_);
  for (int i = 0; i < size_; ++i)
    for (int k = jacobian.starts[i]; k < jacobian.starts[i + 1]; ++k) {
      const int place = fill_[jacobian.indices[k]]++;
      columns_.indices[place] = i;
      columns_.values[place] = jacobian.values[k];
      row_scale_[i] = std::max(row_scale_[i], std::abs(jacobian.values[k]));
    }
  for (int i = 0; i < size_; ++i)
    if (row_scale_[i] == 0.0) row_scale_[i] = 1.0;
}

// The active set of z: a variable at a bound that F holds there is nonbasic.
void LinearPath::choose_basis() {
  side_.resize(size_);
  label_.resize(size_);
  residue_.resize(size_);
  for (int k = 0; k < size_; ++k) {
    double slack = 0.0;
    side_[k] = Side::inside;
    if (low_[k] == 0.0 && high_[k] == 0.0) {
      side_[k] = Side::fixed;
      slack = value_[k];
    } else if (low_[k] == 0.0 && value_[k] > 0.0) {
      side_[k] = Side::lower;
      slack = value_[k];
    } else if (high_[k] == 0.0 && value_[k] < 0.0) {
      side_[k] = Side::upper;
      slack = value_[k];
    }
    residue_[k] = value_[k] - slack;
    label_[k] = side_[k] == Side::inside ? k : size_ + k;
  }
}

void LinearPath::push_column(int label) {
  if (label == 2 * size_) {
    for (int i = 0; i < size_; ++i)
      if (residue_[i] != 0.0) basis_.push(i, residue_[i]);
  } else if (label >= size_) {
    basis_.push(label - size_, -1.0);
  } else {
    bool has_diagonal = false;
    for (int k = columns_.starts[label]; k < columns_.starts[label + 1]; ++k) {
      const int row = columns_.indices[k];
      if (row > label && !has_diagonal) basis_.push(label, shift_[label]);
      has_diagonal = has_diagonal || row >= label;
      basis_.push(row, columns_.values[k] + (row == label ? shift_[label] : 0.0));
    }
    if (!has_diagonal) basis_.push(label, shift_[label]);
  }
  basis_.end_column();
}

void LinearPath::load_column(int label, VectorX& column) const {
  column.setZero(size_);
  if (label == 2 * size_) {
    column = residue_;
  } else if (label >= size_) {
    column[label - size_] = -1.0;
  } else {
    for (int k = columns_.starts[label]; k < columns_.starts[label + 1]; ++k)
      column[columns_.indices[k]] = columns_.values[k];
    column[label] += shift_[label];
  }
}

bool LinearPath::refactor() {
  basis_.reset(size_);
  for (const int label : label_) push_column(label);
  return factor_.factor(basis_);
}

double LinearPath::low(int position) const {
  const int label = label_[position];
  if (label == 2 * size_) return 0.0;
  if (label < size_) return low_[label];
  return side_[label - size_] == Side::lower ? 0.0 : -infinity;
}

double LinearPath::high(int position) const {
  const int label = label_[position];
  if (label == 2 * size_) return 1.0;
  if (label < size_) return high_[label];
  return side_[label - size_] == Side::upper ? 0.0 : infinity;
}

// How far the entering variable goes (by `direction` = ±1, at most `reach`) before a basic one
// meets a bound.
LinearPath::Block LinearPath::ratio_test(double direction, double reach) const {
  Block block;
  block.length = reach;
  const double floor = smallest_pivot * std::max(1.0, alpha_.cwiseAbs().maxCoeff());
  double pivot = 0.0;
  for (int i = 0; i < size_; ++i) {
    const double rate = -direction * alpha_[i];
    if (std::abs(rate) <= floor) continue;
    const double bound = rate > 0.0 ? high(i) : low(i);
    if (std::isinf(bound)) continue;
    const double length = std::max(0.0, (bound - basic_[i]) / rate);
    const double width = tie * (1.0 + std::abs(bound)) / std::abs(rate);
    // t at its end comes before everything that ties with it.
    const bool last = label_[i] == 2 * size_ && rate > 0.0 && length <= block.length + width;
    if (length > block.length + width && !last) continue;
    if (!last && length >= block.length - width && std::abs(rate) <= pivot) continue;
    block = {i, std::min(length, reach), rate > 0.0};
    pivot = last ? infinity : std::abs(rate);
  }
  return block;
}

// The point of the path where the basis stands.
void LinearPath::gather(VectorX& y) const {
  y = step_;
  for (int i = 0; i < size_; ++i) {
    const int label = label_[i];
    if (label < size_) y[label] = std::clamp(basic_[i], low_[label], high_[label]);
  }
}

void LinearPath::note_progress(double t) {
  if (t <= best_t_) return;
  best_t_ = t;
  gather(best_step_);
}

// The basic variables from the nonbasic ones: B x_B = r − F − Σ A_k y_k at bounds.
void LinearPath::recompute() {
  basic_ = residue_ - value_;
  for (int k = 0; k < size_; ++k) {
    if (step_[k] == 0.0 || side_[k] == Side::inside) continue;
    for (int e = columns_.starts[k]; e < columns_.starts[k + 1]; ++e)
      basic_[columns_.indices[e]] -= columns_.values[e] * step_[k];
    basic_[k] -= shift_[k] * step_[k];
  }
  factor_.solve(basic_);
}

// The variable that blocked leaves, its complement enters next. True at the end of the path.
bool LinearPath::exchange(const Block& block, double start) {
  const int position = block.position, leaving = label_[position], t = 2 * size_;
  label_[position] = entering_;
  basic_[position] = start + direction_ * block.length;
  if (entering_ == t) t_position_ = position;
  if (entering_ < size_) {
    side_[entering_] = Side::inside;
    step_[entering_] = 0.0;
  }
  factor_.replace(position, alpha_);
  if (leaving == t) return true;
  if (leaving < size_) {
    step_[leaving] = block.at_high ? high_[leaving] : low_[leaving];
    side_[leaving] = block.at_high ? Side::upper : Side::lower;
    entering_ = size_ + leaving;
    direction_ = block.at_high ? -1.0 : 1.0;
  } else {
    entering_ = leaving - size_;
    direction_ = side_[entering_] == Side::upper ? -1.0 : 1.0;
  }
  return false;
}

bool LinearPath::begin(double proximity) {
  pivots_ = 0;
  shift_ = proximity * row_scale_;
  choose_basis();
  step_.setZero(size_);
  best_step_.setZero(size_);
  best_t_ = 0.0;
  entering_ = 2 * size_;
  direction_ = 1.0;
  t_position_ = -1;
  basic_.resize(size_);
  for (int k = 0; k < size_; ++k) basic_[k] = label_[k] < size_ ? 0.0 : value_[k];
  return refactor();
}

LinearPath::End LinearPath::follow(double proximity, int pivot_limit, const Deadline& deadline) {
  if (!begin(proximity)) return End::singular;
  const int t = 2 * size_;
  for (;; ++pivots_) {
    if (pivots_ > pivot_limit || deadline.passed()) return End::limit;
    load_column(entering_, alpha_);
    factor_.solve(alpha_);
    if (!alpha_.allFinite()) return End::singular;
    const double start = entering_ < size_ ? step_[entering_] : 0.0;
    const double reach = entering_ < size_ ? high_[entering_] - low_[entering_]
                         : entering_ == t  ? 1.0
                                           : infinity;
    const Block block = ratio_test(direction_, reach);
    if (std::isinf(block.length)) return End::ray;
    basic_ -= direction_ * block.length * alpha_;
    if (block.position >= 0) {
      if (exchange(block, start)) {
        if (!block.at_high) return End::returned;
        note_progress(1.0);
        return End::solved;
      }
    } else if (entering_ == t) {
      note_progress(1.0);
      return End::solved;
    } else {  // the entering variable met its own other bound: its slack goes on from zero
      step_[entering_] = direction_ > 0.0 ? high_[entering_] : low_[entering_];
      side_[entering_] = direction_ > 0.0 ? Side::upper : Side::lower;
      entering_ += size_;
      direction_ = -direction_;
    }
    note_progress(basic_[t_position_]);
    if (factor_.exchanges() >= most_exchanges) {
      if (!refactor()) return End::singular;
      recompute();
    }
  }
}

bool LinearPath::projected_newton(double proximity, VectorX& y) {
  shift_ = proximity * row_scale_;
  choose_basis();
  if (!refactor()) return false;
  y = -residue_;
  factor_.solve(y);
  if (!y.allFinite()) return false;
  for (int k = 0; k < size_; ++k)
    if (label_[k] >= size_) y[k] = 0.0;
  return true;
}

}  // namespace vinci
