// SPDX-License-Identifier: Apache-2.0
// Flights, the search for the time of an impact, and the impact itself.
#include "vinci/stepping/impact_time.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "vinci/base/clock.h"
#include "vinci/formulation/free_motion.h"
#include "vinci/stepping/step_forces.h"

namespace vinci {
namespace {

// Flights towards an impact (gap-rate): each one leaves a tenth of the gap.
constexpr int most_legs = 60;
// A root is found where the gap is this part of the tolerance.
constexpr double root_accuracy = 0.01;
// What is left of a step, of its size, that rounding made: not worth another part.
constexpr double least_part = 1e-12;

bool ends_run(const StepReport& report) {
  return report.diverged_body >= 0 || report.ending != Ending::none;
}

// The memory of a contact is an impulse in the time of the whole step: a guess for the next part.
void scale_memory(State& state, double factor) {
  for (ImpulseMemory& memory : state.memory.impulses) memory.impulse *= factor;
}

}  // namespace

OptionSpec impact_tolerance_option() {
  return {"impact-tolerance",
          "Gap to which the time of an impact is found, and up to which bodies count as touching "
          "then.",
          1e-9,
          "m",
          1e-13,
          1e-3};
}

OptionSpec impact_speed_option() {
  return {"impact-speed",
          "Impacts slower than this plus 1.5 times what the forces change in a step are left to "
          "the ordinary step.",
          1e-3,
          "m/s",
          0.0,
          1e3};
}

OptionSpec impact_limit_option() {
  return {"impact-limit",
          "Impacts in a step before the ordinary step takes what is left of it.",
          100L,
          "",
          1,
          1e6};
}

std::unique_ptr<TimeStepper> with_impact_time(std::unique_ptr<ContactStepper> method,
                                              const OptionValues& options) {
  if (options.text("impact-time") == "none") return method;
  return std::make_unique<ImpactTimeStepper>(std::move(method), options);
}

ImpactTimeStepper::ImpactTimeStepper(std::unique_ptr<ContactStepper> method,
                                     const OptionValues& options)
    : method_(std::move(method)),
      by_rate_(options.text("impact-time") == "gap-rate"),
      most_impacts_(options.integer("impact-limit")),
      rules_{.touch = options.real("impact-tolerance"), .speed = options.real("impact-speed")} {}

std::string ImpactTimeStepper::why_not(const Model& model) const {
  if (method_->motion() != MotionModel::dynamic)
    return "impact-time needs 'motion: dynamic': without momentum there are no impacts; accepted "
           "otherwise: 'impact-time: none'";
  if (method_->frame_rule() != FrameRule::start)
    return "impact-time flies up to an impact and takes contacts there; accepted: "
           "'contact-frames: start', or 'impact-time: none'";
  return method_->why_not(model);
}

std::string ImpactTimeStepper::why_not_law(const Model& model, const ImpactLaw& law,
                                           const Solver& solver) const {
  return StruckInstant::why_not_law(*method_, model, law, solver);
}

StepReport ImpactTimeStepper::step(StepContext& context, State& state, double h) {
  SubstepSum sum(collected_);
  before_ = context.out.contacts;
  now_ = state;
  try {
    hold_forces(context, state, h, held_);
    advance_whole(context, h, sum);
  } catch (...) {
    context.out.contacts = before_;
    throw;
  }
  state = now_;
  sum.finish_joints(context.out.joints);
  return sum.finish(context.out.contacts);
}

void ImpactTimeStepper::advance_whole(StepContext& context, double h, SubstepSum& sum) {
  rules_.step = h;
  rules_.watches = true;
  double left = h;
  bool solvable = true;
  for (long part = 1; left > least_part * h && !sum.ended(); ++part) {
    if (sum.impacts() >= most_impacts_ || part > 2 * most_impacts_ || !solvable) {
      rules_.watches = false;  // the ordinary step
      fly(context, left, sum);
      take(context, left, sum);
      return;
    }
    rules_.strikes = true;
    const Part end = by_rate_ ? approach(context, left, sum) : fly_and_back_up(context, left, sum);
    if (end == Part::struck && !sum.ended()) solvable = strike(context, sum);
  }
}

// From now_ into trial_.
void ImpactTimeStepper::fly(StepContext& context, double h, SubstepSum& sum) {
  trial_ = now_;
  scale_memory(trial_, h / rules_.step);
  const PartRules part{.flight = &rules_, .held_forces = &held_};
  const bool coasts = StepPart{*context.in.model, trial_, h, part}.coasts();
  flown_ = method_->advance(context, trial_, h, part);
  rules_.strikes = false;  // of this part; what touches now was no impact at its start
  if (coasts)
    trial_.memory = now_.memory;
  else
    scale_memory(trial_, rules_.step / h);
  flight_time_ = h;
  sum.add_work(flown_);
  flown_.passes = 0;
  flown_.seconds = {};
}

// Accepts the last flight.
void ImpactTimeStepper::take(const StepContext& context, double& left, SubstepSum& sum) {
  std::swap(now_, trial_);
  left -= flight_time_;
  sum.add(flown_, context.out.contacts);
  sum.add_joints(context.out.joints);
}

// The least gap, m or rad, of the contacts and limits at the end of the last flight that it left
// out and that meet too fast for an ordinary step; infinity if there is none.
double ImpactTimeStepper::gap_after(StepContext& context, SubstepSum& sum) {
  const Model& model = *context.in.model;
  const Flight& flight = method_->flight();
  const Stopwatch watch;
  context.in.detector->detect(model, trial_.poses, method_->reach(), ends_);
  double least = infinity;
  seen_.clear();
  const auto see = [&](const WatchedGap& watched) {
    seen_.push_back(watched);
    if (watched.gap >= least || watched.rate >= -watched.least) return;
    least = watched.gap;
    closing_ = -watched.rate;
  };
  const Tree* const tree = tree_at(model, trial_);
  auto part = context.work.contacts.begin();  // both lists are sorted by key
  const auto end = context.work.contacts.end();
  for (const Contact& contact : ends_) {
    while (part != end && part->key < contact.key) ++part;
    const bool took_part = part != end && part->key == contact.key;
    if (took_part || !can_respond(model, trial_.poses, contact, tree)) continue;
    see(flight.watched(model, trial_.poses, trial_.velocities, contact));
  }
  find_limits(model, trial_.joint_positions, limits_);
  for (const JointLimit& limit : limits_)
    if (!std::binary_search(flight.limits().begin(), flight.limits().end(), limit.key))
      see(flight.watched(limit, trial_.joint_rates));
  sum.add_detection();
  sum.add(Stage::detect, watch.seconds());
  return least;
}

// The first time at which a contact that was left out and strikes within the time that is left is
// `depth` below the surface by its parabola, s from now; infinity if none is.
double ImpactTimeStepper::first_meeting(double left, double depth) const {
  double first = infinity;
  for (const WatchedGap& watched : method_->flight().left_out())
    if (watched.strikes_within(left))
      first =
          std::min(first, meeting_time(watched.gap + depth, watched.rate, watched.acceleration));
  return first;
}

ImpactTimeStepper::Part ImpactTimeStepper::fly_and_back_up(StepContext& context, double& left,
                                                           SubstepSum& sum) {
  fly(context, left, sum);
  if (method_->flight().is_struck()) {
    find_touching(context, sum);
    return Part::struck;
  }
  double gap = ends_run(flown_) ? infinity : gap_after(context, sum);
  // Something thin may lie behind already: what should have been met is looked at there.
  const double passed = first_meeting(left, rules_.touch);
  if (gap > 0.0 && !ends_run(flown_) && passed < (1.0 - 1e-9) * left) {
    fly(context, passed, sum);
    gap = ends_run(flown_) ? infinity : gap_after(context, sum);
  }
  const bool struck = gap <= 0.0;
  if (struck) search(context, flight_time_, gap, sum);
  take(context, left, sum);
  return struck ? Part::struck : Part::flown;
}

// The root of the gap between now and `end`, where it is negative; the last flight ends there.
void ImpactTimeStepper::search(StepContext& context, double end, double gap_end, SubstepSum& sum) {
  double low = 0.0, high = end;
  double gap_low = infinity, gap_high = gap_end;
  double guess = first_meeting(end, 0.0), width = 2.0 * end;
  const double accuracy = root_accuracy * rules_.touch;
  const double resolution =
      4.0 * std::numeric_limits<double>::epsilon() * (std::abs(now_.time) + end);
  if (std::abs(gap_end) <= accuracy) return;
  // Within a bracket that is passed at `closing_` in less than the accuracy the gap has no root: it
  // jumps there, where bodies meet with another feature.
  for (int side = 0; high - low > std::max(resolution, accuracy / closing_);) {
    const bool slow = high - low > 0.5 * width;  // the last secant did not halve the bracket
    width = high - low;
    if (!(guess > low && guess < high)) guess = infinity;
    if (std::isinf(guess) && std::isfinite(gap_low) && !slow)
      guess = high - gap_high * (high - low) / (gap_high - gap_low);
    if (!(guess > low && guess < high)) guess = 0.5 * (low + high);
    fly(context, guess, sum);
    if (ends_run(flown_)) return;
    const double gap = gap_after(context, sum);
    if (std::abs(gap) <= accuracy) return;
    if (gap > 0.0) {
      if (side > 0) gap_high *= 0.5;  // the Illinois rule
      low = guess, gap_low = gap, side = 1;
    } else {
      if (side < 0) gap_low *= 0.5;
      high = guess, gap_high = gap, side = -1;
    }
    guess = infinity;
  }
  fly(context, high, sum);
  gap_after(context, sum);
}

// How long to fly towards these contacts, s: to a tenth of a gap, at last to the accuracy of roots;
// to the top of a parabola that comes back.
double ImpactTimeStepper::approach_time(std::span<const WatchedGap> gaps, double left) const {
  double time = left;
  for (const WatchedGap& watched : gaps) {
    if (!watched.strikes_within(left)) continue;
    const double gap = watched.gap;
    const bool last = gap <= 100.0 * rules_.touch;
    const double way = last ? gap - 0.5 * root_accuracy * rules_.touch : 0.9 * gap;
    time =
        std::min(time, watched.rate > 0.0 ? -watched.rate / watched.acceleration
                                          : meeting_time(way, watched.rate, watched.acceleration));
  }
  return time;
}

// The flight grows towards the impact and does not pass it.
ImpactTimeStepper::Part ImpactTimeStepper::approach(StepContext& context, double& left,
                                                    SubstepSum& sum) {
  method_->look(context, now_, left, {.flight = &rules_, .held_forces = &held_});
  rules_.strikes = false;
  sum.add_detection();
  if (method_->flight().is_struck()) {
    find_touching(context, sum);
    return Part::struck;
  }
  const double accuracy = root_accuracy * rules_.touch;
  const double resolution =
      4.0 * std::numeric_limits<double>::epsilon() * (std::abs(now_.time) + left);
  double time = 0.0, next = approach_time(method_->flight().left_out(), left);
  double gap = infinity;
  for (int leg = 0; leg < most_legs; ++leg) {
    next = std::min(left, std::max(next, time + resolution));
    fly(context, next, sum);
    if (ends_run(flown_)) break;
    gap = gap_after(context, sum);
    const bool passed = gap < -accuracy;
    if (passed && next - time > std::max(resolution, accuracy / closing_)) {
      next = 0.5 * (time + next);  // the gap fell faster than foreseen
      continue;
    }
    if (passed || gap <= accuracy || next >= left) break;
    time = next;
    next = time + approach_time(seen_, left - time);
  }
  take(context, left, sum);
  return gap <= accuracy ? Part::struck : Part::flown;
}

// Null where no body hangs on a joint.
const Tree* ImpactTimeStepper::tree_at(const Model& model, const State& state) {
  if (model.joints.empty()) return nullptr;
  tree_.place(model, state.poses, state.joint_positions);
  return model.tree_order.empty() ? nullptr : &tree_;
}

// The contacts at now_, into ends_.
void ImpactTimeStepper::find_touching(StepContext& context, SubstepSum& sum) {
  touch_.set(*context.in.model, rules_.touch);
  context.in.detector->detect(*context.in.model, now_.poses, touch_.distances(), ends_);
  sum.add_detection();
}

// The impact at now_ of the contacts in ends_ that touch; false if it was not solved.
bool ImpactTimeStepper::strike(StepContext& context, SubstepSum& sum) {
  return struck_.strike(context, now_, ends_, {method_->form(), rules_.touch}, sum);
}

}  // namespace vinci
