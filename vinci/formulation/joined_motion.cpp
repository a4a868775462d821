// SPDX-License-Identifier: Apache-2.0
// Free motion under equality rows.
#include "vinci/formulation/joined_motion.h"

#include <algorithm>

namespace vinci {

bool JoinedMotion::prepare(const ComplementarityProblem& problem, const JointBlocks& blocks) {
  blocks.write_equalities(problem.unknowns(), rows_);
  const int count = rows_.J.rows, unknowns = problem.unknowns();
  if (!factor_.factor(problem.M)) return false;
  columns_.resize(unknowns, count);
  column_.resize(unknowns);
  for (int i = 0; i < count; ++i) {
    column_.setZero();
    for (int k = rows_.J.starts[i]; k < rows_.J.starts[i + 1]; ++k)
      column_[rows_.J.indices[k]] = rows_.J.values[k];
    factor_.solve(column_.data(), columns_.col(i).data());
  }
  schur_.resize(count, count);
  for (int i = 0; i < count; ++i) {
    schur_.row(i).setZero();
    for (int k = rows_.J.starts[i]; k < rows_.J.starts[i + 1]; ++k)
      schur_.row(i) += rows_.J.values[k] * columns_.row(rows_.J.indices[k]);
  }
  constexpr double shared = 1e-12;  // far below what counts, far above rounding
  for (int i = 0; i < count; ++i) schur_(i, i) *= 1.0 + shared;
  for (int i = 0; i < count; ++i)
    for (int k = rows_.C.starts[i]; k < rows_.C.starts[i + 1]; ++k)
      schur_(i, rows_.C.indices[k]) += rows_.C.values[k];
  if (count > 0) ldlt_.compute(schur_);
  return true;
}

// M⁻¹ p, and what the rows lack by it.
void JoinedMotion::find_inverse(const VectorX& p) {
  inverse_.resize(p.size());
  factor_.solve(p.data(), inverse_.data());
  for (int i = 0; i < rows_.J.rows; ++i)
    for (int k = rows_.J.starts[i]; k < rows_.J.starts[i + 1]; ++k)
      load_[i] -= rows_.J.values[k] * inverse_[rows_.J.indices[k]];
}

bool JoinedMotion::solve(const ComplementarityProblem& problem, const JointBlocks& blocks,
                         VectorX& u) {
  const auto terms = blocks.terms();
  const bool joined = std::any_of(terms.begin(), terms.end(),
                                  [](const JointTerms& own) { return own.law == Law::equality; });
  if (!joined || !prepare(problem, blocks)) return false;
  load_ = -rows_.b.head(rows_.J.rows);
  find_inverse(problem.p);
  load_ = ldlt_.solve(load_).eval();
  if (!load_.allFinite()) return false;
  u = inverse_ + columns_ * load_;
  return true;
}

void JoinedMotion::respond(const VectorX& p, VectorX& u) {
  load_.setZero(rows_.J.rows);
  find_inverse(p);
  u = inverse_;
  if (rows_.J.rows == 0) return;
  load_ = ldlt_.solve(load_).eval();
  if (load_.allFinite()) u += columns_ * load_;
}

}  // namespace vinci
