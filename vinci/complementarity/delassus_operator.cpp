// SPDX-License-Identifier: Apache-2.0
// The operator of the sweeps in its two forms.
#include "vinci/complementarity/delassus_operator.h"

#include <algorithm>

namespace vinci {

bool DelassusOperator::prepare(const ComplementarityProblem& problem) {
  problem_ = &problem;
  if (!mass_.factor(problem.M)) return false;
  const int n = problem.unknowns();
  velocity_form_ = n > 0 && mass_.block_diagonal();
  rows_ = &problem.C;
  constant_ = &problem.b;
  touches_.clear();
  values_.clear();
  if (velocity_form_) {
    prepare_touches();
  } else if (n > 0) {
    condense();
    rows_ = &condensed_;
    constant_ = &condensed_constant_;
  }
  prepare_diagonals();
  find_equal_rows();
  return true;
}

// The rows of a contact in space mostly couple to the same columns: they are then summed side by
// side, each in its own order.
void DelassusOperator::find_equal_rows() {
  equal_rows_.assign(problem_->blocks.size(), 0);
  for (std::size_t block = 0; block < problem_->blocks.size(); ++block) {
    const int first = problem_->blocks[block].offset;
    if (problem_->blocks[block].size != 3) continue;
    const int* const starts = rows_->starts.data() + first;
    const int length = starts[1] - starts[0];
    const int* const columns = rows_->indices.data() + starts[0];
    equal_rows_[block] = length > 0 && starts[2] - starts[1] == length &&
                         starts[3] - starts[2] == length &&
                         std::equal(columns, columns + length, columns + length) &&
                         std::equal(columns, columns + length, columns + 2 * length);
  }
}

void DelassusOperator::prepare_touches() {
  component_starts_.assign(1, 0);
  for (int c = 0; c < mass_.component_count(); ++c)
    component_starts_.push_back(component_starts_.back() +
                                static_cast<int>(mass_.members(c).size()));
  touch_starts_.assign(1, 0);
  for (int block = 0; block < static_cast<int>(problem_->blocks.size()); ++block) {
    find_touches(block);
    touch_starts_.push_back(static_cast<int>(touches_.size()));
  }
  const int n = problem_->unknowns();
  u_.resize(n);
  force_.resize(n);
  free_.resize(n);
}

void DelassusOperator::find_touches(int block) {
  const Block& rows = problem_->blocks[block];
  const SparseRows& J = problem_->J;
  const std::size_t first = touches_.size();
  for (int row = rows.offset; row < rows.offset + rows.size; ++row)
    for (int k = J.starts[row]; k < J.starts[row + 1]; ++k) {
      const int c = mass_.component_of(J.indices[k]);
      const auto known = [c](const Touch& touch) { return touch.component == c; };
      if (std::none_of(touches_.begin() + static_cast<std::ptrdiff_t>(first), touches_.end(),
                       known))
        touches_.push_back({c, component_starts_[c], static_cast<int>(mass_.members(c).size()), 0});
    }
  for (std::size_t t = first; t < touches_.size(); ++t) {
    Touch& touch = touches_[t];
    touch.values = values_.size();
    const int size = touch.size;
    values_.resize(values_.size() + static_cast<std::size_t>(2 * rows.size * size), 0.0);
    double* const jacobian = &values_[touch.values];
    double* const response = jacobian + rows.size * size;
    const double* const inverse = mass_.inverse(touch.component);
    for (int i = 0; i < rows.size; ++i) {
      const int row = rows.offset + i;
      for (int k = J.starts[row]; k < J.starts[row + 1]; ++k)
        if (mass_.component_of(J.indices[k]) == touch.component)
          jacobian[i * size + mass_.position_of(J.indices[k])] = J.values[k];
      for (int a = 0; a < size; ++a) {
        double sum = 0.0;
        for (int b = 0; b < size; ++b) sum += inverse[a * size + b] * jacobian[i * size + b];
        response[a * rows.size + i] = sum;
      }
    }
  }
}

void DelassusOperator::prepare_diagonals() {
  diagonal_starts_.clear();
  diagonal_.clear();
  for (std::size_t block = 0; block < problem_->blocks.size(); ++block) {
    const int offset = problem_->blocks[block].offset, size = problem_->blocks[block].size;
    diagonal_starts_.push_back(diagonal_.size());
    diagonal_.resize(diagonal_.size() + static_cast<std::size_t>(size) * size, 0.0);
    double* const W = &diagonal_[diagonal_starts_.back()];
    for (int i = 0; i < size; ++i)
      for (int k = rows_->starts[offset + i]; k < rows_->starts[offset + i + 1]; ++k) {
        const int j = rows_->indices[k] - offset;
        if (j >= 0 && j < size) W[i * size + j] = rows_->values[k];
      }
    if (!velocity_form_) continue;
    for (const Touch& touch : touches(static_cast<int>(block))) {
      const double* const jacobian = &values_[touch.values];
      const double* const response = jacobian + size * touch.size;
      for (int i = 0; i < size; ++i)
        for (int j = 0; j < size; ++j) {
          double sum = 0.0;
          for (int a = 0; a < touch.size; ++a)
            sum += jacobian[i * touch.size + a] * response[a * size + j];
          W[i * size + j] += sum;
        }
    }
  }
}

void DelassusOperator::condense() {
  const int n = problem_->unknowns(), m = problem_->rows();
  VectorX column(n), motion(n), w(m);
  MatrixX W = MatrixX::Zero(m, m);
  for (int j = 0; j < m; ++j) {
    column.setZero();
    for (int k = problem_->J.starts[j]; k < problem_->J.starts[j + 1]; ++k)
      column[problem_->J.indices[k]] = problem_->J.values[k];
    mass_.solve(column.data(), motion.data());
    problem_->J.multiply_add(motion.data(), W.col(j).data());
  }
  for (int i = 0; i < m; ++i)
    for (int k = problem_->C.starts[i]; k < problem_->C.starts[i + 1]; ++k)
      W(i, problem_->C.indices[k]) += problem_->C.values[k];
  condensed_ = SparseRows::from_dense(W);
  condensed_constant_ = problem_->b;
  mass_.solve(problem_->p.data(), motion.data());
  problem_->J.multiply_add(motion.data(), condensed_constant_.data());
}

void DelassusOperator::restart(const VectorX& lambda) {
  if (!velocity_form_) return;
  force_ = problem_->p;
  problem_->J.multiply_transposed_add(lambda.data(), force_.data());
  mass_.solve(force_.data(), free_.data());
  for (int c = 0; c < mass_.component_count(); ++c) {
    const std::span<const int> members = mass_.members(c);
    for (std::size_t i = 0; i < members.size(); ++i)
      u_[component_starts_[c] + static_cast<int>(i)] = free_[members[i]];
  }
}

void DelassusOperator::velocity(int block, const VectorX& lambda, double* w) const {
  const int offset = problem_->blocks[block].offset, size = problem_->blocks[block].size;
  const double* const constant = constant_->data() + offset;
  const int begin = rows_->starts[offset];
  if (equal_rows_[block]) {
    const int length = rows_->starts[offset + 1] - begin;
    const int* const columns = rows_->indices.data() + begin;
    const double *const first = rows_->values.data() + begin, *const second = first + length,
                        *const third = second + length;
    double sums[3] = {constant[0], constant[1], constant[2]};
    for (int k = 0; k < length; ++k) {
      const double impulse = lambda[columns[k]];
      sums[0] += first[k] * impulse;
      sums[1] += second[k] * impulse;
      sums[2] += third[k] * impulse;
    }
    std::copy(sums, sums + 3, w);
  } else {
    for (int i = 0; i < size; ++i) {
      double sum = constant[i];
      for (int k = rows_->starts[offset + i]; k < rows_->starts[offset + i + 1]; ++k)
        sum += rows_->values[k] * lambda[rows_->indices[k]];
      w[i] = sum;
    }
  }
  if (!velocity_form_) return;
  for (const Touch& touch : touches(block)) {
    const double* jacobian = &values_[touch.values];
    const double* const u = u_.data() + touch.start;
    for (int i = 0; i < size; ++i, jacobian += touch.size) {
      double sum = 0.0;
      for (int a = 0; a < touch.size; ++a) sum += jacobian[a] * u[a];
      w[i] += sum;
    }
  }
}

void DelassusOperator::velocity(const VectorX& lambda, VectorX& w) const {
  w.resize(problem_->rows());
  for (int block = 0; block < static_cast<int>(problem_->blocks.size()); ++block)
    velocity(block, lambda, w.data() + problem_->blocks[block].offset);
}

void DelassusOperator::move(int block, const double* change) {
  if (!velocity_form_) return;
  const int size = problem_->blocks[block].size;
  for (const Touch& touch : touches(block)) {
    const double* response = &values_[touch.values] + size * touch.size;
    double* const u = u_.data() + touch.start;
    for (int a = 0; a < touch.size; ++a, response += size) {
      double sum = 0.0;
      for (int i = 0; i < size; ++i) sum += response[i] * change[i];
      u[a] += sum;
    }
  }
}

}  // namespace vinci
