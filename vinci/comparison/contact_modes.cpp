// SPDX-License-Identifier: Apache-2.0
#include "vinci/comparison/contact_modes.h"

#include <algorithm>
#include <cmath>

namespace vinci {
namespace {

constexpr double cone_margin = 1e-6;  // relative: a force that close to the cone is on it

}  // namespace

const char* to_string(ContactMode mode) {
  switch (mode) {
    case ContactMode::open:
      return "open";
    case ContactMode::stick:
      return "stick";
    case ContactMode::slide:
      return "slide";
    case ContactMode::slide_left:
      return "slide left";
    case ContactMode::slide_right:
      return "slide right";
    case ContactMode::mixed:
      break;
  }
  return "mixed";
}

void PairModes::add(const SolvedContact& contact, bool planar, double least, const ModeRule& rule) {
  const double normal = contact.impulse[0];
  if (!(normal > least)) return;
  // In an ellipse of friction, as a force of the circle of `friction`.
  Vector2 force = contact.impulse.tail<2>();
  if (contact.friction_2 > 0.0) force[1] *= contact.friction / contact.friction_2;
  const double friction = force.norm();
  const double speed = contact.velocity.tail<2>().norm();
  const bool inside = rule.exact_cone && friction < contact.friction * normal * (1.0 - cone_margin);
  if (inside || !(speed > rule.slowest)) {
    sticks_ = true;
    return;
  }
  slides_[!planar ? 0 : contact.velocity[1] > 0.0 ? 1 : 2] = true;
  if (speed > fastest_) {
    fastest_ = speed;
    direction_ =
        (contact.velocity[1] * contact.tangent_1 + contact.velocity[2] * contact.tangent_2) / speed;
  }
}

PairMode PairModes::result() const {
  const int kinds = slides_[0] + slides_[1] + slides_[2];
  if (kinds == 0) return {sticks_ ? ContactMode::stick : ContactMode::open, Vector3::Zero()};
  if (sticks_ || kinds > 1) return {ContactMode::mixed, direction_};
  return {slides_[0]   ? ContactMode::slide
          : slides_[1] ? ContactMode::slide_left
                       : ContactMode::slide_right,
          direction_};
}

ModeSequence settled(const ModeSequence& sequence, double brief, double end) {
  ModeSequence result;
  for (std::size_t i = 0; i < sequence.size(); ++i) {
    const double until = i + 1 < sequence.size() ? sequence[i + 1].begin : end;
    const bool between =
        !result.empty() && i + 1 < sequence.size() && result.back().mode == sequence[i + 1].mode;
    if (sequence[i].mode == ContactMode::open && between && until - sequence[i].begin < brief)
      continue;
    if (result.empty() || result.back().mode != sequence[i].mode) result.push_back(sequence[i]);
  }
  return result;
}

ModeDifference compare_modes(const ModeSequence& sequence, const ModeSequence& reference,
                             double end) {
  const auto until = [&](const ModeSequence& s, std::size_t i) {
    return std::min(end, i + 1 < s.size() ? s[i + 1].begin : end);
  };
  const auto count = [&](const ModeSequence& s) {
    return static_cast<std::size_t>(
        std::count_if(s.begin(), s.end(), [&](const ModeInterval& m) { return m.begin < end; }));
  };
  const std::size_t n = count(sequence), m = count(reference);
  ModeDifference found;
  for (std::size_t i = 0, j = 0; i < n && j < m;) {
    const double from = std::max(sequence[i].begin, reference[j].begin);
    const double to = std::min(until(sequence, i), until(reference, j));
    if (sequence[i].mode != reference[j].mode) found.seconds += std::max(0.0, to - from);
    const bool next = until(sequence, i) <= to;
    if (until(reference, j) <= to) ++j;
    if (next) ++i;
  }
  std::size_t k = 0;
  for (; k < std::min(n, m) && sequence[k].mode == reference[k].mode; ++k)
    found.shift = std::max(found.shift, std::abs(sequence[k].begin - reference[k].begin));
  found.same = k == n && k == m;
  if (found.same) return found;
  found.index = k;
  found.shift = 0.0;
  found.ended = k >= n;
  found.reference_ended = k >= m;
  if (!found.ended) found.mode = sequence[k].mode, found.begin = sequence[k].begin;
  if (!found.reference_ended)
    found.reference = reference[k].mode, found.reference_begin = reference[k].begin;
  return found;
}

}  // namespace vinci
