// SPDX-License-Identifier: Apache-2.0
// Exact mass properties of the shapes, and of bodies made of several.
#pragma once

#include <span>

#include "vinci/geometry/shape.h"

namespace vinci {

struct MassProperties {
  double mass = 0.0;                  // kg
  Vector3 center = Vector3::Zero();   // m, in the frame the owner names
  Matrix3 inertia = Matrix3::Zero();  // kg m², about `center`, axes of that frame

  // Inertia of a planar body about z through the centre.
  double planar_inertia() const { return inertia(2, 2); }
};

// How a shape fills its world: as a sheet (density in kg/m²) or as a solid (kg/m³). A capsule may
// be either; every other shape has one meaning.
enum class Extent { planar, spatial };

// Uniform density. The inertia of a sheet is that of the flat body: I_zz = I_xx + I_yy, of which
// the plane uses I_zz only. Throws Error for unbounded shapes, for an extent the shape does not
// have, and for a density that is not positive and finite.
MassProperties mass_properties(const Shape& shape, double density, Extent extent);

// The same properties seen from the parent frame.
MassProperties transformed(const MassProperties& properties, const Pose& pose);

// Sum about the common centre (parallel-axis theorem).
MassProperties combined(std::span<const MassProperties> parts);

}  // namespace vinci
