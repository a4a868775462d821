// SPDX-License-Identifier: Apache-2.0
// The spatial narrow phase: picks the closed form, or searches the axis of largest gap and takes
// the patch of contact points along it.
#include <algorithm>
#include <cmath>

#include "vinci/collision/mesh_contacts.h"
#include "vinci/collision/narrow_phase.h"
#include "vinci/collision/spatial_axis.h"
#include "vinci/collision/spatial_patch.h"
#include "vinci/collision/spatial_round.h"
#include "vinci/collision/spatial_superquadric.h"

namespace vinci {
namespace {

bool is_round(const Convex& c) {
  return !c.is_cylinder() && c.flat_count() == 0;
}
bool is_point(const Convex& c) {
  return is_round(c) && c.vertices().size() == 1;
}
bool has_closed_foot(const Convex& c) {
  return c.is_cylinder() || c.kind() == Convex::Kind::box;
}

void collide_half_space(const PlacedPair& pair, double margin, SpatialWorkspace& w,
                        std::vector<ContactPoint>& out) {
  const bool plane_is_a = std::holds_alternative<HalfSpace>(*pair.a);
  const Pose &plane = plane_is_a ? pair.pose_a : pair.pose_b,
             &pose = plane_is_a ? pair.pose_b : pair.pose_a;
  const Shape& shape = plane_is_a ? *pair.b : *pair.a;
  if (std::holds_alternative<HalfSpace>(shape)) return;
  w.a.place(shape, Vector3::Zero(), pose.rotation);
  const Vector3 normal = plane.rotation.toRotationMatrix().col(2);
  PatchEmitter emitter(plane_is_a ? nullptr : &w.a, plane_is_a ? &w.a : nullptr, pose.position,
                       margin, out);
  emit_plane_patch(w.a, plane_is_a, plane.position - pose.position, normal, emitter);
}

// The patch on a flat, its features chosen where b, moved out along the axis of the exact gap, just
// touches a: so overlap does not change them.
void emit_touching_patch(SpatialWorkspace& w, const Axis& flat, const Axis& exact,
                         PatchEmitter& emitter) {
  const Vector3 shift = std::max(0.0, w.a.radius() + w.b.radius() - exact.gap) * exact.normal;
  w.b.translate(shift);
  emitter.set_shift(shift);
  emit_flat_patch(w, flat, emitter);
  w.b.translate(-shift);
  emitter.set_shift(Vector3::Zero());
}

void collide_convex(SpatialWorkspace& w, PatchEmitter& emitter) {
  const Axis flat = best_flat_axis(w.a, w.b, emitter.core_margin());
  if (flat.gap > emitter.core_margin()) return;
  // A flat axis fits when some contact point reaches its gap: then, apart, it is the distance.
  const auto flat_fits = [&] {
    emit_touching_patch(w, flat, flat, emitter);
    if (emitter.least_core_gap() <= flat.gap + gap_tolerance(w.a, w.b, flat.gap)) return true;
    emitter.clear();
    return false;
  };
  // Touching there, the cores do overlap or meet: nothing can beat a gap this close to zero.
  const bool overlap = flat.gap < -gap_tolerance(w.a, w.b, 0.0);
  if (flat.flat >= 0 && !overlap && flat_fits()) return;
  const Axis free = best_free_axis(w, flat);
  if (flat.flat >= 0 && overlap && flat.gap >= free.gap - gap_tolerance(w.a, w.b, free.gap) &&
      flat_fits())
    return;
  const Axis& exact = free.gap >= flat.gap ? free : flat;
  if (exact.gap > emitter.core_margin()) return;
  // The closest features first: they stand for the point of the patch that they are.
  emit_free_patch(w.a, w.b, exact, emitter);
  const Axis near = best_flat_axis_near(w.a, w.b, exact.normal, std::cos(patch_angle));
  if (near.flat >= 0) emit_touching_patch(w, near, exact, emitter);
}

}  // namespace

void collide_spatial(const PlacedPair& pair, double margin, SpatialWorkspace& w,
                     std::vector<ContactPoint>& out) {
  if (triangles_of(*pair.a) || triangles_of(*pair.b)) return collide_mesh(pair, margin, w, out);
  if (std::holds_alternative<Superquadric>(*pair.a) ||
      std::holds_alternative<Superquadric>(*pair.b))
    return collide_superquadric(pair, margin, w, out);
  if (std::holds_alternative<HalfSpace>(*pair.a) || std::holds_alternative<HalfSpace>(*pair.b))
    return collide_half_space(pair, margin, w, out);
  w.a.place(*pair.a, Vector3::Zero(), pair.pose_a.rotation);
  w.b.place(*pair.b, pair.pose_b.position - pair.pose_a.position, pair.pose_b.rotation);
  const double reach = w.a.extent() + w.b.extent() + margin;
  if (!(reach >= 0.0) || (w.b.center() - w.a.center()).squaredNorm() > reach * reach) return;
  PatchEmitter emitter(&w.a, &w.b, pair.pose_a.position, margin, out);
  if (is_round(w.a) && is_round(w.b))
    collide_round(w.a, w.b, emitter);
  else if (is_point(w.a) && has_closed_foot(w.b))
    collide_point_solid(w.a, w.b, true, emitter);
  else if (is_point(w.b) && has_closed_foot(w.a))
    collide_point_solid(w.b, w.a, false, emitter);
  else
    collide_convex(w, emitter);
}

}  // namespace vinci
