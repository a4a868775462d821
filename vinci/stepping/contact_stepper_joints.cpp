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

// Errors and gaps of joints below it are rounding of coordinates, as at contacts; m or rad.
constexpr double smallest_way = 1e-12;

// A limit that was overrun by more when the step began, m or rad, was moved by a change.
constexpr double overrun = 1e-6;

// Whether the load of a box is inside of its bounds, beyond what a solver leaves at one.
bool is_inside(const JointTerms& terms, double load) {
  const double margin = 1e-9 * (terms.upper - terms.lower);
  return load > terms.lower + margin && load < terms.upper - margin;
}

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
  const bool flies = part.flies();
  const State& at = at_middle(part);
  const std::vector<Pose>& placed = flies ? flight_poses_ : placed_;
  tree_.place(part.model, at.poses, at.joint_positions);
  if (flies || !drivers_rest_) placed_tree_.place(part.model, placed, at.joint_positions);
  if (flies) {
    gather(part.model, part.state.velocities, part.state.joint_rates, flight_before_);
    joint_flight_.emplace(part.state, placed_, flight_before_, flying_, limits_, part.coasts());
  }
  find_joint_loads(joint_step(part), joint_loads_);
  find_joint_rows(part, has_all_limits_);
}

// What flies is looked at in its middle.
JointStep ContactStepper::joint_step(const StepPart& part) const {
  const bool flies = part.flies();
  return {.model = part.model,
          .state = at_middle(part),
          .placed = flies ? flight_poses_ : placed_,
          .tree = drivers_rest_ && !flies ? tree_ : placed_tree_,
          .h = part.h,
          .time = impulse_time(part.h),
          .momentum = motion_ == MotionModel::dynamic,
          .inert = motion_ != MotionModel::quasi_static,
          .flight = flies ? &*joint_flight_ : nullptr,
          .resolution = motion_ == MotionModel::quasi_static ? smallest_way : 0.0};
}

// Limits that joints are far from have no rows at first; without momentum rates of the start say
// nothing of the step, and flights name their limits.
void ContactStepper::find_joint_rows(const StepPart& part, bool all_limits) {
  JointStep step = joint_step(part);
  step.all_limits = has_all_limits_ = all_limits || motion_ != MotionModel::dynamic || part.flies();
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
  double least = 4e-15 * size;
  if (motion_ == MotionModel::quasi_static) least = std::max(least, smallest_way);
  for (std::size_t i = 0; i < joint_blocks_.held().size(); ++i) {
    const HeldRow& held = joint_blocks_.held()[i];
    const int row = held.row;
    if (row < 0 || (part.flies() && is_flying(model, held))) continue;
    const auto at = static_cast<Eigen::Index>(i);
    const double bent = led_errors_[at] - start_errors_[at] - h * joint_blocks_.rate(row, free_);
    joint_blocks_.bias(row) = std::abs(bent) > least ? bent / h : 0.0;
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

// What drivers carry along by joints moves with them.
void ContactStepper::carry_drivers(const Model& model) {
  if (model.tree_order.empty()) return;
  mean_rates_.setZero(model.joint_rate_count);
  tree_.spread_velocities(mean_rates_, driven_);
}

// Whether a joint would come past a limit that has no row.
bool ContactStepper::overruns_limit(const StepPart& part) const {
  if (has_all_limits_) return false;
  const Model& model = part.model;
  for (int j = 0; j < static_cast<int>(model.joints.size()); ++j) {
    const Joint& joint = model.joints[static_cast<std::size_t>(j)];
    for (int k = 0; k < static_cast<int>(joint.freedoms.size()); ++k) {
      const JointFreedom& freedom = joint.freedoms[static_cast<std::size_t>(k)];
      if (!freedom.is_limited() || is_loop_joint(model, j)) continue;
      const double q = part.state.joint_positions[joint.first_coordinate + k];
      const double rate = part.state.joint_rates[joint.first_rate + k];
      const double next = q + part.h * next_rates_[joint.first_rate + k];
      if ((next < freedom.lower && !is_near_limit(q - freedom.lower, rate, part.h)) ||
          (next > freedom.upper && !is_near_limit(freedom.upper - q, rate, part.h)))
        return true;
    }
  }
  return false;
}

// A step in which nothing but smooth forces acts, by a rule of high order where it is asked for.
bool ContactStepper::rides_smoothly(const StepContext& context, const StepPart& part) {
  if (!smooth_.is_asked() || motion_ != MotionModel::dynamic || part.flies() ||
      context.work.problem.rows() > 0 || forces_.has_drags() || forces_.line().drag.size() > 0 ||
      !smooth_.advance({part.model, part.state, forces_.line().at_rest, joint_loads_, part.h}))
    return false;
  next_rates_ = smooth_.rates();
  tree_.spread_velocities(next_rates_, next_);
  return true;
}

// M and p where bodies hang on joints.
void ContactStepper::fill_tree(const StepPart& part, ComplementarityProblem& problem) {
  const TreeStep step{part.model, at_middle(part), tree_, forces_.line(), joint_loads_, part.h};
  lacks_matrix_ = foreseen_roughly_ = false;
  switch (motion_) {
    case MotionModel::dynamic:
      if (!part.flies() && foresees_tree(step, problem)) break;
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

// Where there may be no rows, velocities are found without M, which rows ask for later.
bool ContactStepper::foresees_tree(const TreeStep& step, ComplementarityProblem& problem) {
  const bool rough = smooth_.is_asked() && smooth_.takes(step.model, step.loads);
  if (joint_blocks_.rows() > 0 || joint_blocks_.has_pushes() || !elements_.empty() ||
      bounces(step.model) || !(rough || jointed_motion_.is_deep(step.model)) ||
      !JointedMotion::takes(step))
    return false;
  jointed_motion_.foresee(step, rough, foreseen_, foreseen_rates_);
  lacks_matrix_ = true;
  foreseen_roughly_ = rough;
  problem.M.reset(step.model.free_count);
  for (int i = 0; i < step.model.free_count; ++i) problem.M.end_row();
  problem.p.setZero(step.model.free_count);
  return true;
}

// M and p after all.
void ContactStepper::take_matrix(const StepPart& part, ComplementarityProblem& problem) {
  if (!lacks_matrix_) return;
  lacks_matrix_ = false;
  const TreeStep step{part.model, part.state, tree_, forces_.line(), joint_loads_, part.h};
  jointed_motion_.dynamic(step, problem.M, problem.p, foreseen_, foreseen_rates_);
}

// What rows hold together are differences of velocities of bodies, whose rounding a residual is
// relative to. In reduced coordinates what moves all of a mechanism has left the rows: it counts
// here, as it does in those of maximal coordinates, by the judge's 0.2 % (residual.h).
void ContactStepper::judge_by_speed(const Accuracy& accuracy, StepReport& report) const {
  constexpr double floor_share = 2e-3;
  Residual& residual = report.solve.residual;
  const double floor = floor_share * next_.lpNorm<Eigen::Infinity>();
  if (!(residual.relative > 0.0) || !(residual.velocity < floor * residual.relative)) return;
  residual.relative = residual.velocity / floor;
  if (report.solve.status == SolveStatus::inaccurate && residual.relative <= accuracy.acceptable())
    report.solve.status = SolveStatus::solved;
}

// Velocity products of joints are found by repeated substitution: without rows by jointed_motion_,
// then with them (in flights by settle_flight_products).
void ContactStepper::settle_products(StepContext& context, const StepPart& part,
                                     StepReport& report) {
  constexpr int most_rounds = 12;
  constexpr double settled = 1e-13;  // of the motion without rows
  double error = jointed_motion_.error();
  const TreeStep step{part.model, part.state, tree_, forces_.line(), joint_loads_, part.h};
  int iterations = report.solve.iterations;
  for (int round = 0; round < most_rounds && !part.flies() && context.work.problem.rows() > 0 &&
                      !forces_.has_drags() && report.ending == Ending::none &&
                      report.solve.status != SolveStatus::refused;
       ++round) {
    error = jointed_motion_.follow(step, next_, next_rates_, context.work.problem.p);
    if (!(error > settled)) break;
    solve(context, report);  // from the last answer
    iterations += report.solve.iterations;
  }
  report.solve.iterations = iterations;
  if (!joint_blocks_.held().empty()) judge_by_speed(context.in.accuracy, report);
  if (!(error > context.in.accuracy.acceptable())) return;
  report.solve.status = SolveStatus::limit;
  report.solve.residual.relative = std::max(report.solve.residual.relative, error);
  report.solve.note = "the step is too long for how fast joints turn";
}

// Efforts along freedoms that are no unknowns. Where joints have no rows, the motion without
// contact may be that of the step: it has them, too.
void ContactStepper::add_efforts(const Model& model, ComplementarityProblem& problem) {
  free_ = -problem.p;
  joint_blocks_.add_pushes(problem.p);
  free_ += problem.p;
  MassFactor inertia;
  if (joint_blocks_.rows() > 0 || free_.isZero(0.0) || !inertia.factor(problem.M)) return;
  change_.resize(free_.size());
  inertia.solve(free_.data(), change_.data());
  gather(model, foreseen_, foreseen_rates_, free_);
  free_ += change_;
  spread(model, free_, foreseen_, foreseen_rates_);
}

// Efforts, and what rows ask for; and the motion without contact is one that joints
// allow, where it counts how fast that is.
void ContactStepper::join_motion(const StepPart& part, ComplementarityProblem& problem) {
  const Model& model = part.model;
  if (model.joints.empty()) return;
  add_efforts(model, problem);
  reconcile_rows(model, motion_ == MotionModel::quasi_static ? inertia_ : problem.M);
  if (part.flies()) gather(model, foreseen_, foreseen_rates_, product_end_);
  const bool counts = bounces(model) || part.flies() || joins_foreseen();
  if (motion_ != MotionModel::dynamic || !counts) return;
  gather(model, foreseen_, foreseen_rates_, free_);
  if (joined_motion_.solve(problem, joint_blocks_, free_))
    spread(model, free_, foreseen_, foreseen_rates_);
  if (part.flies()) read_loop_rates(model, middle_.poses, foreseen_, foreseen_rates_);
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
    ImpactState impact{.gap = part.flies() ? flight_gap(part, terms.gap) : terms.gap,
                       .velocity = terms.velocity,
                       .restitution = share * terms.restitution,
                       .rebound_due = due ? share * due->speed : 0.0};
    if (impact.restitution > 0.0)
      impact.change = joint_blocks_.rate(terms.first, free_) - terms.velocity;
    const ImpactTerms normal = newton_impact(impact, part.h);
    // A limit that has moved past the joint, as a change may do it, throws nothing.
    joint_blocks_.bias(terms.first) =
        impact.gap < -overrun ? std::max(normal.closing, 0.0) : normal.closing;
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
  served_.clear();
  bearing_.clear();
  const double scale = h / impulse_time(h);
  const VectorX& lambda = context.work.solution.lambda;
  // A limit that is reached at the end of the step, and was not passed before.
  const auto bears = [&](const JointTerms& terms, double load) {
    constexpr double touching = 1e-9;  // m or rad
    const double gap = terms.gap + h * joint_blocks_.rate(terms.first, context.work.solution.u);
    return load > 0.0 && terms.gap >= -overrun && gap < touching;
  };
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
        if (bears(terms, own))
          bearing_.push_back({static_cast<int>(rows.key.ids[0]), freedom, false});
        note_limit(i, own, context.work.solution.u, h, state);
        break;
      case JointPart::upper_limit:
        joint.limit[freedom] -= impulse;
        if (bears(terms, own))
          bearing_.push_back({static_cast<int>(rows.key.ids[0]), freedom, true});
        note_limit(i, own, context.work.solution.u, h, state);
        break;
      case JointPart::friction:
        joint.friction[freedom] = impulse;
        if (is_inside(terms, own)) stuck_.push_back({static_cast<int>(rows.key.ids[0]), freedom});
        break;
      case JointPart::servo:
        joint.motor[freedom] = impulse;
        if (is_inside(terms, own)) served_.push_back({static_cast<int>(rows.key.ids[0]), freedom});
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

// Forces on bodies in the step, of contacts, supports, elements and joints that close loops too.
void ContactStepper::add_solved_forces(const StepContext& context, const State& state, double h) {
  const Model& model = *context.in.model;
  for (std::size_t i = 0; i < context.out.contacts.size(); ++i) {
    const SolvedContact& solved = context.out.contacts[i];
    const bool support = solved.contact.key.kind == EntityKind::support;
    const FramedContact* const framed = support ? nullptr : frames_.find(i);
    tree_loads_.add_contact(model, state.poses, solved, framed ? &framed->arms : nullptr, h);
  }
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    const ElementRow& row = elements_[i].row;
    const Vector3 force = element_impulses_[i] / h * row.axis;
    const auto push = [&](int b, const Vector3& point, const Vector3& along) {
      if (b >= 0)
        tree_loads_.push(model, b, point - center_of_mass(model, state.poses, b), along,
                         Vector3::Zero());
    };
    push(row.body_b, row.point_b, force);
    push(row.body_a, row.point_a, -force);
  }
  tree_loads_.add_loop_joints(model, state.poses, context.out.joints, h);
}

// What the joints bear that bodies hang on, from the motion of the bodies.
void ContactStepper::collect_tree(StepContext& context, const State& state, double h) {
  const Model& model = *context.in.model;
  if (model.tree_order.empty()) return;
  mean_ = forces_.line().at_rest;
  if (forces_.line().drag.size() > 0) mean_ -= forces_.line().drag.cwiseProduct(next_);
  tree_loads_.begin(mean_);
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
  tree_loads_.collect(tree_, {mean_, mean_rates_, prescribed_change_, change_}, h,
                      context.out.joints);
}

void ContactStepper::take_joint_work(const StepContext& context, std::span<double> sums) const {
  const Model& model = *context.in.model;
  const Solution& solution = context.work.solution;
  for (std::size_t i = 0; i < joint_blocks_.terms().size(); ++i) {
    const JointTerms& terms = joint_blocks_.terms()[i];
    const EntityRows& rows = builder_.joints()[i];
    double work = 0.0;
    for (int k = 0; k < terms.count; ++k)
      work += solution.lambda[rows.first + k] * joint_blocks_.rate(terms.first + k, solution.u);
    if (!(work > 0.0)) continue;
    const auto take = [&](int index) {
      const Joint& joint = model.joints[static_cast<std::size_t>(index)];
      for (const int b : {joint.body_a, joint.body_b})
        if (b >= 0) sums[static_cast<std::size_t>(b)] = std::max(0.0, sums[b] - work);
    };
    if (rows.key.kind == EntityKind::joint) {
      take(static_cast<int>(rows.key.ids[0]));
      continue;
    }
    take(model.couplings[rows.key.ids[0]].joint_a);
    take(model.couplings[rows.key.ids[0]].joint_b);
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

// Coordinates of the joints that something hangs on, into next_positions_.
void ContactStepper::advance_coordinates(const StepPart& part, const VectorX& rates) {
  const Model& model = part.model;
  next_positions_ = part.state.joint_positions;
  for (int j = 0; j < static_cast<int>(model.joints.size()); ++j)
    if (!is_loop_joint(model, j)) {
      const Joint& joint = model.joints[static_cast<std::size_t>(j)];
      const bool flies = part.flies() && is_flying(joint);
      double* const q = next_positions_.data() + joint.first_coordinate;
      if (flies)
        std::copy_n(middle_.joint_positions.data() + joint.first_coordinate,
                    position_count(joint.kind), q);
      vinci::advance(joint, rates.data() + joint.first_rate, flies ? 0.5 * part.h : part.h, q);
    }
}

// Coordinates and rates at the end of the step. Those of joints that nothing hangs on come from
// bodies: rates at the poses of the start, where rows ask for them.
void ContactStepper::advance_joints(const StepPart& part) {
  const Model& model = part.model;
  if (smooth_.is_taken()) {
    next_positions_ = smooth_.positions();
    moved_ = smooth_.poses();
    return;
  }
  read_loop_rates(model, part.state.poses, next_, next_rates_);
  advance_coordinates(part, next_rates_);
  if (!model.tree_order.empty()) place_tree(model, next_positions_, moved_);
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
  const JointOpening opening = close_joints(model, state);
  report.joint_opening = opening.left;
  report.closed_opening = opening.before;
}

// Without momentum servos say where their joints are, and limits that bear load do so in every
// motion: closing moves the other joints, if that can close them; else those that friction holds
// (near a dead centre by next to nothing), then those of servos, then those at limits.
JointOpening ContactStepper::close_joints(const Model& model, State& state) {
  if (joint_blocks_.held().empty()) return closure_.close(model, state, stuck_, slipped_);
  if (motion_ != MotionModel::dynamic) find_served(model);
  const std::size_t servos = served_.size();
  served_.insert(served_.end(), stuck_.begin(), stuck_.end());
  const std::span<const FreedomPlace> all = served_;
  closed_poses_ = state.poses;
  closed_positions_ = state.joint_positions;
  JointOpening opening = closure_.close(model, state, all, slipped_, bearing_);
  const auto again = [&](std::span<const FreedomPlace> still, std::span<const LimitPlace> bearing) {
    if (opening.left <= largest_joint_opening) return;
    state.poses = closed_poses_;
    state.joint_positions = closed_positions_;
    opening = closure_.close(model, state, still, slipped_, bearing);
  };
  if (servos > 0) {
    again(all.first(servos), bearing_);
    again(stuck_, bearing_);
  }
  if (!bearing_.empty()) again(stuck_, {});
  return opening;
}

// Freedoms of servos without a limit; those with one were found among the rows.
void ContactStepper::find_served(const Model& model) {
  for (int j = 0; j < static_cast<int>(model.joints.size()); ++j) {
    const Joint& joint = model.joints[static_cast<std::size_t>(j)];
    for (int k = 0; k < static_cast<int>(joint.freedoms.size()); ++k) {
      const Motor& motor = joint.freedoms[static_cast<std::size_t>(k)].motor;
      const bool serves = motor.kind == MotorKind::velocity || motor.kind == MotorKind::position;
      if (serves && motor.limit == infinity) served_.push_back({j, k});
    }
  }
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
