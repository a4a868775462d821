// SPDX-License-Identifier: Apache-2.0
// Newton's method on contacts of equal compliance, dense.
#include "vinci/selection/compliant_limit.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "vinci/base/regular_polygon.h"

namespace vinci {
namespace {

constexpr double least_compliance = 1e-10;  // over the typical diagonal of W
constexpr double most_compliance = 1e2;
constexpr int most_stiffening_steps = 60, most_refinements = 40;
constexpr int patience = 2;  // Newton steps before they are shortened
constexpr double converged = 1e-14;
constexpr double settled_loads = 1e-11, settled_speeds = 1e-13;
// Friction is at its limit to rounding: it slides, maybe at no speed, since others hold.
constexpr double at_limit = 1.0 - 1e-12;
constexpr double rounding = 1e-14;  // of velocities, over typical ones

double square(double x) {
  return x * x;
}

}  // namespace

bool CompliantLimit::load(const ComplementarityProblem& problem, const MassFactor& mass,
                          std::span<const ContactUnit> units, const VectorX& scales) {
  if (!system_.load(problem, mass, units)) return false;
  units_ = units;
  scale_ = scales;
  steps_ = 0;
  states_.assign(units.size(), {});
  typical_ = typical(scales);
  return true;
}

double CompliantLimit::typical(const VectorX& scales) {
  const double mean = scales.size() > 0 ? scales.mean() : 1.0;
  return mean > 0.0 ? mean : 1.0;
}

void CompliantLimit::measure(const VectorX& lambda) {
  system_.measure(lambda, w_);
}

// ------------------------------------------------------------------------------------- the states

// Of friction of the given radius, in the unit of w, by the nearest point of its set.
CompliantLimit::State CompliantLimit::classify_friction(const ContactUnit& unit,
                                                        const VectorX& lambda, double radius,
                                                        const State* held) const {
  const auto number = static_cast<int>(&unit - units_.data());
  Vector2 target = Vector2::Zero();
  for (int k = 0; k < unit.tangents(); ++k) {
    const int row = unit.first_tangent() + k;
    target[k] = scale_[number] * lambda[row] - w_[row];
  }
  State state;
  const double length = target.norm();
  state.mode = Mode::slide;
  if (unit.sides == 0) {
    if (held ? held->mode == Mode::stick : (length < at_limit * radius - tie_))
      state.mode = Mode::stick;
    else if (length > 0.0)
      state.along = target / length;
    else
      state.along = Vector2(1.0, 0.0);
    return state;
  }
  if (held) return *held;
  const double half = M_PI / unit.sides;
  double angle = std::atan2(target[1], target[0]);
  if (angle < 0.0) angle += 2.0 * M_PI;
  state.corner = std::min(static_cast<int>(angle / (2.0 * half)), unit.sides - 1);
  const double middle = (2 * state.corner + 1) * half;
  const Vector2 outwards(std::cos(middle), std::sin(middle));
  if (target.dot(outwards) < at_limit * radius * std::cos(half) - tie_) {
    state.mode = Mode::stick;
    state.corner = -1;
    return state;
  }
  const double across = outwards.x() * target.y() - outwards.y() * target.x();
  state.edge = std::abs(across) < radius * std::sin(half);
  if (!state.edge && across > 0.0) state.corner = (state.corner + 1) % unit.sides;
  return state;
}

void CompliantLimit::classify(const VectorX& lambda, bool hold) {
  using Kind = ContactUnit::Kind;
  for (std::size_t i = 0; i < units_.size(); ++i) {
    const ContactUnit& unit = units_[i];
    State& state = states_[i];
    const double scale = scale_[static_cast<int>(i)];
    if (unit.kind == Kind::fixed) {
      state.mode = Mode::stick;
    } else if (unit.kind == Kind::disk) {
      const State held = state;
      state = classify_friction(unit, lambda, (scale + compliance_) * unit.limit,
                                hold ? &held : nullptr);
    } else if (unit.kind == Kind::scalar) {
      if (hold) continue;
      const double target = scale * lambda[unit.first] - w_[unit.first];
      const double full = scale + compliance_;
      state.mode = target <= full * unit.lower + tie_   ? Mode::open
                   : target >= full * unit.upper - tie_ ? Mode::slide
                                                        : Mode::stick;
    } else {
      if (hold && state.mode == Mode::open) continue;
      const double target = scale * lambda[unit.first] - w_[unit.first];
      if (!hold && !(target > tie_)) {
        state = {};
        continue;
      }
      const State held = state;
      state = classify_friction(unit, lambda, unit.limit * target, hold ? &held : nullptr);
    }
  }
}

// ----------------------------------------------------------------------------------- the unknowns

CompliantSystem::Unknown& CompliantLimit::add(int first, int count, double slip) {
  system_.unknowns().push_back({{first, count, {}}, {first, count, {}}, slip, false});
  return system_.unknowns().back();
}

void CompliantLimit::set_up(VectorX& lambda) {
  system_.unknowns().clear();
  for (std::size_t i = 0; i < units_.size(); ++i) add_unit(units_[i], states_[i], lambda);
}

void CompliantLimit::add_unit(const ContactUnit& unit, const State& state, VectorX& lambda) {
  using Kind = ContactUnit::Kind;
  if (unit.kind == Kind::scalar && state.mode != Mode::stick) {
    lambda[unit.first] = state.mode == Mode::open ? unit.lower : unit.upper;
    return;
  }
  if (state.mode == Mode::open) {
    lambda.segment(unit.first, unit.count).setZero();
    return;
  }
  if (state.mode == Mode::stick) {
    for (int row = unit.first; row < unit.first + unit.count; ++row) {
      CompliantSystem::Unknown& unknown = add(row, 1, 0.0);
      unknown.force.part[0] = unknown.equation.part[0] = 1.0;
    }
    return;
  }
  if (unit.kind == Kind::disk) {
    add_friction(unit, state, unit.limit, -1, lambda);
    return;
  }
  const double normal = std::max(lambda[unit.first], 0.0);
  lambda[unit.first] = normal;
  const auto load = static_cast<int>(system_.unknowns().size());
  CompliantSystem::Unknown& unknown = add(unit.first, unit.count, 0.0);
  unknown.force.part[0] = unknown.equation.part[0] = 1.0;
  add_friction(unit, state, unit.limit * normal, load, lambda);
}

// λ_t at its limit `radius`; the unknown `load`, where there is one, is its normal force.
void CompliantLimit::add_friction(const ContactUnit& unit, const State& state, double radius,
                                  int load, VectorX& lambda) {
  const int first = unit.first_tangent(), tangents = unit.tangents();
  Vector2 point = state.along, across = Vector2::Zero();  // of the limit 1
  double slip = 0.0;
  bool turns = false;
  if (unit.sides > 0) {
    point = polygon_corner(unit.sides, state.corner);
    if (state.edge) {
      const Vector2 next = polygon_corner(unit.sides, (state.corner + 1) % unit.sides);
      across = (next - point).normalized();
      // Where λ_t is on the edge, as a share of the limit.
      double share = 0.0;
      if (radius > 0.0)
        share = Vector2(lambda[first], lambda[first + 1]).dot(across) / radius - point.dot(across);
      point += std::clamp(share, 0.0, (next - point).norm()) * across;
      turns = true;
    }
  } else if (tangents == 2) {
    double along = 0.0;
    for (int k = 0; k < 2; ++k)
      along -= point[k] * (w_[first + k] + compliance_ * lambda[first + k]);
    slip = std::max(along, 0.0) / radius;
    turns = radius > 0.0 && std::isfinite(slip);
    across = Vector2(-point.y(), point.x());
  }
  for (int k = 0; k < tangents; ++k) {
    lambda[first + k] = radius * point[k];
    if (load >= 0) system_.unknowns()[load].force.part[1 + k] = unit.limit * point[k];
  }
  if (!turns) return;
  CompliantSystem::Unknown& turning = add(first, 2, slip);
  turning.joined = load >= 0;
  for (int k = 0; k < 2; ++k) turning.force.part[k] = turning.equation.part[k] = across[k];
}

// ------------------------------------------------------------------------------- the linear system

void CompliantLimit::factor() {
  system_.factor(compliance_);
  ++steps_;
}

// z = −(…)⁻¹ Gᵀ(w + b λ)
void CompliantLimit::solve_for(const VectorX& w, double b, const VectorX& lambda,
                               std::vector<double>& z) {
  const std::vector<CompliantSystem::Unknown>& unknowns = system_.unknowns();
  z.resize(unknowns.size());
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    const CompliantSystem::Direction& line = unknowns[i].equation;
    double sum = 0.0;
    for (int a = 0; a < line.count; ++a)
      sum -= line.part[a] * (w[line.first + a] + b * lambda[line.first + a]);
    z[i] = sum;
  }
  system_.solve(z);
}

// λ ← λ + E z
bool CompliantLimit::add_loads(const std::vector<double>& z, VectorX& lambda) {
  const std::vector<CompliantSystem::Unknown>& unknowns = system_.unknowns();
  double change = 0.0;
  for (std::size_t j = 0; j < unknowns.size(); ++j)
    for (int b = 0; b < unknowns[j].force.count; ++b) {
      const double by = z[j] * unknowns[j].force.part[b];
      lambda[unknowns[j].force.first + b] += by;
      change = std::max(change, std::abs(by));
    }
  if (!std::isfinite(change)) return false;
  const double largest = lambda.size() > 0 ? lambda.cwiseAbs().maxCoeff() : 0.0;
  change_ = largest > 0.0 ? change / largest : 0.0;
  return true;
}

// To the answer of springs with these states.
bool CompliantLimit::solve_step(double own, VectorX& lambda) {
  solve_for(w_, own, lambda, right_);
  return add_loads(right_, lambda);
}

// A proximal step. What bodies do not see of the loads would follow from what loads cannot change
// of the speeds, zᵀw with zᵀJ = 0, over ε: the rounding of gaps, by a million. So that part of the
// step is taken away, and `first` that of the loads too: then zᵀλ = 0. Stiffer springs are for rows
// that bodies hardly see, which are not to be taken for such.
bool CompliantLimit::solve_limit(bool first, VectorX& lambda) {
  solve_for(w_, 0.0, lambda, right_);
  if (system_.may_leave_open() && compliance_ >= first_compliance * typical_) {
    hidden_.setZero(lambda.size());
    if (first) {
      solve_for(hidden_, -compliance_, lambda, unseen_);
      add_loads(unseen_, hidden_);
    }
    add_loads(right_, hidden_);
    hidden_ *= compliance_;
    solve_for(hidden_, 0.0, lambda, unseen_);
    for (std::size_t j = 0; j < right_.size(); ++j) right_[j] += unseen_[j];
  }
  return add_loads(right_, lambda);
}

// Friction that slides on a circle is on it.
void CompliantLimit::keep_limits(VectorX& lambda) const {
  for (std::size_t i = 0; i < units_.size(); ++i) {
    const ContactUnit& unit = units_[i];
    const bool friction =
        unit.kind == ContactUnit::Kind::cone || unit.kind == ContactUnit::Kind::disk;
    if (!friction || unit.sides > 0 || states_[i].mode != Mode::slide || unit.tangents() < 2)
      continue;
    const double radius = unit.kind == ContactUnit::Kind::cone
                              ? unit.limit * std::max(lambda[unit.first], 0.0)
                              : unit.limit;
    auto force = lambda.segment(unit.first_tangent(), 2);
    const double length = force.norm();
    if (length > 0.0) force *= radius / length;
  }
}

// --------------------------------------------------------------------------------------- the paths

// At one ε, from λ with w_ measured; ends where the states that gave an answer are those of the
// answer. A step that leads away from the natural map's zero is shortened, once it has been tried
// whole.
bool CompliantLimit::newton(double compliance, int most, VectorX& lambda, bool stuck) {
  compliance_ = compliance;
  tie_ = rounding * speed(lambda);
  classify(lambda, false);
  double merit = 0.0;
  if (stuck) hold_all();
  for (int k = 0; k < most; ++k) {
    from_ = lambda;
    set_up(lambda);
    if (lambda != from_) measure(lambda);
    factor();
    // Stiff springs decide nothing where rigid bodies determine the loads.
    const bool stiff = compliance_ <= first_compliance * typical_;
    if (!solve_step(stiff && !system_.may_leave_open() ? 0.0 : compliance_, lambda)) return false;
    keep_limits(lambda);
    measure(lambda);
    before_ = states_;
    classify(lambda, false);
    // Without circles the equations of the states are linear, and this is their answer.
    if (states_ == before_ && (!circles() || change_ < 1e-3 || k > 0)) return true;
    if (k < patience) continue;
    double now = distance(lambda);
    for (int half = 0; k > patience && half < 6 && !(now < merit); ++half) {
      lambda = 0.5 * (lambda + from_);
      measure(lambda);
      classify(lambda, false);
      now = distance(lambda);
    }
    merit = now;
  }
  return false;
}

// The largest speed of a unit, or that its loads make.
double CompliantLimit::speed(const VectorX& lambda) const {
  double largest = 0.0;
  for (std::size_t i = 0; i < units_.size(); ++i)
    for (int row = units_[i].first; row < units_[i].first + units_[i].count; ++row)
      largest = std::max(
          {largest, std::abs(w_[row]), std::abs(scale_[static_cast<int>(i)] * lambda[row])});
  return largest;
}

// |s λ − P(s λ − w − ε λ)|, the natural map of all units.
double CompliantLimit::distance(const VectorX& lambda) const {
  using Kind = ContactUnit::Kind;
  double sum = 0.0;
  for (std::size_t i = 0; i < units_.size(); ++i) {
    const ContactUnit& unit = units_[i];
    const State& state = states_[i];
    const double scale = scale_[static_cast<int>(i)], full = scale + compliance_;
    if (unit.kind == Kind::fixed) {
      for (int row = unit.first; row < unit.first + unit.count; ++row)
        sum += square(w_[row] + compliance_ * lambda[row]);
      continue;
    }
    double point[3] = {};  // P
    double normal = 0.0;
    for (int k = 0; k < unit.count; ++k)
      point[k] = scale * lambda[unit.first + k] - w_[unit.first + k];
    if (unit.kind == Kind::scalar) {
      if (state.mode != Mode::stick)
        point[0] = full * (state.mode == Mode::open ? unit.lower : unit.upper);
    } else if (state.mode == Mode::open) {
      std::fill_n(point, 3, 0.0);
    } else if (state.mode == Mode::slide) {
      normal = unit.kind == Kind::cone ? point[0] : full;
      double* const tangent = point + (unit.kind == Kind::cone ? 1 : 0);
      const double radius = unit.limit * normal;
      if (unit.sides == 0) {
        const double length = std::hypot(tangent[0], unit.tangents() > 1 ? tangent[1] : 0.0);
        for (int k = 0; k < unit.tangents() && length > 0.0; ++k) tangent[k] *= radius / length;
      } else {
        Vector2 corner = radius * polygon_corner(unit.sides, state.corner);
        if (state.edge) {
          const Vector2 next = radius * polygon_corner(unit.sides, (state.corner + 1) % unit.sides);
          const Vector2 along = (next - corner).normalized();
          corner += along.dot(Vector2(tangent[0], tangent[1]) - corner) * along;
        }
        tangent[0] = corner[0];
        tangent[1] = corner[1];
      }
    }
    for (int k = 0; k < unit.count; ++k) sum += square(full * lambda[unit.first + k] - point[k]);
  }
  return std::sqrt(sum);
}

// What is closed sticks.
void CompliantLimit::hold_all() {
  for (std::size_t i = 0; i < units_.size(); ++i)
    if (units_[i].kind != ContactUnit::Kind::scalar && states_[i].mode == Mode::slide)
      states_[i] = {.mode = Mode::stick};
}

// Whether friction slides on a circle: its direction turns with the answer.
bool CompliantLimit::circles() const {
  for (std::size_t i = 0; i < units_.size(); ++i) {
    const ContactUnit& unit = units_[i];
    const bool friction =
        unit.kind == ContactUnit::Kind::cone || unit.kind == ContactUnit::Kind::disk;
    if (friction && states_[i].mode == Mode::slide && unit.sides == 0 && unit.tangents() == 2)
      return true;
  }
  return false;
}

// From the answer at ε to the limit, with its states.
bool CompliantLimit::refine(VectorX& lambda) {
  const bool bent = circles();
  const double springiness = compliance_ / typical_;
  double last = 1.0;
  int slow = 0;
  for (int k = 0; k < most_refinements; ++k) {
    if (bent || (k == 0 && !(states_ == before_))) {
      classify(lambda, true);
      set_up(lambda);
      measure(lambda);
      if (!system_.serves()) factor();
    }
    if (!solve_limit(k == 0, lambda)) return false;
    keep_limits(lambda);
    measure(lambda);
    // Steps shrink by one factor: the next one is known. The velocities of this one are its share
    // ε.
    if (change_ <= converged) return true;
    if ((k > 0 || !system_.may_leave_open()) && change_ * (change_ / last) <= settled_loads &&
        change_ * springiness <= settled_speeds)
      return true;
    slow = change_ < 0.5 * last ? 0 : slow + 1;
    // As far as double precision goes: the judge decides.
    if (slow == 4 || (slow > 0 && change_ * springiness < rounding)) return true;
    last = change_;
  }
  return true;
}

bool CompliantLimit::go_on(const VectorX& start) {
  springs_ = start;
  measure(springs_);
  begun_w_ = w_;
  return newton(first_compliance * typical_, most_newton_steps, springs_);
}

bool CompliantLimit::settle(const VectorX& start) {
  springs_ = start;
  measure(springs_);
  return newton(first_compliance * typical_, most_newton_steps, springs_);
}

// What `find` leaves in springs_ with circles in the place of polygons, then Newton's method on
// these.
template <class Find>
bool CompliantLimit::from_circles(Find find) {
  circles_.assign(units_.begin(), units_.end());
  for (ContactUnit& unit : circles_) unit.sides = 0;
  const std::span<const ContactUnit> given = std::exchange(units_, circles_);
  find();
  units_ = given;
  if (!springs_.allFinite()) return false;
  measure(springs_);
  return newton(first_compliance * typical_, most_newton_steps, springs_);
}

bool CompliantLimit::go_on_round(const VectorX& start) {
  return from_circles([&] { go_on(start); });
}

bool CompliantLimit::come_together_round() {
  return from_circles([&] { come_together(); });
}

bool CompliantLimit::jam() {
  springs_.setZero(system_.rows());
  measure(springs_);
  return newton(first_compliance * typical_, most_newton_steps, springs_, true);
}

bool CompliantLimit::stiffen() {
  springs_.setZero(system_.rows());
  const int before = steps_;
  double compliance = most_compliance, factor = 0.1;
  bool first = true;
  while (steps_ - before < most_stiffening_steps) {
    const double next = first ? compliance : std::max(compliance * factor, first_compliance);
    kept_ = springs_;
    measure(springs_);
    if (newton(next * typical_, most_newton_steps, springs_)) {
      first = false;
      compliance = next;
      if (compliance == first_compliance) return true;
      factor = std::max(0.1, factor * factor);
    } else {
      if (first) return false;
      springs_ = kept_;
      factor = std::sqrt(factor);
      if (factor > 0.97) return false;
    }
  }
  return false;
}

bool CompliantLimit::harden() {
  const double next = 0.01 * compliance_;
  if (next < 0.5 * least_compliance * typical_) return false;
  measure(springs_);
  return newton(next, most_newton_steps, springs_);
}

// With the states of the springs.
bool CompliantLimit::reach(VectorX& lambda) {
  lambda = springs_;
  return refine(lambda);
}

}  // namespace vinci
