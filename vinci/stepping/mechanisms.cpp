// SPDX-License-Identifier: Apache-2.0
// Sets of bodies that grow together.
#include "vinci/stepping/mechanisms.h"

#include <algorithm>

namespace vinci {

int Mechanisms::root(int body) {
  while (parent_[body] != body) body = parent_[body] = parent_[parent_[body]];
  return body;
}

void Mechanisms::join(int a, int b) {
  if (a < 0 || b < 0) return;
  a = root(a);
  b = root(b);
  parent_[std::max(a, b)] = std::min(a, b);
}

void Mechanisms::find(const Model& model) {
  const int count = static_cast<int>(model.bodies.size());
  parent_.resize(model.bodies.size());
  for (int b = 0; b < count; ++b) parent_[b] = b;
  joined_.assign(model.bodies.size(), 0);
  const auto moved = [&](int b) { return b >= 0 && model.is_moved(b) ? b : -1; };
  const auto one_of = [&](const Joint& joint) {
    return moved(joint.body_b) >= 0 ? moved(joint.body_b) : moved(joint.body_a);
  };
  for (const Joint& joint : model.joints) {
    for (const int b : {moved(joint.body_a), moved(joint.body_b)})
      if (b >= 0) joined_[b] = 1;
    join(moved(joint.body_a), moved(joint.body_b));
  }
  for (const Coupling& coupling : model.couplings)
    join(one_of(model.joints[coupling.joint_a]), one_of(model.joints[coupling.joint_b]));
}

void Mechanisms::spread(std::vector<char>& marked) {
  roots_.assign(marked.size(), 0);
  for (std::size_t b = 0; b < marked.size(); ++b)
    if (marked[b] && joined_[b]) roots_[root(static_cast<int>(b))] = 1;
  for (std::size_t b = 0; b < marked.size(); ++b)
    if (joined_[b] && roots_[root(static_cast<int>(b))]) marked[b] = 1;
}

}  // namespace vinci
