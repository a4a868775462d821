// SPDX-License-Identifier: Apache-2.0
// Separating-axis search over faces and pairs of edges; pairs are pruned by the Gauss map (the arcs
// of normals of the two edges must cross) and by distance: at the deepest axis the two witness
// points are no farther apart than the best face's depth.
#include "vinci/collision/spatial_axis.h"

#include <algorithm>
#include <cmath>

#include "vinci/collision/spatial_distance.h"

namespace vinci {
namespace {

Vector3 edge_vector(const Convex& shape, const Polyhedron::Edge& edge) {
  return shape.vertices()[static_cast<std::size_t>(edge.head)] -
         shape.vertices()[static_cast<std::size_t>(edge.tail)];
}

// Do the normals of the edge's two faces lie on different sides of the plane with normal m?
bool arc_crosses(const Convex& shape, const Polyhedron::Edge& edge, const Vector3& m) {
  if (edge.left < 0) return true;  // a lone segment's normals are a whole circle
  return shape.normals()[static_cast<std::size_t>(edge.left)].dot(m) *
             shape.normals()[static_cast<std::size_t>(edge.right)].dot(m) <=
         0.0;
}

// Positive when n lies on the edge's arc rather than opposite to it; 0 for a lone segment.
double arc_side(const Convex& shape, const Polyhedron::Edge& edge, const Vector3& n) {
  if (edge.left < 0) return 0.0;
  return n.dot(shape.normals()[static_cast<std::size_t>(edge.left)] +
               shape.normals()[static_cast<std::size_t>(edge.right)]);
}

void offer_edge_pair(const Convex& a, const Polyhedron::Edge& edge_a, const Convex& b,
                     const Polyhedron::Edge& edge_b, Axis& best) {
  const Vector3 along_a = edge_vector(a, edge_a), along_b = edge_vector(b, edge_b);
  if (!arc_crosses(a, edge_a, along_b) || !arc_crosses(b, edge_b, along_a)) return;
  const Vector3 cross = along_a.cross(along_b);
  const double side_a = arc_side(a, edge_a, cross), side_b = arc_side(b, edge_b, cross);
  if (side_a * side_b > 0.0) return;  // n outward for a must be inward for b
  if (side_a > 0.0 || side_b < 0.0) {
    offer_axis(a, b, cross, best);
  } else if (side_a < 0.0 || side_b > 0.0) {
    offer_axis(a, b, -cross, best);
  } else {
    offer_axis(a, b, cross, best);
    offer_axis(a, b, -cross, best);
  }
}

void offer_box_edges(const Convex& a, const Convex& b, Axis& best) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const Vector3 cross = a.frame(i).cross(b.frame(j));
      // The sign that points from a to b is the better one: the gaps differ by twice n·(b − a).
      const double side = cross.dot(b.center() - a.center());
      if (side >= 0.0) offer_axis(a, b, cross, best);
      if (side <= 0.0) offer_axis(a, b, -cross, best);
    }
}

// Edges of `shape` that come into the slab lower <= n·x <= upper.
void edges_in_slab(const Convex& shape, const Vector3& n, double lower, double upper,
                   std::vector<int>& edges) {
  edges.clear();
  const auto vertices = shape.vertices();
  for (int e = 0; e < shape.edge_count(); ++e) {
    const Polyhedron::Edge edge = shape.edge(e);
    const double tail = n.dot(vertices[static_cast<std::size_t>(edge.tail)]);
    const double head = n.dot(vertices[static_cast<std::size_t>(edge.head)]);
    if (std::max(tail, head) >= lower && std::min(tail, head) <= upper) edges.push_back(e);
  }
}

void cull_edges(SpatialWorkspace& w, const Axis& flat) {
  double lower = -std::numeric_limits<double>::infinity(), upper = -lower;
  if (flat.flat >= 0) {
    const double reach = std::max(0.0, -flat.gap) + gap_tolerance(w.a, w.b, flat.gap);
    lower = w.b.lowest(flat.normal) - reach;
    upper = -w.a.lowest(-flat.normal) + reach;
  }
  if (!w.a.is_cylinder()) edges_in_slab(w.a, flat.normal, lower, upper, w.edges_a);
  if (!w.b.is_cylinder()) edges_in_slab(w.b, flat.normal, lower, upper, w.edges_b);
}

void offer_edge_pairs(SpatialWorkspace& w, Axis& best) {
  if (w.a.kind() == Convex::Kind::box && w.b.kind() == Convex::Kind::box)
    return offer_box_edges(w.a, w.b, best);
  for (const int i : w.edges_a)
    for (const int j : w.edges_b) offer_edge_pair(w.a, w.a.edge(i), w.b, w.b.edge(j), best);
}

// Directions that the final simplex of the distance algorithm names exactly: the offset, and the
// common normal of two edges (the offset loses its digits when the distance is tiny).
void offer_simplex(const Convex& a, const Convex& b, const ClosestPoints& closest, Axis& best) {
  offer_axis(a, b, closest.offset, best);
  for (int i = 0; i < closest.count; ++i)
    for (int j = 0; j < i; ++j) {
      const Vector3 along_a = closest.a[i].point - closest.a[j].point;
      for (int k = 0; k < closest.count; ++k)
        for (int l = 0; l < k; ++l) {
          const Vector3 cross = along_a.cross(closest.b[k].point - closest.b[l].point);
          offer_axis(a, b, closest.offset.dot(cross) >= 0.0 ? cross : Vector3(-cross), best);
        }
    }
}

}  // namespace

double gap_tolerance(const Convex& a, const Convex& b, double gap) {
  const double size = std::min(a.extent(), b.extent());
  const double other = std::max(a.extent(), b.extent());
  // The second term keeps the tolerance above the rounding of the larger shape's coordinates.
  return 1e-9 * size + 1e-14 * other + 1e-6 * std::abs(gap);
}

void offer_axis(const Convex& a, const Convex& b, const Vector3& direction, Axis& best) {
  const double length = direction.norm();
  // Cross products of parallel edges and vanishing offsets may be all rounding: any direction is a
  // valid bound, only zero is none.
  if (!(length > 1e-150)) return;
  const Vector3 n = direction / length;
  const double gap = gap_along(a, b, n, best.gap);
  if (gap > best.gap) best = {n, gap, -1, false};
}

Axis best_flat_axis(const Convex& a, const Convex& b, double margin) {
  Axis best;
  for (int f = 0; f < a.flat_count(); ++f) {
    const Vector3 n = a.flat_normal(f);
    const double offset = n.dot(a.flat_point(f));
    const double gap = b.lowest(n, best.gap + offset) - offset;
    if (best.flat < 0 || gap > best.gap + gap_tolerance(a, b, best.gap)) best = {n, gap, f, true};
    if (best.gap > margin) return best;
  }
  for (int f = 0; f < b.flat_count(); ++f) {
    const Vector3 n = b.flat_normal(f);
    const double offset = n.dot(b.flat_point(f));
    const double gap = a.lowest(n, best.gap + offset) - offset;
    if (best.flat < 0 || gap > best.gap + gap_tolerance(a, b, best.gap)) best = {-n, gap, f, false};
    if (best.gap > margin) return best;
  }
  return best;
}

Axis best_flat_axis_near(const Convex& a, const Convex& b, const Vector3& d, double cosine) {
  Axis best;
  for (const bool of_a : {true, false}) {
    const Convex& owner = of_a ? a : b;
    for (int f = 0; f < owner.flat_count(); ++f) {
      const Vector3 n = of_a ? owner.flat_normal(f) : Vector3(-owner.flat_normal(f));
      if (n.dot(d) < cosine) continue;
      const double gap = gap_along(a, b, n, best.gap);
      if (best.flat < 0 || gap > best.gap + gap_tolerance(a, b, best.gap)) best = {n, gap, f, of_a};
    }
  }
  return best;
}

Axis best_free_axis(SpatialWorkspace& w, const Axis& flat) {
  Axis best;
  if (flat.flat >= 0) best = {flat.normal, flat.gap, -1, false};
  const Vector3 between = w.b.center() - w.a.center();
  const Vector3 guess =
      flat.flat >= 0 ? flat.normal : (between.isZero(0.0) ? Vector3(Vector3::UnitZ()) : between);
  const ClosestPoints closest = closest_points(w.a, w.b, guess);
  const bool cylinders = w.a.is_cylinder() || w.b.is_cylinder();
  const bool both = w.a.is_cylinder() && w.b.is_cylinder();
  if (!closest.overlap) {
    offer_simplex(w.a, w.b, closest, best);
    if (cylinders) {
      const Vector3 start = closest.offset.normalized();
      both ? offer_cylinder_cylinder(w.a, w.b, &start, best)
           : offer_cylinder_polytope(w, &start, best);
    }
    // The direction is proved when its gap reaches the distance; else the offset was all rounding.
    const double distance = closest.offset.norm();
    if (best.gap >= distance - gap_tolerance(w.a, w.b, distance)) return best;
  }
  cull_edges(w, flat);
  if (!cylinders) {
    offer_edge_pairs(w, best);
  } else {
    both ? offer_cylinder_cylinder(w.a, w.b, nullptr, best)
         : offer_cylinder_polytope(w, nullptr, best);
  }
  return best;
}

}  // namespace vinci
