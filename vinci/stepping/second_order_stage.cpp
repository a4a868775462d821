// SPDX-License-Identifier: Apache-2.0
// Stages of a step of second order: where they are foreseen, their problem, and what is read of it.
#include <algorithm>
#include <cmath>

#include "vinci/formulation/free_motion.h"
#include "vinci/kinematics/joint_tree.h"
#include "vinci/kinematics/velocities.h"
#include "vinci/model/element.h"
#include "vinci/stepping/second_order.h"
#include "vinci/stepping/step_diagnosis.h"

namespace vinci {
namespace {

bool hangs(const Model& model, int body) {
  return !model.tree_joint.empty() && model.tree_joint[static_cast<std::size_t>(body)] >= 0;
}

}  // namespace

// Bodies of the island displaced along the unknowns, and what is prescribed at that time.
void SecondOrder::shift(const Model& model, const State& from, double time,
                        const VectorX& displacement, State& to) {
  to.time = time;
  to.poses = from.poses;
  to.joint_positions = from.joint_positions;
  to.coupling_offsets = from.coupling_offsets;
  packed_.setZero(model.velocity_count);
  for (int i = 0; i < model.velocity_count; ++i)
    if (model.free_index[i] >= 0) packed_[i] = displacement[model.free_index[i]];
  for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b) {
    const Body& body = model.bodies[b];
    if (body.velocity_size == 0 || hangs(model, b)) continue;
    if (moves(b)) to.poses[b] = advanced(body, from.poses[b], body_twist(model, packed_, b), 1.0);
    place_prescribed(body, time, to.poses[b]);
  }
  if (model.joints.empty()) return;
  rates_.setZero(model.joint_rate_count);
  for (int i = 0; i < model.joint_rate_count; ++i)
    if (model.rate_index[i] >= 0) rates_[i] = displacement[model.rate_index[i]];
  for (int j = 0; j < static_cast<int>(model.joints.size()); ++j) {
    const Joint& joint = model.joints[static_cast<std::size_t>(j)];
    if (!is_loop_joint(model, j) && moves(joint))
      vinci::advance(joint, rates_.data() + joint.first_rate, 1.0,
                     to.joint_positions.data() + joint.first_coordinate);
  }
  if (!model.tree_order.empty()) place_tree(model, to.joint_positions, to.poses);
  read_loop_coordinates(model, to.poses, to.joint_positions);
}

bool SecondOrder::moves(const Joint& joint) const {
  return (joint.body_a >= 0 && moves(joint.body_a)) || (joint.body_b >= 0 && moves(joint.body_b));
}

bool SecondOrder::counts(const Model& model, const EntityKey& key) const {
  switch (key.kind) {
    case EntityKind::contact:
      return moves(model.shapes[key.shape_a()].body) || moves(model.shapes[key.shape_b()].body);
    case EntityKind::support:
      return moves(static_cast<int>(key.ids[0]));
    case EntityKind::joint:
      return moves(model.joints[key.ids[0]]);
    case EntityKind::coupling:
      return moves(model.joints[static_cast<std::size_t>(model.couplings[key.ids[0]].joint_b)]);
    case EntityKind::element: {
      const Element& element = *model.elements[key.ids[0]];
      return (element.a().body >= 0 && moves(element.a().body)) ||
             (element.b().body >= 0 && moves(element.b().body));
    }
    default:
      return false;
  }
}

// Of the island by the unknowns; what is prescribed has that of the time of the state.
void SecondOrder::set_velocities(const Model& model, const VectorX& u, State& state) {
  state.velocities = now_.velocities;
  state.joint_rates = now_.joint_rates;
  prescribe_velocities(model, state.time, state.poses, state.velocities);
  for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b) {
    const Body& body = model.bodies[b];
    for (int i = body.velocity_offset; i < body.velocity_offset + body.velocity_size; ++i)
      if (moves(b) && model.free_index[i] >= 0) state.velocities[i] = u[model.free_index[i]];
  }
  if (model.joints.empty()) return;
  for (const Joint& joint : model.joints)
    for (int k = joint.first_rate; k < joint.first_rate + rate_count(joint.kind); ++k)
      if (moves(joint) && model.rate_index[k] >= 0) state.joint_rates[k] = u[model.rate_index[k]];
  if (!model.tree_order.empty()) {
    end_tree_.place(model, state.poses, state.joint_positions);
    end_tree_.spread_velocities(state.joint_rates, state.velocities);
  }
  read_loop_rates(model, state.poses, state.velocities, state.joint_rates);
}

void SecondOrder::gather(const Model& model, const State& state, VectorX& u) const {
  u.setZero(model.free_count);
  for (int i = 0; i < model.velocity_count; ++i)
    if (model.free_index[i] >= 0) u[model.free_index[i]] = state.velocities[i];
  for (int i = 0; i < model.joint_rate_count; ++i)
    if (model.rate_index[i] >= 0) u[model.rate_index[i]] = state.joint_rates[i];
}

void SecondOrder::detect(StepContext& context, const State& state, ContactSet& contacts) {
  const Model& model = *context.in.model;
  if (!model.tree_order.empty()) end_tree_.place(model, state.poses, state.joint_positions);
  const Tree* const tree = model.tree_order.empty() ? nullptr : &end_tree_;
  contacts.clear();
  context.in.detector->detect(model, state.poses, reach_.distances(), contacts);
  std::erase_if(contacts, [&](const Contact& contact) {
    return !counts(contact) || !can_respond(model, state.poses, contact, tree);
  });
}

// The closed contacts among those found. Where one has another feature of its shapes now, it is the
// nearest contact of these that is not closed as well; where there is none, it has its geometry of
// the start.
void SecondOrder::match_contacts(const ContactSet& found) {
  stage_contacts_.clear();
  matched_.clear();
  adopted_.clear();
  auto at = found.begin();
  for (const Contact& contact : closed_) {
    while (at != found.end() && at->key < contact.key) ++at;
    const bool known = at != found.end() && at->key == contact.key;
    stage_contacts_.push_back(known ? *at : contact);
    matched_.push_back(known ? 1 : 0);
  }
  for (std::size_t i = 0; i < stage_contacts_.size(); ++i) {
    if (matched_[i]) continue;
    const Contact& closed = closed_[i];
    const Contact* nearest = nullptr;
    double least = infinity;
    for (const Contact& contact : found) {
      const double away = (contact.point_b - closed.point_b).norm();
      if (contact.key.shape_a() != closed.key.shape_a() ||
          contact.key.shape_b() != closed.key.shape_b() || !(away < least) ||
          !(contact.normal.dot(closed.normal) > 0.5) || is_closed(contact.key) ||
          std::find(adopted_.begin(), adopted_.end(), contact.key) != adopted_.end())
        continue;
      nearest = &contact;
      least = away;
    }
    if (!nearest) continue;
    adopted_.push_back(nearest->key);
    stage_contacts_[i] = *nearest;
    stage_contacts_[i].key = closed.key;
    stage_contacts_[i].patch_point = closed.patch_point;
    matched_[i] = 1;
  }
}

bool SecondOrder::is_closed(const EntityKey& key) const {
  const auto place = std::lower_bound(
      closed_.begin(), closed_.end(), key,
      [](const Contact& contact, const EntityKey& other) { return contact.key < other; });
  return place != closed_.end() && place->key == key;
}

// What velocities at the start lack of what rows hold there, as far as it is small, is no
// acceleration: micro-steps would take it for a large one.
void SecondOrder::find_residuals(const Model& model) {
  match_contacts(near_);
  stage_.formulate(
      {model, now_, micro_length(), velocity_, held_, stage_contacts_, closed_limits_, &in_}, form_,
      problem_);
  residuals_ = problem_.b;
  problem_.J.multiply_add(velocity_.data(), residuals_.data());
  const auto keep = [&](int first, int count) {
    double size = 0.0;
    for (int row = first; row < first + count; ++row)
      size = std::max(size, std::abs(residuals_[row]));
    if (size > closing_) residuals_.segment(first, count).setZero();
  };
  for (const Block& block : problem_.blocks) {
    const int row = block.offset;
    if (problem_.C.diagonal(row) > 0.0) {  // it yields
      residuals_.segment(row, block.size).setZero();
    } else if (block.law == Law::coulomb) {
      keep(row, 1);
      keep(row + 1, block.size - 1);
    } else if (problem_.J.starts[row] == problem_.J.starts[row + 1]) {  // a σ sees no velocity
      residuals_[row] = 0.0;
    } else if (block.law != Law::equality) {
      keep(row, block.size);
    }
  }
}

// At foreseen_, over the time before it.
bool SecondOrder::solve_stage(StepContext& context, double length, const VectorX& before,
                              bool residuals, Answer& answer, StepReport& report) {
  const Model& model = *context.in.model;
  const Stopwatch watch;
  detect(context, foreseen_, found_);
  match_contacts(found_);
  report.seconds[static_cast<int>(Stage::detect)] += watch.seconds();
  stage_.formulate({model, foreseen_, length, before, held_, stage_contacts_, closed_limits_, &in_},
                   form_, problem_);
  if (residuals && residuals_.size() == problem_.rows()) problem_.b -= residuals_;
  solution_.u = before;
  solution_.lambda.setZero(problem_.rows());
  MemoryCursor memory(forces_);
  for (const EntityRows& rows : stage_.builder().map())
    if (const ImpulseMemory* known = memory.find(rows.key, rows.point))
      stage_.builder().guess(rows, ContactWrench{length * known->impulse, length * known->moment},
                             solution_.lambda);
  StepReport own;
  own.contact_count = static_cast<int>(stage_contacts_.size());
  judge_.prepare(problem_);
  if (problem_.rows() == 0) {
    own.solve.status = judge_.regular() ? SolveStatus::solved : SolveStatus::refused;
    solution_.u.resize(problem_.unknowns());
    if (judge_.regular()) judge_.mass().solve(problem_.p.data(), solution_.u.data());
  } else {
    own.solve = selection_.solve(problem_, *context.in.solver, context.in.accuracy, solution_,
                                 &before, 0.0);
    own.selected = selection_.report().chosen;
    own.unselected = selection_.report().missed;
    if (context.in.witness && WitnessedSolver::has_answer(own.solve))
      context.in.witness->look({.problem = problem_,
                                .model = model,
                                .tree = model.tree_order.empty() ? nullptr : &stage_.tree(),
                                .accuracy = context.in.accuracy},
                               solution_, own);
    judge_.measure(problem_, solution_);
  }
  own.seconds[static_cast<int>(Stage::solve)] += watch.seconds();
  const bool usable = WitnessedSolver::has_answer(own.solve) && solution_.u.allFinite() &&
                      !(own.solve.residual.relative > 1e-6);
  if (report.substeps == 0) {  // the first of the part
    report.solve = own.solve;
    report.solve.iterations = 0;
  }
  vinci::add_part(report, own);
  report.substeps = 1;
  if (!usable) return false;
  answer.u = before;
  for (int i = 0; i < model.free_count; ++i)
    if (own_unknowns_[static_cast<std::size_t>(i)]) answer.u[i] = solution_.u[i];
  answer.acceleration = (answer.u - before) / length;
  answer.forces.clear();
  for (const EntityRows& rows : stage_.builder().map()) {
    const ContactWrench wrench = stage_.builder().wrench(rows, solution_.lambda);
    answer.forces.push_back({.key = rows.key,
                             .point = rows.point,
                             .impulse = wrench.impulse / length,
                             .moment = wrench.moment / length});
  }
  return true;
}

// Both stages over a part, from now_ into trial_.
void SecondOrder::try_part(StepContext& context, double length) {
  constexpr double d = 1.0 - M_SQRT1_2, omega = M_SQRT2 / 4.0;
  const Model& model = *context.in.model;
  const double s = length, beta = d * s, time = now_.time;
  Trial& trial = trial_;
  trial.length = s;
  trial.report = {};
  trial.report.passes = 0;
  trial.report.substeps = 0;
  trial.signals.clear();
  trial.solved = false;
  const VectorX& u0 = velocity_;
  // To t + 2 d s.
  before_stage_ = u0 + beta * first_;
  mean_ = before_stage_ + beta * first_;
  shift(model, now_, time + 2.0 * beta, beta * (u0 + mean_), foreseen_);
  set_velocities(model, mean_, foreseen_);
  if (!solve_stage(context, beta, before_stage_, false, trial.middle, trial.report)) return;
  // To t + s.
  const VectorX &u1 = trial.middle.u, &f1 = trial.middle.acceleration;
  before_stage_ = u0 + omega * s * (first_ + f1);
  mean_ = before_stage_ + beta * f1;
  shift(model, now_, time + s, omega * s * (u0 + u1) + beta * mean_, foreseen_);
  set_velocities(model, mean_, foreseen_);
  if (!solve_stage(context, beta, before_stage_, false, trial.last, trial.report)) return;
  mean_ = omega * s * (u0 + u1) + beta * trial.last.u;
  shift(model, now_, time + s, mean_, trial.end);
  set_velocities(model, trial.last.u, trial.end);
  detect(context, trial.end, trial.seen);
  ++trial.report.passes;
  trial.solved = trial.end.velocities.allFinite();
  if (!trial.solved) return;
  trial.solved = modes_.signals(answered(beta), tolerances_, trial.signals);
  add_gaps(model, trial.end, trial.seen, trial.signals);
  estimate(model);
}

// The least gaps of what is open.
void SecondOrder::add_gaps(const Model& model, const State& state, const ContactSet& seen,
                           std::vector<TransitionSignal>& signals) {
  double gap = infinity, limit_gap = infinity;
  match_contacts(seen);
  for (const Contact& contact : seen)
    if (!is_closed(contact.key) &&
        std::find(adopted_.begin(), adopted_.end(), contact.key) == adopted_.end())
      gap = std::min(gap, contact.gap);
  find_limits(model, state.joint_positions, limits_);
  for (const JointLimit& limit : limits_)
    if (moves(model.joints[static_cast<std::size_t>(limit.joint)]) &&
        !std::binary_search(closed_limits_.begin(), closed_limits_.end(), limit.key))
      limit_gap = std::min(limit_gap, limit.gap);
  for (const double value : {gap, limit_gap})
    signals.push_back({TransitionSignal::Kind::gap, value, tolerances_.gap, -1});
}

// The difference to the formula of third order that is embedded in the stages: of positions, and of
// velocities over a second; of the body that has most.
void SecondOrder::estimate(const Model& model) {
  constexpr double d = 1.0 - M_SQRT1_2, omega = M_SQRT2 / 4.0;
  constexpr double w0 = (1.0 - 4.0 * omega) / 3.0, w1 = 1.0 / 3.0, w2 = -2.0 * d / 3.0;
  const double s = trial_.length;
  trial_.error = 0.0;
  if (accuracy_ == 0.0) return;
  const auto largest = [&](const VectorX& unknowns) {
    packed_.setZero(model.velocity_count);
    rates_.setZero(model.joint_rate_count);
    for (int i = 0; i < model.velocity_count; ++i)
      if (model.free_index[i] >= 0) packed_[i] = unknowns[model.free_index[i]];
    for (int i = 0; i < model.joint_rate_count; ++i)
      if (model.rate_index[i] >= 0) rates_[i] = unknowns[model.rate_index[i]];
    if (!model.tree_order.empty()) end_tree_.spread_velocities(rates_, packed_);
    double most = 0.0;
    for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b) {
      const Body& body = model.bodies[b];
      if (!moves(b) || !(body.mass.mass > 0.0)) continue;
      const Twist twist = body_twist(model, packed_, b);
      const Vector3 own = trial_.end.poses[b].rotation.conjugate() * twist.angular;
      most = std::max(
          most, twist.linear.squaredNorm() + own.dot(body.mass.inertia * own) / body.mass.mass);
    }
    return std::sqrt(most);
  };
  scratch_ = s * (w0 * first_ + w1 * trial_.middle.acceleration + w2 * trial_.last.acceleration);
  const double of_velocities = largest(scratch_);
  scratch_ = s * (w0 * velocity_ + w1 * trial_.middle.u + w2 * trial_.last.u);
  trial_.error = largest(scratch_) + of_velocities;
}

}  // namespace vinci
