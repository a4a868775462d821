// SPDX-License-Identifier: Apache-2.0
#include "vinci/grasp/grasp_functions.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "vinci/base/error.h"
#include "vinci/geometry/predicates.h"

namespace vinci {
namespace {

constexpr double same_angle = 1e-12;  // rad

Vector2 direction(double angle) {
  return {std::cos(angle), std::sin(angle)};
}
double angle_of(const Vector2& vector) {
  return std::atan2(vector.y(), vector.x());
}

void check(std::span<const Vector2> vertices) {
  if (vertices.size() < 3)
    throw Error(fmt::format("{} vertices; accepted: three or more", vertices.size()), "vertices");
  for (std::size_t i = 0; i < vertices.size(); ++i)
    if (!vertices[i].allFinite())
      throw Error("accepted: finite numbers", fmt::format("vertices[{}]", i));
}

// Vertices of the hull, counter-clockwise; none of them in line with its neighbours.
std::vector<int> hull_of(std::span<const Vector2> vertices) {
  check(vertices);
  std::vector<int> order(vertices.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    const Vector2 &p = vertices[a], &q = vertices[b];
    return p.x() != q.x() ? p.x() < q.x() : p.y() < q.y();
  });
  std::vector<int> hull;
  for (const bool upper : {false, true}) {
    const std::size_t first = hull.size();
    for (const int next : order) {
      while (hull.size() >= first + 2 && orientation(vertices[hull[hull.size() - 2]],
                                                     vertices[hull.back()], vertices[next]) <= 0)
        hull.pop_back();
      hull.push_back(next);
    }
    hull.pop_back();
    if (!upper) std::reverse(order.begin(), order.end());
  }
  if (hull.size() < 3) throw Error("all vertices are in line", "vertices");
  return hull;
}

// Outward normals of the hull's edges in [0, period), in order, equal ones once.
std::vector<JawFunction::Normal> edge_normals(std::span<const Vector2> vertices,
                                              const std::vector<int>& hull, double period) {
  double twice_area = 0.0;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const Vector2 &p = vertices[i], &q = vertices[(i + 1) % vertices.size()];
    twice_area += p.x() * q.y() - p.y() * q.x();
  }
  std::vector<JawFunction::Normal> normals;
  for (std::size_t i = 0; i < hull.size(); ++i) {
    const int tail = hull[i], head = hull[(i + 1) % hull.size()];
    const Vector2 edge = vertices[head] - vertices[tail];
    double angle = std::fmod(angle_of({edge.y(), -edge.x()}) + 2.0 * M_PI, period);
    if (period - angle < same_angle || angle < same_angle) angle = 0.0;
    normals.push_back({angle, twice_area > 0.0 ? tail : head});
  }
  std::sort(normals.begin(), normals.end(),
            [](const JawFunction::Normal& a, const JawFunction::Normal& b) {
              return a.angle != b.angle ? a.angle < b.angle : a.edge < b.edge;
            });
  const auto same = [](const JawFunction::Normal& a, const JawFunction::Normal& b) {
    return b.angle - a.angle < same_angle;
  };
  normals.erase(std::unique(normals.begin(), normals.end(), same), normals.end());
  return normals;
}

Vector2 farthest(std::span<const Vector2> vertices, const std::vector<int>& hull,
                 const Vector2& along) {
  int best = hull.front();
  for (const int vertex : hull)
    if (vertices[vertex].dot(along) > vertices[best].dot(along)) best = vertex;
  return vertices[best];
}

Vector2 centroid(std::span<const Vector2> vertices) {
  const Vector2 origin = vertices[0];
  Vector2 sum = Vector2::Zero();
  double area = 0.0;
  for (std::size_t i = 1; i + 1 < vertices.size(); ++i) {
    const Vector2 p = vertices[i] - origin, q = vertices[i + 1] - origin;
    const double twice = p.x() * q.y() - p.y() * q.x();
    area += twice;
    sum += twice * (p + q) / 3.0;
  }
  if (area == 0.0) throw Error("the polygon has no area", "vertices");
  return origin + sum / area;
}

}  // namespace

double JawFunction::wrapped(double angle) const {
  if (!std::isfinite(angle)) throw Error("accepted: a finite number", "angle");
  angle = std::fmod(angle, period_);
  if (angle < 0.0) angle += period_;
  return angle < period_ ? angle : 0.0;
}

std::size_t JawFunction::piece_at(double angle) const {
  const auto after =
      std::upper_bound(pieces_.begin(), pieces_.end(), angle,
                       [](double value, const Piece& piece) { return value < piece.start; });
  return after == pieces_.begin() ? pieces_.size() - 1
                                  : static_cast<std::size_t>(after - pieces_.begin()) - 1;
}

double JawFunction::value(double angle) const {
  angle = wrapped(angle);
  if (angle < pieces_.front().start) angle += period_;  // the last piece, as it was built
  return direction(angle).dot(pieces_[piece_at(angle)].chord);
}

JawFunction::JawFunction(double period, const std::vector<Normal>& normals,
                         const std::function<Vector2(const Vector2&)>& chord_along)
    : period_(period) {
  for (std::size_t i = 0; i < normals.size(); ++i) {
    const double end =
        i + 1 < normals.size() ? normals[i + 1].angle : normals.front().angle + period;
    const double middle = 0.5 * (normals[i].angle + end);
    const Vector2 chord = chord_along(direction(middle));
    const double peak = middle + std::remainder(angle_of(chord) - middle, 2.0 * M_PI);
    pieces_.push_back({normals[i].angle, normals[i].edge, chord, peak});
  }
  find_extrema();
}

// A piece rises up to its peak and falls behind it; at its start the slope jumps up by the length
// of the edge. So a start is a minimum where the piece before falls and this one rises; where one
// of the two slopes is zero the function falls or rises through.
void JawFunction::find_extrema() {
  const std::size_t count = pieces_.size();
  for (std::size_t i = 0; i < count; ++i) {
    const Piece &piece = pieces_[i], &before = pieces_[(i + count - 1) % count];
    const double turn = i == 0 ? period_ : 0.0;  // the piece before begins a period earlier
    const bool falls_before = before.peak - turn < piece.start - same_angle;
    if (falls_before && piece.peak > piece.start + same_angle)
      minima_.push_back({piece.start, direction(piece.start).dot(piece.chord), piece.edge});
    const double end = i + 1 < count ? pieces_[i + 1].start : pieces_[0].start + period_;
    if (piece.peak > piece.start + same_angle && piece.peak < end - same_angle)
      maxima_.push_back({wrapped(piece.peak), piece.chord.norm(), -1});
  }
  std::sort(maxima_.begin(), maxima_.end(),
            [](const Extremum& a, const Extremum& b) { return a.angle < b.angle; });
}

double JawFunction::outcome(double angle) const {
  angle = wrapped(angle);
  if (minima_.empty() || maxima_.empty()) return angle;  // as good as a circle
  for (const Extremum& maximum : maxima_)
    if (std::abs(std::remainder(angle - maximum.angle, period_)) < same_angle) return angle;
  // Maxima and minima take turns. The basin of a minimum goes from the maximum before it to the
  // one behind it.
  const auto last_not_above = [](const std::vector<Extremum>& list, double limit) {
    std::size_t found = list.size() - 1;
    for (std::size_t i = 0; i < list.size() && list[i].angle <= limit; ++i) found = i;
    return found;
  };
  const double from = maxima_[last_not_above(maxima_, angle)].angle;
  std::size_t next = minima_.size();
  for (std::size_t i = minima_.size(); i-- > 0;)
    if (minima_[i].angle >= from) next = i;
  return minima_[next % minima_.size()].angle;
}

JawFunction squeeze_function(std::span<const Vector2> vertices) {
  const std::vector<int> hull = hull_of(vertices);
  return JawFunction(M_PI, edge_normals(vertices, hull, M_PI), [&](const Vector2& along) {
    return Vector2(farthest(vertices, hull, along) - farthest(vertices, hull, -along));
  });
}

JawFunction push_function(std::span<const Vector2> vertices, std::optional<Vector2> center) {
  const std::vector<int> hull = hull_of(vertices);
  const Vector2 origin = center ? *center : centroid(vertices);
  if (!origin.allFinite()) throw Error("accepted: finite numbers", "center");
  for (std::size_t i = 0; i < hull.size(); ++i)
    if (orientation(vertices[hull[i]], vertices[hull[(i + 1) % hull.size()]], origin) <= 0)
      throw Error("accepted: a point inside the hull of the part", "center");
  return JawFunction(
      2.0 * M_PI, edge_normals(vertices, hull, 2.0 * M_PI),
      [&](const Vector2& along) { return Vector2(farthest(vertices, hull, along) - origin); });
}

}  // namespace vinci
