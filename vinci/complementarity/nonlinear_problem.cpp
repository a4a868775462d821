// SPDX-License-Identifier: Apache-2.0
#include "vinci/complementarity/nonlinear_problem.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "vinci/complementarity/law_box.h"

namespace vinci {

namespace {

std::string why_not_a_pattern(const SparseRows& pattern, int size) {
  if (pattern.rows != size || pattern.cols != size)
    return fmt::format("the Jacobian's pattern is {} x {}, the bounds have {} entries",
                       pattern.rows, pattern.cols, size);
  const auto entries = static_cast<int>(pattern.indices.size());
  if (static_cast<int>(pattern.starts.size()) != size + 1 || pattern.starts.front() != 0 ||
      pattern.starts.back() != entries || pattern.values.size() != pattern.indices.size())
    return "the Jacobian's pattern is not a matrix of compressed rows";
  for (int i = 0; i < size; ++i) {
    if (pattern.starts[static_cast<std::size_t>(i)] >
        pattern.starts[static_cast<std::size_t>(i) + 1])
      return fmt::format("the Jacobian's pattern has a row {} of negative length", i);
    int last = -1;
    for (int k = pattern.starts[static_cast<std::size_t>(i)];
         k < pattern.starts[static_cast<std::size_t>(i) + 1]; ++k) {
      const int column = pattern.indices[static_cast<std::size_t>(k)];
      if (column <= last || column >= size)
        return fmt::format("the columns of row {} of the Jacobian's pattern do not ascend below {}",
                           i, size);
      last = column;
    }
  }
  return "";
}

}  // namespace

std::string NonlinearProblem::why_invalid() const {
  if (!function || !derivative) return "the function or its Jacobian is missing";
  if (upper.size() != lower.size())
    return fmt::format("{} lower bounds, {} upper bounds", lower.size(), upper.size());
  for (Eigen::Index k = 0; k < lower.size(); ++k) {
    if (!(lower[k] <= upper[k]) || lower[k] == infinity || upper[k] == -infinity)
      return fmt::format("variable {} has the bounds {} and {}", k, lower[k], upper[k]);
  }
  return why_not_a_pattern(pattern, size());
}

double natural_residual(const NonlinearProblem& problem, const VectorX& z, const VectorX& value) {
  double largest = 0.0;
  for (Eigen::Index k = 0; k < z.size(); ++k) {
    const double map = law::box_map(z[k] - problem.upper[k], value[k], z[k] - problem.lower[k]);
    if (!std::isfinite(z[k]) || !std::isfinite(value[k]) || !std::isfinite(map))
      return std::numeric_limits<double>::infinity();
    largest = std::max(largest, std::abs(map));
  }
  return largest;
}

double natural_residual(const NonlinearProblem& problem, const VectorX& z) {
  VectorX value(z.size());
  problem.function(z, value);
  return natural_residual(problem, z, value);
}

double jacobian_error(const NonlinearProblem& problem, const VectorX& z, double h) {
  SparseRows jacobian = problem.pattern;
  problem.derivative(z, jacobian);
  const MatrixX exact = MatrixX(jacobian.view());
  MatrixX differences(z.size(), z.size());
  VectorX moved = z, ahead(z.size()), behind(z.size());
  for (Eigen::Index j = 0; j < z.size(); ++j) {
    const double step = h * (1.0 + std::abs(z[j]));
    moved[j] = z[j] + step;
    problem.function(moved, ahead);
    moved[j] = z[j] - step;
    problem.function(moved, behind);
    moved[j] = z[j];
    differences.col(j) = (ahead - behind) / (2.0 * step);
  }
  if (z.size() == 0) return 0.0;
  const double error = (exact - differences).cwiseAbs().maxCoeff();
  return error / (1.0 + differences.cwiseAbs().maxCoeff());
}

NonlinearProblem linear_problem(const SparseRows& M, const VectorX& q, const VectorX& lower,
                                const VectorX& upper) {
  NonlinearProblem problem;
  problem.lower = lower;
  problem.upper = upper;
  problem.pattern = M;
  problem.function = [M, q](const VectorX& z, VectorX& value) {
    value = q;
    M.multiply_add(z.data(), value.data());
  };
  problem.derivative = [M](const VectorX&, SparseRows& jacobian) { jacobian.values = M.values; };
  return problem;
}

}  // namespace vinci
