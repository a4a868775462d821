// SPDX-License-Identifier: Apache-2.0
// Newton restitution v⁺ = −e v⁻ in two steps, so that time stepping neither gains nor loses energy
// by where in the step the impact falls:
//   landing   the step that would pass the surface closes the gap, v_n >= −ψ/h, and remembers the
//             speed v at which the free parabola meets the surface;
//   rebound   the next step asks v_n >= e v + a h/2.
// With positions moved by h vˡ⁺¹ and a free acceleration a, flights keep ½(v + a h/2)² − a ψ
// exactly: v + a h/2 is the velocity of the parabola at ψ. Both formulas follow from this
// invariant. A rebound that would not outlast a step (e v <= −a h) is left out: bounces come to
// rest.
#pragma once

#include <algorithm>
#include <cmath>

namespace vinci {

struct ImpactState {
  double gap = 0.0;          // ψ, m
  double velocity = 0.0;     // normal, at the start of the step, m/s; < 0 closing
  double change = 0.0;       // by the free forces in the step, m/s
  double restitution = 0.0;  // e
  double rebound_due = 0.0;  // closing speed of a landing in the last step, m/s; 0 if none
};

struct ImpactTerms {
  double closing = 0.0;  // the normal row asks v_n >= −closing
  double rebound = 0.0;  // closing speed to remember if the contact is hit in this step, m/s
};

inline ImpactTerms newton_impact(const ImpactState& s, double h) {
  const double closing = s.gap / h;
  if (s.restitution <= 0.0) return {closing, 0.0};
  if (s.rebound_due > 0.0)
    return {std::min(closing, -s.restitution * s.rebound_due - 0.5 * s.change), 0.0};
  const double speed = -(s.velocity + 0.5 * s.change);
  if (speed <= 0.0 || s.gap + h * (s.velocity + s.change) > 0.0) return {closing, 0.0};
  const double fall = std::max(0.0, -2.0 * s.change / h * std::max(0.0, s.gap));
  const double touching = std::sqrt(speed * speed + fall);
  return {closing, s.restitution * touching > -s.change ? touching : 0.0};
}

}  // namespace vinci
