// SPDX-License-Identifier: Apache-2.0
// Distances of triangles by brute force, written on their own: every vertex with every triangle and
// every edge with every edge.
#pragma once

#include <array>
#include <vector>

#include "vinci/geometry/triangle_mesh.h"

namespace vinci::oracle {

using Triangle = std::array<Vector3, 3>;

inline std::vector<Triangle> placed_triangles(const TriangleMesh& mesh, const Pose& pose) {
  std::vector<Triangle> result;
  for (const auto& t : mesh.triangles)
    result.push_back({pose * mesh.vertices[static_cast<std::size_t>(t[0])],
                      pose * mesh.vertices[static_cast<std::size_t>(t[1])],
                      pose * mesh.vertices[static_cast<std::size_t>(t[2])]});
  return result;
}

inline double point_segment(const Vector3& x, const Vector3& p, const Vector3& q) {
  const Vector3 u = q - p;
  const double s = std::clamp((x - p).dot(u) / u.squaredNorm(), 0.0, 1.0);
  return (x - p - s * u).norm();
}

// By barycentric coordinates of the projection, else by the three sides.
inline double point_triangle(const Vector3& x, const Triangle& t) {
  const Vector3 n = (t[1] - t[0]).cross(t[2] - t[0]);
  const double square = n.squaredNorm();
  bool over = true;
  for (std::size_t k = 0; k < 3; ++k)
    over = over && n.dot((t[(k + 1) % 3] - t[k]).cross(x - t[k])) >= 0.0;
  if (over && square > 0.0) return std::abs(n.dot(x - t[0])) / std::sqrt(square);
  return std::min(
      {point_segment(x, t[0], t[1]), point_segment(x, t[1], t[2]), point_segment(x, t[2], t[0])});
}

inline double segment_segment(const Vector3& p, const Vector3& q, const Vector3& r,
                              const Vector3& s) {
  double least = std::min({point_segment(p, r, s), point_segment(q, r, s), point_segment(r, p, q),
                           point_segment(s, p, q)});
  const Vector3 u = q - p, v = s - r, n = u.cross(v);
  const double square = n.squaredNorm();
  if (square > 1e-20 * u.squaredNorm() * v.squaredNorm()) {
    const double a = (r - p).cross(v).dot(n) / square, b = (r - p).cross(u).dot(n) / square;
    if (a >= 0.0 && a <= 1.0 && b >= 0.0 && b <= 1.0)
      least = std::min(least, std::abs(n.dot(r - p)) / std::sqrt(square));
  }
  return least;
}

inline bool segment_pierces(const Vector3& p, const Vector3& q, const Triangle& t) {
  const Vector3 n = (t[1] - t[0]).cross(t[2] - t[0]);
  const double a = n.dot(p - t[0]), b = n.dot(q - t[0]);
  if ((a > 0.0) == (b > 0.0)) return false;
  const Vector3 x = p + a / (a - b) * (q - p);
  for (std::size_t k = 0; k < 3; ++k)
    if (n.dot((t[(k + 1) % 3] - t[k]).cross(x - t[k])) < 0.0) return false;
  return true;
}

// 0 if they cross.
inline double triangle_distance(const Triangle& a, const Triangle& b) {
  double least = infinity;
  for (std::size_t i = 0; i < 3; ++i) {
    if (segment_pierces(a[i], a[(i + 1) % 3], b) || segment_pierces(b[i], b[(i + 1) % 3], a))
      return 0.0;
    least = std::min({least, point_triangle(a[i], b), point_triangle(b[i], a)});
    for (std::size_t j = 0; j < 3; ++j)
      least = std::min(least, segment_segment(a[i], a[(i + 1) % 3], b[j], b[(j + 1) % 3]));
  }
  return least;
}

inline double surface_distance(const std::vector<Triangle>& a, const std::vector<Triangle>& b) {
  double least = infinity;
  for (const Triangle& s : a)
    for (const Triangle& t : b) least = std::min(least, triangle_distance(s, t));
  return least;
}

// Solid angle of the surface seen from x, over 4π: 1 inside, 0 outside.
inline double winding(const std::vector<Triangle>& surface, const Vector3& x) {
  double sum = 0.0;
  for (const Triangle& t : surface) {
    const Vector3 a = t[0] - x, b = t[1] - x, c = t[2] - x;
    const double la = a.norm(), lb = b.norm(), lc = c.norm();
    sum += 2.0 * std::atan2(a.dot(b.cross(c)),
                            la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb);
  }
  return sum / (4.0 * M_PI);
}

}  // namespace vinci::oracle
