// SPDX-License-Identifier: Apache-2.0
// Contacts of superquadrics: the closest points, and beside them those that come down first when
// flat sides turn.
#include "vinci/collision/spatial_superquadric.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "vinci/collision/spatial_feature.h"

namespace vinci {
namespace {

// As for planar curves: a turn of the body by φ makes the point whose normal is φ off the lowest
// one. Where the surface is so flat that this point lies far away, it takes part beforehand.
constexpr double still_rotation = 1e-9;    // rad: within it a side counts as flat
constexpr double largest_rotation = 0.25;  // rad; no step that can be trusted turns a body further
constexpr double flat_curvature = 4.0;     // radius over size from which a side is flat
constexpr double least_spread = 0.12;      // of the size; points nearer than this are one
constexpr double outline_slack = 0.01;     // of the size, by which an outline reaches farther

constexpr std::uint32_t closest_name = 1;
std::uint32_t tip_name(int index, int ring) {
  return static_cast<std::uint32_t>(2 + 4 * index + ring);
}
std::uint32_t beside_name(int ring) {
  return static_cast<std::uint32_t>(100 + ring);
}

struct TangentFrame {
  Vector3 normal, first, second;  // normal: from a to b
  Vector2 flat(const Vector3& v) const { return {first.dot(v), second.dot(v)}; }
  Vector3 lifted(const Vector2& v) const { return v.x() * first + v.y() * second; }
};

// Corners seen along the normal, about the touching point, in order around it.
struct TouchingOutline {
  static constexpr int most = 64;
  std::array<Vector2, most> corner;
  std::array<Vector3, most> point;  // of the core
  std::array<std::uint32_t, most> name{};
  int count = 0;
  bool unlimited = false;  // a half-space

  void add(const Vector2& seen, const Vector3& at, std::uint32_t called) {
    if (count == most) return;
    corner[static_cast<std::size_t>(count)] = seen;
    point[static_cast<std::size_t>(count)] = at;
    name[static_cast<std::size_t>(count++)] = called;
  }
  const Vector2& at(int i) const { return corner[static_cast<std::size_t>(i % count)]; }

  // How far along `way`, in parts of it, a walk from the touching point stays inside.
  double inside(const Vector2& way, double slack) const {
    if (unlimited) return 1.0;
    double part = 1.0;
    const auto limit = [&](const Vector2& outward, double height) {
      const double along = outward.dot(way);
      if (along > 0.0) part = std::min(part, std::max(0.0, height + slack) / along);
    };
    double widest = 0.0;
    for (int i = 0; i < count; ++i) widest = std::max(widest, at(i).norm());
    const double length = way.norm();
    if (length > 0.0) limit(way / length, widest);
    if (count < 2) return part;
    for (int i = 0; i < count; ++i) {
      const Vector2 edge = at(i + 1) - at(i);
      const double span = edge.norm();
      if (!(span > 1e-12 * widest)) continue;
      limit(Vector2(edge.y(), -edge.x()) / span, Vector2(edge.y(), -edge.x()).dot(at(i)) / span);
      if (count == 2) limit(edge / span, edge.dot(at(i + 1)) / span);
    }
    return part;
  }
};

// One of the two sets with the direction in which the other lies.
struct TouchingSide {
  const SpatialSet* set = nullptr;  // null: a half-space
  Vector3 outward;
  Vector3 point;    // where it touches; of the core
  Feature feature;  // of a core: what faces the other

  const Superquadric* superquadric() const { return set ? set->superquadric() : nullptr; }

  std::uint32_t closest() const {
    if (!set) return face_feature(0);
    if (set->superquadric()) return closest_name;
    const Convex& core = *set->core();
    const bool flat =
        feature.flat >= 0 && core.flat_normal(feature.flat).dot(outward) > 1.0 - 1e-12;
    return flat ? feature.feature : support_feature(core, outward).feature;
  }
  std::uint32_t whole(int ring) const {
    if (!set) return face_feature(0);
    return set->superquadric() ? beside_name(ring) : feature.feature;
  }

  // Directions across the normal that are fixed in a superquadric: along its axes and between them.
  void add_tips(const TangentFrame& frame, double turn, int ring, TouchingOutline& outline) const {
    const Vector3 local = set->frame().transpose() * outward;
    Eigen::Index main = 0;
    local.cwiseAbs().maxCoeff(&main);
    const auto across = [&](Eigen::Index axis) {
      const Vector3 along = set->frame().col(axis);
      return (along - along.dot(outward) * outward).normalized().eval();
    };
    const Vector3 u = across((main + 1) % 3), w = across((main + 2) % 3);
    constexpr std::array<std::array<int, 2>, 8> around{
        {{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}}};
    for (int i = 0; i < 8; ++i) {
      const auto& [x, y] = around[static_cast<std::size_t>(i)];
      const Vector3 aside = (x * u + y * w).normalized();
      const Vector3 tip = set->support(std::cos(turn) * outward + std::sin(turn) * aside);
      outline.add(frame.flat(tip - point), tip, tip_name(i, ring));
    }
  }

  TouchingOutline outline(const TangentFrame& frame, double turn, int ring) const {
    TouchingOutline result;
    if (!set) {
      result.unlimited = true;
    } else if (set->superquadric()) {
      add_tips(frame, turn, ring, result);
    } else if (feature.kind == Feature::Kind::disk) {
      const Convex& core = *set->core();
      for (int i = 0; i < 8; ++i) {
        const double angle = i * M_PI / 4.0;
        const Vector3 radial = std::cos(angle) * core.frame(0) + std::sin(angle) * core.frame(1);
        const Vector3 rim = core.rim_point(feature.flat, radial);
        result.add(frame.flat(rim - point), rim, vertex_feature(8 * feature.flat + i));
      }
    } else {
      for (int i = 0; i < feature.count(); ++i)
        result.add(frame.flat(feature.vertex(i) - point), feature.vertex(i),
                   feature.vertex_name(i));
    }
    // Counter-clockwise about the frame's normal, as seen from the side's outside or not.
    double area = 0.0;
    for (int i = 0; i + 1 < result.count; ++i) area += cross(result.at(i), result.at(i + 1));
    if (result.count > 2) area += cross(result.at(result.count - 1), result.at(0));
    if (area < 0.0) {
      std::reverse(result.corner.begin(), result.corner.begin() + result.count);
      std::reverse(result.point.begin(), result.point.begin() + result.count);
      std::reverse(result.name.begin(), result.name.begin() + result.count);
    }
    return result;
  }

  // The point of the core beside the touching one; its normal is off by `turn` at most. False where
  // the core does not reach so far.
  bool beside(const Vector3& lateral, double turn, Vector3& found) const {
    const Vector3 level = point + lateral;
    found = level;
    if (!set || (set->superquadric() && turn <= still_rotation)) return true;
    const double drop = lateral.norm() * std::tan(turn);
    if (const Superquadric* shape = set->superquadric()) {
      const Vector3 inner = set->local(level - drop * outward);
      if (gauge(*shape, inner) > 1.0) return false;
      const Vector3 on = boundary_between(*shape, inner, set->local(level + 1e-9 * drop * outward));
      found = set->center() + set->frame() * on;
      return true;
    }
    if (feature.flat >= 0) {
      const Vector3 flat = set->core()->flat_normal(feature.flat);
      const double cosine = flat.dot(outward);
      if (cosine < facing_cosine) return false;
      found += flat.dot(set->core()->flat_point(feature.flat) - level) / cosine * outward;
      return true;
    }
    if (feature.kind != Feature::Kind::segment) return false;
    const Vector3 along = feature.ends[1] - feature.ends[0];
    const double t = (level - feature.ends[0]).dot(along) / along.squaredNorm();
    found = feature.ends[0] + std::clamp(t, 0.0, 1.0) * along;
    return true;
  }
};

class SuperquadricPatch {
 public:
  SuperquadricPatch(const TouchingSide& a, const TouchingSide& b, const Vector3& origin,
                    double margin, std::vector<ContactPoint>& out)
      : a_(a), b_(b), origin_(origin), margin_(margin), out_(out) {
    frame_.normal = a.outward;
    Eigen::Index least = 0;
    frame_.normal.cwiseAbs().minCoeff(&least);
    frame_.first = frame_.normal.cross(Vector3::Unit(least)).normalized();
    frame_.second = frame_.normal.cross(frame_.first);
    size_ = infinity;
    for (const TouchingSide* side : {&a_, &b_})
      if (const Superquadric* shape = side->superquadric())
        size_ = std::min(size_, shape->axes.maxCoeff());
  }

  void add_closest() {
    add(a_.point, a_.closest(), b_.point, b_.closest());
    least_ = gap_of(a_.point, b_.point);
  }

  // Rings of points around the closest one, the nearest first.
  void add_flat() {
    if (is_point(a_) || is_point(b_)) return;
    const double widest = std::clamp(2.0 * margin_ / size_, still_rotation, largest_rotation);
    if (is_round(a_, widest) || is_round(b_, widest)) return;
    const double turns[] = {still_rotation, std::sqrt(still_rotation * widest),
                            std::max(widest / 6.0, still_rotation), widest};
    for (int ring = 0; ring < 4; ++ring) add_ring(turns[ring], ring);
  }

 private:
  struct Candidate {
    Vector2 place;
    std::uint32_t name_a, name_b;
    // Whose corner it is, if the walk to it was not cut short: there the line along the normal may
    // touch the body in that point alone.
    const TouchingSide* owner;
    Vector3 corner;
  };

  static bool is_point(const TouchingSide& side) {
    return side.set && side.set->core() && side.feature.kind == Feature::Kind::point;
  }

  // Whether no turn brings a point down that is not the closest one already.
  bool is_round(const TouchingSide& side, double widest) const {
    if (!side.superquadric()) return false;
    const TouchingOutline outline = side.outline(frame_, widest, 0);
    for (int i = 0; i < outline.count; ++i)
      if (outline.at(i).norm() > least_spread * size_) return false;
    return true;
  }

  void add_ring(double turn, int ring) {
    const TouchingOutline outline_a = a_.outline(frame_, turn, ring),
                          outline_b = b_.outline(frame_, turn, ring);
    // Gaps beside a superquadric are exact wherever they are asked for; those over a face end with
    // it.
    const auto slack = [&](const TouchingSide& side) {
      return side.superquadric() ? outline_slack * size_ : 0.0;
    };
    std::array<Candidate, 2 * TouchingOutline::most> found;
    int count = 0;
    const auto offer = [&](const TouchingOutline& own, const TouchingOutline& other, bool of_a) {
      for (int i = 0; i < own.count; ++i) {
        const auto k = static_cast<std::size_t>(i);
        const double part = other.inside(own.at(i), slack(of_a ? b_ : a_));
        const Vector2 place = part * own.at(i);
        if (!(place.norm() > least_spread * size_)) continue;
        const TouchingSide* owner =
            part < 1.0 || turn <= still_rotation ? nullptr : (of_a ? &a_ : &b_);
        found[static_cast<std::size_t>(count++)] = {place, of_a ? own.name[k] : a_.whole(ring),
                                                    of_a ? b_.whole(ring) : own.name[k], owner,
                                                    own.point[k]};
      }
    };
    offer(outline_a, outline_b, true);
    offer(outline_b, outline_a, false);
    // The farthest first; of nearly equal ones the first stays first: keys do not follow rounding.
    for (; count > 0; --count) {
      int farthest = 0;
      const auto at = [&](int k) -> Candidate& { return found[static_cast<std::size_t>(k)]; };
      for (int k = 1; k < count; ++k)
        if (at(k).place.norm() > at(farthest).place.norm() + 1e-6 * size_) farthest = k;
      const Candidate candidate = at(farthest);
      std::copy(&at(farthest) + 1, found.data() + count, &at(farthest));
      const double distance = candidate.place.norm();
      const Vector2 away = candidate.place / distance;
      bool beyond = true;
      for (int k = 0; k < taken_; ++k)
        beyond = beyond &&
                 distance > away.dot(places_[static_cast<std::size_t>(k)]) + least_spread * size_;
      Vector3 on_a, on_b;
      const Vector3 lateral = frame_.lifted(candidate.place);
      if (!beyond || taken_ == static_cast<int>(places_.size())) continue;
      const auto reach = [&](const TouchingSide& side, Vector3& on) {
        if (candidate.owner != &side) return side.beside(lateral, turn, on);
        on = candidate.corner;
        return true;
      };
      if (!reach(a_, on_a) || !reach(b_, on_b)) continue;
      // Twice the slope of the chord is the turn that a round surface makes on the way there.
      const double rise = gap_of(on_a, on_b) - least_;
      if (!(distance > flat_curvature * size_ * std::min(turn, 2.0 * rise / distance))) continue;
      places_[static_cast<std::size_t>(taken_++)] = candidate.place;
      add(on_a, candidate.name_a, on_b, candidate.name_b);
    }
  }

  double gap_of(const Vector3& on_a, const Vector3& on_b) const {
    return frame_.normal.dot(on_b - on_a) - (a_.set ? a_.set->radius() : 0.0) -
           (b_.set ? b_.set->radius() : 0.0);
  }

  // The least gap of the set is the distance: rounding makes no other.
  void add(const Vector3& on_a, std::uint32_t name_a, const Vector3& on_b, std::uint32_t name_b) {
    const Vector3& n = frame_.normal;
    const Vector3 near = on_a + (a_.set ? a_.set->radius() : 0.0) * n;
    const Vector3 far = on_b - (b_.set ? b_.set->radius() : 0.0) * n;
    const double gap = n.dot(far - near);
    if (!(gap <= margin_) || gap < least_ - 1e-12 * size_) return;
    out_.push_back({name_a, name_b, origin_ + near, origin_ + far, n, gap});
  }

  const TouchingSide &a_, &b_;
  Vector3 origin_;
  double margin_, size_;
  double least_ = -infinity;  // the gap of the closest points
  TangentFrame frame_;
  std::array<Vector2, 48> places_;
  int taken_ = 0;
  std::vector<ContactPoint>& out_;
};

SpatialSet placed_set(const Shape& shape, const Vector3& position, const Quaternion& rotation,
                      Convex& core) {
  if (const auto* s = std::get_if<Superquadric>(&shape)) return {*s, position, rotation};
  core.place(shape, position, rotation);
  return SpatialSet(core);
}

// Closed form: the support point against the plane's normal. Everything is about `origin`.
void touch_plane(const SpatialSet& set, const Vector3& up, const Vector3& on_plane,
                 const Vector3& origin, bool plane_is_a, double margin,
                 std::vector<ContactPoint>& out) {
  TouchingSide body, ground;
  body.set = &set;
  body.outward = -up;
  body.point = set.support(-up);
  const double gap = up.dot(body.point - on_plane);
  if (!(gap <= margin)) return;
  ground.outward = up;
  ground.point = body.point - gap * up;
  SuperquadricPatch patch(plane_is_a ? ground : body, plane_is_a ? body : ground, origin, margin,
                          out);
  patch.add_closest();
  patch.add_flat();
}

void collide_with_half_space(const PlacedPair& pair, double margin,
                             std::vector<ContactPoint>& out) {
  const bool plane_is_a = std::holds_alternative<HalfSpace>(*pair.a);
  const Pose &plane = plane_is_a ? pair.pose_a : pair.pose_b,
             &pose = plane_is_a ? pair.pose_b : pair.pose_a;
  const SpatialSet set(std::get<Superquadric>(plane_is_a ? *pair.b : *pair.a), Vector3::Zero(),
                       pose.rotation);
  touch_plane(set, plane.rotation.toRotationMatrix().col(2), plane.position - pose.position,
              pose.position, plane_is_a, margin, out);
}

}  // namespace

void collide_plane_superquadric(const SpatialSet& set, const Vector3& normal,
                                const Vector3& on_plane, double margin,
                                std::vector<ContactPoint>& out) {
  touch_plane(set, normal, on_plane, Vector3::Zero(), true, margin, out);
}

void collide_superquadric(const PlacedPair& pair, double margin, SpatialWorkspace& w,
                          std::vector<ContactPoint>& out) {
  if (std::holds_alternative<HalfSpace>(*pair.a) || std::holds_alternative<HalfSpace>(*pair.b))
    return collide_with_half_space(pair, margin, out);
  const SpatialSet a = placed_set(*pair.a, Vector3::Zero(), pair.pose_a.rotation, w.a);
  const SpatialSet b =
      placed_set(*pair.b, pair.pose_b.position - pair.pose_a.position, pair.pose_b.rotation, w.b);
  const double radii = a.radius() + b.radius();
  const double reach = a.extent() + b.extent() + radii + margin;
  if (!(reach >= 0.0) || (b.center() - a.center()).squaredNorm() > reach * reach) return;
  const SpatialProbe best = w.search.largest_gap(a, b, margin + radii).best;
  if (!(best.gap <= margin + radii)) return;
  TouchingSide side_a, side_b;
  const auto fill = [](TouchingSide& side, const SpatialSet& set, const Vector3& outward,
                       const Vector3& point) {
    side.set = &set;
    side.outward = outward;
    side.point = point;
    if (set.core()) side.feature = facing_feature(*set.core(), outward);
  };
  fill(side_a, a, best.normal, best.point_a);
  fill(side_b, b, -best.normal, best.point_b);
  SuperquadricPatch patch(side_a, side_b, pair.pose_a.position, margin, out);
  patch.add_closest();
  patch.add_flat();
}

}  // namespace vinci
