// SPDX-License-Identifier: Apache-2.0
// Rebounds of a step: what landings before them took, and how much of it they may give back.
#include <algorithm>
#include <cmath>

#include "vinci/formulation/contact_motion.h"
#include "vinci/stepping/contact_stepper.h"

namespace vinci {

// An impulse takes its mean velocity times itself: from the speed at touching to that which the
// landing left.
void ContactStepper::note_rebound(const StepPart& part, const Contact& contact,
                                  const ImpulseMemory* landing, double speed) {
  if (!rebounds_.first) rebounds_.first = &contact;
  const auto normal_speed = [&](const VectorX& velocities) {
    return contact.normal.dot(relative_velocity(part.model, part.state.poses, velocities, contact));
  };
  const double now = normal_speed(part.state.velocities);
  const double change = std::abs(normal_speed(foreseen_) - now);  // as fine as steps resolve it
  if (landing)
    rebounds_.energy += landing->impulse[0] * (0.5 * (speed + std::max(0.0, -now)) + change);
}

// Kinetic energy that the answer has beyond that without contact, and of all that moves, J. The
// work of surfaces that run is none of it: on them it is that of a body that slides on one at rest.
ContactStepper::Gain ContactStepper::energy_gained(const Model& model, const StepWorkspace& work) {
  change_.resize(model.free_count);
  sum_.resize(model.free_count);
  for (int i = 0; i < model.velocity_count; ++i)
    if (const int unknown = model.free_index[i]; unknown >= 0) {
      sum_[unknown] = next_[i] + foreseen_[i];
      change_[unknown] = next_[i] - foreseen_[i];
    }
  momentum_.setZero(model.free_count);
  work.problem.M.multiply_add(change_.data(), momentum_.data());
  double gained = 0.5 * sum_.dot(momentum_);
  const double lost = 0.25 * change_.dot(momentum_);
  for (std::size_t i = 0; model.conveys && i < terms_.size(); ++i)
    gained += builder_.impulse(builder_.contacts()[i], work.solution.lambda)
                  .tail<2>()
                  .dot(terms_[i].prescribed);
  momentum_.setZero(model.free_count);
  work.problem.M.multiply_add(sum_.data(), momentum_.data());
  return {gained, 0.25 * sum_.dot(momentum_) + lost};
}

// Newton's law can ask for more energy than there was before the impact: at several contacts at
// once, beside others that are pressed, or with friction. Then less restitution is asked for, the
// same share at all of them. Where bodies that are prescribed move, they may do work.
void ContactStepper::limit_rebounds(StepContext& context, StepPart part, StepReport& report) {
  constexpr int most_rounds = 30;
  constexpr double rounding = 1e-9, accuracy = 1e-10;
  for (int i = 0; i < part.model.velocity_count; ++i)
    if (part.model.free_index[i] < 0 && next_[i] != 0.0) return;
  const double due =
      rebounds_.taken > 0.0 ? std::min(rebounds_.energy, rebounds_.taken) : rebounds_.energy;
  const auto excess = [&] { return energy_gained(part.model, context.work).gained - due; };
  const Gain asked = energy_gained(part.model, context.work);
  if (asked.gained <= (1.0 + rounding) * due + accuracy * asked.moving) return;
  part.rules.stabilised = part.rules.stabilised && !report.fell_back;
  int iterations = report.solve.iterations;
  double low = 0.0, high = 1.0;  // of the share: bounds
  for (int round = 0; round < most_rounds && high - low > rounding; ++round) {
    part.rules.rebound = 0.5 * (low + high);
    formulate(context.work, part);
    solve(context, report);  // from the last answer
    iterations += report.solve.iterations;
    (excess() > 0.0 ? high : low) = part.rules.rebound;
  }
  part.rules.rebound = low;
  formulate(context.work, part);
  solve(context, report);
  report.solve.iterations += iterations;
}

}  // namespace vinci
