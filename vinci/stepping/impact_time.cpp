// SPDX-License-Identifier: Apache-2.0
// Flights, the search for the time of an impact, and the impact itself.
#include "vinci/stepping/impact_time.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "vinci/base/clock.h"
#include "vinci/formulation/contact_friction.h"
#include "vinci/formulation/contact_motion.h"
#include "vinci/formulation/free_motion.h"
#include "vinci/kinematics/velocities.h"
#include "vinci/stepping/step_diagnosis.h"
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

// Both who look at what is solved, where one is asked.
class ImpactWitness final : public SolutionWitness {
 public:
  ImpactWitness(const StepInput& in, const StepDiagnosis::Owners& owners)
      : in_(in), owners_(owners) {}
  void look(const SolvedProblem& solved, Solution& solution, StepReport& report) override {
    if (in_.witness) in_.witness->look(solved, solution, report);
    if (in_.diagnosis) in_.diagnosis->look(solved, owners_, solution, report);
  }

 private:
  const StepInput& in_;
  StepDiagnosis::Owners owners_;
};

// Of the surfaces at a contact, b against a.
Vector3 touching_velocity(const Model& model, const State& state, const Contact& contact) {
  return relative_velocity(model, state.poses, state.velocities, contact) +
         surface_velocity(model, state.poses, contact, state.time, 0.0);
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
  const ConeForm form = method_->form();
  const double friction = 0.5;  // of the probe's contact
  ImpactProblem probe;
  Model without_moments = model;  // which have no part in impacts
  for (Surface& surface : without_moments.surfaces) surface.moments = {};
  probe.inelastic = method_->probe(without_moments);
  probe.before = VectorX::Zero(probe.inelastic.unknowns());
  probe.contacts.push_back({.row = 0,
                            .size = contact_row_count(model.world, form, friction),
                            .restitution = 1.0,
                            .friction = friction});
  probe.pyramid = has_directions(form);
  return law.why_not(probe, solver);
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

// Leaves those in ends_ and limits_ that the impact at now_ acts on. What parts already does not
// take part: an impulse on it would do work. Should it close then, it is the next impact.
void ImpactTimeStepper::find_impact(const Model& model) {
  const auto rate = [&](const Contact& contact) {
    return contact.normal.dot(relative_velocity(model, now_.poses, now_.velocities, contact));
  };
  const Tree* const tree = tree_at(model, now_);
  std::erase_if(ends_, [&](const Contact& contact) {
    return contact.gap > rules_.touch || !can_respond(model, now_.poses, contact, tree);
  });
  find_limits(model, now_.joint_positions, limits_);
  std::erase_if(limits_, [&](const JointLimit& limit) { return limit.gap > rules_.touch; });
  double fastest = 0.0;
  for (const Contact& contact : ends_) fastest = std::max(fastest, -rate(contact));
  for (const JointLimit& limit : limits_)
    fastest = std::max(fastest, -limit.speed(now_.joint_rates));
  std::erase_if(ends_, [&](const Contact& contact) { return rate(contact) > 1e-9 * fastest; });
  std::erase_if(limits_, [&](const JointLimit& limit) {
    return limit.speed(now_.joint_rates) > 1e-9 * fastest;
  });
  if (fastest > 0.0) return;
  ends_.clear();
  limits_.clear();
}

// The contacts at now_, into ends_.
void ImpactTimeStepper::find_touching(StepContext& context, SubstepSum& sum) {
  touch_.set(*context.in.model, rules_.touch);
  context.in.detector->detect(*context.in.model, now_.poses, touch_.distances(), ends_);
  sum.add_detection();
}

// An impact has the coefficients of the sliding speed before it.
void ImpactTimeStepper::set_friction_before(const Model& model, const Contact& contact,
                                            const FrictionLaw& law, ContactTerms& terms) {
  constexpr double sticking = 1e-9;  // of its velocity: what solvers leave
  const Vector3 before = touching_velocity(model, now_, contact);
  const double speed = (before - contact.normal.dot(before) * contact.normal).norm();
  const FrictionCoefficients found = law.at(speed > sticking * before.norm() ? speed : 0.0,
                                            friction_place(now_.poses, contact, now_.time));
  if (!is_valid(found)) undefined_ = true;
  set_friction(now_.poses, contact, law, is_valid(found) ? found : FrictionCoefficients{}, terms);
}

// M, p, what was before and what is prescribed, at now_.
void ImpactTimeStepper::set_carried(const Model& model) {
  ComplementarityProblem& problem = impact_.inelastic;
  if (model.tree_order.empty())
    inertia_matrix(model, now_.poses, problem.M);
  else
    motion_.inertia(tree_, problem.M);
  impact_.before.resize(model.free_count);
  prescribed_ = now_.velocities;
  for (int i = 0; i < model.velocity_count; ++i)
    if (const int unknown = model.free_index[i]; unknown >= 0) {
      impact_.before[unknown] = now_.velocities[i];
      prescribed_[i] = 0.0;
    }
  problem.p.setZero(model.free_count);
  if (!model.tree_order.empty()) {
    tree_.gather_unknowns(now_.velocities, now_.joint_rates, impact_.before);
    still_rates_.setZero(model.joint_rate_count);
    tree_.spread_velocities(still_rates_, prescribed_);
  }
  problem.M.multiply_add(impact_.before.data(), problem.p.data());
}

void ImpactTimeStepper::set_velocities(const Model& model, const VectorX& u) {
  for (int i = 0; i < model.velocity_count; ++i)
    if (const int unknown = model.free_index[i]; unknown >= 0) now_.velocities[i] = u[unknown];
  if (model.joints.empty()) return;
  if (!model.tree_order.empty()) tree_.spread_unknowns(u, now_.velocities, now_.joint_rates);
  read_loop_rates(model, now_.poses, now_.velocities, now_.joint_rates);
}

// Velocities before an impact are those that joints allow where bodies are: a step that was no
// flight has them along the rows of its start.
void ImpactTimeStepper::hold_joints(const Model& model) {
  if (model.joints.empty()) return;
  tree_.place(model, now_.poses, now_.joint_positions);
  set_carried(model);
  joints_.find_instant(
      {.model = model, .state = now_, .placed = now_.poses, .tree = tree_, .h = 1.0},
      {.before = impact_.before, .carried = prescribed_});
  if (joined_.solve(impact_.inelastic, joints_, impact_.before))
    set_velocities(model, impact_.before);
}

// Contacts and limits of the impact, and the joints that hand it on.
void ImpactTimeStepper::add_rows(const Model& model) {
  builder_.begin(model, now_.poses, method_->form(), model.tree_order.empty() ? nullptr : &tree_);
  builder_.add(ends_, terms_);
  limit_keys_.clear();
  for (const JointLimit& limit : limits_) limit_keys_.push_back(limit.key);
  joints_.clear();
  if (!model.joints.empty())
    joints_.find_instant(
        {.model = model, .state = now_, .placed = now_.poses, .tree = tree_, .h = 1.0},
        {.before = impact_.before, .carried = prescribed_, .limits = limit_keys_});
  builder_.add(joints_);
  builder_.finish(impact_.inelastic);
}

// M, J and what was before, of the contacts in ends_ and the limits in limits_ at now_.
void ImpactTimeStepper::formulate(const Model& model) {
  const ConeForm form = method_->form();
  set_carried(model);
  terms_.clear();
  undefined_ = false;
  impact_.contacts.clear();
  impact_.pyramid = has_directions(form);
  impact_.box = form.cone == Cone::box;
  for (const Contact& contact : ends_) {
    const Surface& surface = model.surface_between(contact.key.shape_a(), contact.key.shape_b());
    ContactTerms terms;
    terms.frame = contact_frame(model.world, contact.normal);
    terms.friction = surface.friction;
    if (surface.law) set_friction_before(model, contact, *surface.law, terms);
    const Vector3 driven = relative_velocity(model, now_.poses, prescribed_, contact) +
                           surface_velocity(model, now_.poses, contact, now_.time, 0.0);
    terms.normal_bias = contact.normal.dot(driven);
    terms.prescribed = {terms.frame.tangent_1.dot(driven), terms.frame.tangent_2.dot(driven)};
    terms_.push_back(terms);
  }
  add_rows(model);
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    const Contact& contact = ends_[i];
    const EntityRows& rows = builder_.contacts()[i];
    const ContactFrame& frame = terms_[i].frame;
    const Vector3 before = touching_velocity(model, now_, contact);
    impact_.contacts.push_back(
        {rows.first,
         rows.count,
         model.surface_between(contact.key.shape_a(), contact.key.shape_b()).restitution,
         terms_[i].friction,
         {contact.normal.dot(before), terms_[i].scale[0] * frame.tangent_1.dot(before),
          terms_[i].scale[1] * frame.tangent_2.dot(before)}});
  }
  auto limit = limits_.begin();
  for (std::size_t i = 0; i < joints_.terms().size(); ++i)
    if (joints_.terms()[i].law == Law::nonnegative) {
      while (limit->key != joints_.terms()[i].key) ++limit;
      impact_.contacts.push_back({.row = builder_.joints()[i].first,
                                  .restitution = limit->restitution,
                                  .before = {limit->speed(now_.joint_rates), 0.0, 0.0}});
    }
}

// By the law, at whose work the witness and the diagnosis look.
ImpactReport ImpactTimeStepper::apply_law(StepContext& context, StepReport& part) {
  const StepInput& in = context.in;
  if (!in.witness && !in.diagnosis) return in.impact_law->apply(impact_, *in.solver, impulse_);
  ImpactWitness witness(in, {builder_.map(), now_.velocities});
  WitnessedSolver shown(*in.solver, witness, *in.model, in.accuracy, part);
  return in.impact_law->apply(impact_, shown, impulse_);
}

// The impact at now_ of the contacts in ends_ that touch; false if it was not solved, as where
// bodies are squeezed: it would come again and again.
bool ImpactTimeStepper::strike(StepContext& context, SubstepSum& sum) {
  const Model& model = *context.in.model;
  const Stopwatch watch;
  hold_joints(model);
  find_impact(model);
  if (ends_.empty() && limits_.empty()) return true;
  formulate(model);
  struck_.clear();
  impulse_.u.setZero(impact_.inelastic.unknowns());
  impulse_.lambda.setZero(impact_.inelastic.rows());
  StepReport part;
  part.passes = 0;
  const ImpactReport done = apply_law(context, part);
  part.solve = done.solve;
  part.fell_back = done.fell_back;
  const double broken = impact_residual(impact_, judge_, impulse_);
  if (broken > 1e-8 && part.solve.status == SolveStatus::solved)
    part.solve.status = SolveStatus::inaccurate;
  part.solve.residual.relative = std::max(part.solve.residual.relative, broken);
  if (undefined_) {
    part.solve.status = SolveStatus::limit;
    part.solve.residual.relative = part.friction_error = infinity;
    part.solve.note = "a coefficient of friction is negative or no number";
  }
  if (!std::isfinite(broken) || part.solve.status == SolveStatus::refused) {
    const auto pair = ends_.empty() ? std::pair(model.joints[limits_.front().joint].body_a,
                                                model.joints[limits_.front().joint].body_b)
                                    : std::pair(ends_.front().body_a, ends_.front().body_b);
    const bool moves = pair.second >= 0 && model.bodies[pair.second].velocity_size > 0;
    part.diverged_body = moves ? pair.second : pair.first;
  } else {
    set_velocities(model, impulse_.u);
    rebound(model);
    if (!model.joints.empty()) {
      rebound_joints(model);
      sum.add_joints(struck_joints_);
    }
    // Nobody slides as before.
    for (ImpulseMemory& record : now_.memory.impulses) record.sliding = 0.0;
  }
  sum.add_impact(part, struck_);
  sum.add(Stage::solve, watch.seconds());
  return part.solve.residual.relative <= 1e-8;
}

// Impulses for the record; contacts that part now are remembered, so that the next flight leaves
// them out.
void ImpactTimeStepper::rebound(const Model& model) {
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    const Contact& contact = ends_[i];
    const ContactFrame& frame = terms_[i].frame;
    SolvedContact solved{contact, frame.tangent_1, frame.tangent_2};
    solved.friction = terms_[i].friction * terms_[i].scale[0];
    solved.friction_2 = terms_[i].friction * terms_[i].scale[1];
    solved.impulse = builder_.impulse(builder_.contacts()[i], impulse_.lambda);
    const Vector3 velocity = touching_velocity(model, now_, contact);
    solved.velocity = {frame.normal.dot(velocity), frame.tangent_1.dot(velocity),
                       frame.tangent_2.dot(velocity)};
    struck_.push_back(solved);
    if (solved.velocity[0] > 0.0) note_rebound(contact.key, solved.velocity[0]);
  }
}

void ImpactTimeStepper::note_rebound(const EntityKey& key, double speed) {
  std::vector<ReboundMemory>& rebounds = now_.memory.rebounds;
  const auto place = std::lower_bound(
      rebounds.begin(), rebounds.end(), key,
      [](const ReboundMemory& record, const EntityKey& k) { return record.key < k; });
  const bool known = place != rebounds.end() && place->key == key;
  (known ? place : rebounds.insert(place, {key}))->speed = speed;
}

// The same of joints: what they handed on, and limits that were left.
void ImpactTimeStepper::rebound_joints(const Model& model) {
  struck_joints_.assign(model.joints.size(), {});
  for (std::size_t i = 0; i < joints_.terms().size(); ++i) {
    const JointTerms& terms = joints_.terms()[i];
    const EntityRows& rows = builder_.joints()[i];
    if (terms.key.kind == EntityKind::coupling) continue;
    SolvedJoint& joint = struck_joints_[terms.key.ids[0]];
    const auto freedom = static_cast<int>(terms.key.ids[2]);
    const double own = impulse_.lambda[rows.first];
    switch (static_cast<JointPart>(terms.key.ids[1])) {
      case JointPart::constraint: {
        const JointBlocks::Wrench kept =
            joints_.wrench(terms, impulse_.lambda.segment(rows.first, rows.count));
        joint.impulse = kept.force;
        joint.moment = kept.moment;
        break;
      }
      case JointPart::lower_limit:
        joint.limit[freedom] += own;
        break;
      case JointPart::upper_limit:
        joint.limit[freedom] -= own;
        break;
      default:
        break;
    }
  }
  for (const JointLimit& limit : limits_)
    if (const double speed = limit.speed(now_.joint_rates); speed > 0.0)
      note_rebound(limit.key, speed);
  if (model.tree_order.empty()) return;
  still_.setZero(model.velocity_count);
  loads_.begin(still_);
  for (const SolvedContact& solved : struck_)
    loads_.add_contact(model, now_.poses, solved, nullptr, 1.0);
  loads_.add_loop_joints(model, now_.poses, struck_joints_, 1.0);
  change_ = impulse_.u - impact_.before;
  loads_.collect(tree_, {still_, still_rates_, still_, change_}, 1.0, struck_joints_);
}

}  // namespace vinci
