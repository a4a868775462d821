// SPDX-License-Identifier: Apache-2.0
// Contact points of two cores once the normal is known: the corners of the intersection of the two
// features that face each other, seen along the normal. Vertices of one inside the other, then
// crossings of their boundaries; a point is named by the features that make it (vertex and face,
// edge and edge), so that its key does not depend on which shape's normal was taken.
//
// A round cap enters with four points of its rim, fixed in the body 90° apart, with its deepest rim
// point when tilted, and with its crossings: the corners of an inscribed part of the exact patch.
#pragma once

#include "vinci/collision/narrow_phase.h"
#include "vinci/collision/spatial_axis.h"

namespace vinci {

// Collects the contacts of one pair.
class PatchEmitter {
 public:
  // A null shape is a half-space. `origin` is the world point that the cores are placed about.
  PatchEmitter(const Convex* a, const Convex* b, const Vector3& origin, double margin,
               std::vector<ContactPoint>& out);

  void set_normal(const Vector3& normal) { normal_ = normal; }
  const Vector3& normal() const { return normal_; }

  // Shape b has been moved by this much, out of shape a, for the choice of features; its points are
  // reported, and gaps taken, where it really is.
  void set_shift(const Vector3& shift) { shift_ = shift; }
  const Vector3& shift() const { return shift_; }

  // Points of the cores; each is moved out along the normal to its surface.
  void emit(const Vector3& on_a, std::uint32_t feature_a, const Vector3& on_b,
            std::uint32_t feature_b);

  // Points of the surfaces; dropped when beyond the margin or where a contact is already.
  void emit_surface(const Vector3& on_a, std::uint32_t feature_a, const Vector3& on_b,
                    std::uint32_t feature_b);

  // Lateral distance below which points are one and a point is inside: 1e-8 of the smaller shape,
  // so that aligned stacks keep four vertex contacts under drift far above rounding.
  double tolerance() const { return tolerance_; }
  double core_margin() const { return margin_ + radius_a_ + radius_b_; }
  std::size_t count() const { return out_.size() - first_; }
  void clear() { out_.resize(first_); }
  double least_core_gap() const;  // infinity when there is none

 private:
  double radius_a_, radius_b_, margin_, tolerance_;
  Vector3 origin_, normal_ = Vector3::UnitZ(), shift_ = Vector3::Zero();
  std::size_t first_;
  std::vector<ContactPoint>& out_;
};

// Flats that look along the axis within this angle (rad) belong to the patch. Beyond it a flat
// opens so fast that its points within the margin lie within four margins (1/sin) of the closest
// ones: they are the same place.
inline constexpr double patch_angle = 0.25;

// The patch on a flat part of one core, with every other flat near it; axis.flat must name one.
void emit_flat_patch(SpatialWorkspace& workspace, const Axis& axis, PatchEmitter& emitter);

// The patch along any other normal: between edges, rims, side lines and vertices.
void emit_free_patch(const Convex& a, const Convex& b, const Axis& axis, PatchEmitter& emitter);

// Every point of `shape` that may touch a plane: `normal` is the plane's, outward.
void emit_plane_patch(const Convex& shape, bool shape_is_b, const Vector3& plane_point,
                      const Vector3& plane_normal, PatchEmitter& emitter);

}  // namespace vinci
