// SPDX-License-Identifier: Apache-2.0
// Points and segments: nearest points by the normal equations, clamped [Ericson 2005, §5.1.9].
#include "vinci/collision/spatial_round.h"

#include <algorithm>
#include <cmath>

#include "vinci/collision/spatial_feature.h"

namespace vinci {
namespace {

struct Segment {
  Vector3 tail, along;  // a point has along = 0
  double length2;

  explicit Segment(const Convex& c)
      : tail(c.vertices()[0]), along(c.vertices().back() - tail), length2(along.squaredNorm()) {}
  Vector3 at(double t) const { return tail + t * along; }
  double parameter(const Vector3& x) const {
    return length2 > 0.0 ? (x - tail).dot(along) / length2 : 0.0;
  }
  double nearest(const Vector3& x) const { return std::clamp(parameter(x), 0.0, 1.0); }
  std::uint32_t name(double t) const {
    return t <= 0.0 ? vertex_feature(0) : (t >= 1.0 ? vertex_feature(1) : edge_feature(0, 1));
  }
};

// A normal for cores that touch: perpendicular to both axes, or to the one there is.
Vector3 normal_without_distance(const Segment& a, const Segment& b, double sine2) {
  if (sine2 > 0.0) return a.along.cross(b.along).normalized();
  if (a.length2 > 0.0) return a.along.unitOrthogonal();
  if (b.length2 > 0.0) return b.along.unitOrthogonal();
  return Vector3::UnitZ();
}

struct SegmentPair {
  Segment a, b;
  double sine2;  // squared sine of the angle between the axes; 0 when parallel to rounding
  double zero;   // distances below this are rounding
  const Convex &convex_a, &convex_b;
  PatchEmitter& emitter;

  Vector3 normal(const Vector3& x, const Vector3& y) const {
    const Vector3 offset = y - x;
    const double distance = offset.norm();
    return distance > zero ? Vector3(offset / distance) : normal_without_distance(a, b, sine2);
  }
};

// The nearest points of the cores.
void emit_at(const SegmentPair& pair, double s, double t) {
  const Vector3 x = pair.a.at(s), y = pair.b.at(t), n = pair.normal(x, y);
  pair.emitter.set_normal(n);
  pair.emitter.emit_surface(x + pair.convex_a.radius() * n, pair.a.name(s),
                            y - pair.convex_b.radius() * n, pair.b.name(t));
}

// An end of one axis beside the other, at the parameter `beside` there. A tilted capsule's upper
// end shows the side of its surface: its core point moves aside by as much (see CapsuleView).
void emit_end(const SegmentPair& pair, bool end_of_a, double end, double beside) {
  const Segment &own = end_of_a ? pair.a : pair.b, &other = end_of_a ? pair.b : pair.a;
  const Convex& own_shape = end_of_a ? pair.convex_a : pair.convex_b;
  const Convex& other_shape = end_of_a ? pair.convex_b : pair.convex_a;
  Vector3 x = own.at(end), y = other.at(beside);
  const Vector3 across = end_of_a ? pair.normal(x, y) : Vector3(-pair.normal(y, x));
  Vector3 n = across;
  const CapsuleView view = view_capsule(own_shape, across);
  if (pair.sine2 > 0.0 && view.lower != static_cast<int>(end)) {
    x += view.aside;
    y = other.at(other.nearest(x));
    const double distance = (y - x).norm();
    if (distance > pair.zero) n = (y - x) / distance;
  }
  // Too steep, or the cores so near that stepping aside changed sides: not beside any more.
  // Parallel axes always are.
  if (pair.sine2 > 0.0 && (!view.level || n.dot(across) < 0.5)) return;
  const Vector3 surface = x + own_shape.radius() * across, foot = y - other_shape.radius() * n;
  pair.emitter.set_normal(end_of_a ? n : Vector3(-n));
  if (end_of_a)
    pair.emitter.emit_surface(surface, own.name(end), foot, edge_feature(0, 1));
  else
    pair.emitter.emit_surface(foot, edge_feature(0, 1), surface, own.name(end));
}

void emit_nearest(const SegmentPair& pair) {
  const Segment &a = pair.a, &b = pair.b;
  double s = 0.0;
  if (pair.sine2 > 0.0) {
    // Stationarity in both parameters; the cross product keeps the digits that the determinant
    // |a|²|b|² − (a·b)² would lose.
    const Vector3 cross = a.along.cross(b.along);
    s = std::clamp((b.tail - a.tail).cross(b.along).dot(cross) / cross.squaredNorm(), 0.0, 1.0);
  }
  double t = b.nearest(a.at(s));
  s = a.nearest(b.at(t));
  t = b.nearest(a.at(s));
  emit_at(pair, s, t);
}

}  // namespace

void collide_round(const Convex& a, const Convex& b, PatchEmitter& emitter) {
  const Segment sa(a), sb(b);
  const double lengths = sa.length2 * sb.length2;
  const double raw = lengths > 0.0 ? sa.along.cross(sb.along).squaredNorm() / lengths : 0.0;
  const double size = a.extent() + b.extent();
  const SegmentPair pair{sa, sb, raw > 1e-14 ? raw : 0.0, 1e-15 * size, a, b, emitter};
  if (lengths == 0.0 || pair.sine2 > 0.25) return emit_nearest(pair);
  if (pair.sine2 > 0.0) emit_nearest(pair);
  bool beside = false;
  for (const double end : {0.0, 1.0}) {
    const double t = sb.parameter(sa.at(end)), s = sa.parameter(sb.at(end));
    if (t >= 0.0 && t <= 1.0) emit_end(pair, true, end, t);
    if (s >= 0.0 && s <= 1.0) emit_end(pair, false, end, s);
    beside = beside || (t >= 0.0 && t <= 1.0) || (s >= 0.0 && s <= 1.0);
  }
  if (pair.sine2 == 0.0 && !beside) emit_nearest(pair);
}

namespace {

// Nearest surface point of a solid to a point, the outward direction there, and its feature.
struct Foot {
  Vector3 point, outward;
  std::uint32_t feature;
};

// By region: beyond three coordinates a vertex is nearest, beyond two an edge, else a face.
Foot box_foot(const Convex& box, const Vector3& center) {
  const Vector3 arm = center - box.center();
  Vector3 local, excess = Vector3::Zero();
  for (int i = 0; i < 3; ++i) local[i] = arm.dot(box.frame(i));
  const Vector3& half = box.half_extents();
  int corner = 0, free_axis = -1, beyond = 0;
  for (int i = 0; i < 3; ++i) {
    if (local[i] > 0.0) corner |= 1 << i;
    if (std::abs(local[i]) > half[i]) {
      excess[i] = local[i] - std::copysign(half[i], local[i]);
      ++beyond;
    } else {
      free_axis = i;
    }
  }
  if (beyond <= 1) {  // a face: the one that is passed, or the nearest from inside
    int face = 0;
    for (int i = 1; i < 3; ++i)
      if (std::abs(local[i]) - half[i] > std::abs(local[face]) - half[face]) face = i;
    const double sign = local[face] >= 0.0 ? 1.0 : -1.0;
    const Vector3 outward = sign * box.frame(face);
    return {center + (half[face] - std::abs(local[face])) * outward, outward,
            face_feature(2 * face + (sign < 0.0 ? 1 : 0))};
  }
  Vector3 offset = Vector3::Zero();
  for (int i = 0; i < 3; ++i) offset += excess[i] * box.frame(i);
  const std::uint32_t name =
      beyond == 3 ? vertex_feature(corner)
                  : edge_feature(corner & ~(1 << free_axis), corner | (1 << free_axis));
  return {center - offset, offset.normalized(), name};
}

Foot cylinder_foot(const Convex& cylinder, const Vector3& center) {
  const Vector3 arm = center - cylinder.center();
  const Vector3 radial = cylinder.perpendicular(arm);
  const double distance = radial.norm(), height = arm.dot(cylinder.axis());
  const Vector3 side = distance > 0.0 ? Vector3(radial / distance) : cylinder.frame(0);
  const Vector3 up = height >= 0.0 ? cylinder.axis() : Vector3(-cylinder.axis());
  const int cap = height >= 0.0 ? 0 : 1;
  const double over = std::abs(height) - cylinder.half_height();
  const double out = distance - cylinder.cylinder_radius();
  if (over > 0.0 && out > 0.0) {
    const Vector3 offset = over * up + out * side;
    return {center - offset, offset.normalized(), edge_feature(cap, cap)};
  }
  if (over >= out) return {center - over * up, up, face_feature(cap)};
  return {center - out * side, side, face_feature(2)};
}

}  // namespace

void collide_point_solid(const Convex& point, const Convex& solid, bool point_is_a,
                         PatchEmitter& emitter) {
  const Vector3& center = point.vertices()[0];
  const Foot foot = solid.is_cylinder() ? cylinder_foot(solid, center) : box_foot(solid, center);
  if (point_is_a) {
    emitter.set_normal(-foot.outward);
    emitter.emit(center, vertex_feature(0), foot.point, foot.feature);
  } else {
    emitter.set_normal(foot.outward);
    emitter.emit(foot.point, foot.feature, center, vertex_feature(0));
  }
}

}  // namespace vinci
