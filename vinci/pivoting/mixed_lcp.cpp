// SPDX-License-Identifier: Apache-2.0
#include "vinci/pivoting/mixed_lcp.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace vinci {

namespace {

// A pivot of the elimination below this (entries of A are about 1) counts as zero: above the noise
// of a thousand eliminations, below any coupling that matters.
constexpr double rank_tolerance = 1e-11;
// Equality rows without variables that still demand this much (of |q|∞) contradict each other: a
// thousand times what entries below the tolerance of the rank can hide.
constexpr double contradiction = 1e-8;

}  // namespace

void MixedLcpSolver::prepare(const MixedLcp& problem) {
  scaled_.A = problem.A;
  scaled_.is_free = problem.is_free;
  scale_.apply(scaled_.A);
  scaled_.q = problem.q.cwiseProduct(scale_.row);
  magnitude_ = magnitude_of(scaled_.q);
  scaled_.q /= magnitude_;
  inconsistent_ = false;
  eliminate();
  if (free_rows_.empty()) return;
  sort_leftovers();
  reduce();
}

void MixedLcpSolver::eliminate() {
  const int n = scaled_.size();
  free_rows_.clear();
  pairs_.clear();
  for (int k = 0; k < n; ++k) {
    if (scaled_.is_free[static_cast<std::size_t>(k)]) {
      free_rows_.push_back(k);
    } else {
      pairs_.push_back({k, k, k, false});
    }
  }
  free_columns_ = free_rows_;
  eliminated_ = split_ = 0;
  if (free_rows_.empty()) return;
  table_.reset(n, n);
  row_label_.resize(static_cast<std::size_t>(n));
  column_label_.resize(static_cast<std::size_t>(n));
  row_weight_.resize(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    std::copy_n(scaled_.A.data() + static_cast<std::ptrdiff_t>(i) * n, n, table_.row(i));
    table_.constant(i) = scaled_.q[i];
    row_label_[static_cast<std::size_t>(i)] = i;
    column_label_[static_cast<std::size_t>(i)] = n + i;
  }
  while (eliminated_ < free_rows_.size() && (pivot_free() || pivot_with_pair())) continue;
}

void MixedLcpSolver::exchange(int row, int column) {
  table_.pivot(row, column);
  std::swap(row_label_[static_cast<std::size_t>(row)],
            column_label_[static_cast<std::size_t>(column)]);
}

void MixedLcpSolver::set_eliminated(std::size_t row, std::size_t column) {
  std::swap(free_rows_[eliminated_], free_rows_[row]);
  std::swap(free_columns_[eliminated_], free_columns_[column]);
  ++eliminated_;
}

// Exchanges an equality row with a free variable: they need not be of the same index.
bool MixedLcpSolver::pivot_free() {
  double largest = rank_tolerance;
  std::size_t best_row = free_rows_.size(), best_column = 0;
  for (std::size_t a = eliminated_; a < free_rows_.size(); ++a) {
    for (std::size_t b = eliminated_; b < free_columns_.size(); ++b) {
      const double entry = std::abs(table_.row(free_rows_[a])[free_columns_[b]]);
      if (entry <= largest) continue;
      largest = entry;
      best_row = a;
      best_column = b;
    }
  }
  if (best_row == free_rows_.size()) return false;
  exchange(free_rows_[best_row], free_columns_[best_column]);
  set_eliminated(best_row, best_column);
  return true;
}

// Where no free variable meets an equality row: the principal pivot on {row, pair}, after which z_k
// is basic in the equality's row and w_k nonbasic in the free variable's column.
bool MixedLcpSolver::pivot_with_pair() {
  double largest = rank_tolerance;
  std::size_t best_row = 0, best_column = 0;
  Pair* best = nullptr;
  for (Pair& pair : pairs_) {
    if (pair.exchanged) continue;
    for (std::size_t a = eliminated_; a < free_rows_.size(); ++a) {
      for (std::size_t b = eliminated_; b < free_columns_.size(); ++b) {
        const double entry = std::min(std::abs(table_.row(free_rows_[a])[pair.index]),
                                      std::abs(table_.row(pair.index)[free_columns_[b]]));
        if (entry <= largest) continue;
        largest = entry;
        best_row = a;
        best_column = b;
        best = &pair;
      }
    }
  }
  if (best == nullptr) return false;
  best->row = free_rows_[best_row];
  best->column = free_columns_[best_column];
  best->exchanged = true;
  exchange(best->row, best->index);
  exchange(best->index, best->column);
  set_eliminated(best_row, best_column);
  return true;
}

// Rows and columns of free variables that found no pivot: those coupled to signed variables are
// split; the others are redundant, or contradict each other.
void MixedLcpSolver::sort_leftovers() {
  const auto first_row = free_rows_.begin() + static_cast<std::ptrdiff_t>(eliminated_);
  const auto first_column = free_columns_.begin() + static_cast<std::ptrdiff_t>(eliminated_);
  const auto row_coupled = [&](int row) {
    return std::any_of(pairs_.begin(), pairs_.end(), [&](const Pair& pair) {
      return std::abs(table_.row(row)[pair.column]) > rank_tolerance;
    });
  };
  const auto column_coupled = [&](int column) {
    return std::any_of(pairs_.begin(), pairs_.end(), [&](const Pair& pair) {
      return std::abs(table_.row(pair.row)[column]) > rank_tolerance;
    });
  };
  const auto row_end = std::partition(first_row, free_rows_.end(), row_coupled);
  const auto column_end = std::partition(first_column, free_columns_.end(), column_coupled);
  split_ = static_cast<std::size_t>(
      std::max(std::distance(first_row, row_end), std::distance(first_column, column_end)));
  inconsistent_ = std::any_of(row_end, free_rows_.end(), [&](int row) {
    return std::abs(table_.constant(row)) > contradiction;
  });
}

void MixedLcpSolver::reduce() {
  const int count = static_cast<int>(pairs_.size()), split = static_cast<int>(split_);
  const int n = count + 2 * split;
  reduced_matrix_.setZero(n, n);
  reduced_vector_.resize(n);
  const auto value = [&](int i, int j) { return table_.row(i)[j]; };
  const auto constant = [&](int i) { return table_.constant(i); };
  for (int a = 0; a < count; ++a) {
    const int i = pairs_[static_cast<std::size_t>(a)].row;
    for (int b = 0; b < count; ++b)
      reduced_matrix_(a, b) = value(i, pairs_[static_cast<std::size_t>(b)].column);
    reduced_vector_[a] = constant(i);
  }
  for (int k = 0; k < split; ++k) {
    const int row = free_rows_[eliminated_ + static_cast<std::size_t>(k)];
    const int column = free_columns_[eliminated_ + static_cast<std::size_t>(k)];
    const int plus = count + k, minus = count + split + k;
    for (int a = 0; a < count; ++a) {
      const Pair& pair = pairs_[static_cast<std::size_t>(a)];
      reduced_matrix_(plus, a) = value(row, pair.column);
      reduced_matrix_(minus, a) = -value(row, pair.column);
      reduced_matrix_(a, plus) = value(pair.row, column);
      reduced_matrix_(a, minus) = -value(pair.row, column);
    }
    reduced_vector_[plus] = constant(row);
    reduced_vector_[minus] = -constant(row);
  }
  reduced_scale_.apply(reduced_matrix_);
  reduced_vector_.array() *= reduced_scale_.row.array();
  reduced_magnitude_ = magnitude_of(reduced_vector_);
  reduced_vector_ /= reduced_magnitude_;
}

namespace {

// What an attempt varies: a path lost to rounding is found again by another covering vector, or by
// seeing ties and zeros otherwise. The first one is the best of those tried on problems of contact.
struct DenseAttempt {
  enum { ones, spread, need } covering;
  int sequence;  // of the spread
  double pivot_factor, tie_factor;
  bool extended;  // in long double: eleven more bits
};
constexpr DenseAttempt plan[MixedLcpSolver::attempts] = {
    {DenseAttempt::spread, 2, 1.0, 1e-2, false}, {DenseAttempt::spread, 5, 1.0, 1.0, false},
    {DenseAttempt::ones, 0, 1e3, 1.0, false},    {DenseAttempt::ones, 0, 1e-2, 10.0, false},
    {DenseAttempt::need, 0, 1.0, 1e-2, false},   {DenseAttempt::spread, 2, 1.0, 1e-2, true},
    {DenseAttempt::spread, 7, 1e2, 1e-2, true},  {DenseAttempt::ones, 0, 1e4, 1e-2, true},
};

}  // namespace

// Positive covering vectors: ones; a low-discrepancy sequence about 1, which has fewer ties; or the
// rows weighed by their need.
void MixedLcpSolver::set_covering(int number) {
  const DenseAttempt& attempt = plan[number];
  covering_.setOnes(vector().size());
  if (attempt.covering == DenseAttempt::need) {
    covering_ = vector().cwiseAbs().array() + 1e-2;  // positive where q is zero
  } else if (attempt.covering == DenseAttempt::spread) {
    constexpr double golden = 0.6180339887498949;
    for (Eigen::Index k = 0; k < covering_.size(); ++k) {
      const double x = golden * static_cast<double>((k + 1) * attempt.sequence);
      covering_[k] = 0.5 + (x - std::floor(x));
    }
  }
}

PivotOutcome MixedLcpSolver::attempt(int number, const PivotRules& rules, Eigen::VectorXd& z) {
  PivotRules adapted = rules;
  adapted.pivot_tolerance *= plan[number].pivot_factor;
  adapted.tie_tolerance *= plan[number].tie_factor;
  set_covering(number);
  extended_ = plan[number].extended;
  const PivotOutcome outcome = extended_
                                   ? extended_pivoting_.run(matrix(), vector(), covering_, adapted)
                                   : pivoting_.run(matrix(), vector(), covering_, adapted);
  read_answer(z);
  return outcome;
}

PivotOutcome MixedLcpSolver::attempt_from(const std::vector<char>& basic, const PivotRules& rules,
                                          Eigen::VectorXd& z) {
  start_.assign(static_cast<std::size_t>(vector().size()), 0);
  for (std::size_t a = 0; a < pairs_.size(); ++a)
    start_[a] = (basic[static_cast<std::size_t>(pairs_[a].index)] != 0) != pairs_[a].exchanged;
  PivotRules adapted = rules;
  adapted.tie_tolerance *= plan[0].tie_factor;
  set_covering(0);
  extended_ = false;
  const PivotOutcome outcome = pivoting_.run(matrix(), vector(), covering_, adapted, &start_);
  read_answer(z);
  return outcome;
}

void MixedLcpSolver::read_answer(Eigen::VectorXd& z) {
  if (!free_rows_.empty()) {
    polish(z);
    return;
  }
  const int n = scaled_.size();
  z.resize(n);
  for (int k = 0; k < n; ++k)
    z[k] = std::max(0.0, extended_ ? extended_pivoting_.z_value(k) : pivoting_.z_value(k));
  z.array() *= scale_.column.array() * magnitude_;
}

// Rows with w = 0 and columns with z ≠ 0 of the final basis.
void MixedLcpSolver::choose_active() {
  const auto done = static_cast<std::ptrdiff_t>(eliminated_);
  active_rows_.assign(free_rows_.begin(), free_rows_.begin() + done);
  active_columns_.assign(free_columns_.begin(), free_columns_.begin() + done);
  const int count = static_cast<int>(pairs_.size()), split = static_cast<int>(split_);
  for (int a = 0; a < count; ++a) {
    const Pair& pair = pairs_[static_cast<std::size_t>(a)];
    if (is_basic(a) == pair.exchanged) continue;
    active_rows_.push_back(pair.index);
    active_columns_.push_back(pair.index);
  }
  for (int k = 0; k < split; ++k) {
    if (!is_basic(count + k) && !is_basic(count + split + k)) continue;
    active_rows_.push_back(free_rows_[eliminated_ + static_cast<std::size_t>(k)]);
    active_columns_.push_back(free_columns_[eliminated_ + static_cast<std::size_t>(k)]);
  }
}

// The basic solution of the final basis from the scaled problem itself: A_RC x = −q_R, refined with
// residuals in extended precision.
void MixedLcpSolver::polish(Eigen::VectorXd& z) {
  choose_active();
  z.setZero(scaled_.size());
  const int size = static_cast<int>(active_rows_.size());
  lu_.reset(size);
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < size; ++j)
      lu_.entry(i, j) = scaled_.A(active_rows_[static_cast<std::size_t>(i)],
                                  active_columns_[static_cast<std::size_t>(j)]);
  lu_.factor();
  step_.resize(static_cast<std::size_t>(size));
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < size; ++i) {
      const int row = active_rows_[static_cast<std::size_t>(i)];
      long double sum = -scaled_.q[row];
      for (const int column : active_columns_)
        sum -= static_cast<long double>(scaled_.A(row, column)) * z[column];
      step_[static_cast<std::size_t>(i)] = static_cast<double>(sum);
    }
    lu_.solve(step_.data());
    for (int i = 0; i < size; ++i)
      z[active_columns_[static_cast<std::size_t>(i)]] += step_[static_cast<std::size_t>(i)];
  }
  for (const Pair& pair : pairs_) z[pair.index] = std::max(0.0, z[pair.index]);
  z.array() *= scale_.column.array() * magnitude_;
}

// Weights of the rows of the elimination's dictionary for y >= 0 on the rows of the reduced
// problem.
void MixedLcpSolver::weigh_rows(const double* y) {
  std::fill(row_weight_.begin(), row_weight_.end(), 0.0);
  const std::size_t count = pairs_.size();
  for (std::size_t a = 0; a < count; ++a)
    row_weight_[static_cast<std::size_t>(pairs_[a].row)] =
        y[a] * reduced_scale_.row[static_cast<Eigen::Index>(a)];
  for (std::size_t k = 0; k < split_; ++k) {
    const std::size_t plus = count + k, minus = count + split_ + k;
    row_weight_[static_cast<std::size_t>(free_rows_[eliminated_ + k])] =
        y[plus] * reduced_scale_.row[static_cast<Eigen::Index>(plus)] -
        y[minus] * reduced_scale_.row[static_cast<Eigen::Index>(minus)];
  }
}

// The weighted sum of the dictionary's rows x_B = c + T x_N is an identity vᵀ(w − A z − q) = 0; its
// coefficients of w are v.
void MixedLcpSolver::lift(Eigen::VectorXd& v) const {
  const int n = scaled_.size();
  v.setZero(n);
  for (int i = 0; i < n; ++i) {
    const double weight = row_weight_[static_cast<std::size_t>(i)];
    if (weight == 0.0) continue;
    if (const int label = row_label_[static_cast<std::size_t>(i)]; label < n) v[label] += weight;
    for (int j = 0; j < n; ++j)
      if (const int label = column_label_[static_cast<std::size_t>(j)]; label < n)
        v[label] -= weight * table_.row(i)[j];
  }
  v.array() *= scale_.row.array();
}

void MixedLcpSolver::ray_certificate(Eigen::VectorXd& v) {
  const Eigen::VectorXd& ray = extended_ ? extended_pivoting_.ray() : pivoting_.ray();
  // On a copositive-plus matrix in its own units the ray is the certificate.
  if (free_rows_.empty()) {
    v = ray.cwiseProduct(scale_.column);
    return;
  }
  step_.assign(ray.data(), ray.data() + ray.size());
  for (std::size_t a = 0; a < step_.size(); ++a) {
    const auto k = static_cast<Eigen::Index>(a);
    step_[a] *= reduced_scale_.column[k] / reduced_scale_.row[k];
    if (a >= pairs_.size() || pairs_[a].exchanged) continue;
    step_[a] *= scale_.column[pairs_[a].index] / scale_.row[pairs_[a].index];
  }
  weigh_rows(step_.data());
  lift(v);
}

bool MixedLcpSolver::search_certificate(const PivotRules& rules, Eigen::VectorXd& v) {
  const auto n = vector().size();
  // z >= 0, M z + q >= 0 as a complementarity problem with a skew matrix, which is copositive-plus:
  // (−Mᵀy ⟂ z, M z + q ⟂ y). Its ray holds the certificate.
  skew_matrix_.setZero(2 * n, 2 * n);
  skew_matrix_.topRightCorner(n, n) = -matrix().transpose();
  skew_matrix_.bottomLeftCorner(n, n) = matrix();
  skew_vector_.setZero(2 * n);
  skew_vector_.tail(n) = vector();
  skew_covering_.setOnes(2 * n);
  if (search_.run(skew_matrix_, skew_vector_, skew_covering_, rules) != PivotOutcome::ray)
    return false;
  if (free_rows_.empty()) {
    v = search_.ray().tail(n).cwiseProduct(scale_.row);
  } else {
    weigh_rows(search_.ray().data() + n);
    lift(v);
  }
  return true;
}

void MixedLcpSolver::contradiction_certificate(Eigen::VectorXd& v) {
  int worst = -1;
  for (std::size_t k = eliminated_; k < free_rows_.size(); ++k)
    if (worst < 0 || std::abs(table_.constant(free_rows_[k])) > std::abs(table_.constant(worst)))
      worst = free_rows_[k];
  std::fill(row_weight_.begin(), row_weight_.end(), 0.0);
  row_weight_[static_cast<std::size_t>(worst)] = table_.constant(worst) > 0.0 ? -1.0 : 1.0;
  lift(v);
}

}  // namespace vinci
