// SPDX-License-Identifier: Apache-2.0
// Superquadrics against a mesh. A flat is touched by the points that the superquadric has on its
// plane, those that lie over the flat; corners and edges of the mesh go through the search of
// superquadrics as points and segments, and count within their normal cones.
#include <algorithm>
#include <cmath>

#include "vinci/collision/mesh_contacts.h"
#include "vinci/collision/mesh_through.h"
#include "vinci/collision/spatial_superquadric.h"

namespace vinci {

namespace {

using Kind = TriangleMesh::Edge::Kind;

// A point inside leaves through a flat if that way is at most this much longer than the shortest.
constexpr double longer_way = 2.0;
// An edge of which the nearest point is an end goes on beyond it, or its corner is what is near.
constexpr double level_sine = 1e-6;
constexpr double exact_cone = 1e-9;

class SuperquadricOnMesh {
 public:
  SuperquadricOnMesh(MeshPair& pair, const Shape& shape, const Pose& pose,
                     SpatialWorkspace& spatial)
      : pair_(pair),
        mesh_(*pair.base.mesh),
        shape_(shape),
        set_(std::get<Superquadric>(shape), pose.position, pose.rotation),
        pose_(pose),
        spatial_(spatial) {}

  void find() {
    Box3 box = bounding_box(shape_, pose_);
    box.lower.array() -= pair_.margin;
    box.upper.array() += pair_.margin;
    auto& near = pair_.work.stack;  // triangles by their flats
    near.clear();
    visit_triangles(mesh_, box, [&](int t) {
      if (!boxes_meet(pair_.base.triangle_box(t), box)) return;
      near.emplace_back(mesh_.flat_of[static_cast<std::size_t>(t)], t);
      const auto own = mesh_.owned[static_cast<std::size_t>(t)];
      for (std::size_t k = 0; k < 3; ++k) {
        if (own & (1 << k)) edge(mesh_.triangle_edges[static_cast<std::size_t>(t)][k]);
        if (own & (8 << k)) corner(mesh_.triangles[static_cast<std::size_t>(t)][k]);
      }
    });
    std::sort(near.begin(), near.end());
    visit_flats(pair_, [&](std::size_t first, std::size_t end) { flat(first, end); });
    double least = infinity;
    for (const MeshContact& c : pair_.work.found) least = std::min(least, c.gap);
    leave_deep(least <= pair_.tolerance);
  }

  // For WayThrough.
  Vector3 support(const Vector3& n) const { return set_.support(n); }
  const Vector3& center() const { return set_.center(); }
  double depth_of_point(const Vector3& x) { return deepest_of(against_point(x, -pair_.tolerance)); }
  double depth_of_edge(int e) {
    return deepest_of(against_segment(mesh_.edges[static_cast<std::size_t>(e)], -pair_.tolerance));
  }

 private:
  static double deepest_of(const std::vector<ContactPoint>& points) {
    double depth = 0.0;
    for (const ContactPoint& c : points) depth = std::max(depth, -c.gap);
    return depth;
  }

  void add(std::uint32_t base_feature, const ContactPoint& c, int flat = -1) {
    MeshContact found;
    found.base_feature = base_feature;
    found.other_feature = c.feature_b;
    found.base_point = c.point_a;
    found.other_point = c.point_b;
    found.normal = c.normal;
    found.gap = c.gap;
    found.base_flat = flat;
    pair_.work.found.push_back(found);
  }

  // Triangles first to end of the list are those of one flat.
  void flat(std::size_t first, std::size_t end) {
    const int f = pair_.work.stack[first].first;
    const Vector3& n = mesh_.flats[static_cast<std::size_t>(f)].normal;
    auto& points = pair_.work.points;
    points.clear();
    collide_plane_superquadric(set_, n, mesh_.flats[static_cast<std::size_t>(f)].offset * n,
                               pair_.margin, points);
    for (const ContactPoint& c : points) {
      if (!is_over_flat(pair_, first, end, c.point_b, pair_.tolerance, pair_.concave)) continue;
      if (c.gap < -pair_.tolerance && -c.gap > longer_way * pair_.base.depth(c.point_b)) continue;
      add(face_feature(f), c, f);
    }
  }

  // A deep way out must be one for the faces around the feature too: only exact cones tell so.
  double slack_of(double gap) const { return gap < -pair_.concave ? exact_cone : cone_slack; }

  void edge(int e) {
    const TriangleMesh::Edge& edge = mesh_.edges[static_cast<std::size_t>(e)];
    if (edge.kind == Kind::concave || edge.kind == Kind::flat) return;
    const Vector3 p = pair_.base.vertex(edge.tail), u = pair_.base.vertex(edge.head) - p;
    const double length = u.norm();
    for (const ContactPoint& c : against_segment(edge, pair_.margin)) {
      const double along = (c.point_a - p).dot(u) / length;
      const bool at_end = !(std::min(along, length - along) > pair_.tolerance);
      if (at_end && c.feature_a != edge_feature(0, 1)) continue;
      const double slack = slack_of(c.gap);
      const double level = at_end ? level_sine : std::max(level_sine, slack);
      if (std::abs(c.normal.dot(u)) <= level * length && pair_.base.edge_faces(e, c.normal, slack))
        add(mesh_edge_feature(e), c);
    }
  }

  const std::vector<ContactPoint>& against_segment(const TriangleMesh::Edge& edge, double margin) {
    const Vector3 p = pair_.base.vertex(edge.tail), q = pair_.base.vertex(edge.head);
    const Shape segment = Capsule{0.5 * (q - p), 0.0};
    auto& points = pair_.work.points;
    points.clear();
    collide_superquadric({&segment, {0.5 * (p + q), Quaternion::Identity()}, &shape_, pose_},
                         margin, spatial_, points);
    return points;
  }

  const std::vector<ContactPoint>& against_point(const Vector3& x, double margin) {
    const Shape point = Sphere{0.0};
    auto& points = pair_.work.points;
    points.clear();
    collide_superquadric({&point, {x, Quaternion::Identity()}, &shape_, pose_}, margin, spatial_,
                         points);
    return points;
  }

  void corner(int v) {
    for (const ContactPoint& c : against_point(pair_.base.vertex(v), pair_.margin))
      if (pair_.base.vertex_faces(v, c.normal, slack_of(c.gap))) add(vertex_feature(v), c);
  }

  // Through a wall, or wholly inside: out through the shallowest of the flats that cut it, or the
  // one that is nearest to its middle.
  void leave_deep(bool touches) {
    const auto [best, height] = WayThrough(pair_, *this).find(touches);
    if (best < 0) return;
    const Vector3& n = mesh_.flats[static_cast<std::size_t>(best)].normal;
    const Vector3 x = set_.support(-n);
    add(face_feature(best), {face_feature(best), 1, x - height * n, x, n, height}, best);
  }

  MeshPair& pair_;
  const TriangleMesh& mesh_;
  const Shape& shape_;
  SpatialSet set_;
  const Pose& pose_;
  SpatialWorkspace& spatial_;
};

}  // namespace

void mesh_with_superquadric(MeshPair& pair, const Shape& shape, const Pose& pose,
                            SpatialWorkspace& spatial) {
  SuperquadricOnMesh(pair, shape, pose, spatial).find();
}

}  // namespace vinci
