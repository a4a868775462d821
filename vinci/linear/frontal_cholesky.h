// SPDX-License-Identifier: Apache-2.0
// Multifrontal Cholesky factors of a positive definite matrix that comes as dense blocks on a graph
// (the velocities of bodies that touch), in fronts as those of frontal_lu.h. Half of its work, and
// nothing is allocated while factoring.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "vinci/linear/front_tree.h"

namespace vinci {

class FrontalCholesky {
 public:
  using Link = std::pair<int, int>;

  // Block b holds the unknowns starts[b] ... starts[b + 1] − 1; links join different blocks, each
  // pair once. The same graph as before costs a comparison.
  void analyse(const std::vector<Link>& links, const std::vector<int>& starts);

  // The matrix, by columns: the block on the diagonal (its lower half counts), and that in the rows
  // of link.first and the columns of link.second.
  double* diagonal(int block) { return values_.data() + places_[block].from; }
  double* between(std::size_t link) { return values_.data() + places_[blocks() + link].from; }
  void clear() { std::fill(values_.begin(), values_.end(), 0.0); }

  bool factor();          // false if not positive definite, or not finite
  void solve(double* x);  // in place

 private:
  using Front = FrontTree::Front;
  struct Place {
    std::size_t from = 0;       // in values_
    int rows = 0, columns = 0;  // sizes of the block
    int row = 0, column = 0;    // in its front
    int front = 0;
    bool on_diagonal = false, turned = false;  // turned: its rows are columns of the lower half
  };
  std::size_t blocks() const { return starts_.size() - 1; }
  void place_blocks();
  void add_block(const Place& place, int size);
  static bool eliminate(int pivots, int size, double* front);

  FrontTree tree_;
  std::vector<Link> links_;
  std::vector<int> starts_ = {0};
  std::vector<Place> places_;         // per block, then per link
  std::vector<int> sorted_, begins_;  // places by front
  std::vector<std::size_t> lower_;    // per front: in factors_, size × pivots
  std::vector<double> values_, factors_, front_, stack_, rows_;
};

}  // namespace vinci
