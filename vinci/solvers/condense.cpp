// SPDX-License-Identifier: Apache-2.0
#include "vinci/solvers/condense.h"

#include <algorithm>

namespace vinci {

namespace {

double row_dot(const SparseRows& A, int row, const VectorX& x) {
  double sum = 0.0;
  for (int k = A.starts[row]; k < A.starts[row + 1]; ++k) sum += A.values[k] * x[A.indices[k]];
  return sum;
}

}  // namespace

bool Condensation::condense(const ComplementarityProblem& problem) {
  const int m = problem.rows(), n = problem.unknowns();
  if (n > 0 && !mass_.factor(problem.M)) return false;
  matrix_.setZero(m, m);
  vector_ = problem.b;
  load_.setZero(n);
  motion_.setZero(n);
  touched_.clear();
  touched_.reserve(static_cast<std::size_t>(n));
  if (n > 0) {
    mass_.solve(problem.p.data(), motion_.data());
    for (int i = 0; i < m; ++i) vector_[i] += row_dot(problem.J, i, motion_);
    motion_.setZero();
    for (int i = 0; i < m; ++i) {
      gather_row(problem.J, i);
      for (int k = 0; k < m; ++k) matrix_(k, i) = row_dot(problem.J, k, motion_);
    }
  }
  for (int i = 0; i < problem.C.rows; ++i)
    for (int k = problem.C.starts[i]; k < problem.C.starts[i + 1]; ++k)
      matrix_(i, problem.C.indices[k]) += problem.C.values[k];
  return true;
}

// motion = M⁻¹ Jᵀ eᵢ. A row of J meets few components of M; the others stay zero.
void Condensation::gather_row(const SparseRows& J, int row) {
  if (!mass_.block_diagonal()) {
    load_.setZero();
    for (int k = J.starts[row]; k < J.starts[row + 1]; ++k) load_[J.indices[k]] += J.values[k];
    mass_.solve(load_.data(), motion_.data());
    return;
  }
  for (const int component : touched_)
    for (const int unknown : mass_.members(component)) motion_[unknown] = 0.0;
  touched_.clear();
  for (int k = J.starts[row]; k < J.starts[row + 1]; ++k) {
    const int unknown = J.indices[k], component = mass_.component_of(unknown);
    const auto members = mass_.members(component);
    const double* const inverse = mass_.inverse(component);
    const auto size = members.size();
    const auto column = static_cast<std::size_t>(mass_.position_of(unknown));
    for (std::size_t a = 0; a < size; ++a)
      motion_[members[a]] += inverse[a * size + column] * J.values[k];
    if (touched_.empty() ||
        std::find(touched_.begin(), touched_.end(), component) == touched_.end())
      touched_.push_back(component);
  }
}

void Condensation::recover(const ComplementarityProblem& problem, const VectorX& lambda,
                           VectorX& u) {
  u.resize(problem.unknowns());
  if (u.size() == 0) return;
  load_ = problem.p;
  problem.J.multiply_transposed_add(lambda.data(), load_.data());
  mass_.solve(load_.data(), u.data());
}

}  // namespace vinci
