// SPDX-License-Identifier: Apache-2.0
// One Stewart–Trinkle step as a list of stages.
#include "vinci/stepping/stewart_trinkle.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "vinci/base/clock.h"
#include "vinci/model/actuation.h"
#include "vinci/model/run_options.h"
#include "vinci/stepping/free_motion.h"
#include "vinci/stepping/impact.h"
#include "vinci/stepping/step_forces.h"

namespace vinci {
namespace {

// How much farther than foreseen a body may get before the step starts again: contact turns it,
// gravity pulls it.
constexpr double reach_factor = 1.5;
// A chain of bodies that hit each other within one step needs a pass a link.
constexpr int max_passes = 16;
// The least reach, of the body's size: contacts of a body that nothing moves survive rounding.
constexpr double least_reach = 1e-7;

// Displacement over the step of the point of `body` that is at `point` now, by its prescribed
// coordinates alone; m.
Vector3 prescribed_displacement(const Body& body, const Pose& now, const Pose& placed,
                                const Vector3& point) {
  if (!body.is_prescribed()) return Vector3::Zero();
  const Vector3 arm_now = now.rotation * body.mass.center;
  const Vector3 arm_placed = placed.rotation * body.mass.center;
  Vector3 shift = Vector3::Zero();
  for (int i = 0; i < 3; ++i)
    if (body.drives[i].prescribed)
      shift[i] = placed.position[i] - now.position[i] + (arm_placed[i] - arm_now[i]);
  const Vector3 arm = point - (now.position + arm_now);
  const Quaternion turn = placed.rotation * now.rotation.conjugate();
  return shift + (turn * arm - arm);
}

// Mean velocity over the step, at `point`, that the prescribed coordinates of a body give to
// something that moves with it: the exact displacement of the body's material at `center`, plus the
// exact turn about it. Where `center` is the centre of mass of the other body, a body that sticks
// is carried along exactly, without creep. m/s
Vector3 prescribed_velocity(const Body& body, const Pose& now, const Pose& placed,
                            const Vector3& point, const Vector3& center, double h) {
  if (!body.is_prescribed()) return Vector3::Zero();
  const Quaternion turn = placed.rotation * now.rotation.conjugate();
  return (prescribed_displacement(body, now, placed, center) +
          rotation_vector(turn).cross(point - center)) /
         h;
}

Vector3 relative_velocity(const Model& model, const std::vector<Pose>& poses,
                          const VectorX& velocities, const Contact& contact) {
  const Vector3 point = 0.5 * (contact.point_a + contact.point_b);
  const Vector3 at_a = body_twist(model, velocities, contact.body_a)
                           .at(point - center_of_mass(model, poses, contact.body_a));
  const Vector3 at_b = body_twist(model, velocities, contact.body_b)
                           .at(point - center_of_mass(model, poses, contact.body_b));
  return at_b - at_a;
}

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

StewartTrinkle::StewartTrinkle(const OptionValues& options)
    : cone_(options.text("cone") == "pyramid" ? Cone::pyramid : Cone::quadratic),
      directions_(static_cast<int>(options.integer("directions"))) {}

StepperRegistry::Entry StewartTrinkle::entry() {
  const OptionTable& run = run_option_table();
  return {"stewart-trinkle",
          "Velocity-impulse time stepping with the gap in the complementarity condition: contacts "
          "that may touch "
          "within the step take part, and the step ends without penetration to first order.",
          "Stewart and Trinkle, Int. J. Numer. Meth. Engng. 39 (1996) 2673-2691",
          {*run.find("motion"), *run.find("cone"), *run.find("directions")},
          [](const OptionValues& values) { return std::make_unique<StewartTrinkle>(values); }};
}

std::string StewartTrinkle::why_not(const Model& model) const {
  if (cone_ == Cone::pyramid && model.world == World::spatial && directions_ < 3)
    return "a friction pyramid in space needs at least 3 directions";
  return {};
}

ComplementarityProblem StewartTrinkle::probe(const Model& model) const {
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
  const std::vector<Pose> poses(2);
  append_contact_rows(one, poses, {contact}, {&terms, 1}, cone_, directions_, problem);
  problem.M.reset(one.free_count);
  for (int i = 0; i < one.free_count; ++i) {
    problem.M.push(i, 1.0);
    problem.M.end_row();
  }
  problem.p = VectorX::Zero(one.free_count);
  return problem;
}

StepReport StewartTrinkle::step(StepContext& context, State& state, double h) {
  const Model& model = *context.model;
  StepReport report;
  Stopwatch watch;
  auto stamp = [&](Stage stage) { report.seconds[static_cast<int>(stage)] += watch.lap(); };

  step_forces(context, state, h, forces_);
  foresee(model, state, h);
  free_motion(model, state, forces_, h, context.problem.M, context.problem.p, foreseen_);
  report.diverged_body = non_finite_body(model, placed_, foreseen_);
  set_reach(model, state, h);
  stamp(Stage::formulate);
  for (report.passes = 1;; ++report.passes) {
    context.contacts.clear();
    if (report.diverged_body < 0)
      context.detector->detect(model, state.poses, reach_, context.contacts);
    stamp(Stage::detect);
    formulate(context, state, h, report);
    warm_start(context);
    stamp(Stage::formulate);
    solve(context, report);
    stamp(Stage::solve);
    if (!outran_reach(model, h)) break;
    if (report.passes < max_passes) continue;
    // Something may have been passed unseen: what was solved is not the whole problem.
    report.solve.status = SolveStatus::limit;
    report.solve.residual.relative = std::numeric_limits<double>::infinity();
    report.solve.note = "bodies outran the contact set";
    break;
  }
  move(model, state, h);  // the last that calls code of the caller, so the last that may throw
  collect(context, state, h, report);
  advance(context, state, h);
  if (report.diverged_body < 0)
    report.diverged_body = non_finite_body(model, state.poses, state.velocities);
  stamp(Stage::advance);
  return report;
}

// Velocities at the end of the step: of the free motion where nothing can touch.
void StewartTrinkle::solve(StepContext& context, StepReport& report) {
  const Model& model = *context.model;
  next_ = foreseen_;
  if (context.contacts.empty()) {
    report.solve = {};
    report.solve.status = SolveStatus::solved;
    for (int i = 0; i < model.velocity_count; ++i)
      if (model.free_index[i] >= 0) context.solution.u[model.free_index[i]] = foreseen_[i];
    return;
  }
  report.solve = context.solver->solve(context.problem, context.solution);
  if (report.solve.status == SolveStatus::refused) {
    // Numbers beyond what a solver takes: there is no next velocity to go on with.
    const Contact& contact = context.contacts.front();
    report.diverged_body =
        model.bodies[contact.body_b].velocity_size > 0 ? contact.body_b : contact.body_a;
    return;
  }
  for (int i = 0; i < model.velocity_count; ++i)
    if (model.free_index[i] >= 0) next_[i] = context.solution.u[model.free_index[i]];
}

// Where and how fast the prescribed coordinates will be at the end of the step.
void StewartTrinkle::foresee(const Model& model, const State& state, double h) {
  placed_ = state.poses;
  for (std::size_t b = 0; b < model.bodies.size(); ++b)
    place_prescribed(model.bodies[b], state.time + h, placed_[b]);
  foreseen_ = state.velocities;
  prescribe_velocities(model, state.time + h, placed_, foreseen_);
}

// A bound on how far any point of the body gets in the step with these velocities, m.
double StewartTrinkle::travel(const Model& model, const VectorX& velocities, int body,
                              double h) const {
  if (model.bodies[body].velocity_size == 0) return 0.0;
  const Twist twist = body_twist(model, velocities, body);
  const double turning = twist.angular.norm();
  return h * (twist.linear.norm() + (turning > 0.0 ? turning * radius_[body] : 0.0));
}

// How far every body may get, and where it matters: an unbounded body that turns matters only out
// to the farthest bounded one.
void StewartTrinkle::set_reach(const Model& model, const State& state, double h) {
  const int count = static_cast<int>(model.bodies.size());
  radius_.resize(model.bodies.size());
  reach_.resize(model.bodies.size());
  for (int b = 0; b < count; ++b) {
    radius_[b] = model.bodies[b].bounding_radius;
    if (std::isfinite(radius_[b])) continue;
    const Vector3 center = center_of_mass(model, state.poses, b);
    radius_[b] = 0.0;
    for (int other = 0; other < count; ++other)
      if (std::isfinite(model.bodies[other].bounding_radius))
        radius_[b] =
            std::max(radius_[b], (center_of_mass(model, state.poses, other) - center).norm() +
                                     model.bodies[other].bounding_radius);
  }
  for (int b = 0; b < count; ++b) {
    const Body& body = model.bodies[b];
    if (body.velocity_size == 0) {
      reach_[b] = 0.0;
      continue;
    }
    double distance =
        std::max(travel(model, state.velocities, b, h), travel(model, foreseen_, b, h));
    if (body.is_prescribed()) {
      const Quaternion turn = placed_[b].rotation * state.poses[b].rotation.conjugate();
      const double angle = 2.0 * std::atan2(turn.vec().norm(), std::abs(turn.w()));
      distance = std::max(
          distance,
          (center_of_mass(model, placed_, b) - center_of_mass(model, state.poses, b)).norm() +
              angle * radius_[b]);
    }
    reach_[b] = reach_factor * distance + least_reach * radius_[b];
  }
}

ContactTerms StewartTrinkle::terms_of(const Model& model, const State& state,
                                      const Contact& contact, double approach, double h) const {
  ContactTerms terms;
  terms.frame = contact_frame(model.world, contact.normal);
  const Surface& surface = model.surface(model.shapes[contact.key.shape_a].material,
                                         model.shapes[contact.key.shape_b].material);
  terms.friction = surface.friction;
  const Vector3 point = 0.5 * (contact.point_a + contact.point_b);
  const auto velocity = [&](int body, int other) {
    const bool carried = model.bodies[other].velocity_size > 0;
    return prescribed_velocity(model.bodies[body], state.poses[body], placed_[body], point,
                               carried ? center_of_mass(model, state.poses, other) : point, h);
  };
  const Vector3 prescribed =
      velocity(contact.body_b, contact.body_a) - velocity(contact.body_a, contact.body_b);
  terms.prescribed = {terms.frame.tangent_1.dot(prescribed), terms.frame.tangent_2.dot(prescribed)};

  // A gap below the resolution of the coordinates is closed: divided by h its noise would keep
  // bodies at rest from resting.
  const double resolution = 16.0 * std::numeric_limits<double>::epsilon() * point.norm();
  ImpactState impact{.gap = std::abs(contact.gap) <= resolution ? 0.0 : contact.gap,
                     .restitution = surface.restitution,
                     .approach = approach};
  if (surface.restitution > 0.0) {
    impact.velocity =
        contact.normal.dot(relative_velocity(model, state.poses, state.velocities, contact));
    impact.change = contact.normal.dot(relative_velocity(model, state.poses, foreseen_, contact)) -
                    impact.velocity;
  }
  const ImpactTerms normal = newton_impact(impact, h);
  terms.normal_bias = normal.closing + contact.normal.dot(prescribed);
  terms.approach = normal.approach;
  return terms;
}

void StewartTrinkle::formulate(StepContext& context, const State& state, double h,
                               StepReport& report) {
  const Model& model = *context.model;
  report.penetration = 0.0;
  for (const Contact& contact : context.contacts)
    report.penetration = std::max(report.penetration, -contact.gap);
  // A contact that no free coordinate can open or close is nothing to solve for.
  std::erase_if(context.contacts,
                [&](const Contact& contact) { return !can_respond(model, state.poses, contact); });
  terms_.clear();
  remembered_.clear();
  auto memory = state.contacts.begin();  // both lists are sorted by key
  for (const Contact& contact : context.contacts) {
    while (memory != state.contacts.end() && memory->key < contact.key) ++memory;
    const bool known = memory != state.contacts.end() && memory->key == contact.key;
    remembered_.push_back(known ? *memory : ContactMemory{});
    terms_.push_back(terms_of(model, state, contact, remembered_.back().approach, h));
  }
  append_contact_rows(model, state.poses, context.contacts, terms_, cone_, directions_,
                      context.problem);
}

// Guess: the impulses that the same contacts had in the last step.
void StewartTrinkle::warm_start(StepContext& context) {
  const World world = context.model->world;
  context.solution.u.setZero(context.problem.unknowns());
  context.solution.lambda.resize(context.problem.rows());
  int row = 0;
  for (std::size_t i = 0; i < context.contacts.size(); ++i) {
    guess_from(world, cone_, directions_, terms_[i].friction, remembered_[i].impulse,
               context.solution.lambda, row);
    row += row_count(world, cone_, directions_, terms_[i].friction);
  }
}

// Whether a body moves farther than the detector was told; then widens the reach for the next pass.
bool StewartTrinkle::outran_reach(const Model& model, double h) {
  bool outran = false;
  for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b) {
    const double distance = travel(model, next_, b, h);
    if (!(distance > reach_[b]) || !std::isfinite(distance)) continue;
    reach_[b] = std::max(reach_factor * distance, 2.0 * reach_[b]);
    outran = true;
  }
  return outran;
}

void StewartTrinkle::collect(StepContext& context, State& state, double h,
                             StepReport& report) const {
  const Model& model = *context.model;
  report.contact_count = static_cast<int>(context.contacts.size());
  context.solved.clear();
  state.contacts.clear();
  int row = 0;
  for (std::size_t i = 0; i < context.contacts.size(); ++i) {
    const Contact& contact = context.contacts[i];
    const ContactTerms& terms = terms_[i];
    SolvedContact solved{contact, terms.frame.tangent_1, terms.frame.tangent_2};
    solved.friction = terms.friction;
    solved.impulse =
        impulse_of(model.world, cone_, directions_, terms.friction, context.solution.lambda, row);
    const Vector3 velocity = relative_velocity(model, state.poses, next_, contact);
    solved.velocity = {contact.normal.dot(velocity), terms.frame.tangent_1.dot(velocity),
                       terms.frame.tangent_2.dot(velocity)};
    if (!solved.impulse.isZero(0.0)) {
      ++report.active_count;
      // A rebound is due only where the gap was closed; impulses of rounding do not count.
      const bool hit = solved.velocity[0] + contact.gap / h < 1e-3 * terms.approach;
      state.contacts.push_back({contact.key, solved.impulse, hit ? terms.approach : 0.0});
    }
    context.solved.push_back(solved);
    row += row_count(model.world, cone_, directions_, terms.friction);
  }
}

// The poses at the end of the step, into moved_.
void StewartTrinkle::move(const Model& model, const State& state, double h) {
  moved_ = state.poses;
  for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b) {
    const Body& body = model.bodies[b];
    if (body.velocity_size == 0) continue;
    moved_[b] = advanced(body, moved_[b], body_twist(model, next_, b), h);
    place_prescribed(body, state.time + h, moved_[b]);
  }
}

void StewartTrinkle::advance(const StepContext& context, State& state, double h) {
  state.poses = moved_;
  state.velocities = next_;
  state.controls = context.controls;
  ++state.step;
  state.time += h;
}

}  // namespace vinci
