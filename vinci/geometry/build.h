// SPDX-License-Identifier: Apache-2.0
// Checked construction of polygons and polyhedra; mesh files. All throw Error on bad input.
#pragma once

#include <filesystem>
#include <span>

#include "vinci/geometry/shape.h"

namespace vinci {

inline constexpr std::size_t max_polygon_vertices = 10'000;
inline constexpr std::size_t max_hull_points = 1'000'000;
inline constexpr std::size_t max_hull_vertices = 2'000;

// Orients counter-clockwise, refuses repeated vertices, self-intersection, zero area, non-finite
// numbers, and decomposes (triangulation merged by Hertel–Mehlhorn). Collinear vertices are kept.
Polygon make_polygon(std::span<const Vector2> vertices);

// Hull by qhull; refuses flat and non-finite sets.
Polyhedron convex_hull(std::span<const Vector3> points);

// A box as a polyhedron: same frame.
Polyhedron box_polyhedron(const Vector3& half_extents);

// Vertices of a Wavefront OBJ or an STL file (text or binary), by extension; in file units times
// `scale`.
std::vector<Vector3> read_mesh_points(const std::filesystem::path& file, double scale = 1.0);

}  // namespace vinci
