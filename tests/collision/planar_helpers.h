// SPDX-License-Identifier: Apache-2.0
// Shapes, random poses and an independent signed distance for the planar tests.
#pragma once

#include <algorithm>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include "vinci/collision/planar.h"
#include "vinci/geometry/build.h"

namespace vinci::planar_tests {

using Points = std::vector<Vector2>;
using Contacts = std::vector<ContactPoint>;

inline Contacts contacts_of(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                            double margin) {
  PlanarOutline outline_a, outline_b;
  outline_a.place(a, pose_a);
  outline_b.place(b, pose_b);
  PlanarCollider collider;
  Contacts out;
  collider.collide(outline_a, outline_b, margin, out);
  return out;
}

inline double least_gap(const Contacts& contacts) {
  double least = std::numeric_limits<double>::infinity();
  for (const ContactPoint& contact : contacts) least = std::min(least, contact.gap);
  return least;
}

inline Polygon rectangle(double width, double height) {
  const double x = 0.5 * width, y = 0.5 * height;
  return make_polygon(Points{{-x, -y}, {x, -y}, {x, y}, {-x, y}});
}

inline Pose random_pose(std::mt19937_64& random, double spread) {
  std::uniform_real_distribution<double> position(-spread, spread), angle(-3.0, 3.0);
  return planar_pose(position(random), position(random), angle(random));
}

// Vertices on an ellipse: convex.
inline Polygon random_convex(std::mt19937_64& random, int n) {
  std::uniform_real_distribution<double> jitter(0.05, 0.95), axis(0.3, 1.0);
  const double a = axis(random), b = axis(random);
  Points points;
  for (int i = 0; i < n; ++i) {
    const double angle = 2.0 * std::numbers::pi * (i + jitter(random)) / n;
    points.emplace_back(a * std::cos(angle), b * std::sin(angle));
  }
  return make_polygon(points);
}

inline Polygon random_star(std::mt19937_64& random, int n) {
  std::uniform_real_distribution<double> radius(0.3, 1.0), jitter(0.1, 0.9);
  Points points;
  for (int i = 0; i < n; ++i) {
    const double angle = 2.0 * std::numbers::pi * (i + jitter(random)) / n, r = radius(random);
    points.emplace_back(r * std::cos(angle), r * std::sin(angle));
  }
  return make_polygon(points);
}

inline Points placed(const Polygon& polygon, const Pose& pose) {
  Points points;
  for (const Vector2& v : polygon.vertices)
    points.push_back((pose * Vector3(v.x(), v.y(), 0.0)).head<2>());
  return points;
}

// A pose of b in which one of its faces looks at one of a, 0.1 away, turned by at most 1e-3 rad.
inline Pose face_to_face(std::mt19937_64& random, const Polygon& a, const Pose& pose_a,
                         const Polygon& b) {
  const auto face_of = [&random](const Points& points) {
    const std::size_t i = random() % points.size();
    return std::pair(points[i], points[(i + 1) % points.size()]);
  };
  std::uniform_real_distribution<double> turn(-1e-3, 1e-3);
  const auto [tail, head] = face_of(placed(a, pose_a));
  const auto [own_tail, own_head] = face_of(b.vertices);
  const Vector2 along = tail - head, own_along = own_head - own_tail;
  const double angle =
      std::atan2(along.y(), along.x()) - std::atan2(own_along.y(), own_along.x()) + turn(random);
  const Vector2 outward = Vector2(-along.y(), along.x()).normalized();
  const Vector2 own_middle = 0.5 * (own_tail + own_head);
  const Vector2 at =
      0.5 * (tail + head) + 0.1 * outward - Vector2(Eigen::Rotation2Dd(angle) * own_middle);
  return planar_pose(at.x(), at.y(), angle);
}

inline double distance_to_segment(const Vector2& p, const Vector2& a, const Vector2& b) {
  const double t = std::clamp((p - a).dot(b - a) / (b - a).squaredNorm(), 0.0, 1.0);
  return (p - a - t * (b - a)).norm();
}

inline bool inside(const Points& outline, const Vector2& p) {
  bool in = false;
  for (std::size_t i = 0, j = outline.size() - 1; i < outline.size(); j = i++)
    if ((outline[i].y() > p.y()) != (outline[j].y() > p.y()) &&
        p.x() < outline[i].x() + (p.y() - outline[i].y()) * (outline[j].x() - outline[i].x()) /
                                     (outline[j].y() - outline[i].y()))
      in = !in;
  return in;
}

inline double distance_to_outline(const Vector2& p, const Points& outline) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < outline.size(); ++i)
    least = std::min(least, distance_to_segment(p, outline[i], outline[(i + 1) % outline.size()]));
  return least;
}

inline bool outlines_cross(const Points& p, const Points& q) {
  const auto turn = [](const Vector2& a, const Vector2& b, const Vector2& c) {
    return (b.x() - a.x()) * (c.y() - a.y()) - (b.y() - a.y()) * (c.x() - a.x());
  };
  for (std::size_t i = 0; i < p.size(); ++i)
    for (std::size_t j = 0; j < q.size(); ++j) {
      const Vector2 &a = p[i], &b = p[(i + 1) % p.size()], &c = q[j], &d = q[(j + 1) % q.size()];
      if (turn(a, b, c) * turn(a, b, d) < 0 && turn(c, d, a) * turn(c, d, b) < 0) return true;
    }
  return inside(p, q[0]) || inside(q, p[0]);
}

// Distance of two outlines that do not cross: least vertex-to-segment distance, both ways.
inline double outline_distance(const Points& p, const Points& q) {
  double least = std::numeric_limits<double>::infinity();
  for (const Vector2& v : p) least = std::min(least, distance_to_outline(v, q));
  for (const Vector2& v : q) least = std::min(least, distance_to_outline(v, p));
  return least;
}

// Signed distance of convex polygons: the distance, or minus the least translation that parts them.
inline double convex_distance(const Points& p, const Points& q) {
  double axis = -std::numeric_limits<double>::infinity();
  for (const auto& [own, other] : {std::pair(&p, &q), std::pair(&q, &p)})
    for (std::size_t i = 0; i < own->size(); ++i) {
      const Vector2 edge = ((*own)[(i + 1) % own->size()] - (*own)[i]).normalized();
      double least = std::numeric_limits<double>::infinity();
      for (const Vector2& v : *other)
        least = std::min(least, Vector2(edge.y(), -edge.x()).dot(v - (*own)[i]));
      axis = std::max(axis, least);
    }
  return axis > 0.0 ? outline_distance(p, q) : axis;
}

}  // namespace vinci::planar_tests
