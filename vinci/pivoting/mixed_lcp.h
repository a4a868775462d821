// SPDX-License-Identifier: Apache-2.0
// The mixed linear complementarity problem
//
//   w = A z + q,   row k: w_k = 0 and z_k free, or 0 <= z_k ⟂ w_k >= 0
//
// solved by complementary pivoting. Rows and columns are equilibrated by powers of two (no
// rounding; any positive scaling maps solutions to solutions), free variables are eliminated with
// complete pivoting, those that cannot be are split into x⁺ − x⁻. The answer is read from the last
// dictionary, or computed anew from A for its basis with refinement in extended precision.
#pragma once

#include <vector>

#include "vinci/linear/dense_lu.h"
#include "vinci/linear/equilibration.h"
#include "vinci/pivoting/pivoting.h"

namespace vinci {

struct MixedLcp {
  RowMatrix A;
  Eigen::VectorXd q;
  std::vector<char> is_free;
  int size() const { return static_cast<int>(q.size()); }
};

class MixedLcpSolver {
 public:
  static constexpr int attempts = 8;

  // Scales the problem and eliminates its free variables. `problem` must outlive the attempts.
  void prepare(const MixedLcp& problem);
  // Equality rows seem to contradict each other; the attempts leave out what is over.
  bool inconsistent() const { return inconsistent_; }
  // Lemke's scheme; the attempts differ in covering vector, tolerances and precision. z receives
  // the answer of the last dictionary.
  PivotOutcome attempt(int number, const PivotRules& rules, Eigen::VectorXd& z);
  // The same from the basis in which the marked z are basic.
  PivotOutcome attempt_from(const std::vector<char>& basic, const PivotRules& rules,
                            Eigen::VectorXd& z);
  // z of the last basis computed anew from A.
  void polish(Eigen::VectorXd& z);
  int pivots() const { return extended_ ? extended_pivoting_.pivots() : pivoting_.pivots(); }
  // Vectors v, v >= 0 on the pairs, that may have Aᵀv = 0 on free columns, Aᵀv <= 0 on the others
  // and qᵀv < 0, which proves that there is no solution: the last ray (one where A is
  // copositive-plus), the ray of a search [Cottle, Pang, Stone 1992, th. 4.4.8; false where there
  // is none], the equality row that contradicts the others.
  void ray_certificate(Eigen::VectorXd& v);
  bool search_certificate(const PivotRules& rules, Eigen::VectorXd& v);
  void contradiction_certificate(Eigen::VectorXd& v);

 private:
  // A pair (z_k, w_k): w_k is basic in its row, z_k nonbasic in its column, or exchanged.
  struct Pair {
    int index, row, column;
    bool exchanged;
  };
  void eliminate();
  void exchange(int row, int column);
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
  void read_answer(Eigen::VectorXd& z);
  void weigh_rows(const double* y);
  void lift(Eigen::VectorXd& v) const;
  const RowMatrix& matrix() const { return free_rows_.empty() ? scaled_.A : reduced_matrix_; }
  const Eigen::VectorXd& vector() const { return free_rows_.empty() ? scaled_.q : reduced_vector_; }

  // Scaled problem and the scales: A = diag(row) A₀ diag(column), q = κ diag(row) q₀.
  MixedLcp scaled_;
  Equilibration scale_, reduced_scale_;
  double magnitude_ = 1.0;  // 1/κ, a power of two
  bool inconsistent_ = false;

  Dictionary<double> table_;
  std::vector<int> row_label_, column_label_;  // w_k is k, z_k is n + k
  std::vector<Pair> pairs_;
  std::vector<int> free_rows_, free_columns_;
  std::size_t eliminated_ = 0;  // the first so many of free_rows_ and free_columns_ are pivoted
  std::size_t split_ = 0;       // the next so many are split, the rest is redundant

  // The reduced problem: the pairs, then x⁺, then x⁻. Without free variables it is the scaled one.
  RowMatrix reduced_matrix_, skew_matrix_;
  Eigen::VectorXd reduced_vector_, covering_;
  double reduced_magnitude_ = 1.0;
  Eigen::VectorXd skew_vector_, skew_covering_;
  LemkePivoting<double> pivoting_, search_;
  LemkePivoting<long double> extended_pivoting_;
  bool extended_ = false;  // which of them made the last attempt

  // Polish.
  DenseLu lu_;
  std::vector<int> active_rows_, active_columns_;
  std::vector<double> step_;
  std::vector<char> start_;  // z of the reduced problem that are basic at the start
  std::vector<double> row_weight_;
};

}  // namespace vinci
