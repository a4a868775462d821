// SPDX-License-Identifier: Apache-2.0
// Signed distance of two convex sets of space, from their support points alone. With n a unit
// vector from a to b and v(n) = b's farthest point against n minus a's farthest point along it,
//   g(n) = n · v(n) <= n · v for every v of the difference b − a,
// and max g is the distance, or minus the least translation that parts the sets. Apart there is one
// maximum; in overlap there are several, and a polytope within b − a bounds what is still to find.
#pragma once

#include <array>
#include <vector>

#include "vinci/geometry/superquadric.h"

namespace vinci {

class Convex;

// A superquadric or the core of another shape, placed about the pair's origin; what it is made from
// outlives it.
class SpatialSet {
 public:
  explicit SpatialSet(const Convex& core);
  SpatialSet(const Superquadric& shape, const Vector3& position, const Quaternion& rotation);

  Vector3 support(const Vector3& direction) const;
  CurvedPoint curved_support(const Vector3& direction) const;

  const Vector3& center() const { return center_; }
  double extent() const { return extent_; }  // bounding radius about the centre, without radius()
  double radius() const { return radius_; }  // by which the core is grown
  const Superquadric* superquadric() const { return shape_; }
  const Convex* core() const { return core_; }
  const Matrix3& frame() const { return frame_; }  // of a superquadric
  Vector3 local(const Vector3& point) const { return frame_.transpose() * (point - center_); }

 private:
  const Superquadric* shape_ = nullptr;
  const Convex* core_ = nullptr;
  Matrix3 frame_ = Matrix3::Identity();
  Vector3 center_;
  double extent_ = 0.0, radius_ = 0.0;
};

// A direction and what the sets look like along it.
struct SpatialProbe {
  Vector3 normal = Vector3::UnitZ();  // unit, from a to b
  Vector3 point_a = Vector3::Zero(), point_b = Vector3::Zero();
  double gap = -infinity;  // normal · (point_b − point_a)
  Vector3 offset() const { return point_b - point_a; }
};

struct SpatialSeparation {
  // Support points along the normal; where both sets are flat there, points of the flat parts that
  // lie opposite each other.
  SpatialProbe best;
  double bound = infinity;  // no direction has a gap above it, m
  bool settled = false;     // `best` reaches the bound, or what counts as equal to it
  int probes = 0;           // directions tried
};

class SpatialSearch {
 public:
  // The largest gap of the two cores over all directions; ends as soon as one above `enough` is
  // found. Nothing is allocated once the workspace has grown.
  SpatialSeparation largest_gap(const SpatialSet& a, const SpatialSet& b, double enough);

 private:
  struct Vertex {
    Vector3 offset, on_a, on_b;
  };
  struct Simplex {
    int count = 0;
    std::array<Vertex, 4> vertex;
    std::array<double, 4> weight{};
    Vector3 nearest = Vector3::Zero();
    double squared = infinity;
  };
  struct Face {
    std::array<int, 3> corner;
    Vector3 outward;
    double height;  // outward · corner
    bool alive;
  };
  // What a search for the point nearest to the origin ended with.
  enum class End { settled, overlap, enough, stalled };

  SpatialProbe probe(const Vector3& normal);
  bool newton(const SpatialProbe& from, const Vector3& shift, Vector3& normal);
  bool extend(const Vertex& vertex);
  void reduce(unsigned members);
  End descend(const Vector3& shift, double enough, SpatialProbe& best);
  SpatialProbe polish(SpatialProbe from);
  void place_opposite(SpatialProbe& best) const;
  bool start_hull();
  bool expand(int face, const Vector3& vertex);
  void add_face(int i, int j, int k, const Vector3& fallback);
  void look_around(SpatialProbe& best, double& bound, bool& settled);

  const SpatialSet *a_ = nullptr, *b_ = nullptr;
  double size_ = 1.0;   // of the sets, m
  double small_ = 1.0;  // of the smaller one, m
  int probes_ = 0;
  double enough_ = infinity;
  Simplex simplex_;
  std::vector<Vector3> corners_;  // of the polytope within b − a
  std::vector<Face> faces_;
  std::vector<std::array<int, 2>> horizon_;
  Vector3 middle_;
};

}  // namespace vinci
