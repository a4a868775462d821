// SPDX-License-Identifier: Apache-2.0
#include "vinci/pivoting/sparse_mixed_lcp.h"

#include <algorithm>
#include <cmath>

#include <Eigen/SparseCore>
namespace vinci {

namespace {

// What an attempt varies besides the covering vector.
struct SparseAttempt {
  double pivot_factor, tie_factor;
};
constexpr SparseAttempt sparse_plan[SparseMixedLcpSolver::attempts] = {
    {1.0, 1e-2}, {1e3, 1e-2}, {1e2, 1.0}, {1e-2, 10.0}};

}  // namespace

void SparseMixedLcpSolver::prepare(const SparseMixedLcp& problem) {
  scaled_ = problem;
  scale_.apply(scaled_.A);
  scaled_.q.array() *= scale_.row.array();
  magnitude_ = magnitude_of(scaled_.q);
  scaled_.q /= magnitude_;
}

// Positive and about 1, without pattern so that there are few ties; another one for each attempt.
void SparseMixedLcpSolver::set_covering(int number) {
  covering_.resize(scaled_.size());
  for (int k = 0; k < scaled_.size(); ++k) covering_[k] = generic_number(7 * k + 3 * number);
}

PivotOutcome SparseMixedLcpSolver::attempt(int number, const std::vector<char>* basic,
                                           const PivotRules& rules, Eigen::VectorXd& z) {
  if (basic != nullptr)
    basic_ = *basic;
  else
    basic_.assign(at(scaled_.size()), 0);
  return run(number, rules, z);
}

PivotOutcome SparseMixedLcpSolver::attempt_again(int number, const PivotRules& rules,
                                                 Eigen::VectorXd& z) {
  return run(number, rules, z);
}

PivotOutcome SparseMixedLcpSolver::run(int number, const PivotRules& rules, Eigen::VectorXd& z) {
  set_covering(number);
  PivotRules adapted = rules;
  adapted.pivot_tolerance *= sparse_plan[number].pivot_factor;
  adapted.tie_tolerance *= sparse_plan[number].tie_factor;
  const PivotOutcome outcome = pivoting_.run(scaled_, basic_, covering_, adapted);
  if (outcome == PivotOutcome::breakdown || outcome == PivotOutcome::ray) {
    z.setZero(scaled_.size());
    return outcome;
  }
  if (!pivoting_.solve_basis(scaled_, basic_, z)) return PivotOutcome::breakdown;
  for (int k = 0; k < scaled_.size(); ++k)
    if (!scaled_.is_free[at(k)]) z[k] = std::max(0.0, z[k]);
  z.array() *= scale_.column.array() * magnitude_;
  return outcome;
}

void SparseMixedLcpSolver::ray_certificate(Eigen::VectorXd& v) const {
  v = pivoting_.ray().cwiseProduct(scale_.column);
}

bool SparseMixedLcpSolver::search_certificate(const PivotRules& rules, Eigen::VectorXd& v) {
  const int n = scaled_.size();
  const SparseColumns& A = scaled_.A;
  // (−Aᵀy ⟂ z, A z + q ⟂ y), y free where its row is an equality.
  const Eigen::SparseMatrix<double> transposed =
      Eigen::Map<const Eigen::SparseMatrix<double>>(
          n, n, static_cast<Eigen::Index>(A.indices.size()), A.starts.data(), A.indices.data(),
          A.values.data())
          .transpose();
  skew_.A.reset(2 * n);
  for (int j = 0; j < n; ++j) {
    for (int e = A.starts[at(j)]; e < A.starts[at(j) + 1]; ++e)
      skew_.A.push(n + A.indices[at(e)], A.values[at(e)]);
    skew_.A.end_column();
  }
  for (int j = 0; j < n; ++j) {
    for (Eigen::SparseMatrix<double>::InnerIterator it(transposed, j); it; ++it)
      skew_.A.push(static_cast<int>(it.row()), -it.value());
    skew_.A.end_column();
  }
  skew_.q.setZero(2 * n);
  skew_.q.tail(n) = scaled_.q;
  skew_.is_free = scaled_.is_free;
  skew_.is_free.insert(skew_.is_free.end(), scaled_.is_free.begin(), scaled_.is_free.end());
  skew_basic_.assign(2 * at(n), 0);
  skew_covering_.setOnes(2 * n);
  if (search_.run(skew_, skew_basic_, skew_covering_, rules) != PivotOutcome::ray) return false;
  v = search_.ray().tail(n).cwiseProduct(scale_.row);
  return true;
}

}  // namespace vinci
