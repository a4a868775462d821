// SPDX-License-Identifier: Apache-2.0
// The order in which sweeps visit the blocks: as given, or breadth first through the couplings from
// the block with the least mobility s (the heaviest bodies, the ones that carry) on, so that a
// sweep passes a load on along its way. Nothing allocates once settled on a shape.
#pragma once

#include <vector>

#include "vinci/complementarity/delassus_operator.h"

namespace vinci {

class SweepOrder {
 public:
  void as_given(const ComplementarityProblem& problem);
  // `scales`: those of the judge, per row.
  void breadth_first(const ComplementarityProblem& problem, const DelassusOperator& op,
                     const VectorX& scales);
  const std::vector<int>& blocks() const { return order_; }

 private:
  void group_by_component(const ComplementarityProblem& problem, const DelassusOperator& op);
  void group_by_row(const ComplementarityProblem& problem);
  void visit(int block);
  void visit_neighbours(const ComplementarityProblem& problem, const DelassusOperator& op,
                        int block);

  std::vector<int> order_, seeds_;
  std::vector<char> seen_;
  std::vector<int> starts_, members_;  // velocity form: the blocks that touch a component of M
  std::vector<char> passed_;           // per component: its blocks are all seen
  std::vector<int> block_of_row_;      // condensed form
};

}  // namespace vinci
