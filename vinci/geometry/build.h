// SPDX-License-Identifier: Apache-2.0
// Checked construction of polygons, curves and polyhedra; mesh files. All throw Error on bad input.
#pragma once

#include <filesystem>
#include <optional>
#include <span>

#include "vinci/geometry/shape.h"

namespace vinci {

inline constexpr std::size_t max_polygon_vertices = 10'000;
inline constexpr std::size_t max_hull_points = 1'000'000;
inline constexpr std::size_t max_hull_vertices = 2'000;

// Orients counter-clockwise, refuses repeated vertices, self-intersection, zero area, non-finite
// numbers, and decomposes (triangulation merged by Hertel–Mehlhorn). Collinear vertices are kept.
Polygon make_polygon(std::span<const Vector2> vertices);

// Exponents from 1 (a rhombus) to 1000 (a box whose corners are round over a thousandth); below 1
// the set is not convex.
inline constexpr double max_superellipse_exponent = 1000.0;
Superellipse make_superellipse(const Vector2& axes, double exponent);

// Exponents from that of nearly a box (2/1000) over 1 (an ellipsoid) to 2 (an octahedron); above 2
// the set is not convex.
inline constexpr double min_superquadric_exponent = 0.002;
Superquadric make_superquadric(const Vector3& axes, double e1, double e2);

// The set f(x, y) <= 0 of a function of x (variable 0) and y (variable 1). Walks the whole curve
// and refuses it, saying where, if the set is empty, has no end within 1e9 m, consists of several
// parts or is not convex, or if f or its gradient is not finite or the gradient vanishes on the
// curve. Corners and straight sides are fine. `inside` is a point with f < 0; without it one is
// searched for from the origin.
ImplicitCurve make_implicit_curve(const Expression& function, std::optional<Vector2> inside = {});

// Hull by qhull; refuses flat and non-finite sets.
Polyhedron convex_hull(std::span<const Vector3> points);

// A box as a polyhedron: same frame.
Polyhedron box_polyhedron(const Vector3& half_extents);

// Vertices of a Wavefront OBJ or an STL file (text or binary), by extension; in file units times
// `scale`.
std::vector<Vector3> read_mesh_points(const std::filesystem::path& file, double scale = 1.0);

}  // namespace vinci
