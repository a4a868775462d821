// SPDX-License-Identifier: Apache-2.0
// A surface of triangles with all that contacts need of it: flats (triangles in one plane count as
// one face), edges and what they are, corners, and a tree of boxes. Made once, when the scene is
// compiled, and shared by all shapes that use it.
//
// Triangles are counter-clockwise seen from outside. A closed surface bounds a solid; an open one
// is ground with one side, its normals point away from it.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "vinci/geometry/shape.h"

namespace vinci {

struct TriangleMesh {
  struct Flat {
    Vector3 normal;  // outward, unit
    double offset;   // normal · x of its points, m
  };
  struct Edge {
    enum class Kind : std::uint8_t { flat, convex, concave, border };
    int tail = 0, head = 0;    // vertices, as the left triangle has them
    int left = 0, right = -1;  // triangles; right is −1 at a border
    // Unit, in the flat, from the edge into it; the right one has no meaning at a border.
    Vector3 inward_left = Vector3::Zero(), inward_right = Vector3::Zero();
    Kind kind = Kind::flat;
  };
  struct Node {
    Box3 box;
    int first, count;  // triangles, in `order`; children are at left and left + 1 if left >= 0
    int left;
  };

  std::vector<Vector3> vertices;
  std::vector<std::array<int, 3>> triangles;
  std::vector<std::array<int, 3>> triangle_edges;  // edge k runs from corner k to corner k + 1
  std::vector<int> flat_of;                        // by triangle
  std::vector<Flat> flats;
  std::vector<Edge> edges;
  // Edges at vertex v, of every kind: vertex_edges[vertex_first[v]] up to vertex_first[v + 1].
  std::vector<int> vertex_first, vertex_edges;
  // Not within a flat, nor on a straight edge.
  std::vector<std::uint8_t> is_corner;
  // The sum of the normals around a vertex, weighted by angle: tells inside from outside where the
  // vertex is nearest [Bærentzen 2005].
  std::vector<Vector3> vertex_normals;
  // Each corner and edge belongs to one triangle, so that a walk over triangles meets it once: bit
  // k for edge k, bit 3 + k for vertex k.
  std::vector<std::uint8_t> owned;

  std::vector<Node> nodes;
  std::vector<int> order;

  bool closed = false;
  int border_edges = 0;
  double volume = 0.0, area = 0.0;  // m³ (closed), m²
  double radius = 0.0;              // largest distance from the origin, m
  double size = 0.0;                // half the diagonal of the box, m
  Box3 box;

  const Flat& flat(int triangle) const {
    return flats[static_cast<std::size_t>(flat_of[static_cast<std::size_t>(triangle)])];
  }
};

inline constexpr std::size_t max_mesh_triangles = 2'000'000;

// Triangles as they come from a file or a list, before they are checked.
struct TriangleSoup {
  std::vector<Vector3> points;
  std::vector<std::array<int, 3>> triangles;
  std::vector<int> lines;  // of the file, by triangle; empty if it has no lines
  // Neighbours whose corners lie within this part of the whole size of one plane are one flat:
  // files often have the digits of single precision.
  double flatness = 1e-7;
};

// Checks and prepares. Equal points become one; triangles that collapse by it are left out. Throws
// Error, which names the triangle (and its line), for numbers that are not finite, indices out of
// range, edges that more than two triangles share, neighbours that wind opposite ways, triangles
// without area that lie in no face, and closed surfaces that are inside out.
std::shared_ptr<const TriangleMesh> make_triangle_mesh(const TriangleSoup& soup);

// The faces of a convex polyhedron; face i becomes flat i.
std::shared_ptr<const TriangleMesh> make_triangle_mesh(const Polyhedron& hull);

Mesh make_mesh(const TriangleSoup& soup);

// Heights at the points of a grid, the first row first, along x; `size` is its whole length along x
// and y, its middle is the origin. Cells are halved along the diagonal whose ends are nearer in
// height, so that ridges and valleys along a diagonal are kept.
inline constexpr std::size_t max_heights = 1'000'000;
HeightField make_height_field(std::span<const double> heights, int columns, const Vector2& size);

// The triangles of a mesh file, in file units times `scale`; OBJ faces must be convex.
TriangleSoup read_mesh_triangles(const std::filesystem::path& file, double scale = 1.0);

// The point of the surface nearest to x.
struct MeshFoot {
  int triangle = -1;  // −1: none within the distance asked for
  int part = 6;       // of the triangle: 0 to 2 an edge, 3 to 5 a vertex, 6 its inside
  Vector3 point = Vector3::Zero();
  double distance = infinity;  // m, not negative
  bool inside = false;         // x is behind the surface
};
MeshFoot nearest_point(const TriangleMesh& mesh, const Vector3& x, double within = infinity);

// The same for one triangle, without `inside`.
MeshFoot nearest_on_triangle(const TriangleMesh& mesh, int triangle, const Vector3& x);

}  // namespace vinci
