// SPDX-License-Identifier: Apache-2.0
#include "vinci/solvers/linear_form.h"

#include <cmath>

#include <fmt/format.h>

namespace vinci {

bool LinearForm::is_linear(const Block& block) {
  switch (block.law) {
    case Law::equality:
    case Law::nonnegative:
    case Law::box:
      return true;
    case Law::ball:
      return block.size == 1 || block.upper == 0.0;
    case Law::coulomb:
    case Law::second_order:
      return block.size == 2 || block.friction == 0.0;
  }
  return false;
}

std::string LinearForm::why_not(const ComplementarityProblem& problem) {
  for (const Block& block : problem.blocks) {
    if (is_linear(block)) continue;
    return fmt::format(
        "the {} block at row {} has a round cone, and pivoting solves piecewise linear laws only: "
        "use 'cone: pyramid', or the solver 'gauss-seidel'",
        to_string(block.law), block.offset);
  }
  return "";
}

int LinearForm::add(Variable variable) {
  variables_.push_back(variable);
  return static_cast<int>(variables_.size()) - 1;
}

void LinearForm::add_box(int row, double lower, double upper) {
  if (std::isinf(lower) && std::isinf(upper)) {
    add({{row, 1.0}, {}, 0.0, true});
    return;
  }
  if (std::isinf(lower)) {  // measured down from the upper bound
    shift_[row] = upper;
    add({{row, -1.0}, {}, 0.0, false});
    return;
  }
  shift_[row] = lower;
  const int above_lower = add({{row, 1.0}, {}, 0.0, false});
  if (std::isinf(upper)) return;
  const int at_upper = add({{}, {}, upper - lower, false});
  couplings_.push_back({above_lower, at_upper, 1.0});
  couplings_.push_back({at_upper, above_lower, -1.0});
}

void LinearForm::add_planar_coulomb(const Block& block) {
  const int normal = add({{block.offset, 1.0}, {}, 0.0, false});
  const int plus = add({{block.offset + 1, 1.0}, {}, 0.0, false});
  const int minus = add({{block.offset + 1, -1.0}, {}, 0.0, false});
  const int slip = add({{}, {}, 0.0, false});
  couplings_.push_back({plus, slip, 1.0});
  couplings_.push_back({minus, slip, 1.0});
  couplings_.push_back({slip, normal, block.friction});
  couplings_.push_back({slip, plus, -1.0});
  couplings_.push_back({slip, minus, -1.0});
}

void LinearForm::add_block(const Block& block) {
  const int row = block.offset;
  switch (block.law) {
    case Law::equality:
      for (int k = 0; k < block.size; ++k) add({{row + k, 1.0}, {}, 0.0, true});
      return;
    case Law::nonnegative:
      add({{row, 1.0}, {}, 0.0, false});
      return;
    case Law::box:
      add_box(row, block.lower, block.upper);
      return;
    case Law::ball:  // an interval where it has size 1
      if (block.upper > 0.0) add_box(row, -block.upper, block.upper);
      return;
    case Law::coulomb:
    case Law::second_order:
      if (block.friction == 0.0) {
        add({{row, 1.0}, {}, 0.0, false});
      } else if (block.law == Law::coulomb) {
        add_planar_coulomb(block);
      } else {
        add({{row, 1.0}, {row + 1, block.friction}, 0.0, false});
        add({{row, 1.0}, {row + 1, -block.friction}, 0.0, false});
      }
      return;
  }
}

void LinearForm::build(const std::vector<Block>& blocks, const RowMatrix& W, const VectorX& q) {
  variables_.clear();
  couplings_.clear();
  shift_.setZero(q.size());
  for (const Block& block : blocks) add_block(block);
  assemble(W, q);
}

void LinearForm::assemble(const RowMatrix& W, const VectorX& q) {
  const auto n = static_cast<Eigen::Index>(variables_.size());
  shifted_ = q;
  for (Eigen::Index j = 0; j < shift_.size(); ++j)
    if (shift_[j] != 0.0) shifted_ += W.col(j) * shift_[j];
  lcp_.A.setZero(n, n);
  lcp_.q.resize(n);
  lcp_.is_free.resize(variables_.size());
  for (Eigen::Index a = 0; a < n; ++a) {
    const Variable& row = variables_[static_cast<std::size_t>(a)];
    lcp_.q[a] = row.constant;
    lcp_.is_free[static_cast<std::size_t>(a)] = row.is_free;
    for (const Term& left : {row.first, row.second}) {
      if (left.index < 0) continue;
      lcp_.q[a] += left.factor * shifted_[left.index];
      for (Eigen::Index b = 0; b < n; ++b) {
        const Variable& column = variables_[static_cast<std::size_t>(b)];
        for (const Term& right : {column.first, column.second})
          if (right.index >= 0)
            lcp_.A(a, b) += left.factor * right.factor * W(left.index, right.index);
      }
    }
  }
  for (const Coupling& entry : couplings_) lcp_.A(entry.row, entry.column) += entry.value;
}

void LinearForm::recover(const VectorX& z, VectorX& lambda) const {
  lambda = shift_;
  for (std::size_t k = 0; k < variables_.size(); ++k)
    for (const Term& term : {variables_[k].first, variables_[k].second})
      if (term.index >= 0) lambda[term.index] += term.factor * z[static_cast<Eigen::Index>(k)];
}

}  // namespace vinci
