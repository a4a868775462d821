// SPDX-License-Identifier: Apache-2.0
// Features by their numbers, and gaps of pairs of them.
#include "vinci/events/contact_geometry.h"

#include <algorithm>

#include "vinci/collision/planar.h"
#include "vinci/collision/spatial_convex.h"
#include "vinci/kinematics/series_frame.h"

namespace vinci {
namespace {

using Kind = ContactSide::Kind;

ContactSide placed(ContactSide side, const Pose& offset) {
  side.at = offset * side.at;
  side.direction = offset.rotation * side.direction;
  for (ContactSide::Limit& limit : side.limits)
    limit = {offset * limit.at, offset.rotation * limit.direction};
  return side;
}

Vector3 raised(const Vector2& point, double z = 0.0) {
  return {point.x(), point.y(), z};
}

// Planar features: odd numbers are corners, even ones faces (collision/planar.h).
std::optional<ContactSide> planar_side(const Shape& shape, std::uint32_t feature) {
  PlanarOutline outline;
  outline.place(shape, Pose{});
  if (outline.curve) return {};
  ContactSide side;
  side.radius = outline.radius;
  side.size = outline.unbounded ? 1.0 : std::max(bounding_radius(shape), 1e-300);
  const auto limit = [&](const Vector2& at, const Vector2& direction) {
    side.limits.push_back({raised(at), raised(direction)});
  };
  if (feature % 2 == 1) {
    for (int i = 0; i < static_cast<int>(outline.corners.size()); ++i) {
      if (outline.corner_name(i) != feature) continue;
      const Vector2& at = outline.corners[i].point;
      side.at = raised(at);
      // The other's core is in the cone of normals.
      if (outline.corners.size() > 1)
        for (const int step : {-1, 1})
          limit(at, (at - outline.neighbour(i, step).point).normalized());
      return side;
    }
    return {};
  }
  for (int i = 0; i < static_cast<int>(outline.faces.size()); ++i) {
    if (outline.face_name(i) != feature) continue;
    const PlanarOutline::Face& face = outline.faces[i];
    side.kind = Kind::plane;
    side.at = raised(face.tail);
    side.direction = raised(face.normal);
    if (!outline.unbounded) {
      limit(face.tail, face.tangent);
      limit(face.tail + face.length * face.tangent, -face.tangent);
    }
    return side;
  }
  return {};
}

// The direction within a face away from one of its edges.
Vector3 into_face(const Convex& core, int face, const Vector3& at, const Vector3& along) {
  const Vector3 across = core.normals()[static_cast<std::size_t>(face)].cross(along);
  double most = 0.0;
  for (const int v : core.face(face)) {
    const double height = across.dot(core.vertices()[static_cast<std::size_t>(v)] - at);
    if (std::abs(height) > std::abs(most)) most = height;
  }
  return most >= 0.0 ? across : Vector3(-across);
}

std::optional<ContactSide> cylinder_side(const Convex& core, std::uint32_t feature) {
  ContactSide side;
  const int low = static_cast<int>(feature & 0x7fff);
  const int high = static_cast<int>(feature >> 15 & 0x7fff);
  switch (feature >> 30) {
    case 0: {  // one of four points of a rim
      const int cap = static_cast<int>(feature) / 4, i = static_cast<int>(feature) % 4;
      if (cap > 1) return {};
      side.at = core.rim_point(cap, (i & 2 ? -1.0 : 1.0) * core.frame(i & 1));
      return side;
    }
    case 1:
      if (low != high || low > 1) return {};
      side.kind = Kind::rim;
      side.at = core.cap_center(low);
      side.direction = core.axis();
      side.radius = core.cylinder_radius();
      return side;
    default:
      return {};
  }
}

std::optional<ContactSide> spatial_side(const Shape& shape, std::uint32_t feature) {
  ContactSide side;
  if (std::holds_alternative<HalfSpace>(shape)) {
    side.kind = Kind::plane;
    side.direction = Vector3::UnitZ();
    return side;
  }
  Convex core;
  core.place(shape, Vector3::Zero(), Quaternion::Identity());
  const double size = bounding_radius(shape);
  if (core.is_cylinder()) {
    std::optional<ContactSide> found = cylinder_side(core, feature);
    if (found) found->size = size;
    return found;
  }
  side.radius = core.radius();
  side.size = size;
  const auto vertices = core.vertices();
  const auto vertex = [&](int v) { return vertices[static_cast<std::size_t>(v)]; };
  const int index = static_cast<int>(feature & 0x3fffffff);
  switch (feature >> 30) {
    case 0: {
      if (index >= static_cast<int>(vertices.size())) return {};
      side.at = vertex(index);
      for (int e = 0; e < core.edge_count(); ++e) {
        const Polyhedron::Edge edge = core.edge(e);
        if (edge.tail != index && edge.head != index) continue;
        const int other = edge.tail == index ? edge.head : edge.tail;
        side.limits.push_back({side.at, (side.at - vertex(other)).normalized()});
      }
      return side;
    }
    case 1: {
      const int low = index >> 15, high = index & 0x7fff;
      for (int e = 0; e < core.edge_count(); ++e) {
        const Polyhedron::Edge edge = core.edge(e);
        if (std::min(edge.tail, edge.head) != low || std::max(edge.tail, edge.head) != high)
          continue;
        side.kind = Kind::line;
        side.at = vertex(low);
        side.direction = (vertex(high) - vertex(low)).normalized();
        side.limits.push_back({vertex(low), side.direction});
        side.limits.push_back({vertex(high), -side.direction});
        for (const int face : {edge.left, edge.right})
          if (face >= 0)
            side.limits.push_back({side.at, -into_face(core, face, side.at, side.direction)});
        return side;
      }
      return {};
    }
    default: {
      if (index >= core.flat_count()) return {};
      side.kind = Kind::plane;
      side.at = core.flat_point(index);
      side.direction = core.flat_normal(index);
      const auto loop = core.face(index);
      for (std::size_t i = 0; i < loop.size(); ++i) {
        const Vector3 tail = vertex(loop[i]);
        const Vector3 along = (vertex(loop[(i + 1) % loop.size()]) - tail).normalized();
        side.limits.push_back({tail, side.direction.cross(along)});
      }
      return side;
    }
  }
}

std::optional<ContactSide> side_of(const PlacedShape& placed_shape, World world,
                                   std::uint32_t feature) {
  const std::optional<ContactSide> own = world == World::planar
                                             ? planar_side(placed_shape.shape, feature)
                                             : spatial_side(placed_shape.shape, feature);
  if (!own) return {};
  return placed(*own, placed_shape.offset);
}

// With a plane on the other side neither corners nor lines have a cone to be in, and a plane asks
// for no limit of its own where a corner is; two lines keep their ends alone.
void keep_limits(ContactSide& side, const ContactSide& other) {
  if (side.kind == Kind::plane || other.radius > 0.0) return;
  if (side.kind == Kind::point)
    side.limits.clear();
  else if (side.kind == Kind::line && side.limits.size() > 2)
    side.limits.resize(2);
}

template <class T>
Series3<T> minus(const Series3<T>& a, const Series3<T>& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
template <class T>
Series3<T> along(const Series3<T>& from, const Series<T>& way, const Series3<T>& direction) {
  return {from[0] + way * direction[0], from[1] + way * direction[1], from[2] + way * direction[2]};
}
template <class T>
Series3<T> negative(const Series3<T>& a) {
  return {-a[0], -a[1], -a[2]};
}
template <class T>
Series3<T> times(const Series<T>& factor, const Series3<T>& a) {
  return {factor * a[0], factor * a[1], factor * a[2]};
}

// Of a point, line or rim against a plane; the normal points out of the plane.
template <class T>
PairMotion<T> against_plane(const ContactSide& side, const BodyMotion<T>& body,
                            const ContactSide& plane, const BodyMotion<T>& ground) {
  PairMotion<T> result;
  const Series3<T> normal = carried_direction(ground, plane.direction);
  const Series3<T> origin = carried_point(ground, plane.at);
  Series3<T> core = carried_point(body, side.at);
  double radius = side.radius;
  if (side.kind == Kind::rim) {
    // The deepest point: down the plane, less what of that is along the axis.
    const Series3<T> axis = carried_direction(body, side.direction);
    const Series<T> rise = dot<T>(normal, axis);
    const Series3<T> down = minus<T>(times<T>(rise, axis), normal);
    const Series<T> length = sqrt(dot<T>(down, down));
    core = along<T>(core, Series<T>(side.radius) / length, down);
    radius = 0.0;
  }
  const Series<T> height = dot<T>(normal, minus<T>(core, origin));
  result.gap = height - (radius + plane.radius);
  result.normal = normal;
  result.point = along<T>(core, -0.5 * result.gap - radius, normal);
  result.core_a = core;
  result.core_b = along<T>(core, -height, normal);
  return result;
}

BodyMotion<double> at_rest(const Pose& pose) {
  BodyMotion<double> motion;
  motion.rotation = pose.rotation.toRotationMatrix();
  motion.position = pose.position;
  return motion;
}

Vector3 values_of(const Series3<double>& series) {
  return {series[0].value, series[1].value, series[2].value};
}

template <class T>
Series3<T> nearest_on_line(const Series3<T>& at, const Series3<T>& direction,
                           const Series3<T>& point) {
  return along<T>(at, dot<T>(direction, minus<T>(point, at)), direction);
}

// Whether a rim stands on its plane at an angle at which it has a deepest point; four points of it
// stand for it else.
bool is_tilted(const ContactPair& pair, const std::vector<Pose>& poses) {
  const auto axis = [&](const ContactSide& side, int body) {
    return Vector3(poses[static_cast<std::size_t>(body)].rotation * side.direction);
  };
  return axis(pair.a, pair.contact.body_a).cross(axis(pair.b, pair.contact.body_b)).norm() > 1e-5;
}

}  // namespace

template <class T>
PairMotion<T> pair_motion(const ContactPair& pair, const BodyMotion<T>& a, const BodyMotion<T>& b) {
  if (pair.b.kind == Kind::plane) {
    PairMotion<T> result = against_plane(pair.a, a, pair.b, b);
    result.normal = negative<T>(result.normal);
    return result;
  }
  if (pair.a.kind == Kind::plane) {
    PairMotion<T> result = against_plane(pair.b, b, pair.a, a);
    std::swap(result.core_a, result.core_b);
    return result;
  }
  PairMotion<T> result;
  result.core_a = carried_point(a, pair.a.at);
  result.core_b = carried_point(b, pair.b.at);
  const bool line_a = pair.a.kind == Kind::line, line_b = pair.b.kind == Kind::line;
  if (line_a && line_b) {
    // The points nearest to each other of two lines that are not parallel.
    const Series3<T> u = carried_direction(a, pair.a.direction);
    const Series3<T> v = carried_direction(b, pair.b.direction);
    const Series3<T> between = minus<T>(result.core_b, result.core_a);
    const Series<T> turn = dot<T>(u, v), down = Series<T>(1.0) / (1.0 - turn * turn);
    const Series<T> on_u = dot<T>(between, u), on_v = dot<T>(between, v);
    result.core_a = along<T>(result.core_a, (on_u - turn * on_v) * down, u);
    result.core_b = along<T>(result.core_b, (turn * on_u - on_v) * down, v);
    Series3<T> normal = cross<T>(u, v);
    const double side = plain(normal[0].value) * pair.contact.normal[0] +
                        plain(normal[1].value) * pair.contact.normal[1] +
                        plain(normal[2].value) * pair.contact.normal[2];
    const Series<T> length = sqrt(dot<T>(normal, normal));
    normal = times<T>(Series<T>(side < 0.0 ? -1.0 : 1.0) / length, normal);
    result.normal = normal;
    result.gap =
        dot<T>(normal, minus<T>(result.core_b, result.core_a)) - (pair.a.radius + pair.b.radius);
  } else {
    if (line_a)
      result.core_a =
          nearest_on_line<T>(result.core_a, carried_direction(a, pair.a.direction), result.core_b);
    if (line_b)
      result.core_b =
          nearest_on_line<T>(result.core_b, carried_direction(b, pair.b.direction), result.core_a);
    const Series3<T> between = minus<T>(result.core_b, result.core_a);
    const Series<T> length = sqrt(dot<T>(between, between));
    result.normal = times<T>(Series<T>(1.0) / length, between);
    result.gap = length - (pair.a.radius + pair.b.radius);
  }
  const Series<T> half = 0.5 * result.gap + pair.a.radius;
  result.point = along<T>(result.core_a, half, result.normal);
  return result;
}

template PairMotion<double> pair_motion(const ContactPair&, const BodyMotion<double>&,
                                        const BodyMotion<double>&);
template PairMotion<Dual<double>> pair_motion(const ContactPair&, const BodyMotion<Dual<double>>&,
                                              const BodyMotion<Dual<double>>&);

std::optional<ContactPair> contact_pair(const Model& model, const std::vector<Pose>& poses,
                                        const Contact& contact, std::string& why) {
  const PlacedShape& shape_a = model.shapes[contact.key.shape_a()];
  const PlacedShape& shape_b = model.shapes[contact.key.shape_b()];
  const auto a = side_of(shape_a, model.world, contact.key.ids[2]);
  const auto b = side_of(shape_b, model.world, contact.key.ids[3]);
  why.clear();
  if (a && b) {
    ContactPair pair{contact, *a, *b};
    keep_limits(pair.a, pair.b);
    keep_limits(pair.b, pair.a);
    const bool flat = (a->kind == Kind::plane) != (b->kind == Kind::plane);
    const bool rims = a->kind == Kind::rim || b->kind == Kind::rim;
    const bool planes = a->kind == Kind::plane && b->kind == Kind::plane;
    const bool round = a->radius + b->radius > 0.0;
    const bool lines = a->kind == Kind::line && b->kind == Kind::line;
    if (flat && rims && !is_tilted(pair, poses)) return {};
    if (flat || (!planes && !rims && (round || lines))) return pair;
    // Two sharp corners, or a corner and an edge: they pass each other, others meet.
    if (!planes && !rims) return {};
  }
  why = kind_of(shape_a.shape) + " of '" + model.bodies[contact.body_a].name + "' and " +
        kind_of(shape_b.shape) + " of '" + model.bodies[contact.body_b].name + "'";
  return {};
}

bool place_contact(const Model& model, const std::vector<Pose>& poses, Contact& contact) {
  contact.normal = contact.point_a = contact.point_b = Vector3::Zero();
  std::string why;
  const auto pair = contact_pair(model, poses, contact, why);
  if (!pair) return false;
  const PairMotion<double> where =
      pair_motion(*pair, at_rest(poses[static_cast<std::size_t>(contact.body_a)]),
                  at_rest(poses[static_cast<std::size_t>(contact.body_b)]));
  const Vector3 way = values_of(where.core_b) - values_of(where.core_a);
  contact.normal = values_of(where.normal);
  contact.gap = where.gap.value;
  // Two lines know their normal up to its sign.
  if (contact.normal.dot(way) < 0.0) {
    contact.normal = -contact.normal;
    contact.gap =
        -(contact.gap + pair->a.radius + pair->b.radius) - pair->a.radius - pair->b.radius;
  }
  const Vector3 middle = values_of(where.point);
  contact.point_a = middle - 0.5 * contact.gap * contact.normal;
  contact.point_b = middle + 0.5 * contact.gap * contact.normal;
  return true;
}

std::string why_no_contacts(const Shape& shape) {
  if (is_curve(shape) || triangles_of(shape) || std::holds_alternative<Superquadric>(shape))
    return kind_of(shape);
  return {};
}

bool may_meet(const Shape& a, const Shape& b) {
  const auto is_rim = [](const Shape& shape) { return std::holds_alternative<Cylinder>(shape); };
  const auto has_planes = [](const Shape& shape) {
    return std::holds_alternative<HalfSpace>(shape) || std::holds_alternative<Box>(shape) ||
           std::holds_alternative<Polyhedron>(shape);
  };
  return (!is_rim(a) || has_planes(b)) && (!is_rim(b) || has_planes(a));
}

double least_limit(const ContactPair& pair, const Pose& a, const Pose& b) {
  if (pair.a.limits.empty() && pair.b.limits.empty()) return infinity;
  const PairMotion<double> where = pair_motion(pair, at_rest(a), at_rest(b));
  double least = infinity;
  const auto look = [&](const ContactSide& side, const Pose& pose, const Vector3& other) {
    const Vector3 local = pose.to_local(other);
    for (const ContactSide::Limit& limit : side.limits)
      least = std::min(least, limit.direction.dot(local - limit.at) / side.size);
  };
  look(pair.a, a, values_of(where.core_b));
  look(pair.b, b, values_of(where.core_a));
  return least;
}

}  // namespace vinci
