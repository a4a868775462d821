// SPDX-License-Identifier: Apache-2.0
// Orders of the sweeps.
#include "vinci/splitting/sweep_order.h"

#include <algorithm>
#include <numeric>

namespace vinci {

void SweepOrder::as_given(const ComplementarityProblem& problem) {
  order_.resize(problem.blocks.size());
  std::iota(order_.begin(), order_.end(), 0);
}

void SweepOrder::group_by_component(const ComplementarityProblem& problem,
                                    const DelassusOperator& op) {
  const int count = static_cast<int>(problem.blocks.size());
  starts_.assign(static_cast<std::size_t>(op.mass().component_count()) + 2, 0);
  for (int block = 0; block < count; ++block)
    for (const auto& touch : op.touches(block)) ++starts_[touch.component + 2];
  for (std::size_t c = 2; c < starts_.size(); ++c) starts_[c] += starts_[c - 1];
  members_.resize(static_cast<std::size_t>(starts_.back()));
  for (int block = 0; block < count; ++block)
    for (const auto& touch : op.touches(block)) members_[starts_[touch.component + 1]++] = block;
  passed_.assign(static_cast<std::size_t>(op.mass().component_count()), 0);
}

void SweepOrder::group_by_row(const ComplementarityProblem& problem) {
  block_of_row_.resize(static_cast<std::size_t>(problem.rows()));
  for (std::size_t i = 0; i < problem.blocks.size(); ++i)
    for (int k = 0; k < problem.blocks[i].size; ++k)
      block_of_row_[problem.blocks[i].offset + k] = static_cast<int>(i);
}

void SweepOrder::visit(int block) {
  if (seen_[block]) return;
  seen_[block] = 1;
  order_.push_back(block);
}

void SweepOrder::visit_neighbours(const ComplementarityProblem& problem, const DelassusOperator& op,
                                  int block) {
  if (op.velocity_form())
    for (const auto& touch : op.touches(block)) {
      if (passed_[touch.component]) continue;
      passed_[touch.component] = 1;
      for (int k = starts_[touch.component]; k < starts_[touch.component + 1]; ++k)
        visit(members_[k]);
    }
  if (op.velocity_form()) return;
  const SparseRows& W = op.rows();
  const int first = problem.blocks[block].offset, last = first + problem.blocks[block].size;
  for (int k = W.starts[first]; k < W.starts[last]; ++k) visit(block_of_row_[W.indices[k]]);
}

void SweepOrder::breadth_first(const ComplementarityProblem& problem, const DelassusOperator& op,
                               const VectorX& scales) {
  if (op.velocity_form())
    group_by_component(problem, op);
  else
    group_by_row(problem);
  as_given(problem);
  seeds_ = order_;
  const auto mobility = [&](int block) { return scales[problem.blocks[block].offset]; };
  std::sort(seeds_.begin(), seeds_.end(), [&](int a, int b) {
    return mobility(a) != mobility(b) ? mobility(a) < mobility(b) : a < b;
  });
  seen_.assign(problem.blocks.size(), 0);
  order_.clear();
  std::size_t next = 0;
  for (const int seed : seeds_) {
    visit(seed);
    while (next < order_.size()) visit_neighbours(problem, op, order_[next++]);
  }
}

}  // namespace vinci
