// SPDX-License-Identifier: Apache-2.0
// The order of a sparse elimination by blocks, for factors of dense fronts: approximate minimum
// degree on the graph of the blocks, their elimination tree in postorder, and chains of it that are
// eliminated together where their structures are nearly nested [Duff & Reid 1983].
#pragma once

#include <utility>
#include <vector>

namespace vinci {

class FrontTree {
 public:
  struct Front {
    int pivots = 0, size = 0;            // of its rows; the first `pivots` are eliminated
    int first = 0;                       // pivots of all fronts before
    int children = 0, children_end = 0;  // in children()
    int rows = 0;                        // first in rows(): the scalar rows in elimination order
    int parent = -1;                     // front
    int map = 0;                         // first in maps(): where the other rows lie in the parent
  };

  // Block b holds the unknowns starts[b] ... starts[b + 1] − 1; each link joins two blocks, in any
  // order and however often.
  void analyse(const std::vector<std::pair<int, int>>& links, const std::vector<int>& starts);

  const std::vector<Front>& fronts() const { return fronts_; }
  const std::vector<int>& rows() const { return rows_; }
  const std::vector<int>& maps() const { return maps_; }
  const std::vector<int>& children() const { return children_; }
  int front_of(int row) const { return front_of_[row]; }  // where it is eliminated
  int row_count() const { return static_cast<int>(front_of_.size()); }
  // Numbers in the largest front, and at most in the remainders that wait for their parents.
  std::size_t largest() const { return largest_; }
  std::size_t deepest() const { return deepest_; }

 private:
  struct Places;
  void order(const std::vector<std::pair<int, int>>& links, int count, Places& places) const;
  void make_fronts(const Places& places, const std::vector<int>& starts);
  void join_fronts(const std::vector<int>& front_of_place);
  void plan_memory();

  std::vector<Front> fronts_;
  std::vector<int> rows_, maps_, children_, front_of_;
  std::size_t largest_ = 0, deepest_ = 0;
};

}  // namespace vinci
