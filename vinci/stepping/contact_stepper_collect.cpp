// SPDX-License-Identifier: Apache-2.0
// What a solved step reports and hands to the next one.
#include <algorithm>
#include <limits>

#include "vinci/formulation/contact_motion.h"
#include "vinci/stepping/contact_stepper.h"

namespace vinci {

void ContactStepper::remember(const StepContext&, State&, double) {}

void ContactStepper::collect(StepContext& context, State& state, double h, StepReport& report) {
  const Model& model = *context.in.model;
  const ContactSet& contacts = context.work.contacts;
  report.contact_count = static_cast<int>(contacts.size());
  context.out.contacts.clear();
  state.memory.clear();
  struck_.clear();
  const double per_load = h / impulse_time(h);
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const Contact& contact = contacts[i];
    const ContactTerms& terms = terms_[i];
    SolvedContact& solved = context.out.contacts.emplace_back(
        SolvedContact{contact, terms.frame.tangent_1, terms.frame.tangent_2});
    solved.friction = terms.friction * terms.scale[0];
    solved.friction_2 = terms.friction * terms.scale[1];
    const ContactWrench wrench =
        builder_.wrench(builder_.contacts()[i], context.work.solution.lambda);
    solved.impulse = per_load * wrench.impulse;
    const FramedContact* const framed = frames_.find(i);
    const Vector3 velocity =
        velocity_at({model, state, h}, i, contact, next_) +
        surface_velocity(model, running_poses(framed, state), contact, state.time, h);
    solved.velocity = {contact.normal.dot(velocity), terms.frame.tangent_1.dot(velocity),
                       terms.frame.tangent_2.dot(velocity)};
    if (terms.moments.any()) {
      solved.moment = per_load * wrench.moment;
      const Vector3 turning = relative_turning(model, next_, contact);
      solved.turning = {contact.normal.dot(turning), terms.frame.tangent_1.dot(turning),
                        terms.frame.tangent_2.dot(turning)};
    }
    if (!solved.impulse.isZero(0.0)) {
      ++report.active_count;
      state.memory.impulses.push_back({.key = contact.key,
                                       .point = contact.patch_point,
                                       .impulse = solved.impulse,
                                       .moment = solved.moment});
      if (model.friction_laws) state.memory.impulses.back().sliding = friction_.remembered(i);
      // A rebound is due only where the gap was closed; impulses of rounding do not count.
      const double gap = framed ? framed->row_gap : contact.gap;
      const bool hit = solved.velocity[0] + gap / h < 1e-3 * terms.rebound;
      if (hit && terms.rebound > 0.0) state.memory.rebounds.push_back({contact.key, terms.rebound});
      if ((hit && terms.rebound > 0.0) || terms.rebounds) struck_.push_back(contact.key);
    }
    // E⁺ − E = λᵀ J v⁺ − ½ ΔvᵀM Δv: only the rows of rebounds have λ_n J_n v⁺ > 0.
    if (terms.rebounds) report.rebound_energy += solved.impulse[0] * solved.velocity[0];
    // Bodies that stay in touch do no work on each other, but along a normal of the end they part.
    if (framed && foresees() && !terms.rebounds && !report.fell_back)
      report.frame_energy -= solved.impulse[0] * framed->row_gap / h;
  }
  // Without an answer, impulses mean nothing.
  constexpr double usable = 1e-6;
  report.frame_energy = motion_ == MotionModel::dynamic && report.solve.residual.relative <= usable
                            ? std::max(0.0, report.frame_energy)
                            : 0.0;
  if (report.rebound_energy > 0.0) {
    const double lost = energy_of_change(model, state.poses, {state.velocities, foreseen_, next_});
    report.rebound_energy = std::max(0.0, report.rebound_energy - lost);
  }
  if (!state.memory.rebounds.empty()) {
    // What bodies have lost since they were last without a rebound to come.
    const double taken = rebounds_.taken - energy_gained(model, context.work).gained;
    for (ReboundMemory& record : state.memory.rebounds)
      record.energy = std::max(taken, std::numeric_limits<double>::min());
  }
  report.joint_impacts = has_joint_impacts(model, struck_, context.out.contacts);
  collect_supports(context, state, h, report);
  remember(context, state, h);
  collect_elements(context, state, h, report);
  collect_joints(context, state, h);
}

// Supports as contacts of a body with itself: normal up, tangents along x and y.
void ContactStepper::collect_supports(StepContext& context, State& state, double h,
                                      StepReport& report) const {
  const Model& model = *context.in.model;
  auto acting = builder_.supports().begin();
  for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b)
    for (int k = 0; k < static_cast<int>(model.bodies[b].supports.size()); ++k) {
      const Support& support = model.bodies[b].supports[k];
      SolvedContact solved;
      Contact& contact = solved.contact;
      contact.body_a = contact.body_b = b;
      contact.key = support_key(b, k);
      contact.point_a = contact.point_b = state.poses[b] * support.point;
      contact.normal = Vector3::UnitZ();
      solved.tangent_1 = Vector3::UnitX();
      solved.tangent_2 = Vector3::UnitY();
      solved.friction = solved.friction_2 = support.friction;
      const Vector3 arm = contact.point_a - center_of_mass(model, state.poses, b);
      solved.velocity.tail<2>() = body_twist(model, next_, b).at(arm).head<2>();
      solved.impulse[0] = h * support.load;
      if (acting != builder_.supports().end() && acting->key == contact.key) {
        const Vector3 friction = builder_.impulse(*acting++, context.work.solution.lambda);
        solved.impulse.tail<2>() = h / impulse_time(h) * friction.tail<2>();
        if (!solved.impulse.tail<2>().isZero(0.0)) {
          ++report.active_count;
          state.memory.impulses.push_back({contact.key, 0, solved.impulse});
        }
      }
      solved.impulse.tail<2>() -= h * support.viscosity * solved.velocity.tail<2>();
      context.out.contacts.push_back(solved);
      ++report.contact_count;
    }
}

// Behind all others by their keys.
void ContactStepper::collect_elements(const StepContext& context, State& state, double h,
                                      StepReport& report) {
  element_impulses_.clear();
  for (const EntityRows& rows : builder_.elements()) {
    const Vector3 impulse =
        h / impulse_time(h) * builder_.impulse(rows, context.work.solution.lambda);
    state.memory.impulses.push_back({rows.key, rows.point, impulse});
    element_impulses_.push_back(impulse[0]);
  }
  if (motion_ != MotionModel::dynamic || elements_.empty()) return;
  const Model& model = *context.in.model;
  const ElementGain gain = element_gain(model, {elements_, element_impulses_, state.poses, moved_});
  report.element_energy = gain.energy;
  // Beyond a hundredth of what moves and is stored, the step is too long for the springs.
  if (gain.energy > 0.01 * (energy(model, state).kinetic + gain.stored)) report.coarse = true;
}

}  // namespace vinci
