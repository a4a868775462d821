// SPDX-License-Identifier: Apache-2.0
#include "vinci/sampling/copula.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include "vinci/base/error.h"
#include "vinci/sampling/special_functions.h"

namespace vinci {

namespace {

MatrixX correlation_matrix(int dimensions, const std::vector<Correlation>& correlations) {
  MatrixX matrix = MatrixX::Identity(std::max(dimensions, 0), std::max(dimensions, 0));
  for (const Correlation& c : correlations) {
    const bool inside = c.first >= 0 && c.second >= 0 && c.first < dimensions &&
                        c.second < dimensions && c.first != c.second;
    if (!inside)
      throw Error(
          fmt::format("a correlation of numbers {} and {}; numbers: two different ones of 0 "
                      "to {}",
                      c.first, c.second, dimensions - 1));
    if (matrix(c.first, c.second) != 0.0)
      throw Error(
          fmt::format("numbers {} and {} have two correlations; one per pair", c.first, c.second));
    matrix(c.first, c.second) = matrix(c.second, c.first) = c.value;
  }
  return matrix;
}

}  // namespace

GaussianCopula::GaussianCopula(int dimensions, const std::vector<Correlation>& correlations,
                               CorrelationKind kind)
    : GaussianCopula(correlation_matrix(dimensions, correlations), kind) {}

GaussianCopula::GaussianCopula(const MatrixX& correlations, CorrelationKind kind)
    : correlations_(correlations) {
  if (correlations.rows() != correlations.cols())
    throw Error(fmt::format("{} by {} correlations; a square matrix", correlations.rows(),
                            correlations.cols()));
  for (Eigen::Index i = 0; i < correlations.rows(); ++i)
    for (Eigen::Index j = 0; j < correlations.cols(); ++j) {
      const double value = correlations(i, j);
      if (i == j ? value != 1.0 : !(std::abs(value) < 1.0))
        throw Error(fmt::format("the correlation {} of numbers {} and {}; correlation: {}", value,
                                i, j, i == j ? "1" : "between -1 and 1"));
      if (value != correlations(j, i))
        throw Error(fmt::format("correlations {} and {} of numbers {} and {}; a symmetric matrix",
                                value, correlations(j, i), i, j));
      // Of normal numbers with the rank correlation ρ [Pearson 1907].
      if (i != j && kind == CorrelationKind::spearman)
        correlations_(i, j) = 2.0 * std::sin(M_PI / 6.0 * value);
    }
  if (correlations_.size() == 0) return;
  const double smallest =
      Eigen::SelfAdjointEigenSolver<MatrixX>(correlations_, Eigen::EigenvaluesOnly)
          .eigenvalues()
          .minCoeff();
  if (!(smallest > 1e-12))
    throw Error(
        fmt::format("correlations that contradict each other: their matrix has the eigenvalue "
                    "{:.3g}; eigenvalues: greater than 0",
                    smallest));
  factor_ = Eigen::LLT<MatrixX>(correlations_).matrixL();
}

void GaussianCopula::apply(std::span<double> point) const {
  if (point.size() != static_cast<std::size_t>(factor_.rows()))
    throw Error(fmt::format("a point of {} coordinates; correlations of {} numbers", point.size(),
                            factor_.rows()));
  // From the last one on, so that those before are still independent.
  for (Eigen::Index i = factor_.rows(); i-- > 0;) {
    if (factor_.row(i).head(i).isZero(0.0)) continue;
    double sum = 0.0;
    for (Eigen::Index j = 0; j <= i; ++j)
      if (factor_(i, j) != 0.0)
        sum += factor_(i, j) * normal_quantile(point[static_cast<std::size_t>(j)]);
    point[static_cast<std::size_t>(i)] = std::clamp(normal_cdf(sum), 1e-300, 1.0 - 0x1p-53);
  }
}

}  // namespace vinci
