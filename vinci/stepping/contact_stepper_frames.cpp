// SPDX-License-Identifier: Apache-2.0
// Contacts at the poses of drivers, or of all bodies, at the end of the step.
//
// About a guess q of the poses at the end, reached from the start with velocities ṽ, the normal row
// of stewart-trinkle is
//
//   0 <= λ_n ⟂ ψ(q)/h + J_n(q) (v − ṽ) >= 0,
//
// and that of anitescu-potra J_n(q) v + ∂ψ/∂t >= 0. What comes out moves bodies to F(q); at q =
// F(q) the gap at the end of the step is complementary to the impulse, whatever the curvature.
#include <algorithm>
#include <cmath>

#include "vinci/formulation/pair_columns.h"
#include "vinci/stepping/contact_stepper.h"

namespace vinci {
namespace {

// Whether an answer is one to go on from.
bool is_usable(const StepReport& report) {
  constexpr double largest = 1e-6;  // of a relative residual
  return report.ending == Ending::none && report.solve.residual.relative <= largest &&
         report.solve.status != SolveStatus::refused &&
         report.solve.status != SolveStatus::no_solution;
}

}  // namespace

// Only what is prescribed has moved.
void ContactStepper::take_driven_frames(StepContext& context, const StepPart& part) {
  guess_.poses = placed_;
  guess_.velocities.setZero(part.model.velocity_count);
  reframe(context, part, guess_);
}

void ContactStepper::reframe(StepContext& context, const StepPart& part, const FrameGuess& guess) {
  const Model& model = part.model;
  const FrameSource from{model, part.state, motion_ == MotionModel::dynamic};
  const bool all = foresees() && frames_.rule() != FrameRule::gap;
  ContactSet& found = all ? context.work.contacts : found_;
  frame_reach_ = reach_.distances();
  if (!foresees()) {
    frame_ways_.foresee(model, {part.state, placed_, foreseen_}, part.h);
    for (std::size_t b = 0; b < frame_reach_.size(); ++b)
      frame_reach_[b] += frame_ways_.distances()[b];
  }
  found.clear();
  context.in.detector->detect(model, guess.poses, frame_reach_, found);
  std::erase_if(found, [&](const Contact& contact) {
    return !can_respond(model, guess.poses, contact, tree_of(model));
  });
  if (all)
    frames_.take_all(from, guess, found);
  else if (foresees())
    frames_.take_gaps(from, guess, found, context.work.contacts);
  else
    frames_.take_known(from, guess, found, context.work.contacts);
  if (model.friction_laws) friction_.begin(rubbing(context, part));
}

// The guess to which these unknowns lead. What hangs on joints goes where their coordinates do; its
// rows have the axes of the joints at the start, as those of maximal coordinates.
void ContactStepper::set_guess(const StepPart& part, const VectorX& u) {
  const Model& model = part.model;
  guess_.velocities.setZero(model.velocity_count);
  guess_rates_.setZero(model.joint_rate_count);
  spread(model, u, guess_.velocities, guess_rates_);
  guess_.poses = part.state.poses;
  guess_velocities_ = foreseen_;
  spread(model, u, guess_velocities_, guess_rates_);
  for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b)
    if (model.bodies[b].velocity_size > 0 && !hangs(tree_of(model), b))
      guess_.poses[b] = carried_by(part, b, guess_velocities_);
  if (!model.tree_order.empty()) {
    advance_coordinates(part, guess_rates_);
    place_tree(model, next_positions_, guess_.poses);
  }
  close_frames(part, guess_.poses);
}

// Joints that rows hold are closed in positions at the end of the step (settle_joints): that is
// where frames are taken. Which clutches slip and what friction holds is not known yet.
void ContactStepper::close_frames(const StepPart& part, std::vector<Pose>& poses) {
  const Model& model = part.model;
  if (model.joints.empty()) return;
  clutches_.clear();
  for (int i = 0; i < static_cast<int>(model.couplings.size()); ++i)
    if (model.couplings[static_cast<std::size_t>(i)].breakaway < infinity) clutches_.push_back(i);
  closing_.poses = poses;
  closing_.joint_positions =
      model.tree_order.empty() ? part.state.joint_positions : next_positions_;
  closing_.coupling_offsets = part.state.coupling_offsets;
  read_loop_coordinates(model, closing_.poses, closing_.joint_positions);
  closure_.close(model, closing_, {}, clutches_);
  poses = closing_.poses;
}

// Into next_ and moved_, from the impulses of the last guess. False: there is no answer.
bool ContactStepper::solve_at_guess(StepContext& context, const StepPart& part,
                                    StepReport& report) {
  StepWorkspace& work = context.work;
  carried_.clear();
  for (const EntityRows& rows : builder_.map()) {
    const ContactWrench wrench = builder_.wrench(rows, work.solution.lambda);
    carried_.push_back(
        {.key = rows.key, .point = rows.point, .impulse = wrench.impulse, .moment = wrench.moment});
  }
  reframe(context, part, guess_);
  formulate(work, part);
  guess_impulses(work, part, carried_, 1.0);
  solve(context, report);
  if (!is_usable(report)) return false;
  if (rebounds_.any) limit_rebounds(context, part, report);
  if (forces_.has_drags()) settle_forces(context, part, report);
  if (part.model.friction_laws) settle_friction(context, part, report);
  if (foresees()) reach_.outrun(part.model, next_, part.h);
  move(part);
  close_frames(part, moved_);
  return true;
}

// From the answer with the frames of the start, in next_, to one whose frames are those of its own
// end. Where no guess comes as near as asked, the nearest stays, and the step says so.
void ContactStepper::settle_frames(StepContext& context, const StepPart& part, StepReport& report) {
  const Model& model = part.model;
  if (context.work.contacts.empty() || report.ending != Ending::none || report.diverged_body >= 0)
    return;
  move(part);
  const double way = frame_distance(model, part.state.poses, moved_);
  report.frame_error = way;
  report.unsettled = !(way <= frames_.tolerance());
  if (!report.unsettled || report.fell_back || !is_usable(report)) return;
  FrameSettling settling(frames_.tolerance(), way);
  int iterations = report.solve.iterations;
  double least = infinity;
  bool holds = true;  // what is solved is the nearest
  gather(model, next_, next_rates_, trial_);
  while (report.frame_iterations < frames_.limit() && !settling.is_settled()) {
    ++report.frame_iterations;
    set_guess(part, trial_);
    const bool solved = solve_at_guess(context, part, report);
    iterations += report.solve.iterations;
    const double distance = solved ? frame_distance(model, guess_.poses, moved_) : infinity;
    holds = distance < least;
    if (!std::isfinite(distance)) break;
    settling.add(distance);
    if (holds) {
      least = distance;
      best_ = trial_;
      report.frame_error = settling.error();
    }
    gather(model, next_, next_rates_, change_);
    trial_ += settling.share() * (change_ - trial_);
  }
  report.unsettled = !(report.frame_error <= frames_.tolerance());
  if (!holds) {
    take_nearest(context, part, least < infinity, report);
    iterations += report.solve.iterations;
  }
  report.solve.iterations = iterations;
}

// The answer at the best guess, or where there is none that with the frames of the start.
void ContactStepper::take_nearest(StepContext& context, const StepPart& part, bool guessed,
                                  StepReport& report) {
  report.ending = Ending::none;
  if (guessed) {
    set_guess(part, best_);
    solve_at_guess(context, part, report);
    return;
  }
  frames_.leave(context.work.contacts);
  if (part.model.friction_laws) friction_.begin(rubbing(context, part));
  formulate(context.work, part);
  warm_start(context.work, part);
  solve(context, report);
  if (rebounds_.any) limit_rebounds(context, part, report);
  if (forces_.has_drags()) settle_forces(context, part, report);
  if (part.model.friction_laws) settle_friction(context, part, report);
}

}  // namespace vinci
