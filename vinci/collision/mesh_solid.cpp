// SPDX-License-Identifier: Apache-2.0
// Cylinders and half-spaces against a mesh. A cylinder's points that face a flat are those that
// stand for it on a plane; corners of the mesh against it have a closed form, edges go through the
// narrow phase of convex shapes as capsules of radius 0.
#include <algorithm>
#include <cmath>

#include "vinci/collision/mesh_contacts.h"
#include "vinci/collision/mesh_through.h"
#include "vinci/collision/spatial_feature.h"

namespace vinci {

namespace {

using Kind = TriangleMesh::Edge::Kind;

class CylinderOnMesh {
 public:
  CylinderOnMesh(MeshPair& pair, const Shape& shape, const Pose& pose, SpatialWorkspace& spatial)
      : pair_(pair), shape_(shape), pose_(pose), spatial_(spatial) {
    cylinder_.place(shape, pose.position, pose.rotation);
  }

  void find() {
    Box3 box = bounding_box(shape_, pose_);
    box.lower.array() -= pair_.margin;
    box.upper.array() += pair_.margin;
    auto& near = pair_.work.stack;  // triangles by their flats
    near.clear();
    visit_triangles(*pair_.base.mesh, box, [&](int t) { triangle(t, box); });
    take_ways_out(pair_, nullptr, cylinder_.center());
    std::sort(near.begin(), near.end());
    double least = infinity;
    for (const MeshContact& c : pair_.work.found) least = std::min(least, c.gap);
    leave_deep(least <= pair_.tolerance);
  }

  // For WayThrough.
  Vector3 support(const Vector3& n) const { return cylinder_.support(n).point; }
  const Vector3& center() const { return cylinder_.center(); }
  double depth_of_point(const Vector3& x) const {
    const Vector3 arm = x - cylinder_.center();
    return std::min(cylinder_.half_height() - std::abs(arm.dot(cylinder_.axis())),
                    cylinder_.cylinder_radius() - cylinder_.perpendicular(arm).norm());
  }
  double depth_of_edge(int e) {
    double depth = 0.0;
    for (const ContactPoint& c : against_segment(e, -pair_.tolerance))
      depth = std::max(depth, -c.gap);
    return depth;
  }

 private:
  void triangle(int t, const Box3& box) {
    if (!boxes_meet(pair_.base.triangle_box(t), box)) return;
    const TriangleMesh& mesh = *pair_.base.mesh;
    const int flat = mesh.flat_of[static_cast<std::size_t>(t)];
    pair_.work.stack.emplace_back(flat, t);
    const Vector3& n = mesh.flats[static_cast<std::size_t>(flat)].normal;
    visit_facing_points(cylinder_, -n, [&](const Vector3& x, std::uint32_t name) {
      const double height = pair_.base.height(flat, x);
      if (height > pair_.margin || !pair_.base.is_over(t, x, pair_.tolerance, pair_.concave))
        return;
      if (height >= -pair_.tolerance)
        add(x - height * n, face_feature(flat), x, name, n, height);
      else
        pair_.work.ways.push_back({static_cast<int>(name), flat, height, false, x});
    });
    const auto& own = mesh.owned[static_cast<std::size_t>(t)];
    for (std::size_t k = 0; k < 3; ++k) {
      if (own & (1 << k)) edge(mesh.triangle_edges[static_cast<std::size_t>(t)][k]);
      if (own & (8 << k)) corner(mesh.triangles[static_cast<std::size_t>(t)][k]);
    }
  }

  void add(const Vector3& on_base, std::uint32_t base_feature, const Vector3& on_other,
           std::uint32_t other_feature, const Vector3& n, double gap) {
    MeshContact c;
    c.base_feature = base_feature;
    c.other_feature = other_feature;
    c.base_point = on_base;
    c.other_point = on_other;
    c.normal = n;
    c.gap = gap;
    pair_.work.found.push_back(c);
  }

  // From outside the nearest point; from inside the cap or the side, whichever is nearer and
  // allowed by the corner.
  void corner(int v) {
    const Vector3 x = pair_.base.vertex(v), arm = x - cylinder_.center();
    const Vector3 radial = cylinder_.perpendicular(arm);
    const double distance = radial.norm(), height = arm.dot(cylinder_.axis());
    const Vector3 side = distance > 0.0 ? Vector3(radial / distance) : cylinder_.frame(0);
    const Vector3 up = height >= 0.0 ? cylinder_.axis() : Vector3(-cylinder_.axis());
    const int cap = height >= 0.0 ? 0 : 1;
    const double over = std::abs(height) - cylinder_.half_height();
    const double out = distance - cylinder_.cylinder_radius();
    if (over > 0.0 && out > 0.0) {
      const Vector3 offset = over * up + out * side;
      corner_at(v, x, edge_feature(cap, cap), offset.normalized(), offset.norm());
      return;
    }
    const bool cap_first = over >= out;
    for (int i = 0; i < 2; ++i) {
      const bool by_cap = cap_first == (i == 0);
      if (corner_at(v, x, by_cap ? face_feature(cap) : face_feature(2), by_cap ? up : side,
                    by_cap ? over : out) ||
          std::max(over, out) > 0.0)
        return;
    }
  }

  bool corner_at(int v, const Vector3& x, std::uint32_t name, const Vector3& outward, double gap) {
    if (gap > pair_.margin || !pair_.base.vertex_faces(v, -outward, cone_slack)) return false;
    add(x, vertex_feature(v), x - gap * outward, name, -outward, gap);
    return true;
  }

  void edge(int e) {
    if (pair_.base.mesh->edges[static_cast<std::size_t>(e)].kind == Kind::concave) return;
    for (const ContactPoint& c : against_segment(e, pair_.margin))
      if (c.feature_a == edge_feature(0, 1) && pair_.base.edge_faces(e, c.normal, cone_slack))
        add(c.point_a, mesh_edge_feature(e), c.point_b, c.feature_b, c.normal, c.gap);
  }

  const std::vector<ContactPoint>& against_segment(int e, double margin) {
    const TriangleMesh::Edge& edge = pair_.base.mesh->edges[static_cast<std::size_t>(e)];
    const Vector3 p = pair_.base.vertex(edge.tail), q = pair_.base.vertex(edge.head);
    const Shape segment = Capsule{0.5 * (q - p), 0.0};
    auto& points = pair_.work.points;
    points.clear();
    collide_spatial({&segment, {0.5 * (p + q), Quaternion::Identity()}, &shape_, pose_}, margin,
                    spatial_, points);
    return points;
  }

  // Through a wall, or wholly inside: out through the shallowest of the faces that cut it, or the
  // one that is nearest to its middle.
  void leave_deep(bool touches) {
    const auto [flat, height] = WayThrough(pair_, *this).find(touches);
    if (flat < 0) return;
    const Vector3& n = pair_.base.mesh->flats[static_cast<std::size_t>(flat)].normal;
    const Vector3 x = support(-n);
    add(x - height * n, face_feature(flat), x, edge_feature(0, 0), n, height);
  }

  MeshPair& pair_;
  const Shape& shape_;
  const Pose& pose_;
  SpatialWorkspace& spatial_;
  Convex cylinder_;
};

}  // namespace

void mesh_with_cylinder(MeshPair& pair, const Shape& shape, const Pose& pose,
                        SpatialWorkspace& spatial) {
  CylinderOnMesh(pair, shape, pose, spatial).find();
}

void mesh_with_half_space(MeshPair& pair, const Vector3& point, const Vector3& normal) {
  const TriangleMesh& mesh = *pair.base.mesh;
  std::array<int, 128> stack;
  std::size_t count = 0;
  stack[count++] = 0;
  while (count > 0) {
    const TriangleMesh::Node& node = mesh.nodes[static_cast<std::size_t>(stack[--count])];
    const Vector3 center = 0.5 * (node.box.lower + node.box.upper),
                  half = 0.5 * (node.box.upper - node.box.lower);
    if (normal.dot(center - point) - normal.cwiseAbs().dot(half) > pair.margin) continue;
    if (node.left >= 0) {
      stack[count++] = node.left + 1;
      stack[count++] = node.left;
      continue;
    }
    for (int i = node.first; i < node.first + node.count; ++i) {
      const auto t = static_cast<std::size_t>(mesh.order[static_cast<std::size_t>(i)]);
      for (std::size_t k = 0; k < 3; ++k) {
        if (!(mesh.owned[t] & (8 << k))) continue;
        const int v = mesh.triangles[t][k];
        const Vector3& x = mesh.vertices[static_cast<std::size_t>(v)];
        const double gap = normal.dot(x - point);
        if (gap > pair.margin || !pair.base.vertex_may_touch(v, -normal)) continue;
        MeshContact c;
        c.base_feature = vertex_feature(v);
        c.other_feature = face_feature(0);
        c.base_point = x;
        c.other_point = x - gap * normal;
        c.normal = -normal;
        c.gap = gap;
        c.other_flat = 0;
        c.base_vertex = v;
        pair.work.found.push_back(c);
      }
    }
  }
}

}  // namespace vinci
