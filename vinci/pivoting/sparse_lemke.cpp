// SPDX-License-Identifier: Apache-2.0
#include "vinci/pivoting/sparse_lemke.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace vinci {

namespace {

// Pivots between two factorisations, fewer where the updates outgrow the factors: by then solves
// with the updates are the larger part, and carry most of the rounding.
constexpr int most_updates = 64;
// Entries of the entering column below a few ε of its largest one are rounding.
constexpr double negligible_share = 1e-15;

}  // namespace

void SparseLemke::load(const SparseMixedLcp& problem, const std::vector<char>& basic) {
  problem_ = &problem;
  size_ = problem.size();
  labels_.resize(at(size_));
  for (int k = 0; k < size_; ++k)
    labels_[at(k)] = basic[at(k)] || problem.is_free[at(k)] ? size_ + k : k;
  cover_column_.setZero(size_);
  column_.resize(size_);
  scratch_.resize(size_);
}

void SparseLemke::add_column(int label, double factor, double* y) const {
  if (label < size_) {
    y[label] += factor;
  } else if (label < cover()) {
    problem_->A.add_column(label - size_, -factor, y);
  } else {
    for (int i = 0; i < size_; ++i) y[i] -= factor * cover_column_[i];
  }
}

bool SparseLemke::refactor() {
  eta_position_.clear();
  eta_pivot_.clear();
  eta_starts_.assign(1, 0);
  eta_indices_.clear();
  eta_values_.clear();
  matrix_.reset(size_);
  for (const int label : labels_) {
    if (label < size_) {
      matrix_.push(label, 1.0);
    } else if (label < cover()) {
      const SparseColumns& A = problem_->A;
      for (int e = A.starts[at(label - size_)]; e < A.starts[at(label - size_) + 1]; ++e)
        matrix_.push(A.indices[at(e)], -A.values[at(e)]);
    } else {
      for (int i = 0; i < size_; ++i) matrix_.push(i, -cover_column_[i]);
    }
    matrix_.end_column();
  }
  return lu_.factor(matrix_);
}

void SparseLemke::transform(double* x) {
  lu_.solve(x);
  for (std::size_t k = 0; k < eta_position_.size(); ++k) {
    double& target = x[eta_position_[k]];
    if (target == 0.0) continue;
    const double value = target /= eta_pivot_[k];
    for (int e = eta_starts_[k]; e < eta_starts_[k + 1]; ++e)
      x[eta_indices_[at(e)]] -= eta_values_[at(e)] * value;
  }
}

void SparseLemke::multiply_basis(const Eigen::VectorXd& x, Eigen::VectorXd& y) const {
  y.setZero(size_);
  for (int i = 0; i < size_; ++i)
    if (x[i] != 0.0) add_column(labels_[at(i)], x[i], y.data());
}

// B x = right on a fresh factorisation, refined once: the residual of a basis of thousands of rows
// is otherwise the largest error of the path.
void SparseLemke::solve_refined(const Eigen::VectorXd& right, Eigen::VectorXd& x) {
  x = right;
  transform(x.data());
  multiply_basis(x, scratch_);
  scratch_ = right - scratch_;
  transform(scratch_.data());
  x += scratch_;
}

PivotOutcome SparseLemke::run(const SparseMixedLcp& problem, std::vector<char>& basic,
                              const Eigen::VectorXd& covering, const PivotRules& rules) {
  rules_ = rules;
  pivots_ = 0;
  load(problem, basic);
  if (!refactor()) return PivotOutcome::breakdown;
  for (const int k : lu_.repaired()) {
    if (problem.is_free[at(k)]) return PivotOutcome::breakdown;
    labels_[at(k)] = k;
  }
  cover_in_basis_ = covering;
  order_.resize(size_);
  for (int i = 0; i < size_; ++i) {
    order_[i] = generic_number(i);
    if (is_free_label(labels_[at(i)])) cover_in_basis_[i] = 0.0;
  }
  multiply_basis(cover_in_basis_, cover_column_);
  multiply_basis(order_, order_column_);
  solve_refined(problem.q, value_);
  const int start = first_row();
  list_basic(basic);
  if (start < 0) return PivotOutcome::solved;
  column_ = -cover_in_basis_;
  int leaving = labels_[at(start)];
  exchange(start, cover());
  while (leaving != cover()) {
    if (pivots_ >= rules_.limit || rules_.deadline.passed()) {
      list_basic(basic);
      return PivotOutcome::limit;
    }
    if (static_cast<int>(eta_position_.size()) >= most_updates ||
        eta_indices_.size() > 2 * lu_.entries() + 8 * at(size_)) {
      if (!refactor() || !lu_.repaired().empty()) return PivotOutcome::breakdown;
      solve_refined(problem.q, value_);
      solve_refined(order_column_, order_);
    }
    const int entering = complement(leaving);
    column_.setZero();
    add_column(entering, 1.0, column_.data());
    transform(column_.data());
    const int position = choose_row();
    if (position < 0) {
      note_ray(entering);
      return PivotOutcome::ray;
    }
    leaving = labels_[at(position)];
    exchange(position, entering);
  }
  list_basic(basic);
  return PivotOutcome::solved;
}

void SparseLemke::list_basic(std::vector<char>& basic) const {
  basic.assign(at(size_), 0);
  for (const int label : labels_)
    if (label >= size_ && label < cover()) basic[at(label - size_)] = 1;
}

// z₀ enters at the least value that makes every signed variable lexicographically positive; −1:
// none is negative.
int SparseLemke::first_row() const {
  int best = -1;
  double least = -rules_.tie_tolerance;
  for (int i = 0; i < size_; ++i) {
    if (cover_in_basis_[i] <= 0.0) continue;
    const double ratio = value_[i] / cover_in_basis_[i];
    if (ratio > least) continue;
    if (best >= 0 && ratio == least &&
        order_[i] / cover_in_basis_[i] >= order_[best] / cover_in_basis_[best])
      continue;
    least = ratio;
    best = i;
  }
  return best;
}

// The position whose variable first reaches zero as the entering one grows; −1: none.
int SparseLemke::choose_row() {
  const double floor = rules_.pivot_tolerance * column_.cwiseAbs().maxCoeff();
  double least = std::numeric_limits<double>::infinity();
  candidates_.clear();
  for (int i = 0; i < size_; ++i) {
    if (column_[i] <= floor || is_free_label(labels_[at(i)])) continue;
    candidates_.push_back(i);
    least = std::min(least, std::max(0.0, value_[i]) / column_[i]);
  }
  int best = -1;
  double best_order = 0.0;
  for (const int i : candidates_) {
    if (value_[i] > least * column_[i] + rules_.tie_tolerance &&
        std::max(0.0, value_[i]) / column_[i] > least)
      continue;
    if (labels_[at(i)] == cover()) return i;  // ends the path
    const double ratio = order_[i] / column_[i];
    if (best >= 0 && ratio >= best_order) continue;
    best = i;
    best_order = ratio;
  }
  return best;
}

// The variable `label` whose column in the present basis is column_ takes the place `position`.
void SparseLemke::exchange(int position, int label) {
  const double pivot = column_[position];
  const double step = value_[position] / pivot, order_step = order_[position] / pivot;
  const double floor = negligible_share * column_.cwiseAbs().maxCoeff();
  for (int i = 0; i < size_; ++i) {
    if (i == position || std::abs(column_[i]) <= floor) continue;
    value_[i] -= column_[i] * step;
    order_[i] -= column_[i] * order_step;
    eta_indices_.push_back(i);
    eta_values_.push_back(column_[i]);
  }
  value_[position] = step;
  order_[position] = order_step;
  eta_position_.push_back(position);
  eta_pivot_.push_back(pivot);
  eta_starts_.push_back(static_cast<int>(eta_indices_.size()));
  labels_[at(position)] = label;
  ++pivots_;
}

void SparseLemke::note_ray(int entering) {
  ray_.setZero(size_);
  if (entering >= size_) ray_[entering - size_] = 1.0;
  for (int i = 0; i < size_; ++i) {
    const int label = labels_[at(i)];
    if (label >= size_ && label < cover()) ray_[label - size_] = -column_[i];
  }
}

bool SparseLemke::solve_basis(const SparseMixedLcp& problem, std::vector<char>& basic,
                              Eigen::VectorXd& z) {
  load(problem, basic);
  if (!refactor()) return false;
  for (const int k : lu_.repaired()) labels_[at(k)] = k;
  list_basic(basic);
  solve_refined(problem.q, value_);
  for (int round = 0; round < 3; ++round) {
    // The residual in long double: what cancels in it is the error that is left.
    long_residual_.assign(at(size_), 0.0L);
    for (int i = 0; i < size_; ++i) long_residual_[at(i)] = problem.q[i];
    for (int i = 0; i < size_; ++i) {
      const int label = labels_[at(i)];
      if (label < size_) {
        long_residual_[at(label)] -= value_[i];
        continue;
      }
      const SparseColumns& A = problem.A;
      for (int e = A.starts[at(label - size_)]; e < A.starts[at(label - size_) + 1]; ++e)
        long_residual_[at(A.indices[at(e)])] +=
            static_cast<long double>(A.values[at(e)]) * value_[i];
    }
    for (int i = 0; i < size_; ++i) scratch_[i] = static_cast<double>(long_residual_[at(i)]);
    transform(scratch_.data());
    value_ += scratch_;
  }
  z.setZero(size_);
  for (int i = 0; i < size_; ++i)
    if (labels_[at(i)] >= size_) z[labels_[at(i)] - size_] = value_[i];
  return true;
}

}  // namespace vinci
