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

// Uniform density; kg/m² for planar shapes (whose inertia has the z entry only meaningful in the
// plane, the others those of a flat sheet), kg/m³ for spatial ones. Unbounded shapes throw Error.
MassProperties mass_properties(const Shape& shape, double density);

// The same properties seen from the parent frame.
MassProperties transformed(const MassProperties& properties, const Pose& pose);

// Sum about the common centre (parallel-axis theorem).
MassProperties combined(std::span<const MassProperties> parts);

}  // namespace vinci
