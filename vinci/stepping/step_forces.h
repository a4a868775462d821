// SPDX-License-Identifier: Apache-2.0
// The forces that act in a step apart from contact.
#pragma once

#include "vinci/stepping/stepper.h"

namespace vinci {

// Applied forces (actuation.h) and those of the controllers for the step of h seconds that begins
// at the state, packed; context.out.controls becomes the memory that the controllers have after the
// step, for the stepper to put into the next state. Every stepper calls it, once per step; one
// whose step has several parts holds what came from the controllers through them, by hold_forces().
// Throws what a controller throws, and Error where one gave a number that is not finite.
void step_forces(StepContext& context, const State& state, double h, VectorX& forces);

// The same, and what of it came from the controllers: the forces to hold.
void hold_forces(StepContext& context, const State& state, double h, LinearForces& held);

}  // namespace vinci
