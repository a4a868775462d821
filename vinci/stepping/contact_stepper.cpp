// SPDX-License-Identifier: Apache-2.0
// One step as a list of stages.
#include "vinci/stepping/contact_stepper.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "vinci/base/clock.h"
#include "vinci/formulation/contact_motion.h"
#include "vinci/formulation/free_motion.h"
#include "vinci/model/actuation.h"
#include "vinci/stepping/step_forces.h"

namespace vinci {
namespace {

// A chain of bodies that hit each other within one step needs a pass a link.
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

}  // namespace

ContactStepper::ContactStepper(const OptionValues& options, double touch)
    : motion_(options.text("motion") == "first-order"    ? MotionModel::first_order
              : options.text("motion") == "quasi-static" ? MotionModel::quasi_static
                                                         : MotionModel::dynamic),
      cone_(options.text("cone") == "pyramid" ? Cone::pyramid : Cone::quadratic),
      directions_(static_cast<int>(options.integer("directions"))),
      touch_(touch) {}

// Whether contacts that are still open take part.
bool ContactStepper::foresees() const {
  return std::isinf(touch_);
}

std::string ContactStepper::why_not(const Model& model) const {
  if (cone_ == Cone::pyramid && model.world == World::spatial && directions_ < 3)
    return "a friction pyramid in space needs at least 3 directions";
  return {};
}

ComplementarityProblem ContactStepper::probe(const Model& model) const {
  ComplementarityProblem problem;
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
  const std::vector<Pose> poses(2);
  const bool lies = std::any_of(model.bodies.begin(), model.bodies.end(),
                                [](const Body& body) { return !body.supports.empty(); });
  const ConeForm form{cone_, directions_};
  append_contact_rows(one, poses, {contact}, {&terms, 1}, cone_, directions_, problem,
                      lies ? support_row_count(form) : 0);
  if (lies) append_support_rows(one, poses, {{.body = 1, .limit = 1.0}}, form, problem);
  problem.M.reset(one.free_count);
  for (int i = 0; i < one.free_count; ++i) {
    problem.M.push(i, 1.0);
    problem.M.end_row();
  }
  problem.p = VectorX::Zero(one.free_count);
  return problem;
}

StepReport ContactStepper::step(StepContext& context, State& state, double h) {
  const Model& model = *context.model;
  StepReport report;
  Stopwatch watch;
  auto stamp = [&](Stage stage) { report.seconds[static_cast<int>(stage)] += watch.lap(); };

  begin(context, state, h);
  report.diverged_body = non_finite_body(model, placed_, foreseen_);
  stamp(Stage::formulate);
  for (report.passes = 1;; ++report.passes) {
    detect(context, state, h, report);
    stamp(Stage::detect);
    if (in_flight_ && flight_.rules().strikes && flight_.is_struck()) return report;
    if (in_flight_) mark_touched(context, h);
    formulate(context, state, h);
    warm_start(context, state, h);
    stamp(Stage::formulate);
    solve(context, report);
    if (has_no_answer(report)) fall_back(context, state, h, report);
    stamp(Stage::solve);
    if (in_flight_ && coasts_) break;
    if (in_flight_ && report.passes < max_passes &&
        flight_.outrun({model, state, foreseen_, h}, next_))
      continue;
    if (is_whole(model, h, report)) break;
  }
  move(context, state, h);
  if (is_pushed(context, report)) settle(context, state, h, report);
  stamp(Stage::solve);
  // Nothing from here on calls code of the caller, so nothing throws.
  collect(context, state, h, report);
  advance(context, state, h);
  if (report.diverged_body < 0)
    report.diverged_body = non_finite_body(model, state.poses, state.velocities);
  stamp(Stage::advance);
  return report;
}

// What comes before the first detection.
void ContactStepper::begin(StepContext& context, const State& state, double h) {
  step_forces(context, state, h, forces_);
  foresee(*context.model, state, h);
  fill_motion(context, state, h);
  set_reach(*context.model, state, h);
}

void ContactStepper::find_contacts(StepContext& context, const State& state) {
  context.detector->detect(*context.model, state.poses, reach_.distances(), context.contacts);
}

bool ContactStepper::yields(const Model&, const Contact&) const {
  return false;
}

void ContactStepper::soften(const StepContext&, const State&, double, std::span<ContactTerms>) {}
void ContactStepper::remember(const StepContext&, State&, double) {}

namespace {

// True for as long as this lives.
class While {
 public:
  explicit While(bool& flag) : flag_(flag) { flag_ = true; }
  While(const While&) = delete;
  While& operator=(const While&) = delete;
  ~While() { flag_ = false; }

 private:
  bool& flag_;
};

}  // namespace

StepReport ContactStepper::fly(StepContext& context, State& state, double h,
                               const FlightRules& rules) {
  const While flying(in_flight_);
  flight_.begin(rules);
  return step(context, state, h);
}

void ContactStepper::look(StepContext& context, const State& state, double h,
                          const FlightRules& rules) {
  const While flying(in_flight_);
  flight_.begin(rules);
  StepReport report;
  begin(context, state, h);
  report.diverged_body = non_finite_body(*context.model, placed_, foreseen_);
  detect(context, state, h, report);
}

void ContactStepper::solve_motion(StepContext& context, StepReport& report) {
  if (motion_ != MotionModel::quasi_static) {
    report.solve = context.solver->solve(context.problem, context.solution);
    return;
  }
  const QuasiStaticAnswer answer =
      quasi_static_.solve(context.problem, inertia_, *context.solver, context.solution);
  report.solve = answer.solve;
  report.ending = answer.ending;
  report.free_motions = answer.free.count;
  report.free_body = -1;
  const Model& model = *context.model;
  for (int b = 0; b < static_cast<int>(model.bodies.size()) && answer.free.count > 0; ++b)
    for (int i = 0; i < model.bodies[b].velocity_size; ++i)
      if (model.free_index[model.bodies[b].velocity_offset + i] == answer.free.unknown)
        report.free_body = b;
}

// Where and how fast the prescribed coordinates will be at the end of the step.
void ContactStepper::foresee(const Model& model, const State& state, double h) {
  placed_ = state.poses;
  for (std::size_t b = 0; b < model.bodies.size(); ++b)
    place_prescribed(model.bodies[b], state.time + h, placed_[b]);
  foreseen_ = state.velocities;
  prescribe_velocities(model, state.time + h, placed_, foreseen_);
}

// M and p of the motion model, and the velocities that they lead to without contact.
void ContactStepper::fill_motion(StepContext& context, const State& state, double h) {
  const Model& model = *context.model;
  SparseRows& M = context.problem.M;
  VectorX& p = context.problem.p;
  switch (motion_) {
    case MotionModel::dynamic:
      free_motion(model, state, forces_, h, M, p, foreseen_);
      break;
    case MotionModel::first_order:
      damped_motion(model, state.poses, forces_, M, p, foreseen_);
      break;
    case MotionModel::quasi_static:
      weightless_motion(model, state.poses, forces_, foreseen_, M, p);
      inertia_matrix(model, state.poses, inertia_);
      break;
  }
  find_supports(model, state.poses, placed_, h, impulse_time(h), supports_);
}

// What a force is multiplied by in λ, and λ divided by in an impulse: λ is an impulse in the
// dynamic model, a force in the others.
double ContactStepper::impulse_time(double h) const {
  return motion_ == MotionModel::dynamic ? h : 1.0;
}

void ContactStepper::set_reach(const Model& model, const State& state, double h) {
  if (foresees() || in_flight_)
    reach_.foresee(model, {state, placed_, foreseen_}, h);
  else
    reach_.set(model, touch_);
}

void ContactStepper::detect(StepContext& context, const State& state, double h,
                            StepReport& report) {
  const Model& model = *context.model;
  ContactSet& contacts = context.contacts;
  contacts.clear();
  if (report.diverged_body < 0) find_contacts(context, state);
  report.penetration = 0.0;
  for (const Contact& contact : contacts)
    report.penetration = std::max(report.penetration, -contact.gap);
  // A contact that no free coordinate can open or close is nothing to solve for.
  std::erase_if(contacts, [&](const Contact& contact) {
    return (contact.gap > touch_ && !in_flight_) || !can_respond(model, state.poses, contact);
  });
  if (!in_flight_) return;
  flight_.sort({model, state, foreseen_, h}, contacts);
  std::erase_if(contacts, [&](const Contact& contact) { return contact.gap > touch_; });
}

// Proved, or none was found: with large friction a problem may have no solution that only a search
// through all modes of contact could prove.
bool ContactStepper::has_no_answer(const StepReport& report) const {
  constexpr double hopeless = 1e-6;
  if (report.solve.status == SolveStatus::no_solution)
    return report.ending != Ending::no_equilibrium;
  return motion_ != MotionModel::quasi_static && report.solve.status == SolveStatus::inaccurate &&
         report.solve.residual.relative > hopeless;
}

// The same step without the terms that push overlapping bodies apart.
void ContactStepper::fall_back(StepContext& context, const State& state, double h,
                               StepReport& report) {
  stabilised_ = false;
  formulate(context, state, h);
  stabilised_ = true;
  warm_start(context, state, h);
  solve(context, report);
  report.fell_back = true;
}

// Whether the answer has velocities that only push overlapping bodies apart, of a method that does
// not keep them.
bool ContactStepper::is_pushed(const StepContext& context, const StepReport& report) const {
  if (keeps_push() || motion_ != MotionModel::dynamic || report.fell_back ||
      report.solve.status == SolveStatus::refused || (in_flight_ && coasts_))
    return false;
  return std::any_of(context.contacts.begin(), context.contacts.end(),
                     [](const Contact& contact) { return contact.gap < -smallest_gap; });
}

// Velocities and impulses of the same step without the push, which has moved the bodies.
void ContactStepper::settle(StepContext& context, const State& state, double h,
                            StepReport& report) {
  const SolveReport pushed = report.solve;
  pushed_ = next_;
  pushes_ = false;
  formulate(context, state, h);
  pushes_ = true;
  solve(context, report);  // from the answer with the push
  const int iterations = report.solve.iterations + pushed.iterations;
  if (!(report.solve.residual.relative >= pushed.residual.relative)) report.solve = pushed;
  report.solve.iterations = iterations;
  // What flies has its velocity from move().
  for (int b = 0; in_flight_ && b < static_cast<int>(context.model->bodies.size()); ++b) {
    const Body& body = context.model->bodies[b];
    if (!touched_[b])
      next_.segment(body.velocity_offset, body.velocity_size) =
          pushed_.segment(body.velocity_offset, body.velocity_size);
  }
}

// Velocities at the end of the step: of the free motion where nothing can touch.
void ContactStepper::solve(StepContext& context, StepReport& report) {
  const Model& model = *context.model;
  next_ = foreseen_;
  if (motion_ != MotionModel::quasi_static && context.problem.rows() == 0) {
    report.solve = {};
    report.solve.status = SolveStatus::solved;
    for (int i = 0; i < model.velocity_count; ++i)
      if (model.free_index[i] >= 0) context.solution.u[model.free_index[i]] = foreseen_[i];
    return;
  }
  solve_motion(context, report);
  if (report.ending != Ending::none) {  // bodies stay where they are
    context.solution.lambda.setZero();
    return;
  }
  if (report.solve.status == SolveStatus::refused) {
    // Numbers beyond what a solver takes: there is no next velocity to go on with.
    const Contact& contact = context.contacts.front();
    report.diverged_body =
        model.bodies[contact.body_b].velocity_size > 0 ? contact.body_b : contact.body_a;
    return;
  }
  for (int i = 0; i < model.velocity_count; ++i)
    if (model.free_index[i] >= 0) next_[i] = context.solution.u[model.free_index[i]];
  if (motion_ == MotionModel::dynamic) rest_on_supports(model);
}

// What friction stopped is at rest. The rest of its velocity that a solver leaves is below what the
// judge asks of this step, but would be all that moves in the next one, where nothing resolves it.
void ContactStepper::rest_on_supports(const Model& model) {
  constexpr double asked = 1e-10;  // of the speed that it had, or that its supports can stop
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

ContactTerms ContactStepper::terms_of(const Model& model, const State& state,
                                      const Contact& contact, double approach, double h) const {
  ContactTerms terms;
  terms.frame = contact_frame(model.world, contact.normal);
  const Surface& surface = model.surface_between(contact.key.shape_a(), contact.key.shape_b());
  terms.friction = surface.friction;
  const Vector3 point = 0.5 * (contact.point_a + contact.point_b);
  const Vector3 prescribed = prescribed_velocity(model, state.poses, placed_, contact, h);
  terms.prescribed = {terms.frame.tangent_1.dot(prescribed), terms.frame.tangent_2.dot(prescribed)};

  // A gap below the resolution of the coordinates, or a hundredth of an atom, is closed: divided by
  // h its noise would keep bodies at rest from resting, and a part that is wedged between others
  // without a solution. Layers rest at gaps that small.
  const bool rigid = !yields(model, contact);
  double resolution =
      std::max(smallest_gap, 16.0 * std::numeric_limits<double>::epsilon() * point.norm());
  if (in_flight_) resolution = std::max(resolution, flight_.rules().touch);
  const bool rebounds = rigid && motion_ == MotionModel::dynamic && !in_flight_;
  const bool closed = rigid && std::abs(contact.gap) <= resolution;
  ImpactState impact{.gap = closed ? 0.0 : contact.gap,
                     .restitution = rebounds ? surface.restitution : 0.0,
                     .approach = rebounds ? approach : 0.0};
  // However short the part of a step is, an overlap is closed at the pace of the whole one.
  if (in_flight_ && impact.gap < 0.0) impact.gap *= h / flight_.rules().step;
  if (!pushes_) impact.gap = std::max(impact.gap, 0.0);
  if (impact.restitution > 0.0) {
    impact.velocity =
        contact.normal.dot(relative_velocity(model, state.poses, state.velocities, contact));
    impact.change = contact.normal.dot(relative_velocity(model, state.poses, foreseen_, contact)) -
                    impact.velocity;
  }
  const ImpactTerms normal = stabilised_ || !rigid
                                 ? normal_terms(impact, h)
                                 : ImpactTerms{std::max(0.0, impact.gap) / h, 0.0};
  terms.normal_bias = normal.closing + contact.normal.dot(prescribed);
  terms.approach = normal.approach;
  return terms;
}

void ContactStepper::formulate(StepContext& context, const State& state, double h) {
  const Model& model = *context.model;
  terms_.clear();
  remembered_.clear();
  MemoryCursor impulses(state.memory.impulses);
  MemoryCursor rebounds(state.memory.rebounds);
  for (const Contact& contact : context.contacts) {
    const ImpulseMemory* impulse = impulses.find(contact.key, contact.patch_point);
    const ReboundMemory* rebound = rebounds.find(contact.key, contact.patch_point);
    remembered_.push_back(impulse ? impulse->impulse : Vector3::Zero());
    terms_.push_back(terms_of(model, state, contact, rebound ? rebound->speed : 0.0, h));
  }
  soften(context, state, h, terms_);
  const ConeForm form{cone_, directions_};
  const int support_rows = static_cast<int>(supports_.size()) * support_row_count(form);
  append_contact_rows(model, state.poses, context.contacts, terms_, cone_, directions_,
                      context.problem, support_rows);
  append_support_rows(model, state.poses, supports_, form, context.problem);
}

// Whether a body would not move without contact.
bool ContactStepper::is_still(const Model& model, int b) const {
  const Body& body = model.bodies[b];
  return foreseen_.segment(body.velocity_offset, body.velocity_size).isZero(0.0);
}

// Guess: the impulses that the same contacts had in the last step.
void ContactStepper::warm_start(StepContext& context, const State& state, double h) {
  const Model& model = *context.model;
  const World world = model.world;
  context.solution.u.setZero(context.problem.unknowns());
  for (int i = 0; motion_ == MotionModel::quasi_static && i < model.velocity_count; ++i)
    if (const int unknown = model.free_index[i]; unknown >= 0)
      context.solution.u[unknown] = state.velocities[i];
  context.solution.lambda.resize(context.problem.rows());
  const double scale = impulse_time(h) / h;
  int row = 0;
  for (std::size_t i = 0; i < context.contacts.size(); ++i) {
    guess_from(world, cone_, directions_, terms_[i].friction, scale * remembered_[i],
               context.solution.lambda, row);
    row += row_count(world, cone_, directions_, terms_[i].friction);
  }
  const ConeForm form{cone_, directions_};
  MemoryCursor memory(state.memory.impulses);
  for (const SupportPoint& support : supports_) {
    const ImpulseMemory* known = memory.find(support_key(support.body, support.index));
    // A body at rest that nothing moves rubs on nothing, whatever stopped it in the last step.
    const bool rests = motion_ == MotionModel::dynamic && is_still(model, support.body);
    guess_support(form,
                  known && !rests ? Vector2(scale * known->impulse.tail<2>()) : Vector2(0.0, 0.0),
                  context.solution.lambda, row);
    row += support_row_count(form);
  }
}

// Whether everything that could matter was in the contact set; otherwise the step starts again with
// a wider reach.
bool ContactStepper::is_whole(const Model& model, double h, StepReport& report) {
  if (!foresees() || !reach_.outrun(model, next_, h)) return true;
  if (report.passes < max_passes) return false;
  // Something may have been passed unseen: what was solved is not the whole problem.
  report.solve.status = SolveStatus::limit;
  report.solve.residual.relative = std::numeric_limits<double>::infinity();
  report.solve.note = "bodies outran the contact set";
  return true;
}

void ContactStepper::collect(StepContext& context, State& state, double h, StepReport& report) {
  const Model& model = *context.model;
  report.contact_count = static_cast<int>(context.contacts.size());
  context.solved.clear();
  state.memory.clear();
  int row = 0;
  for (std::size_t i = 0; i < context.contacts.size(); ++i) {
    const Contact& contact = context.contacts[i];
    const ContactTerms& terms = terms_[i];
    SolvedContact solved{contact, terms.frame.tangent_1, terms.frame.tangent_2};
    solved.friction = terms.friction;
    solved.impulse =
        h / impulse_time(h) *
        impulse_of(model.world, cone_, directions_, terms.friction, context.solution.lambda, row);
    const Vector3 velocity = relative_velocity(model, state.poses, next_, contact);
    solved.velocity = {contact.normal.dot(velocity), terms.frame.tangent_1.dot(velocity),
                       terms.frame.tangent_2.dot(velocity)};
    if (!solved.impulse.isZero(0.0)) {
      ++report.active_count;
      // A rebound is due only where the gap was closed; impulses of rounding do not count.
      const bool hit = solved.velocity[0] + contact.gap / h < 1e-3 * terms.approach;
      state.memory.impulses.push_back({contact.key, contact.patch_point, solved.impulse});
      if (hit && terms.approach > 0.0)
        state.memory.rebounds.push_back({contact.key, terms.approach});
    }
    context.solved.push_back(solved);
    row += row_count(model.world, cone_, directions_, terms.friction);
  }
  collect_supports(context, state, h, report, row);
  remember(context, state, h);
}

// Supports as contacts of a body with itself: normal up, tangents along x and y.
void ContactStepper::collect_supports(StepContext& context, State& state, double h,
                                      StepReport& report, int row) const {
  const Model& model = *context.model;
  const ConeForm form{cone_, directions_};
  auto acting = supports_.begin();
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
      if (acting != supports_.end() && acting->body == b && acting->index == k) {
        solved.impulse.tail<2>() =
            h / impulse_time(h) * support_force(form, context.solution.lambda, row);
        row += support_row_count(form);
        ++acting;
        if (!solved.impulse.tail<2>().isZero(0.0)) {
          ++report.active_count;
          state.memory.impulses.push_back({contact.key, 0, solved.impulse});
        }
      }
      solved.impulse.tail<2>() -= h * support.viscosity * solved.velocity.tail<2>();
      context.solved.push_back(solved);
      ++report.contact_count;
    }
}

// Who does not fly freely. In a part so short that forces change velocities by little more than
// their rounding there is nothing to solve for: bodies that touch something keep their velocities.
void ContactStepper::mark_touched(StepContext& context, double h) {
  touched_.assign(context.model->bodies.size(), 0);
  for (const Contact& contact : context.contacts)
    touched_[contact.body_a] = touched_[contact.body_b] = 1;
  for (const SupportPoint& support : supports_) touched_[support.body] = 1;
  coasts_ = h < coasting_share * flight_.rules().step;
  if (!coasts_) return;
  context.contacts.clear();
  supports_.clear();
}

// The poses at the end of the step, into moved_.
void ContactStepper::move(const StepContext& context, const State& state, double h) {
  const Model& model = *context.model;
  moved_ = state.poses;
  for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b) {
    const Body& body = model.bodies[b];
    if (body.velocity_size == 0) continue;
    for (int i = body.velocity_offset;
         in_flight_ && coasts_ && touched_[b] && i < body.velocity_offset + body.velocity_size; ++i)
      if (model.free_index[i] >= 0) next_[i] = state.velocities[i];
    moved_[b] = in_flight_ && !touched_[b]
                    ? advance_flying(model, state, b, h, next_)
                    : advanced(body, moved_[b], body_twist(model, next_, b), h);
    place_prescribed(body, state.time + h, moved_[b]);
  }
}

void ContactStepper::advance(const StepContext& context, State& state, double h) {
  state.poses = moved_;
  state.velocities = next_;
  state.controls = context.controls;
  ++state.step;
  state.time += h;
}

}  // namespace vinci
