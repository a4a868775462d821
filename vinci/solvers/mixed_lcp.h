// SPDX-License-Identifier: Apache-2.0
// The mixed linear complementarity problem
//
//   w = A z + q,   row k: w_k = 0 and z_k free, or 0 <= z_k ⟂ w_k >= 0
//
// solved by complementary pivoting. Rows and columns are equilibrated by powers of two (no
// rounding; any positive scaling maps solutions to solutions), free variables are eliminated with
// complete pivoting, those that cannot be are split into x⁺ − x⁻, and the answer of the final basis
// is computed anew from A by an LU factorisation with refinement in extended precision.
#pragma once

#include <vector>

#include "vinci/solvers/pivoting.h"

namespace vinci {

struct MixedLcp {
  RowMatrix A;
  Eigen::VectorXd q;
  std::vector<char> is_free;
  int size() const { return static_cast<int>(q.size()); }
};

// LU factors with partial pivoting in memory that only grows.
class DenseLu {
 public:
  // Fill the matrix through entry(i, j), then factor. Pivots that vanish to rounding are left out;
  // the unknowns they would determine come out as zero.
  void reset(int size);
  double& entry(int i, int j) { return data_[static_cast<std::size_t>(i * size_ + j)]; }
  void factor();
  void solve(double* x) const;  // in place

 private:
  int size_ = 0;
  std::vector<double> data_;
  std::vector<int> swaps_;
};

// Finds positive powers of two with the entries of diag(row) A diag(column) at most about 1, the
// largest of each row and column near 1, and applies them.
void equilibrate(RowMatrix& A, Eigen::VectorXd& row, Eigen::VectorXd& column);

class MixedLcpSolver {
 public:
  static constexpr int attempts = 8;

  // Scales the problem and eliminates its free variables. `problem` must outlive the attempts.
  void prepare(const MixedLcp& problem);
  // Equality rows that contradict each other: there is no solution.
  bool inconsistent() const { return inconsistent_; }
  // Lemke's scheme; the attempts differ in covering vector, tolerances and precision. z receives
  // the answer of the final basis.
  PivotOutcome attempt(int number, const PivotRules& rules, Eigen::VectorXd& z);
  int pivots() const { return extended_ ? extended_pivoting_.pivots() : pivoting_.pivots(); }
  // A vector y >= 0 with Mᵀy <= 0 and qᵀy < 0 proves that no z >= 0 has M z + q >= 0. Tries the
  // last ray (it is one where M is copositive-plus), then searches [Cottle, Pang, Stone 1992,
  // th. 4.4.8].
  bool proves_infeasible(const PivotRules& rules);

 private:
  // A pair (z_k, w_k): w_k is basic in its row, z_k nonbasic in its column, or exchanged.
  struct Pair {
    int index, row, column;
    bool exchanged;
  };
  void eliminate();
  bool pivot_free();
  bool pivot_with_pair();
  void set_eliminated(std::size_t row, std::size_t column);
  void sort_leftovers();
  void reduce();
  void set_covering(int number);
  bool is_basic(int k) const {
    return extended_ ? extended_pivoting_.z_is_basic(k) : pivoting_.z_is_basic(k);
  }
  void choose_active();
  void polish(Eigen::VectorXd& z);
  bool certifies(const double* y) const;

  // Scaled problem and the scales: A = diag(row) A₀ diag(column), q = κ diag(row) q₀.
  MixedLcp scaled_;
  Eigen::VectorXd row_scale_, column_scale_;
  double magnitude_ = 1.0;  // 1/κ, a power of two
  bool inconsistent_ = false;

  Dictionary<double> table_;
  std::vector<Pair> pairs_;
  std::vector<int> free_rows_, free_columns_;
  std::size_t eliminated_ = 0;  // the first so many of free_rows_ and free_columns_ are pivoted
  std::size_t split_ = 0;       // the next so many are split, the rest is redundant

  // The reduced problem: the pairs, then x⁺, then x⁻.
  RowMatrix reduced_matrix_, skew_matrix_;
  Eigen::VectorXd reduced_vector_, reduced_row_, reduced_column_, covering_;
  Eigen::VectorXd skew_vector_, skew_covering_;
  double reduced_magnitude_ = 1.0;
  LemkePivoting<double> pivoting_, search_;
  LemkePivoting<long double> extended_pivoting_;
  bool extended_ = false;  // which of them made the last attempt

  // Polish.
  DenseLu lu_;
  std::vector<int> active_rows_, active_columns_;
  std::vector<double> step_;
};

}  // namespace vinci
