// SPDX-License-Identifier: Apache-2.0
// Convex hulls by reentrant qhull [Barber, Dobkin, Huhdanpaa 1996]. Qhull merges triangles that are
// coplanar to its own rounding bound and names the merged facet as their owner; the outline of the
// triangles of one owner is a face here. Vertices keep the order of the points, faces start at
// their least vertex and are sorted, so that the result does not depend on qhull's traversal.
#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

extern "C" {
#include <libqhull_r/qhull_ra.h>
}

#include "vinci/base/error.h"
#include "vinci/geometry/build.h"

namespace vinci {

namespace {

// A hull thinner than this share of its size is flat for our purposes: its mass would be noise.
constexpr double min_volume_share = 1e-12;

struct Triangle {
  int owner;  // triangles with the same owner are coplanar
  std::array<int, 3> points;
};

// Frees qhull's memory however the function ends.
class QhullRun {
 public:
  QhullRun() : quiet_(std::fopen("/dev/null", "w")) { qh_zero(&qh_, quiet_); }
  QhullRun(const QhullRun&) = delete;
  QhullRun& operator=(const QhullRun&) = delete;
  ~QhullRun() {
    qh_freeqhull(&qh_, !qh_ALL);
    int current = 0, total = 0;
    qh_memfreeshort(&qh_, &current, &total);
    if (quiet_) std::fclose(quiet_);
  }

  // False if qhull calls the points flat or too few.
  bool run(std::vector<double>& coordinates) {
    if (!quiet_) throw Error("cannot open the null device that keeps qhull quiet");
    // Stops when the hull has far more vertices than are accepted.
    std::string command = fmt::format("qhull Qt Pp TA{}", 4 * max_hull_vertices);
    return qh_new_qhull(&qh_, 3, static_cast<int>(coordinates.size() / 3), coordinates.data(),
                        False, command.data(), nullptr, quiet_) == 0;
  }

  std::vector<Triangle> triangles() {
    qhT* qh = &qh_;
    facetT* facet;
    vertexT *vertex, **vertexp;
    std::vector<Triangle> result;
    FORALLfacets {
      const facetT* owner = facet->tricoplanar ? facet->f.triowner : facet;
      Triangle triangle{static_cast<int>(owner->id), {}};
      int corner = 0;
      FOREACHvertex_(facet->vertices) {
        if (corner < 3) triangle.points[corner] = qh_pointid(qh, vertex->point);
        ++corner;
      }
      if (corner != 3) throw Error("qhull left a facet that is no triangle");
      if (facet->toporient ^ qh_ORIENTclock) std::swap(triangle.points[1], triangle.points[2]);
      result.push_back(triangle);
    }
    return result;
  }

 private:
  std::FILE* quiet_;
  qhT qh_;
};

// Outlines of the owners' triangles: directed edges that no triangle of the same owner reverses.
std::vector<std::vector<int>> outlines(const std::vector<Triangle>& triangles) {
  std::map<int, std::map<std::pair<int, int>, int>> edges;  // owner -> directed edge -> count
  for (const Triangle& triangle : triangles)
    for (int k = 0; k < 3; ++k)
      ++edges[triangle.owner][{triangle.points[k], triangle.points[(k + 1) % 3]}];
  std::vector<std::vector<int>> faces;
  for (const auto& [owner, directed] : edges) {
    std::map<int, int> next;
    for (const auto& [edge, count] : directed) {
      if (directed.contains({edge.second, edge.first})) continue;
      if (count != 1 || !next.emplace(edge.first, edge.second).second)
        throw Error("the hull has a broken face; the points are too close to flat");
    }
    if (next.empty()) continue;  // a sliver folded onto itself
    std::vector<int> face;
    for (int at = next.begin()->first; face.size() < next.size(); at = next.at(at)) {
      face.push_back(at);
      if (!next.contains(next.at(at)))
        throw Error("the hull has a broken face; the points are too close to flat");
    }
    faces.push_back(std::move(face));
  }
  return faces;
}

// Newell's normal: the vector area of the ring.
Vector3 vector_area(const std::vector<Vector3>& vertices, const std::vector<int>& face) {
  Vector3 sum = Vector3::Zero();
  for (std::size_t i = 2; i < face.size(); ++i)
    sum += (vertices[face[i - 1]] - vertices[face[0]]).cross(vertices[face[i]] - vertices[face[0]]);
  return 0.5 * sum;
}

// Renumbers the points used, in their order; turns faces outward; sorts; finds normals and edges.
Polyhedron assemble(std::span<const Vector3> points, std::vector<std::vector<int>> faces) {
  Polyhedron hull;
  std::map<int, int> number;
  for (const auto& face : faces)
    for (const int point : face) number[point] = 0;
  for (auto& [point, index] : number) {
    index = static_cast<int>(hull.vertices.size());
    hull.vertices.push_back(points[point]);
  }
  for (auto& face : faces) {
    for (int& vertex : face) vertex = number[vertex];
    std::rotate(face.begin(), std::min_element(face.begin(), face.end()), face.end());
  }
  std::sort(faces.begin(), faces.end());
  hull.faces = std::move(faces);

  std::map<std::pair<int, int>, int> left;
  for (int f = 0; f < static_cast<int>(hull.faces.size()); ++f) {
    const auto& face = hull.faces[f];
    hull.face_normals.push_back(vector_area(hull.vertices, face).normalized());
    for (std::size_t i = 0; i < face.size(); ++i)
      if (!left.emplace(std::pair(face[i], face[(i + 1) % face.size()]), f).second)
        throw Error("the hull is not closed; the points are too close to flat");
  }
  for (const auto& [edge, face] : left) {
    const auto twin = left.find({edge.second, edge.first});
    if (twin == left.end()) throw Error("the hull is not closed; the points are too close to flat");
    if (edge.first < edge.second)
      hull.edges.push_back({edge.first, edge.second, face, twin->second});
  }
  if (hull.vertices.size() + hull.faces.size() != hull.edges.size() + 2)
    throw Error("the hull is not closed; the points are too close to flat");
  return hull;
}

void check_solid(const Polyhedron& hull, double size) {
  double volume = 0.0;
  for (const auto& face : hull.faces)
    volume += (hull.vertices[face[0]] - hull.vertices[0]).dot(vector_area(hull.vertices, face)) / 3;
  if (!(volume > min_volume_share * size * size * size))
    throw Error("the points are flat; accepted: points that span a volume");
}

}  // namespace

Polyhedron convex_hull(std::span<const Vector3> points) {
  if (points.size() < 4)
    throw Error(fmt::format("a hull of {} points; accepted: at least 4", points.size()));
  if (points.size() > max_hull_points)
    throw Error(
        fmt::format("a hull of {} points; accepted: at most {}", points.size(), max_hull_points));
  Eigen::AlignedBox3d box;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!points[i].allFinite() || points[i].cwiseAbs().maxCoeff() > 1e12)
      throw Error(
          fmt::format("point {} of the hull is ({}, {}, {}); accepted: numbers up to 1e12 m", i,
                      points[i].x(), points[i].y(), points[i].z()));
    box.extend(points[i]);
  }
  // Qhull works on the points moved to the middle of their box and scaled to unit size, so that its
  // rounding bounds do not depend on units or on a far-away origin.
  const double size = box.diagonal().norm();
  if (!(size > 0.0)) throw Error("the points of the hull are all the same");
  std::vector<double> coordinates;
  coordinates.reserve(3 * points.size());
  for (const Vector3& point : points)
    for (int k = 0; k < 3; ++k) coordinates.push_back((point[k] - box.center()[k]) / size);

  std::vector<Triangle> triangles;
  {
    const auto qhull = std::make_unique<QhullRun>();
    if (!qhull->run(coordinates))
      throw Error("the points are flat; accepted: points that span a volume");
    triangles = qhull->triangles();
  }
  Polyhedron hull = assemble(points, outlines(triangles));
  if (hull.vertices.size() > max_hull_vertices)
    throw Error(fmt::format("the hull has {} vertices or more; accepted: at most {}",
                            hull.vertices.size(), max_hull_vertices));
  check_solid(hull, size);
  return hull;
}

Polyhedron box_polyhedron(const Vector3& half_extents) {
  std::vector<Vector3> corners;
  for (int i = 0; i < 8; ++i)
    corners.emplace_back(i & 1 ? half_extents.x() : -half_extents.x(),
                         i & 2 ? half_extents.y() : -half_extents.y(),
                         i & 4 ? half_extents.z() : -half_extents.z());
  return assemble(
      corners,
      {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}});
}

}  // namespace vinci
