// SPDX-License-Identifier: Apache-2.0
// The tree of boxes. The result is a sorted set of pairs and does not depend on the tree's form.
#include "vinci/collision/broad_phase.h"

#include <algorithm>
#include <numeric>

namespace vinci {

namespace {

constexpr int leaf_size = 4;

void extend(Box3& box, const Box3& other) {
  box.lower = box.lower.cwiseMin(other.lower);
  box.upper = box.upper.cwiseMax(other.upper);
}

}  // namespace

void BroadPhase::find_pairs(std::span<const Item> items, std::vector<std::pair<int, int>>& pairs) {
  pairs.clear();
  tests_ = 0;
  if (items.size() < 2) return;
  build(items);
  walk(items, pairs);
  std::sort(pairs.begin(), pairs.end());
}

void BroadPhase::build(std::span<const Item> items) {
  order_.resize(items.size());
  std::iota(order_.begin(), order_.end(), 0);
  nodes_.clear();
  nodes_.push_back({{}, 0, static_cast<int>(items.size()), -1, false});
  for (int node = 0; node < static_cast<int>(nodes_.size()); ++node) split(items, node);
}

// Bounds a node and cuts it at the median of the box centres along their longest spread.
void BroadPhase::split(std::span<const Item> items, int index) {
  Node node = nodes_[index];
  node.box = {Vector3::Constant(infinity), Vector3::Constant(-infinity)};
  Box3 centers = node.box;
  for (int i = node.first; i < node.first + node.count; ++i) {
    const Item& item = items[order_[i]];
    const Vector3 center = 0.5 * (item.box.lower + item.box.upper);
    extend(node.box, item.box);
    extend(centers, {center, center});
    node.movable |= item.movable;
  }
  if (node.count > leaf_size) {
    int axis = 0;
    (centers.upper - centers.lower).maxCoeff(&axis);
    const auto less = [&](int i, int j) {
      const Box3 &p = items[i].box, &q = items[j].box;
      const double x = p.lower[axis] + p.upper[axis], y = q.lower[axis] + q.upper[axis];
      return x < y || (x == y && i < j);
    };
    const int half = node.count / 2;
    const auto begin = order_.begin() + node.first;
    std::nth_element(begin, begin + half, begin + node.count, less);
    node.left = static_cast<int>(nodes_.size());
    nodes_.push_back({{}, node.first, half, -1, false});
    nodes_.push_back({{}, node.first + half, node.count - half, -1, false});
  }
  nodes_[index] = node;
}

// Pairs of nodes still to be looked at; a node with itself stands for the pairs within it.
void BroadPhase::walk(std::span<const Item> items, std::vector<std::pair<int, int>>& pairs) {
  stack_.assign(1, {0, 0});
  while (!stack_.empty()) {
    const auto [i, j] = stack_.back();
    stack_.pop_back();
    const Node &p = nodes_[i], &q = nodes_[j];
    if (!p.movable && !q.movable) continue;
    if (i == j) {
      if (p.left < 0) {
        pair_leaves(items, p, p, pairs);
      } else {
        stack_.emplace_back(p.left, p.left);
        stack_.emplace_back(p.left + 1, p.left + 1);
        stack_.emplace_back(p.left, p.left + 1);
      }
    } else if (overlap(p.box, q.box)) {
      if (p.left < 0 && q.left < 0) {
        pair_leaves(items, p, q, pairs);
      } else if (q.left < 0 || (p.left >= 0 && p.count >= q.count)) {
        stack_.emplace_back(p.left, j);
        stack_.emplace_back(p.left + 1, j);
      } else {
        stack_.emplace_back(i, q.left);
        stack_.emplace_back(i, q.left + 1);
      }
    }
  }
}

void BroadPhase::pair_leaves(std::span<const Item> items, const Node& p, const Node& q,
                             std::vector<std::pair<int, int>>& pairs) {
  for (int i = p.first; i < p.first + p.count; ++i)
    for (int j = &p == &q ? i + 1 : q.first; j < q.first + q.count; ++j) {
      const Item &a = items[order_[i]], &b = items[order_[j]];
      if (a.group == b.group || !(a.movable || b.movable) || !overlap(a.box, b.box)) continue;
      pairs.emplace_back(std::min(a.id, b.id), std::max(a.id, b.id));
    }
}

bool BroadPhase::overlap(const Box3& p, const Box3& q) {
  ++tests_;
  return (p.lower.array() <= q.upper.array()).all() && (q.lower.array() <= p.upper.array()).all();
}

}  // namespace vinci
