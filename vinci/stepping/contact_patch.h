// SPDX-License-Identifier: Apache-2.0
// The points that stand for a planar contact: at equal spacing along the tangent, each with the gap
// that the outlines of both bodies have there, measured along the contact's normal. So a disk on a
// plane loads its patch from the middle outwards.
#pragma once

#include <optional>

#include "vinci/collision/contact.h"
#include "vinci/stepping/compliance.h"

namespace vinci {

// Where the line origin + u direction leaves the shape, nearest to u = near: the outline there
// faces along the direction. `direction` is a unit vector in the plane; in the shape's frame, m.
std::optional<double> leaving(const Shape& shape, const Vector2& origin, const Vector2& direction,
                              double near);

// Appends the points of a contact whose lines meet both outlines, by ascending patch_point, those
// with a gap up to `reach` alone (m). The middle one of an odd number is the contact itself.
void append_patch(const Model& model, std::span<const Pose> poses, const Contact& contact,
                  const PatchPoints& points, double reach, ContactSet& out);

}  // namespace vinci
