// SPDX-License-Identifier: Apache-2.0
// The machine of the constraints around smooth parts of a motion.
#include "vinci/hybrid/hybrid_motion.h"

#include <algorithm>

#include <fmt/format.h>

#include "vinci/base/error.h"
#include "vinci/hybrid/mode_integrator.h"

namespace vinci {
namespace {

// Changes of one constraint within so short a time, s, that pile up.
constexpr int piled_changes = 64;
constexpr double piled_time = 1e-6;
// Rounds of settling at one time.
constexpr int most_rounds = 200;
// What contradicting constraints may leave of what they ask for.
constexpr double largest_misfit = 1e-3;

void check_start(const ConstrainedSystem& system, const HybridOptions& options,
                 const HybridState& state) {
  if (!(options.accuracy >= 1e-10) || !(options.accuracy <= 1e-2))
    throw Error(fmt::format("an accuracy of {}; accepted: 1e-10 to 1e-2", options.accuracy));
  const int n = system.coordinate_count();
  if (state.positions.size() != n || state.velocities.size() != n)
    throw Error(fmt::format("{} positions and {} velocities; accepted: {} of each",
                            state.positions.size(), state.velocities.size(), n));
  if (!state.positions.allFinite() || !state.velocities.allFinite())
    throw Error("a start that is not finite");
  for (const Constraint& constraint : system.constraints()) {
    try {
      check(constraint.stabilisation);
    } catch (const Error& error) {
      throw Error(error.message(), constraint.name);
    }
  }
}

}  // namespace

const char* to_string(ContactState state) {
  switch (state) {
    case ContactState::free:
      return "free";
    case ContactState::contact:
      return "contact";
    case ContactState::ballistic:
      return "ballistic";
    case ContactState::sticking:
      return "sticking";
    case ContactState::sliding:
      return "sliding";
  }
  return "";
}

HybridMotion::HybridMotion(const ConstrainedSystem& system, const HybridOptions& options,
                           const VectorX& positions, const VectorX& velocities, double time)
    : system_(system),
      passages_(system.passages()),
      options_(options),
      inputs_(VectorX::Zero(system.input_count())),
      equations_(system) {
  const auto m = static_cast<Eigen::Index>(system.constraints().size());
  state_ = {
      time,
      positions,
      velocities,
      VectorX::Zero(system.extra_count()),
      VectorX::Zero(m),
      HybridMode::of(std::vector<ContactState>(static_cast<std::size_t>(m), ContactState::free)),
      std::vector<bool>(static_cast<std::size_t>(m), false),
      system.machines()};
  impulses_ = VectorX::Zero(m);
  held_until_.assign(static_cast<std::size_t>(m), -infinity);
  check_start(system, options, state_);
  begin_states();
  settle();
  events_.clear();
}

HybridMotion::HybridMotion(const ConstrainedSystem& system, const HybridOptions& options,
                           HybridState state)
    : system_(system),
      passages_(system.passages()),
      options_(options),
      state_(std::move(state)),
      inputs_(VectorX::Zero(system.input_count())),
      equations_(system) {
  const std::size_t m = system.constraints().size();
  check_start(system, options, state_);
  if (state_.mode.states.size() != m || state_.sinking.size() != m)
    throw Error(fmt::format("{} states of {} constraints; accepted: one of each",
                            state_.mode.states.size(), m));
  impulses_ = VectorX::Zero(static_cast<Eigen::Index>(m));
  held_until_.assign(m, -infinity);
  find_forces();
}

HybridMotion::~HybridMotion() = default;

bool HybridMotion::is_on(int i) const {
  const Constraint& constraint = system_.constraints()[i];
  return constraint.machine < 0 || constraint.on[state_.machines[constraint.machine]];
}

// States as a start has them, before anything is settled.
void HybridMotion::begin_states() {
  equations_.set(state_, inputs_);
  system_.evaluate(equations_.frame());
  gaps_ = equations_.frame().gaps;
  for (std::size_t i = 0; i < state_.mode.states.size(); ++i) {
    const Constraint& constraint = system_.constraints()[i];
    const auto at = static_cast<Eigen::Index>(i);
    if (constraint.kind == ConstraintKind::friction || !is_on(static_cast<int>(i))) continue;
    const bool is_link = constraint.kind == ConstraintKind::link;
    if (is_link ? constraint.with < 0 : gaps_[at].value <= 0.0)
      state_.mode.states[i] = ContactState::contact;
    if (is_link && constraint.anchored) state_.mode.anchors[at] = gaps_[at].value;
  }
}

void HybridMotion::set_inputs(const VectorX& inputs) {
  if (inputs.size() != system_.input_count() || !inputs.allFinite())
    throw Error(fmt::format("{} inputs; accepted: {} finite numbers", inputs.size(),
                            system_.input_count()));
  inputs_ = inputs;
  settle();
}

void HybridMotion::set_extras(const VectorX& extras) {
  if (extras.size() != system_.extra_count() || !extras.allFinite())
    throw Error(fmt::format("{} further states; accepted: {} finite numbers", extras.size(),
                            system_.extra_count()));
  state_.extras = extras;
  settle();
}

void HybridMotion::give_up(const std::string& why) const {
  throw Failure(fmt::format("at {:.9g} s {}", state_.time, why));
}

bool HybridMotion::try_forces() {
  equations_.set(state_, inputs_);
  const bool determined = equations_.solve(state_.mode);
  accelerations_ = equations_.frame().accelerations;
  multipliers_ = equations_.frame().multipliers;
  gaps_ = equations_.frame().gaps;
  return determined;
}

void HybridMotion::find_forces() {
  std::string names;
  if (try_forces()) {
    if (equations_.misfit() <= largest_misfit) return;
    for (const int i : equations_.active())
      names += (names.empty() ? "" : ", ") + system_.constraints()[i].name;
    if (const int idle = equations_.idle_constraint(); idle >= 0)
      give_up("nothing can move as the constraint asks: " + system_.constraints()[idle].name);
    give_up("the constraints that act contradict each other: " + names);
  }
  for (const int i : equations_.active())
    names += (names.empty() ? "" : ", ") + system_.constraints()[i].name;
  give_up("the forces are not determined; " +
          (names.empty() ? "none act, a coordinate has no mass" : "what acts: " + names));
}

double HybridMotion::bound(int i) const {
  const Constraint& constraint = system_.constraints()[i];
  return constraint.bound +
         (constraint.with < 0 ? 0.0 : constraint.coefficient * multipliers_[constraint.with]);
}

int HybridMotion::directions(int i) const {
  const auto& all = system_.constraints();
  return i + 1 < static_cast<int>(all.size()) && all[i + 1].second ? 2 : 1;
}

bool HybridMotion::piles_up(int i) {
  int count = 0;
  for (auto event = events_.rbegin();
       event != events_.rend() && event->time > state_.time - piled_time; ++event)
    if (event->constraint == i && ++count >= piled_changes) return true;
  return false;
}

void HybridMotion::change(int i, ContactState to) {
  HybridEvent event;
  event.time = state_.time;
  event.constraint = i;
  event.from = state_.mode.states[i];
  event.to = to;
  event.positions = state_.positions;
  event.velocities = state_.velocities;
  event.gap = gaps_[i].value;
  event.gap_rate = gaps_[i].first;
  const Constraint& constraint = system_.constraints()[i];
  state_.mode.states[i] = to;
  state_.slips[i] = 0.0;
  if (constraint.anchored) state_.mode.anchors[i] = gaps_[i].value;
  state_.sinking[i] = constraint.kind == ConstraintKind::contact && to == ContactState::ballistic &&
                      event.gap <= 0.0 && event.gap_rate < 0.0;
  state_.mode.preferred[i] = 0.0;
  find_forces();
  event.multipliers = multipliers_;
  events_.push_back(std::move(event));
  if (static_cast<int>(events_.size()) > options_.most_events)
    give_up(
        fmt::format("more than {} events, the last of {}", options_.most_events, constraint.name));
  if (piles_up(i)) {
    held_until_[i] = state_.time + piled_time;
    accumulations_.push_back({state_.time, i});
  }
}

void HybridMotion::slide(int i, const Vector2& direction) {
  const bool two = directions(i) == 2;
  state_.mode.directions[i] = two ? direction[0] : (direction[0] < 0.0 ? -1.0 : 1.0);
  if (two) {
    state_.mode.directions[i + 1] = direction[1];
    state_.mode.states[i + 1] = ContactState::sliding;
    state_.slips[i + 1] = 0.0;
  }
  change(i, ContactState::sliding);
}

void HybridMotion::stick(int i) {
  if (directions(i) == 2) {
    state_.mode.states[i + 1] = ContactState::sticking;
    state_.slips[i + 1] = 0.0;
  }
  change(i, ContactState::sticking);
}

void HybridMotion::pass(const Passage& passage) {
  HybridEvent event;
  event.time = state_.time;
  event.machine = passage.machine;
  event.state_before = passage.from;
  event.state_after = passage.to;
  event.positions = state_.positions;
  event.velocities = state_.velocities;
  state_.machines[passage.machine] = passage.to;
  event.multipliers = multipliers_;
  events_.push_back(std::move(event));
  if (static_cast<int>(events_.size()) > options_.most_events)
    give_up(fmt::format("more than {} events, the last of a machine", options_.most_events));
}

// What follows others: constraints that machines switch, links and friction of contacts; true where
// something changed.
bool HybridMotion::follow() {
  bool changed = false;
  for (int i = 0; i < static_cast<int>(state_.mode.states.size()); ++i) {
    const Constraint& constraint = system_.constraints()[i];
    const ContactState now = state_.mode.states[i];
    bool on = is_on(i);
    if (constraint.with >= 0) on = on && acts(state_.mode.states[constraint.with]);
    if (constraint.second) continue;
    if (!on) {
      if (now == ContactState::free) continue;
      if (directions(i) == 2 && constraint.kind == ConstraintKind::friction) {
        state_.mode.states[i + 1] = ContactState::free;
        state_.slips[i + 1] = 0.0;
      }
      change(i, ContactState::free);
      changed = true;
    } else if (constraint.kind == ConstraintKind::link && now == ContactState::free) {
      change(i, ContactState::contact);
      changed = true;
    } else if (constraint.kind == ConstraintKind::contact && now == ContactState::free &&
               constraint.machine >= 0 && gaps_[i].value < 0.0) {
      change(i, ContactState::contact);  // a machine has just switched it on
      changed = true;
    } else if (constraint.kind == ConstraintKind::friction && now == ContactState::free) {
      Vector2 slip(gaps_[i].first, directions(i) == 2 ? gaps_[i + 1].first : 0.0);
      const double still = still_speed(options_.accuracy);
      if (slip.norm() <= still || constraint.never_slides)
        stick(i);
      else
        slide(i, slip.normalized());
      changed = true;
    }
  }
  return changed;
}

// Whether λ of a contact that acts is negative, or zero to rounding and about to become so: the
// sign of its change is that over a moment of free extrapolation.
bool HybridMotion::pulls(int i) {
  const double force = multipliers_[i];
  SystemFrame<double>& frame = equations_.frame();
  const VectorX accelerations = accelerations_, multipliers = multipliers_;
  frame.accelerations.setZero();
  frame.multipliers.setZero();
  system_.evaluate(frame);
  const double scale =
      std::max(frame.balance.lpNorm<Eigen::Infinity>(), multipliers.lpNorm<Eigen::Infinity>());
  bool result = force < 0.0;
  if (std::abs(force) <= 1e-10 * scale) {
    const double moment = 1e-6;  // s
    HybridState ahead = state_;
    ahead.time += moment;
    ahead.positions += moment * (state_.velocities + 0.5 * moment * accelerations);
    ahead.velocities += moment * accelerations;
    equations_.set(ahead, inputs_);
    if (equations_.solve(state_.mode)) result = equations_.frame().multipliers[i] < force;
  }
  find_forces();
  return result;
}

// A contact that would pull lets go, one that sinks in without force though the constraint asks for
// it takes it up; true where it did.
bool HybridMotion::settle_contact(int i) {
  const Constraint& constraint = system_.constraints()[i];
  if (state_.mode.states[i] == ContactState::contact && multipliers_[i] <= 0.0 && pulls(i)) {
    change(i, ContactState::ballistic);
    return true;
  }
  if (!state_.sinking[i]) return false;
  const Series<double> gap = gaps_[i];
  const double parts = std::abs(gap.second) +
                       constraint.stabilisation.damping * std::abs(gap.first) +
                       constraint.stabilisation.pull(std::abs(gap.value));
  if (gap.first >= 0.0) {
    state_.sinking[i] = false;
  } else if (constraint.stabilisation.error(gap) < -1e-9 * parts) {
    change(i, ContactState::contact);
    return true;
  }
  return false;
}

bool HybridMotion::is_sticking_too_much(int i) const {
  const bool two = directions(i) == 2;
  const double force =
      two ? std::hypot(multipliers_[i], multipliers_[i + 1]) : std::abs(multipliers_[i]);
  return force > std::max(0.0, bound(i)) * (1.0 + 1e-12);
}

bool HybridMotion::settle_friction(int i) {
  const Constraint& constraint = system_.constraints()[i];
  if (constraint.second || constraint.never_slides) return false;
  // What is to slide and would begin to do so backwards does not.
  if (state_.mode.states[i] == ContactState::sliding && directions(i) == 1 &&
      gaps_[i].first == 0.0 && gaps_[i].second * state_.mode.directions[i] < 0.0) {
    stick(i);
    return true;
  }
  if (state_.mode.states[i] != ContactState::sticking || !is_sticking_too_much(i)) return false;
  const Vector2 force(multipliers_[i], directions(i) == 2 ? multipliers_[i + 1] : 0.0);
  slide(i, -force.normalized());
  return true;
}

// Where the equations leave forces open, some that no contact or friction minds may exist though
// those at hand are minded: alternating projections between both sets [Boyle 1986].
bool HybridMotion::choose_forces() {
  const auto minds = [&](const VectorX& forces, double share, VectorX& nearest) {
    nearest = forces;
    for (int i = 0; i < forces.size(); ++i) {
      const Constraint& constraint = system_.constraints()[i];
      if (!acts(state_.mode.states[i])) continue;
      if (constraint.kind == ConstraintKind::contact) nearest[i] = std::max(0.0, forces[i]);
      if (constraint.kind != ConstraintKind::friction || constraint.second ||
          constraint.never_slides || state_.mode.states[i] != ContactState::sticking)
        continue;
      const double most =
          share *
          (constraint.bound +
           (constraint.with < 0 ? 0.0
                                : constraint.coefficient * std::max(0.0, forces[constraint.with])));
      const bool two = directions(i) == 2;
      const double size = two ? std::hypot(forces[i], forces[i + 1]) : std::abs(forces[i]);
      if (size <= most) continue;
      nearest[i] = forces[i] * (most / size);
      if (two) nearest[i + 1] = forces[i + 1] * (most / size);
    }
  };
  for (const double share : {0.5, 0.75, 0.9, 0.97, 0.99, 1.0}) {
    VectorX forces = multipliers_, nearest;
    for (int round = 0; round < 500; ++round) {
      minds(forces, share, nearest);
      const double off = (nearest - forces).lpNorm<Eigen::Infinity>();
      if (off <= 1e-12 * nearest.lpNorm<Eigen::Infinity>()) {
        state_.mode.preferred = forces;
        find_forces();
        return true;
      }
      forces = nearest;
      equations_.project_forces(forces);
    }
  }
  return false;
}

// One change of what does not fit; false where everything does.
bool HybridMotion::settle_once() {
  if (follow()) return true;
  const auto m = static_cast<int>(state_.mode.states.size());
  const auto is_minded = [&](int i) {
    const Constraint& constraint = system_.constraints()[i];
    if (constraint.kind == ConstraintKind::contact)
      return state_.mode.states[i] == ContactState::contact && multipliers_[i] < 0.0;
    return constraint.kind == ConstraintKind::friction && !constraint.second &&
           !constraint.never_slides && state_.mode.states[i] == ContactState::sticking &&
           is_sticking_too_much(i);
  };
  if (equations_.is_redundant()) {
    bool minded = false;
    for (int i = 0; i < m; ++i) minded |= is_minded(i);
    if (minded && choose_forces()) return false;
  }
  for (int i = 0; i < m; ++i) {
    if (state_.time < held_until_[i]) continue;
    const ConstraintKind kind = system_.constraints()[i].kind;
    if (kind == ConstraintKind::contact && settle_contact(i)) return true;
    if (kind == ConstraintKind::friction && settle_friction(i)) return true;
  }
  return false;
}

void HybridMotion::settle() {
  find_forces();
  int rounds = 0;
  while (settle_once()) {
    if (++rounds < most_rounds) continue;
    const int last = events_.empty() ? -1 : events_.back().constraint;
    give_up("the states of constraints do not settle, the last that changed: " +
            (last < 0 ? "a machine" : system_.constraints()[last].name));
  }
}

void HybridMotion::happen(const Watch& watch) {
  const int i = watch.constraint;
  if (watch.what == Watch::What::guard) {
    const Passage& passage = passages_[watch.passage];
    if (state_.machines[passage.machine] == passage.from) pass(passage);
    return;
  }
  if (watch.what == Watch::What::urge && gaps_[i].first >= 0.0) return;  // it leaves
  switch (state_.mode.states[i]) {
    case ContactState::free:
      change(i, ContactState::contact);
      for (const Passage& passage : passages_)
        if (passage.touched == i && state_.machines[passage.machine] == passage.from) {
          pass(passage);
          break;
        }
      break;
    case ContactState::contact:
      // Forces that are not determined may be chosen otherwise.
      if (equations_.is_redundant() && choose_forces() && multipliers_[i] > 0.0) break;
      change(i, ContactState::ballistic);
      break;
    case ContactState::ballistic:
      if (watch.what == Watch::What::gap && watch.direction > 0)
        change(i, ContactState::free);
      else
        change(i, ContactState::contact);
      break;
    case ContactState::sticking:
      if (equations_.is_redundant() && choose_forces() && !is_sticking_too_much(i)) break;
      slide(i,
            -Vector2(multipliers_[i], directions(i) == 2 ? multipliers_[i + 1] : 0.0).normalized());
      break;
    case ContactState::sliding:
      stick(i);  // settle() lets it slide on where that takes too much
      break;
  }
}

std::vector<HybridMotion::Watch> HybridMotion::watches() const {
  using What = Watch::What;
  std::vector<Watch> list;
  for (int i = 0; i < static_cast<int>(state_.mode.states.size()); ++i) {
    const Constraint& constraint = system_.constraints()[i];
    if (constraint.kind == ConstraintKind::link || constraint.second || constraint.never_slides ||
        !is_on(i) || state_.time < held_until_[i])
      continue;
    switch (state_.mode.states[i]) {
      case ContactState::free:
        if (constraint.kind == ConstraintKind::contact) list.push_back({What::gap, i, -1});
        break;
      case ContactState::contact:
        list.push_back({What::force, i, -1});
        break;
      case ContactState::ballistic:
        list.push_back({What::gap, i, 1});
        list.push_back({What::gap, i, -1});
        if (gaps_[i].value <= 0.0) list.push_back({What::gap_rate, i, -1});
        if (state_.sinking[i]) list.push_back({What::urge, i, -1});
        break;
      case ContactState::sticking:
        list.push_back({What::grip, i, -1});
        break;
      case ContactState::sliding:
        list.push_back({What::slip, i, -1});
        break;
    }
  }
  for (int i = 0; i < static_cast<int>(passages_.size()); ++i)
    if (passages_[i].guard >= 0 && state_.machines[passages_[i].machine] == passages_[i].from)
      list.push_back({What::guard, -1, passages_[i].direction, i, passages_[i].guard});
  for (int i = 0; i < system_.border_count(); ++i) list.push_back({What::border, -1, -1, i});
  return list;
}

bool HybridMotion::advance(double end) {
  if (!(end >= state_.time) || !std::isfinite(end))
    throw Error(fmt::format("a motion at {:.9g} s that is to go to {}; accepted: a later time",
                            state_.time, end));
  while (state_.time < end) {
    double stop = end;
    for (const double held : held_until_)
      if (held > state_.time) stop = std::min(stop, held);
    Integrator mode(system_, state_, inputs_, watches(), options_.accuracy);
    VectorX y = mode.pack(state_), slopes(y.size());
    mode.slopes_at(state_.time, y, slopes);
    ImplicitPart part = integrate(mode, options_.accuracy, state_.time, stop, y, slopes);
    state_.time = part.time;
    mode.unpack(y, state_);
    impulses_ += mode.impulses(y);
    integrator_steps_ += part.steps;
    evaluations_ += part.evaluations;
    if (!part.why.empty()) give_up("the integrator gave up: " + part.why);
    find_forces();
    // Of one constraint at one time only the first change counts.
    int last = -1;
    bool at_border = false;
    for (const int i : part.watches) {
      const Watch& watch = mode.watch(i);
      if (watch.what == Watch::What::border) {
        at_border = true;
        continue;
      }
      if (watch.what != Watch::What::guard && watch.constraint == last) continue;
      last = watch.constraint;
      happen(watch);
    }
    settle();
    if (at_border && state_.time < end) return false;
  }
  return true;
}

}  // namespace vinci
