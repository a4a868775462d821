// SPDX-License-Identifier: Apache-2.0
// Branch and bound over the arcs between the directions tried. On the arc from nᵢ to nⱼ the gap is
// at most min(n·vᵢ, n·vⱼ), two sines: the maximum of that bound is where the next direction is best
// tried [van den Bergen 2001, expanding polytope], exact for corners and faces; where the slope
// changes sign, every other one is the secant's, fast on smooth curves.
#include "vinci/collision/planar_search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace vinci {

namespace {

constexpr int most_probes = 128;        // of the branch and bound
constexpr int most_refinements = 120;   // of one arc
constexpr double bound_tolerance = 64;  // roundings of the size

bool lies_between(const Vector2& low, const Vector2& direction, const Vector2& high) {
  return cross(low, direction) > 0.0 && cross(direction, high) > 0.0;
}

Vector2 bisector(const Vector2& low, const Vector2& high) {
  const Vector2 sum = low + high;
  return sum.squaredNorm() > 0.01 ? Vector2(sum.normalized())
                                  : Vector2((left_of(low) - left_of(high)).normalized());
}

// Upper bound of the gap on the arc between two probes, and the direction that attains it.
struct Bound {
  double value;
  Vector2 direction;
};

// The sine n·v has its top at v. `low` bounds up to where the two cross, `high` from there.
Bound bound_between(const PlanarProbe& low, const PlanarProbe& high) {
  const Vector2 v = low.point_b - low.point_a, w = high.point_b - high.point_a;
  Bound bound = low.gap >= high.gap ? Bound{low.gap, low.normal} : Bound{high.gap, high.normal};
  const auto offer = [&](const Vector2& direction, double value) {
    if (value > bound.value) bound = {value, direction};
  };
  Vector2 crossing = left_of(v - w);
  const double length = crossing.norm();
  const bool crosses = length > 0.0;
  if (crosses) {
    crossing /= length;
    if (crossing.dot(low.normal + high.normal) < 0.0) crossing = -crossing;
    if (lies_between(low.normal, crossing, high.normal)) {
      offer(crossing, std::max(crossing.dot(v), crossing.dot(w)));
    } else {
      crossing = cross(low.normal, crossing) <= 0.0 ? low.normal : high.normal;
    }
  }
  for (const bool lower : {true, false}) {
    const Vector2& top = lower ? v : w;
    const double height = top.norm();
    if (!(height > bound.value) || height == 0.0) continue;
    const Vector2 direction = top / height;
    const Vector2& from = lower || !crosses ? low.normal : crossing;
    const Vector2& to = lower && crosses ? crossing : high.normal;
    if (lies_between(from, direction, to)) offer(direction, height);
  }
  return bound;
}

// Between two normals with slopes of opposite sign: where a straight line between them is zero.
Vector2 secant(const PlanarProbe& low, const PlanarProbe& high) {
  const double share = low.slope / (low.slope - high.slope);
  return ((1.0 - share) * low.normal + share * high.normal).normalized();
}

// Between normals so close that the curves are straight there: the points on the chords that lie
// opposite to each other.
PlanarProbe interpolated(const PlanarProbe& low, const PlanarProbe& high) {
  const double share = low.slope / (low.slope - high.slope);
  if (!(share > 0.0)) return low;
  if (!(share < 1.0)) return high;
  PlanarProbe result;
  result.normal = ((1.0 - share) * low.normal + share * high.normal).normalized();
  result.point_a = (1.0 - share) * low.point_a + share * high.point_a;
  result.point_b = (1.0 - share) * low.point_b + share * high.point_b;
  const Vector2 v = result.point_b - result.point_a;
  result.gap = result.normal.dot(v);
  result.slope = left_of(result.normal).dot(v);
  return result;
}

// The arcs as a ring of probes.
class Ring {
 public:
  Ring(const PlanarConvex& a, const PlanarConvex& b, double tolerance)
      : a_(a), b_(b), tolerance_(tolerance) {}

  void start(const PlanarProbe& first) {
    Vector2 normal = first.normal;
    add(first);
    for (int i = 1; i < 4; ++i) {
      normal = left_of(normal);
      add(probe(a_, b_, normal));
    }
    for (int i = 0; i < 4; ++i) next_[i] = (i + 1) % 4, previous_[i] = (i + 3) % 4;
    for (int i = 0; i < 4; ++i) measure(i);
  }

  // Only the arc between two normals, at most half a turn apart.
  void start_between(const PlanarProbe& low, const PlanarProbe& high) {
    add(low);
    add(probe(a_, b_, bisector(low.normal, high.normal)));
    add(high);
    for (int i = 0; i < 3; ++i) next_[i] = i < 2 ? i + 1 : end, previous_[i] = i - 1;
    measure(0);
    measure(1);
    bounds_[2] = {-std::numeric_limits<double>::infinity(), high.normal};
  }

  int count() const { return count_; }
  const PlanarProbe& best() const { return probes_[best_]; }
  double bound() const { return bounds_[widest()].value; }

  // Splits the arc of the greatest bound; false if none can be.
  bool split(bool by_secant) {
    const int from = widest();
    const PlanarProbe &low = probes_[from], &high = probes_[next_[from]];
    Vector2 direction = bounds_[from].direction;
    if (by_secant && low.slope > 0.0 && high.slope < 0.0) direction = secant(low, high);
    if (!lies_between(low.normal, direction, high.normal))
      direction = bisector(low.normal, high.normal);
    if (!lies_between(low.normal, direction, high.normal)) {
      bounds_[from].value = std::max(low.gap, high.gap);  // as narrow as numbers get
      return bounds_[widest()].value > best().gap + tolerance_;
    }
    const int at = count_, to = next_[from];
    add(probe(a_, b_, direction));
    next_[from] = at, previous_[at] = from;
    next_[at] = to, previous_[to] = at;
    measure(from);
    measure(at);
    return true;
  }

  // The maximum next to the best probe, on the side to which the gap grows; probes equal to it but
  // for rounding are passed. Beyond a corner of the gap it may fall and grow again before the next
  // probe: then the other end is sought closer by.
  PlanarProbe refined(double size, int& probes) const {
    const bool ahead = best().slope > 0.0;
    const auto neighbour = [&](int i) { return ahead ? next_[i] : previous_[i]; };
    const auto grows = [&](const PlanarProbe& p) { return ahead ? p.slope > 0.0 : p.slope < 0.0; };
    int at = best_;
    for (int next = neighbour(at); next != best_ && next != end; next = neighbour(next)) {
      if (!grows(probes_[next]) || probes_[next].gap < best().gap - tolerance_) break;
      at = next;
    }
    if (neighbour(at) == end) return probes_[at];
    const PlanarProbe& middle = probes_[at];
    PlanarProbe other = probes_[neighbour(at)];
    const Vector2 way = other.normal - middle.normal;
    for (double share = 0x1p-10; share > 0x1p-52; share *= 0x1p-10) {
      if (ahead ? other.slope < 0.0 : other.slope > 0.0) break;
      other = probe(a_, b_, (middle.normal + share * way).normalized());
      ++probes;
    }
    if (ahead && other.slope < 0.0) return largest_gap_between(a_, b_, middle, other, size, probes);
    if (!ahead && other.slope > 0.0)
      return largest_gap_between(a_, b_, other, middle, size, probes);
    return middle;
  }

 private:
  static constexpr int end = -1;  // of an open arc

  void add(const PlanarProbe& value) {
    probes_[count_] = value;
    if (count_ == 0 || value.gap > best().gap) best_ = count_;
    ++count_;
  }
  void measure(int from) { bounds_[from] = bound_between(probes_[from], probes_[next_[from]]); }
  int widest() const {
    int widest = 0;
    for (int i = 1; i < count_; ++i)
      if (bounds_[i].value > bounds_[widest].value) widest = i;
    return widest;
  }

  const PlanarConvex &a_, &b_;
  double tolerance_;
  int count_ = 0, best_ = 0;
  std::array<PlanarProbe, most_probes> probes_;
  std::array<Bound, most_probes> bounds_;  // of the arc that starts at a probe
  std::array<int, most_probes> next_, previous_;
};

}  // namespace

PlanarConvex::PlanarConvex(const PlacedCurve& curve, const Vector2& offset)
    : curve_(&curve), offset_(offset) {}

PlanarConvex::PlanarConvex(std::span<const PlanarOutline::RingVertex> piece, const Vector2& offset)
    : piece_(piece), offset_(offset) {}

Vector2 PlanarConvex::support(const Vector2& direction) const {
  if (curve_) return offset_ + curve_->support(direction);
  if (piece_.empty()) return offset_;
  const PlanarOutline::RingVertex* farthest = &piece_[0];
  for (const PlanarOutline::RingVertex& vertex : piece_)
    if (direction.dot(vertex.point - farthest->point) > 0.0) farthest = &vertex;
  return offset_ + farthest->point;
}

PlanarProbe probe(const PlanarConvex& a, const PlanarConvex& b, const Vector2& normal) {
  PlanarProbe result{normal, a.support(normal), b.support(-normal), 0.0, 0.0};
  const Vector2 v = result.point_b - result.point_a;
  result.gap = normal.dot(v);
  result.slope = left_of(normal).dot(v);
  return result;
}

PlanarProbe largest_gap_between(const PlanarConvex& a, const PlanarConvex& b, PlanarProbe low,
                                PlanarProbe high, double size, int& probes) {
  const double least_slope = 2.0 * machine_epsilon * size, least_sag = machine_epsilon * size;
  double width = 4.0;  // when it was last halved
  int since = 0;       // probes since then
  for (int i = 0; i < most_refinements; ++i) {
    if (low.slope <= least_slope) return low;
    if (high.slope >= -least_slope) return high;
    const double turn = cross(low.normal, high.normal);
    const bool narrow = low.normal.dot(high.normal) > 0.0;
    const double chords = (high.point_a - low.point_a).norm() + (high.point_b - low.point_b).norm();
    if (narrow && turn * chords <= least_sag) break;
    if (turn > 0.5 * width || !narrow) {
      ++since;
    } else {
      width = turn;
      since = 0;
    }
    Vector2 direction = i % 2 == 0 ? secant(low, high) : bound_between(low, high).direction;
    if (since > 3 || !lies_between(low.normal, direction, high.normal)) {
      direction = bisector(low.normal, high.normal);
      since = 0;
    }
    if (!lies_between(low.normal, direction, high.normal)) break;
    const PlanarProbe next = probe(a, b, direction);
    ++probes;
    (next.slope > 0.0 ? low : high) = next;
  }
  return interpolated(low, high);
}

bool largest_gap_within(const PlanarConvex& a, const PlanarConvex& b, const PlanarArc& arc,
                        PlanarProbe& found) {
  const PlanarProbe low = probe(a, b, arc.low), high = probe(a, b, arc.high);
  const double tolerance = bound_tolerance * machine_epsilon * arc.size;
  Ring ring(a, b, tolerance);
  ring.start_between(low, high);
  while (ring.bound() >= arc.least && ring.count() < most_probes &&
         ring.bound() > ring.best().gap + tolerance)
    if (!ring.split(ring.count() % 2 == 0)) break;
  if (ring.bound() < arc.least) return false;
  const bool at_low = ring.best().normal == arc.low, at_high = ring.best().normal == arc.high;
  if ((at_low && low.slope <= arc.slack) || (at_high && high.slope >= -arc.slack)) return false;
  int probes = 0;
  found = ring.refined(arc.size, probes);
  return found.gap >= arc.least;
}

PlanarSeparation largest_gap(const PlanarConvex& a, const PlanarConvex& b, const Vector2& first,
                             double size, double enough) {
  PlanarSeparation result;
  result.best = probe(a, b, first);
  result.probes = 1;
  result.bound = std::numeric_limits<double>::infinity();
  if (result.best.gap > enough) return result;
  const double tolerance = bound_tolerance * machine_epsilon * size;
  Ring ring(a, b, tolerance);
  ring.start(result.best);
  while (ring.best().gap <= enough && ring.count() < most_probes &&
         ring.bound() > ring.best().gap + tolerance)
    if (!ring.split(ring.count() % 2 == 0)) break;
  result.best = ring.best();
  result.bound = ring.bound();
  result.probes = ring.count();
  if (result.best.gap > enough) return result;
  result.settled = result.bound <= result.best.gap + tolerance;
  const PlanarProbe refined = ring.refined(size, result.probes);
  if (refined.gap >= result.best.gap - tolerance) result.best = refined;
  return result;
}

}  // namespace vinci
