// SPDX-License-Identifier: Apache-2.0
// The tree of boxes over the triangles of a mesh, and walks down it.
#pragma once

#include <array>

#include "vinci/geometry/triangle_mesh.h"

namespace vinci {

// Median cuts along the longest spread: a tree of depth log2(triangles), the same for the same
// triangles.
void build_mesh_tree(TriangleMesh& mesh);

inline bool boxes_meet(const Box3& a, const Box3& b) {
  return (a.lower.array() <= b.upper.array()).all() && (b.lower.array() <= a.upper.array()).all();
}

// Calls visit(triangle) for those in leaves whose boxes meet this one.
template <class Visit>
void visit_triangles(const TriangleMesh& mesh, const Box3& box, Visit&& visit) {
  std::array<int, 128> stack;  // a tree of 2 million triangles is 20 deep
  std::size_t count = 0;
  stack[count++] = 0;
  while (count > 0) {
    const TriangleMesh::Node& node = mesh.nodes[static_cast<std::size_t>(stack[--count])];
    if (!boxes_meet(node.box, box)) continue;
    if (node.left >= 0) {
      stack[count++] = node.left + 1;
      stack[count++] = node.left;
      continue;
    }
    for (int i = node.first; i < node.first + node.count; ++i)
      visit(mesh.order[static_cast<std::size_t>(i)]);
  }
}

}  // namespace vinci
