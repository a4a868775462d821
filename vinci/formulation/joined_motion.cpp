// SPDX-License-Identifier: Apache-2.0
// Free motion under equality rows.
#include "vinci/formulation/joined_motion.h"

namespace vinci {

bool JoinedMotion::solve(const ComplementarityProblem& problem, const JointBlocks& blocks,
                         VectorX& u) {
  blocks.write_equalities(problem.unknowns(), rows_);
  const int count = rows_.J.rows, unknowns = problem.unknowns();
  if (count == 0 || !factor_.factor(problem.M)) return false;
  columns_.resize(unknowns, count);
  column_.resize(unknowns);
  for (int i = 0; i < count; ++i) {
    column_.setZero();
    for (int k = rows_.J.starts[i]; k < rows_.J.starts[i + 1]; ++k)
      column_[rows_.J.indices[k]] = rows_.J.values[k];
    factor_.solve(column_.data(), columns_.col(i).data());
  }
  inverse_.resize(unknowns);
  factor_.solve(problem.p.data(), inverse_.data());
  schur_.resize(count, count);
  load_.resize(count);
  for (int i = 0; i < count; ++i) {
    load_[i] = -rows_.b[i];
    schur_.row(i).setZero();
    for (int k = rows_.J.starts[i]; k < rows_.J.starts[i + 1]; ++k) {
      schur_.row(i) += rows_.J.values[k] * columns_.row(rows_.J.indices[k]);
      load_[i] -= rows_.J.values[k] * inverse_[rows_.J.indices[k]];
    }
  }
  constexpr double shared = 1e-12;  // far below what counts, far above rounding
  for (int i = 0; i < count; ++i) schur_(i, i) *= 1.0 + shared;
  for (int i = 0; i < count; ++i)
    for (int k = rows_.C.starts[i]; k < rows_.C.starts[i + 1]; ++k)
      schur_(i, rows_.C.indices[k]) += rows_.C.values[k];
  ldlt_.compute(schur_);
  load_ = ldlt_.solve(load_).eval();
  if (!load_.allFinite()) return false;
  u = inverse_ + columns_ * load_;
  return true;
}

}  // namespace vinci
