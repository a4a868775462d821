// SPDX-License-Identifier: Apache-2.0
// Making an implicit curve: a point inside, the curve by rays from there, then knots wherever the
// normal turns by more than 1/64 of a turn from one to the next. What is not convex shows as a
// normal that turns back, a chord that leaves the set or a negative curvature.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "vinci/base/error.h"
#include "vinci/geometry/build.h"
#include "vinci/geometry/curve.h"

namespace vinci {

namespace {

using Knot = ImplicitCurve::Knot;

constexpr double farthest_point = 1e9;  // m
constexpr std::size_t ray_count = 64, most_knots = 4096;
constexpr double most_turn = 2.0 * M_PI / 64.0;  // rad, between knots
// Of the size: what is flatter, or bends less, than this is straight.
constexpr double straightness = 1e-10, bend = 1e-6;

// To the right of the way, where the outside of a counter-clockwise curve is.
Vector2 outward_of(const Vector2& chord) {
  return Vector2(chord.y(), -chord.x()).normalized();
}

std::string shown(const Vector2& point) {
  return fmt::format("({:.6g}, {:.6g})", point.x(), point.y());
}

class Builder {
 public:
  explicit Builder(const Expression& function) : function_(function) {}

  ImplicitCurve make(std::optional<Vector2> inside) {
    center_ = inside ? checked(*inside) : some_inside();
    first_knots();
    move_to_centroid();
    refine();
    check_turn();
    ImplicitCurve curve{function_, std::move(knots_), center_, 0.0, 0.0, center_, Matrix2::Zero()};
    for (const Knot& knot : curve.knots)
      curve.size = std::max(curve.size, (knot.point - center_).norm());
    curve.size *= 1.01;  // what bulges between knots, and a margin for rays
    const AreaMoments moments = area_moments(curve);
    const Vector2 arm = moments.first / moments.area;
    curve.area = moments.area;
    curve.centroid = center_ + arm;
    curve.second_moment = moments.second - moments.area * arm * arm.transpose();
    return curve;
  }

 private:
  double value(const Vector2& point) const {
    const std::array<double, 2> variables{point.x(), point.y()};
    return function_.value(variables);
  }

  Vector2 checked(const Vector2& inside) const {
    const double f = value(inside);
    if (!inside.allFinite() || !(f < 0.0))
      throw Error(
          fmt::format("the function is {:.6g} at the point {}; accepted: a point inside, "
                      "where it is negative",
                      f, shown(inside)));
    return inside;
  }

  // The lowest of a grid about the origin, from small to large ones, or what lies downhill of it.
  Vector2 some_inside() const {
    if (value(Vector2::Zero()) < 0.0) return Vector2::Zero();
    for (const double scale : {1.0, 0.1, 10.0, 0.01, 100.0, 1e-3, 1e3, 1e-4, 1e4, 1e-5, 1e5}) {
      constexpr int half = 20;
      Vector2 lowest = Vector2::Zero();
      double least = std::numeric_limits<double>::infinity();
      for (int i = -half; i <= half; ++i)
        for (int j = -half; j <= half; ++j) {
          const Vector2 point = scale / half * Vector2(i, j);
          const double f = value(point);
          if (f < least) least = f, lowest = point;
        }
      if (std::isfinite(least)) lowest = downhill(lowest, least);
      if (value(lowest) < 0.0) return lowest;
    }
    throw Error(
        "no point was found where the function is negative; accepted: a function that is negative "
        "inside the body (give a point there as `inside: [x, y]` if it is small or far away)");
  }

  // Newton's method for the minimum, or the gradient where that does not descend.
  Vector2 downhill(Vector2 point, double f) const {
    for (int i = 0; i < 50 && !(f < 0.0); ++i) {
      const auto [now, gradient, hessian] = field_value(function_, point);
      const double square = gradient.squaredNorm();
      if (!(square > 0.0) || !std::isfinite(square)) break;
      const Vector2 newton = -hessian.inverse() * gradient;
      const Vector2 steepest = -std::abs(f) / square * gradient;
      double gained = f;
      for (const Vector2& step : {newton, steepest})
        for (double share = 1.0; share > 1e-6 && !(gained < f); share *= 0.5) {
          const double next = value(point + share * step);
          if (next < f) gained = next, point += share * step;
        }
      if (!(gained < f)) break;
      f = gained;
    }
    return point;
  }

  // Where the ray from a point of the set leaves it for the first time.
  Vector2 leaves(const Vector2& origin, const Vector2& direction, double step) const {
    double inner = 0.0, outer = step;
    while (value(origin + outer * direction) < 0.0) {
      inner = outer;
      outer *= 1.5;
      if (outer > farthest_point)
        throw Error(
            fmt::format("the set where the function is negative has no end towards {} "
                        "within {:g} m; accepted: a bounded set",
                        shown(direction), farthest_point));
    }
    return boundary_between(function_, origin + inner * direction, origin + outer * direction);
  }

  void check_outside(const Vector2& point) const {
    for (double share = 1.05; share < 40.0; share *= 1.1) {
      const Vector2 beyond = center_ + share * (point - center_);
      if (value(beyond) < 0.0)
        throw Error(
            fmt::format("the function is negative at {}, beyond its zero at {}; accepted: "
                        "one convex set",
                        shown(beyond), shown(point)));
    }
  }

  Knot knot_at(const Vector2& point, double size) const {
    const FieldValue f = field_value(function_, point);
    const double slope = f.gradient.norm();
    if (!std::isfinite(f.value) || !std::isfinite(slope))
      throw Error(
          fmt::format("the function or its gradient is not finite at {} on its curve; "
                      "accepted: a function that is smooth there",
                      shown(point)));
    if (!(slope * size > 1e-6 * std::abs(value(center_))) ||
        std::abs(f.value) > 1e-6 * slope * size)
      throw Error(
          fmt::format("the gradient of the function vanishes, or the function jumps, at {} "
                      "on its curve; accepted: a function that grows outwards",
                      shown(point)));
    return {point, f.gradient / slope};
  }

  void first_knots() {
    std::vector<Vector2> points;
    size_ = 0.0;
    for (std::size_t i = 0; i < ray_count; ++i) {
      const double angle = 2.0 * M_PI * (static_cast<double>(i) + 0.5) / ray_count;
      points.push_back(leaves(center_, {std::cos(angle), std::sin(angle)},
                              1e-9 * std::max(1.0, center_.norm())));
      check_outside(points.back());
      size_ = std::max(size_, (points.back() - center_).norm());
    }
    if (!(size_ > 0.0)) throw Error("the set where the function is negative is a single point");
    knots_.clear();
    for (const Vector2& point : points) knots_.push_back(knot_at(point, size_));
  }

  // Rays from the middle see the curve evenly.
  void move_to_centroid() {
    for (int round = 0; round < 3; ++round) {
      double area = 0.0;
      Vector2 first = Vector2::Zero();
      for (std::size_t i = 0; i < knots_.size(); ++i) {
        const Vector2 p = knots_[i].point - center_;
        const Vector2 q = knots_[(i + 1) % knots_.size()].point - center_;
        area += 0.5 * cross(p, q);
        first += cross(p, q) / 6.0 * (p + q);
      }
      const Vector2 middle = center_ + first / area;
      if (!(value(middle) < 0.0)) fail(middle);
      center_ = middle;
      first_knots();
    }
  }

  [[noreturn]] void fail(const Vector2& point) const {
    throw Error(
        fmt::format("the set where the function is negative is not convex near {}; accepted: "
                    "a convex set",
                    shown(point)));
  }

  void check_curvature(const Knot& knot) const {
    const Vector2 tangent(-knot.normal.y(), knot.normal.x());
    const FieldValue f = field_value(function_, knot.point);
    const double curvature = tangent.dot(f.hessian * tangent) / f.gradient.norm();
    if (curvature * size_ < -bend) fail(knot.point);  // not a number: at a corner
  }

  // The knot over the middle of a chord.
  Knot between(const Knot& from, const Knot& to) const {
    const Vector2 chord = to.point - from.point, middle = from.point + 0.5 * chord;
    const double length = chord.norm();
    const double f = value(middle);
    if (!(f < 0.0)) {  // on a straight side, or the set is not convex
      const Knot knot = knot_at(middle, size_);
      if (f > straightness * size_ * field_value(function_, middle).gradient.norm()) fail(middle);
      return knot;
    }
    return knot_at(leaves(middle, outward_of(chord), length), size_);
  }

  // Whether the curve turns from the one to the other as a convex one does.
  void check_pair(const Knot& from, const Knot& to) const {
    const Vector2 chord = to.point - from.point;
    const double slack = straightness * size_;
    const bool corner = chord.norm() <= implicit_corner_length * size_;
    if (from.normal.dot(chord) > slack || to.normal.dot(chord) < -slack ||
        (!corner && cross(from.normal, to.normal) < -1e-9)) {
      // Between rays an unbounded set looks so too: then there is no end, and that is said.
      const Vector2 middle = from.point + 0.5 * chord;
      if (value(middle) < 0.0) leaves(middle, outward_of(chord), chord.norm());
      fail(middle);
    }
  }

  void refine() {
    std::vector<Knot> done, stack;
    for (std::size_t i = 0; i < knots_.size(); ++i) {
      Knot from = knots_[i];
      stack.assign(1, knots_[(i + 1) % knots_.size()]);
      bool halved = false;  // every arc is looked at in its middle once
      while (!stack.empty()) {
        const Knot to = stack.back();
        check_pair(from, to);
        const double turn = std::atan2(cross(from.normal, to.normal), from.normal.dot(to.normal));
        const double length = (to.point - from.point).norm();
        if (length <= implicit_corner_length * size_ || (halved && std::abs(turn) <= most_turn)) {
          check_curvature(from);
          done.push_back(from);
          from = to;
          stack.pop_back();
          halved = !stack.empty() && halved;
        } else {
          stack.push_back(between(from, to));
          size_ = std::max(size_, (stack.back().point - center_).norm());
          halved = true;
        }
        if (done.size() + stack.size() > most_knots)
          throw Error(
              fmt::format("the curve winds too much near {}; accepted: a smooth convex curve",
                          shown(from.point)));
      }
    }
    knots_ = std::move(done);
    begin_at_largest_turn();
    drop_turned_back();
  }

  // So that no straight side begins at the end of the list.
  void begin_at_largest_turn() {
    std::size_t first = 0;
    double largest = -1.0;
    for (std::size_t i = 0; i < knots_.size(); ++i) {
      const Vector2 &u = knots_[i].normal, &v = knots_[(i + 1) % knots_.size()].normal;
      const double turn = std::atan2(cross(u, v), u.dot(v));
      if (turn > largest) largest = turn, first = (i + 1) % knots_.size();
    }
    std::rotate(knots_.begin(), knots_.begin() + static_cast<long>(first), knots_.end());
  }

  // Of a straight side the ends are kept; knots whose normals rounding has turned back are dropped,
  // so that the normals of the rest turn one way.
  void drop_turned_back() {
    constexpr double rounding = 4.0 * std::numeric_limits<double>::epsilon();
    std::vector<Knot> kept;
    for (Knot knot : knots_) {
      const std::size_t count = kept.size();
      const double turn = count > 0 ? cross(kept.back().normal, knot.normal) : 1.0;
      if (std::abs(turn) <= rounding && kept.back().normal.dot(knot.normal) > 0.0) {
        knot.normal = kept.back().normal;
        if (count > 1 && kept[count - 2].normal == knot.normal) kept.pop_back();
        kept.push_back(knot);
      } else if (turn > 0.0 || kept.back().normal.dot(knot.normal) < 0.0) {
        kept.push_back(knot);
      }
    }
    while (kept.size() > 3 && cross(kept.back().normal, kept.front().normal) < 0.0 &&
           kept.back().normal.dot(kept.front().normal) > 0.0)
      kept.pop_back();
    knots_ = std::move(kept);
  }

  void check_turn() const {
    double total = 0.0;
    for (std::size_t i = 0; i < knots_.size(); ++i) {
      const Vector2 &u = knots_[i].normal, &v = knots_[(i + 1) % knots_.size()].normal;
      total += std::atan2(cross(u, v), u.dot(v));
    }
    if (std::abs(total - 2.0 * M_PI) > 1e-6) fail(knots_[0].point);
  }

  const Expression& function_;
  Vector2 center_ = Vector2::Zero();
  double size_ = 0.0;
  std::vector<Knot> knots_;
};

}  // namespace

ImplicitCurve make_implicit_curve(const Expression& function, std::optional<Vector2> inside) {
  return Builder(function).make(inside);
}

}  // namespace vinci
