// SPDX-License-Identifier: Apache-2.0
// Which states of constraints fit each other at one time: one change after the other in the order
// of the constraints, which for contacts that do not depend on each other ends [Murty 1974]; where
// that comes back to where it was, or ends in a contradiction, all combinations.
#include <algorithm>

#include <fmt/format.h>

#include "vinci/base/error.h"
#include "vinci/hybrid/mode_integrator.h"

namespace vinci {
namespace {

// Combinations of states that are tried.
constexpr int most_trials = 4096;
constexpr double rounding_of_impulses = 1e-9;  // share of them
// Impulses of contacts at one time.
constexpr int most_jolts = 100;
// Shares of what contacts and friction can do that are tried for forces which are open. The last
// ones leave a little to go each, so that what begins to slide is found where nothing is left.
constexpr double shares_of_friction[] = {0.5,         0.75,        0.9,        0.97,
                                         0.99,        1.0 - 1e-3,  1.0 - 1e-4, 1.0 - 1e-5,
                                         1.0 - 1e-6,  1.0 - 1e-7,  1.0 - 1e-8, 1.0 - 1e-9,
                                         1.0 - 1e-10, 1.0 - 1e-11, 1.0};

}  // namespace

int HybridMotion::directions(int i) const {
  const auto& all = system_.constraints();
  return i + 1 < static_cast<int>(all.size()) && all[i + 1].second ? 2 : 1;
}

bool HybridMotion::try_forces() {
  equations_.set(state_, inputs_);
  are_determined_ = equations_.solve(state_.mode);
  accelerations_ = equations_.frame().accelerations;
  multipliers_ = equations_.frame().multipliers;
  gaps_ = equations_.frame().gaps;
  return are_determined_;
}

bool HybridMotion::are_forces_fine() const {
  return are_determined_ && equations_.misfit() <= largest_misfit;
}

// What a force is beside which others are rounding: the largest that acts.
double HybridMotion::force_scale() {
  SystemFrame<double>& frame = equations_.frame();
  frame.accelerations.setZero();
  frame.multipliers.setZero();
  system_.evaluate(frame);
  const double scale =
      std::max(frame.balance.lpNorm<Eigen::Infinity>(), multipliers_.lpNorm<Eigen::Infinity>());
  frame.accelerations = accelerations_;
  frame.multipliers = multipliers_;
  return scale;
}

// The forces a moment later, by free extrapolation: false where they are not determined.
bool HybridMotion::foresee(VectorX& forces) {
  const double moment = 1e-6;  // s
  HybridState ahead = state_;
  ahead.time += moment;
  ahead.positions += moment * (state_.velocities + 0.5 * moment * accelerations_);
  ahead.velocities += moment * accelerations_;
  equations_.set(ahead, inputs_);
  const bool determined = equations_.solve(state_.mode);
  forces = equations_.frame().multipliers;
  try_forces();
  return determined;
}

// Whether λ of a contact that acts is negative, or zero to rounding and about to become so: the
// sign of its change is that over a moment.
bool HybridMotion::pulls(int i) {
  const double force = multipliers_[i];
  if (force > 0.0) return false;
  VectorX later;
  if (std::abs(force) <= force_rounding * force_scale() && foresee(later)) return later[i] < force;
  return force < 0.0;
}

// What of the urge of a constraint without force is rounding: of its parts, and of forces, since
// those below it count as none (pulls()).
double HybridMotion::urge_rounding(int i) {
  const Stabilisation& stabilisation = system_.constraints()[i].stabilisation;
  const Series<double>& gap = gaps_[i];
  const double parts = std::abs(gap.second) + stabilisation.damping * std::abs(gap.first) +
                       stabilisation.pull(std::abs(gap.value));
  const double rounding = force_rounding * force_scale();
  return 1e-9 * parts + 4.0 * rounding * equations_.mobility(state_.mode, i);
}

// Whether a constraint without force asks for one: it would sink in faster than it is to.
bool HybridMotion::is_wanted(int i) {
  return system_.constraints()[i].stabilisation.error(gaps_[i]) < -urge_rounding(i);
}

// A contact that would pull lets go, one that sinks in without force though the constraint asks for
// it takes it up; true where it did.
bool HybridMotion::settle_contact(int i) {
  if (state_.mode.states[i] == ContactState::contact && pulls(i)) {
    change(i, ContactState::ballistic);
    return true;
  }
  if (!state_.sinking[i]) return false;
  if (gaps_[i].first >= 0.0) state_.sinking[i] = false;
  if (!state_.sinking[i] || !is_wanted(i)) return false;
  change(i, ContactState::contact);
  return true;
}

double HybridMotion::grip(int i, const VectorX& forces) const {
  const Constraint& constraint = system_.constraints()[i];
  const double force =
      directions(i) == 2 ? std::hypot(forces[i], forces[i + 1]) : std::abs(forces[i]);
  return constraint.bound - force +
         (constraint.with < 0 ? 0.0
                              : constraint.coefficient * std::max(0.0, forces[constraint.with]));
}

// Likewise of what friction holds beside what it can.
bool HybridMotion::is_sticking_too_much(int i) {
  const double left = grip(i, multipliers_), rounding = force_rounding * force_scale();
  if (left > rounding) return false;
  VectorX later;
  if (left >= -rounding && foresee(later)) return grip(i, later) < std::min(left, 0.0);
  return left < 0.0;
}

Vector2 HybridMotion::slip_rate(int i) const {
  return {gaps_[i].first, directions(i) == 2 ? gaps_[i + 1].first : 0.0};
}

// What is to slide and would begin to do so backwards does not: it is left behind by what sticking
// asks for, the rests of an earlier slip with it.
bool HybridMotion::slides_back(int i) {
  if (slip_rate(i).norm() > still_speed(options_.accuracy)) return false;
  double along = 0.0, size = 0.0, mobility = 0.0;
  for (int k = i; k < i + directions(i); ++k) {
    const Stabilisation& stabilisation = system_.constraints()[k].stabilisation;
    const Series<double> slip(state_.slips[k], gaps_[k].first, gaps_[k].second);
    along += stabilisation.error(slip) * state_.mode.directions[k];
    size += std::abs(slip.second) + stabilisation.damping * std::abs(slip.first) +
            stabilisation.pull(std::abs(slip.value));
    mobility = std::max(mobility, equations_.mobility(state_.mode, k));
  }
  // What rounding of forces moves does not count: sticking lets as much pass.
  const double rounding = 4.0 * force_rounding * force_scale() * mobility;
  return along < -1e-9 * size - rounding && size > 1e-12 * accelerations_.norm();
}

bool HybridMotion::settle_friction(int i) {
  const Constraint& constraint = system_.constraints()[i];
  if (constraint.second || constraint.never_slides) return false;
  if (state_.mode.states[i] == ContactState::sliding && directions(i) == 1 && slides_back(i)) {
    stick(i);
    return true;
  }
  if (state_.mode.states[i] != ContactState::sticking) return false;
  if (equations_.is_still(i) && slip_rate(i).norm() > 2.0 * still_speed(options_.accuracy)) {
    slide(i, slip_rate(i).normalized());
    return true;
  }
  if (!is_sticking_too_much(i)) return false;
  const Vector2 force(multipliers_[i], directions(i) == 2 ? multipliers_[i + 1] : 0.0);
  slide(i, -force.normalized());
  return true;
}

bool HybridMotion::is_minded() {
  for (int i = 0; i < static_cast<int>(state_.mode.states.size()); ++i) {
    const Constraint& constraint = system_.constraints()[i];
    const ContactState now = state_.mode.states[i];
    if (constraint.kind == ConstraintKind::contact && now == ContactState::contact &&
        multipliers_[i] < 0.0)
      return true;
    if (constraint.kind == ConstraintKind::friction && now == ContactState::sticking &&
        !constraint.second && !constraint.never_slides && is_sticking_too_much(i))
      return true;
  }
  return false;
}

// Where the equations leave forces open, some that no contact or friction minds may exist though
// those at hand are minded: alternating projections between both sets [Cheney 1959].
bool HybridMotion::choose_forces() {
  std::vector<bool> open;
  for (int i = 0; i < multipliers_.size(); ++i) open.push_back(equations_.is_open(i));
  const auto minds = [&](const VectorX& forces, double share, VectorX& nearest) {
    nearest = forces;
    double sum = 0.0;
    int contacts = 0;
    for (int i = 0; i < forces.size(); ++i)
      if (system_.constraints()[i].kind == ConstraintKind::contact &&
          state_.mode.states[i] == ContactState::contact) {
        sum += std::max(0.0, forces[i]);
        ++contacts;
      }
    // At first well inside of what is allowed, so that they stay there for a while. A force that is
    // determined is what it is: to ask more of it would spoil the choice of the others.
    const double least = contacts > 0 ? 0.2 * (1.0 - share) * sum / contacts : 0.0;
    for (int i = 0; i < forces.size(); ++i) {
      const Constraint& constraint = system_.constraints()[i];
      if (!acts(state_.mode.states[i])) continue;
      if (constraint.kind == ConstraintKind::contact)
        nearest[i] = std::max(open[static_cast<std::size_t>(i)] ? least : 0.0, forces[i]);
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
  for (const double share : shares_of_friction) {
    VectorX forces = multipliers_, nearest;
    for (int round = 0; round < 500; ++round) {
      minds(forces, share, nearest);
      const double off = (nearest - forces).lpNorm<Eigen::Infinity>();
      if (off <= 1e-12 * nearest.lpNorm<Eigen::Infinity>()) {
        state_.mode.preferred = forces;
        try_forces();
        return true;
      }
      forces = nearest;
      equations_.project_forces(forces);
    }
  }
  return false;
}

// Friction whose changes pile up while it is at rest is held sticking: no law says where to what is
// at rest would slide.
bool HybridMotion::rests_in_hold(int i) const {
  return is_held(i) && state_.mode.states[i] == ContactState::sliding &&
         !system_.constraints()[i].second &&
         slip_rate(i).norm() <= 1.01 * still_speed(options_.accuracy);
}

// One change of what does not fit; false where everything does, or nothing can.
bool HybridMotion::settle_once() {
  if (!are_forces_fine()) return false;
  if (follow()) return true;
  if (equations_.is_redundant() && is_minded() && choose_forces()) return false;
  for (int i = 0; i < static_cast<int>(state_.mode.states.size()); ++i) {
    const ConstraintKind kind = system_.constraints()[i].kind;
    if (rests_in_hold(i)) {
      stick(i);
      return true;
    }
    // What is held still does not pull.
    if (is_held(i) && state_.mode.states[i] != ContactState::contact) continue;
    if (kind == ConstraintKind::contact && settle_contact(i)) return true;
    if (kind == ConstraintKind::friction && settle_friction(i)) return true;
  }
  return false;
}

// Whether a contact that acted was let go though the law asks for its force now: no force and a law
// that wants one fit as little as a force that pulls.
bool HybridMotion::lets_go_too_early(const HybridState& before) {
  for (int i = 0; i < static_cast<int>(state_.mode.states.size()); ++i)
    if (system_.constraints()[i].kind == ConstraintKind::contact && is_on(i) && !is_held(i) &&
        before.mode.states[i] == ContactState::contact &&
        state_.mode.states[i] == ContactState::ballistic && gaps_[i].value <= open_gap() &&
        is_wanted(i))
      return true;
  return false;
}

void HybridMotion::settle() {
  for (int jolts = 0; !settle_states(); ++jolts)
    if (jolts == most_jolts) give_up("impulses of friction that jams do not end");
}

// False: an impulse has changed velocities, and all is to be looked at anew.
bool HybridMotion::settle_states() {
  try_forces();
  const HybridState before = state_;
  const std::size_t first_event = events_.size();
  const auto here = [&] {
    return std::tuple(state_.mode.states, state_.mode.directions, state_.sinking, state_.machines);
  };
  std::vector<decltype(here())> visited{here()};
  bool turns = false;
  while (!turns && settle_once()) {
    visited.push_back(here());
    turns = std::find(visited.begin(), visited.end() - 1, visited.back()) != visited.end() - 1;
  }
  const bool fine = !turns && are_forces_fine();
  if (fine && !lets_go_too_early(before)) return true;
  const std::string why = why_nothing_fits(first_event);
  if (!are_determined_) give_up(why);
  // Constraints that agree where they lead, but not how fast, share what they ask for.
  const bool agree = !fine && !turns && equations_.idle_constraint() < 0 &&
                     !equations_.contradicts(state_, 1000.0 * options_.accuracy);
  const HybridState reached = state_;
  const std::vector<HybridEvent> told(events_.begin() + static_cast<std::ptrdiff_t>(first_event),
                                      events_.end());
  if (search(before, first_event)) return true;
  if (!agree && jolt(before, first_event, rounding_of_impulses)) return false;
  state_ = reached;
  events_.resize(first_event);
  events_.insert(events_.end(), told.begin(), told.end());
  try_forces();
  if (!fine && !agree) give_up(why);
  // What is shared does not pull, either.
  if (!fine && equations_.is_redundant() && is_minded()) choose_forces();
  return true;
}

// The states that a constraint may have now, in the order in which they are tried; one: no choice.
// Friction that is to slide begins to do so against the force that holds it, or the other way.
std::vector<ContactState> HybridMotion::choices(int i) const {
  const Constraint& constraint = system_.constraints()[i];
  const ContactState now = state_.mode.states[i];
  if (is_held(i) || constraint.second || !is_on(i)) return {now};
  if (constraint.kind == ConstraintKind::contact &&
      (now == ContactState::contact || (now == ContactState::ballistic && state_.sinking[i])))
    return {ContactState::contact, ContactState::ballistic};
  if (constraint.kind != ConstraintKind::friction) return {now};
  if (constraint.never_slides) return {ContactState::sticking};
  // As what comes to rest is found, with its rounding.
  if (slip_rate(i).norm() > 1.01 * still_speed(options_.accuracy)) return {ContactState::sliding};
  return {ContactState::sticking, ContactState::sliding, ContactState::sliding};
}

// Whether the states at hand fit each other.
bool HybridMotion::fits(const HybridState& before) {
  if (!are_forces_fine() || lets_go_too_early(before)) return false;
  if (equations_.is_redundant() && is_minded()) choose_forces();
  for (int i = 0; i < static_cast<int>(state_.mode.states.size()); ++i) {
    const Constraint& constraint = system_.constraints()[i];
    const ContactState now = state_.mode.states[i];
    if (is_held(i) || constraint.second) continue;
    if (now == ContactState::contact && constraint.kind == ConstraintKind::contact && pulls(i))
      return false;
    if (now == ContactState::ballistic && gaps_[i].value <= 0.0 && gaps_[i].first <= 0.0 &&
        is_wanted(i))
      return false;
    if (constraint.never_slides) continue;
    if (now == ContactState::sticking && is_sticking_too_much(i)) return false;
    if (now == ContactState::sliding && slides_back(i)) return false;
  }
  return true;
}

// One combination of what constraints may do, by its number.
void HybridMotion::take(const HybridState& before, const std::vector<Vector2>& along,
                        const std::vector<std::vector<ContactState>>& open, std::int64_t number) {
  state_ = before;
  const auto become = [&](int i, ContactState to) {
    if (state_.mode.states[i] == to) return;
    set_state(i, to);
    if (directions(i) == 2) set_state(i + 1, to);
  };
  for (int i = 0; i < static_cast<int>(open.size()); ++i) {
    const Constraint& constraint = system_.constraints()[i];
    const auto count = static_cast<int>(open[i].size());
    const auto choice = static_cast<std::size_t>(number % count);
    number /= count;
    if (constraint.second) continue;
    if (constraint.with >= 0 && !acts(state_.mode.states[constraint.with])) {
      become(i, ContactState::free);
      continue;
    }
    const ContactState to = open[i][choice];
    if (to == ContactState::sliding && count > 1)
      direct(i, choice == 1 ? along[i] : Vector2(-along[i]));
    else if (to == ContactState::sliding && before.mode.states[i] != to)
      direct(i, slip_rate(i).normalized());
    const bool is_link = constraint.kind == ConstraintKind::link && is_on(i) && !is_held(i);
    become(i, is_link ? ContactState::contact : to);
  }
}

// Combinations of what contacts and friction may do, in a fixed order, first of those in question;
// what changed since `before` is then told as if it had changed at once.
bool HybridMotion::search(const HybridState& before, std::size_t first_event) {
  const auto m = static_cast<int>(state_.mode.states.size());
  std::vector<bool> in_question(static_cast<std::size_t>(m), false);
  for (std::size_t i = first_event; i < events_.size(); ++i)
    if (events_[i].constraint >= 0) in_question[events_[i].constraint] = true;
  if (!are_forces_fine())
    for (const int i : equations_.entangled()) in_question[i] = true;
  state_ = before;
  try_forces();
  std::vector<Vector2> along(static_cast<std::size_t>(m), Vector2(1.0, 0.0));
  for (int i = 0; i < m; ++i) {
    if (system_.constraints()[i].kind != ConstraintKind::friction) continue;
    const Vector2 force(multipliers_[i], directions(i) == 2 ? multipliers_[i + 1] : 0.0);
    if (force.norm() > 0.0) along[i] = -force.normalized();
  }
  for (const bool all : {false, true}) {
    state_ = before;
    try_forces();
    std::vector<std::vector<ContactState>> open;
    std::int64_t trials = 1;
    for (int i = 0; i < m; ++i) {
      const int with = system_.constraints()[i].with;
      const bool asked = all || in_question[i] || (with >= 0 && in_question[with]);
      open.push_back(asked ? choices(i) : std::vector{before.mode.states[i]});
      trials = std::min<std::int64_t>(most_trials, trials * static_cast<int>(open[i].size()));
    }
    for (std::int64_t number = 0; number < trials; ++number) {
      if (options_.interruption != nullptr) options_.interruption->ask();
      take(before, along, open, number);
      try_forces();
      if (!fits(before)) continue;
      events_.resize(first_event);
      for (int i = 0; i < m; ++i) {
        if (state_.mode.states[i] == before.mode.states[i] || system_.constraints()[i].second)
          continue;
        HybridEvent event = event_now();
        event.constraint = i;
        event.from = before.mode.states[i];
        event.to = state_.mode.states[i];
        event.gap = gaps_[i].value;
        event.gap_rate = gaps_[i].first;
        tell(std::move(event), i);
      }
      return true;
    }
  }
  return false;
}

}  // namespace vinci
