// SPDX-License-Identifier: Apache-2.0
// Contacts of curves. As for polygons, features are chosen where the pair just touches, and gaps
// are taken where the bodies really are.
#include "vinci/collision/planar_curve.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace vinci {

namespace {

// A turn of the body by φ makes the point whose normal is φ off the lowest one. Where the curve is
// so flat that this point lies far away, it takes part beforehand.
constexpr double still_turn = 1e-9;    // rad: within it a side counts as straight
constexpr double largest_turn = 0.25;  // rad; no step that can be trusted turns a body further
constexpr double flat_radius = 4.0;    // radius of curvature over size from which a side is flat
constexpr double least_share = 0.05;   // of the size; points nearer than this are one

constexpr std::uint32_t lowest_feature = 1;

Vector2 turned(const Vector2& v, double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  return {c * v.x() - s * v.y(), s * v.x() + c * v.y()};
}
Vector2 direction_or_up(const Vector2& v) {
  const double length = v.norm();
  return length > 0.0 ? Vector2(v / length) : Vector2(0.0, 1.0);
}

}  // namespace

void CurveCollider::collide(const PlanarOutline& a, const PlanarOutline& b, double margin,
                            std::vector<ContactPoint>& out) {
  own_is_a_ = static_cast<bool>(a.curve);
  own_ = own_is_a_ ? &a : &b;
  other_ = own_is_a_ ? &b : &a;
  margin_ = margin;
  core_margin_ = margin + other_->radius;
  tolerance_ = planar_length_tolerance * own_->curve.size;
  shift_.setZero();
  overlap_ = false;
  found_.clear();
  if (other_->curve) {
    collide_curves();
  } else if (other_->unbounded) {
    meet_face(0);
  } else {
    tolerance_ = std::max(tolerance_, planar_length_tolerance * other_->box.diagonal().norm());
    const auto is_near = [&](const Piece& piece) {
      return piece.box.squaredExteriorDistance(own_->box) <= core_margin_ * core_margin_;
    };
    for (const Piece& piece : other_->pieces)
      if (is_near(piece)) collide_piece(piece);
    const auto sunk = [](const ContactPoint& contact) { return contact.gap < 0.0; };
    if (overlap_ && std::none_of(found_.begin(), found_.end(), sunk))
      for (const Piece& piece : other_->pieces)
        if (is_near(piece)) part_piece(piece);
  }
  deliver(out);
}

void CurveCollider::collide_curves() {
  const PlanarConvex own(own_->curve, Vector2::Zero());
  const PlanarConvex other(other_->curve, other_->curve.origin - own_->curve.origin);
  const Vector2 apart = other_->curve.middle - own_->curve.middle;
  const double size = own_->curve.size + other_->curve.size + apart.norm();
  const PlanarProbe best = largest_gap(own, other, direction_or_up(apart), size, margin_).best;
  if (!(best.gap <= margin_)) return;
  add(best.point_a, best.point_b, best.normal, lowest_feature, lowest_feature);
  add_flat(best.normal, best.point_a, {&other, best.point_b}, 0);
}

std::span<const PlanarOutline::RingVertex> CurveCollider::ring(const Piece& piece) const {
  return {other_->ring.data() + piece.first, static_cast<std::size_t>(piece.size)};
}

void CurveCollider::collide_piece(const Piece& piece) {
  const Vector2 origin = own_->curve.origin;
  const PlanarConvex own(own_->curve, Vector2::Zero()), other(ring(piece), -origin);
  const Vector2 apart = piece.box.center() - own_->curve.middle;
  const double size = own_->curve.size + piece.box.diagonal().norm() + apart.norm();
  PlanarProbe axis = largest_gap(own, other, direction_or_up(apart), size, core_margin_).best;
  if (!(axis.gap <= core_margin_)) return;
  if (other_->faces.empty())
    return add(axis.point_a, axis.point_b, axis.normal, lowest_feature, other_->corner_name(0));
  shift_.setZero();
  if (axis.gap < -tolerance_) {
    overlap_ = true;
    int feature = 0;
    if (other_->pieces.size() > 1 && !find_valid_axis(piece, true, axis, feature)) return;
    shift_ = axis.gap * axis.normal;
  }
  // Features within the margin lie within this much of the touching line.
  const double width = core_margin_ - std::min(axis.gap, 0.0) + tolerance_;
  const auto points = ring(piece);
  double nearest = infinity;
  for (const auto& vertex : points) nearest = std::min(nearest, axis.normal.dot(vertex.point));
  const auto near = [&](const PlanarOutline::RingVertex& vertex) {
    return axis.normal.dot(vertex.point) <= nearest + width;
  };
  for (std::size_t i = 0; i < points.size(); ++i) {
    const PlanarOutline::RingVertex &vertex = points[i], &next = points[(i + 1) % points.size()];
    if (vertex.face >= 0 && (near(vertex) || near(next))) meet_face(vertex.face);
    if (vertex.corner >= 0 && other_->corners[vertex.corner].convex && near(vertex))
      meet_corner(vertex.corner);
  }
}

// The shallowest way out of a piece over its faces and, if asked, its true corners: cuts between
// pieces never push. `feature` becomes that of the outline.
bool CurveCollider::find_valid_axis(const Piece& piece, bool corners, PlanarProbe& best,
                                    int& feature) const {
  const PlanarConvex own(own_->curve, Vector2::Zero());
  best.gap = -infinity;
  for (const PlanarOutline::RingVertex& vertex : ring(piece)) {
    if (vertex.face >= 0) {
      const PlanarOutline::Face& face = other_->faces[vertex.face];
      PlanarProbe found = probe(own, PlanarConvex(face.tail - own_->curve.origin), -face.normal);
      found.point_b = found.point_a + found.gap * found.normal;
      if (found.gap > best.gap) {
        best = found;
        feature = static_cast<int>(other_->face_name(vertex.face));
      }
    }
    PlanarProbe found;
    if (corners && vertex.corner >= 0 && other_->corners[vertex.corner].convex &&
        probe_corner(vertex.corner, own, best.gap, found) && found.gap > best.gap) {
      best = found;
      feature = static_cast<int>(other_->corner_name(vertex.corner));
    }
  }
  return best.gap > -infinity;
}

// A curve so deep in a polygon that it meets no feature: parted along the shallowest face.
void CurveCollider::part_piece(const Piece& piece) {
  PlanarProbe axis;
  int feature = 0;
  if (!find_valid_axis(piece, false, axis, feature) || axis.gap >= -tolerance_) return;
  add(axis.point_a, axis.point_b, axis.normal, lowest_feature, static_cast<std::uint32_t>(feature));
}

// The gap between the curve and a convex corner, if its normal lies inside the corner's cone; on
// the cone's boundary the faces have it.
bool CurveCollider::probe_corner(int corner, const PlanarConvex& curve, double least,
                                 PlanarProbe& found) const {
  const int count = static_cast<int>(other_->faces.size());
  const PlanarConvex point(other_->corners[corner].point - own_->curve.origin);
  const PlanarArc cone{
      -other_->faces[(corner + count - 1) % count].normal, -other_->faces[corner].normal,
      own_->curve.size + (point.offset() - curve.offset()).norm(), tolerance_, least};
  return largest_gap_within(curve, point, cone, found);
}

void CurveCollider::meet_corner(int corner) {
  PlanarProbe found;
  if (!probe_corner(corner, PlanarConvex(own_->curve, shift_), -tolerance_, found)) return;
  const Vector2 on_curve = found.point_a - shift_;
  if (found.normal.dot(found.point_b - on_curve) > core_margin_) return;
  add(on_curve, found.point_b, found.normal, lowest_feature, other_->corner_name(corner));
}

void CurveCollider::meet_face(int index) {
  const PlanarOutline::Face& face = other_->faces[index];
  const Vector2 tail = face.tail - own_->curve.origin;
  const Vector2 lowest = own_->curve.support(-face.normal);
  const double gap = face.normal.dot(lowest - tail);
  const double moved_gap = other_->unbounded ? 0.0 : gap + face.normal.dot(shift_);
  if (gap > core_margin_ || moved_gap < -tolerance_) return;
  const Vector2 foot = lowest - gap * face.normal;
  // Against the sense of the face, which has the solid on its left, along the tangent of the pair.
  const double along = face.tangent.dot(lowest + shift_ - tail);
  bool over = other_->unbounded || (along >= -tolerance_ && along <= face.length + tolerance_);
  if (!over) {  // past a reflex end it may have sunk into the next wall
    const int end = along < 0.0 ? index : (index + 1) % static_cast<int>(other_->corners.size());
    const double beyond = std::max(-along, along - face.length);
    over = !other_->corners[end].convex && beyond <= planar_sunk_share * face.length &&
           other_->contains(lowest + own_->curve.origin, tolerance_);
  }
  const std::uint32_t feature = other_->face_name(index);
  if (over) add(lowest, foot, -face.normal, lowest_feature, feature);
  const double highest = other_->unbounded ? infinity : along;
  const double least = other_->unbounded ? -infinity : along - face.length;
  add_flat(-face.normal, lowest, {nullptr, foot, least, highest}, feature);
}

// The points beside the lowest one that may come down first if the bodies turn, where the sides are
// flat: on either side as low as the lowest, and as far as the margin lets the bodies turn.
void CurveCollider::add_flat(const Vector2& normal, const Vector2& point, const Opposite& opposite,
                             std::uint32_t feature) {
  const PlanarConvex own(own_->curve, Vector2::Zero());
  double size = own_->curve.size;
  if (opposite.curve) size = std::min(size, other_->curve.size);
  const double widest = std::clamp(2.0 * margin_ / size, still_turn, largest_turn);
  const double turns[] = {still_turn, std::max(widest / 6.0, still_turn), widest};
  std::uint32_t name = lowest_feature;
  for (const double side : {-1.0, 1.0}) {
    const Vector2 along = side * left_of(normal);
    double reached = 0.0;
    for (const double turn : turns) {
      name += 2;
      const Vector2 tip_normal = turned(normal, side * turn);
      PlanarProbe tip{tip_normal, own.support(tip_normal), opposite.point, 0.0, 0.0};
      double distance = along.dot(tip.point_a - point);
      double limit = side > 0.0 ? opposite.highest : -opposite.lowest;
      if (opposite.curve) {
        tip.point_b = opposite.curve->support(-turned(normal, -side * turn));
        limit = along.dot(tip.point_b - opposite.point);
      }
      const bool cut = limit < distance;
      if (cut) distance = limit;
      if (!(distance > flat_radius * size * turn) || !(distance > reached + least_share * size))
        continue;
      if (!opposite.curve && distance < (side > 0.0 ? opposite.lowest : -opposite.highest))
        continue;
      reached = distance;
      Vector2 on_own = point + distance * along, on_other = opposite.point + distance * along;
      if (turn > still_turn)
        on_own = cut ? point_beside(own, tip, point, along, distance) : tip.point_a;
      if (turn > still_turn && opposite.curve) {
        const PlanarProbe back{-turned(normal, -side * turn), tip.point_b, tip.point_a, 0.0, 0.0};
        on_other = cut ? tip.point_b
                       : point_beside(*opposite.curve, back, opposite.point, along, distance);
      }
      add(on_own, on_other, normal, name, opposite.curve ? name : feature);
    }
  }
}

// The point of the curve that lies `distance` along the tangent from the farthest one, between that
// and the one of the turned normal.
Vector2 CurveCollider::point_beside(const PlanarConvex& convex, const PlanarProbe& tip,
                                    const Vector2& from, const Vector2& along,
                                    double distance) const {
  Vector2 low = from, high = tip.point_a;
  const double whole = std::abs(along.dot(tip.normal));  // sine of the turn
  const Vector2 square = tip.normal - along.dot(tip.normal) * along;
  double low_turn = 0.0, high_turn = whole;
  for (int i = 0; i < 60; ++i) {
    if ((high_turn - low_turn) * (high - low).norm() <= 1e-15 * own_->curve.size) break;
    const double turn = low_turn > 0.0 && i % 2 == 0 ? std::sqrt(low_turn * high_turn)
                                                     : 0.5 * (low_turn + high_turn);
    const Vector2 next = convex.support(square + turn * along);
    const bool beyond = along.dot(next - from) > distance;
    (beyond ? high : low) = next;
    (beyond ? high_turn : low_turn) = turn;
  }
  const double span = along.dot(high - low);
  const double share =
      span > 0.0 ? std::clamp((distance - along.dot(low - from)) / span, 0.0, 1.0) : 0.0;
  return low + share * (high - low);
}

void CurveCollider::add(const Vector2& on_curve, const Vector2& on_other, const Vector2& normal,
                        std::uint32_t feature_curve, std::uint32_t feature_other) {
  const Vector2 near = on_curve + own_->curve.origin;
  const Vector2 far = on_other - other_->radius * normal + own_->curve.origin;
  const double gap = normal.dot(on_other - on_curve) - other_->radius;
  if (!(gap <= margin_)) return;
  const Vector3 point_near(near.x(), near.y(), own_->depth),
      point_far(far.x(), far.y(), own_->depth);
  const Vector3 along(normal.x(), normal.y(), 0.0);
  if (own_is_a_)
    found_.push_back({feature_curve, feature_other, point_near, point_far, along, gap});
  else
    found_.push_back({feature_other, feature_curve, point_far, point_near, -along, gap});
}

// A face that belongs to several pieces is met through each of them.
void CurveCollider::deliver(std::vector<ContactPoint>& out) {
  std::sort(found_.begin(), found_.end(), [](const ContactPoint& p, const ContactPoint& q) {
    return std::tuple(p.feature_a, p.feature_b, p.gap) <
           std::tuple(q.feature_a, q.feature_b, q.gap);
  });
  const auto last =
      std::unique(found_.begin(), found_.end(), [](const ContactPoint& p, const ContactPoint& q) {
        return p.feature_a == q.feature_a && p.feature_b == q.feature_b;
      });
  out.insert(out.end(), found_.begin(), last);
}

}  // namespace vinci
