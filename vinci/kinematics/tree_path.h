// SPDX-License-Identifier: Apache-2.0
// The unknowns that move one body and not another: what the two hang on together moves both alike.
#pragma once

#include <algorithm>

#include "vinci/kinematics/recursive.h"

namespace vinci {

inline constexpr int nothing_common = -2;

// The last body that both hang on, or one of the two if the other one hangs on it; −1: the world;
// nothing_common: they hang on different roots.
inline int common_body(const Tree& tree, int a, int b) {
  const auto link = [&](int body) { return body < 0 ? -1 : tree.link_of(body); };
  while (a != b) {
    const int of_a = link(a), of_b = link(b);
    if (of_a < 0 && of_b < 0) return nothing_common;
    // Bodies before others have lower links.
    int& lower = of_a > of_b ? a : b;
    lower = tree.links()[static_cast<std::size_t>(std::max(of_a, of_b))].parent;
  }
  return a;
}

// Calls take(unknown, twist) per unknown that moves `body` but not `common`: the velocity of the
// point that lies `arm` away from the body's centre of mass, and its angular velocity, by a unit of
// the unknown.
template <class Take>
void visit_path(const Tree& tree, int body, int common, const Vector3& arm, Take take) {
  Vector3 offset = arm;
  int at = body;
  while (at != common && at >= 0 && tree.link_of(at) >= 0) {
    const Tree::Link& link = tree.links()[static_cast<std::size_t>(tree.link_of(at))];
    offset += link.arm;
    for (int k = 0; k < link.freedoms; ++k) {
      const Twist& axis = link.axes[static_cast<std::size_t>(k)];
      take(link.first_unknown + k, Twist{axis.at(offset), axis.angular});
    }
    offset += link.parent_arm;
    at = link.parent;
  }
  if (at < 0 || at == common) return;
  const Model& model = tree.model();
  const Body& root = model.bodies[static_cast<std::size_t>(at)];
  for (int entry = root.velocity_offset; entry < root.velocity_offset + root.velocity_size;
       ++entry) {
    const int unknown = model.free_index[static_cast<std::size_t>(entry)];
    if (unknown < 0) continue;
    const int coordinate = model.coordinate[static_cast<std::size_t>(entry)];
    if (coordinate < 3)
      take(unknown, Twist{Vector3::Unit(coordinate), Vector3::Zero()});
    else
      take(unknown,
           Twist{Vector3::Unit(coordinate - 3).cross(offset), Vector3::Unit(coordinate - 3)});
  }
}

}  // namespace vinci
