// SPDX-License-Identifier: Apache-2.0
// From a foreseen state to the rows of a stage.
#include "vinci/stepping/stage_problem.h"

#include <algorithm>

#include "vinci/formulation/contact_motion.h"
#include "vinci/kinematics/joint_tree.h"
#include "vinci/kinematics/velocities.h"

namespace vinci {
namespace {

// Velocity of b against a along the axis of an element by these packed velocities.
double stretching(const Model& model, const std::vector<Pose>& poses, const VectorX& velocities,
                  const ElementRow& row) {
  const auto velocity = [&](int body, const Vector3& point) -> Vector3 {
    if (body < 0) return Vector3::Zero();
    return body_twist(model, velocities, body).at(point - center_of_mass(model, poses, body));
  };
  return row.axis.dot(velocity(row.body_b, row.point_b) - velocity(row.body_a, row.point_a));
}

}  // namespace

void StageProblem::formulate(const StageInput& stage, const ConeForm& form,
                             ComplementarityProblem& problem) {
  const Model& model = stage.model;
  tree_.place(model, stage.at.poses, stage.at.joint_positions);
  const Tree* const tree = model.tree_order.empty() ? nullptr : &tree_;
  const RowSpace space{model, stage.at.poses, form, tree};
  set_carried(stage);
  set_forces(stage);
  add_contacts(stage);
  add_supports(stage, space);
  add_elements(stage, space);
  add_joints(stage);
  builder_.begin(model, stage.at.poses, form, tree);
  builder_.add(stage.contacts, terms_);
  builder_.add(supports_);
  builder_.add(elements_);
  builder_.add(joints_);
  builder_.finish(problem);
  motion_.stage({model, stage.at, tree_, forces_, loads_, stage.length}, stage.before,
                accelerations_, problem.M, problem.p);
  joints_.add_pushes(problem.p);
}

// What is prescribed at the instant: velocities, and accelerations by a central difference, which
// is exact to rounding of smooth motions.
void StageProblem::set_carried(const StageInput& stage) {
  const Model& model = stage.model;
  const State& at = stage.at;
  carried_ = at.velocities;
  for (int i = 0; i < model.velocity_count; ++i)
    if (model.free_index[i] >= 0) carried_[i] = 0.0;
  accelerations_.setZero(model.velocity_count);
  const bool driven = std::any_of(model.bodies.begin(), model.bodies.end(),
                                  [](const Body& body) { return body.is_prescribed(); });
  if (driven && !model.tree_order.empty()) {
    const double apart = 1e-3 * stage.length;
    later_ = carried_;
    std::vector<Pose>& poses = before_.poses;
    for (const double side : {1.0, -1.0}) {
      poses = at.poses;
      for (std::size_t b = 0; b < poses.size(); ++b)
        place_prescribed(model.bodies[b], at.time + side * apart, poses[b]);
      later_ = carried_;
      prescribe_velocities(model, at.time + side * apart, poses, later_);
      accelerations_ += side / (2.0 * apart) * later_;
    }
  }
  if (model.tree_order.empty()) return;
  zero_rates_.setZero(model.joint_rate_count);
  tree_.spread_velocities(zero_rates_, carried_);
}

void StageProblem::set_forces(const StageInput& stage) {
  const Model& model = stage.model;
  applied_forces(model, stage.at, forces_.at_rest);
  forces_.drag = stage.held.drag;
  if (model.drags) {
    force_slopes(model, stage.at, stage.at.velocities, slopes_);
    if (forces_.drag.size() == 0) forces_.drag.setZero(model.velocity_count);
    for (int i = 0; i < model.velocity_count; ++i) {
      const double drag = std::max(0.0, -slopes_[i]);
      forces_.drag[i] += drag;
      forces_.at_rest[i] += drag * stage.at.velocities[i];
    }
  }
  if (stage.held.at_rest.size() > 0) forces_.at_rest += stage.held.at_rest;
}

void StageProblem::add_contacts(const StageInput& stage) {
  const Model& model = stage.model;
  terms_.clear();
  for (const Contact& contact : stage.contacts) {
    ContactTerms terms;
    terms.frame = contact_frame(model.world, contact.normal);
    terms.friction = model.surface_between(contact.key.shape_a(), contact.key.shape_b()).friction;
    const Vector3 driven = relative_velocity(model, stage.at.poses, carried_, contact) +
                           surface_velocity(model, stage.at.poses, contact, stage.at.time, 0.0);
    terms.normal_bias = contact.normal.dot(driven);
    terms.prescribed = {terms.frame.tangent_1.dot(driven), terms.frame.tangent_2.dot(driven)};
    terms_.push_back(terms);
  }
}

void StageProblem::add_supports(const StageInput& stage, const RowSpace& space) {
  const Model& model = stage.model;
  find_supports(space, stage.at.poses, stage.length, stage.length, supports_);
  std::erase_if(supports_, [&](const SupportPoint& s) { return !counts(stage, s.body); });
  for (SupportPoint& support : supports_)
    support.prescribed =
        body_twist(model, carried_, support.body)
            .at(support.point - center_of_mass(model, stage.at.poses, support.body))
            .head<2>();
}

// The stretch at the end is that of the foreseen place and what velocities other than the foreseen
// ones add to it.
void StageProblem::add_elements(const StageInput& stage, const RowSpace& space) {
  const Model& model = stage.model;
  const double h = stage.length;
  elements_.clear();
  if (model.elements.empty()) return;
  find_elements({model, stage.at, stage.at.poses, h, h, true, element_rows_, space.tree},
                elements_);
  std::erase_if(elements_, [&](const ElementTerms& element) {
    return !counts(stage, element.row.body_a) && !counts(stage, element.row.body_b);
  });
  for (ElementTerms& element : elements_) {
    const ElementRow& row = element.row;
    const double foreseen = stretching(model, stage.at.poses, stage.at.velocities, row);
    element.rest -= h * row.stiffness / (h * row.stiffness + row.damping) * foreseen;
    element.bias = element.rest + stretching(model, stage.at.poses, carried_, row);
  }
}

void StageProblem::add_joints(const StageInput& stage) {
  const Model& model = stage.model;
  joints_.clear();
  loads_.resistance.setZero(model.joint_rate_count);
  loads_.push.setZero(model.joint_rate_count);
  if (model.joints.empty()) return;
  const State& at = stage.at;
  // Rates before, of joints that nothing hangs on by the velocities of bodies before.
  before_.velocities = at.velocities;
  before_.joint_rates = at.joint_rates;
  tree_.spread_unknowns(stage.before, before_.velocities, before_.joint_rates);
  read_loop_rates(model, at.poses, before_.velocities, before_.joint_rates);
  before_.time = at.time - stage.length;
  before_.joint_positions = at.joint_positions;
  before_.coupling_offsets = at.coupling_offsets;
  for (const Joint& joint : model.joints)
    if (rate_count(joint.kind) == position_count(joint.kind))
      for (int k = 0; k < rate_count(joint.kind); ++k)
        before_.joint_positions[joint.first_coordinate + k] -=
            stage.length * at.joint_rates[joint.first_rate + k];
  const JointStage own{at.joint_rates, carried_, stage.limits, stage.only};
  const JointStep step{.model = model,
                       .state = before_,
                       .placed = at.poses,
                       .tree = tree_,
                       .h = stage.length,
                       .time = stage.length,
                       .stage = &own};
  find_joint_loads(step, loads_);
  joints_.find_stage(step, loads_);
}

}  // namespace vinci
