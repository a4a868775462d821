// SPDX-License-Identifier: Apache-2.0
// Two surfaces of triangles: corners over faces, edges that cross, and, apart, corners beside edges
// and corners. The trees are walked against each other; each corner and edge is looked at once per
// triangle of the other surface, through the triangle that owns it.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "vinci/collision/mesh_contacts.h"
#include "vinci/collision/mesh_through.h"
#include "vinci/collision/spatial_feature.h"

namespace vinci {

namespace {

using Kind = TriangleMesh::Edge::Kind;

// Edges that cross at less than this sine have a normal that small turns change much: only exact
// cones count.
constexpr double steady_sine = 0.1;
constexpr double cone_rounding = 1e-9;
constexpr double parallel_sine = 1e-6;

bool grown_boxes_meet(const Box3& a, const Box3& b, double by) {
  return ((a.lower.array() - by) <= b.upper.array()).all() &&
         ((b.lower.array() - by) <= a.upper.array()).all();
}

class SurfacePair {
 public:
  // Triangles as near as `reach` are looked at.
  SurfacePair(MeshPair& pair, const PlacedSurface& other, double reach)
      : pair_(pair), other_(other), reach_(reach) {}

  void find() {
    auto& stack = pair_.work.stack;
    stack.assign(1, {0, 0});
    while (!stack.empty()) {
      const auto [i, j] = stack.back();
      stack.pop_back();
      const TriangleMesh::Node& p = pair_.base.mesh->nodes[static_cast<std::size_t>(i)];
      const TriangleMesh::Node& q = other_.mesh->nodes[static_cast<std::size_t>(j)];
      if (!grown_boxes_meet(p.box, other_.box_of(q.box), reach_)) continue;
      if (p.left < 0 && q.left < 0) {
        leaves(p, q);
      } else if (q.left < 0 || (p.left >= 0 && p.count >= q.count)) {
        stack.emplace_back(p.left, j);
        stack.emplace_back(p.left + 1, j);
      } else {
        stack.emplace_back(i, q.left);
        stack.emplace_back(i, q.left + 1);
      }
    }
  }

  // Edges that pass through faces, deeper than all that was found explains: the part of each that
  // is inside leaves through the face where it came in or went out, whichever is less far; the
  // deepest of them counts.
  bool leave_pierced() {
    const double explained = unexplained_ratio * depth_of_contacts(pair_) + pair_.tolerance;
    auto& all = pair_.work.pierced;
    std::sort(all.begin(), all.end(), [](const Pierced& a, const Pierced& b) {
      return std::tie(a.of_base, a.edge, a.s, a.flat) < std::tie(b.of_base, b.edge, b.s, b.flat);
    });
    MeshContact deepest;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Pierced& here = all[i];
      const bool first = i == 0 || !is_same_edge(all[i - 1], here);
      const bool last = i + 1 == all.size() || !is_same_edge(here, all[i + 1]);
      if (here.enters && !last) {
        const Pierced& next = all[i + 1];
        // No point is deeper than it is far from the surface.
        if (!(0.5 * (next.point - here.point).norm() > explained)) continue;
        const double depth = depth_of(here, 0.5 * (here.point + next.point));
        if (!(depth > explained)) continue;
        const MeshContact back = way_out(here, next.point, depth),
                          on = way_out(next, here.point, depth);
        keep_deeper(back.gap >= on.gap ? back : on, deepest);
      } else if ((here.enters && last) || (!here.enters && first)) {
        const Vector3 end = end_of(here, here.enters);
        if (!((end - here.point).norm() > explained)) continue;
        if (const double depth = depth_of(here, end); depth > explained)
          keep_deeper(way_out(here, end, depth), deepest);
      }
    }
    if (deepest.gap < 0.0) pair_.work.found.push_back(deepest);
    return deepest.gap < 0.0;
  }

 private:
  void leaves(const TriangleMesh::Node& p, const TriangleMesh::Node& q) {
    for (int j = q.first; j < q.first + q.count; ++j) {
      const int t = other_.mesh->order[static_cast<std::size_t>(j)];
      const Box3 box = other_.triangle_box(t);
      if (!grown_boxes_meet(p.box, box, reach_)) continue;
      for (int i = p.first; i < p.first + p.count; ++i) {
        const int s = pair_.base.mesh->order[static_cast<std::size_t>(i)];
        const Box3 box_s = pair_.base.triangle_box(s);
        if (!grown_boxes_meet(box_s, box, reach_)) continue;
        triangles(s, t);
        if (boxes_meet(box_s, box)) {
          pierce(pair_.base, s, other_, t, false);
          pierce(other_, t, pair_.base, s, true);
        }
      }
    }
  }

  void triangles(int s, int t) {
    const std::uint8_t own_s = pair_.base.mesh->owned[static_cast<std::size_t>(s)],
                       own_t = other_.mesh->owned[static_cast<std::size_t>(t)];
    const auto& corners_s = pair_.base.mesh->triangles[static_cast<std::size_t>(s)];
    const auto& corners_t = other_.mesh->triangles[static_cast<std::size_t>(t)];
    const auto& edges_s = pair_.base.mesh->triangle_edges[static_cast<std::size_t>(s)];
    const auto& edges_t = other_.mesh->triangle_edges[static_cast<std::size_t>(t)];
    for (std::size_t k = 0; k < 3; ++k) {
      if (own_t & (8 << k)) corner_over(pair_.base, s, other_, corners_t[k], false);
      if (own_s & (8 << k)) corner_over(other_, t, pair_.base, corners_s[k], true);
    }
    for (std::size_t k = 0; k < 3; ++k) {
      if (!(own_s & (1 << k)) || !is_sharp(*pair_.base.mesh, edges_s[k])) continue;
      for (std::size_t l = 0; l < 3; ++l) {
        if ((own_t & (1 << l)) && is_sharp(*other_.mesh, edges_t[l])) cross(edges_s[k], edges_t[l]);
        if (own_t & (8 << l)) beside(pair_.base, edges_s[k], other_, corners_t[l], false);
      }
    }
    for (std::size_t l = 0; l < 3; ++l) {
      if ((own_t & (1 << l)) && is_sharp(*other_.mesh, edges_t[l]))
        for (std::size_t k = 0; k < 3; ++k)
          if (own_s & (8 << k)) beside(other_, edges_t[l], pair_.base, corners_s[k], true);
      if (own_t & (8 << l))
        for (std::size_t k = 0; k < 3; ++k)
          if (own_s & (8 << k)) opposite(corners_s[k], corners_t[l]);
    }
  }

  // Edges of a triangle of `owner` through one of `ground`.
  void pierce(const PlacedSurface& ground, int s, const PlacedSurface& owner, int t, bool of_base) {
    const int flat = ground.mesh->flat_of[static_cast<std::size_t>(s)];
    for (const int e : owner.mesh->triangle_edges[static_cast<std::size_t>(t)]) {
      const TriangleMesh::Edge& edge = owner.mesh->edges[static_cast<std::size_t>(e)];
      if (edge.left != t) continue;
      const Vector3 p = owner.vertex(edge.tail), q = owner.vertex(edge.head);
      const double from = ground.height(flat, p), to = ground.height(flat, q);
      if ((from < 0.0) == (to < 0.0)) continue;
      const double at = from / (from - to);
      const Vector3 x = p + at * (q - p);
      if (ground.is_over(s, x, 0.0, 0.0))
        pair_.work.pierced.push_back({of_base, from >= 0.0, e, flat, at, x});
    }
  }

  static bool is_same_edge(const Pierced& a, const Pierced& b) {
    return a.of_base == b.of_base && a.edge == b.edge;
  }

  Vector3 end_of(const Pierced& pierced, bool head) const {
    const PlacedSurface& owner = pierced.of_base ? pair_.base : other_;
    const TriangleMesh::Edge& edge = owner.mesh->edges[static_cast<std::size_t>(pierced.edge)];
    return owner.vertex(head ? edge.head : edge.tail);
  }

  double depth_of(const Pierced& pierced, const Vector3& x) const {
    return (pierced.of_base ? other_ : pair_.base).depth(x);
  }

  // The point `inner` of the edge, out through the face that was pierced; no farther than a few
  // times the depth that there is.
  MeshContact way_out(const Pierced& pierced, const Vector3& inner, double depth) const {
    constexpr double farther = 4.0;
    const PlacedSurface& ground = pierced.of_base ? other_ : pair_.base;
    const Vector3 n = ground.normal(pierced.flat);
    MeshContact c;
    c.gap = std::max(ground.height(pierced.flat, inner), -farther * depth);
    const Vector3 onto = inner - c.gap * n;
    c.normal = pierced.of_base ? Vector3(-n) : n;
    c.base_point = pierced.of_base ? inner : onto;
    c.other_point = pierced.of_base ? onto : inner;
    const std::uint32_t edge = mesh_edge_feature(pierced.edge), face = face_feature(pierced.flat);
    c.base_feature = pierced.of_base ? edge : face;
    c.other_feature = pierced.of_base ? face : edge;
    return c;
  }

  static void keep_deeper(const MeshContact& c, MeshContact& deepest) {
    if (c.gap < deepest.gap) deepest = c;
  }

  static bool is_sharp(const TriangleMesh& mesh, int edge) {
    const Kind kind = mesh.edges[static_cast<std::size_t>(edge)].kind;
    return kind == Kind::convex || kind == Kind::border;
  }

  // `on` is the base iff not `of_base`: the corner is the base's then.
  void add(bool of_base, const Vector3& on_face, std::uint32_t face, const Vector3& corner,
           std::uint32_t name, const Vector3& outward, double gap, int flat, int vertex) {
    MeshContact c;
    c.gap = gap;
    c.normal = of_base ? Vector3(-outward) : outward;
    c.base_point = of_base ? corner : on_face;
    c.other_point = of_base ? on_face : corner;
    c.base_feature = of_base ? name : face;
    c.other_feature = of_base ? face : name;
    (of_base ? c.other_flat : c.base_flat) = flat;
    (of_base ? c.base_vertex : c.other_vertex) = vertex;
    pair_.work.found.push_back(c);
  }

  void corner_over(const PlacedSurface& ground, int triangle, const PlacedSurface& owner,
                   int vertex, bool of_base) {
    const int flat = ground.mesh->flat_of[static_cast<std::size_t>(triangle)];
    const Vector3 x = owner.vertex(vertex);
    const double height = ground.height(flat, x);
    if (!(height <= pair_.margin)) return;
    const Vector3 n = ground.normal(flat);
    if (height >= -pair_.tolerance ? !owner.vertex_may_touch(vertex, -n)
                                   : !owner.vertex_faces(vertex, -n, cone_slack))
      return;
    if (!ground.is_over(triangle, x, pair_.tolerance, pair_.concave)) return;
    if (height >= -pair_.tolerance)
      add(of_base, x - height * n, face_feature(flat), x, vertex_feature(vertex), n, height, flat,
          vertex);
    else
      pair_.work.ways.push_back({vertex, flat, height, of_base, x});
  }

  void cross(int e, int f) {
    const TriangleMesh::Edge& a = pair_.base.mesh->edges[static_cast<std::size_t>(e)];
    const TriangleMesh::Edge& b = other_.mesh->edges[static_cast<std::size_t>(f)];
    const Vector3 p = pair_.base.vertex(a.tail), q = other_.vertex(b.tail);
    const Vector3 u = pair_.base.vertex(a.head) - p, v = other_.vertex(b.head) - q;
    Vector3 n = u.cross(v);
    const double square = n.squaredNorm(), lengths = u.squaredNorm() * v.squaredNorm();
    if (!(square > parallel_sine * parallel_sine * lengths)) return;
    const double s = n.dot((q - p).cross(v)) / square, t = n.dot((q - p).cross(u)) / square;
    if (!within(s, u) || !within(t, v)) return;
    n /= std::sqrt(square);
    if (n.dot(outward_of(pair_.base, a)) < 0.0) n = -n;
    const Vector3 x = p + s * u, y = q + t * v;
    const double gap = n.dot(y - x);
    if (!(gap <= pair_.margin)) return;
    const double slack = square > steady_sine * steady_sine * lengths ? cone_slack : cone_rounding;
    if (!pair_.base.edge_faces(e, n, slack) || !other_.edge_faces(f, -n, slack)) return;
    MeshContact c;
    c.base_feature = mesh_edge_feature(e);
    c.other_feature = mesh_edge_feature(f);
    c.base_point = x;
    c.other_point = y;
    c.normal = n;
    c.gap = gap;
    (gap >= -pair_.tolerance ? pair_.work.found : pair_.work.crossings).push_back(c);
  }

  bool within(double s, const Vector3& along) const {
    const double beyond = s < 0.0 ? s : (s > 1.0 ? s - 1.0 : 0.0);
    return beyond * beyond * along.squaredNorm() <= pair_.tolerance * pair_.tolerance;
  }

  static Vector3 outward_of(const PlacedSurface& surface, const TriangleMesh::Edge& edge) {
    Vector3 sum = surface.mesh->flat(edge.left).normal;
    if (edge.right >= 0) sum += surface.mesh->flat(edge.right).normal;
    return surface.rotation * sum;
  }

  // A corner nearest to the inside of an edge; they are apart.
  void beside(const PlacedSurface& ground, int e, const PlacedSurface& owner, int vertex,
              bool of_base) {
    const TriangleMesh::Edge& edge = ground.mesh->edges[static_cast<std::size_t>(e)];
    const Vector3 p = ground.vertex(edge.tail), u = ground.vertex(edge.head) - p;
    const Vector3 x = owner.vertex(vertex);
    const double s = (x - p).dot(u) / u.squaredNorm();
    if (!(s > 0.0 && s < 1.0)) return;
    const Vector3 foot = p + s * u, offset = x - foot;
    const double distance = offset.norm();
    if (!(distance > pair_.tolerance) || distance > pair_.margin) return;
    const Vector3 n = offset / distance;
    if (!ground.edge_faces(e, n, cone_rounding) || !owner.vertex_faces(vertex, -n, cone_slack))
      return;
    add(of_base, foot, mesh_edge_feature(e), x, vertex_feature(vertex), n, distance, -1, -1);
  }

  void opposite(int v, int w) {
    const Vector3 x = pair_.base.vertex(v), y = other_.vertex(w), offset = y - x;
    const double distance = offset.norm();
    if (!(distance > pair_.tolerance) || distance > pair_.margin) return;
    const Vector3 n = offset / distance;
    if (!pair_.base.vertex_faces(v, n, cone_rounding) || !other_.vertex_faces(w, -n, cone_rounding))
      return;
    add(false, x, vertex_feature(v), y, vertex_feature(w), n, distance, -1, -1);
  }

  MeshPair& pair_;
  const PlacedSurface& other_;
  double reach_;
};

// Edges that have passed each other: each must really be inside the other shape. Where they are
// deep, the way along their normal must be a short one too: not deeper than corners are, of which
// it is known that they leave the nearest way, and not far longer than the way to the nearest face.
void take_crossings(MeshPair& pair, const PlacedSurface& other) {
  constexpr double alike = 2.0, longer = 4.0;
  double depth = 0.0;
  for (const MeshContact& c : pair.work.found) depth = std::max(depth, -c.gap);
  for (const MeshContact& c : pair.work.crossings) {
    const double under_base = pair.base.depth(c.other_point),
                 under_other = other.depth(c.base_point);
    if (!(under_base > 0.0 && under_other > 0.0)) continue;
    if (-c.gap > pair.concave && ((depth > pair.concave && -c.gap > alike * depth) ||
                                  -c.gap > longer * std::max(under_base, under_other)))
      continue;
    pair.work.found.push_back(c);
  }
}

double least_gap_of(const std::vector<MeshContact>& contacts) {
  double least = infinity;
  for (const MeshContact& c : contacts) least = std::min(least, c.gap);
  return least;
}

int lowest_vertex(const PlacedSurface& surface, const Vector3& n) {
  int lowest = 0;
  double low = infinity;
  for (std::size_t v = 0; v < surface.mesh->vertices.size(); ++v)
    if (const double d = n.dot(surface.vertex(static_cast<int>(v))); d < low)
      low = d, lowest = static_cast<int>(v);
  return lowest;
}

// Nothing touches, but one shape may be wholly within the other: out through the face that is
// nearest to its middle, or along the line between the middles.
void look_for_inclusion(MeshPair& pair, const PlacedSurface& other) {
  const TriangleMesh& mesh = *pair.base.mesh;
  const Box3 whole = other.box_of(other.mesh->box);
  if (!boxes_meet(whole, mesh.box)) return;
  const Vector3 middle = 0.5 * (whole.lower + whole.upper);
  MeshContact c;
  if (mesh.closed && pair.base.depth(other.vertex(0)) > pair.tolerance) {
    const MeshFoot foot = nearest_point(mesh, middle);
    const int flat = mesh.flat_of[static_cast<std::size_t>(foot.triangle)];
    c.normal = mesh.flats[static_cast<std::size_t>(flat)].normal;
    const int lowest = lowest_vertex(other, c.normal);
    c.other_point = other.vertex(lowest);
    c.gap = pair.base.height(flat, c.other_point);
    c.base_point = c.other_point - c.gap * c.normal;
    c.base_feature = face_feature(flat);
    c.other_feature = vertex_feature(lowest);
  } else if (other.mesh->closed && other.depth(pair.base.vertex(0)) > pair.tolerance) {
    const Vector3 line = middle - 0.5 * (mesh.box.lower + mesh.box.upper);
    c.normal = line.norm() > pair.tolerance ? Vector3(line.normalized()) : Vector3::UnitZ();
    const int low = lowest_vertex(other, c.normal), high = lowest_vertex(pair.base, -c.normal);
    c.other_point = other.vertex(low);
    c.base_point = pair.base.vertex(high);
    c.gap = c.normal.dot(c.other_point - c.base_point);
    c.base_feature = vertex_feature(high);
    c.other_feature = vertex_feature(low);
  }
  if (c.gap < 0.0) pair.work.found.push_back(c);
}

}  // namespace

void mesh_with_surface(MeshPair& pair, const PlacedSurface& other) {
  // Corners of triangles that are behind a surface as a whole, deeper than the margin, show only to
  // a search that reaches as far as they are deep.
  constexpr int most_searches = 8;
  double reach = pair.margin + pair.tolerance;
  for (int search = 1;; ++search) {
    MeshWorkspace& work = pair.work;
    work.found.clear(), work.crossings.clear(), work.ways.clear(), work.pierced.clear();
    SurfacePair walk(pair, other, reach);
    walk.find();
    take_ways_out(pair, &other);
    take_crossings(pair, other);
    const double least = least_gap_of(work.found);
    if (!(-least > reach) || search == most_searches) {
      const bool pierced = walk.leave_pierced();
      if (!pierced && least > pair.tolerance) look_for_inclusion(pair, other);
      const double depth = depth_of_contacts(pair);
      if (!pierced || !(depth > reach) || search == most_searches) return;
      reach = 2.0 * depth;
      continue;
    }
    reach = -2.0 * least;
  }
}

}  // namespace vinci
