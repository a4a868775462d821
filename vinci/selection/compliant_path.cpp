// SPDX-License-Identifier: Apache-2.0
// Contacts of a small compliance that come together: with r t added to w, nothing is loaded at
// t = 1, and the step's own problem is that of t = 0. Between, loads are linear in t as long as no
// unit changes its state, and the path goes on through every change, if need be with t rising. So
// it asks for no guess, and does not end where Newton's method goes round in circles: among the
// many pieces of pyramids, or between contacts that just slide and just stick.
#include <cmath>

#include "vinci/base/regular_polygon.h"
#include "vinci/selection/compliant_limit.h"

namespace vinci {
namespace {

constexpr int sides_of_circle[] = {32};
constexpr int most_turns = 20;      // of friction on circles, each Newton's method on its states
constexpr double turned_to = 1e-6;  // change of loads, over the largest
constexpr std::size_t most_units = 40;
constexpr int most_pieces = 60, most_pieces_of_unit = 12;

double bound(double limit, double one) {
  return one == 0.0 ? 0.0 : limit;  // also where it is infinite
}

}  // namespace

// The numbers that are not negative as long as the unit has this state, at loads λ and speeds s;
// their slopes with one = 0.
void CompliantLimit::conditions(const ContactUnit& unit, const State& state, const VectorX& lambda,
                                const VectorX& s, double one, std::vector<double>& values) const {
  using Kind = ContactUnit::Kind;
  values.clear();
  if (unit.kind == Kind::fixed) return;
  if (unit.kind == Kind::scalar) {
    const double load = lambda[unit.first], speed = s[unit.first];
    if (state.mode == Mode::stick)
      values = {load - bound(unit.lower, one), bound(unit.upper, one) - load};
    else
      values = {state.mode == Mode::open ? speed : -speed};
    return;
  }
  if (state.mode == Mode::open) {
    values = {s[unit.first]};
    return;
  }
  const bool cone = unit.kind == Kind::cone;
  const int first = unit.first_tangent(), tangents = unit.tangents();
  if (cone && state.mode == Mode::slide && !state.edge) values.push_back(lambda[unit.first]);
  if (unit.limit == 0.0 || tangents == 0) return;
  const double radius = cone ? unit.limit * lambda[unit.first] : bound(unit.limit, one);
  if (tangents == 1) {
    const double load = lambda[first];
    if (state.mode == Mode::stick)
      values.insert(values.end(), {radius - load, radius + load});
    else
      values.push_back(-state.along.x() * s[first]);
    return;
  }
  const Vector2 load(lambda[first], lambda[first + 1]), speed(s[first], s[first + 1]);
  const int sides = unit.sides;
  if (state.mode == Mode::stick) {
    for (int j = 0; j < sides; ++j) {
      const Vector2 from = polygon_corner(sides, j), to = polygon_corner(sides, (j + 1) % sides);
      const Vector2 outwards = (from + to).normalized();
      values.push_back(radius * from.dot(outwards) - load.dot(outwards));
    }
    return;
  }
  const Vector2 corner = polygon_corner(sides, state.corner);
  const Vector2 next = polygon_corner(sides, (state.corner + 1) % sides);
  if (state.edge) {
    const Vector2 along = (next - corner).normalized();
    const double place = load.dot(along) - radius * corner.dot(along);
    values = {place, radius * (next - corner).norm() - place,
              -speed.dot((corner + next).normalized())};
    return;
  }
  const Vector2 previous = polygon_corner(sides, (state.corner + sides - 1) % sides);
  values.push_back(speed.dot(next - corner));
  values.push_back(speed.dot(previous - corner));
}

// The state beyond a condition.
CompliantLimit::State CompliantLimit::beyond(const ContactUnit& unit, const State& state,
                                             int condition, const VectorX& s) const {
  State next;
  const int sides = unit.sides;
  if (unit.kind == ContactUnit::Kind::scalar) {
    next.mode = state.mode != Mode::stick ? Mode::stick : condition == 0 ? Mode::open : Mode::slide;
    return next;
  }
  const int first = unit.first_tangent(), tangents = unit.tangents();
  if (state.mode == Mode::open) {
    next.mode = Mode::slide;
    next.corner = 0;
    if (tangents == 1) next.along.x() = s[first] > 0.0 ? -1.0 : 1.0;
    double most = -1.0;
    for (int j = 0; tangents == 2 && j < sides; ++j) {
      const double part = -polygon_corner(sides, j).dot(Vector2(s[first], s[first + 1]));
      if (j > 0 && part <= most) continue;
      most = part;
      next.corner = j;
    }
    return next;
  }
  if (state.mode == Mode::stick) {
    next.mode = Mode::slide;
    next.corner = tangents == 1 ? 0 : condition;
    next.edge = tangents == 2;
    if (tangents == 1) next.along.x() = condition == 0 ? 1.0 : -1.0;
    return next;
  }
  if (state.edge) {
    if (condition == 2) return {.mode = Mode::stick};
    next.mode = Mode::slide;
    next.corner = (state.corner + condition) % sides;
    return next;
  }
  const int own = condition - (unit.kind == ContactUnit::Kind::cone ? 1 : 0);
  if (own < 0) return next;
  if (tangents == 1) return {.mode = Mode::stick};
  next.mode = Mode::slide;
  next.edge = true;
  next.corner = own == 0 ? state.corner : (state.corner + sides - 1) % sides;
  return next;
}

// r, and the states at t = 1. False where nothing is a solution without loads.
bool CompliantLimit::begin_apart(VectorX& apart) {
  using Kind = ContactUnit::Kind;
  springs_.setZero(system_.rows());
  measure(springs_);
  apart = -w_;
  double depth = 0.0;
  for (const ContactUnit& unit : units_) {
    const bool one_sided = unit.kind == Kind::scalar && unit.lower == 0.0;
    if (unit.kind == Kind::cone || one_sided) depth = std::max(depth, -w_[unit.first]);
  }
  for (std::size_t i = 0; i < units_.size(); ++i) {
    const ContactUnit& unit = units_[i];
    states_[i] = {.mode = Mode::stick};
    if (unit.kind == Kind::scalar && (unit.lower > 0.0 || unit.upper <= 0.0)) return false;
    if (unit.kind == Kind::disk && !(unit.limit > 0.0)) return false;
    if (unit.kind == Kind::cone || (unit.kind == Kind::scalar && unit.lower == 0.0)) {
      apart.segment(unit.first, unit.count).setZero();
      apart[unit.first] = depth;
      states_[i] = {};
    }
  }
  return true;
}

// λ = springs_ + t rise_ and w + ε λ = speeds_ + t speeding_ of the states at hand.
bool CompliantLimit::solve_piece(const VectorX& apart) {
  springs_.setZero();
  set_up(springs_);
  factor();
  measure(springs_);
  if (!solve_step(compliance_, springs_)) return false;
  rise_.setZero(system_.rows());
  measure(rise_);
  const VectorX without = w_;
  w_ = apart;
  if (!solve_step(compliance_, rise_)) return false;
  measure(rise_);
  speeding_ = w_ - without + apart + compliance_ * rise_;
  measure(springs_);
  speeds_ = w_ + compliance_ * springs_;
  return true;
}

bool CompliantLimit::follow(double compliance) {
  compliance_ = compliance;
  if (!begin_apart(apart_)) return false;
  int most = most_pieces;
  for (const ContactUnit& unit : units_) most += most_pieces_of_unit + unit.sides;
  double t = 1.0, sign = -1.0;
  int entered = -1, through = -1;  // the unit that changed last, and the condition it came by
  for (int piece = 0; piece < most; ++piece) {
    if (!solve_piece(apart_)) return false;
    if (entered >= 0) {
      const auto at = static_cast<std::size_t>(entered);
      conditions(units_[at], states_[at], rise_, speeding_, 0.0, slopes_);
      const double slope = slopes_[static_cast<std::size_t>(through)];
      if (slope == 0.0) return false;
      sign = slope > 0.0 ? 1.0 : -1.0;
    }
    double least = std::numeric_limits<double>::infinity();
    int unit = -1, condition = -1;
    for (std::size_t i = 0; i < units_.size(); ++i) {
      conditions(units_[i], states_[i], springs_, speeds_, 1.0, values_);
      conditions(units_[i], states_[i], rise_, speeding_, 0.0, slopes_);
      for (std::size_t k = 0; k < values_.size(); ++k) {
        const double rate = sign * slopes_[k];
        if (!(rate < 0.0) || (entered == static_cast<int>(i) && through == static_cast<int>(k)))
          continue;
        const double length = std::max(values_[k] + t * slopes_[k], 0.0) / -rate;
        if (length >= least) continue;
        least = length;
        unit = static_cast<int>(i);
        condition = static_cast<int>(k);
      }
    }
    if (sign < 0.0 && t <= least) return true;
    if (unit < 0) return false;
    t += sign * least;
    const auto at = static_cast<std::size_t>(unit);
    const State before = states_[at];
    states_[at] = beyond(units_[at], before, condition, speeds_ + t * speeding_);
    entered = unit;
    through = 0;
    conditions(units_[at], states_[at], springs_, speeds_, 1.0, values_);
    if (states_[at].mode != Mode::open)
      while (through < static_cast<int>(values_.size()) &&
             !(beyond(units_[at], states_[at], through, speeds_) == before))
        ++through;
    if (through == static_cast<int>(values_.size())) return false;
  }
  return false;
}

// A circle is a polygon on the way, and a finer one where Newton's method does not lead from its
// answer to that of the circle.
bool CompliantLimit::come_together() {
  if (units_.size() > most_units) return false;
  const std::span<const ContactUnit> given = units_;
  const double compliance = first_compliance * typical_;
  for (const int sides : sides_of_circle) {
    bool round = false;
    polygons_.assign(given.begin(), given.end());
    for (ContactUnit& unit : polygons_) {
      if (unit.sides > 0 || unit.tangents() != 2 || unit.kind == ContactUnit::Kind::fixed) continue;
      unit.sides = sides;
      round = true;
    }
    units_ = polygons_;
    const bool found = follow(compliance);
    units_ = given;
    if (found) {
      measure(springs_);
      bool settles = true;
      for (int k = 0; settles && k < most_turns; ++k) {
        settles = newton(compliance, most_newton_steps, springs_);
        if (settles && change_ < turned_to) return true;
      }
    }
    if (!round) return false;
  }
  return false;
}

}  // namespace vinci
