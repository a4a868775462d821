// SPDX-License-Identifier: Apache-2.0
// Mass properties of a robot's shapes, and their meshes as points. Private to robots/ and scene/.
#pragma once

#include "vinci/geometry/mass.h"
#include "vinci/geometry/triangle_mesh.h"
#include "vinci/robots/description.h"

namespace vinci {

// In the link's frame. Meshes: of the solid if it is closed, else of its hull. Throws Error.
MassProperties mass_of(const RobotGeometry& geometry, double density);

// The points of a mesh, scaled; the corners of its hull. In its own frame. Throws Error.
std::vector<Vector3> hull_points(const RobotGeometry& mesh);

// The triangles of a mesh, scaled; turned over where the scale mirrors. Throws Error.
TriangleSoup triangles_of(const RobotGeometry& mesh);

}  // namespace vinci
