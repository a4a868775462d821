// SPDX-License-Identifier: Apache-2.0
#include "vinci/linear/sparse_lu.h"

#include <algorithm>
#include <cmath>

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>

namespace vinci {

namespace {

// The diagonal is taken where it is at least this part of the largest candidate: it keeps the order
// that keeps the factors sparse, and an update enlarges an entry at most elevenfold.
constexpr double diagonal_preference = 0.1;

}  // namespace

void SparseColumns::reset(int new_rows) {
  rows = new_rows;
  starts.clear();
  starts.push_back(0);
  indices.clear();
  values.clear();
}

void SparseLu::find_order(const SparseColumns& A) {
  if (pattern_starts_ == A.starts && pattern_indices_ == A.indices) return;
  pattern_starts_ = A.starts;
  pattern_indices_ = A.indices;
  column_order_.resize(at(size_));
  if (size_ == 0) return;
  const Eigen::Map<const Eigen::SparseMatrix<double>> view(
      size_, size_, static_cast<Eigen::Index>(A.indices.size()), A.starts.data(), A.indices.data(),
      A.values.data());
  Eigen::COLAMDOrdering<int>::PermutationType permutation;
  Eigen::COLAMDOrdering<int>()(view, permutation);
  // Eigen's permutation maps column j to its place.
  for (int j = 0; j < size_; ++j) column_order_[at(permutation.indices()[j])] = j;
}

bool SparseLu::factor(const SparseColumns& A, double singular, const std::vector<int>* order) {
  size_ = A.rows;
  repaired_.clear();
  if (order != nullptr) {
    column_order_ = *order;
    pattern_starts_.clear();
  } else {
    find_order(A);
  }
  pivot_row_.assign(at(size_), -1);
  step_of_row_.assign(at(size_), -1);
  mark_.assign(at(size_), -1);
  work_.assign(at(size_), 0.0);
  permuted_.resize(at(size_));
  stack_.resize(at(size_));
  position_.resize(at(size_));
  topological_.resize(at(size_));
  pivots_.resize(at(size_));
  lower_starts_.assign(1, 0);
  upper_starts_.assign(1, 0);
  lower_indices_.clear();
  lower_values_.clear();
  upper_indices_.clear();
  upper_values_.clear();
  for (int k = 0; k < size_; ++k) {
    const int column = column_order_[at(k)];
    reach(A, column);
    double largest = 0.0;
    for (int e = A.starts[at(column)]; e < A.starts[at(column) + 1]; ++e) {
      work_[at(A.indices[at(e)])] = A.values[at(e)];
      largest = std::max(largest, std::abs(A.values[at(e)]));
    }
    // The sparse triangular solve, in topological order.
    for (int t = top_; t < size_; ++t) {
      const int step = step_of_row_[at(topological_[at(t)])];
      const double x = work_[at(topological_[at(t)])];
      if (step < 0 || x == 0.0) continue;
      for (int e = lower_starts_[at(step)]; e < lower_starts_[at(step) + 1]; ++e)
        work_[at(lower_indices_[at(e)])] -= lower_values_[at(e)] * x;
    }
    int pivot = choose_pivot(column);
    if (pivot < 0 || !(std::abs(work_[at(pivot)]) > singular * largest)) {
      if (step_of_row_[at(column)] >= 0) return false;
      for (int t = top_; t < size_; ++t) work_[at(topological_[at(t)])] = 0.0;
      top_ = size_;  // the unit column of a row without a pivot reaches nothing else
      pivot = column;
      work_[at(pivot)] = 1.0;
      repaired_.push_back(column);
    }
    store_column(k, pivot);
  }
  return true;
}

// The rows that column `column` of A reaches through the columns of L found so far, in
// topological_[top_ ...]: a depth-first search without recursion.
void SparseLu::reach(const SparseColumns& A, int column) {
  top_ = size_;
  for (int e = A.starts[at(column)]; e < A.starts[at(column) + 1]; ++e) {
    if (mark_[at(A.indices[at(e)])] == column) continue;
    int depth = 0;
    stack_[0] = A.indices[at(e)];
    mark_[at(stack_[0])] = column;
    position_[0] = 0;
    while (depth >= 0) {
      const int row = stack_[at(depth)], step = step_of_row_[at(row)];
      const int begin = step < 0 ? 0 : lower_starts_[at(step)];
      const int count = step < 0 ? 0 : lower_starts_[at(step) + 1] - begin;
      int& next = position_[at(depth)];
      while (next < count && mark_[at(lower_indices_[at(begin + next)])] == column) ++next;
      if (next == count) {
        topological_[at(--top_)] = row;
        --depth;
        continue;
      }
      const int child = lower_indices_[at(begin + next++)];
      mark_[at(child)] = column;
      stack_[at(++depth)] = child;
      position_[at(depth)] = 0;
    }
  }
}

int SparseLu::choose_pivot(int diagonal) const {
  int best = -1;
  double largest = 0.0;
  bool diagonal_met = false;
  for (int t = top_; t < size_; ++t) {
    const int row = topological_[at(t)];
    if (step_of_row_[at(row)] >= 0) continue;
    diagonal_met |= row == diagonal;
    const double value = std::abs(work_[at(row)]);
    if (value <= largest) continue;
    largest = value;
    best = row;
  }
  if (diagonal_met && std::abs(work_[at(diagonal)]) >= diagonal_preference * largest &&
      largest > 0.0)
    return diagonal;
  return best;
}

void SparseLu::store_column(int k, int pivot) {
  const double value = work_[at(pivot)], inverse = 1.0 / value;
  for (int t = top_; t < size_; ++t) {
    const int row = topological_[at(t)], step = step_of_row_[at(row)];
    const double x = work_[at(row)];
    work_[at(row)] = 0.0;
    if (row == pivot || x == 0.0) continue;
    if (step >= 0) {
      upper_indices_.push_back(step);
      upper_values_.push_back(x);
    } else {
      lower_indices_.push_back(row);
      lower_values_.push_back(x * inverse);
    }
  }
  work_[at(pivot)] = 0.0;
  pivots_[at(k)] = value;
  pivot_row_[at(k)] = pivot;
  step_of_row_[at(pivot)] = k;
  lower_starts_.push_back(static_cast<int>(lower_indices_.size()));
  upper_starts_.push_back(static_cast<int>(upper_indices_.size()));
}

void SparseLu::solve(double* x) {
  for (int k = 0; k < size_; ++k) {
    const double value = permuted_[at(k)] = x[pivot_row_[at(k)]];
    if (value == 0.0) continue;
    for (int e = lower_starts_[at(k)]; e < lower_starts_[at(k) + 1]; ++e)
      x[lower_indices_[at(e)]] -= lower_values_[at(e)] * value;
  }
  for (int k = size_ - 1; k >= 0; --k) {
    if (permuted_[at(k)] == 0.0) continue;
    const double value = permuted_[at(k)] /= pivots_[at(k)];
    for (int e = upper_starts_[at(k)]; e < upper_starts_[at(k) + 1]; ++e)
      permuted_[at(upper_indices_[at(e)])] -= upper_values_[at(e)] * value;
  }
  for (int k = 0; k < size_; ++k) x[column_order_[at(k)]] = permuted_[at(k)];
}

}  // namespace vinci
