// SPDX-License-Identifier: Apache-2.0
// Pairs of overlapping boxes by a tree of boxes, built anew in each call by median cuts and walked
// against itself. Cost O(n log n) to build, O(n + pairs) to walk for boxes spread at bounded
// density, whatever their sizes.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "vinci/geometry/shape.h"

namespace vinci {

class BroadPhase {
 public:
  struct Item {
    Box3 box;      // finite
    int id;        // what pairs name
    int group;     // members of one group do not pair
    bool movable;  // two that are not do not pair
  };

  // Overlapping pairs, the lesser id first, sorted. Nothing is allocated once the vectors have
  // grown.
  void find_pairs(std::span<const Item> items, std::vector<std::pair<int, int>>& pairs);

  // Box against box, in the last call.
  std::int64_t test_count() const { return tests_; }

 private:
  struct Node {
    Box3 box;
    int first, count;  // items, in order_; children are at left and left + 1 if left >= 0
    int left;
    bool movable;
  };
  void build(std::span<const Item> items);
  void split(std::span<const Item> items, int node);
  void walk(std::span<const Item> items, std::vector<std::pair<int, int>>& pairs);
  void pair_leaves(std::span<const Item> items, const Node& p, const Node& q,
                   std::vector<std::pair<int, int>>& pairs);
  bool overlap(const Box3& p, const Box3& q);

  std::vector<int> order_;
  std::vector<Node> nodes_;
  std::vector<std::pair<int, int>> stack_;
  std::int64_t tests_ = 0;
};

}  // namespace vinci
