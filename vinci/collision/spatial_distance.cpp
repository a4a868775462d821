// SPDX-License-Identifier: Apache-2.0
// Gilbert–Johnson–Keerthi on the set b − a, whose point nearest the origin is the offset.
#include "vinci/collision/spatial_distance.h"

namespace vinci {
namespace {

constexpr int max_iterations = 200;  // polytopes need about ten, curved ones a few dozen

struct Simplex {
  int count = 0;
  ExtremePoint a[4], b[4];
  Vector3 w[4];  // b − a
};

struct Nearest {
  Vector3 point;
  double squared = std::numeric_limits<double>::infinity();
  unsigned members = 0;  // bit i: vertex i carries weight

  void offer(const Vector3& candidate, unsigned vertices) {
    const double square = candidate.squaredNorm();
    if (square < squared) {
      point = candidate;
      squared = square;
      members = vertices;
    }
  }
};

void offer_segment(const Simplex& s, int i, int j, Nearest& best) {
  const Vector3 edge = s.w[j] - s.w[i];
  const double length = edge.squaredNorm();
  const double t = -s.w[i].dot(edge);
  if (t <= 0.0 || t >= length) return;
  best.offer(s.w[i] + (t / length) * edge, (1u << i) | (1u << j));
}

void offer_triangle(const Simplex& s, int i, int j, int k, Nearest& best) {
  const Vector3 &p = s.w[i], &q = s.w[j], &r = s.w[k];
  const Vector3 normal = (q - p).cross(r - p);
  const double area = normal.squaredNorm();
  // Slivers are left to their edges; 1e-28 is the square of the relative rounding of the area.
  if (area <= 1e-28 * (q - p).squaredNorm() * (r - p).squaredNorm()) return;
  if (normal.dot(q.cross(r)) <= 0.0 || normal.dot(r.cross(p)) <= 0.0 ||
      normal.dot(p.cross(q)) <= 0.0)
    return;
  best.offer((normal.dot(p) / area) * normal, (1u << i) | (1u << j) | (1u << k));
}

double volume(const Vector3& p, const Vector3& q, const Vector3& r) {
  return p.dot(q.cross(r));
}

bool holds_origin(const Simplex& s) {
  const Vector3* w = s.w;
  const Vector3 e1 = w[1] - w[0], e2 = w[2] - w[0], e3 = w[3] - w[0];
  const double whole = volume(e1, e2, e3);
  if (std::abs(whole) <= 1e-14 * e1.norm() * e2.norm() * e3.norm()) return false;
  const double sign = whole > 0.0 ? 1.0 : -1.0;
  return sign * volume(w[1], w[2], w[3]) >= 0.0 && sign * volume(w[0], w[3], w[2]) >= 0.0 &&
         sign * volume(w[0], w[1], w[3]) >= 0.0 && sign * volume(w[0], w[2], w[1]) >= 0.0;
}

// Nearest point over the faces of the simplex that hold its newest vertex, the last.
Nearest nearest_point(const Simplex& s) {
  Nearest best;
  const int last = s.count - 1;
  best.offer(s.w[last], 1u << last);
  for (int i = 0; i < last; ++i) {
    offer_segment(s, i, last, best);
    for (int j = i + 1; j < last; ++j) offer_triangle(s, i, j, last, best);
  }
  return best;
}

void keep(Simplex& s, unsigned members) {
  int kept = 0;
  for (int i = 0; i < s.count; ++i) {
    if (!(members & (1u << i))) continue;
    s.a[kept] = s.a[i];
    s.b[kept] = s.b[i];
    s.w[kept] = s.w[i];
    ++kept;
  }
  s.count = kept;
}

bool repeats(const Simplex& s, const Vector3& w) {
  for (int i = 0; i < s.count; ++i)
    if (s.w[i] == w) return true;
  return false;
}

void push(Simplex& s, const Convex& a, const Convex& b, const Vector3& direction) {
  s.a[s.count] = a.support(direction);
  s.b[s.count] = b.support(-direction);
  s.w[s.count] = s.b[s.count].point - s.a[s.count].point;
  ++s.count;
}

}  // namespace

ClosestPoints closest_points(const Convex& a, const Convex& b, const Vector3& guess) {
  const double size = a.extent() + b.extent() + (b.center() - a.center()).norm();
  const double zero = 1e-15 * size;  // rounding of one difference of points
  // Exact for polytopes; curved sides are approached, and the direction is improved afterwards.
  const double accuracy = a.is_cylinder() || b.is_cylinder() ? 1e-11 : 1e-15;
  Simplex s;
  push(s, a, b, guess);
  Vector3 v = s.w[0];
  ClosestPoints result;
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    const double squared = v.squaredNorm();
    if (squared <= zero * zero) {
      result.overlap = true;
      return result;
    }
    Simplex grown = s;
    push(grown, a, b, v);
    const Vector3& w = grown.w[s.count];
    // v·w/|v| bounds the distance from below: stop when it meets |v|.
    if (squared - v.dot(w) <= accuracy * squared || repeats(s, w)) break;
    if (grown.count == 4 && holds_origin(grown)) {
      result.overlap = true;
      return result;
    }
    const Nearest nearest = nearest_point(grown);
    if (nearest.squared >= squared) break;  // no progress left in double precision
    keep(grown, nearest.members);
    s = grown;
    v = nearest.point;
  }
  result.offset = v;
  result.count = s.count;
  for (int i = 0; i < s.count; ++i) {
    result.a[i] = s.a[i];
    result.b[i] = s.b[i];
  }
  return result;
}

}  // namespace vinci
