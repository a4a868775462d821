// SPDX-License-Identifier: Apache-2.0
// Patches between two flats. The gap of the points of one flat over another plane is an affine
// function of their place, so a point between others never touches before they do, and its friction
// is theirs: the corners of the hull of a patch stand for all of it.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "vinci/collision/mesh_contacts.h"

namespace vinci {

namespace {

// Flats this near to antiparallel (rad) have one patch, of corners of both and of crossing edges:
// gaps along their two normals differ by the square of it.
constexpr double parallel_angle = 1e-4;
constexpr int half_space_flat = 0;

// The flats of a feature, each once.
template <class Visit>
void visit_flats(const TriangleMesh& mesh, std::uint32_t feature, Visit&& visit) {
  const int number = static_cast<int>(feature & ((1u << 30) - 1));
  if (feature >> 30 == 2) return visit(number);
  const auto of_edge = [&](int e) {
    const TriangleMesh::Edge& edge = mesh.edges[static_cast<std::size_t>(e)];
    visit(mesh.flat_of[static_cast<std::size_t>(edge.left)]);
    if (edge.right >= 0) visit(mesh.flat_of[static_cast<std::size_t>(edge.right)]);
  };
  if (feature >> 30 == 1) return of_edge(number);
  for (int i = mesh.vertex_first[static_cast<std::size_t>(number)];
       i < mesh.vertex_first[static_cast<std::size_t>(number) + 1]; ++i)
    of_edge(mesh.vertex_edges[static_cast<std::size_t>(i)]);
}

// Marks those of `group` that are not corners of its hull, seen along n.
void drop_inner(MeshWorkspace& work, const Vector3& n, double tolerance, const int* first,
                const int* end) {
  const Vector3 x = n.unitOrthogonal(), y = n.cross(x);
  auto& plane = work.plane;
  auto& order = work.group;
  plane.clear(), order.clear();
  for (const int* i = first; i != end; ++i) {
    if (work.dropped[static_cast<std::size_t>(*i)]) continue;
    const Vector3& point = work.found[static_cast<std::size_t>(*i)].base_point;
    order.push_back(static_cast<int>(plane.size()));
    plane.emplace_back(x.dot(point), y.dot(point));
    work.hull.push_back(*i);
  }
  const std::size_t count = plane.size();
  const int* members = work.hull.data() + (work.hull.size() - count);
  if (count > 2) {
    std::sort(order.begin(), order.end(), [&](int i, int j) {
      const Vector2 &p = plane[static_cast<std::size_t>(i)],
                    &q = plane[static_cast<std::size_t>(j)];
      return std::tie(p.x(), p.y(), i) < std::tie(q.x(), q.y(), j);
    });
    std::vector<char>& corner = work.corner;
    corner.assign(count, 0);
    auto& chain = work.chain;
    for (int turn = 0; turn < 2; ++turn) {
      chain.clear();
      for (const int i : order) {
        const Vector2& p = plane[static_cast<std::size_t>(i)];
        while (chain.size() > 1) {
          const Vector2& r = plane[static_cast<std::size_t>(chain[chain.size() - 2])];
          const Vector2& q = plane[static_cast<std::size_t>(chain.back())];
          const double bend = cross(p - r, q - r);
          if (bend < -tolerance * (p - r).norm()) break;
          chain.pop_back();
        }
        chain.push_back(i);
      }
      for (const int i : chain) corner[static_cast<std::size_t>(i)] = 1;
      std::reverse(order.begin(), order.end());
    }
    for (std::size_t i = 0; i < count; ++i)
      if (!corner[i]) work.dropped[static_cast<std::size_t>(members[i])] = 1;
  }
  work.hull.resize(work.hull.size() - count);
}

}  // namespace

void reduce_patches(MeshPair& pair, const PlacedSurface* other, const Vector3& plane_normal) {
  MeshWorkspace& work = pair.work;
  constexpr std::size_t few = 4;
  if (work.found.size() <= few) return;
  auto& entries = work.entries;
  entries.clear();
  const double parallel = -std::cos(parallel_angle),
               facing = -std::sqrt(1.0 - cone_slack * cone_slack);
  for (std::size_t i = 0; i < work.found.size(); ++i) {
    const MeshContact& c = work.found[i];
    visit_flats(*pair.base.mesh, c.base_feature, [&](int p) {
      const Vector3& n = pair.base.mesh->flats[static_cast<std::size_t>(p)].normal;
      const auto with = [&](int q, const Vector3& m) {
        const double cosine = n.dot(m);
        if (cosine > facing) return;
        const bool one = cosine < parallel;
        if (!one && c.base_flat < 0 && c.other_flat < 0) return;
        entries.push_back({p, q, one ? 0 : (c.base_flat >= 0 ? 1 : 2), static_cast<int>(i)});
      };
      if (!other)
        with(half_space_flat, plane_normal);
      else
        visit_flats(*other->mesh, c.other_feature, [&](int q) { with(q, other->normal(q)); });
    });
  }
  std::sort(entries.begin(), entries.end());
  entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
  work.dropped.assign(work.found.size(), 0);
  auto& members = work.members;
  for (std::size_t i = 0; i < entries.size();) {
    std::size_t end = i;
    members.clear();
    while (end < entries.size() &&
           std::equal(entries[i].begin(), entries[i].begin() + 3, entries[end].begin()))
      members.push_back(entries[end++][3]);
    const Vector3& n = pair.base.mesh->flats[static_cast<std::size_t>(entries[i][0])].normal;
    if (members.size() > 2)
      drop_inner(work, n, pair.tolerance, members.data(), members.data() + members.size());
    i = end;
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < work.found.size(); ++i)
    if (!work.dropped[i]) work.found[kept++] = work.found[i];
  work.found.resize(kept);
}

}  // namespace vinci
