// SPDX-License-Identifier: Apache-2.0
#include "vinci/complementarity/condense.h"

#include <algorithm>

namespace vinci {

namespace {

double row_dot(const SparseRows& A, int row, const VectorX& x) {
  double sum = 0.0;
  for (int k = A.starts[row]; k < A.starts[row + 1]; ++k) sum += A.values[k] * x[A.indices[k]];
  return sum;
}

}  // namespace

bool Condensation::begin(const ComplementarityProblem& problem) {
  const int m = problem.rows(), n = problem.unknowns();
  if (n > 0 && !mass_.factor(problem.M)) return false;
  vector_ = problem.b;
  load_.setZero(n);
  motion_.setZero(n);
  touched_.clear();
  touched_.reserve(static_cast<std::size_t>(n));
  if (n == 0) return true;
  mass_.solve(problem.p.data(), motion_.data());
  for (int i = 0; i < m; ++i) vector_[i] += row_dot(problem.J, i, motion_);
  motion_.setZero();
  return true;
}

void Condensation::fill(const ComplementarityProblem& problem) {
  const int m = problem.rows(), n = problem.unknowns();
  const SparseRows& J = problem.J;
  matrix_.setZero(m, m);
  if (n > 0 && !mass_.block_diagonal()) {
    fill_by_columns(problem);
  } else if (n > 0) {
    transposed_.setZero(n, m);
    for (int i = 0; i < m; ++i)
      for (int k = J.starts[i]; k < J.starts[i + 1]; ++k)
        transposed_(J.indices[k], i) = J.values[k];
    for (int i = 0; i < m; ++i) {
      gather_row(J, i);
      for (const int component : touched_)
        for (const int unknown : mass_.members(component))
          if (motion_[unknown] != 0.0)
            matrix_.row(i) += motion_[unknown] * transposed_.row(unknown);
    }
  }
  for (int i = 0; i < problem.C.rows; ++i)
    for (int k = problem.C.starts[i]; k < problem.C.starts[i + 1]; ++k)
      matrix_(i, problem.C.indices[k]) += problem.C.values[k];
}

// Any M: a column of W is J M⁻¹ Jᵀ eᵢ.
void Condensation::fill_by_columns(const ComplementarityProblem& problem) {
  const int m = problem.rows();
  const SparseRows& J = problem.J;
  for (int i = 0; i < m; ++i) {
    load_.setZero();
    for (int k = J.starts[i]; k < J.starts[i + 1]; ++k) load_[J.indices[k]] += J.values[k];
    mass_.solve(load_.data(), motion_.data());
    for (int k = 0; k < m; ++k) matrix_(k, i) = row_dot(J, k, motion_);
  }
}

// motion = M⁻ᵀ Jᵀ eᵢ for a block-diagonal M. A row of J meets few components; the others stay zero.
void Condensation::gather_row(const SparseRows& J, int row) {
  for (const int component : touched_)
    for (const int unknown : mass_.members(component)) motion_[unknown] = 0.0;
  touched_.clear();
  for (int k = J.starts[row]; k < J.starts[row + 1]; ++k) {
    const int unknown = J.indices[k], component = mass_.component_of(unknown);
    const auto members = mass_.members(component);
    const auto size = members.size();
    const double* const inverse =
        mass_.inverse(component) + static_cast<std::size_t>(mass_.position_of(unknown)) * size;
    for (std::size_t a = 0; a < size; ++a) motion_[members[a]] += inverse[a] * J.values[k];
    if (std::find(touched_.begin(), touched_.end(), component) == touched_.end())
      touched_.push_back(component);
  }
}

void Condensation::fill_rows(const ComplementarityProblem& problem, std::span<const int> rows) {
  const std::size_t size = rows.size();
  const SparseRows &J = problem.J, &C = problem.C;
  part_.assign(size * size, 0.0);
  local_.assign(static_cast<std::size_t>(problem.rows()), -1);
  for (std::size_t a = 0; a < size; ++a) local_[rows[a]] = static_cast<int>(a);
  for (std::size_t a = 0; a < size; ++a) {
    const int row = rows[a];
    if (problem.unknowns() > 0 && mass_.block_diagonal()) {
      gather_row(J, row);
      for (std::size_t b = 0; b < size; ++b) part_[a * size + b] += row_dot(J, rows[b], motion_);
    } else if (problem.unknowns() > 0) {
      load_.setZero();
      for (int k = J.starts[row]; k < J.starts[row + 1]; ++k) load_[J.indices[k]] += J.values[k];
      mass_.solve(load_.data(), motion_.data());
      for (std::size_t b = 0; b < size; ++b) part_[b * size + a] += row_dot(J, rows[b], motion_);
    }
    for (int k = C.starts[row]; k < C.starts[row + 1]; ++k)
      if (const int b = local_[C.indices[k]]; b >= 0)
        part_[a * size + static_cast<std::size_t>(b)] += C.values[k];
  }
}

// Jᵀ as lists: the rows that meet an unknown.
void Condensation::list_columns(const SparseRows& J) {
  column_starts_.assign(static_cast<std::size_t>(J.cols) + 1, 0);
  for (const int column : J.indices) ++column_starts_[column + 1];
  for (int c = 0; c < J.cols; ++c) column_starts_[c + 1] += column_starts_[c];
  column_rows_.resize(J.indices.size());
  column_values_.resize(J.indices.size());
  met_.assign(column_starts_.begin(), column_starts_.end());
  for (int i = 0; i < J.rows; ++i)
    for (int k = J.starts[i]; k < J.starts[i + 1]; ++k) {
      const int place = met_[J.indices[k]]++;
      column_rows_[place] = i;
      column_values_[place] = J.values[k];
    }
}

void Condensation::fill_sparse(const ComplementarityProblem& problem) {
  const int m = problem.rows();
  const SparseRows &J = problem.J, &C = problem.C;
  if (problem.unknowns() > 0 && !mass_.block_diagonal()) {
    fill(problem);
    sparse_ = SparseRows::from_dense(matrix_);
    return;
  }
  if (problem.unknowns() > 0) list_columns(J);
  sparse_.reset(m);
  sums_.setZero(m);
  marks_.assign(static_cast<std::size_t>(m), -1);
  for (int i = 0; i < m; ++i) {
    met_.clear();
    const auto add = [&](int column, double value) {
      if (marks_[column] != i) {
        marks_[column] = i;
        met_.push_back(column);
      }
      sums_[column] += value;
    };
    if (problem.unknowns() > 0) {
      gather_row(J, i);
      for (const int component : touched_)
        for (const int unknown : mass_.members(component))
          for (int k = column_starts_[unknown]; k < column_starts_[unknown + 1]; ++k)
            add(column_rows_[k], motion_[unknown] * column_values_[k]);
    }
    for (int k = C.starts[i]; k < C.starts[i + 1]; ++k) add(C.indices[k], C.values[k]);
    std::sort(met_.begin(), met_.end());
    for (const int column : met_) {
      if (sums_[column] != 0.0) sparse_.push(column, sums_[column]);
      sums_[column] = 0.0;
    }
    sparse_.end_row();
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
