// SPDX-License-Identifier: Apache-2.0
#include "vinci/linear/equilibration.h"

#include <algorithm>
#include <cmath>

namespace vinci {

namespace {

// A sweep halves the logarithm of the largest deviation from 1 [Ruiz 2001]: twelve of them bring
// the whole range of doubles, 2^±1074, to one factor of two.
constexpr int most_sweeps = 20;
// Powers of two cannot bring a largest entry nearer to 1 than a factor of 2 either way.
constexpr double near_enough = 4.0;

std::size_t at(Eigen::Index i) {
  return static_cast<std::size_t>(i);
}

void measure_rows(const RowMatrix& A, VectorX& largest) {
  for (Eigen::Index i = 0; i < A.rows(); ++i) largest[i] = A.row(i).cwiseAbs().maxCoeff();
}

// Scales the rows, and measures the columns of what they have become.
void scale_rows(RowMatrix& A, const VectorX& factors, VectorX& largest) {
  for (Eigen::Index i = 0; i < A.rows(); ++i) {
    if (factors[i] != 1.0) A.row(i) *= factors[i];
    largest = largest.cwiseMax(A.row(i).transpose().cwiseAbs());
  }
}

void scale_columns(RowMatrix& A, const VectorX& factors) {
  for (Eigen::Index i = 0; i < A.rows(); ++i) A.row(i).array() *= factors.transpose().array();
}

void measure_rows(const SparseColumns& A, VectorX& largest) {
  for (std::size_t e = 0; e < A.values.size(); ++e)
    largest[A.indices[e]] = std::max(largest[A.indices[e]], std::abs(A.values[e]));
}

void scale_rows(SparseColumns& A, const VectorX& factors, VectorX& largest) {
  for (int j = 0; j < A.cols(); ++j)
    for (int e = A.starts[at(j)]; e < A.starts[at(j) + 1]; ++e) {
      A.values[at(e)] *= factors[A.indices[at(e)]];
      largest[j] = std::max(largest[j], std::abs(A.values[at(e)]));
    }
}

void scale_columns(SparseColumns& A, const VectorX& factors) {
  for (int j = 0; j < A.cols(); ++j)
    for (int e = A.starts[at(j)]; e < A.starts[at(j) + 1]; ++e) A.values[at(e)] *= factors[j];
}

}  // namespace

double power_of_two_near(double x, bool root) {
  constexpr double half_way = 0.70710678118654752;  // of the mantissa, on a logarithmic scale
  int exponent = 0;
  if (std::frexp(x, &exponent) < half_way) --exponent;
  if (root) exponent = exponent >= 0 ? (exponent + 1) / 2 : -(-exponent / 2);
  return std::ldexp(1.0, exponent);
}

double magnitude_of(const VectorX& v) {
  const double largest = v.size() > 0 ? v.cwiseAbs().maxCoeff() : 0.0;
  return largest > 0.0 ? power_of_two_near(largest) : 1.0;
}

// Divides rows, then columns, by the square roots of their largest entries until all are near 1.
template <class Matrix>
void Equilibration::iterate(Matrix& A, Eigen::Index size) {
  row.setOnes(size);
  column.setOnes(size);
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    double spread = 1.0;
    bool uniform = true;
    const auto to_factors = [&](VectorX& largest, VectorX& scales) {
      uniform = true;
      for (Eigen::Index k = 0; k < size; ++k) {
        if (largest[k] > 0.0) spread = std::max({spread, largest[k], 1.0 / largest[k]});
        largest[k] = largest[k] == 0.0 ? 1.0 : 1.0 / power_of_two_near(largest[k], true);
        scales[k] *= largest[k];
        uniform = uniform && largest[k] == 1.0;
      }
    };
    row_largest_.setZero(size);
    column_largest_.setZero(size);
    measure_rows(A, row_largest_);
    to_factors(row_largest_, row);
    scale_rows(A, row_largest_, column_largest_);
    to_factors(column_largest_, column);
    if (!uniform) scale_columns(A, column_largest_);
    if (spread <= near_enough) break;
  }
}

void Equilibration::apply(RowMatrix& A) {
  iterate(A, A.rows());
}

void Equilibration::apply(SparseColumns& A) {
  iterate(A, A.rows);
}

}  // namespace vinci
