// SPDX-License-Identifier: Apache-2.0
// Complementary pivoting on the dense linear complementarity problem
//
//   w = M z + q + D z₀,   0 <= z ⟂ w >= 0
//
// by Lemke's scheme, which visits no basis twice and therefore ends: at z₀ = 0 (a solution) or on a
// secondary ray [Cottle, Pang, Stone 1992, ch. 4]. It starts at any regular complementary basis;
// the covering column is d > 0 there. Ties are broken lexicographically by one column B⁻¹r in place
// of all n of B⁻¹: r is positive in the first basis and has no pattern, so that no two of its
// ratios are equal.
#pragma once

#include <vector>

#include "vinci/base/clock.h"
#include "vinci/base/math.h"

namespace vinci {

// The dictionary x_B = c + T x_N + o ε of a linear system; a pivot exchanges a basic and a nonbasic
// variable. Stored by rows, the constant c and the order o behind the last column; memory only
// grows.
template <class Real>
class Dictionary {
 public:
  void reset(int rows, int columns);  // all zero
  int rows() const { return rows_; }
  int columns() const { return columns_; }
  Real* row(int i) { return data_.data() + static_cast<std::ptrdiff_t>(i) * stride_; }
  const Real* row(int i) const { return data_.data() + static_cast<std::ptrdiff_t>(i) * stride_; }
  Real& constant(int i) { return row(i)[columns_]; }
  Real constant(int i) const { return row(i)[columns_]; }
  Real& order(int i) { return row(i)[columns_ + 1]; }
  Real order(int i) const { return row(i)[columns_ + 1]; }
  void pivot(int r, int s);

 private:
  int rows_ = 0, columns_ = 0, stride_ = 0;
  std::vector<Real> data_;
  std::vector<int> nonzeros_;
};

struct PivotRules {
  // Both are what some thousand pivots make of ε. Attempts that failed vary them by factors of up
  // to 1e4: what is a zero or a tie shows only on the path.
  double pivot_tolerance = 1e-12;  // of the largest entry of the entering column
  double tie_tolerance = 1e-12;  // of |q|∞: ratios nearer than this are decided lexicographically
  int limit = 1000;              // pivots
  Deadline deadline;
};

// Positive numbers about 1 without pattern: fractional parts of multiples of an irrational number.
double generic_number(int k);

enum class PivotOutcome : unsigned char {
  solved,     // z₀ = 0
  ray,        // a secondary ray
  limit,      // pivots or time ran out
  breakdown,  // the basis became singular to rounding
};

// One run of Lemke's scheme, in double or long double. M should be equilibrated and |q|∞ about 1.
template <class Real>
class LemkePivoting {
 public:
  // From the basis of w, or from the one where the z marked in `start` are basic.
  PivotOutcome run(const RowMatrix& M, const Eigen::VectorXd& q, const Eigen::VectorXd& d,
                   const PivotRules& rules, const std::vector<char>* start = nullptr);

  int pivots() const { return pivots_; }
  bool z_is_basic(int k) const { return where_[static_cast<std::size_t>(size_ + k)] >= 0; }
  double z_value(int k) const {
    const int row = where_[static_cast<std::size_t>(size_ + k)];
    return row >= 0 ? static_cast<double>(table_.constant(row)) : 0.0;
  }
  // After `ray`: the direction of z along which the path escapes, >= 0.
  const Eigen::VectorXd& ray() const { return ray_; }

 private:
  // Labels: w_k is k, z_k is n + k, z₀ is 2n. where_[label] is its row i, or −1 − j for column j.
  int cover() const { return 2 * size_; }
  int complement(int label) const { return label < size_ ? label + size_ : label - size_; }
  void set_columns(const Eigen::VectorXd& d, const std::vector<char>* start);
  void load();
  bool pivot_to_basis(double least);
  int first_row() const;
  int choose_row(int column);
  int break_tie(int column) const;
  void exchange(int row, int column);
  bool drifted();
  bool refactor();
  void note_ray(int column);

  int size_ = 0, pivots_ = 0, since_refactor_ = 0;
  const RowMatrix* matrix_ = nullptr;
  const Eigen::VectorXd* vector_ = nullptr;
  Eigen::VectorXd covering_, order_;  // D and r
  PivotRules rules_;
  Dictionary<Real> table_;
  std::vector<int> row_label_, column_label_, where_, candidates_, leaving_, entering_, basic_;
  Eigen::VectorXd ray_;
};

extern template class Dictionary<double>;
extern template class Dictionary<long double>;
extern template class LemkePivoting<double>;
extern template class LemkePivoting<long double>;

}  // namespace vinci
