// SPDX-License-Identifier: Apache-2.0
// The impact itself: what touches, its problem, and the velocities that the law gives.
#include "vinci/stepping/struck_instant.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "vinci/base/clock.h"
#include "vinci/formulation/contact_friction.h"
#include "vinci/formulation/contact_motion.h"
#include "vinci/formulation/free_motion.h"
#include "vinci/kinematics/velocities.h"
#include "vinci/stepping/step_diagnosis.h"

namespace vinci {
namespace {

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

}  // namespace

std::string StruckInstant::why_not_law(const ContactStepper& method, const Model& model,
                                       const ImpactLaw& law, const Solver& solver) {
  const ConeForm form = method.form();
  const double friction = 0.5;  // of the probe's contact
  ImpactProblem probe;
  Model without_moments = model;  // which have no part in impacts
  for (Surface& surface : without_moments.surfaces) surface.moments = {};
  probe.inelastic = method.probe(without_moments);
  probe.before = VectorX::Zero(probe.inelastic.unknowns());
  probe.contacts.push_back({.row = 0,
                            .size = contact_row_count(model.world, form, friction),
                            .restitution = 1.0,
                            .friction = friction});
  probe.pyramid = has_directions(form);
  return law.why_not(probe, solver);
}

// Null where no body hangs on a joint.
const Tree* StruckInstant::tree_at(const Model& model, const State& state) {
  if (model.joints.empty()) return nullptr;
  tree_.place(model, state.poses, state.joint_positions);
  return model.tree_order.empty() ? nullptr : &tree_;
}

// Leaves those in contacts_ and limits_ that the impact at the state acts on. What parts already
// does not take part: an impulse on it would do work. Should it close then, it is the next impact.
void StruckInstant::find_impact(const Model& model) {
  const auto rate = [&](const Contact& contact) {
    return contact.normal.dot(relative_velocity(model, state_->poses, state_->velocities, contact));
  };
  const Tree* const tree = tree_at(model, *state_);
  std::erase_if(contacts_, [&](const Contact& contact) {
    return contact.gap > rules_.touch || !can_respond(model, state_->poses, contact, tree);
  });
  find_limits(model, state_->joint_positions, limits_);
  std::erase_if(limits_, [&](const JointLimit& limit) {
    const Joint& joint = model.joints[static_cast<std::size_t>(limit.joint)];
    const auto counts = [&](int b) {
      return !rules_.only || (b >= 0 && (*rules_.only)[static_cast<std::size_t>(b)] != 0);
    };
    return limit.gap > rules_.touch || !(counts(joint.body_a) || counts(joint.body_b));
  });
  double fastest = 0.0;
  for (const Contact& contact : contacts_) fastest = std::max(fastest, -rate(contact));
  for (const JointLimit& limit : limits_)
    fastest = std::max(fastest, -limit.speed(state_->joint_rates));
  std::erase_if(contacts_, [&](const Contact& contact) { return rate(contact) > 1e-9 * fastest; });
  std::erase_if(limits_, [&](const JointLimit& limit) {
    return limit.speed(state_->joint_rates) > 1e-9 * fastest;
  });
  if (fastest > 0.0) return;
  contacts_.clear();
  limits_.clear();
}

// An impact has the coefficients of the sliding speed before it.
void StruckInstant::set_friction_before(const Model& model, const Contact& contact,
                                        const FrictionLaw& law, ContactTerms& terms) {
  constexpr double sticking = 1e-9;  // of its velocity: what solvers leave
  const Vector3 before = touching_velocity(model, *state_, contact);
  const double speed = (before - contact.normal.dot(before) * contact.normal).norm();
  const FrictionCoefficients found = law.at(speed > sticking * before.norm() ? speed : 0.0,
                                            friction_place(state_->poses, contact, state_->time));
  if (!is_valid(found)) undefined_ = true;
  set_friction(state_->poses, contact, law, is_valid(found) ? found : FrictionCoefficients{},
               terms);
}

// M, p, what was before and what is prescribed, at state_->
void StruckInstant::set_carried(const Model& model) {
  ComplementarityProblem& problem = impact_.inelastic;
  if (model.tree_order.empty())
    inertia_matrix(model, state_->poses, problem.M);
  else
    motion_.inertia(tree_, problem.M);
  impact_.before.resize(model.free_count);
  prescribed_ = state_->velocities;
  for (int i = 0; i < model.velocity_count; ++i)
    if (const int unknown = model.free_index[i]; unknown >= 0) {
      impact_.before[unknown] = state_->velocities[i];
      prescribed_[i] = 0.0;
    }
  problem.p.setZero(model.free_count);
  if (!model.tree_order.empty()) {
    tree_.gather_unknowns(state_->velocities, state_->joint_rates, impact_.before);
    still_rates_.setZero(model.joint_rate_count);
    tree_.spread_velocities(still_rates_, prescribed_);
  }
  problem.M.multiply_add(impact_.before.data(), problem.p.data());
}

void StruckInstant::set_velocities(const Model& model, const VectorX& u) {
  for (int i = 0; i < model.velocity_count; ++i)
    if (const int unknown = model.free_index[i]; unknown >= 0) state_->velocities[i] = u[unknown];
  if (model.joints.empty()) return;
  if (!model.tree_order.empty()) tree_.spread_unknowns(u, state_->velocities, state_->joint_rates);
  read_loop_rates(model, state_->poses, state_->velocities, state_->joint_rates);
}

// Velocities before an impact are those that joints allow where bodies are: a step that was no
// flight has them along the rows of its start.
void StruckInstant::hold_joints(const Model& model) {
  if (model.joints.empty()) return;
  tree_.place(model, state_->poses, state_->joint_positions);
  set_carried(model);
  joints_.find_instant(
      {.model = model, .state = *state_, .placed = state_->poses, .tree = tree_, .h = 1.0},
      {.before = impact_.before, .carried = prescribed_});
  if (joined_.solve(impact_.inelastic, joints_, impact_.before))
    set_velocities(model, impact_.before);
}

// Contacts and limits of the impact, and the joints that hand it on.
void StruckInstant::add_rows(const Model& model) {
  builder_.begin(model, state_->poses, rules_.form, model.tree_order.empty() ? nullptr : &tree_);
  builder_.add(contacts_, terms_);
  limit_keys_.clear();
  for (const JointLimit& limit : limits_) limit_keys_.push_back(limit.key);
  joints_.clear();
  if (!model.joints.empty())
    joints_.find_instant(
        {.model = model, .state = *state_, .placed = state_->poses, .tree = tree_, .h = 1.0},
        {.before = impact_.before, .carried = prescribed_, .limits = limit_keys_});
  builder_.add(joints_);
  builder_.finish(impact_.inelastic);
}

double StruckInstant::restitution_of(double restitution, double before) const {
  return -restitution * before < rules_.least_rebound ? 0.0 : restitution;
}

// M, J and what was before, of the contacts in contacts_ and the limits in limits_ at state_->
void StruckInstant::formulate(const Model& model) {
  const ConeForm form = rules_.form;
  set_carried(model);
  terms_.clear();
  undefined_ = false;
  impact_.contacts.clear();
  impact_.pyramid = has_directions(form);
  impact_.box = form.cone == Cone::box;
  for (const Contact& contact : contacts_) {
    const Surface& surface = model.surface_between(contact.key.shape_a(), contact.key.shape_b());
    ContactTerms terms;
    terms.frame = contact_frame(model.world, contact.normal);
    terms.friction = surface.friction;
    if (surface.law) set_friction_before(model, contact, *surface.law, terms);
    const Vector3 driven = relative_velocity(model, state_->poses, prescribed_, contact) +
                           surface_velocity(model, state_->poses, contact, state_->time, 0.0);
    terms.normal_bias = contact.normal.dot(driven);
    terms.prescribed = {terms.frame.tangent_1.dot(driven), terms.frame.tangent_2.dot(driven)};
    terms_.push_back(terms);
  }
  add_rows(model);
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const Contact& contact = contacts_[i];
    const EntityRows& rows = builder_.contacts()[i];
    const ContactFrame& frame = terms_[i].frame;
    const Vector3 before = touching_velocity(model, *state_, contact);
    impact_.contacts.push_back(
        {rows.first,
         rows.count,
         restitution_of(
             model.surface_between(contact.key.shape_a(), contact.key.shape_b()).restitution,
             contact.normal.dot(before)),
         terms_[i].friction,
         {contact.normal.dot(before), terms_[i].scale[0] * frame.tangent_1.dot(before),
          terms_[i].scale[1] * frame.tangent_2.dot(before)}});
  }
  auto limit = limits_.begin();
  for (std::size_t i = 0; i < joints_.terms().size(); ++i)
    if (joints_.terms()[i].law == Law::nonnegative) {
      while (limit->key != joints_.terms()[i].key) ++limit;
      impact_.contacts.push_back(
          {.row = builder_.joints()[i].first,
           .restitution = restitution_of(limit->restitution, limit->speed(state_->joint_rates)),
           .before = {limit->speed(state_->joint_rates), 0.0, 0.0}});
    }
}

// By the law, at whose work the witness and the diagnosis look.
ImpactReport StruckInstant::apply_law(StepContext& context, StepReport& part) {
  const StepInput& in = context.in;
  if (!in.witness && !in.diagnosis) return in.impact_law->apply(impact_, *in.solver, impulse_);
  ImpactWitness witness(in, {builder_.map(), state_->velocities});
  WitnessedSolver shown(*in.solver, witness, *in.model, in.accuracy, part);
  return in.impact_law->apply(impact_, shown, impulse_);
}

// The impact at the state of the contacts that touch; false if it was not solved, as where
// bodies are squeezed: it would come again and again.
bool StruckInstant::strike(StepContext& context, State& state, const ContactSet& contacts,
                           const Rules& rules, SubstepSum& sum) {
  state_ = &state;
  contacts_ = contacts;
  rules_ = rules;
  const Model& model = *context.in.model;
  const Stopwatch watch;
  hold_joints(model);
  find_impact(model);
  if (contacts_.empty() && limits_.empty()) return true;
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
    const auto pair = contacts_.empty()
                          ? std::pair(model.joints[limits_.front().joint].body_a,
                                      model.joints[limits_.front().joint].body_b)
                          : std::pair(contacts_.front().body_a, contacts_.front().body_b);
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
    for (ImpulseMemory& record : state_->memory.impulses) record.sliding = 0.0;
  }
  sum.add_impact(part, struck_);
  sum.add(Stage::solve, watch.seconds());
  return part.solve.residual.relative <= 1e-8;
}

// Impulses for the record; contacts that part now are remembered, so that the next flight leaves
// them out.
void StruckInstant::rebound(const Model& model) {
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const Contact& contact = contacts_[i];
    const ContactFrame& frame = terms_[i].frame;
    SolvedContact solved{contact, frame.tangent_1, frame.tangent_2};
    solved.friction = terms_[i].friction * terms_[i].scale[0];
    solved.friction_2 = terms_[i].friction * terms_[i].scale[1];
    solved.impulse = builder_.impulse(builder_.contacts()[i], impulse_.lambda);
    const Vector3 velocity = touching_velocity(model, *state_, contact);
    solved.velocity = {frame.normal.dot(velocity), frame.tangent_1.dot(velocity),
                       frame.tangent_2.dot(velocity)};
    struck_.push_back(solved);
    if (solved.velocity[0] > 0.0) note_rebound(contact.key, solved.velocity[0]);
  }
}

void StruckInstant::note_rebound(const EntityKey& key, double speed) {
  std::vector<ReboundMemory>& rebounds = state_->memory.rebounds;
  const auto place = std::lower_bound(
      rebounds.begin(), rebounds.end(), key,
      [](const ReboundMemory& record, const EntityKey& k) { return record.key < k; });
  const bool known = place != rebounds.end() && place->key == key;
  (known ? place : rebounds.insert(place, {key}))->speed = speed;
}

// The same of joints: what they handed on, and limits that were left.
void StruckInstant::rebound_joints(const Model& model) {
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
    if (const double speed = limit.speed(state_->joint_rates); speed > 0.0)
      note_rebound(limit.key, speed);
  if (model.tree_order.empty()) return;
  still_.setZero(model.velocity_count);
  loads_.begin(still_);
  for (const SolvedContact& solved : struck_)
    loads_.add_contact(model, state_->poses, solved, nullptr, 1.0);
  loads_.add_loop_joints(model, state_->poses, struck_joints_, 1.0);
  change_ = impulse_.u - impact_.before;
  loads_.collect(tree_, {still_, still_rates_, still_, change_}, 1.0, struck_joints_);
}

}  // namespace vinci
