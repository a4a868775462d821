// SPDX-License-Identifier: Apache-2.0
// The planar narrow phase: exact contacts between circles, capsules, polygons and half-planes, and
// the placed shapes that the narrow phase of curves (planar_curve.h) shares.
//
// Every bounded shape is a core (a point, a segment, the convex pieces of a polygon) grown by a
// radius. A contact pairs a convex corner of one core with a face or a corner of the other; how
// they are chosen is explained in docs/theory/collision_planar.md.
#pragma once

#include <utility>

#include "vinci/collision/narrow_phase.h"

namespace vinci {

// Lengths below this share of the shapes' sizes do not decide between features: they come from
// rounding and from the solver's residual, not from the scene.
inline constexpr double planar_length_tolerance = 1e-9;
// How far past a reflex end of a face (share of its length) a corner may have sunk into the next
// wall and still belong to the face.
inline constexpr double planar_sunk_share = 0.1;

// A superellipse or an implicit curve in the world.
struct PlacedCurve {
  const Superellipse* superellipse = nullptr;
  const ImplicitCurve* implicit = nullptr;
  Matrix2 turn = Matrix2::Identity();  // of its own frame
  Vector2 origin = Vector2::Zero();    // of its own frame
  Vector2 middle = Vector2::Zero();    // a point inside
  double size = 0.0;                   // half its extent, roughly; m

  explicit operator bool() const { return superellipse || implicit; }
  // The farthest point along a direction, from the origin in world axes.
  Vector2 support(const Vector2& direction) const;
};

// A planar shape in the world, made once a detection and shared by all pairs of the shape.
// Collinear vertices of a polygon are no corners: a face is straight from corner to corner, however
// many vertices the user put on it.
struct PlanarOutline {
  struct Corner {
    Vector2 point;
    std::uint32_t vertex;  // of the shape
    bool convex;           // or reflex
  };
  struct Face {  // from corner i to corner i + 1, the solid on its left
    Vector2 tail, tangent, normal;
    double length;  // m
  };
  struct RingVertex {
    Vector2 point;
    Vector2 normal;        // outward, of the piece's edge that starts here
    std::uint32_t vertex;  // of the shape
    int corner;            // −1 where the outline is straight
    int face;              // on which the edge lies; −1 for a cut through the polygon
  };
  struct Piece {
    int first, size;  // into ring
    Eigen::AlignedBox2d box;
  };

  std::vector<Corner> corners;
  std::vector<Face> faces;  // none for a point, two for a segment
  std::vector<RingVertex> ring;
  std::vector<Piece> pieces;
  Eigen::AlignedBox2d box;  // of the core
  double radius = 0.0;      // m
  double depth = 0.0;       // z of the plane, m
  bool unbounded = false;   // a half-plane: one endless face, no corners
  PlacedCurve curve;        // and nothing of the above but box and depth, or none

  void place(const Shape& shape, const Pose& pose);

  // Names of features: odd for a vertex, even for a face, after its first vertex. A half-plane's
  // only face is 0.
  static std::uint32_t vertex_name(std::uint32_t vertex) { return 2 * vertex + 1; }
  std::uint32_t corner_name(int corner) const { return vertex_name(corners[corner].vertex); }
  std::uint32_t face_name(int face) const { return unbounded ? 0 : 2 * corners[face].vertex; }

  const Corner& neighbour(int corner, int step) const {  // step ±1
    const int n = static_cast<int>(corners.size()), at = corner + step;
    return corners[at < 0 ? n - 1 : (at < n ? at : 0)];
  }
  // Whether the point is inside the core; on a face is outside, within `tolerance` of a cut is not.
  bool contains(const Vector2& point, double tolerance) const;

 private:
  void place_convex(std::initializer_list<Vector2> points);
  void place_polygon(const Polygon& polygon, const Pose& pose);
  void place_curve(const Shape& shape, const Pose& pose);
  void make_faces();
  void add_piece(int first);
  std::vector<int> corner_of_, face_of_;  // vertex -> corner or −1; vertex -> face of its edge
};

class PlanarCollider {
 public:
  // Appends the contacts of one pair with gap <= margin, sorted by features. Two half-planes have
  // none.
  void collide(const PlanarOutline& a, const PlanarOutline& b, double margin,
               std::vector<ContactPoint>& out);

 private:
  struct Side {  // one of the two shapes, and its features near the other
    const PlanarOutline* outline = nullptr;
    std::vector<int> pieces, corners, faces;
  };
  struct Found {
    ContactPoint contact;
    std::uint32_t end;  // feature of the corner at which a corner meets a face, or `nowhere`
  };
  struct Axis {
    Vector2 normal;  // unit, from a to b
    double separation;
    bool face_of_a = false;    // who has the edge that gives the axis
    int face = -1;             // on which the edge lies, or −1
    int opposite_vertex = -1;  // in the other one's ring
  };
  // Which edges may give the axis: all, the faces, or the faces whose opposite vertex is a true
  // corner of its outline.
  enum class Edges { all, faces, valid_faces };

  void near_pieces(Side& side, const PlanarOutline& other) const;
  void collide_half_plane(bool plane_is_a);
  template <class Action>
  void for_near_pieces(Action action);
  void collide_pieces(const PlanarOutline::Piece& p, const PlanarOutline::Piece& q);
  void collide_cut_pieces(const PlanarOutline::Piece& p, const PlanarOutline::Piece& q,
                          std::size_t known);
  void find_features(const PlanarOutline::Piece& p, const PlanarOutline::Piece& q,
                     const Axis& axis);
  void part_pieces(const PlanarOutline::Piece& p, const PlanarOutline::Piece& q);
  Axis largest_separation(const PlanarOutline::Piece& p, const PlanarOutline::Piece& q,
                          Edges edges) const;
  void scan_axes(const PlanarOutline& own, const PlanarOutline::Piece& piece,
                 const PlanarOutline& other, const PlanarOutline::Piece& opposite, double sign,
                 Edges edges, Axis& best) const;
  void offer(Axis& best, const Axis& axis) const;
  bool supports_outward(const PlanarOutline& outline, const PlanarOutline::Piece& piece, int at,
                        const Vector2& direction) const;
  void near_features(Side& side, const PlanarOutline::Piece& piece, const Vector2& direction,
                     double width) const;
  void corners_on_faces(bool corners_of_a, const Axis& axis, const Vector2& shift);
  void corner_on_face(bool corner_of_a, int corner, int face, const Axis& axis,
                      const Vector2& shift);
  void corners_on_corners(const Vector2& shift);
  void corner_on_corner(int corner_a, int corner_b, const Vector2& shift);
  void add(const Vector2& core_a, const Vector2& core_b, const Vector2& normal,
           std::uint32_t feature_a, std::uint32_t feature_b, std::uint32_t end);
  void deliver(std::vector<ContactPoint>& out);

  Side a_, b_;
  double margin_ = 0.0;       // between the surfaces, m
  double core_margin_ = 0.0;  // between the cores, m
  double tolerance_ = 0.0;    // lengths below it are nothing, m
  // Overlapping pieces of which one is cut off where it is deepest under the other's nearest face.
  std::vector<std::pair<const PlanarOutline::Piece*, const PlanarOutline::Piece*>> cut_;
  bool overlap_ = false;  // some pieces do
  std::vector<Found> found_;
};

}  // namespace vinci
