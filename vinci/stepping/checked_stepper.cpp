// SPDX-License-Identifier: Apache-2.0
// The look at the end of a step, and the step in parts.
#include "vinci/stepping/checked_stepper.h"

#include <algorithm>
#include <cmath>

#include "vinci/formulation/contact_rows.h"
#include "vinci/formulation/free_motion.h"
#include "vinci/model/actuation.h"

namespace vinci {
namespace {

// Parts in which a step is made at most. An impact that needs parts of a 2⁻ᵏ of the step takes 2k
// of them.
constexpr int most_parts = 200;
// Pieces of the way at whose ends is looked; a step that needs more is cut at once.
constexpr int most_pieces = 32;
// Cuts in a row that do not lessen an overlap by a tenth: shorter parts are of no use.
constexpr int most_vain = 4;
// Overlaps up to it are rounding of coordinates, m.
constexpr double overlap_rounding = 1e-12;
// The next step may be faster than expected by as much and still finds its contacts here.
constexpr double slack = 1.25;

// Nothing to look at: the run ends here, or the step is no answer, which shorter ones are not
// either (bodies that others squeeze).
bool is_lost(const StepReport& report) {
  constexpr double unsolved = 1e-6;
  return report.diverged_body >= 0 || report.ending != Ending::none || report.fell_back ||
         !(report.solve.residual.relative <= unsolved);
}

// The thinner one of two shapes, m.
double thinner(const Model& model, const Contact& contact) {
  return std::min(model.shapes[contact.key.shape_a()].half_thickness,
                  model.shapes[contact.key.shape_b()].half_thickness);
}

// The sum of both, m.
double thickness_of(const Model& model, const Contact& contact) {
  return model.shapes[contact.key.shape_a()].half_thickness +
         model.shapes[contact.key.shape_b()].half_thickness;
}

// A bound on the way of any point of a body, m.
double way_of(const Model& model, const State& start, const State& end, double h, int b) {
  const Body& body = model.bodies[b];
  if (body.velocity_size == 0) return 0.0;
  const double shift =
      (center_of_mass(model, end.poses, b) - center_of_mass(model, start.poses, b)).norm();
  const double turn = h * body_twist(model, end.velocities, b).angular.norm();
  return shift +
         (turn > 0.0 && std::isfinite(body.bounding_radius) ? turn * body.bounding_radius : 0.0);
}

StepReport with(const RemovedOverlap& sudden, StepReport report) {
  report.removed_overlap = std::max(report.removed_overlap, sudden.depth);
  report.added_energy += std::max(0.0, sudden.energy);
  if (!SuddenOverlap::is_gone(sudden)) {
    report.overlap = std::max(report.overlap, sudden.left);
    report.passed = std::max(report.passed, 1);
  }
  return report;
}

}  // namespace

CheckedStepper::CheckedStepper(std::unique_ptr<TimeStepper> method)
    : method_(std::move(method)), rule_(method_->overlap_rule()), layers_(rule_) {}

StepReport CheckedStepper::step(StepContext& context, State& state, double h) {
  if (repetition_.holds(context, starts_[0], state, h)) {
    starts_[0].step = state.step;
    starts_[0].time = state.time;
    state.time += h;
    return repetition_.report();
  }
  repetition_.forget();
  const StepReport report = make(context, state, h);
  if (!displaced_ && !is_event_driven()) repetition_.note(context, starts_[0], state, h, report);
  return report;
}

StepReport CheckedStepper::make(StepContext& context, State& state, double h) {
  starts_[0] = state;
  displaced_ = false;
  begin(context, state, h);
  const RemovedOverlap sudden = remove_sudden(context, state);
  before_.swap(context.out.contacts);  // of the step before: back where something throws
  StepReport report;
  try {
    report = method_->step(context, state, h);
  } catch (...) {
    before_.swap(context.out.contacts);
    throw;
  }
  if (is_lost(report)) return with(sudden, report);
  const double depth = excess(context, starts_[0], state, h).depth;
  if (depth == 0.0) {
    accept(context, state, h, report);
    return with(sudden, report);
  }
  const std::span<const NamedController> controllers = context.in.controllers;
  if (!controllers.empty()) {
    held_ = context.work.controlled;
    context.in.held_forces = &held_;
  }
  parts_ = 0;
  SubstepSum sum(collected_);
  sum.add_work(report);
  try {
    in_parts(context, state, {h, depth, 0, 0}, sum);
  } catch (...) {
    context.in.held_forces = nullptr;
    context.out.contacts = before_;
    throw;
  }
  context.in.held_forces = nullptr;
  sum.finish_joints(context.out.joints);
  return with(sudden, sum.finish(context.out.contacts));
}

// Takes out what layers do not know of; the parts of the step begin there too.
RemovedOverlap CheckedStepper::remove_sudden(StepContext& context, State& state) {
  if (!SuddenOverlap::may_be(context, state)) return {};
  ContactsAhead& ahead = context.work.ahead;
  const RemovedOverlap removed =
      sudden_.remove(context, state, *method_, ahead.reach, ahead.contacts);
  if (removed.depth > 0.0) {
    ahead.poses = state.poses;
    std::swap(given_, starts_[0]);
    starts_[0] = state;
    displaced_ = true;
  }
  return removed;
}

// Two halves from starts_[level]. Where bodies are squeezed, parts as short as you like are no
// better; then the parts stay as they are.
void CheckedStepper::in_parts(StepContext& context, State& state, const Cut& cut, SubstepSum& sum) {
  state = starts_[cut.level];
  const std::size_t next = cut.level + 1;
  const double half = 0.5 * cut.h;
  if (starts_.size() <= next) starts_.resize(next + 1);
  for (int i = 0; i < 2 && !sum.ended(); ++i) {
    ++parts_;
    starts_[next] = state;
    begin(context, state, half);
    StepReport report = method_->step(context, state, half);
    const Excess found = is_lost(report) ? Excess() : excess(context, starts_[next], state, half);
    const double depth = found.depth;
    const int vain = depth > 0.9 * cut.depth ? cut.vain + 1 : 0;
    if (depth > 0.0 && parts_ < most_parts && vain < most_vain) {
      sum.add_work(report);
      in_parts(context, state, {half, depth, next, vain}, sum);
      continue;
    }
    if (vain >= most_vain) parts_ = most_parts;
    if (depth > 0.0 && !found.in_layers) report.passed = 1;
    if (!is_lost(report)) accept(context, state, half, report);
    sum.add(report, context.out.contacts);
    sum.add_joints(context.out.joints);
  }
}

// The contacts at the start of a step, which mostly were looked for at the end of the last one.
void CheckedStepper::begin(StepContext& context, const State& state, double h) {
  if (context.work.ahead.is_at(state.poses)) return;
  expected_ = state.velocities;
  look_ahead(context, state, h);
}

// Contacts at the state for the step that begins there.
void CheckedStepper::look_ahead(StepContext& context, const State& state, double h) {
  ContactsAhead& ahead = context.work.ahead;
  const Model& model = *context.in.model;
  reach_.foresee(model, {state, state.poses, expected_}, slack * h);
  ahead.reach = reach_.distances();
  ahead.poses = state.poses;
  ahead.contacts.clear();
  // On a curve the points that stand for a flat side depend on the reach.
  ahead.serves = std::none_of(model.shapes.begin(), model.shapes.end(),
                              [](const PlacedShape& placed) { return is_curve(placed.shape); });
  context.in.detector->detect(model, state.poses, ahead.reach, ahead.contacts);
}

// At the end or on the way.
CheckedStepper::Excess CheckedStepper::excess(StepContext& context, const State& start,
                                              const State& end, double h) {
  expected_ = end.velocities;
  if (context.work.foreseen.size() == end.velocities.size())
    expected_ += context.work.foreseen - start.velocities;
  std::swap(start_, context.work.ahead);
  look_ahead(context, end, h);
  looked_ = false;
  double depth = excess_of(*context.in.model, context.work.ahead.contacts);
  if (depth == 0.0) depth = excess_on_the_way(context, start, end, h);
  if (depth > 0.0) return {depth, false};
  looked_ = layers_.look(context, end, *method_);
  if (looked_) depth = layers_.excess(context, start, *method_);
  return {depth, true};
}

double CheckedStepper::excess_of(const Model& model, const ContactSet& contacts) const {
  double depth = 0.0;
  for (const Contact& contact : contacts)
    if (-contact.gap > depth && is_deep(model, contact) &&
        -contact.gap > 1.5 * depth_at_start(contact))
      depth = -contact.gap;
  return depth;
}

bool CheckedStepper::is_deep(const Model& model, const Contact& contact) const {
  return -contact.gap > rule_.deepest * thinner(model, contact) + method_->give(model, contact);
}

double CheckedStepper::depth_at_start(const Contact& contact) const {
  double depth = 0.0;
  for (const Contact& other : start_.contacts)
    if (other.key.shape_a() == contact.key.shape_a() &&
        other.key.shape_b() == contact.key.shape_b())
      depth = std::max(depth, -other.gap);
  return depth;
}

// Whether no pair got as far as its thickness, by bounds that are at hand: the reach at both ends.
bool CheckedStepper::is_slow(const Model& model, const ContactsAhead& end) const {
  for (std::size_t b = 0; b < end.reach.size(); ++b)
    if (end.reach[b] > start_.reach[b]) return false;
  return std::none_of(start_.contacts.begin(), start_.contacts.end(), [&](const Contact& contact) {
    return start_.reach[contact.body_a] + start_.reach[contact.body_b] >
           thickness_of(model, contact);
  });
}

// How many pieces of the way are short enough for no pair to pass unseen between their ends.
int CheckedStepper::pieces(StepContext& context, const State& start, const State& end, double h) {
  const Model& model = *context.in.model;
  if (is_slow(model, context.work.ahead)) return 1;
  ContactSet& contacts = start_.contacts;
  ways_.resize(model.bodies.size());
  bool farther = false;
  for (std::size_t b = 0; b < ways_.size(); ++b) {
    ways_[b] = way_of(model, start, end, h, static_cast<int>(b));
    farther = farther || ways_[b] > start_.reach[b];
  }
  if (farther) {
    for (std::size_t b = 0; b < ways_.size(); ++b)
      start_.reach[b] = std::max(start_.reach[b], ways_[b]);
    contacts.clear();
    context.in.detector->detect(model, start.poses, start_.reach, contacts);
  }
  double most = 1.0;
  for (const Contact& contact : contacts) {
    const double way = ways_[contact.body_a] + ways_[contact.body_b];
    const double thickness = thickness_of(model, contact);
    if (way > thickness && way > contact.gap) most = std::max(most, std::ceil(way / thickness));
  }
  return static_cast<int>(std::min(most, 2.0 * most_pieces));
}

double CheckedStepper::excess_on_the_way(StepContext& context, const State& start, const State& end,
                                         double h) {
  const Model& model = *context.in.model;
  const int count = pieces(context, start, end, h);
  if (count > most_pieces) return infinity;
  no_reach_.assign(model.bodies.size(), 0.0);
  for (int i = 1; i < count; ++i) {
    const double part = static_cast<double>(i) / count;
    way_ = start.poses;
    for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b) {
      if (model.bodies[b].velocity_size == 0) continue;
      const Pose &from = start.poses[b], &to = end.poses[b];
      const Vector3& center = model.bodies[b].mass.center;
      const Vector3 at = (1.0 - part) * (from * center) + part * (to * center);
      way_[b].rotation = from.rotation.slerp(part, to.rotation);
      way_[b].position = at - way_[b].rotation * center;
      place_prescribed(model.bodies[b], start.time + part * h, way_[b]);
    }
    on_the_way_.clear();
    context.in.detector->detect(model, way_, no_reach_, on_the_way_);
    if (const double depth = excess_of(model, on_the_way_); depth > 0.0) return depth;
  }
  return 0.0;
}

// What is left to do and to say at the end of a step or part that stays.
void CheckedStepper::accept(StepContext& context, State& end, double h, StepReport& report) {
  const Model& model = *context.in.model;
  ContactsAhead& ahead = context.work.ahead;
  const bool overlap =
      rule_.removed > 0.0 &&
      std::any_of(ahead.contacts.begin(), ahead.contacts.end(), [&](const Contact& contact) {
        return OverlapRemoval::is_due(
            model, end, *method_, contact, h,
            std::max(overlap_rounding, rule_.tolerated * thinner(model, contact)));
      });
  if (overlap) {
    const RemovedOverlap removed =
        removal_.remove(context, end, *method_, h, rule_.removed, ahead.reach, ahead.contacts);
    ahead.poses = end.poses;
    looked_ = false;
    report.removed_overlap = removed.depth;
    report.added_energy = std::max(0.0, removed.energy);
  }
  part_layers(context, end, h, report);
  for (const Contact& contact : ahead.contacts) {
    report.overlap = std::max(report.overlap, -contact.gap - method_->give(model, contact));
    // What was as deep before, and could not be taken out, is no less wrong.
    if (is_deep(model, contact) && can_respond(model, end.poses, contact)) report.passed = 1;
  }
}

// Bodies that are deeper in each other than their layers know.
void CheckedStepper::part_layers(StepContext& context, State& end, double h, StepReport& report) {
  const Model& model = *context.in.model;
  if (!looked_ && !layers_.look(context, end, *method_)) return;
  if (rule_.removed > 0.0 && layers_.beyond(model) > 0.0) {
    const RemovedOverlap removed = layers_.remove(context, end, *method_);
    report.removed_overlap = std::max(report.removed_overlap, removed.depth);
    report.added_energy += std::max(0.0, removed.energy);
    if (removed.depth > 0.0) look_ahead(context, end, h);
  }
  report.overlap = std::max(report.overlap, layers_.deepest());
  report.unexplained = layers_.beyond(model);
}

}  // namespace vinci
