// SPDX-License-Identifier: Apache-2.0
// How a step becomes one problem: the terms of its contacts, its rows, and a first guess.
#include <algorithm>
#include <cmath>
#include <limits>

#include "vinci/formulation/contact_motion.h"
#include "vinci/stepping/contact_stepper.h"

namespace vinci {
namespace {

// Gaps below it are rounding of coordinates, or what a residual leaves in a step; m.
constexpr double smallest_gap = 1e-12;

}  // namespace

void ContactStepper::soften(const StepPart&, const ContactSet&, std::span<ContactTerms>) {}

ContactTerms ContactStepper::terms_of(const StepPart& part, const Contact& contact,
                                      double rebound_due) const {
  const auto& [model, state, h, rules] = part;
  ContactTerms terms;
  terms.frame = contact_frame(model.world, contact.normal);
  const Surface& surface = model.surface_between(contact.key.shape_a(), contact.key.shape_b());
  terms.friction = surface.friction;
  const Vector3 point = 0.5 * (contact.point_a + contact.point_b);
  const Vector3 prescribed = predicts_drivers(discrete_)
                                 ? relative_velocity(model, state.poses, driven_, contact)
                                 : prescribed_velocity(model, state.poses, placed_, contact, h);
  const Vector3 carried = prescribed + surface_velocity(model, state.poses, contact, state.time, h);
  terms.prescribed = {terms.frame.tangent_1.dot(carried), terms.frame.tangent_2.dot(carried)};

  // A gap below the resolution of the coordinates, or a hundredth of an atom, is closed: divided by
  // h its noise would keep bodies at rest from resting, and a part that is wedged between others
  // without a solution. Layers rest at gaps that small.
  const bool rigid = !yields(model, contact);
  double resolution =
      std::max(smallest_gap, 16.0 * std::numeric_limits<double>::epsilon() * point.norm());
  if (part.flies()) resolution = std::max(resolution, rules.flight->touch);
  const bool rebounds = rigid && motion_ == MotionModel::dynamic && !part.flies();
  const bool closed = rigid && std::abs(contact.gap) <= resolution;
  ImpactState impact{.gap = closed ? 0.0 : contact.gap,
                     .restitution = rebounds ? surface.restitution : 0.0,
                     .rebound_due = rebounds ? rebound_due : 0.0};
  // However short the part of a step is, an overlap is closed at the pace of the whole one.
  if (part.flies() && impact.gap < 0.0) impact.gap *= h / rules.flight->step;
  // What a driver pushes goes out of its way no faster than the driver moves; whatever else
  // overlaps leaves positions.
  if (rigid && !literal_) impact.gap = std::max(impact.gap, -h * prescribed.norm());
  impact.restitution *= rules.rebound;
  impact.rebound_due *= rules.rebound;
  if (impact.restitution > 0.0) {
    impact.velocity =
        contact.normal.dot(relative_velocity(model, state.poses, state.velocities, contact));
    impact.change = contact.normal.dot(relative_velocity(model, state.poses, foreseen_, contact)) -
                    impact.velocity;
  }
  const ImpactTerms normal = rules.stabilised || !rigid
                                 ? normal_terms(impact, h)
                                 : ImpactTerms{std::max(0.0, impact.gap) / h, 0.0};
  terms.normal_bias = normal.closing + contact.normal.dot(prescribed);
  terms.rebound = normal.rebound;
  terms.rebounds = normal.closing < 0.0 && impact.restitution > 0.0;
  return terms;
}

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

void ContactStepper::formulate(StepWorkspace& work, const StepPart& part) {
  terms_.clear();
  rebounds_ = {};
  if (!part.state.memory.rebounds.empty())
    rebounds_.taken = part.state.memory.rebounds.front().energy;
  MemoryCursor rebounds(part.state.memory.rebounds);
  MemoryCursor landings(part.state.memory.impulses);
  for (const Contact& contact : work.contacts) {
    const ReboundMemory* due = rebounds.find(contact.key, contact.patch_point);
    terms_.push_back(terms_of(part, contact, due ? due->speed : 0.0));
    if (!terms_.back().rebounds) continue;
    const ImpulseMemory* landing = due ? landings.find(contact.key, contact.patch_point) : nullptr;
    note_rebound(part, contact, landing, due ? due->speed : 0.0);
  }
  soften(part, work.contacts, terms_);
  gap_noise_ = smallest_gap / part.h;
  builder_.begin(part.model, part.state.poses, form_);
  builder_.add(work.contacts, terms_);
  builder_.add(supports_);
  builder_.add(elements_);
  builder_.finish(work.problem);
}

// Whether a body would not move without contact.
bool ContactStepper::is_still(const Model& model, int b) const {
  const Body& body = model.bodies[b];
  return foreseen_.segment(body.velocity_offset, body.velocity_size).isZero(0.0);
}

// Guess: the impulses that the same entities had in the last step.
void ContactStepper::warm_start(StepWorkspace& work, const StepPart& part) {
  const Model& model = part.model;
  before_.setZero(work.problem.unknowns());
  for (int i = 0; i < model.velocity_count; ++i)
    if (const int unknown = model.free_index[i]; unknown >= 0)
      before_[unknown] = part.state.velocities[i];
  work.solution.u.setZero(work.problem.unknowns());
  if (motion_ == MotionModel::quasi_static) work.solution.u = before_;
  work.solution.lambda.resize(work.problem.rows());
  const double scale = impulse_time(part.h) / part.h;
  MemoryCursor memory(part.state.memory.impulses);
  for (const EntityRows& rows : builder_.map()) {
    const ImpulseMemory* known = memory.find(rows.key, rows.point);
    // A body at rest that nothing moves rubs on no support, whatever stopped it in the last step.
    const bool rests = rows.key.kind == EntityKind::support && motion_ == MotionModel::dynamic &&
                       is_still(model, static_cast<int>(rows.key.ids[0]));
    const Vector3 guess = known && !rests ? Vector3(scale * known->impulse) : Vector3::Zero();
    builder_.guess(rows, guess, work.solution.lambda);
  }
}

}  // namespace vinci
