// SPDX-License-Identifier: Apache-2.0
// The contacts of a pair with a mesh: stages by the kind of the other shape, then what they have in
// common.
#include "vinci/collision/mesh_contacts.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "vinci/collision/spatial_feature.h"

namespace vinci {

namespace {

// A body that has sunk in by less than this part of the smaller size is over the face beside the
// one that it is in.
constexpr double concave_share = 1e-3;
constexpr int most_ways = 3;  // three faces hold a corner

double size_of(const Shape& shape) {
  if (const TriangleMesh* mesh = triangles_of(shape)) return mesh->size;
  return bounding_radius(shape);
}

// May x, a corner of a shape that lies along `inward` from it, leave a solid along n? A corner in
// the surface, as where prisms of one height overlap, may if its shape goes on inside, but not
// right through the solid.
bool may_leave(const MeshPair& pair, const PlacedSurface& solid, const Vector3& x,
               const Vector3& inward, const Vector3& n) {
  constexpr double nudge = 4.0, opposite = -0.5;
  if (solid.depth(x) > pair.tolerance) return true;
  const Vector3 within = x + nudge * pair.tolerance * inward;
  if (!solid.contains(within)) return false;
  if (solid.is_box) return true;
  const MeshFoot foot = nearest_point(*solid.mesh, solid.local(within));
  return n.dot(solid.rotation * solid.mesh->flat(foot.triangle).normal) > opposite;
}

// A corner leaves through the shallowest face, and through the next as long as it is behind.
void leave(MeshPair& pair, const PlacedSurface& inside_of, const WayOut* first, const WayOut* end,
           bool inner_is_base, const Vector3& inward) {
  Vector3 at = first->point;
  int taken = 0;
  for (const WayOut* way = first; way != end && taken < most_ways; ++way) {
    const double height = inside_of.height(way->flat, at);
    if (height > -pair.tolerance) continue;
    const Vector3 n = inside_of.normal(way->flat);
    if (!may_leave(pair, inside_of, at, inward, n)) return;
    MeshContact c;
    c.gap = way->height - pair.radius;
    const Vector3 onto = way->point - way->height * n;
    c.normal = inner_is_base ? Vector3(-n) : n;
    c.base_point = inner_is_base ? way->point : onto;
    c.other_point = inner_is_base ? onto : Vector3(way->point - pair.radius * n);
    c.base_feature = inner_is_base ? vertex_feature(way->corner) : face_feature(way->flat);
    c.other_feature =
        inner_is_base ? face_feature(way->flat) : static_cast<std::uint32_t>(way->corner);
    (inner_is_base ? c.other_flat : c.base_flat) = way->flat;
    (inner_is_base ? c.base_vertex : c.other_vertex) = way->corner;
    pair.work.found.push_back(c);
    ++taken;
    at += (pair.tolerance - height) * n;
  }
}

}  // namespace

void take_ways_out(MeshPair& pair, const PlacedSurface* other, const Vector3& center) {
  auto& ways = pair.work.ways;
  std::sort(ways.begin(), ways.end(), [](const WayOut& a, const WayOut& b) {
    return std::tie(a.of_base, a.corner, b.height, a.flat) <
           std::tie(b.of_base, b.corner, a.height, b.flat);
  });
  for (std::size_t i = 0; i < ways.size();) {
    std::size_t end = i;
    while (end < ways.size() && ways[end].of_base == ways[i].of_base &&
           ways[end].corner == ways[i].corner)
      ++end;
    const WayOut& way = ways[i];
    const PlacedSurface* owner = way.of_base ? &pair.base : other;
    const Vector3 inward = owner ? owner->inward(way.corner) : (center - way.point).normalized();
    leave(pair, way.of_base ? *other : pair.base, &way, ways.data() + end, way.of_base, inward);
    i = end;
  }
}

// Swept along x: contacts with both points or the same features in one place are one. The deeper
// one stays, then the one with the lower features.
void drop_repeats(MeshPair& pair) {
  auto& found = pair.work.found;
  std::sort(found.begin(), found.end(), [](const MeshContact& a, const MeshContact& b) {
    return std::tie(a.base_feature, a.other_feature, a.gap) <
           std::tie(b.base_feature, b.other_feature, b.gap);
  });
  const auto same_key = [](const MeshContact& a, const MeshContact& b) {
    return a.base_feature == b.base_feature && a.other_feature == b.other_feature;
  };
  found.erase(std::unique(found.begin(), found.end(), same_key), found.end());
  // Vertices over faces come before edges, so that patches keep their corners' names.
  auto& order = pair.work.group;
  order.clear();
  for (std::size_t i = 0; i < found.size(); ++i) order.push_back(static_cast<int>(i));
  const auto at = [&](int i) -> MeshContact& { return found[static_cast<std::size_t>(i)]; };
  std::sort(order.begin(), order.end(), [&](int i, int j) {
    const double x = at(i).base_point.x(), y = at(j).base_point.x();
    return x < y || (x == y && i < j);
  });
  auto& dropped = pair.work.dropped;
  dropped.assign(found.size(), 0);
  const double near = pair.tolerance * pair.tolerance;
  constexpr double same_way = 1.0 - 1e-9;
  const auto rank = [&](int i) {
    const bool corner = at(i).base_flat >= 0 || at(i).other_flat >= 0;
    return std::tuple(corner ? 0 : 1, at(i).gap, i);
  };
  for (std::size_t i = 0; i < order.size(); ++i)
    for (std::size_t j = i + 1; j < order.size(); ++j) {
      const MeshContact &a = at(order[i]), &b = at(order[j]);
      if (b.base_point.x() - a.base_point.x() > pair.tolerance) break;
      if ((a.base_point - b.base_point).squaredNorm() > near ||
          (a.other_point - b.other_point).squaredNorm() > near || a.normal.dot(b.normal) < same_way)
        continue;
      dropped[static_cast<std::size_t>(rank(order[i]) < rank(order[j]) ? order[j] : order[i])] = 1;
    }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < found.size(); ++i)
    if (!dropped[i]) found[kept++] = found[i];
  found.resize(kept);
}

void collide_mesh(const PlacedPair& pair, double margin, SpatialWorkspace& spatial,
                  std::vector<ContactPoint>& out) {
  const TriangleMesh *mesh_a = triangles_of(*pair.a), *mesh_b = triangles_of(*pair.b);
  const bool base_is_a =
      mesh_a && (!mesh_b || mesh_a->triangles.size() >= mesh_b->triangles.size());
  const Shape &base = base_is_a ? *pair.a : *pair.b, &other = base_is_a ? *pair.b : *pair.a;
  const Pose &base_pose = base_is_a ? pair.pose_a : pair.pose_b,
             &other_pose = base_is_a ? pair.pose_b : pair.pose_a;
  const Pose relative = base_pose.inverse() * other_pose;
  if (!spatial.mesh) spatial.mesh = std::make_shared<MeshWorkspace>();
  MeshWorkspace& work = *spatial.mesh;
  work.found.clear(), work.crossings.clear(), work.ways.clear(), work.pierced.clear();
  const double smaller = std::min(size_of(base), size_of(other));
  MeshPair stage{place_surface(base, Pose()), margin, 1e-8 * smaller, concave_share * smaller,
                 work};
  if (const auto* sphere = std::get_if<Sphere>(&other)) {
    stage.radius = sphere->radius;
    mesh_with_ball(stage, relative.position);
    drop_repeats(stage);
  } else if (std::holds_alternative<HalfSpace>(other)) {
    const Vector3 normal = relative.rotation * Vector3::UnitZ();
    mesh_with_half_space(stage, relative.position, normal);
    reduce_patches(stage, nullptr, normal);
  } else if (std::holds_alternative<Capsule>(other)) {
    spatial.b.place(other, relative.position, relative.rotation);
    stage.radius = spatial.b.radius();
    mesh_with_capsule(stage, spatial.b);
    drop_repeats(stage);
  } else if (std::holds_alternative<Cylinder>(other)) {
    mesh_with_cylinder(stage, other, relative, spatial);
    drop_repeats(stage);
  } else if (std::holds_alternative<Superquadric>(other)) {
    mesh_with_superquadric(stage, other, relative, spatial);
    drop_repeats(stage);
  } else {
    const PlacedSurface surface = place_surface(other, relative);
    mesh_with_surface(stage, surface);
    drop_repeats(stage);
    reduce_patches(stage, &surface);
  }
  for (const MeshContact& c : work.found) {
    const Vector3 on_base = base_pose * c.base_point, on_other = base_pose * c.other_point;
    const Vector3 normal = base_pose.rotation * (base_is_a ? c.normal : Vector3(-c.normal));
    if (base_is_a)
      out.push_back({c.base_feature, c.other_feature, on_base, on_other, normal, c.gap});
    else
      out.push_back({c.other_feature, c.base_feature, on_other, on_base, normal, c.gap});
  }
}

}  // namespace vinci
