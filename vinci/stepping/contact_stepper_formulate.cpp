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

// The larger of what forces alone give both bodies in the step, m/s.
double ContactStepper::change_of_speed(const Model& model, const State& state,
                                       const Contact& contact) const {
  double change = 0.0;
  for (const int b : {contact.body_a, contact.body_b}) {
    const Body& body = model.bodies[b];
    if (body.velocity_size > 0 && model.is_moved(b))
      change = std::max(change, (body_twist(model, foreseen_, b).linear -
                                 body_twist(model, state.velocities, b).linear)
                                    .norm());
  }
  return change;
}

void ContactStepper::soften(const StepPart&, const ContactSet&, std::span<ContactTerms>) {}

Vector3 ContactStepper::velocity_at(const StepPart& part, std::size_t index, const Contact& contact,
                                    const VectorX& velocities) const {
  const FramedContact* const framed = frames_.find(index);
  return framed ? relative_velocity(part.model, velocities, contact, framed->arms)
                : relative_velocity(part.model, part.state.poses, velocities, contact);
}

// The gap that stands in the normal row, m.
double ContactStepper::row_gap(const StepPart& part, std::size_t index, const Contact& contact,
                               const Vector3& prescribed) {
  const auto& [model, state, h, rules] = part;
  const bool rigid = !yields(model, contact);
  // A gap below the resolution of the coordinates, or a hundredth of an atom, is closed: divided by
  // h its noise would keep bodies at rest from resting, and a part that is wedged between others
  // without a solution. Layers rest at gaps that small.
  const Vector3 point = 0.5 * (contact.point_a + contact.point_b);
  double resolution =
      std::max(smallest_gap, 16.0 * std::numeric_limits<double>::epsilon() * point.norm());
  // Nor is a gap one that is smaller than what the accuracy of the run lets loads miss in a step.
  if (motion_ == MotionModel::dynamic)
    resolution = std::max(resolution, unresolved_ * h * change_of_speed(model, state, contact));
  if (part.flies()) resolution = std::max(resolution, rules.flight->touch);
  const auto resolved = [&](double gap) {
    return rigid && std::abs(gap) <= resolution ? 0.0 : gap;
  };
  const double way = h * prescribed.norm();  // of drivers
  // What is asked at the guess is the gap there, and the row is a line about it. An overlap of the
  // start stays but for the part that drivers push.
  if (frames_.is_framed() && frames_[index].known && foresees() && rules.stabilised) {
    FramedContact& framed = frames_[index];
    const double allowed = literal_ ? 0.0 : std::min(0.0, resolved(framed.start_gap) + way);
    framed.row_gap =
        resolved(contact.gap - allowed) - h * (framed.guessed + contact.normal.dot(prescribed));
    return framed.row_gap;
  }
  double gap = resolved(frames_.is_framed() ? frames_[index].start_gap : contact.gap);
  // However short the part of a step is, an overlap is closed at the pace of the whole one.
  if (part.flies() && gap < 0.0) gap *= h / rules.flight->step;
  // What a driver pushes goes out of its way no faster than the driver moves; whatever else
  // overlaps leaves positions.
  if (rigid && !literal_) gap = std::max(gap, -way);
  if (frames_.is_framed()) frames_[index].row_gap = gap;
  return gap;
}

// Where the shapes are whose surfaces run.
const std::vector<Pose>& ContactStepper::running_poses(const FramedContact* framed,
                                                       const State& state) const {
  if (framed) return frames_.poses(state);
  return predicts_drivers(discrete_) ? state.poses : placed_;
}

ContactTerms ContactStepper::terms_of(const StepPart& part, std::size_t index,
                                      const Contact& contact, double rebound_due) {
  const auto& [model, state, h, rules] = part;
  ContactTerms terms;
  terms.frame = contact_frame(model.world, contact.normal);
  const Surface& surface = model.surface_between(contact.key.shape_a(), contact.key.shape_b());
  terms.friction = surface.friction;
  if (surface.law) friction_.set(frames_.poses(state), index, contact, terms);
  const FramedContact* const framed = frames_.find(index);
  if (framed) terms.arms = &framed->arms;
  const Vector3 prescribed =
      framed ? prescribed_velocity(model, state.poses, placed_, contact, framed->arms, h)
      : predicts_drivers(discrete_) ? relative_velocity(model, state.poses, driven_, contact)
                                    : prescribed_velocity(model, state.poses, placed_, contact, h);
  const Vector3 carried =
      prescribed + surface_velocity(model, running_poses(framed, state), contact, state.time, h);
  terms.prescribed = {terms.frame.tangent_1.dot(carried), terms.frame.tangent_2.dot(carried)};
  if (surface.moments.any()) {
    terms.moments = surface.moments;
    const Vector3 turning = predicts_drivers(discrete_)
                                ? relative_turning(model, driven_, contact)
                                : prescribed_turning(state.poses, placed_, contact, h);
    terms.turning = {terms.frame.normal.dot(turning), terms.frame.tangent_1.dot(turning),
                     terms.frame.tangent_2.dot(turning)};
  }

  const bool rigid = !yields(model, contact);
  const bool rebounds = rigid && motion_ == MotionModel::dynamic && !part.flies();
  ImpactState impact{.gap = row_gap(part, index, contact, prescribed),
                     .restitution = rebounds ? surface.restitution : 0.0,
                     .rebound_due = rebounds ? rebound_due : 0.0};
  impact.restitution *= rules.rebound;
  impact.rebound_due *= rules.rebound;
  if (impact.restitution > 0.0) {
    impact.velocity = contact.normal.dot(velocity_at(part, index, contact, state.velocities));
    impact.change =
        contact.normal.dot(velocity_at(part, index, contact, foreseen_)) - impact.velocity;
  }
  const ImpactTerms normal = rules.stabilised || !rigid
                                 ? normal_terms(impact, h)
                                 : ImpactTerms{std::max(0.0, impact.gap) / h, 0.0};
  terms.normal_bias = normal.closing + contact.normal.dot(prescribed);
  terms.rebound = normal.rebound;
  // What a row asks for beyond its gap; about a guess the gap alone may ask for either sign.
  const double least = framed && foresees() ? std::min(0.0, impact.gap / h) : 0.0;
  terms.rebounds = normal.closing < least && impact.restitution > 0.0;
  return terms;
}

// An impulse takes its mean velocity times itself: from the speed at touching to that which the
// landing left.
void ContactStepper::note_rebound(const StepPart& part, std::size_t index, const Contact& contact,
                                  const ImpulseMemory* landing, double speed) {
  rebounds_.any = true;
  const auto normal_speed = [&](const VectorX& velocities) {
    return contact.normal.dot(velocity_at(part, index, contact, velocities));
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
  for (std::size_t i = 0; i < work.contacts.size(); ++i) {
    const Contact& contact = work.contacts[i];
    const ReboundMemory* due = rebounds.find(contact.key, contact.patch_point);
    terms_.push_back(terms_of(part, i, contact, due ? due->speed : 0.0));
    if (!terms_.back().rebounds) continue;
    const ImpulseMemory* landing = due ? landings.find(contact.key, contact.patch_point) : nullptr;
    note_rebound(part, i, contact, landing, due ? due->speed : 0.0);
  }
  if (!part.model.joints.empty()) set_limits(part);
  soften(part, work.contacts, terms_);
  gap_noise_ = smallest_gap / part.h;
  builder_.begin(part.model, part.state.poses, form_, tree_of(part.model));
  builder_.add(work.contacts, terms_);
  builder_.add(supports_);
  builder_.add(elements_);
  builder_.add(joint_blocks_);
  builder_.finish(work.problem);
  if (work.problem.rows() > 0) take_matrix(part, work.problem);
}

// Whether a body would not move without contact.
bool ContactStepper::is_still(const Model& model, int b) const {
  const Body& body = model.bodies[b];
  return foreseen_.segment(body.velocity_offset, body.velocity_size).isZero(0.0);
}

// Guess: the impulses that the same entities had in the last step.
void ContactStepper::warm_start(StepWorkspace& work, const StepPart& part) {
  const Model& model = part.model;
  gather(model, part.state.velocities, part.state.joint_rates, before_);
  work.solution.u.setZero(work.problem.unknowns());
  if (motion_ == MotionModel::quasi_static) work.solution.u = before_;
  guess_impulses(work, part, part.state.memory.impulses, impulse_time(part.h) / part.h);
}

// From the impulses of the same entities, times `scale`.
void ContactStepper::guess_impulses(StepWorkspace& work, const StepPart& part,
                                    const std::vector<ImpulseMemory>& known_ones, double scale) {
  work.solution.lambda.resize(work.problem.rows());
  MemoryCursor memory(known_ones);
  for (const EntityRows& rows : builder_.map()) {
    const ImpulseMemory* known = memory.find(rows.key, rows.point);
    // A body at rest that nothing moves rubs on no support, whatever stopped it in the last step.
    const bool rests = rows.key.kind == EntityKind::support && motion_ == MotionModel::dynamic &&
                       is_still(part.model, static_cast<int>(rows.key.ids[0]));
    ContactWrench guess;
    if (known && !rests) guess = {scale * known->impulse, scale * known->moment};
    builder_.guess(rows, guess, work.solution.lambda);
  }
}

// --- friction that the motion decides ------------------------------------------------------------

SlidingFriction::Scene ContactStepper::rubbing(const StepContext& context,
                                               const StepPart& part) const {
  return {
      part.model, part.state, part.h, foreseen_, context.work.contacts, frames_.poses(part.state)};
}

// Coefficients of friction are those of the sliding speeds that come out, or the step is not
// solved.
void ContactStepper::settle_friction(StepContext& context, const StepPart& part,
                                     StepReport& report) {
  constexpr int most_rounds = 60;
  const auto is_solvable = [&] {
    return report.ending == Ending::none && report.solve.status != SolveStatus::refused;
  };
  report.friction_error = 0.0;
  for (int round = 0; is_solvable(); ++round) {
    friction_.look(rubbing(context, part), {terms_, builder_, context.work.solution.lambda, next_});
    report.friction_error = friction_.error();
    if (friction_.error() <= context.in.accuracy.acceptable()) return;
    if (!friction_.is_defined() || round == most_rounds) {
      report.solve.status = SolveStatus::limit;
      report.solve.residual.relative = std::max(report.solve.residual.relative, friction_.error());
      report.solve.note = friction_.is_defined()
                              ? "friction that depends on sliding speed did not settle"
                              : "a coefficient of friction is negative or no number";
      return;
    }
    friction_.follow();
    const int iterations = report.solve.iterations;
    report.fell_back = false;
    formulate(context.work, part);
    solve_part(context, part, report);  // from the last answer
    report.solve.iterations += iterations;
    ++report.friction_rounds;
  }
}

}  // namespace vinci
