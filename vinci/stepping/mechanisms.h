// SPDX-License-Identifier: Apache-2.0
// Which bodies move as one: those that joints and couplings hold together. Bodies that nothing free
// moves do not connect what hangs on them.
#pragma once

#include <vector>

#include "vinci/model/model.h"

namespace vinci {

class Mechanisms {
 public:
  void find(const Model& model);
  // Whether a joint holds the body.
  bool has(int body) const { return joined_[static_cast<std::size_t>(body)] != 0; }
  // Marks all bodies of a mechanism where one of them is marked.
  void spread(std::vector<char>& marked);

 private:
  int root(int body);
  void join(int a, int b);

  std::vector<int> parent_;   // per body
  std::vector<char> joined_;  // per body
  std::vector<char> roots_;   // workspace, per body
};

}  // namespace vinci
