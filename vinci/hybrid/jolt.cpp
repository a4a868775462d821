// SPDX-License-Identifier: Apache-2.0
// Impulses of contacts whose friction keeps them from pushing. With A = S_nn − μ S_nt d <= 0 along
// the slip d the force of a contact draws it in, and nothing finite fits (Painlevé). Force grows
// without bound then, until what slides is at rest: an impulse in no time [Keller 1986; Génot
// 1999]. Of all such the one is taken that leaves h' of contacts that push as it is, which is the
// limit of short steps of Stewart and Trinkle [Stewart 1998] (jam_impulse.h).
// What has a bound of its own, as the friction of joints, gives no impulse.
#include "vinci/hybrid/jam_impulse.h"
#include "vinci/hybrid/mode_integrator.h"

namespace vinci {

// Whether a contact acts, or would if it could.
bool HybridMotion::closed_contact(int i) const {
  if (system_.constraints()[i].kind != ConstraintKind::contact || !is_on(i)) return false;
  const ContactState now = state_.mode.states[i];
  return now == ContactState::contact ||
         (now == ContactState::ballistic && gaps_[i].value <= open_gap() && gaps_[i].first < 0.0);
}

// Impulses of all that is closed; links, and what never slides on its own, bear what they must.
bool HybridMotion::jam(double negligible, VectorX& changes, VectorX& given) {
  const auto& all = system_.constraints();
  const auto m = static_cast<int>(state_.mode.states.size());
  JamProblem problem;
  problem.negligible = negligible;
  problem.rates = VectorX::Zero(m);
  std::vector<int> place(static_cast<std::size_t>(m), -1);
  HybridMode links = state_.mode;
  for (int i = 0; i < m; ++i) {
    if (all[i].kind == ConstraintKind::contact) {
      links.states[i] = ContactState::free;
      if (!closed_contact(i)) continue;
      place[i] = static_cast<int>(problem.normals.size());
      problem.normals.push_back(i);
    } else if (all[i].kind == ConstraintKind::friction && all[i].with < 0 && !all[i].never_slides &&
               !all[i].second) {
      for (int k = i; k < i + directions(i); ++k) links.states[k] = ContactState::free;
    }
  }
  for (int i = 0; i < m; ++i) {
    const bool on = all[i].with >= 0 && !all[i].second && acts(state_.mode.states[i]);
    if (!on || place[all[i].with] < 0) continue;
    const bool never = all[i].never_slides || all[i].kind == ConstraintKind::link;
    problem.slips.push_back({place[all[i].with], i, directions(i), all[i].coefficient, never});
    const bool visible = slip_rate(i).norm() > 1.01 * still_speed(options_.accuracy);
    for (int k = i; k < i + directions(i); ++k) {
      links.states[k] = ContactState::free;
      if (visible && !never) problem.rates[k] = gaps_[k].first;
    }
  }
  if (problem.rates.isZero(0.0) || !equations_.solve(links)) return false;
  const int n = equations_.coordinates();
  MatrixX pushes = MatrixX::Zero(n, m), moves = MatrixX::Zero(n, m);
  const auto take_up = [&](int i) {
    pushes.col(i) = equations_.push(links, i);
    VectorX rows = VectorX::Zero(equations_.rows());
    rows.head(n) = -pushes.col(i);
    moves.col(i) = equations_.respond(rows).head(n);
  };
  for (const int i : problem.normals) take_up(i);
  for (const JamProblem::Slip& slip : problem.slips)
    for (int k = slip.first; k < slip.first + slip.count; ++k) take_up(k);
  problem.mobility = pushes.transpose() * moves;
  const std::optional<VectorX> impulses = jam_impulse(problem);
  if (!impulses) return false;
  VectorX rows = VectorX::Zero(equations_.rows());
  rows.head(n) = -pushes * *impulses;
  const VectorX answer = equations_.respond(rows);
  changes = answer.head(n);
  given = answer.tail(m) + *impulses;
  return true;
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

// True where velocities changed.
bool HybridMotion::jolt(const HybridState& before, std::size_t first_event, double negligible) {
  state_ = before;
  events_.resize(first_event);
  try_forces();
  while (follow()) continue;
  for (int i = 0; i < static_cast<int>(state_.mode.states.size()); ++i)
    if (!system_.constraints()[i].second && state_.mode.states[i] == ContactState::sliding &&
        slip_rate(i).norm() > 1.01 * still_speed(options_.accuracy))
      direct(i, slip_rate(i).normalized());
  VectorX changes, given;
  const bool found = jam(negligible, changes, given);
  try_forces();
  if (!found) return false;
  for (int i = 0; i < given.size(); ++i)
    if (system_.constraints()[i].kind == ConstraintKind::contact)
      state_.works[i] += given[i] * gaps_[i].first;
  impulses_ += given;
  state_.velocities += changes;
  take_slips();
  return true;
}

}  // namespace vinci
