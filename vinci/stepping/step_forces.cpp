// SPDX-License-Identifier: Apache-2.0
// Applied forces, then the controllers in order.
#include "vinci/stepping/step_forces.h"

#include <fmt/format.h>

#include "vinci/model/actuation.h"

namespace vinci {
namespace {

// The coordinate of a packed entry, as in "block.x".
std::string entry_name(const Model& model, int entry) {
  for (const Body& body : model.bodies)
    if (entry >= body.velocity_offset && entry < body.velocity_offset + body.velocity_size)
      return body.name + "." + coordinate_name(body.freedom, model.coordinate[entry]);
  return fmt::format("entry {}", entry);
}

// Asks how the forces of a controller fall with the velocities.
void add_damping(const NamedController& item, const Model& model, const State& state, double h,
                 VectorX& damping) {
  item.controller->damp(model, state, h, damping);
  for (int i = 0; i < damping.size(); ++i)
    if (!(damping[i] >= 0.0) || !std::isfinite(damping[i]))
      throw Error(fmt::format("the controller gave the damping {} for {} at {:.9g} s; accepted: "
                              "finite numbers, not negative",
                              damping[i], entry_name(model, i), state.time),
                  item.name);
}

// Who spoils the numbers is told apart from what the scene's own forces did.
int first_spoilt(const VectorX& numbers, const VectorX& before) {
  for (int i = 0; i < numbers.size(); ++i)
    if (!std::isfinite(numbers[i]) && std::isfinite(before[i])) return i;
  return -1;
}

}  // namespace

void step_forces(StepContext& context, const State& state, double h, VectorX& forces) {
  applied_forces(*context.in.model, state, forces);
  if (context.in.held_forces) {
    context.in.held_forces->add_to(forces, state.velocities);
    return;
  }
  context.out.controls = state.controls;
  LinearForces& controlled = context.work.controlled;
  controlled.drag.resize(0);
  if (context.in.controllers.empty()) {
    controlled.at_rest.setZero(forces.size());
    context.out.controllers_acted = true;
    return;
  }
  controlled.at_rest = -forces;
  controlled.drag.setZero(forces.size());
  Eigen::Index first = 0;
  for (const NamedController& item : context.in.controllers) {
    const Eigen::Index size = item.controller->memory_size();
    if (first + size > context.out.controls.size())
      throw Error("its memory has another size than when the simulation was made", item.name);
    context.work.forces_before = forces;
    auto memory = context.out.controls.segment(first, size);
    item.controller->act(*context.in.model, state, h, forces, memory);
    if (const int i = first_spoilt(forces, context.work.forces_before); i >= 0)
      throw Error(
          fmt::format("the controller gave the force {} on {} at {:.9g} s; accepted: finite "
                      "numbers",
                      forces[i], entry_name(*context.in.model, i), state.time),
          item.name);
    if (!memory.allFinite())
      throw Error(fmt::format("the controller's memory is not finite at {:.9g} s", state.time),
                  item.name);
    add_damping(item, *context.in.model, state, h, controlled.drag);
    first += size;
  }
  controlled.at_rest += forces;
  if (controlled.drag.isZero(0.0))
    controlled.drag.resize(0);
  else
    controlled.at_rest += controlled.drag.cwiseProduct(state.velocities);
  context.out.controllers_acted = true;
}

void hold_forces(StepContext& context, const State& state, double h, LinearForces& held) {
  step_forces(context, state, h, held.at_rest);
  held = context.in.held_forces ? *context.in.held_forces : context.work.controlled;
}

}  // namespace vinci
