// SPDX-License-Identifier: Apache-2.0
// Shapes in their own frame, metres. Planar shapes lie in z = 0 and stand for prisms of unit depth:
// their densities are in kg/m². Spatial densities are in kg/m³. A body may hold several shapes,
// each with an offset pose.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "vinci/base/expression.h"
#include "vinci/base/math.h"

namespace vinci {

struct Circle {  // planar
  double radius;
};

// Simple polygon, counter-clockwise, convex or not. `pieces` is a convex decomposition into
// polygons of original vertices (indices into `vertices`, counter-clockwise); no new vertices are
// made.
struct Polygon {  // planar
  std::vector<Vector2> vertices;
  std::vector<std::vector<int>> pieces;
};

// Everything below the local x axis (y <= 0); the outward normal is +y.
struct HalfPlane {};  // planar

// Points within `radius` of the segment from −half_axis to +half_axis; planar when half_axis.z = 0
// in a planar world.
struct Capsule {
  Vector3 half_axis;
  double radius;
};

struct Sphere {
  double radius;
};

struct Box {
  Vector3 half_extents;
};

// Axis along local z.
struct Cylinder {
  double radius, half_height;
};

struct TriangleMesh;  // triangle_mesh.h

// Convex polyhedron: faces are planar, counter-clockwise seen from outside, coplanar triangles
// merged; edges once each. Made by convex_hull().
struct Polyhedron {
  struct Edge {
    int tail, head;   // vertices
    int left, right;  // faces
  };
  std::vector<Vector3> vertices;
  std::vector<std::vector<int>> faces;
  std::vector<Vector3> face_normals;  // outward, unit
  std::vector<Edge> edges;
  std::shared_ptr<const TriangleMesh> surface;  // the same faces as triangles, to meet meshes
};

// Everything below the local x-y plane (z <= 0); the outward normal is +z.
struct HalfSpace {};

// |x/a|ⁿ + |y/b|ⁿ <= 1: a rhombus for n = 1, an ellipse for n = 2, nearly a rectangle for large n.
// Made by make_superellipse().
struct Superellipse {  // planar
  Vector2 axes;        // the semi-axes a and b
  double exponent;     // n
};

// The convex set f(x, y) <= 0. Made by make_implicit_curve(), which has looked at the whole curve.
struct ImplicitCurve {  // planar
  struct Knot {
    Vector2 point;   // on the curve
    Vector2 normal;  // outward, unit
  };
  Expression function;  // of x (variable 0) and y (variable 1)
  std::vector<Knot>
      knots;       // counter-clockwise; the normal turns little, or at a corner, in between
  Vector2 center;  // inside
  double size;     // largest distance of the curve from the centre, m
  double area;     // m²
  Vector2 centroid;
  Matrix2 second_moment;  // ∫ x xᵀ dA about the centroid, m⁴
};

// A surface of triangles, convex or not: closed, a solid; open, one-sided ground. Made by
// make_mesh().
struct Mesh {
  std::shared_ptr<const TriangleMesh> surface;
};

// Ground below the heights of a grid, in triangles. Made by make_height_field().
struct HeightField {
  std::shared_ptr<const TriangleMesh> surface;
};

// (|x/a|^(2/e2) + |y/b|^(2/e2))^(e2/e1) + |z/c|^(2/e1) <= 1: an ellipsoid for e1 = e2 = 1, nearly a
// cylinder for small e1 and e2 = 1, nearly a box for both small, an octahedron for both 2. Made by
// make_superquadric().
struct Superquadric {
  Vector3 axes;   // the semi-axes a, b and c
  double e1, e2;  // from pole to pole, and around the z axis
};

using Shape = std::variant<Circle, Polygon, HalfPlane, Capsule, Sphere, Box, Cylinder, Polyhedron,
                           HalfSpace, Superellipse, ImplicitCurve, Mesh, HeightField, Superquadric>;

std::string kind_of(const Shape& shape);  // as scenes spell it: "circle", "half-plane", ...
bool is_unbounded(const Shape& shape);    // half-plane, half-space
bool is_curve(const Shape& shape);        // superellipse, implicit curve
// The triangles of a mesh or height field, nothing for other shapes.
const TriangleMesh* triangles_of(const Shape& shape);

// Smallest radius about the local origin that encloses the shape; infinity for unbounded ones.
double bounding_radius(const Shape& shape);

// Area over perimeter, or volume over surface, m: half the thickness of a plate, and between a
// third and a half of the radius of what is round; infinity for unbounded ones.
double half_thickness(const Shape& shape);

// How much of a shape lies behind its surface where that is least, m: along the inward normals of a
// polygon and at its convex corners, across a curve, a ball, a box, a cylinder; of other spatial
// shapes twice half_thickness(), which is no more than that. Infinity for unbounded shapes.
double least_thickness(const Shape& shape);

struct Box3 {  // axis-aligned, may be infinite
  Vector3 lower = Vector3::Zero(), upper = Vector3::Zero();
};
Box3 bounding_box(const Shape& shape, const Pose& pose);

}  // namespace vinci
