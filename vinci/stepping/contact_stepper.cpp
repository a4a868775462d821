// SPDX-License-Identifier: Apache-2.0
// One step as a list of stages: foresee, detect, formulate and solve, move.
#include "vinci/stepping/contact_stepper.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "vinci/base/clock.h"
#include "vinci/formulation/contact_motion.h"
#include "vinci/formulation/free_motion.h"
#include "vinci/model/actuation.h"
#include "vinci/stepping/step_diagnosis.h"
#include "vinci/stepping/step_forces.h"

namespace vinci {
namespace {

// A chain of bodies that hit each other within one step needs a pass per link.
constexpr int max_passes = 16;
// Gaps below it are rounding of coordinates, or what a residual leaves in a step; m.
constexpr double smallest_gap = 1e-12;
// Parts of a step shorter than this share of it are not solved.
constexpr double coasting_share = 1e-3;

// The first body whose pose or velocity is not finite, or −1.
int non_finite_body(const Model& model, const std::vector<Pose>& poses, const VectorX& velocities) {
  for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b) {
    const Body& body = model.bodies[b];
    if (!poses[b].position.allFinite() || !poses[b].rotation.coeffs().allFinite() ||
        !velocities.segment(body.velocity_offset, body.velocity_size).allFinite())
      return b;
  }
  return -1;
}

MotionModel motion_of(const OptionValues& options) {
  const std::string& name = options.text("motion");
  if (name == "first-order") return MotionModel::first_order;
  return name == "dynamic" ? MotionModel::dynamic : MotionModel::quasi_static;
}

// The body that an unknown moves, or −1.
int body_of(const Model& model, int unknown) {
  for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b)
    for (int i = 0; i < model.bodies[b].velocity_size; ++i)
      if (model.free_index[model.bodies[b].velocity_offset + i] == unknown) return b;
  return -1;
}

// What is missing of a balance, as force and torque on the body that lacks most.
Shortage shortage_of(const Model& model, const QuasiStaticAnswer& answer) {
  Shortage shortage;
  if (answer.unbalanced < 0) return shortage;
  shortage.body = body_of(model, answer.unbalanced);
  const Body& body = model.bodies[shortage.body];
  Vector6 wrench = Vector6::Zero();
  for (int i = body.velocity_offset; i < body.velocity_offset + body.velocity_size; ++i)
    if (model.free_index[i] >= 0) wrench[model.coordinate[i]] = answer.missing[model.free_index[i]];
  shortage.force = wrench.head<3>().norm();
  shortage.torque = wrench.tail<3>().norm();
  if (shortage.force > 0.0) shortage.along = wrench.head<3>() / shortage.force;
  if (shortage.torque > 0.0) shortage.about = wrench.tail<3>() / shortage.torque;
  return shortage;
}

}  // namespace

bool StepPart::coasts() const {
  return flies() && h < coasting_share * rules.flight->step;
}

ContactStepper::ContactStepper(const OptionValues& options, double touch)
    : motion_(motion_of(options)),
      form_(cone_form(options)),
      touch_(touch),
      literal_(motion_ != MotionModel::dynamic || options.text("overlap") == "velocities"),
      discrete_(discrete_model_of(options)) {
  selection_.take_boxes(form_.cone == Cone::box);
  quasi_static_.take_boxes(form_.cone == Cone::box);
}

OptionSpec overlap_option() {
  return {"overlap",
          "How overlapping bodies are parted in dynamic motion: positions, at the end of the step, "
          "which leaves their velocities alone; velocities, as the paper has it, by a velocity "
          "that closes the overlap in a step and that they keep.",
          std::string("positions"),
          "",
          0,
          0,
          {"positions", "velocities"}};
}

OverlapRule ContactStepper::overlap_rule() const {
  // Where all of an overlap is taken out at once: far above what linear gaps leave in a step of
  // slow bodies, far below what can be seen.
  constexpr double tolerated = 1e-6;
  const double share = removed_share();
  return {.removed = literal_ ? 0.0 : share, .tolerated = share < 1.0 ? 0.0 : tolerated};
}

// Whether contacts that are still open take part.
bool ContactStepper::foresees() const {
  return std::isinf(touch_);
}

// What a force is multiplied by in λ, and λ divided by in an impulse: λ is an impulse in the
// dynamic model, a force in the others.
double ContactStepper::impulse_time(double h) const {
  return motion_ == MotionModel::dynamic ? h : 1.0;
}

std::string ContactStepper::why_not(const Model& model) const {
  if (form_.cone == Cone::pyramid && model.world == World::spatial && form_.directions < 3)
    return "a friction pyramid in space needs at least 3 directions";
  return why_not_discrete(discrete_, form_, foresees());
}

ComplementarityProblem ContactStepper::probe(const Model& model) const {
  Model one;  // a unit mass above a fixed floor
  one.world = model.world;
  one.bodies.resize(2);
  one.bodies[0].freedom = Freedom::fixed;
  const bool planar = model.world == World::planar;
  one.bodies[1].freedom = planar ? Freedom::planar : Freedom::spatial;
  one.bodies[1].velocity_size = planar ? 3 : 6;
  one.velocity_count = one.free_count = one.bodies[1].velocity_size;
  for (int i = 0; i < one.free_count; ++i) {
    one.free_index.push_back(i);
    one.coordinate.push_back(planar && i == 2 ? 5 : i);
  }
  const Vector3 up = planar ? Vector3::UnitY() : Vector3::UnitZ();
  Contact contact;
  contact.body_b = 1;
  contact.point_a = contact.point_b = Vector3::Zero();
  contact.normal = up;
  ContactTerms terms;
  terms.frame = contact_frame(model.world, up);
  terms.friction = 0.5;
  terms.normal_bias = -1.0;
  terms.compliance = probe_compliance();
  const bool lies = std::any_of(model.bodies.begin(), model.bodies.end(),
                                [](const Body& body) { return !body.supports.empty(); });
  const SupportPoint support{.body = 1, .limit = 1.0};
  const bool joined = !model.elements.empty() && motion_ != MotionModel::quasi_static;
  const ElementTerms element{
      .key = element_key(0), .row = {.body_b = 1, .axis = up}, .compliance = 1.0};

  const std::vector<Pose> poses(2);
  const ContactSet contacts{contact};
  ComplementarityProblem problem;
  ProblemBuilder builder;
  builder.begin(one, poses, form_);
  builder.add(contacts, {&terms, 1});
  if (lies) builder.add(std::span(&support, 1));
  if (joined) builder.add(std::span(&element, 1));
  builder.finish(problem);
  problem.M.reset(one.free_count);
  for (int i = 0; i < one.free_count; ++i) {
    problem.M.push(i, 1.0);
    problem.M.end_row();
  }
  problem.p = VectorX::Zero(one.free_count);
  return problem;
}

// --- the stages in their order ------------------------------------------------------------------

StepReport ContactStepper::step(StepContext& context, State& state, double h) {
  return advance(context, state, h, {});
}

StepReport ContactStepper::advance(StepContext& context, State& state, double h,
                                   const PartRules& rules) {
  const Model& model = *context.in.model;
  const StepPart part{model, state, h, rules};
  StepReport report;
  Stopwatch watch;
  auto stamp = [&](Stage stage) { report.seconds[static_cast<int>(stage)] += watch.lap(); };

  if (part.flies()) flight_.begin(*rules.flight);
  begin(context, part);
  report.diverged_body = non_finite_body(model, placed_, foreseen_);
  stamp(Stage::formulate);
  for (report.passes = 1;; ++report.passes) {
    detect(context, part, report);
    stamp(Stage::detect);
    if (part.flies() && rules.flight->strikes && flight_.is_struck()) return report;
    if (part.flies()) mark_touched(context.work, part);
    formulate(context.work, part);
    warm_start(context.work, part);
    stamp(Stage::formulate);
    solve(context, report);
    if (has_no_answer(report)) fall_back(context, part, report);
    if (rebounds_.first) limit_rebounds(context, part, report);
    if (forces_.has_drags() && !part.coasts()) settle_forces(context, part, report);
    stamp(Stage::solve);
    if (part.coasts()) break;
    if (part.flies() && report.passes < max_passes &&
        flight_.outrun({model, state, foreseen_, h}, next_))
      continue;
    if (is_whole(part, report)) break;
  }
  if (context.in.diagnosis && !part.coasts()) {
    diagnose(context, report);
    stamp(Stage::solve);
  }
  move(part);
  // Nothing from here on calls code of the caller, so nothing throws.
  collect(context, state, h, report);
  state.poses = moved_;
  state.velocities = next_;
  state.controls = context.out.controls;
  state.time += h;
  if (report.diverged_body < 0)
    report.diverged_body = non_finite_body(model, state.poses, state.velocities);
  stamp(Stage::advance);
  return report;
}

void ContactStepper::look(StepContext& context, const State& state, double h,
                          const PartRules& rules) {
  const StepPart part{*context.in.model, state, h, rules};
  flight_.begin(*rules.flight);
  StepReport report;
  begin(context, part);
  report.diverged_body = non_finite_body(part.model, placed_, foreseen_);
  detect(context, part, report);
}

// --- foresee ------------------------------------------------------------------------------------

// What comes before the first detection.
void ContactStepper::begin(StepContext& context, const StepPart& part) {
  const LinearForces* held = part.rules.held_forces;
  if (!held)
    forces_.begin(context, part.state, part.h);
  else if (part.flies())
    forces_.begin_flight(part.model, part.state, part.h, *held);
  else
    forces_.begin_part(part.model, part.state, *held);
  foresee(part);
  fill_motion(part, context.work.problem);
  set_reach(part);
  context.work.foreseen = foreseen_;
}

// Where and how fast the prescribed coordinates will be at the end of the step.
void ContactStepper::foresee(const StepPart& part) {
  const Model& model = part.model;
  const double end = part.state.time + part.h;
  placed_ = part.state.poses;
  for (std::size_t b = 0; b < model.bodies.size(); ++b)
    place_prescribed(model.bodies[b], end, placed_[b]);
  foreseen_ = part.state.velocities;
  prescribe_velocities(model, end, placed_, foreseen_);
  if (predicts_drivers(discrete_)) predict_drivers(model, part.state, driven_);
}

// M and p of the motion model, the velocities that they lead to without contact, and what acts on
// bodies besides contacts.
void ContactStepper::fill_motion(const StepPart& part, ComplementarityProblem& problem) {
  const auto& [model, state, h, rules] = part;
  find_supports(model, state.poses, placed_, h, impulse_time(h), supports_);
  if (predicts_drivers(discrete_)) predict_supports(model, state, driven_, supports_);
  find_elements(
      {model, state, placed_, h, impulse_time(h), motion_ == MotionModel::dynamic, element_rows_},
      elements_);
  switch (motion_) {
    case MotionModel::dynamic:
      free_motion(model, state, forces_.line(), h, problem.M, problem.p, foreseen_);
      break;
    case MotionModel::first_order:
      damped_motion(model, state.poses, forces_.line(), problem.M, problem.p, foreseen_);
      break;
    case MotionModel::quasi_static:
      weightless_motion(model, state.poses, forces_.line(), foreseen_, problem.M, problem.p);
      inertia_matrix(model, state.poses, inertia_);
      // Without inertia their stiffness stands beside the viscosity of supports.
      condense_elements(model, state.poses, elements_, problem);
      elements_.clear();
      break;
  }
}

void ContactStepper::set_reach(const StepPart& part) {
  if (foresees() || part.flies())
    reach_.foresee(part.model, {part.state, placed_, foreseen_}, part.h);
  else
    reach_.set(part.model, touch_);
}

// --- detect -------------------------------------------------------------------------------------

void ContactStepper::find_contacts(StepContext& context, const State& state) {
  const std::vector<double>& distances = reach_.distances();
  const ContactsAhead& ahead = context.work.ahead;
  const bool known = ahead.serves &&
                     std::equal(distances.begin(), distances.end(), ahead.reach.begin(),
                                ahead.reach.end(), std::less_equal<>()) &&
                     ahead.is_at(state.poses);
  if (!known) {
    context.in.detector->detect(*context.in.model, state.poses, distances, context.work.contacts);
    return;
  }
  for (const Contact& contact : ahead.contacts)
    if (contact.gap <= distances[contact.body_a] + distances[contact.body_b])
      context.work.contacts.push_back(contact);
}

void ContactStepper::detect(StepContext& context, const StepPart& part, StepReport& report) {
  ContactSet& contacts = context.work.contacts;
  contacts.clear();
  if (report.diverged_body < 0) find_contacts(context, part.state);
  report.penetration = 0.0;
  for (const Contact& contact : contacts)
    report.penetration = std::max(report.penetration, -contact.gap);
  // A contact that no free coordinate can open or close is nothing to solve for.
  std::erase_if(contacts, [&](const Contact& contact) {
    return (contact.gap > touch_ && !part.flies()) ||
           !can_respond(part.model, part.state.poses, contact);
  });
  if (!part.flies()) return;
  flight_.sort({part.model, part.state, foreseen_, part.h}, contacts);
  std::erase_if(contacts, [&](const Contact& contact) { return contact.gap > touch_; });
}

// On whom rows of the problem act.
void ContactStepper::mark_joined(const Model& model, const StepWorkspace& work,
                                 std::vector<char>& bodies) const {
  bodies.assign(model.bodies.size(), 0);
  for (const Contact& contact : work.contacts) bodies[contact.body_a] = bodies[contact.body_b] = 1;
  for (const SupportPoint& support : supports_) bodies[support.body] = 1;
  for (const ElementTerms& element : elements_)
    for (const int body : {element.row.body_a, element.row.body_b})
      if (body >= 0) bodies[body] = 1;
}

// Who does not fly freely. In a part that coasts bodies that touch something keep their velocities.
void ContactStepper::mark_touched(StepWorkspace& work, const StepPart& part) {
  mark_joined(part.model, work, touched_);
  hold_touched(part, work.problem);
  if (!part.coasts()) return;
  work.contacts.clear();
  supports_.clear();
  elements_.clear();
}

// What does not fly is moved by the velocity at its end, which goes with the forces at its start.
void ContactStepper::hold_touched(const StepPart& part, ComplementarityProblem& problem) {
  if (!forces_.ground(part.model, touched_)) return;
  foresee(part);
  fill_motion(part, problem);
}

// --- formulate ----------------------------------------------------------------------------------

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
  const std::vector<Pose>& runs = predicts_drivers(discrete_) ? state.poses : placed_;
  const Vector3 carried = prescribed + surface_velocity(model, runs, contact, state.time, h);
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

// --- solve --------------------------------------------------------------------------------------

// Velocities at the end of the step: of the free motion where nothing can touch.
void ContactStepper::solve(StepContext& context, StepReport& report) {
  const Model& model = *context.in.model;
  StepWorkspace& work = context.work;
  next_ = foreseen_;
  if (motion_ != MotionModel::quasi_static && work.problem.rows() == 0) {
    report.solve = {};
    report.solve.status = SolveStatus::solved;
    for (int i = 0; i < model.velocity_count; ++i)
      if (model.free_index[i] >= 0) work.solution.u[model.free_index[i]] = foreseen_[i];
    return;
  }
  solve_motion(context, report);
  if (report.ending != Ending::none) {  // bodies stay where they are
    work.solution.lambda.setZero();
    return;
  }
  if (report.solve.status == SolveStatus::refused) {
    // Numbers beyond what a solver takes: there is no next velocity to go on with.
    for (int b = 0; b < static_cast<int>(model.bodies.size()) && report.diverged_body < 0; ++b)
      if (model.bodies[b].velocity_size > 0) report.diverged_body = b;
    if (!work.contacts.empty()) {
      const Contact& contact = work.contacts.front();
      report.diverged_body =
          model.bodies[contact.body_b].velocity_size > 0 ? contact.body_b : contact.body_a;
    }
    return;
  }
  for (int i = 0; i < model.velocity_count; ++i)
    if (model.free_index[i] >= 0) next_[i] = work.solution.u[model.free_index[i]];
  if (motion_ == MotionModel::dynamic) rest_on_supports(model, context.in.accuracy);
}

void ContactStepper::solve_motion(StepContext& context, StepReport& report) {
  StepWorkspace& work = context.work;
  if (motion_ != MotionModel::quasi_static) {
    report.solve = selection_.solve(work.problem, *context.in.solver, context.in.accuracy,
                                    work.solution, &before_, gap_noise_);
    report.selected = selection_.report().chosen;
    report.unselected = selection_.report().missed;
    show(context, report);
    return;
  }
  const QuasiStaticAnswer answer = quasi_static_.solve(work.problem, inertia_, *context.in.solver,
                                                       work.solution, context.in.accuracy);
  report.solve = answer.solve;
  report.ending = answer.ending;
  report.selected = answer.selection.chosen;
  report.unselected = answer.selection.missed;
  report.free_motions = answer.free.count;
  const Model& model = *context.in.model;
  report.free_body = answer.free.count > 0 ? body_of(model, answer.free.unknown) : -1;
  report.shortage = shortage_of(model, answer);
  show(context, report);
}

SolvedProblem ContactStepper::solved(const StepContext& context) const {
  return {.problem = context.work.problem,
          .model = *context.in.model,
          .motion = motion_,
          .inertia = motion_ == MotionModel::quasi_static ? &inertia_ : nullptr,
          .accuracy = context.in.accuracy};
}

// Hands an answer to the witness, who may put another in its place.
void ContactStepper::show(StepContext& context, StepReport& report) const {
  if (context.in.witness && report.ending == Ending::none &&
      WitnessedSolver::has_answer(report.solve))
    context.in.witness->look(solved(context), context.work.solution, report);
}

// Asks whether the answer that stays is the only one.
void ContactStepper::diagnose(StepContext& context, StepReport& report) const {
  if (report.ending == Ending::none && WitnessedSolver::has_answer(report.solve))
    context.in.diagnosis->look(solved(context), {builder_.map(), next_}, context.work.solution,
                               report);
}

// Forces that are no linear functions of the velocities: their lines touch them at the velocities
// that come out, or the step is not solved.
void ContactStepper::settle_forces(StepContext& context, StepPart part, StepReport& report) {
  part.rules.stabilised = part.rules.stabilised && !report.fell_back;
  int iterations = report.solve.iterations;
  const auto meets = [&] {
    mark_joined(part.model, context.work, joined_);
    return forces_.meets(next_, {foreseen_, joined_}, context.in.accuracy);
  };
  while (report.ending == Ending::none && report.solve.status != SolveStatus::refused && !meets()) {
    if (!forces_.follow(next_)) {
      report.solve.status = SolveStatus::limit;
      report.solve.residual.relative = std::max(report.solve.residual.relative, forces_.error());
      report.solve.note = "forces that depend on velocity did not settle";
      break;
    }
    foresee(part);
    fill_motion(part, context.work.problem);
    formulate(context.work, part);
    solve(context, report);  // from the last answer
    iterations += report.solve.iterations;
  }
  report.solve.iterations = iterations;
  forces_.still(joined_, next_);
}

// Proved, or none was found: with large friction a problem may have no solution that only a search
// through all modes of contact could prove.
bool ContactStepper::has_no_answer(const StepReport& report) const {
  // Far above what an unfinished solve leaves, far below the residual of a problem without answer.
  constexpr double hopeless = 1e-6;
  if (report.solve.status == SolveStatus::no_solution)
    return report.ending != Ending::no_equilibrium;
  return motion_ != MotionModel::quasi_static && report.solve.status == SolveStatus::inaccurate &&
         report.solve.residual.relative > hopeless;
}

// The same step without the terms that push overlapping bodies apart.
void ContactStepper::fall_back(StepContext& context, StepPart part, StepReport& report) {
  part.rules.stabilised = false;
  formulate(context.work, part);
  warm_start(context.work, part);
  solve(context, report);
  report.fell_back = true;
}

// What friction stopped is at rest. The rest of its velocity that a solver leaves is below what the
// judge asks of this step, but would be all that moves in the next one, where nothing resolves it.
void ContactStepper::rest_on_supports(const Model& model, const Accuracy& accuracy) {
  const double asked =
      accuracy.acceptable();  // of the speed that it had, or that friction can stop
  for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b) {
    const Body& body = model.bodies[b];
    if (body.supports.empty()) continue;
    const auto speed = [&](const VectorX& velocities) {
      const Twist twist = body_twist(model, velocities, b);
      return twist.linear.norm() + body.bounding_radius * twist.angular.norm();
    };
    double limit = 0.0;
    for (const SupportPoint& support : supports_)
      if (support.body == b) limit += support.limit;
    if (speed(next_) > asked * std::max(speed(foreseen_), limit / body.mass.mass)) continue;
    for (int i = body.velocity_offset; i < body.velocity_offset + body.velocity_size; ++i)
      if (model.free_index[i] >= 0) next_[i] = 0.0;
  }
}

// Whether everything that could matter was in the contact set; otherwise the step starts again with
// a wider reach.
bool ContactStepper::is_whole(const StepPart& part, StepReport& report) {
  if (!foresees() || !reach_.outrun(part.model, next_, part.h)) return true;
  if (report.passes < max_passes) return false;
  // Something may have been passed unseen: what was solved is not the whole problem.
  report.solve.status = SolveStatus::limit;
  report.solve.residual.relative = std::numeric_limits<double>::infinity();
  report.solve.note = "bodies outran the contact set";
  return true;
}

// --- move ---------------------------------------------------------------------------------------

// The poses at the end of the step, into moved_.
void ContactStepper::move(const StepPart& part) {
  const auto& [model, state, h, rules] = part;
  moved_ = state.poses;
  for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b) {
    const Body& body = model.bodies[b];
    if (body.velocity_size == 0) continue;
    for (int i = body.velocity_offset;
         part.coasts() && touched_[b] && i < body.velocity_offset + body.velocity_size; ++i)
      if (model.free_index[i] >= 0) next_[i] = state.velocities[i];
    moved_[b] = part.flies() && !touched_[b]
                    ? advance_flying(model, state, b, h, next_)
                    : advanced(body, moved_[b], body_twist(model, next_, b), h);
    place_prescribed(body, state.time + h, moved_[b]);
  }
}

// --- collect ------------------------------------------------------------------------------------

void ContactStepper::remember(const StepContext&, State&, double) {}

void ContactStepper::collect(StepContext& context, State& state, double h, StepReport& report) {
  const Model& model = *context.in.model;
  const ContactSet& contacts = context.work.contacts;
  report.contact_count = static_cast<int>(contacts.size());
  context.out.contacts.clear();
  state.memory.clear();
  struck_.clear();
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const Contact& contact = contacts[i];
    const ContactTerms& terms = terms_[i];
    SolvedContact solved{contact, terms.frame.tangent_1, terms.frame.tangent_2};
    solved.friction = terms.friction;
    solved.impulse = h / impulse_time(h) *
                     builder_.impulse(builder_.contacts()[i], context.work.solution.lambda);
    const Vector3 velocity = relative_velocity(model, state.poses, next_, contact) +
                             surface_velocity(model, placed_, contact, state.time, h);
    solved.velocity = {contact.normal.dot(velocity), terms.frame.tangent_1.dot(velocity),
                       terms.frame.tangent_2.dot(velocity)};
    if (!solved.impulse.isZero(0.0)) {
      ++report.active_count;
      state.memory.impulses.push_back({contact.key, contact.patch_point, solved.impulse});
      // A rebound is due only where the gap was closed; impulses of rounding do not count.
      const bool hit = solved.velocity[0] + contact.gap / h < 1e-3 * terms.rebound;
      if (hit && terms.rebound > 0.0) state.memory.rebounds.push_back({contact.key, terms.rebound});
      if ((hit && terms.rebound > 0.0) || terms.rebounds) struck_.push_back(contact.key);
    }
    // E⁺ − E = λᵀ J v⁺ − ½ ΔvᵀM Δv: only the rows of rebounds have λ_n J_n v⁺ > 0.
    if (terms.rebounds) report.rebound_energy += solved.impulse[0] * solved.velocity[0];
    context.out.contacts.push_back(solved);
  }
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
      solved.friction = support.friction;
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
