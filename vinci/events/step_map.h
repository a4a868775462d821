// SPDX-License-Identifier: Apache-2.0
// One Stewart–Trinkle step as a map of states, x(k+1) = A x(k) + B u(k), by exact differentiation
// of its complementarity problem at the active set: with v⁺ the velocities at the end and q' = v,
//
//   M(q) (v⁺ − v) = h (f(q, v⁺) + u) + Hᵀ(q) Λ,      q⁺ = q + h v⁺
//   ψ(q)/h + H(q) v⁺ = 0      where a contact bears load
//
// and sticking or sliding of those. Elements are implicit: their damping is c + h k.
//
// Where the active set is at a limit the map has two sides. Overlaps that leave positions, not
// velocities, are such a limit: a body that rests has gap 0, and only ψ > 0 stands in the row.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vinci/events/linear_scene.h"
#include "vinci/stepping/stepper.h"

namespace vinci {

struct MadeStep {
  const Model* model = nullptr;
  State before, after;
  std::span<const SolvedContact> contacts;
  double h = 0.0;                     // s
  bool overlaps_in_velocity = false;  // `overlap: velocities`
  VectorX held_forces = {};           // packed, of controllers
};

struct StepMap {
  LinearSystem system;  // x = (q, v), names with units
  std::vector<NamedNumber> coordinates, rates, inputs, outputs;
  std::vector<LinearConstraint> constraints;  // that took part; forces are means over the step
  // What is at its limit, in words. None: the map is smooth there. Otherwise `system` holds where
  // gaps open, contacts bear load and friction sticks, `other` where not.
  std::vector<std::string> limits;
  // Laws that turn or jump at the state: derivatives are of one side, and not given for the other.
  std::vector<std::string> kinks;
  std::optional<LinearSystem> other;
};

// States in the coordinates of the map: one that deviates from that before the step, and the rates
// of one.
State deviating(const MadeStep& step, const VectorX& deviation);
VectorX rates_of(const MadeStep& step, const State& state);

// Throws Error where the step has what this map does not know, named, and for unknown names.
StepMap step_map(const MadeStep& step, const LinearWishes& wishes);

}  // namespace vinci
