// SPDX-License-Identifier: Apache-2.0
// Impulses of contacts whose friction keeps them from pushing. With A = S_nn − μ S_nt d <= 0 along
// the slip d the force of a contact draws it in, and nothing finite fits (Painlevé). Force grows
// without bound then, until what slides is at rest: an impulse in no time [Keller 1986; Génot
// 1999]. Of all such the one is taken that leaves h' of contacts as it is, which is the limit of
// short steps of Stewart and Trinkle [Stewart 1998]:
//
//   M Δv = Gᵀ P,   Δh' = 0 of what acts, s' + Δs' = 0 of what is stopped,   P within the cones
//
// What has a bound of its own, as the friction of joints, gives no impulse.
#include <algorithm>

#include "vinci/hybrid/mode_integrator.h"

namespace vinci {

// Whether a contact acts, or would if it could.
bool HybridMotion::closed_contact(int i) const {
  if (system_.constraints()[i].kind != ConstraintKind::contact || !is_on(i)) return false;
  const ContactState now = state_.mode.states[i];
  return now == ContactState::contact ||
         (now == ContactState::ballistic && gaps_[i].value <= open_gap() && gaps_[i].first < 0.0);
}

// Friction that slides visibly and whose contact draws itself in, with links alone.
std::vector<int> HybridMotion::jamming(const HybridMode& mode) {
  HybridMode links = mode;
  for (std::size_t i = 0; i < links.states.size(); ++i)
    if (system_.constraints()[i].kind != ConstraintKind::link) links.states[i] = ContactState::free;
  std::vector<int> list;
  if (!equations_.solve(links)) return list;
  for (int i = 0; i < static_cast<int>(mode.states.size()); ++i) {
    const Constraint& constraint = system_.constraints()[i];
    if (mode.states[i] != ContactState::sliding || constraint.second || constraint.with < 0)
      continue;
    const VectorX push = equations_.push(links, constraint.with);
    VectorX total = push;
    for (int k = i; k < i + directions(i); ++k)
      total -= constraint.coefficient * mode.directions[k] * equations_.push(links, k);
    VectorX rows = VectorX::Zero(equations_.rows());
    rows.head(push.size()) = -total;
    if (push.dot(equations_.respond(rows).head(push.size())) <= 0.0) list.push_back(i);
  }
  return list;
}

// The impulses that bring these slips to rest; false where none within the cones do.
bool HybridMotion::stop(const std::vector<int>& stopped, VectorX& changes, VectorX& given) {
  const auto m = static_cast<int>(state_.mode.states.size());
  const auto is_stopped = [&](int i) {
    return std::find(stopped.begin(), stopped.end(), i) != stopped.end();
  };
  HybridMode mode = state_.mode;
  const auto put = [&](int i, ContactState to) {
    for (int k = i; k < i + directions(i); ++k) mode.states[k] = to;
  };
  for (int i = 0; i < m; ++i) {
    const Constraint& constraint = system_.constraints()[i];
    if (constraint.kind == ConstraintKind::contact)
      mode.states[i] = closed_contact(i) ? ContactState::contact : ContactState::free;
    if (constraint.kind != ConstraintKind::friction || constraint.second) continue;
    const bool bounded = constraint.with < 0 && !constraint.never_slides;
    if (bounded || !acts(mode.states[i]))
      put(i, ContactState::free);
    else if (is_stopped(i))
      put(i, ContactState::sticking);
  }
  // What would pull gives nothing, and what would hold more than it can slides.
  for (int round = 0; round <= 2 * m; ++round) {
    if (!equations_.solve(mode)) return false;
    VectorX rows = VectorX::Zero(equations_.rows());
    for (const int i : stopped)
      for (int k = i; k < i + directions(i); ++k)
        rows[equations_.coordinates() + k] = gaps_[k].first;
    const VectorX answer = equations_.respond(rows);
    changes = answer.head(equations_.coordinates());
    given = answer.tail(m);
    const double rounding = 1e-9 * given.lpNorm<Eigen::Infinity>();
    int odd = -1;
    for (int i = 0; i < m && odd < 0; ++i) {
      const Constraint& constraint = system_.constraints()[i];
      if (constraint.second || constraint.never_slides || !acts(mode.states[i])) continue;
      if (constraint.kind == ConstraintKind::contact && given[i] < -rounding) odd = i;
      if (mode.states[i] == ContactState::sticking && grip(i, given) - constraint.bound < -rounding)
        odd = i;
    }
    if (odd < 0) return rounding > 0.0;
    if (is_stopped(odd)) return false;
    if (system_.constraints()[odd].kind == ConstraintKind::contact) {
      mode.states[odd] = ContactState::free;
      for (int i = 0; i < m; ++i) {
        if (system_.constraints()[i].with != odd) continue;
        if (is_stopped(i)) return false;
        mode.states[i] = ContactState::free;
      }
      continue;
    }
    const Vector2 held(given[odd], directions(odd) == 2 ? given[odd + 1] : 0.0);
    const Vector2 along = -held.normalized();
    put(odd, ContactState::sliding);
    for (int k = 0; k < directions(odd); ++k) mode.directions[odd + k] = along[k];
  }
  return false;
}

// After an impulse friction slides where its slip now leads, or sticks.
void HybridMotion::take_slips() {
  try_forces();
  for (int i = 0; i < static_cast<int>(state_.mode.states.size()); ++i) {
    const Constraint& constraint = system_.constraints()[i];
    if (constraint.kind != ConstraintKind::friction || constraint.second ||
        constraint.never_slides || !acts(state_.mode.states[i]))
      continue;
    const Vector2 slip = slip_rate(i);
    const bool slides = slip.norm() > 1.01 * still_speed(options_.accuracy);
    if (slides && state_.mode.states[i] == ContactState::sticking)
      slide(i, slip.normalized());
    else if (slides)
      direct(i, slip.normalized());
    else if (state_.mode.states[i] == ContactState::sliding)
      stick(i);
  }
}

// First of those that draw themselves in, then of all that slide; true where velocities changed.
bool HybridMotion::jolt(const HybridState& before, std::size_t first_event) {
  state_ = before;
  events_.resize(first_event);
  try_forces();
  while (follow()) continue;
  std::vector<int> sliding;
  for (int i = 0; i < static_cast<int>(state_.mode.states.size()); ++i) {
    const Constraint& constraint = system_.constraints()[i];
    if (constraint.second || constraint.with < 0 ||
        state_.mode.states[i] != ContactState::sliding || !closed_contact(constraint.with) ||
        slip_rate(i).norm() <= 1.01 * still_speed(options_.accuracy))
      continue;
    direct(i, slip_rate(i).normalized());
    sliding.push_back(i);
  }
  std::vector<int> drawn = jamming(state_.mode);
  std::erase_if(
      drawn, [&](int i) { return std::find(sliding.begin(), sliding.end(), i) == sliding.end(); });
  for (const std::vector<int>& stopped : {drawn, sliding}) {
    try_forces();
    VectorX changes, given;
    if (stopped.empty() || !stop(stopped, changes, given)) continue;
    for (int i = 0; i < given.size(); ++i)
      if (system_.constraints()[i].kind == ConstraintKind::contact)
        state_.works[i] += given[i] * gaps_[i].first;
    impulses_ += given;
    state_.velocities += changes;
    take_slips();
    return true;
  }
  return false;
}

}  // namespace vinci
