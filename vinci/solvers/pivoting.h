// SPDX-License-Identifier: Apache-2.0
// Complementary pivoting on the dense linear complementarity problem
//
//   w = M z + q + d z₀,   0 <= z ⟂ w >= 0,   d > 0
//
// by Lemke's scheme with the lexicographic ratio test, which visits no basis twice and therefore
// ends: at z₀ = 0 (a solution) or on a secondary ray [Cottle, Pang, Stone 1992, ch. 4].
#pragma once

#include <vector>

#include <Eigen/Core>

namespace vinci {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// The dictionary x_B = c + T x_N of a linear system; a pivot exchanges a basic and a nonbasic
// variable. Stored by rows, the constant c behind the last column; memory only grows.
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
  void pivot(int r, int s);

 private:
  int rows_ = 0, columns_ = 0, stride_ = 0;
  std::vector<Real> data_;
  std::vector<int> nonzeros_;
};

struct PivotRules {
  double pivot_tolerance = 1e-12;  // of the largest entry of the entering column
  double tie_tolerance = 1e-12;  // of |q|∞: ratios nearer than this are decided lexicographically
  int limit = 1000;              // pivots
};

enum class PivotOutcome : unsigned char {
  solved,     // z₀ = 0
  ray,        // a secondary ray
  limit,      // pivots ran out
  breakdown,  // the basis became singular to rounding
};

// One run of Lemke's scheme, in double or long double. M should be equilibrated and |q|∞ about 1.
template <class Real>
class LemkePivoting {
 public:
  PivotOutcome run(const RowMatrix& M, const Eigen::VectorXd& q, const Eigen::VectorXd& d,
                   const PivotRules& rules);

  int pivots() const { return pivots_; }
  bool z_is_basic(int k) const { return where_[static_cast<std::size_t>(size_ + k)] >= 0; }
  // After `ray`: the direction of z along which the path escapes, >= 0.
  const Eigen::VectorXd& ray() const { return ray_; }

 private:
  // Labels: w_k is k, z_k is n + k, z₀ is 2n. where_[label] is its row i, or −1 − j for column j.
  int cover() const { return 2 * size_; }
  int complement(int label) const { return label < size_ ? label + size_ : label - size_; }
  void load();
  int first_row() const;
  int choose_row(int column);
  void break_ties(int column);
  void exchange(int row, int column);
  bool drifted();
  bool refactor();
  void note_ray(int column);

  int size_ = 0, pivots_ = 0, since_refactor_ = 0;
  const RowMatrix* matrix_ = nullptr;
  const Eigen::VectorXd *vector_ = nullptr, *covering_ = nullptr;
  PivotRules rules_;
  Dictionary<Real> table_;
  std::vector<int> row_label_, column_label_, where_, candidates_, leaving_, entering_;
  std::vector<Real> values_;
  Eigen::VectorXd ray_;
};

extern template class Dictionary<double>;
extern template class Dictionary<long double>;
extern template class LemkePivoting<double>;
extern template class LemkePivoting<long double>;

}  // namespace vinci
