// SPDX-License-Identifier: Apache-2.0
// The tree of a mesh, and the point of a mesh that is nearest to a given one: branch and bound over
// the boxes. Whether that one lies inside follows from the nearest feature: from the sum of the
// normals at an edge, and from that weighted by angle at a vertex [Bærentzen 2005].
#include "vinci/geometry/mesh_tree.h"

#include <algorithm>
#include <numeric>

namespace vinci {

namespace {

constexpr int mesh_leaf_size = 4;

Box3 box_of(const TriangleMesh& mesh, int triangle) {
  Box3 box{Vector3::Constant(infinity), Vector3::Constant(-infinity)};
  for (const int v : mesh.triangles[static_cast<std::size_t>(triangle)]) {
    const Vector3& point = mesh.vertices[static_cast<std::size_t>(v)];
    box.lower = box.lower.cwiseMin(point);
    box.upper = box.upper.cwiseMax(point);
  }
  return box;
}

double squared_distance(const Box3& box, const Vector3& x) {
  const Vector3 beyond = (box.lower - x).cwiseMax(x - box.upper).cwiseMax(Vector3::Zero());
  return beyond.squaredNorm();
}

// At a border the surface ends: what is nearest to it lies beside, not behind.
bool is_behind(const TriangleMesh& mesh, const MeshFoot& foot, const Vector3& x) {
  const auto t = static_cast<std::size_t>(foot.triangle);
  const Vector3 offset = x - foot.point;
  if (foot.part == 6) return mesh.flat(foot.triangle).normal.dot(offset) < 0.0;
  if (foot.part < 3) {
    const TriangleMesh::Edge& edge = mesh.edges[static_cast<std::size_t>(
        mesh.triangle_edges[t][static_cast<std::size_t>(foot.part)])];
    if (edge.right < 0) return false;
    return (mesh.flat(edge.left).normal + mesh.flat(edge.right).normal).dot(offset) < 0.0;
  }
  const auto v =
      static_cast<std::size_t>(mesh.triangles[t][static_cast<std::size_t>(foot.part - 3)]);
  if (!mesh.closed)
    for (int i = mesh.vertex_first[v]; i < mesh.vertex_first[v + 1]; ++i)
      if (mesh.edges[static_cast<std::size_t>(mesh.vertex_edges[static_cast<std::size_t>(i)])]
              .right < 0)
        return false;
  return mesh.vertex_normals[v].dot(offset) < 0.0;
}

}  // namespace

void build_mesh_tree(TriangleMesh& mesh) {
  const std::size_t count = mesh.triangles.size();
  std::vector<Box3> boxes;
  boxes.reserve(count);
  for (std::size_t t = 0; t < count; ++t) boxes.push_back(box_of(mesh, static_cast<int>(t)));
  mesh.order.resize(count);
  std::iota(mesh.order.begin(), mesh.order.end(), 0);
  mesh.nodes.clear();
  mesh.nodes.push_back({{}, 0, static_cast<int>(count), -1});
  for (std::size_t index = 0; index < mesh.nodes.size(); ++index) {
    TriangleMesh::Node node = mesh.nodes[index];
    node.box = {Vector3::Constant(infinity), Vector3::Constant(-infinity)};
    Box3 centers = node.box;
    for (int i = node.first; i < node.first + node.count; ++i) {
      const Box3& box = boxes[static_cast<std::size_t>(mesh.order[static_cast<std::size_t>(i)])];
      const Vector3 center = 0.5 * (box.lower + box.upper);
      node.box = {node.box.lower.cwiseMin(box.lower), node.box.upper.cwiseMax(box.upper)};
      centers = {centers.lower.cwiseMin(center), centers.upper.cwiseMax(center)};
    }
    if (node.count > mesh_leaf_size) {
      int axis = 0;
      (centers.upper - centers.lower).maxCoeff(&axis);
      const auto less = [&](int i, int j) {
        const Box3 &p = boxes[static_cast<std::size_t>(i)], &q = boxes[static_cast<std::size_t>(j)];
        const double x = p.lower[axis] + p.upper[axis], y = q.lower[axis] + q.upper[axis];
        return x < y || (x == y && i < j);
      };
      const int half = node.count / 2;
      const auto begin = mesh.order.begin() + node.first;
      std::nth_element(begin, begin + half, begin + node.count, less);
      node.left = static_cast<int>(mesh.nodes.size());
      mesh.nodes.push_back({{}, node.first, half, -1});
      mesh.nodes.push_back({{}, node.first + half, node.count - half, -1});
    }
    mesh.nodes[index] = node;
  }
}

// By the regions of the triangle's corners, edges and inside [Ericson 2005, §5.1.5].
MeshFoot nearest_on_triangle(const TriangleMesh& mesh, int triangle, const Vector3& x) {
  const std::array<int, 3>& corners = mesh.triangles[static_cast<std::size_t>(triangle)];
  const Vector3 &a = mesh.vertices[static_cast<std::size_t>(corners[0])],
                &b = mesh.vertices[static_cast<std::size_t>(corners[1])],
                &c = mesh.vertices[static_cast<std::size_t>(corners[2])];
  MeshFoot foot;
  foot.triangle = triangle;
  const auto finish = [&](int part, const Vector3& point) {
    foot.part = part;
    foot.point = point;
    foot.distance = (x - point).norm();
    return foot;
  };
  const Vector3 ab = b - a, ac = c - a, ax = x - a, bx = x - b, cx = x - c;
  const double d1 = ab.dot(ax), d2 = ac.dot(ax);
  if (d1 <= 0.0 && d2 <= 0.0) return finish(3, a);
  const double d3 = ab.dot(bx), d4 = ac.dot(bx);
  if (d3 >= 0.0 && d4 <= d3) return finish(4, b);
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0) return finish(0, a + d1 / (d1 - d3) * ab);
  const double d5 = ab.dot(cx), d6 = ac.dot(cx);
  if (d6 >= 0.0 && d5 <= d6) return finish(5, c);
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) return finish(2, a + d2 / (d2 - d6) * ac);
  const double va = d3 * d6 - d5 * d4;
  if (va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0)
    return finish(1, b + (d4 - d3) / ((d4 - d3) + (d5 - d6)) * (c - b));
  const double sum = va + vb + vc;
  return finish(6, a + vb / sum * ab + vc / sum * ac);
}

MeshFoot nearest_point(const TriangleMesh& mesh, const Vector3& x, double within) {
  MeshFoot best;
  double bound = within * within;
  struct Waiting {
    int node;
    double distance;
  };
  std::array<Waiting, 128> stack;
  std::size_t count = 0;
  stack[count++] = {0, squared_distance(mesh.nodes[0].box, x)};
  while (count > 0) {
    const Waiting next = stack[--count];
    if (next.distance > bound) continue;
    const TriangleMesh::Node& node = mesh.nodes[static_cast<std::size_t>(next.node)];
    if (node.left >= 0) {
      const double left = squared_distance(mesh.nodes[static_cast<std::size_t>(node.left)].box, x),
                   right =
                       squared_distance(mesh.nodes[static_cast<std::size_t>(node.left) + 1].box, x);
      // The nearer one is looked at first.
      const bool swap = left > right;
      stack[count++] = {node.left + (swap ? 0 : 1), swap ? left : right};
      stack[count++] = {node.left + (swap ? 1 : 0), swap ? right : left};
      continue;
    }
    for (int i = node.first; i < node.first + node.count; ++i) {
      const int t = mesh.order[static_cast<std::size_t>(i)];
      const MeshFoot foot = nearest_on_triangle(mesh, t, x);
      // Ties go to the lower number, whatever the tree.
      if (foot.distance < best.distance || (foot.distance == best.distance && t < best.triangle)) {
        best = foot;
        bound = std::min(bound, foot.distance * foot.distance);
      }
    }
  }
  if (best.distance > within) return {};
  if (best.triangle >= 0) best.inside = is_behind(mesh, best, x);
  return best;
}

}  // namespace vinci
