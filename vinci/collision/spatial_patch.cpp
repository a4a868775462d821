// SPDX-License-Identifier: Apache-2.0
// Intersection of facing features. Points of the two shapes are always taken in pairs that differ
// along one direction m alone: the normal of the face beneath a vertex, the common normal of two
// edges, or the axis. When b has been moved until it touches (PatchEmitter::set_shift), the axis n
// separates the two, so that with n·m > 0 no pair lies deeper than the axis' own gap.
#include "vinci/collision/spatial_patch.h"

#include <algorithm>
#include <cmath>

#include "vinci/collision/spatial_feature.h"

namespace vinci {
namespace {

// Two features and which of them belongs to shape a.
struct Facing {
  const Feature& first;
  const Feature& second;
  bool first_is_a;
  PatchEmitter& emitter;

  void emit(const Vector3& on_first, std::uint32_t name_first, const Vector3& on_second,
            std::uint32_t name_second) const {
    if (first_is_a)
      emitter.emit(on_first, name_first, on_second, name_second);
    else
      emitter.emit(on_second, name_second, on_first, name_first);
  }
};

// The cosine of patch_angle (see spatial_patch.h).
constexpr double patch_cosine = 0.96891242171064473;
// Edges that cross at less than this sine have no common normal to rely on: a tilt of the faces by
// a milliradian would turn it by ten.
constexpr double crossing_sine = 0.1;

// Moves x along n onto the plane of a polygon or disk; false when the plane is too steep to n.
bool drop_onto(const Feature& flat, const Vector3& n, const Vector3& x, Vector3& onto) {
  const Vector3 m = flat.shape->flat_normal(flat.flat);
  const double cosine = m.dot(n);
  if (std::abs(cosine) < facing_cosine) return false;
  onto = x + (m.dot(flat.shape->flat_point(flat.flat) - x) / cosine) * n;
  return true;
}

// Is x inside the flat, seen along n?
bool inside(const Feature& flat, const Vector3& n, const Vector3& x, double tolerance) {
  if (flat.kind == Feature::Kind::disk) {
    Vector3 onto;
    if (!drop_onto(flat, n, x, onto)) return false;
    return (onto - flat.shape->cap_center(flat.flat)).norm() <=
           flat.shape->cylinder_radius() + tolerance;
  }
  const double outward = flat.shape->flat_normal(flat.flat).dot(n) >= 0.0 ? 1.0 : -1.0;
  for (int i = 0; i < flat.count(); ++i) {
    const Vector3 side = outward * (flat.vertex(i + 1) - flat.vertex(i)).cross(n);
    const double beyond = side.dot(x - flat.vertex(i));
    if (beyond > 0.0 && beyond * beyond > tolerance * tolerance * side.squaredNorm()) return false;
  }
  return true;
}

bool is_flat(const Feature& f) {
  return f.kind == Feature::Kind::polygon || f.kind == Feature::Kind::disk;
}

// The point x of `facing.first`'s shape over the flat `facing.second`: along the flat's own normal,
// or, in the wedge over the edge between two flats, along the axis. Keeps the emitter's normal.
void emit_over(const Facing& facing, const Vector3& x, std::uint32_t name) {
  PatchEmitter& emitter = facing.emitter;
  const Vector3 axis = emitter.normal(), m = facing.second.shape->flat_normal(facing.second.flat);
  const double height = m.dot(x - facing.second.shape->flat_point(facing.second.flat));
  if (height > emitter.core_margin() + emitter.shift().norm()) return;
  if (inside(facing.second, m, x, emitter.tolerance())) {
    emitter.set_normal(facing.first_is_a ? Vector3(-m) : m);
    facing.emit(x, name, x - height * m, facing.second.feature);
    emitter.set_normal(axis);
    return;
  }
  // A capsule's points are those that look along the flat's normal, and none besides.
  Vector3 onto;
  if (facing.first.shape->radius() == 0.0 && std::abs(m.dot(axis)) < 1.0 - 1e-15 &&
      inside(facing.second, axis, x, emitter.tolerance()) &&
      drop_onto(facing.second, axis, x, onto))
    facing.emit(x, name, onto, facing.second.feature);
}

// Every point of the first shape that faces the flat `facing.second`.
void emit_shape_over(const Facing& facing) {
  const Vector3 d = -facing.second.shape->flat_normal(facing.second.flat);
  visit_facing_points(*facing.first.shape, d,
                      [&](const Vector3& x, std::uint32_t name) { emit_over(facing, x, name); });
}

// Boundary points of `facing.first` over the flat `facing.second`.
void emit_points_over(const Facing& facing) {
  if (facing.first.kind != Feature::Kind::polygon) return emit_shape_over(facing);
  for (int i = 0; i < facing.first.count(); ++i)
    emit_over(facing, facing.first.vertex(i), facing.first.vertex_name(i));
}

// Is the parameter s between the ends of the edge u, to a tolerance in length?
bool within_edge(double s, const Vector3& u, double tolerance) {
  const double beyond = s < 0.0 ? s : (s > 1.0 ? s - 1.0 : 0.0);
  return beyond * beyond * u.squaredNorm() <= tolerance * tolerance;
}

// Crossing along the common normal of two edges u and v of polytopes from p and q; false where that
// is not near the axis or the nearest points are not on the edges.
bool cross_exactly(const Facing& facing, int i, int j) {
  const Vector3 axis = facing.emitter.normal();
  const Vector3 &p = facing.first.vertex(i), &q = facing.second.vertex(j);
  const Vector3 u = facing.first.vertex(i + 1) - p, v = facing.second.vertex(j + 1) - q;
  const Vector3 cross = u.cross(v);
  const double square = cross.squaredNorm(), along = axis.dot(cross);
  if (square < crossing_sine * crossing_sine * u.squaredNorm() * v.squaredNorm()) return false;
  if (along * along < patch_cosine * patch_cosine * square) return false;
  const double s = cross.dot((q - p).cross(v)) / square, t = cross.dot((q - p).cross(u)) / square;
  if (!within_edge(s, u, facing.emitter.tolerance())) return false;
  if (!within_edge(t, v, facing.emitter.tolerance())) return false;
  facing.emitter.set_normal(std::copysign(1.0 / std::sqrt(square), along) * cross);
  facing.emit(p + s * u, facing.first.edge_name(i), q + t * v, facing.second.edge_name(j));
  facing.emitter.set_normal(axis);
  return true;
}

bool is_polygon(const Feature& f) {
  return f.kind == Feature::Kind::polygon;
}

void cross_edges(const Facing& facing, int i, int j) {
  const Vector3& n = facing.emitter.normal();
  const Vector3 &p = facing.first.vertex(i), &q = facing.second.vertex(j);
  const Vector3 u = facing.first.vertex(i + 1) - p, v = facing.second.vertex(j + 1) - q;
  const double sine = n.dot(u.cross(v));
  // Nearly parallel edges cross nowhere in particular: their ends are points of the patch already.
  const double lengths = u.squaredNorm() * v.squaredNorm();
  if (sine * sine <= 1e-12 * lengths) return;
  const double s = n.dot((q - p).cross(v)) / sine, t = n.dot((q - p).cross(u)) / sine;
  if (!within_edge(s, u, facing.emitter.tolerance())) return;
  if (!within_edge(t, v, facing.emitter.tolerance())) return;
  if (is_polygon(facing.first) && is_polygon(facing.second) && cross_exactly(facing, i, j)) return;
  facing.emit(p + s * u, facing.first.edge_name(i), q + t * v, facing.second.edge_name(j));
}

// A rim crosses an edge twice: first (0) on the way from the edge's lower vertex to its higher one,
// then (1); and another rim twice: to the left (0) and to the right of the way from a's cap to b's.
std::uint32_t rim_crossing(int cap, int which) {
  return edge_feature(2 + cap, 8 + which);
}

// Names of a rim's crossing at x with an edge or another rim.
std::uint32_t rim_edge_name(const Convex& cylinder, int cap, const Feature& edge,
                            const Vector3& x) {
  return rim_crossing(cap, (edge.ends[1] - edge.ends[0]).dot(x - cylinder.cap_center(cap)) >= 0.0);
}
bool is_right_of_caps(const Vector3& cap_a, const Vector3& cap_b, const Vector3& n,
                      const Vector3& x) {
  return n.cross(cap_b - cap_a).dot(x - cap_a) < 0.0;
}

// Crossings of the edges of `facing.first` with the rim of the disk `facing.second`.
void cross_rim(const Facing& facing) {
  const Vector3& n = facing.emitter.normal();
  const Convex& cylinder = *facing.second.shape;
  const Vector3 center = cylinder.cap_center(facing.second.flat);
  const double radius = cylinder.cylinder_radius();
  for (int i = 0; i < facing.first.edge_count(); ++i) {
    const Vector3 &p = facing.first.vertex(i), &q = facing.first.vertex(i + 1);
    Vector3 tail, head;
    if (!drop_onto(facing.second, n, p, tail) || !drop_onto(facing.second, n, q, head)) return;
    const Vector3 along = head - tail;
    const double length = along.squaredNorm();
    if (!(length > 0.0)) continue;
    const double middle = along.dot(center - tail) / length;
    const double distance = (tail + middle * along - center).squaredNorm();
    if (distance >= radius * radius) continue;
    const double half = std::sqrt((radius * radius - distance) / length);
    const int reversed = facing.first.vertex_name(i) < facing.first.vertex_name(i + 1) ? 0 : 1;
    for (int which = 0; which < 2; ++which) {
      const double t = which == 0 ? middle - half : middle + half;
      if (t < 0.0 || t > 1.0) continue;
      facing.emit(p + t * (q - p), facing.first.edge_name(i), tail + t * along,
                  rim_crossing(facing.second.flat, which ^ reversed));
    }
  }
}

// Slides x, near the rims of both caps seen along n, to where the second rim crosses the first:
// Newton's method in the angle on the second rim. False when the rims do not cross near x.
bool slide_to_crossing(const Feature& first, const Feature& second, const Vector3& n, Vector3& x,
                       double tolerance) {
  const Vector3 center = first.shape->cap_center(first.flat), m = first.shape->axis();
  const Vector3 middle = second.shape->cap_center(second.flat);
  const Vector3 &e0 = second.shape->frame(0), &e1 = second.shape->frame(1);
  const double radius = first.shape->cylinder_radius(), rim = second.shape->cylinder_radius();
  double angle = std::atan2((x - middle).dot(e1), (x - middle).dot(e0));
  for (int iteration = 0; iteration < 20; ++iteration) {
    x = middle + rim * (std::cos(angle) * e0 + std::sin(angle) * e1);
    Vector3 onto;
    if (!drop_onto(first, n, x, onto)) return false;
    const Vector3 turn = rim * (std::cos(angle) * e1 - std::sin(angle) * e0);
    const Vector3 arm = onto - center, speed = turn - (m.dot(turn) / m.dot(n)) * n;
    const double value = arm.squaredNorm() - radius * radius, slope = 2.0 * arm.dot(speed);
    if (std::abs(value) <= 0.1 * tolerance * radius) return true;
    if (!(std::abs(value) < 0.5 * std::abs(slope)))
      return false;  // not near: half a radian at most
    angle -= value / slope;
  }
  return false;
}

// Crossings of two rims, started from those of circles in one plane.
void cross_rims(const Facing& facing) {
  const Vector3& n = facing.emitter.normal();
  const Vector3 c1 = facing.first.shape->cap_center(facing.first.flat);
  const Vector3 c2 = facing.second.shape->cap_center(facing.second.flat);
  const double r1 = facing.first.shape->cylinder_radius();
  const double r2 = facing.second.shape->cylinder_radius();
  const Vector3 between = (c2 - c1) - n.dot(c2 - c1) * n;
  const double distance = between.norm();
  if (distance <= facing.emitter.tolerance()) return;
  const double along = 0.5 * (distance + (r1 - r2) * (r1 + r2) / distance);
  const double square = r1 * r1 - along * along;
  if (square <= 0.0) return;
  const Vector3 x = between / distance, y = n.cross(x);
  for (int which = 0; which < 2; ++which) {
    const double sideways = (which == 0 ? 1.0 : -1.0) * std::sqrt(square);
    Vector3 on_first, on_second;
    if (!drop_onto(facing.second, n, c1 + along * x + sideways * y, on_second)) return;
    if (slide_to_crossing(facing.first, facing.second, n, on_second, facing.emitter.tolerance()) &&
        drop_onto(facing.first, n, on_second, on_first))
      facing.emit(on_first, rim_crossing(facing.first.flat, which), on_second,
                  rim_crossing(facing.second.flat, which));
  }
}

void cross_boundaries(const Facing& facing) {
  const bool first_disk = facing.first.kind == Feature::Kind::disk;
  const bool second_disk = facing.second.kind == Feature::Kind::disk;
  if (first_disk && second_disk) return cross_rims(facing);
  if (second_disk) return cross_rim(facing);
  if (first_disk)
    return cross_rim({facing.second, facing.first, !facing.first_is_a, facing.emitter});
  for (int i = 0; i < facing.first.edge_count(); ++i)
    for (int j = 0; j < facing.second.edge_count(); ++j) cross_edges(facing, i, j);
}

// Parallel segments: the ends of each beside the other.
void emit_ends_beside(const Facing& facing) {
  const Vector3 &p = facing.second.ends[0], along = facing.second.ends[1] - p;
  const double slack = facing.emitter.tolerance() / along.norm();
  for (int i = 0; i < 2; ++i) {
    const double t = (facing.first.ends[i] - p).dot(along) / along.squaredNorm();
    if (t < -slack || t > 1.0 + slack) continue;
    facing.emit(facing.first.ends[i], facing.first.end_features[i], p + t * along,
                facing.second.feature);
  }
}

Vector3 nearest_on(const Feature& segment, const Vector3& x) {
  const Vector3 along = segment.ends[1] - segment.ends[0];
  const double t = (x - segment.ends[0]).dot(along) / along.squaredNorm();
  return segment.ends[0] + std::clamp(t, 0.0, 1.0) * along;
}

// The closest points of two features that have no patch. A rim point takes the name of the crossing
// that it is, so that it stands for it in the patch of nearly parallel flats.
void emit_nearest(const Feature& on_a, const Vector3& point_a, const Feature& on_b,
                  const Vector3& point_b, PatchEmitter& emitter) {
  const auto is_rim = [](const Feature& f) {
    return f.shape->is_cylinder() && f.kind == Feature::Kind::point;
  };
  const auto is_edge = [](const Feature& f) {
    return !f.shape->is_cylinder() && f.kind == Feature::Kind::segment;
  };
  const auto cap_of = [](const Feature& f) { return f.feature == edge_feature(0, 0) ? 0 : 1; };
  std::uint32_t name_a = on_a.feature, name_b = on_b.feature;
  if (is_rim(on_a) && is_rim(on_b)) {
    const Vector3 cap_a = on_a.shape->cap_center(cap_of(on_a));
    const Vector3 cap_b = on_b.shape->cap_center(cap_of(on_b));
    const bool right = is_right_of_caps(cap_a, cap_b, emitter.normal(), point_a);
    name_a = rim_crossing(cap_of(on_a), right);
    name_b = rim_crossing(cap_of(on_b), right);
  } else if (is_rim(on_a) && is_edge(on_b)) {
    name_a = rim_edge_name(*on_a.shape, cap_of(on_a), on_b, point_a);
  } else if (is_rim(on_b) && is_edge(on_a)) {
    name_b = rim_edge_name(*on_b.shape, cap_of(on_b), on_a, point_b);
  }
  emitter.emit(point_a, name_a, point_b, name_b);
}

}  // namespace

PatchEmitter::PatchEmitter(const Convex* a, const Convex* b, const Vector3& origin, double margin,
                           std::vector<ContactPoint>& out)
    : radius_a_(a ? a->radius() : 0.0),
      radius_b_(b ? b->radius() : 0.0),
      margin_(margin),
      tolerance_(1e-8 * std::min((a ? a : b)->extent(), (b ? b : a)->extent())),
      origin_(origin),
      first_(out.size()),
      out_(out) {}

void PatchEmitter::emit(const Vector3& on_a, std::uint32_t feature_a, const Vector3& on_b,
                        std::uint32_t feature_b) {
  emit_surface(on_a + radius_a_ * normal_, feature_a, on_b - shift_ - radius_b_ * normal_,
               feature_b);
}

void PatchEmitter::emit_surface(const Vector3& on_a, std::uint32_t feature_a, const Vector3& on_b,
                                std::uint32_t feature_b) {
  const double gap = normal_.dot(on_b - on_a);
  if (!(gap <= margin_)) return;
  const Vector3 point_a = origin_ + on_a, point_b = origin_ + on_b;
  const double near = tolerance_ * tolerance_;
  for (std::size_t i = first_; i < out_.size(); ++i)
    if ((out_[i].point_a - point_a).squaredNorm() <= near ||
        (out_[i].point_b - point_b).squaredNorm() <= near ||
        (out_[i].feature_a == feature_a && out_[i].feature_b == feature_b))
      return;
  out_.push_back({feature_a, feature_b, point_a, point_b, normal_, gap});
}

double PatchEmitter::least_core_gap() const {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = first_; i < out_.size(); ++i) least = std::min(least, out_[i].gap);
  return least + radius_a_ + radius_b_;
}

namespace {

// The flats of `shape` that look along d within patch_angle and come within `reach` of its support
// plane, and `own` whatever it does (−1: none).
void near_flats(const Convex& shape, const Vector3& d, double reach, int own,
                std::vector<int>& flats) {
  flats.clear();
  const double top = -shape.lowest(-d);
  for (int f = 0; f < shape.flat_count(); ++f) {
    if (f != own && shape.flat_normal(f).dot(d) < patch_cosine) continue;
    bool near = f == own || shape.is_cylinder();
    if (!near)
      for (const int v : shape.face(f))
        near = near || d.dot(shape.vertices()[static_cast<std::size_t>(v)]) >= top - reach;
    if (near) flats.push_back(f);
  }
}

// Points of `shape` over the near flats of the other: over the axis' own flat every point that
// faces it, over the others the vertices of the near flats.
void emit_over_flats(const Convex& shape, const std::vector<int>& flats, const Convex& other,
                     const std::vector<int>& other_flats, int own, const Facing& facing) {
  for (const int g : other_flats) {
    const Feature under = flat_feature(other, g);
    if (g == own || flats.empty() || shape.is_cylinder()) {
      emit_shape_over({facing.first, under, facing.first_is_a, facing.emitter});
      continue;
    }
    for (const int f : flats)
      emit_points_over({flat_feature(shape, f), under, facing.first_is_a, facing.emitter});
  }
}

}  // namespace

void emit_flat_patch(SpatialWorkspace& w, const Axis& axis, PatchEmitter& emitter) {
  emitter.set_normal(axis.normal);
  const Vector3& n = axis.normal;
  const double reach = emitter.core_margin() - axis.gap;
  near_flats(w.a, n, reach, axis.of_a ? axis.flat : -1, w.flats_a);
  near_flats(w.b, -n, reach, axis.of_a ? -1 : axis.flat, w.flats_b);
  const Feature on_a = axis.of_a ? flat_feature(w.a, axis.flat) : facing_feature(w.a, n);
  const Feature on_b = axis.of_a ? facing_feature(w.b, -n) : flat_feature(w.b, axis.flat);
  const Facing a_over_b{on_a, on_b, true, emitter}, b_over_a{on_b, on_a, false, emitter};
  // Shape a's points come first whichever shape owns the axis: equal stacks keep their keys.
  emit_over_flats(w.a, w.flats_a, w.b, w.flats_b, axis.of_a ? -1 : axis.flat, a_over_b);
  emit_over_flats(w.b, w.flats_b, w.a, w.flats_a, axis.of_a ? axis.flat : -1, b_over_a);
  cross_boundaries(a_over_b);
  for (const int f : w.flats_a)
    for (const int g : w.flats_b)
      if (f != on_a.flat || g != on_b.flat)
        cross_boundaries({flat_feature(w.a, f), flat_feature(w.b, g), true, emitter});
}

void emit_free_patch(const Convex& a, const Convex& b, const Axis& axis, PatchEmitter& emitter) {
  emitter.set_normal(axis.normal);
  const Feature on_a = support_feature(a, axis.normal), on_b = support_feature(b, -axis.normal);
  const Facing a_over_b{on_a, on_b, true, emitter}, b_over_a{on_b, on_a, false, emitter};
  if (is_flat(on_b)) emit_points_over(a_over_b);
  if (is_flat(on_a)) emit_points_over(b_over_a);
  if (is_flat(on_a) || is_flat(on_b)) {
    cross_boundaries(a_over_b);
  } else if (on_a.kind == Feature::Kind::segment && on_b.kind == Feature::Kind::segment) {
    cross_edges(a_over_b, 0, 0);
    if (emitter.count() == 0) {
      emit_ends_beside(a_over_b);
      emit_ends_beside(b_over_a);
    }
  }
  if (emitter.count() > 0) return;
  // A vertex against a vertex or an edge: the support points are the nearest ones.
  Vector3 point_a = a.support(axis.normal).point, point_b = b.support(-axis.normal).point;
  if (on_b.kind == Feature::Kind::segment) {
    point_b = nearest_on(on_b, point_a);
    if (on_a.kind == Feature::Kind::segment) point_a = nearest_on(on_a, point_b);
  } else if (on_a.kind == Feature::Kind::segment) {
    point_a = nearest_on(on_a, point_b);
  }
  emit_nearest(on_a, point_a, on_b, point_b, emitter);
}

void emit_plane_patch(const Convex& shape, bool shape_is_b, const Vector3& plane_point,
                      const Vector3& plane_normal, PatchEmitter& emitter) {
  emitter.set_normal(shape_is_b ? plane_normal : Vector3(-plane_normal));
  visit_facing_points(shape, -plane_normal, [&](const Vector3& x, std::uint32_t name) {
    const Vector3 onto = x - plane_normal.dot(x - plane_point) * plane_normal;
    if (shape_is_b)
      emitter.emit(onto, face_feature(0), x, name);
    else
      emitter.emit(x, name, onto, face_feature(0));
  });
}

}  // namespace vinci
