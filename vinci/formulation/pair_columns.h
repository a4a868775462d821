// SPDX-License-Identifier: Apache-2.0
// The unknowns that move two bodies against each other, where one of them hangs on joints: per
// unknown the velocity of b at a point of its own minus that of a at another, and the angular ones.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "vinci/kinematics/tree_path.h"

namespace vinci {

class PairColumns {
 public:
  struct Column {
    int unknown;
    Vector3 linear, angular;
  };
  // A body and the arm from its centre of mass to the point; −1: the world.
  struct End {
    int body = -1;
    Vector3 arm = Vector3::Zero();
  };

  void find(const Tree& tree, const End& a, const End& b) {
    const int common = common_body(tree, a.body, b.body);
    add(tree, a, common, -1.0);
    add(tree, b, common, 1.0);
    Column* const first = long_.empty() ? short_.data() : long_.data();
    std::sort(first, first + count_,
              [](const Column& x, const Column& y) { return x.unknown < y.unknown; });
  }
  // By ascending unknowns.
  std::span<const Column> columns() const {
    return {long_.empty() ? short_.data() : long_.data(), count_};
  }

 private:
  void add(const Tree& tree, const End& end, int common, double sign) {
    if (end.body < 0) return;
    visit_path(tree, end.body, common, end.arm, [&](int unknown, const Twist& twist) {
      const Column column{unknown, sign * twist.linear, sign * twist.angular};
      if (count_ < short_.size()) {
        short_[count_] = column;
      } else {
        if (long_.empty()) long_.assign(short_.begin(), short_.end());
        long_.push_back(column);
      }
      ++count_;
    });
  }

  std::array<Column, 48> short_;  // not cleared: only long ways take memory
  std::vector<Column> long_;
  std::size_t count_ = 0;
};

// Whether a body hangs on a joint of the tree; null: there is none.
inline bool hangs(const Tree* tree, int body) {
  return tree && body >= 0 && tree->link_of(body) >= 0;
}

}  // namespace vinci
