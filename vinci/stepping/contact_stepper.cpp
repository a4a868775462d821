// SPDX-License-Identifier: Apache-2.0
// One step as a list of stages: foresee, detect, formulate and solve, move.
#include "vinci/stepping/contact_stepper.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "vinci/base/clock.h"
#include "vinci/formulation/contact_motion.h"
#include "vinci/formulation/free_motion.h"
#include "vinci/formulation/pair_columns.h"
#include "vinci/kinematics/joint_efforts.h"
#include "vinci/kinematics/joint_tree.h"
#include "vinci/model/actuation.h"
#include "vinci/stepping/step_diagnosis.h"
#include "vinci/stepping/step_forces.h"

namespace vinci {
namespace {

// A chain of bodies that hit each other within one step needs a pass per link.
constexpr int max_passes = 16;
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
  for (const int b : model.tree_order) {
    const Joint& joint = model.joints[model.tree_joint[b]];
    for (int k = 0; k < rate_count(joint.kind); ++k)
      if (model.rate_index[joint.first_rate + k] == unknown) return b;
  }
  return -1;
}

// What is missing of a balance, as force and torque on the body that lacks most.
Shortage shortage_of(const Model& model, const Tree* tree, const QuasiStaticAnswer& answer) {
  Shortage shortage;
  if (answer.unbalanced < 0) return shortage;
  shortage.body = body_of(model, answer.unbalanced);
  const Twist load = unknown_load(model, tree, shortage.body, answer.missing);
  shortage.force = load.linear.norm();
  shortage.torque = load.angular.norm();
  if (shortage.force > 0.0) shortage.along = load.linear / shortage.force;
  if (shortage.torque > 0.0) shortage.about = load.angular / shortage.torque;
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
      discrete_(discrete_model_of(options)),
      smooth_(options),
      frames_(options) {
  island_wise_.take_boxes(form_.cone == Cone::box);
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

namespace {

// What only event-driven motion obeys.
std::string why_not_switched(const Model& model) {
  if (!model.constraints.empty())
    return fmt::format(
        "constraint '{}' of the scene is for motion through events; accepted: "
        "'stepper: event-driven', or a scene without `constraints`",
        model.constraints.front().name);
  if (!model.machines.empty())
    return fmt::format(
        "machine '{}' of the scene is for motion through events; accepted: "
        "'stepper: event-driven', or a scene without `machines`",
        model.machines.front().name);
  std::set<int> used;
  for (const PlacedShape& shape : model.shapes) used.insert(shape.material);
  for (const int a : used)
    for (const int b : used)
      if (model.surface(a, b).never_slides)
        return fmt::format(
            "materials '{}' and '{}' roll whatever that takes (`rolls`), which is "
            "for motion through events; accepted: 'stepper: event-driven', or a "
            "large `friction` instead",
            model.materials[static_cast<std::size_t>(a)].name,
            model.materials[static_cast<std::size_t>(b)].name);
  return "";
}

}  // namespace

std::string ContactStepper::why_not(const Model& model) const {
  if (std::string reason = why_not_switched(model); !reason.empty()) return reason;
  if (form_.cone == Cone::pyramid && model.world == World::spatial && form_.directions < 3)
    return "a friction pyramid in space needs at least 3 directions";
  if (frames_.rule() != FrameRule::start && predicts_drivers(discrete_))
    return "dqc and dlc take contacts at the start of the step, as their paper does; accepted: "
           "'contact-frames: start', or 'motion: quasi-static'";
  if (frames_.rule() == FrameRule::gap && !foresees())
    return "anitescu-potra has no gaps in its rows; accepted: 'contact-frames: start', 'driven' or "
           "'end', or stewart-trinkle";
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
  for (const Surface& surface : model.surfaces) {
    terms.moments.rolling = std::max(terms.moments.rolling, surface.moments.rolling);
    terms.moments.torsion = std::max(terms.moments.torsion, surface.moments.torsion);
    terms.moments.radius = std::max(terms.moments.radius, surface.moments.radius);
  }
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

  if (part.flies()) begin_flight(part);
  begin(context, part);
  report.diverged_body = non_finite_body(model, placed_, foreseen_);
  stamp(Stage::formulate);
  for (report.passes = 1;; ++report.passes) {
    detect(context, part, report);
    stamp(Stage::detect);
    if (part.flies() && rules.flight->strikes && flight_.is_struck()) return report;
    if (part.flies()) mark_touched(context.work, part);
    if (frames_.rule() == FrameRule::driven) take_driven_frames(context, part);
    if (model.friction_laws) friction_.begin(rubbing(context, part));
    formulate(context.work, part);
    warm_start(context.work, part);
    stamp(Stage::formulate);
    solve_part(context, part, report);
    if (part.flies() && !model.joints.empty()) settle_flight_products(context, part, report);
    if (model.friction_laws && !part.coasts()) settle_friction(context, part, report);
    stamp(Stage::solve);
    if (part.coasts()) break;
    if (part.flies() && report.passes < max_passes &&
        flight_.outrun({model, state, foreseen_, foreseen_rates_, h}, next_, next_rates_))
      continue;
    if (overruns_limit(part) && report.passes < max_passes) {
      has_all_limits_ = true;
      foresee(part);
      fill_motion(part, context.work.problem);
      continue;
    }
    if (is_whole(part, report)) break;
  }
  if (frames_.iterates()) {
    settle_frames(context, part, report);
    stamp(Stage::solve);
  }
  if (context.in.diagnosis && !part.coasts()) {
    take_matrix(part, context.work.problem);
    diagnose(context, report);
    stamp(Stage::solve);
  }
  rest_on_contacts(context, part, report);
  move(part);
  // Nothing from here on calls code of the caller, so nothing throws.
  collect(context, state, h, report);
  state.poses = moved_;
  state.velocities = next_;
  state.joint_positions = next_positions_;
  state.joint_rates = next_rates_;
  settle_joints(model, state, report);
  carry_velocities(model, state);
  if (part.flies() && !model.joints.empty()) settle_flight(context.work.problem, part, state);
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
  begin_flight(part);
  StepReport report;
  begin(context, part);
  report.diverged_body = non_finite_body(part.model, placed_, foreseen_);
  detect(context, part, report);
}

// --- foresee ------------------------------------------------------------------------------------

// What comes before the first detection.
void ContactStepper::begin(StepContext& context, const StepPart& part) {
  const LinearForces* held = part.rules.held_forces;
  has_all_limits_ = false;
  unresolved_ = context.in.accuracy.tolerance;
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
  drivers_rest_ = equal_poses(placed_, part.state.poses);
  if (!model.tree_order.empty() && !drivers_rest_)
    place_tree(model, part.state.joint_positions, placed_);
  foreseen_ = part.state.velocities;
  foreseen_rates_ = part.state.joint_rates;
  prescribe_velocities(model, end, placed_, foreseen_);
  if (part.flies() && !model.joints.empty()) set_middle(part);
  if (predicts_drivers(discrete_)) predict_drivers(model, part.state, driven_);
}

// M and p of the motion model, the velocities that they lead to without contact, and what acts on
// bodies besides contacts.
void ContactStepper::fill_motion(const StepPart& part, ComplementarityProblem& problem) {
  const auto& [model, state, h, rules] = part;
  find_joints(part);
  if (predicts_drivers(discrete_)) carry_drivers(model);
  const RowSpace space{model, state.poses, form_, tree_of(model)};
  find_supports(space, placed_, h, impulse_time(h), supports_);
  if (predicts_drivers(discrete_)) predict_supports(model, state, driven_, supports_);
  find_elements({model, state, placed_, h, impulse_time(h), motion_ == MotionModel::dynamic,
                 element_rows_, space.tree},
                elements_);
  fill_inertia(part, problem);
  if (motion_ == MotionModel::quasi_static) {
    // Without inertia their stiffness stands beside the viscosity of supports.
    condense_elements(space, elements_, problem);
    elements_.clear();
  }
  join_motion(part, problem);
}

void ContactStepper::fill_inertia(const StepPart& part, ComplementarityProblem& problem) {
  const auto& [model, state, h, rules] = part;
  if (!model.tree_order.empty()) return fill_tree(part, problem);
  switch (motion_) {
    case MotionModel::dynamic:
      free_motion(model, at_middle(part), forces_.line(), h, problem.M, problem.p, foreseen_);
      break;
    case MotionModel::first_order:
      damped_motion(model, state.poses, forces_.line(), problem.M, problem.p, foreseen_);
      break;
    case MotionModel::quasi_static:
      weightless_motion(model, state.poses, forces_.line(), foreseen_, problem.M, problem.p);
      inertia_matrix(model, state.poses, inertia_);
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
           !can_respond(part.model, part.state.poses, contact, tree_of(part.model));
  });
  frames_.begin(contacts);
  if (!part.flies()) return;
  flight_.sort({part.model, part.state, flown_velocities(part), foreseen_rates_, part.h}, contacts);
  std::erase_if(contacts, [&](const Contact& contact) { return contact.gap > touch_; });
}

// On whom contacts, supports and elements act.
void ContactStepper::mark_acted(const StepWorkspace& work, std::vector<char>& bodies) const {
  std::fill(bodies.begin(), bodies.end(), 0);
  for (const Contact& contact : work.contacts) bodies[contact.body_a] = bodies[contact.body_b] = 1;
  for (const SupportPoint& support : supports_) bodies[support.body] = 1;
  for (const ElementTerms& element : elements_)
    for (const int body : {element.row.body_a, element.row.body_b})
      if (body >= 0) bodies[body] = 1;
}

// On whom rows of the problem act.
void ContactStepper::mark_joined(const Model& model, const StepWorkspace& work,
                                 std::vector<char>& bodies) const {
  bodies.resize(model.bodies.size());
  mark_acted(work, bodies);
  for (const Joint& joint : model.joints)
    for (const int body : {joint.body_a, joint.body_b})
      if (body >= 0) bodies[body] = 1;
}

// Who does not fly freely. In a part that coasts bodies that touch something keep their velocities.
void ContactStepper::mark_touched(StepWorkspace& work, const StepPart& part) {
  touched_.resize(part.model.bodies.size());
  mark_acted(work, touched_);
  hold_touched(part, work.problem);
  if (!part.coasts()) return;
  work.contacts.clear();
  supports_.clear();
  elements_.clear();
}

// What does not fly is moved by the velocity at its end, which goes with the forces at its start.
void ContactStepper::hold_touched(const StepPart& part, ComplementarityProblem& problem) {
  const bool changed = !part.model.joints.empty() && ground_mechanisms(part);
  if (!forces_.ground(part.model, touched_) && !changed) return;
  foresee(part);
  fill_motion(part, problem);
}

// --- solve --------------------------------------------------------------------------------------

void ContactStepper::solve_part(StepContext& context, const StepPart& part, StepReport& report) {
  solve(context, report);
  smooth_.leave();
  if (rides_smoothly(context, part)) return;
  if (foreseen_roughly_ && lacks_matrix_) {
    take_matrix(part, context.work.problem);
    solve(context, report);
  }
  if (has_no_answer(report)) fall_back(context, part, report);
  if (rebounds_.any) limit_rebounds(context, part, report);
  if (forces_.has_drags() && !part.coasts()) settle_forces(context, part, report);
  if (!part.model.tree_order.empty() && motion_ == MotionModel::dynamic && !part.coasts())
    settle_products(context, part, report);
}

// Velocities at the end of the step: of the free motion where nothing can touch.
void ContactStepper::solve(StepContext& context, StepReport& report) {
  const Model& model = *context.in.model;
  StepWorkspace& work = context.work;
  next_ = foreseen_;
  next_rates_ = foreseen_rates_;
  if (motion_ != MotionModel::quasi_static && work.problem.rows() == 0) {
    report.solve = {};
    report.solve.status = SolveStatus::solved;
    gather(model, foreseen_, foreseen_rates_, work.solution.u);
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
  spread(model, work.solution.u, next_, next_rates_);
  if (motion_ == MotionModel::dynamic) rest_on_supports(model, context.in.accuracy);
}

void ContactStepper::solve_motion(StepContext& context, StepReport& report) {
  StepWorkspace& work = context.work;
  if (motion_ != MotionModel::quasi_static) {
    report.solve = island_wise_.solve(work.problem,
                                      {.solver = *context.in.solver,
                                       .accuracy = context.in.accuracy,
                                       .velocities = &before_,
                                       .resolution = gap_noise_,
                                       .interruption = context.in.interruption,
                                       .threads = context.in.threads},
                                      work.solution);
    report.selected = island_wise_.report().chosen;
    report.unselected = island_wise_.report().missed;
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
  report.shortage = shortage_of(model, tree_of(model), answer);
  show(context, report);
}

SolvedProblem ContactStepper::solved(const StepContext& context) const {
  return {.problem = context.work.problem,
          .model = *context.in.model,
          .tree = tree_of(*context.in.model),
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
  // The only motion with these coefficients of friction: at other speeds they are others.
  if (context.in.model->friction_laws && friction_.searched() &&
      report.uniqueness == Uniqueness::unique)
    report.uniqueness = Uniqueness::unknown;
}

// Kinetic energy that the answer has beyond that without contact, and of all that moves, J. The
// work of surfaces that run is none of it: on them it is that of a body that slides on one at rest.
ContactStepper::Gain ContactStepper::energy_gained(const Model& model, const StepWorkspace& work) {
  gather(model, next_, next_rates_, change_);
  gather(model, foreseen_, foreseen_rates_, sum_);
  change_ -= sum_;
  sum_ = change_ + 2.0 * sum_;
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
  for (int b = 0; b < static_cast<int>(part.model.bodies.size()); ++b) {
    const Body& body = part.model.bodies[b];
    if (hangs(tree_of(part.model), b)) continue;
    for (int i = body.velocity_offset; i < body.velocity_offset + body.velocity_size; ++i)
      if (part.model.free_index[i] < 0 && next_[i] != 0.0) return;
  }
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
  if (part.coasts() && !model.joints.empty()) keep_coasting(part);
  for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b) {
    const Body& body = model.bodies[b];
    if (body.velocity_size == 0 || hangs(tree_of(model), b)) continue;
    for (int i = body.velocity_offset;
         part.coasts() && touched_[b] && i < body.velocity_offset + body.velocity_size; ++i)
      if (model.free_index[i] >= 0) next_[i] = state.velocities[i];
    if (part.flies() && !flying_.empty() && flying_[b]) {
      moved_[b] = advanced(body, middle_.poses[b], body_twist(model, next_, b), 0.5 * h);
      place_prescribed(body, state.time + h, moved_[b]);
    } else if (part.flies() && !touched_[b]) {
      moved_[b] = advance_flying(model, state, b, h, next_);
      place_prescribed(body, state.time + h, moved_[b]);
    } else {
      moved_[b] = carried_by(part, b, next_);
    }
  }
  if (!model.joints.empty()) advance_joints(part);
}

// Of a body, at the end of the step.
Pose ContactStepper::carried_by(const StepPart& part, int b, const VectorX& velocities) const {
  const Body& body = part.model.bodies[b];
  Pose pose = advanced(body, part.state.poses[b], body_twist(part.model, velocities, b), part.h);
  place_prescribed(body, part.state.time + part.h, pose);
  return pose;
}

}  // namespace vinci
