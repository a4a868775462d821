// SPDX-License-Identifier: Apache-2.0
// The nearest point of b − a by Gilbert–Johnson–Keerthi with Newton steps on the sphere of normals,
// and the expanding polytope that looks at all directions in overlap.
#include "vinci/collision/spatial_search.h"

#include <algorithm>
#include <cmath>

#include "vinci/collision/spatial_convex.h"

namespace vinci {
namespace {

constexpr double unit_roundoff = 2.3e-16;
// Of the size: tangential offsets below it are nothing, and flat sides have this radius at most.
constexpr double still_offset = 1e-14;
constexpr double flattest = 1e9;
// Of the size: support points that miss each other by less lie opposite each other.
constexpr double still_miss = 1e-9;
// Sets are moved this far apart, of the smaller one, before their normal is asked for: then it does
// not suffer from a small distance.
constexpr double parting = 0.05;
constexpr int most_descents = 120;
constexpr int most_polishes = 100;
constexpr std::size_t most_corners = 160;
// Gaps that count as equal, as in gap_tolerance(): of the smaller set, and of the gap.
constexpr double equal_share = 1e-9, equal_part = 1e-6;

std::array<Vector3, 2> tangents_of(const Vector3& n) {
  Eigen::Index least = 0;
  n.cwiseAbs().minCoeff(&least);
  const Vector3 first = n.cross(Vector3::Unit(least)).normalized();
  return {first, n.cross(first)};
}

}  // namespace

SpatialSet::SpatialSet(const Convex& core)
    : core_(&core),
      center_(core.center()),
      extent_(core.extent() - core.radius()),
      radius_(core.radius()) {}

SpatialSet::SpatialSet(const Superquadric& shape, const Vector3& position,
                       const Quaternion& rotation)
    : shape_(&shape),
      frame_(rotation.toRotationMatrix()),
      center_(position),
      extent_(farthest_distance(shape)) {}

Vector3 SpatialSet::support(const Vector3& direction) const {
  if (core_) return core_->support(direction).point;
  return center_ + frame_ * support_point(*shape_, frame_.transpose() * direction);
}

CurvedPoint SpatialSet::curved_support(const Vector3& direction) const {
  if (shape_) {
    CurvedPoint local = curved_support_point(*shape_, frame_.transpose() * direction,
                                             flattest * shape_->axes.maxCoeff());
    return {center_ + frame_ * local.point, frame_ * local.radii * frame_.transpose()};
  }
  CurvedPoint result{core_->support(direction).point, Matrix3::Zero()};
  if (core_->is_cylinder()) {  // the rim of a cap
    const Vector3 radial = core_->perpendicular(direction);
    const double length = radial.norm();
    if (length > 0.0) {
      const Vector3 along = core_->axis().cross(radial) / length;
      result.radii =
          core_->cylinder_radius() * std::min(1.0 / length, flattest) * along * along.transpose();
    }
  }
  return result;
}

SpatialProbe SpatialSearch::probe(const Vector3& normal) {
  ++probes_;
  SpatialProbe result{normal, a_->support(normal), b_->support(-normal)};
  result.gap = normal.dot(result.offset());
  return result;
}

// The maximum of the second-order model of the gap, b moved by `shift`; false where that has none.
bool SpatialSearch::newton(const SpatialProbe& from, const Vector3& shift, Vector3& normal) {
  const Vector3& n = from.normal;
  const CurvedPoint a = a_->curved_support(n), b = b_->curved_support(-n);
  const Vector3 offset = b.point + shift - a.point;
  const Matrix3 radii = a.radii + b.radii;
  const std::array<Vector3, 2> t = tangents_of(n);
  const Vector2 slope(t[0].dot(offset), t[1].dot(offset));
  const double gap = n.dot(offset);
  Matrix2 fall;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) fall(i, j) = t[i].dot(radii * t[j]) + (i == j ? gap : 0.0);
  const double trace = fall.trace(), determinant = fall.determinant();
  if (!(trace > 0.0) || !(determinant > 1e-26 * trace * trace)) return false;
  Vector2 step(fall(1, 1) * slope[0] - fall(0, 1) * slope[1],
               fall(0, 0) * slope[1] - fall(0, 1) * slope[0]);
  step /= determinant;
  const double length = step.norm();
  if (!std::isfinite(length)) return false;
  if (length > 0.5) step *= 0.5 / length;
  normal = (n + step[0] * t[0] + step[1] * t[1]).normalized();
  return true;
}

void SpatialSearch::reduce(unsigned members) {
  Simplex& s = simplex_;
  int kept = 0;
  for (int i = 0; i < s.count; ++i)
    if (members & (1u << i)) {
      s.vertex[static_cast<std::size_t>(kept)] = s.vertex[static_cast<std::size_t>(i)];
      s.weight[static_cast<std::size_t>(kept)] = s.weight[static_cast<std::size_t>(i)];
      ++kept;
    }
  s.count = kept;
}

// Adds a point of b − a; true if the nearest point of the simplex comes nearer. Four points are
// kept if they hold the origin.
bool SpatialSearch::extend(const Vertex& vertex) {
  Simplex& s = simplex_;
  for (int i = 0; i < s.count; ++i)
    if (s.vertex[static_cast<std::size_t>(i)].offset == vertex.offset) return false;
  const int last = s.count;
  s.vertex[static_cast<std::size_t>(last)] = vertex;
  const auto at = [&](int i) -> const Vector3& {
    return s.vertex[static_cast<std::size_t>(i)].offset;
  };
  double best = s.squared;
  unsigned members = 0;
  Vector3 nearest = Vector3::Zero();
  std::array<double, 4> weight{};
  const auto offer = [&](const Vector3& point, unsigned who, std::array<double, 4> weights) {
    const double squared = point.squaredNorm();
    if (squared >= best) return;
    best = squared, nearest = point, members = who, weight = weights;
  };
  const unsigned newest = 1u << last;
  std::array<double, 4> w{};
  w[static_cast<std::size_t>(last)] = 1.0;
  offer(at(last), newest, w);
  for (int i = 0; i < last; ++i) {
    const Vector3 edge = at(last) - at(i);
    const double square = edge.squaredNorm(), t = -at(i).dot(edge) / square;
    if (t > 0.0 && t < 1.0) {
      w = {};
      w[static_cast<std::size_t>(i)] = 1.0 - t, w[static_cast<std::size_t>(last)] = t;
      offer(at(i) + t * edge, (1u << i) | newest, w);
    }
    for (int j = i + 1; j < last; ++j) {
      const Vector3 &p = at(i), &q = at(j), &r = at(last);
      const Vector3 normal = (q - p).cross(r - p);
      const double area = normal.squaredNorm();
      if (!(area > 1e-28 * (q - p).squaredNorm() * (r - p).squaredNorm())) continue;
      const double wp = normal.dot(q.cross(r)) / area, wq = normal.dot(r.cross(p)) / area,
                   wr = normal.dot(p.cross(q)) / area;
      if (wp <= 0.0 || wq <= 0.0 || wr <= 0.0) continue;
      w = {};
      w[static_cast<std::size_t>(i)] = wp, w[static_cast<std::size_t>(j)] = wq,
      w[static_cast<std::size_t>(last)] = wr;
      offer((normal.dot(p) / area) * normal, (1u << i) | (1u << j) | newest, w);
    }
  }
  if (last == 3) {
    const auto volume = [](const Vector3& p, const Vector3& q, const Vector3& r) {
      return p.dot(q.cross(r));
    };
    const Vector3 e1 = at(1) - at(0), e2 = at(2) - at(0), e3 = at(3) - at(0);
    const double whole = volume(e1, e2, e3), sign = whole > 0.0 ? 1.0 : -1.0;
    if (std::abs(whole) > 1e-14 * e1.norm() * e2.norm() * e3.norm() &&
        sign * volume(at(1), at(2), at(3)) >= 0.0 && sign * volume(at(0), at(3), at(2)) >= 0.0 &&
        sign * volume(at(0), at(1), at(3)) >= 0.0 && sign * volume(at(0), at(2), at(1)) >= 0.0) {
      s.count = 4;
      s.squared = 0.0;
      s.nearest.setZero();
      return true;
    }
  }
  if (members == 0) return false;
  s.count = last + 1;
  s.weight = weight;
  s.nearest = nearest;
  s.squared = best;
  reduce(members);
  return true;
}

// Towards the point of b + shift − a nearest to the origin; `best` is the direction of the largest
// gap seen, of the sets where they are. Newton's directions serve as support points like the
// others.
SpatialSearch::End SpatialSearch::descend(const Vector3& shift, double enough, SpatialProbe& best) {
  Simplex& s = simplex_;
  s.count = 0;
  s.squared = infinity;
  const double tolerance = 4.0 * unit_roundoff * (size_ + shift.norm());
  double lower = -infinity;
  SpatialProbe top;
  const auto look = [&](const Vector3& normal) {
    const SpatialProbe seen = probe(normal);
    const double gap = seen.gap + normal.dot(shift);
    if (gap > lower) lower = gap, top = seen;
    return extend({seen.offset() + shift, seen.point_a, seen.point_b});
  };
  look(best.normal);
  Vector3 last_newton = Vector3::Zero();
  for (int i = 0; i < most_descents; ++i) {
    if (top.gap > enough) {
      best = top;
      return End::enough;
    }
    const double upper = std::sqrt(s.squared);
    if (s.count == 4 || upper <= tolerance) {
      best = top;
      return End::overlap;
    }
    if (upper - lower <= tolerance) {
      best = top;
      return End::settled;
    }
    bool moved = look(s.nearest / upper);
    if (s.count == 4) continue;
    Vector3 normal;
    if (top.normal != last_newton) {
      last_newton = top.normal;
      if (newton(top, shift, normal) && normal != top.normal) moved = look(normal) || moved;
    }
    if (!moved) break;
  }
  best = top;
  return End::stalled;
}

// The local maximum uphill of a direction. Newton's method where the gap falls off in all
// directions; else the sets are moved apart along the direction, where their normal is the answer
// of a convex problem and nearer to the maximum than the direction was.
SpatialProbe SpatialSearch::polish(SpatialProbe best) {
  const auto tangential = [](const SpatialProbe& p) {
    return (p.offset() - p.gap * p.normal).norm();
  };
  const double equal = 4.0 * unit_roundoff * size_;
  double miss = tangential(best);
  bool parted = false;
  for (int i = 0; i < most_polishes && miss > still_offset * size_; ++i) {
    Vector3 normal;
    if (newton(best, Vector3::Zero(), normal)) {
      const SpatialProbe next = probe(normal);
      const double left = tangential(next);
      if ((next.gap > best.gap + equal || (next.gap >= best.gap - equal && left < 0.5 * miss))) {
        best = next, miss = left;
        continue;
      }
    }
    const Vector3 shift = (parting * small_ - best.gap) * best.normal;
    SpatialProbe next = best;
    descend(shift, infinity, next);
    const double left = tangential(next);
    const bool better = next.gap > best.gap + equal;
    if (better || (next.gap >= best.gap - equal && left < miss)) best = next, miss = left;
    parted = true;
    if (!better) break;
  }
  if (parted && miss > still_miss * size_) place_opposite(best);
  return best;
}

// The points opposite each other on flat parts, as the simplex around the nearest point has them.
void SpatialSearch::place_opposite(SpatialProbe& best) const {
  Vector3 on_a = Vector3::Zero(), on_b = Vector3::Zero();
  double sum = 0.0;
  for (int i = 0; i < simplex_.count; ++i) {
    const auto k = static_cast<std::size_t>(i);
    on_a += simplex_.weight[k] * simplex_.vertex[k].on_a;
    on_b += simplex_.weight[k] * simplex_.vertex[k].on_b;
    sum += simplex_.weight[k];
  }
  if (!(sum > 0.0)) return;
  on_a /= sum, on_b /= sum;
  const Vector3& n = best.normal;
  best.point_a = on_a + n.dot(best.point_a - on_a) * n;
  best.point_b = on_b + n.dot(best.point_b - on_b) * n;
}

void SpatialSearch::add_face(int i, int j, int k, const Vector3& fallback) {
  const Vector3 &p = corners_[static_cast<std::size_t>(i)],
                &q = corners_[static_cast<std::size_t>(j)],
                &r = corners_[static_cast<std::size_t>(k)];
  Vector3 outward = (q - p).cross(r - p);
  const double length = outward.norm();
  if (length > 1e-14 * (q - p).norm() * (r - p).norm() && length > 0.0)
    outward /= length;
  else
    outward = fallback;
  faces_.push_back({{i, j, k}, outward, outward.dot(p), true});
}

// A tetrahedron of support points; false if b − a is flat to rounding.
bool SpatialSearch::start_hull() {
  corners_.clear();
  faces_.clear();
  const auto support = [&](const Vector3& d) { return probe(-d.normalized()).offset(); };
  const Matrix3 axes = a_->superquadric() ? a_->frame() : b_->frame();
  const auto widest = [&](const Vector3& direction) {
    const Vector3 high = support(direction), low = support(-direction);
    return std::pair(high, low);
  };
  const auto [p0, p1] = widest(axes.col(0));
  corners_.push_back(p0);
  corners_.push_back(p1);
  const Vector3 line = (p1 - p0).normalized();
  const std::array<Vector3, 2> across = tangents_of(line);
  const auto [high, low] = widest(across[0]);
  const auto distance = [&](const Vector3& p) {
    return ((p - p0) - line.dot(p - p0) * line).norm();
  };
  corners_.push_back(distance(high) >= distance(low) ? high : low);
  const Vector3 normal = (p1 - p0).cross(corners_[2] - p0);
  if (!(normal.norm() > 1e-18 * size_ * size_)) return false;
  const auto [up, down] = widest(normal);
  const Vector3 unit = normal.normalized();
  const bool upwards = unit.dot(up - p0) >= unit.dot(p0 - down);
  corners_.push_back(upwards ? up : down);
  if (!(std::abs(unit.dot(corners_[3] - p0)) > 1e-12 * size_)) return false;
  middle_ = 0.25 * (corners_[0] + corners_[1] + corners_[2] + corners_[3]);
  if (upwards) {
    add_face(0, 2, 1, -unit), add_face(0, 1, 3, -unit), add_face(1, 2, 3, -unit),
        add_face(2, 0, 3, -unit);
  } else {
    add_face(0, 1, 2, unit), add_face(1, 0, 3, unit), add_face(2, 1, 3, unit),
        add_face(0, 2, 3, unit);
  }
  return true;
}

// Takes a support point into the polytope; false if it lies on the face it was looked for from.
bool SpatialSearch::expand(int face, const Vector3& vertex) {
  const double tolerance = 1e-13 * size_;
  const auto sees = [&](const Face& f) { return f.outward.dot(vertex) > f.height + tolerance; };
  if (!sees(faces_[static_cast<std::size_t>(face)])) return false;
  const int index = static_cast<int>(corners_.size());
  corners_.push_back(vertex);
  horizon_.clear();
  const Vector3 outward = faces_[static_cast<std::size_t>(face)].outward;
  for (Face& f : faces_) {
    if (!sees(f)) continue;
    f.alive = false;
    for (int e = 0; e < 3; ++e) {
      const int tail = f.corner[static_cast<std::size_t>(e)],
                head = f.corner[static_cast<std::size_t>((e + 1) % 3)];
      const auto back = std::find(horizon_.begin(), horizon_.end(), std::array<int, 2>{head, tail});
      if (back != horizon_.end()) {
        *back = horizon_.back();
        horizon_.pop_back();
      } else {
        horizon_.push_back({tail, head});
      }
    }
  }
  std::erase_if(faces_, [](const Face& f) { return !f.alive; });
  for (const auto& [tail, head] : horizon_) add_face(tail, head, index, outward);
  return true;
}

// Looks in every direction that the polytope within b − a leaves open for a larger gap.
void SpatialSearch::look_around(SpatialProbe& best, double& bound, bool& settled) {
  settled = false;
  bound = 0.0;
  if (!start_hull()) return;
  while (true) {
    int top = -1;
    bound = -infinity;
    for (int i = 0; i < static_cast<int>(faces_.size()); ++i) {
      const Face& f = faces_[static_cast<std::size_t>(i)];
      if (-f.height > bound) bound = -f.height, top = i;
    }
    const double equal = equal_share * small_ + equal_part * std::abs(best.gap);
    settled = bound <= best.gap + equal;
    if (top < 0 || settled || corners_.size() >= most_corners) return;
    const SpatialProbe seen = probe(-faces_[static_cast<std::size_t>(top)].outward);
    if (seen.gap > best.gap + equal) {
      const SpatialProbe higher = polish(seen);
      if (higher.gap > best.gap) best = higher;
      if (best.gap > enough_) return;
    }
    if (!expand(top, seen.offset())) faces_[static_cast<std::size_t>(top)].height = infinity;
  }
}

SpatialSeparation SpatialSearch::largest_gap(const SpatialSet& a, const SpatialSet& b,
                                             double enough) {
  a_ = &a, b_ = &b;
  probes_ = 0;
  enough_ = enough;
  const Vector3 apart = b.center() - a.center();
  size_ = a.extent() + b.extent() + apart.norm();
  small_ = std::max(std::min(a.extent(), b.extent()), 1e-3 * std::max(a.extent(), b.extent()));
  SpatialSeparation result;
  SpatialProbe& best = result.best;
  best.normal = apart.norm() > 0.0 ? Vector3(apart.normalized()) : Vector3::UnitZ();
  const End end = descend(Vector3::Zero(), enough, best);
  if (end == End::enough) {
    result.probes = probes_;
    return result;
  }
  result.bound = std::sqrt(simplex_.squared);
  const double upper = result.bound;
  const double miss = (best.offset() - best.gap * best.normal).norm();
  if (end == End::settled && miss <= still_miss * size_) {
    result.settled = true;
  } else if (end == End::settled && upper > 1e-3 * small_) {
    place_opposite(best);
    result.settled = true;
  } else {
    const SpatialProbe better = polish(best);
    if (better.gap >= best.gap - 4.0 * unit_roundoff * size_) best = better;
    result.settled = best.gap >= upper - equal_share * small_;
    if (!result.settled && end != End::settled) look_around(best, result.bound, result.settled);
  }
  result.probes = probes_;
  return result;
}

}  // namespace vinci
