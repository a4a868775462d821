// SPDX-License-Identifier: Apache-2.0
#include "vinci/solvers/mixed_lcp.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace vinci {

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
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

bool DenseLu::factor() {
  for (int k = 0; k < size_; ++k) {
    int best = k;
    for (int i = k + 1; i < size_; ++i)
      if (std::abs(entry(i, k)) > std::abs(entry(best, k))) best = i;
    swaps_[static_cast<std::size_t>(k)] = best;
    if (!(std::abs(entry(best, k)) > 10.0 * epsilon)) return false;
    if (best != k) std::swap_ranges(&entry(k, 0), &entry(k, 0) + size_, &entry(best, 0));
    const double* const pivot_row = &entry(k, 0);
    for (int i = k + 1; i < size_; ++i) {
      double* const row = &entry(i, 0);
      if (row[k] == 0.0) continue;
      const double factor = row[k] /= pivot_row[k];
      for (int j = k + 1; j < size_; ++j) row[j] -= factor * pivot_row[j];
    }
  }
  return true;
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
  eliminate(scaled_);
  sort_leftovers();
  if (!inconsistent_) reduce();
}

void MixedLcpSolver::eliminate(const MixedLcp& problem) {
  const int n = problem.size();
  free_rows_.clear();
  signed_.clear();
  for (int k = 0; k < n; ++k)
    (problem.is_free[static_cast<std::size_t>(k)] ? free_rows_ : signed_).push_back(k);
  free_columns_ = free_rows_;
  eliminated_ = split_ = 0;
  if (free_rows_.empty()) return;
  table_.reset(n, n);
  for (int i = 0; i < n; ++i) {
    std::copy_n(problem.A.data() + static_cast<std::ptrdiff_t>(i) * n, n, table_.row(i));
    table_.constant(i) = problem.q[i];
  }
  while (eliminated_ < free_rows_.size()) {
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
    if (best_row == free_rows_.size()) return;
    table_.pivot(free_rows_[best_row], free_columns_[best_column]);
    std::swap(free_rows_[eliminated_], free_rows_[best_row]);
    std::swap(free_columns_[eliminated_], free_columns_[best_column]);
    ++eliminated_;
  }
}

// Rows and columns of free variables that found no pivot: those coupled to signed variables are
// split; the others are redundant, or contradict each other.
void MixedLcpSolver::sort_leftovers() {
  const auto first_row = free_rows_.begin() + static_cast<std::ptrdiff_t>(eliminated_);
  const auto first_column = free_columns_.begin() + static_cast<std::ptrdiff_t>(eliminated_);
  const auto row_coupled = [&](int row) {
    return std::any_of(signed_.begin(), signed_.end(),
                       [&](int j) { return std::abs(table_.row(row)[j]) > rank_tolerance; });
  };
  const auto column_coupled = [&](int column) {
    return std::any_of(signed_.begin(), signed_.end(),
                       [&](int i) { return std::abs(table_.row(i)[column]) > rank_tolerance; });
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
  const int count = static_cast<int>(signed_.size()), split = static_cast<int>(split_);
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
    const int i = signed_[static_cast<std::size_t>(a)];
    for (int b = 0; b < count; ++b)
      reduced_matrix_(a, b) = value(i, signed_[static_cast<std::size_t>(b)]);
    reduced_vector_[a] = constant(i);
  }
  for (int k = 0; k < split; ++k) {
    const int row = free_rows_[eliminated_ + static_cast<std::size_t>(k)];
    const int column = free_columns_[eliminated_ + static_cast<std::size_t>(k)];
    const int plus = count + k, minus = count + split + k;
    for (int a = 0; a < count; ++a) {
      const int i = signed_[static_cast<std::size_t>(a)];
      reduced_matrix_(plus, a) = value(row, i);
      reduced_matrix_(minus, a) = -value(row, i);
      reduced_matrix_(a, plus) = value(i, column);
      reduced_matrix_(a, minus) = -value(i, column);
    }
    reduced_vector_[plus] = constant(row);
    reduced_vector_[minus] = -constant(row);
  }
  equilibrate(reduced_matrix_, reduced_row_, reduced_column_);
  reduced_vector_.array() *= reduced_row_.array();
  reduced_magnitude_ = magnitude_of(reduced_vector_);
  reduced_vector_ /= reduced_magnitude_;
}

// Positive covering vectors: ones, then low-discrepancy sequences about 1 (each leads the path
// along other bases), then one that weighs the rows by their need.
void MixedLcpSolver::set_covering(int number) {
  covering_.setOnes(reduced_vector_.size());
  if (number < 2) return;
  if (number == 3) {
    covering_ = reduced_vector_.cwiseAbs().array() + 1e-2;
    return;
  }
  constexpr double golden = 0.6180339887498949;
  for (Eigen::Index k = 0; k < covering_.size(); ++k) {
    const double x = golden * static_cast<double>((k + 1) * number);
    covering_[k] = 0.5 + (x - std::floor(x));
  }
}

PivotOutcome MixedLcpSolver::attempt(int number, const PivotRules& rules, Eigen::VectorXd& z) {
  PivotRules adapted = rules;
  if (number == 1 || number == 4) {
    adapted.tie_tolerance = 1e-11;
    adapted.pivot_tolerance *= 100.0;
  }
  if (number == 5) {
    adapted.tie_tolerance = 0.0;
    adapted.pivot_tolerance *= 1e-2;
  }
  set_covering(number);
  const PivotOutcome outcome = pivoting_.run(reduced_matrix_, reduced_vector_, covering_, adapted);
  if (outcome == PivotOutcome::breakdown) {
    z.setZero(scaled_.size());
    return outcome;
  }
  polish(z);
  read_table(table_answer_);
  if (violation(table_answer_) < violation(z)) z = table_answer_;
  z.array() *= column_scale_.array() * magnitude_;
  return outcome;
}

// The basic solution of the final basis from the scaled problem itself: A_RC x = −q_R, refined with
// residuals in extended precision.
void MixedLcpSolver::polish(Eigen::VectorXd& z) {
  z.setZero(scaled_.size());
  active_rows_.assign(free_rows_.begin(),
                      free_rows_.begin() + static_cast<std::ptrdiff_t>(eliminated_));
  active_columns_.assign(free_columns_.begin(),
                         free_columns_.begin() + static_cast<std::ptrdiff_t>(eliminated_));
  const int count = static_cast<int>(signed_.size()), split = static_cast<int>(split_);
  for (int a = 0; a < count; ++a) {
    if (!pivoting_.z_is_basic(a)) continue;
    active_rows_.push_back(signed_[static_cast<std::size_t>(a)]);
    active_columns_.push_back(signed_[static_cast<std::size_t>(a)]);
  }
  for (int k = 0; k < split; ++k) {
    if (!pivoting_.z_is_basic(count + k) && !pivoting_.z_is_basic(count + split + k)) continue;
    active_rows_.push_back(free_rows_[eliminated_ + static_cast<std::size_t>(k)]);
    active_columns_.push_back(free_columns_[eliminated_ + static_cast<std::size_t>(k)]);
  }
  const int size = static_cast<int>(active_rows_.size());
  lu_.reset(size);
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < size; ++j)
      lu_.entry(i, j) = scaled_.A(active_rows_[static_cast<std::size_t>(i)],
                                  active_columns_[static_cast<std::size_t>(j)]);
  if (!lu_.factor()) return;
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
  for (const int k : signed_) z[k] = std::max(0.0, z[k]);
}

// The answer as the final dictionary has it, for bases too close to singular to factor.
void MixedLcpSolver::read_table(Eigen::VectorXd& z) {
  z.setZero(scaled_.size());
  const int count = static_cast<int>(signed_.size()), split = static_cast<int>(split_);
  const auto reduced = [&](int k) {
    return pivoting_.z(k) * reduced_column_[k] * reduced_magnitude_;
  };
  for (int a = 0; a < count; ++a) z[signed_[static_cast<std::size_t>(a)]] = reduced(a);
  for (int k = 0; k < split; ++k)
    z[free_columns_[eliminated_ + static_cast<std::size_t>(k)]] =
        reduced(count + k) - reduced(count + split + k);
  for (std::size_t e = 0; e < eliminated_; ++e) {
    const double* const row = table_.row(free_rows_[e]);
    double sum = row[table_.columns()];
    for (const int j : signed_) sum += row[j] * z[j];
    for (std::size_t k = eliminated_; k < free_columns_.size(); ++k)
      sum += row[free_columns_[k]] * z[free_columns_[k]];
    z[free_columns_[e]] = sum;
  }
}

// Largest violation of the natural map of the scaled problem.
double MixedLcpSolver::violation(const Eigen::VectorXd& z) {
  double worst = 0.0;
  for (int i = 0; i < scaled_.size(); ++i) {
    const double w = scaled_.A.row(i).dot(z) + scaled_.q[i];
    const double amount =
        scaled_.is_free[static_cast<std::size_t>(i)] ? std::abs(w) : std::abs(std::min(w, z[i]));
    worst =
        std::max(worst, std::isfinite(amount) ? amount : std::numeric_limits<double>::infinity());
  }
  return worst;
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
  if (pivoting_.ray().size() == n && certifies(pivoting_.ray().data())) return true;
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
