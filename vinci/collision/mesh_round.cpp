// SPDX-License-Identifier: Apache-2.0
// Balls and capsules against a mesh. From outside every local minimum of the distance to the core
// is a contact: the nearest point of a face, an edge or a corner whose normal cone holds the
// direction. A centre that is inside leaves through the nearest point of the surface.
#include <algorithm>
#include <cmath>

#include "vinci/collision/mesh_contacts.h"
#include "vinci/collision/spatial_feature.h"

namespace vinci {

namespace {

using Kind = TriangleMesh::Edge::Kind;

constexpr double round_cone = 1e-9;

// The feature of the whole surface that a point of a triangle belongs to.
struct MeshFeature {
  std::uint32_t name;
  int flat = -1, edge = -1, vertex = -1;  // one of them
};

MeshFeature feature_of(const TriangleMesh& mesh, const MeshFoot& foot) {
  const auto t = static_cast<std::size_t>(foot.triangle);
  const int flat = mesh.flat_of[t];
  const MeshFeature face{face_feature(flat), flat};
  const auto as_edge = [&](int e) {
    if (mesh.edges[static_cast<std::size_t>(e)].kind == Kind::flat) return face;
    return MeshFeature{mesh_edge_feature(e), -1, e};
  };
  if (foot.part == 6) return face;
  if (foot.part < 3) return as_edge(mesh.triangle_edges[t][static_cast<std::size_t>(foot.part)]);
  const int v = mesh.triangles[t][static_cast<std::size_t>(foot.part - 3)];
  if (mesh.is_corner[static_cast<std::size_t>(v)]) return {vertex_feature(v), -1, -1, v};
  for (int i = mesh.vertex_first[static_cast<std::size_t>(v)];
       i < mesh.vertex_first[static_cast<std::size_t>(v) + 1]; ++i) {
    const int e = mesh.vertex_edges[static_cast<std::size_t>(i)];
    if (mesh.edges[static_cast<std::size_t>(e)].kind != Kind::flat) return as_edge(e);
  }
  return face;
}

void add_round(MeshPair& pair, const Vector3& on_base, std::uint32_t base_feature,
               const Vector3& core, std::uint32_t other_feature, const Vector3& n) {
  const double gap = n.dot(core - on_base) - pair.radius;
  if (!(gap <= pair.margin)) return;
  MeshContact c;
  c.base_feature = base_feature;
  c.other_feature = other_feature;
  c.base_point = on_base;
  c.other_point = core - pair.radius * n;
  c.normal = n;
  c.gap = gap;
  pair.work.found.push_back(c);
}

// The core point x from outside: is its nearest point on this triangle a local minimum?
void add_foot(MeshPair& pair, int triangle, const Vector3& x, std::uint32_t name, bool faces) {
  const TriangleMesh& mesh = *pair.base.mesh;
  const MeshFoot foot = nearest_on_triangle(mesh, triangle, x);
  if (foot.distance > pair.margin + pair.radius) return;
  const MeshFeature feature = feature_of(mesh, foot);
  if (feature.flat >= 0) {
    if (!faces) return;
    const double height = pair.base.height(feature.flat, x);
    // At an inner edge the point may lie over another part of the flat, or over none.
    if (height < 0.0 || (foot.part != 6 && foot.distance > height + pair.tolerance)) return;
    const Vector3& n = mesh.flats[static_cast<std::size_t>(feature.flat)].normal;
    return add_round(pair, x - height * n, feature.name, x, name, n);
  }
  if (!(foot.distance > 0.0)) return;
  const Vector3 n = (x - foot.point) / foot.distance;
  const bool nearest = feature.edge >= 0 ? pair.base.edge_faces(feature.edge, n, round_cone)
                                         : pair.base.vertex_faces(feature.vertex, n, round_cone);
  if (nearest) add_round(pair, foot.point, feature.name, x, name, n);
}

// The core point x is inside: out through the nearest point. How far below an open surface counts
// is as far as the shape reaches.
bool leave_through_nearest(MeshPair& pair, const Vector3& x, std::uint32_t name) {
  const TriangleMesh& mesh = *pair.base.mesh;
  if (mesh.closed && !boxes_meet({x, x}, mesh.box)) return false;
  const MeshFoot foot = nearest_point(mesh, x, mesh.closed ? infinity : pair.margin + pair.radius);
  if (foot.triangle < 0 || !foot.inside) return false;
  const MeshFeature feature = feature_of(mesh, foot);
  const Vector3 n = foot.distance > pair.tolerance && feature.flat < 0
                        ? Vector3((foot.point - x) / foot.distance)
                        : mesh.flat(foot.triangle).normal;
  add_round(pair, foot.point, feature.name, x, name, n);
  return true;
}

class CapsuleOnMesh {
 public:
  CapsuleOnMesh(MeshPair& pair, const Convex& capsule)
      : pair_(pair),
        capsule_(capsule),
        tail_(capsule.vertices()[0]),
        along_(capsule.vertices()[1] - tail_),
        length2_(along_.squaredNorm()) {}

  void find() {
    const Vector3 head = tail_ + along_, reach = Vector3::Constant(pair_.margin + pair_.radius);
    const Box3 box{tail_.cwiseMin(head) - reach, tail_.cwiseMax(head) + reach};
    visit_triangles(*pair_.base.mesh, box, [&](int t) { triangle(t); });
    take_ways_out(pair_, nullptr, tail_ + 0.5 * along_);
    if (pair_.work.found.empty() || pierced_.flat >= 0) leave_deep();
  }

 private:
  void triangle(int t) {
    const TriangleMesh& mesh = *pair_.base.mesh;
    const int flat = mesh.flat_of[static_cast<std::size_t>(t)];
    const Vector3& n = mesh.flats[static_cast<std::size_t>(flat)].normal;
    visit_facing_points(capsule_, -n, [&](const Vector3& x, std::uint32_t name) {
      const double height = pair_.base.height(flat, x);
      if (height > pair_.margin + pair_.radius ||
          !pair_.base.is_over(t, x, pair_.tolerance, pair_.concave))
        return;
      if (height >= 0.0)
        add_round(pair_, x - height * n, face_feature(flat), x, name, n);
      else if (x == capsule_.vertices()[name])  // not a point of its side
        pair_.work.ways.push_back({static_cast<int>(name), flat, height, false, x});
    });
    const auto& own = mesh.owned[static_cast<std::size_t>(t)];
    for (std::size_t k = 0; k < 3; ++k) {
      if (own & (1 << k)) edge(mesh.triangle_edges[static_cast<std::size_t>(t)][k]);
      if (own & (8 << k)) corner(mesh.triangles[static_cast<std::size_t>(t)][k]);
    }
    pierce(t, flat);
  }

  // Nearest points of the axis and an edge.
  void edge(int e) {
    const TriangleMesh::Edge& edge = pair_.base.mesh->edges[static_cast<std::size_t>(e)];
    if (edge.kind == Kind::concave) return;
    const Vector3 p = pair_.base.vertex(edge.tail), u = pair_.base.vertex(edge.head) - p;
    const Vector3 cross = u.cross(along_);
    const double square = cross.squaredNorm();
    if (square > 1e-12 * u.squaredNorm() * length2_) {
      const double s = cross.dot((tail_ - p).cross(along_)) / square;
      const double t = cross.dot((tail_ - p).cross(u)) / square;
      if (s >= 0.0 && s <= 1.0 && t > 0.0 && t < 1.0) {
        add_edge(e, p + s * u, tail_ + t * along_, edge_feature(0, 1));
        return;
      }
    }
    for (int end = 0; end < 2; ++end) {
      const Vector3 x = tail_ + static_cast<double>(end) * along_;
      const double s = (x - p).dot(u) / u.squaredNorm();
      if (s > 0.0 && s < 1.0) add_edge(e, p + s * u, x, vertex_feature(end));
    }
  }

  void add_edge(int e, const Vector3& x, const Vector3& y, std::uint32_t name) {
    const Vector3 offset = y - x;
    const double distance = offset.norm();
    if (distance > pair_.margin + pair_.radius || !(distance > pair_.tolerance)) return;
    const Vector3 n = offset / distance;
    if (!pair_.base.edge_faces(e, n, round_cone) || !axis_faces(name, n)) return;
    add_round(pair_, x, mesh_edge_feature(e), y, name, n);
  }

  // No way along the axis leads nearer to what lies at −n.
  bool axis_faces(std::uint32_t name, const Vector3& n) const {
    const double rise = n.dot(along_) / std::sqrt(length2_);
    if (name == vertex_feature(0)) return rise >= -round_cone;
    if (name == vertex_feature(1)) return rise <= round_cone;
    return true;
  }

  void corner(int v) {
    const Vector3 x = pair_.base.vertex(v);
    const double t = std::clamp((x - tail_).dot(along_) / length2_, 0.0, 1.0);
    const Vector3 y = tail_ + t * along_, offset = y - x;
    const double distance = offset.norm();
    if (distance > pair_.margin + pair_.radius || !(distance > pair_.tolerance)) return;
    const Vector3 n = offset / distance;
    if (!pair_.base.vertex_faces(v, n, round_cone)) return;
    add_round(pair_, x, vertex_feature(v), y,
              t <= 0.0 ? vertex_feature(0) : (t >= 1.0 ? vertex_feature(1) : edge_feature(0, 1)),
              n);
  }

  // The axis through a triangle, from the front or from behind: the end that is less deep counts.
  void pierce(int t, int flat) {
    const double from = pair_.base.height(flat, tail_),
                 to = pair_.base.height(flat, tail_ + along_);
    if (!((from < 0.0 && to > 0.0) || (from > 0.0 && to < 0.0))) return;
    const Vector3 x = tail_ + from / (from - to) * along_;
    if (!pair_.base.is_over(t, x, 0.0, 0.0)) return;
    const double lower = std::min(from, to);
    if (pierced_.flat < 0 || lower > pierced_.height)
      pierced_ = {from < to ? 0 : 1, flat, lower, false, from < to ? tail_ : tail_ + along_};
  }

  // A capsule through a wall, or one that is wholly inside.
  void leave_deep() {
    for (const MeshContact& c : pair_.work.found)
      if (c.gap < -pair_.radius) return;
    if (pierced_.flat >= 0) {
      const Vector3 n = pair_.base.normal(pierced_.flat);
      return add_round(pair_, pierced_.point - pierced_.height * n, face_feature(pierced_.flat),
                       pierced_.point, vertex_feature(pierced_.corner), n);
    }
    leave_through_nearest(pair_, tail_, vertex_feature(0));
    leave_through_nearest(pair_, tail_ + along_, vertex_feature(1));
  }

  MeshPair& pair_;
  const Convex& capsule_;
  Vector3 tail_, along_;
  double length2_;
  WayOut pierced_{0, -1, -infinity, false, Vector3::Zero()};
};

}  // namespace

void mesh_with_ball(MeshPair& pair, const Vector3& center) {
  if (leave_through_nearest(pair, center, vertex_feature(0))) return;
  const Vector3 reach = Vector3::Constant(pair.margin + pair.radius);
  visit_triangles(*pair.base.mesh, {center - reach, center + reach},
                  [&](int t) { add_foot(pair, t, center, vertex_feature(0), true); });
}

void mesh_with_capsule(MeshPair& pair, const Convex& capsule) {
  if (capsule.vertices().size() < 2) return mesh_with_ball(pair, capsule.vertices()[0]);
  CapsuleOnMesh(pair, capsule).find();
}

}  // namespace vinci
