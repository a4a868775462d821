// SPDX-License-Identifier: Apache-2.0
// Joints in a step: their rows, restitution at their limits, where they are at its end, and what
// they bore.
#include <algorithm>
#include <cmath>

#include "vinci/formulation/pair_columns.h"
#include "vinci/kinematics/joint_tree.h"
#include "vinci/kinematics/velocities.h"
#include "vinci/stepping/contact_stepper.h"

namespace vinci {
namespace {

bool bounces(const Model& model) {
  const auto has_restitution = [](const JointFreedom& freedom) {
    return freedom.restitution > 0.0;
  };
  return std::any_of(model.surfaces.begin(), model.surfaces.end(),
                     [](const Surface& surface) { return surface.restitution > 0.0; }) ||
         std::any_of(model.joints.begin(), model.joints.end(), [&](const Joint& joint) {
           return std::any_of(joint.freedoms.begin(), joint.freedoms.end(), has_restitution);
         });
}

}  // namespace

// Velocities of bodies and rates of joints by these unknowns, at the poses of the start; prescribed
// entries stay.
void ContactStepper::spread(const Model& model, const VectorX& u, VectorX& velocities,
                            VectorX& rates) const {
  for (int i = 0; i < model.velocity_count; ++i)
    if (model.free_index[i] >= 0) velocities[i] = u[model.free_index[i]];
  for (std::size_t i = 0; i < model.rate_index.size(); ++i)
    if (model.rate_index[i] >= 0) rates[static_cast<Eigen::Index>(i)] = u[model.rate_index[i]];
  if (!model.tree_order.empty()) tree_.spread_velocities(rates, velocities);
}

// The way back.
void ContactStepper::gather(const Model& model, const VectorX& velocities, const VectorX& rates,
                            VectorX& u) const {
  u.setZero(model.free_count);
  for (int i = 0; i < model.velocity_count; ++i)
    if (model.free_index[i] >= 0) u[model.free_index[i]] = velocities[i];
  for (std::size_t i = 0; i < model.rate_index.size(); ++i)
    if (model.rate_index[i] >= 0) u[model.rate_index[i]] = rates[static_cast<Eigen::Index>(i)];
}

// Loads and rows of the joints.
void ContactStepper::find_joints(const StepPart& part) {
  if (part.model.joints.empty()) return;
  tree_.place(part.model, part.state.poses, part.state.joint_positions);
  placed_tree_.place(part.model, placed_, part.state.joint_positions);
  const JointStep step{.model = part.model,
                       .state = part.state,
                       .placed = placed_,
                       .tree = placed_tree_,
                       .h = part.h,
                       .time = impulse_time(part.h),
                       .momentum = motion_ == MotionModel::dynamic,
                       .inert = motion_ != MotionModel::quasi_static};
  find_joint_loads(step, joint_loads_);
  joint_blocks_.find(step, joint_loads_);
  if (!joint_blocks_.held().empty()) foresee_errors(part);
}

// Rows that hold joints ask for their place at the end of the step: their errors where the
// velocities of the start lead, and from there on by what velocities change.
void ContactStepper::foresee_errors(const StepPart& part) {
  const auto& [model, state, h, rules] = part;
  gather(model, state.velocities, state.joint_rates, free_);
  led_ = placed_;
  led_positions_ = state.joint_positions;
  if (motion_ == MotionModel::dynamic) {
    for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b)
      if (model.bodies[b].velocity_size > 0 && !hangs(tree_of(model), b))
        led_[b] = carried_by(part, b, state.velocities);
    advance_tree(model, state.joint_rates, h, led_positions_, led_);
  } else {
    free_.setZero();
  }
  read_loop_coordinates(model, led_, led_positions_);
  joint_blocks_.errors(model, {state.poses, state.joint_positions, state.coupling_offsets},
                       start_errors_);
  joint_blocks_.errors(model, {led_, led_positions_, state.coupling_offsets}, led_errors_);
  // Errors are differences of places: what rounding leaves of them is no motion.
  double size = 1.0;
  for (const Pose& pose : led_) size = std::max(size, pose.position.lpNorm<Eigen::Infinity>());
  const double rounding = 4e-15 * size;
  for (std::size_t i = 0; i < joint_blocks_.held().size(); ++i) {
    const int row = joint_blocks_.held()[i].row;
    if (row < 0) continue;
    const auto at = static_cast<Eigen::Index>(i);
    const double bent = led_errors_[at] - start_errors_[at] - h * joint_blocks_.rate(row, free_);
    joint_blocks_.bias(row) = std::abs(bent) > rounding ? bent / h : 0.0;
  }
}

// What such rows ask for is what some motion does: where rows follow from others, what they ask for
// beyond that is of a higher order of the step, and no motion.
void ContactStepper::reconcile_rows(const Model& model, const SparseRows& inertia) {
  held_rows_.reset(model.free_count);
  held_load_.resize(static_cast<Eigen::Index>(joint_blocks_.held().size()));
  for (const HeldRow& held : joint_blocks_.held()) {
    if (held.slips || held.row < 0) continue;
    held_load_[held_rows_.rows] = joint_blocks_.bias(held.row);
    joint_blocks_.write_row(held.row, held_rows_);
  }
  held_load_.conservativeResize(held_rows_.rows);
  if (held_rows_.rows == 0 || held_load_.isZero(0.0)) return;
  least_motion_.factor(inertia, held_rows_);
  least_motion_.solve(held_load_, change_);
  if (!change_.allFinite()) return;
  for (const HeldRow& held : joint_blocks_.held())
    if (!held.slips && held.row >= 0)
      joint_blocks_.bias(held.row) = -joint_blocks_.rate(held.row, change_);
}

// M and p where bodies hang on joints.
void ContactStepper::fill_tree(const StepPart& part, ComplementarityProblem& problem) {
  const TreeStep step{part.model, part.state, tree_, forces_.line(), joint_loads_, part.h};
  switch (motion_) {
    case MotionModel::dynamic:
      jointed_motion_.dynamic(step, problem.M, problem.p, foreseen_, foreseen_rates_);
      break;
    case MotionModel::first_order:
      jointed_motion_.damped(step, problem.M, problem.p, foreseen_, foreseen_rates_);
      break;
    case MotionModel::quasi_static:
      jointed_motion_.weightless(step, problem.M, problem.p, foreseen_, foreseen_rates_);
      jointed_motion_.inertia(tree_, inertia_);
      break;
  }
}

// Efforts along freedoms that are no unknowns; and the motion without contact is one that joints
// allow, where it counts how fast that is.
void ContactStepper::join_motion(const StepPart& part, ComplementarityProblem& problem) {
  const Model& model = part.model;
  if (model.joints.empty()) return;
  joint_blocks_.add_pushes(problem.p);
  reconcile_rows(model, motion_ == MotionModel::quasi_static ? inertia_ : problem.M);
  if (motion_ != MotionModel::dynamic || !bounces(model)) return;
  gather(model, foreseen_, foreseen_rates_, free_);
  if (joined_motion_.solve(problem, joint_blocks_, free_))
    spread(model, free_, foreseen_, foreseen_rates_);
}

// A limit is a contact along one coordinate, in every method: it is foreseen, reached and not
// overrun.
void ContactStepper::set_limits(const StepPart& part) {
  limit_rebounds_.assign(joint_blocks_.terms().size(), {});
  MemoryCursor rebounds(part.state.memory.rebounds);
  MemoryCursor landings(part.state.memory.impulses);
  const bool dynamic = motion_ == MotionModel::dynamic && !part.flies();
  for (std::size_t i = 0; i < joint_blocks_.terms().size(); ++i) {
    const JointTerms& terms = joint_blocks_.terms()[i];
    if (terms.law != Law::nonnegative) continue;
    const ReboundMemory* due = rebounds.find(terms.key);
    const double share = dynamic ? part.rules.rebound : 0.0;
    ImpactState impact{.gap = terms.gap,
                       .velocity = terms.velocity,
                       .restitution = share * terms.restitution,
                       .rebound_due = due ? share * due->speed : 0.0};
    if (impact.restitution > 0.0)
      impact.change = joint_blocks_.rate(terms.first, free_) - terms.velocity;
    const ImpactTerms normal = newton_impact(impact, part.h);
    // A limit that has moved past the joint, as a change may do it, throws nothing.
    constexpr double overrun = 1e-6;  // m or rad
    joint_blocks_.bias(terms.first) =
        terms.gap < -overrun ? std::max(normal.closing, 0.0) : normal.closing;
    limit_rebounds_[i].speed = normal.rebound;
    if (!due || !(impact.restitution > 0.0) || normal.closing >= terms.gap / part.h) continue;
    rebounds_.any = true;
    if (const ImpulseMemory* landing = landings.find(terms.key))
      rebounds_.energy +=
          landing->impulse[0] *
          (0.5 * (due->speed + std::max(0.0, -terms.velocity)) + std::abs(impact.change));
  }
}

// What a step leaves of its joints: impulses, and rebounds that are due.
void ContactStepper::collect_joints(StepContext& context, State& state, double h) {
  const Model& model = *context.in.model;
  std::vector<SolvedJoint>& out = context.out.joints;
  out.assign(model.joints.size(), {});
  slipped_.clear();
  stuck_.clear();
  const double scale = h / impulse_time(h);
  const VectorX& lambda = context.work.solution.lambda;
  for (std::size_t i = 0; i < joint_blocks_.terms().size(); ++i) {
    const JointTerms& terms = joint_blocks_.terms()[i];
    const EntityRows& rows = builder_.joints()[i];
    const ContactWrench wrench = builder_.wrench(rows, lambda);
    state.memory.impulses.push_back(
        {.key = rows.key, .impulse = scale * wrench.impulse, .moment = scale * wrench.moment});
    const double own = lambda[rows.first], impulse = scale * own;
    if (rows.key.kind == EntityKind::coupling) {
      if (terms.law == Law::box && (own <= terms.lower || own >= terms.upper))
        slipped_.push_back(static_cast<int>(rows.key.ids[0]));
      continue;
    }
    SolvedJoint& joint = out[rows.key.ids[0]];
    const auto freedom = static_cast<int>(rows.key.ids[2]);
    switch (static_cast<JointPart>(rows.key.ids[1])) {
      case JointPart::constraint: {
        const JointBlocks::Wrench kept =
            joint_blocks_.wrench(terms, lambda.segment(rows.first, rows.count));
        joint.impulse = scale * kept.force;
        joint.moment = scale * kept.moment;
        break;
      }
      case JointPart::lower_limit:
        joint.limit[freedom] += impulse;
        note_limit(i, own, context.work.solution.u, h, state);
        break;
      case JointPart::upper_limit:
        joint.limit[freedom] -= impulse;
        note_limit(i, own, context.work.solution.u, h, state);
        break;
      case JointPart::friction:
        joint.friction[freedom] = impulse;
        if (own > terms.lower && own < terms.upper)
          stuck_.push_back({static_cast<int>(rows.key.ids[0]), freedom});
        break;
      case JointPart::servo:
        joint.motor[freedom] = impulse;
        break;
      case JointPart::yielding:
        break;
    }
  }
  if (model.joints.empty()) return;
  collect_motors(context, h);
  collect_tree(context, state, h);
}

// Efforts of motors that are never cut off, at the rates of the end.
void ContactStepper::collect_motors(StepContext& context, double h) const {
  const Model& model = *context.in.model;
  const double scale = h / impulse_time(h);
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    for (int k = 0; k < rate_count(model.joints[j].kind); ++k) {
      const int at = model.joints[j].first_rate + k;
      context.out.joints[j].motor[k] +=
          scale * (joint_loads_.motor_push[at] -
                   joint_loads_.motor_resistance[at] * (next_rates_[at] - joint_loads_.driven[at]));
    }
}

// Packed forces on bodies in the step, of contacts, supports, elements and joints that close loops
// too.
void ContactStepper::add_solved_forces(const StepContext& context, const State& state, double h) {
  const Model& model = *context.in.model;
  const auto push = [&](int b, const Vector3& point, const Vector3& force, const Vector3& moment) {
    if (b < 0 || model.bodies[b].velocity_size == 0) return;
    const Vector3 arm = point - center_of_mass(model, state.poses, b);
    Twist load = unpacked(model.bodies[b], borne_);
    load.linear += force;
    load.angular += arm.cross(force) + moment;
    pack(model.bodies[b], load, borne_);
  };
  for (const SolvedContact& solved : context.out.contacts) {
    const Contact& contact = solved.contact;
    const bool support = contact.key.kind == EntityKind::support;
    const auto along = [&](const Vector3& own) -> Vector3 {
      return (support ? 0.0 : own[0]) * contact.normal + own[1] * solved.tangent_1 +
             own[2] * solved.tangent_2;
    };
    const Vector3 point = 0.5 * (contact.point_a + contact.point_b);
    const Vector3 force = along(solved.impulse) / h, moment = along(solved.moment) / h;
    push(contact.body_b, point, force, moment);
    if (!support) push(contact.body_a, point, -force, -moment);
  }
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    const ElementRow& row = elements_[i].row;
    const Vector3 force = element_impulses_[i] / h * row.axis;
    push(row.body_b, row.point_b, force, Vector3::Zero());
    push(row.body_a, row.point_a, -force, Vector3::Zero());
  }
  for (int j = 0; j < static_cast<int>(model.joints.size()); ++j) {
    if (!is_loop_joint(model, j)) continue;
    const Joint& joint = model.joints[j];
    const auto pose = [&](int b) { return b < 0 ? Pose() : state.poses[b]; };
    const SolvedJoint& own = context.out.joints[j];
    JointAxes axes;
    const int count = joint_axes(joint, pose(joint.body_a), pose(joint.body_b), axes);
    Vector3 force = own.impulse / h, moment = own.moment / h;
    for (int k = 0; k < count; ++k) {
      const double effort = (own.motor[k] + own.friction[k] + own.limit[k]) / h;
      (is_turning(joint.kind, k) ? moment : force) +=
          effort * (is_turning(joint.kind, k) ? axes[k].angular : axes[k].linear);
    }
    const Vector3 point = pose(joint.body_b) * joint.frame_b.position;
    push(joint.body_b, point, force, moment);
    push(joint.body_a, point, -force, -moment);
  }
}

// What the joints bear that bodies hang on, by recursion from the motion of the bodies.
void ContactStepper::collect_tree(StepContext& context, const State& state, double h) {
  const Model& model = *context.in.model;
  if (model.tree_order.empty()) return;
  borne_ = forces_.line().at_rest;
  if (forces_.line().drag.size() > 0) borne_ -= forces_.line().drag.cwiseProduct(next_);
  add_solved_forces(context, state, h);
  gather(model, next_, next_rates_, change_);
  mean_ = next_;
  mean_rates_ = next_rates_;
  prescribed_change_.setZero(model.velocity_count);
  if (motion_ == MotionModel::dynamic) {
    gather(model, state.velocities, state.joint_rates, sum_);
    change_ = ((change_ - sum_) / h).eval();
    mean_ = 0.5 * (next_ + state.velocities);
    mean_rates_ = 0.5 * (next_rates_ + state.joint_rates);
    prescribed_change_ = (next_ - state.velocities) / h;
  } else {
    // Without momentum nothing is due to velocities but what inertia, read as damping, resists.
    if (motion_ == MotionModel::quasi_static) change_.setZero();
    if (motion_ == MotionModel::first_order) prescribed_change_ = next_;
    mean_.setZero();
    mean_rates_.setZero();
  }
  tree_.spread_velocities(mean_rates_, mean_);
  tree_dynamics_.inverse(tree_, {mean_, mean_rates_, borne_, &prescribed_change_}, change_, sum_);
  for (std::size_t i = 0; i < tree_.links().size(); ++i) {
    const Tree::Link& link = tree_.links()[i];
    Twist wrench = tree_dynamics_.joint_wrench(static_cast<int>(i));
    // What acts along freedoms is none of what the joint keeps together.
    for (int k = 0; k < link.freedoms; ++k) {
      const Twist& axis = link.axes[static_cast<std::size_t>(k)];
      const double along = wrench.linear.dot(axis.linear) + wrench.angular.dot(axis.angular);
      if (is_turning(model.joints[link.joint].kind, k))
        wrench.angular -= along / axis.angular.squaredNorm() * axis.angular;
      else
        wrench.linear -= along / axis.linear.squaredNorm() * axis.linear;
    }
    const double sign = hangs_as_a(model, link.body) ? -h : h;
    context.out.joints[static_cast<std::size_t>(link.joint)].impulse = sign * wrench.linear;
    context.out.joints[static_cast<std::size_t>(link.joint)].moment = sign * wrench.angular;
  }
}

// A rebound is due only where the limit was reached.
void ContactStepper::note_limit(std::size_t i, double lambda, const VectorX& u, double h,
                                State& state) const {
  const JointTerms& terms = joint_blocks_.terms()[i];
  const double speed = limit_rebounds_[i].speed;
  if (!(lambda > 0.0) || !(speed > 0.0)) return;
  if (joint_blocks_.rate(terms.first, u) + terms.gap / h < 1e-3 * speed)
    state.memory.rebounds.push_back({terms.key, speed});
}

// Coordinates and rates at the end of the step. Those of joints that nothing hangs on come from
// bodies: rates at the poses of the start, where rows ask for them.
void ContactStepper::advance_joints(const StepPart& part) {
  const Model& model = part.model;
  next_positions_ = part.state.joint_positions;
  read_loop_rates(model, part.state.poses, next_, next_rates_);
  advance_tree(model, next_rates_, part.h, next_positions_, moved_);
}

// Coordinates and poses of what hangs on joints after moving with these rates.
void ContactStepper::advance_tree(const Model& model, const VectorX& rates, double h,
                                  VectorX& positions, std::vector<Pose>& poses) {
  if (model.tree_order.empty()) return;
  for (int j = 0; j < static_cast<int>(model.joints.size()); ++j)
    if (!is_loop_joint(model, j)) {
      const Joint& joint = model.joints[static_cast<std::size_t>(j)];
      vinci::advance(joint, rates.data() + joint.first_rate, h,
                     positions.data() + joint.first_coordinate);
    }
  place_tree(model, positions, poses);
}

// Velocities of what hangs on joints are those of where it is at the end.
void ContactStepper::carry_velocities(const Model& model, State& state) {
  if (model.tree_order.empty()) return;
  tree_.place(model, state.poses, state.joint_positions);
  tree_.spread_velocities(state.joint_rates, state.velocities);
}

// Where joints are at the end of the step: coordinates of those that nothing hangs on from the
// poses of bodies, and joints that rows hold are closed.
void ContactStepper::settle_joints(const Model& model, State& state, StepReport& report) {
  if (model.joints.empty()) return;
  read_loop_coordinates(model, state.poses, state.joint_positions);
  read_slipped(model, state);
  const JointOpening opening = closure_.close(model, state, stuck_, slipped_);
  report.joint_opening = opening.left;
  report.closed_opening = opening.before;
}

// Couplings that slipped hold the offset that they have now.
void ContactStepper::read_slipped(const Model& model, State& state) const {
  for (const int i : slipped_) {
    const Coupling& coupling = model.couplings[static_cast<std::size_t>(i)];
    const auto at = [&](int joint, int freedom) {
      return state.joint_positions[model.joints[static_cast<std::size_t>(joint)].first_coordinate +
                                   freedom];
    };
    state.coupling_offsets[i] = at(coupling.joint_b, coupling.freedom_b) -
                                coupling.ratio * at(coupling.joint_a, coupling.freedom_a);
  }
}

}  // namespace vinci
