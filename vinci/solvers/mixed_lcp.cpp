// SPDX-License-Identifier: Apache-2.0
#include "vinci/solvers/mixed_lcp.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace vinci {

namespace {

// A pivot of an LU factorisation of equilibrated entries that is only rounding.
constexpr double negligible = 1e-30;
// A pivot of the elimination below this (entries of A are about 1) counts as zero: above the noise
// of a thousand eliminations, below any coupling that matters.
constexpr double rank_tolerance = 1e-11;
// Equality rows without variables that still demand this much (of |q|∞) contradict each other.
constexpr double contradiction = 1e-8;
// A certificate is accepted where every solution would have to be larger than this in scaled units.
constexpr double beyond_reach = 1e11;

double power_of_two_near(double x) {
  return std::exp2(std::round(std::log2(x)));
}

// The largest entry of v as a power of two; 1 for a zero vector.
double magnitude_of(const Eigen::VectorXd& v) {
  const double largest = v.size() > 0 ? v.cwiseAbs().maxCoeff() : 0.0;
  return largest > 0.0 ? power_of_two_near(largest) : 1.0;
}

}  // namespace

void DenseLu::reset(int size) {
  size_ = size;
  data_.assign(static_cast<std::size_t>(size) * static_cast<std::size_t>(size), 0.0);
  swaps_.resize(static_cast<std::size_t>(size));
}

void DenseLu::factor() {
  for (int k = 0; k < size_; ++k) {
    int best = k;
    for (int i = k + 1; i < size_; ++i)
      if (std::abs(entry(i, k)) > std::abs(entry(best, k))) best = i;
    swaps_[static_cast<std::size_t>(k)] = best;
    if (best != k) std::swap_ranges(&entry(k, 0), &entry(k, 0) + size_, &entry(best, 0));
    double* const pivot_row = &entry(k, 0);
    if (std::abs(pivot_row[k]) <= negligible) {
      pivot_row[k] = std::numeric_limits<double>::infinity();  // dividing by it gives the zero
      continue;
    }
    for (int i = k + 1; i < size_; ++i) {
      double* const row = &entry(i, 0);
      if (row[k] == 0.0) continue;
      const double factor = row[k] /= pivot_row[k];
      for (int j = k + 1; j < size_; ++j) row[j] -= factor * pivot_row[j];
    }
  }
}

void DenseLu::solve(double* x) const {
  const auto row = [&](int i) { return data_.data() + static_cast<std::ptrdiff_t>(i) * size_; };
  for (int k = 0; k < size_; ++k) std::swap(x[k], x[swaps_[static_cast<std::size_t>(k)]]);
  for (int i = 0; i < size_; ++i)
    for (int j = 0; j < i; ++j) x[i] -= row(i)[j] * x[j];
  for (int i = size_ - 1; i >= 0; --i) {
    for (int j = i + 1; j < size_; ++j) x[i] -= row(i)[j] * x[j];
    x[i] /= row(i)[i];
  }
}

void equilibrate(RowMatrix& A, Eigen::VectorXd& row, Eigen::VectorXd& column) {
  const auto n = A.rows();
  row.setOnes(n);
  column.setOnes(A.cols());
  // Ruiz's iteration: divide by the square roots of the largest entries until they are all near 1.
  for (int sweep = 0; sweep < 20; ++sweep) {
    double spread = 1.0;
    for (Eigen::Index i = 0; i < n; ++i) {
      double row_largest = 0.0, column_largest = 0.0;
      for (Eigen::Index j = 0; j < A.cols(); ++j) {
        row_largest = std::max(row_largest, row[i] * std::abs(A(i, j)) * column[j]);
        column_largest = std::max(column_largest, row[j] * std::abs(A(j, i)) * column[i]);
      }
      for (const double largest : {row_largest, column_largest})
        if (largest > 0.0) spread = std::max(spread, std::max(largest, 1.0 / largest));
      if (row_largest > 0.0) row[i] /= power_of_two_near(std::sqrt(row_largest));
      if (column_largest > 0.0) column[i] /= power_of_two_near(std::sqrt(column_largest));
    }
    if (spread <= 4.0) break;
  }
  for (Eigen::Index i = 0; i < n; ++i) A.row(i).array() *= row[i] * column.transpose().array();
}

void MixedLcpSolver::prepare(const MixedLcp& problem) {
  scaled_.A = problem.A;
  scaled_.is_free = problem.is_free;
  equilibrate(scaled_.A, row_scale_, column_scale_);
  scaled_.q = problem.q.cwiseProduct(row_scale_);
  magnitude_ = magnitude_of(scaled_.q);
  scaled_.q /= magnitude_;
  inconsistent_ = false;
  eliminate();
  sort_leftovers();
  if (!inconsistent_) reduce();
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
  eliminated_ = 0;
  if (free_rows_.empty()) return;
  table_.reset(n, n);
  for (int i = 0; i < n; ++i) {
    std::copy_n(scaled_.A.data() + static_cast<std::ptrdiff_t>(i) * n, n, table_.row(i));
    table_.constant(i) = scaled_.q[i];
  }
  while (eliminated_ < free_rows_.size() && (pivot_free() || pivot_with_pair())) continue;
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
  table_.pivot(free_rows_[best_row], free_columns_[best_column]);
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
  table_.pivot(best->row, best->index);
  table_.pivot(best->index, best->column);
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
  const auto value = [&](int i, int j) {
    return free_rows_.empty() ? scaled_.A(i, j) : table_.row(i)[j];
  };
  const auto constant = [&](int i) {
    return free_rows_.empty() ? scaled_.q[i] : table_.constant(i);
  };
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
  equilibrate(reduced_matrix_, reduced_row_, reduced_column_);
  reduced_vector_.array() *= reduced_row_.array();
  reduced_magnitude_ = magnitude_of(reduced_vector_);
  reduced_vector_ /= reduced_magnitude_;
}

namespace {

// What an attempt varies: a path lost to rounding is found again by another covering vector, or by
// seeing ties and zeros otherwise. The first one is the best of those tried on problems of contact.
struct Attempt {
  enum { ones, spread, need } covering;
  int sequence;  // of the spread
  double pivot_factor, tie_factor;
  bool extended;  // in long double: eleven more bits
};
constexpr Attempt plan[MixedLcpSolver::attempts] = {
    {Attempt::spread, 2, 1.0, 1e-2, false}, {Attempt::spread, 5, 1.0, 1.0, false},
    {Attempt::ones, 0, 1e3, 1.0, false},    {Attempt::ones, 0, 1e-2, 10.0, false},
    {Attempt::need, 0, 1.0, 1e-2, false},   {Attempt::spread, 2, 1.0, 1e-2, true},
    {Attempt::spread, 7, 1e2, 1e-2, true},  {Attempt::ones, 0, 1e4, 1e-2, true},
};

}  // namespace

// Positive covering vectors: ones; a low-discrepancy sequence about 1, which has fewer ties; or the
// rows weighed by their need.
void MixedLcpSolver::set_covering(int number) {
  const Attempt& attempt = plan[number];
  covering_.setOnes(reduced_vector_.size());
  if (attempt.covering == Attempt::need) {
    covering_ = reduced_vector_.cwiseAbs().array() + 1e-2;
  } else if (attempt.covering == Attempt::spread) {
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
  const PivotOutcome outcome =
      extended_ ? extended_pivoting_.run(reduced_matrix_, reduced_vector_, covering_, adapted)
                : pivoting_.run(reduced_matrix_, reduced_vector_, covering_, adapted);
  if (outcome == PivotOutcome::breakdown) {
    z.setZero(scaled_.size());
    return outcome;
  }
  polish(z);
  z.array() *= column_scale_.array() * magnitude_;
  return outcome;
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
}

bool MixedLcpSolver::certifies(const double* y) const {
  const auto n = reduced_vector_.size();
  double total = 0.0, gain = 0.0, slack = 0.0;
  for (Eigen::Index i = 0; i < n; ++i) {
    total += y[i];
    gain -= y[i] * reduced_vector_[i];
  }
  for (Eigen::Index j = 0; j < n; ++j) {
    double sum = 0.0;
    for (Eigen::Index i = 0; i < n; ++i) sum += y[i] * reduced_matrix_(i, j);
    slack = std::max(slack, sum);
  }
  return gain > 1e-9 * total && gain >= beyond_reach * slack;
}

bool MixedLcpSolver::proves_infeasible(const PivotRules& rules) {
  const auto n = reduced_vector_.size();
  const Eigen::VectorXd& ray = extended_ ? extended_pivoting_.ray() : pivoting_.ray();
  if (ray.size() == n && certifies(ray.data())) return true;
  // z >= 0, M z + q >= 0 as a complementarity problem with a skew matrix, which is copositive-plus:
  // (−Mᵀy ⟂ z, M z + q ⟂ y). Its ray holds the certificate.
  skew_matrix_.setZero(2 * n, 2 * n);
  skew_matrix_.topRightCorner(n, n) = -reduced_matrix_.transpose();
  skew_matrix_.bottomLeftCorner(n, n) = reduced_matrix_;
  skew_vector_.setZero(2 * n);
  skew_vector_.tail(n) = reduced_vector_;
  skew_covering_.setOnes(2 * n);
  if (search_.run(skew_matrix_, skew_vector_, skew_covering_, rules) != PivotOutcome::ray)
    return false;
  return certifies(search_.ray().data() + n);
}

}  // namespace vinci
