// SPDX-License-Identifier: Apache-2.0
// Contacts of planar outlines. Overlapping pieces are first moved apart along the axis of least
// penetration; features are then paired as for bodies that touch, and the gaps are taken where the
// bodies really are. So overlap never changes which features meet, only the sign of their gap.
#include "vinci/collision/planar.h"

#include <algorithm>
#include <tuple>

namespace vinci {

namespace {

constexpr std::uint32_t nowhere = 0xffffffff;

// A corner may meet a face if a turn of at most 30° brings the corner to the front: no step turns a
// body further, and a neighbour that stands out more would touch first.
constexpr double front_slack = 0.5;       // sin 30°
constexpr double angle_tolerance = 1e-9;  // rad, for directions that must be parallel

}  // namespace

void PlanarCollider::collide(const PlanarOutline& a, const PlanarOutline& b, double margin,
                             std::vector<ContactPoint>& out) {
  if (a.unbounded && b.unbounded) return;
  a_.outline = &a, b_.outline = &b;
  margin_ = margin;
  core_margin_ = margin + a.radius + b.radius;
  found_.clear();
  if (a.unbounded || b.unbounded) {
    collide_half_plane(a.unbounded);
  } else {
    tolerance_ = planar_length_tolerance *
                 std::max({a.box.diagonal().norm(), b.box.diagonal().norm(), a.radius, b.radius});
    near_pieces(a_, b);
    near_pieces(b_, a);
    overlap_ = false;
    cut_.clear();
    for_near_pieces([this](const auto& p, const auto& q) { collide_pieces(p, q); });
    const std::size_t known = found_.size();
    for (const auto& [p, q] : cut_) collide_cut_pieces(*p, *q, known);
    const auto sunk = [](const Found& found) { return found.contact.gap < 0.0; };
    if (overlap_ && std::none_of(found_.begin(), found_.end(), sunk))
      for_near_pieces([this](const auto& p, const auto& q) { part_pieces(p, q); });
  }
  deliver(out);
}

template <class Action>
void PlanarCollider::for_near_pieces(Action action) {
  for (const int i : a_.pieces)
    for (const int j : b_.pieces) {
      const PlanarOutline::Piece &p = a_.outline->pieces[i], &q = b_.outline->pieces[j];
      if (p.box.squaredExteriorDistance(q.box) <= core_margin_ * core_margin_) action(p, q);
    }
}

void PlanarCollider::near_pieces(Side& side, const PlanarOutline& other) const {
  side.pieces.clear();
  for (int i = 0; i < static_cast<int>(side.outline->pieces.size()); ++i)
    if (side.outline->pieces[i].box.squaredExteriorDistance(other.box) <=
        core_margin_ * core_margin_)
      side.pieces.push_back(i);
}

void PlanarCollider::collide_half_plane(bool plane_is_a) {
  const PlanarOutline& plane = *(plane_is_a ? a_ : b_).outline;
  const PlanarOutline& other = *(plane_is_a ? b_ : a_).outline;
  const PlanarOutline::Face& face = plane.faces[0];
  for (int i = 0; i < static_cast<int>(other.corners.size()); ++i) {
    const PlanarOutline::Corner& corner = other.corners[i];
    const double gap = face.normal.dot(corner.point - face.tail);
    if (!corner.convex || gap > core_margin_) continue;
    const Vector2 foot = corner.point - gap * face.normal;
    if (plane_is_a)
      add(foot, corner.point, face.normal, 0, other.corner_name(i), nowhere);
    else
      add(corner.point, foot, -face.normal, other.corner_name(i), 0, nowhere);
  }
}

void PlanarCollider::collide_pieces(const PlanarOutline::Piece& p, const PlanarOutline::Piece& q) {
  Axis axis = largest_separation(p, q, Edges::all);
  if (axis.separation > core_margin_) return;
  const bool points = p.size == 1 && q.size == 1;
  if (axis.separation < -tolerance_ && !points) {
    overlap_ = true;
    const double nearest = largest_separation(p, q, Edges::faces).separation;
    axis = largest_separation(p, q, Edges::valid_faces);
    if (axis.separation < nearest - tolerance_) {
      cut_.emplace_back(&p, &q);
      return;
    }
    if (axis.separation == -infinity) return;
  }
  find_features(p, q, axis);
}

// The piece behind the cut is deeper under the nearest face. If it is pushed out there, so is this
// one; a farther face would drive it through the other body.
void PlanarCollider::collide_cut_pieces(const PlanarOutline::Piece& p,
                                        const PlanarOutline::Piece& q, std::size_t known) {
  const Axis nearest = largest_separation(p, q, Edges::faces);
  const std::uint32_t face = (nearest.face_of_a ? a_ : b_).outline->face_name(nearest.face);
  const auto pushes_out = [&](const Found& found) {
    const ContactPoint& contact = found.contact;
    return (nearest.face_of_a ? contact.feature_a : contact.feature_b) == face &&
           contact.gap + a_.outline->radius + b_.outline->radius <= nearest.separation + tolerance_;
  };
  if (std::any_of(found_.begin(), found_.begin() + known, pushes_out)) {
    find_features(p, q, nearest);
    return;
  }
  const Axis valid = largest_separation(p, q, Edges::valid_faces);
  if (valid.separation > -infinity) find_features(p, q, valid);
}

void PlanarCollider::find_features(const PlanarOutline::Piece& p, const PlanarOutline::Piece& q,
                                   const Axis& axis) {
  // Of b, to where the pieces just touch.
  const bool points = p.size == 1 && q.size == 1;
  const bool sunk = axis.separation < -tolerance_ && !points;
  const Vector2 shift = sunk ? Vector2(-axis.separation * axis.normal) : Vector2(0.0, 0.0);
  // A pair of features within the margin lies within this much of the axis' touching line.
  const double width = core_margin_ - std::min(axis.separation, 0.0) + tolerance_;
  near_features(a_, p, axis.normal, width);
  near_features(b_, q, -axis.normal, width);
  corners_on_faces(true, axis, shift);
  corners_on_faces(false, axis, shift);
  corners_on_corners(shift);
}

// Polygons so deep in each other that no true corner meets a face: the pieces are parted one by one
// along their shallowest face.
void PlanarCollider::part_pieces(const PlanarOutline::Piece& p, const PlanarOutline::Piece& q) {
  if (largest_separation(p, q, Edges::all).separation >= -tolerance_) return;
  const Axis axis = largest_separation(p, q, Edges::faces);
  if (axis.face < 0) return;
  const PlanarOutline& own = *(axis.face_of_a ? a_ : b_).outline;
  const PlanarOutline& other = *(axis.face_of_a ? b_ : a_).outline;
  const PlanarOutline::RingVertex& vertex = other.ring[axis.opposite_vertex];
  const std::uint32_t face = own.face_name(axis.face),
                      end = PlanarOutline::vertex_name(vertex.vertex);
  if (axis.face_of_a)
    add(vertex.point - axis.separation * axis.normal, vertex.point, axis.normal, face, end,
        nowhere);
  else
    add(vertex.point, vertex.point + axis.separation * axis.normal, axis.normal, end, face,
        nowhere);
}

PlanarCollider::Axis PlanarCollider::largest_separation(const PlanarOutline::Piece& p,
                                                        const PlanarOutline::Piece& q,
                                                        Edges edges) const {
  Axis best{Vector2::Zero(), -infinity};
  scan_axes(*a_.outline, p, *b_.outline, q, 1.0, edges, best);
  scan_axes(*b_.outline, q, *a_.outline, p, -1.0, edges, best);
  return best;
}

// Separations along the edge normals of one piece. The normals turn one way, and so does the
// opposite vertex: both walks together are linear in the vertices.
void PlanarCollider::scan_axes(const PlanarOutline& own, const PlanarOutline::Piece& piece,
                               const PlanarOutline& other, const PlanarOutline::Piece& opposite,
                               double sign, Edges edges, Axis& best) const {
  if (piece.size < 2) return;
  const PlanarOutline::RingVertex* ring = other.ring.data() + opposite.first;
  int support = 0;
  for (int i = 1; i < opposite.size; ++i)
    if (own.ring[piece.first].normal.dot(ring[i].point - ring[support].point) < 0.0) support = i;
  for (int k = 0; k < piece.size; ++k) {
    const PlanarOutline::RingVertex& edge = own.ring[piece.first + k];
    for (int step = 0; step < opposite.size; ++step) {
      const int next = support + 1 < opposite.size ? support + 1 : 0;
      if (edge.normal.dot(ring[next].point - ring[support].point) > 0.0) break;
      support = next;
    }
    const double separation = edge.normal.dot(ring[support].point - edge.point);
    if (separation < best.separation - tolerance_) continue;
    if (edges != Edges::all && edge.face < 0) continue;
    if (edges == Edges::valid_faces && !supports_outward(other, opposite, support, -edge.normal))
      continue;
    offer(best, {sign * edge.normal, separation, sign > 0.0, edge.face, opposite.first + support});
  }
}

// Equal separations happen where corner meets corner exactly, as between the blocks of a regular
// wall. The axis nearer to y wins there: blocks lie flush as floors more often than as walls, and
// the other axis would stop what slides across the joint.
void PlanarCollider::offer(Axis& best, const Axis& axis) const {
  const bool equal = std::abs(axis.separation - best.separation) <= tolerance_;
  if (equal ? std::abs(axis.normal.y()) > std::abs(best.normal.y())
            : axis.separation > best.separation)
    best = axis;
}

// Whether the piece ends in this direction because the polygon does, and not at a cut: one of its
// farthest vertices is a convex corner with the direction in its normal cone, or lies on a face
// with this normal.
bool PlanarCollider::supports_outward(const PlanarOutline& outline,
                                      const PlanarOutline::Piece& piece, int at,
                                      const Vector2& direction) const {
  const auto vertex = [&](int i) -> const PlanarOutline::RingVertex& {
    return outline.ring[piece.first + (i % piece.size + piece.size) % piece.size];
  };
  const auto outward = [&](int i) {
    const PlanarOutline::RingVertex& v = vertex(i);
    for (const int edge : {i, i - 1})
      if (vertex(edge).face >= 0 && vertex(edge).normal.dot(direction) >= 1.0 - angle_tolerance)
        return true;
    if (v.corner < 0 || !outline.corners[v.corner].convex) return false;
    for (const int step : {-1, 1}) {
      const Vector2 along = outline.neighbour(v.corner, step).point - v.point;
      if (direction.dot(along) > angle_tolerance * along.norm()) return false;
    }
    return true;
  };
  const double farthest = direction.dot(vertex(at).point);
  for (const int way : {1, -1})
    for (int step = 0; step < piece.size; ++step) {
      const int i = at + way * step;
      if (direction.dot(vertex(i).point) < farthest - tolerance_) break;
      if (outward(i)) return true;
    }
  return false;
}

// Convex corners and faces of a piece within `width` of its farthest point in the direction.
void PlanarCollider::near_features(Side& side, const PlanarOutline::Piece& piece,
                                   const Vector2& direction, double width) const {
  side.corners.clear(), side.faces.clear();
  const PlanarOutline& outline = *side.outline;
  const auto vertex = [&](int i) -> const PlanarOutline::RingVertex& {
    return outline.ring[piece.first + (i < piece.size ? i : 0)];
  };
  double least = -infinity;
  for (int i = 0; i < piece.size; ++i) least = std::max(least, direction.dot(vertex(i).point));
  least -= width;
  for (int i = 0; i < piece.size; ++i) {
    const PlanarOutline::RingVertex& v = vertex(i);
    const bool here = direction.dot(v.point) >= least;
    if (here && v.corner >= 0 && outline.corners[v.corner].convex) side.corners.push_back(v.corner);
    if (v.face >= 0 && (here || direction.dot(vertex(i + 1).point) >= least) &&
        (side.faces.empty() || side.faces.back() != v.face))
      side.faces.push_back(v.face);
  }
}

void PlanarCollider::corners_on_faces(bool corners_of_a, const Axis& axis, const Vector2& shift) {
  for (const int corner : (corners_of_a ? a_ : b_).corners)
    for (const int face : (corners_of_a ? b_ : a_).faces)
      corner_on_face(corners_of_a, corner, face, axis, shift);
}

void PlanarCollider::corner_on_face(bool corner_of_a, int corner, int face_index, const Axis& axis,
                                    const Vector2& shift) {
  const PlanarOutline& own = *(corner_of_a ? a_ : b_).outline;
  const PlanarOutline& other = *(corner_of_a ? b_ : a_).outline;
  const PlanarOutline::Face& face = other.faces[face_index];
  const Vector2 point = own.corners[corner].point;
  const Vector2 moved = corner_of_a ? Vector2(point - shift) : Vector2(point + shift);
  const double gap = face.normal.dot(point - face.tail);
  const double moved_gap = face.normal.dot(moved - face.tail);
  if (gap > core_margin_ || moved_gap < -tolerance_) return;

  const double along = face.tangent.dot(moved - face.tail);
  const int last = (face_index + 1) % static_cast<int>(other.corners.size());
  std::uint32_t end = nowhere;
  if (along <= tolerance_ || along >= face.length - tolerance_) {
    const int end_corner = along <= tolerance_ ? face_index : last;
    const double beyond = std::max(-along, along - face.length);
    if (other.corners[end_corner].convex) {
      if (beyond > tolerance_) return;
      end = other.corner_name(end_corner);
      // Where two corners coincide, only the faces across the axis count.
      if (moved_gap <= tolerance_ && std::abs(face.normal.dot(axis.normal)) < 0.5) return;
    } else if (beyond > tolerance_ &&
               (beyond > planar_sunk_share * face.length || !other.contains(point, tolerance_))) {
      return;
    }
  }
  if (own.corners.size() > 1)
    for (const int step : {-1, 1}) {
      const Vector2 edge = own.neighbour(corner, step).point - point;
      if (-face.normal.dot(edge) > front_slack * edge.norm()) return;
    }
  const Vector2 foot = point - gap * face.normal;
  if (corner_of_a)
    add(point, foot, -face.normal, own.corner_name(corner), other.face_name(face_index), end);
  else
    add(foot, point, face.normal, other.face_name(face_index), own.corner_name(corner), end);
}

void PlanarCollider::corners_on_corners(const Vector2& shift) {
  for (const int corner_a : a_.corners)
    for (const int corner_b : b_.corners) corner_on_corner(corner_a, corner_b, shift);
}

// Two corners meet if each is nearest to the other: the line between them lies in both normal
// cones. Its boundary, where a corner stands square over the end of a face, is left to the face.
void PlanarCollider::corner_on_corner(int corner_a, int corner_b, const Vector2& shift) {
  const PlanarOutline &a = *a_.outline, &b = *b_.outline;
  const Vector2 point_a = a.corners[corner_a].point, point_b = b.corners[corner_b].point;
  const Vector2 line = point_b + shift - point_a;
  const double distance = line.norm();
  if (distance > core_margin_ + shift.norm()) return;
  const auto in_cone = [&](const PlanarOutline& outline, int corner, const Vector2& direction) {
    for (const int step : {-1, 1}) {
      const Vector2 edge = outline.neighbour(corner, step).point - outline.corners[corner].point;
      if (direction.dot(edge) > -tolerance_ * edge.norm()) return false;
    }
    return true;
  };
  if (!a.faces.empty() && !in_cone(a, corner_a, line)) return;
  if (!b.faces.empty() && !in_cone(b, corner_b, -line)) return;
  // Concentric circles have every normal; +y is one of them.
  const Vector2 normal = distance > 0.0 ? Vector2(line / distance) : Vector2(0.0, 1.0);
  if (normal.dot(point_b - point_a) > core_margin_) return;
  add(point_a, point_b, normal, a.corner_name(corner_a), b.corner_name(corner_b), nowhere);
}

void PlanarCollider::add(const Vector2& core_a, const Vector2& core_b, const Vector2& normal,
                         std::uint32_t feature_a, std::uint32_t feature_b, std::uint32_t end) {
  const double depth = a_.outline->depth;
  const Vector2 on_a = core_a + a_.outline->radius * normal;
  const Vector2 on_b = core_b - b_.outline->radius * normal;
  Found found{{feature_a,
               feature_b,
               {on_a.x(), on_a.y(), depth},
               {on_b.x(), on_b.y(), depth},
               {normal.x(), normal.y(), 0.0},
               normal.dot(on_b - on_a)},
              end};
  if (found.contact.gap <= margin_) found_.push_back(found);
}

// Sorts; a pair of features found through several pieces is one contact; where two corners stand
// over each other, the corner of a on the face of b also stands for the converse.
void PlanarCollider::deliver(std::vector<ContactPoint>& out) {
  const auto less = [](const Found& f, const Found& g) {
    return std::tuple(f.contact.feature_a, f.contact.feature_b, f.contact.gap) <
           std::tuple(g.contact.feature_a, g.contact.feature_b, g.contact.gap);
  };
  const auto same = [](const Found& f, const Found& g) {
    return f.contact.feature_a == g.contact.feature_a && f.contact.feature_b == g.contact.feature_b;
  };
  std::sort(found_.begin(), found_.end(), less);
  found_.erase(std::unique(found_.begin(), found_.end(), same), found_.end());
  const auto stands_for = [](const Found& f, const Found& g) {
    return f.contact.feature_a % 2 == 1 && f.end == g.contact.feature_b &&
           g.end == f.contact.feature_a;
  };
  for (const Found& g : found_) {
    const bool converse = g.end != nowhere && g.contact.feature_a % 2 == 0;
    if (converse &&
        std::any_of(found_.begin(), found_.end(), [&](const Found& f) { return stands_for(f, g); }))
      continue;
    out.push_back(g.contact);
  }
}

}  // namespace vinci
