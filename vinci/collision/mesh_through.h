// SPDX-License-Identifier: Apache-2.0
// A convex body through a wall of a mesh: neither its own points nor corners and edges of the mesh
// need tell of that, for all of these may lie outside. What tells is a flat that passes through the
// body deeper than the contacts that were found explain.
#pragma once

#include <algorithm>

#include "vinci/collision/mesh_contacts.h"

namespace vinci {

// Overlaps are explained by contacts that are at least this share of them deep.
inline constexpr double unexplained_ratio = 2.0;

// Visits the runs of equal flats of pair.work.stack, triangles sorted by their flats.
template <class Visit>
void visit_flats(const MeshPair& pair, Visit&& visit) {
  const auto& near = pair.work.stack;
  for (std::size_t i = 0; i < near.size();) {
    std::size_t end = i;
    while (end < near.size() && near[end].first == near[i].first) ++end;
    visit(i, end);
    i = end;
  }
}

inline bool is_over_flat(const MeshPair& pair, std::size_t first, std::size_t end, const Vector3& x,
                         double tolerance, double concave) {
  const auto& near = pair.work.stack;
  for (std::size_t i = first; i < end; ++i)
    if (pair.base.is_over(near[i].second, x, tolerance, concave)) return true;
  return false;
}

// How deep the contacts of the pair are, m.
inline double depth_of_contacts(const MeshPair& pair) {
  double depth = 0.0;
  for (const MeshContact& c : pair.work.found) depth = std::max(depth, -c.gap);
  return depth;
}

// The flat through which a body that is in the mesh is out soonest, and the height of its lowest
// point over it; −1 if it is in nothing that its contacts do not explain. The body has
//   support(n)          its farthest point along n
//   depth_of_point(x)   how deep a point of it is in it, m
//   depth_of_edge(e)    the same of an edge of the mesh, 0 if it is outside
//   center()
template <class Body>
class WayThrough {
 public:
  WayThrough(const MeshPair& pair, Body& body)
      : pair_(pair),
        body_(body),
        explained_(unexplained_ratio * depth_of_contacts(pair) + pair.tolerance) {}

  struct Result {
    int flat = -1;
    double height = -infinity;
  };

  Result find(bool touches) {
    Result best;
    const auto offer = [&](int f) {
      const double lowest = pair_.base.height(f, body_.support(-pair_.base.normal(f)));
      if (lowest > best.height) best = {f, lowest};
    };
    visit_flats(pair_, [&](std::size_t first, std::size_t end) {
      if (is_through(first, end)) offer(pair_.work.stack[first].first);
    });
    const TriangleMesh& mesh = *pair_.base.mesh;
    if (!touches && mesh.closed && pair_.base.contains(body_.center()))
      offer(mesh.flat_of[static_cast<std::size_t>(nearest_point(mesh, body_.center()).triangle)]);
    return best;
  }

 private:
  // The section of the body with the plane of the flat is convex: if no border of the flat is in
  // it, all of it lies in the flat or none.
  bool is_through(std::size_t first, std::size_t end) {
    const auto& near = pair_.work.stack;
    const int f = near[first].first;
    const Vector3 n = pair_.base.normal(f);
    const Vector3 low = body_.support(-n), high = body_.support(n);
    const double below = pair_.base.height(f, low), above = pair_.base.height(f, high);
    if (!(-below > explained_ && above > explained_)) return false;
    const Vector3 x = low + below / (below - above) * (high - low);
    if (body_.depth_of_point(x) > explained_ && is_over_flat(pair_, first, end, x, 0.0, 0.0))
      return true;
    const TriangleMesh& mesh = *pair_.base.mesh;
    for (std::size_t i = first; i < end; ++i)
      for (const int e : mesh.triangle_edges[static_cast<std::size_t>(near[i].second)])
        if (mesh.edges[static_cast<std::size_t>(e)].kind != TriangleMesh::Edge::Kind::flat &&
            body_.depth_of_edge(e) > explained_)
          return true;
    return false;
  }

  const MeshPair& pair_;
  Body& body_;
  double explained_;
};

}  // namespace vinci
