// SPDX-License-Identifier: Apache-2.0
// Parts of a step of second order: how one begins, where it ends, and what it leaves.
#include <algorithm>
#include <cmath>
#include <limits>

#include "vinci/formulation/contact_motion.h"
#include "vinci/formulation/free_motion.h"
#include "vinci/kinematics/joint_tree.h"
#include "vinci/stepping/second_order.h"

namespace vinci {
namespace {

// Impacts one after the other at the start of a part.
constexpr int most_strikes = 20;
// Of the search for a transition.
constexpr int most_rounds = 80;

}  // namespace

// Contacts and limits at the start of a part that do not part, into closed_ and closed_limits_;
// whether one closes.
bool SecondOrder::find_closed(StepContext& context) {
  const Model& model = *context.in.model;
  detect(context, now_, near_);
  bool closes = false;
  closed_.clear();
  closed_limits_.clear();
  const double touch = 2.0 * tolerances_.gap;
  for (const Contact& contact : near_) {
    if (contact.gap > touch) continue;
    const double rate =
        contact.normal.dot(relative_velocity(model, now_.poses, now_.velocities, contact));
    if (rate > closing_) continue;
    closes = closes || rate < -closing_;
    if (std::binary_search(lifted_.begin(), lifted_.end(), contact.key)) continue;
    closed_.push_back(contact);
  }
  find_limits(model, now_.joint_positions, limits_);
  for (const JointLimit& limit : limits_) {
    const double rate = limit.speed(now_.joint_rates);
    if (limit.gap > touch || rate > closing_ ||
        !moves(model.joints[static_cast<std::size_t>(limit.joint)]))
      continue;
    closes = closes || rate < -closing_;
    if (!std::binary_search(lifted_.begin(), lifted_.end(), limit.key))
      closed_limits_.push_back(limit.key);
  }
  return closes;
}

// Restitution that would not outlast a step, or what the accuracy can tell, is dropped.
double SecondOrder::least_rebound(const Model& model) {
  double fastest = 0.0;
  applied_forces(model, now_, scratch_);
  for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b) {
    const Body& body = model.bodies[b];
    if (moves(b) && body.mass.mass > 0.0)
      fastest = std::max(fastest, body_twist(model, scratch_, b).linear.norm() / body.mass.mass);
  }
  return accuracy_ > 0.0 ? std::sqrt(2.0 * fastest * accuracy_) : 0.5 * fastest * grid_;
}

bool SecondOrder::strike_what_closes(StepContext& context, SubstepSum& sum) {
  for (int strike = 0; find_closed(context); ++strike) {
    if (strike == most_strikes) return false;
    const StruckInstant::Rules rules{.form = form_,
                                     .touch = 2.0 * tolerances_.gap,
                                     .least_rebound = least_rebound(*context.in.model),
                                     .only = &in_};
    if (!struck_.strike(context, now_, near_, rules, sum) || sum.ended()) return false;
    lifted_.clear();
  }
  return true;
}

// Over e seconds from now_: an ordinary step at the level of velocities.
bool SecondOrder::micro_step(StepContext& context, double e, Answer& answer, StepReport& report) {
  const Model& model = *context.in.model;
  shift(model, now_, now_.time + e, e * velocity_, foreseen_);
  set_velocities(model, velocity_, foreseen_);
  return solve_stage(context, e, velocity_, true, answer, report);
}

// What closes strikes; then two micro-steps find the accelerations and what sticks and slips.
bool SecondOrder::begin_part(StepContext& context, SubstepSum& sum) {
  const Model& model = *context.in.model;
  if (!strike_what_closes(context, sum)) return false;
  const double e = micro_length();
  gather(model, now_, velocity_);
  StepReport report;
  report.passes = 0;
  report.substeps = 0;
  // What parts in the shorter one is open.
  find_residuals(model);
  if (!micro_step(context, 0.5 * e, micro_[1], report)) return false;
  const std::size_t before = closed_.size() + closed_limits_.size();
  open_what_parts();
  if (closed_.size() + closed_limits_.size() < before) {
    find_residuals(model);
    if (!micro_step(context, 0.5 * e, micro_[1], report)) return false;
  }
  modes_.read(answered(0.5 * e));
  good_.clear();
  modes_.signals(answered(0.5 * e), tolerances_, good_);
  add_gaps(model, now_, near_, good_);
  if (!micro_step(context, e, micro_[0], report)) return false;
  first_ = 2.0 * micro_[1].acceleration - micro_[0].acceleration;
  forces_ = micro_[1].forces;
  for (std::size_t i = 0; i < forces_.size(); ++i) {
    forces_[i].impulse = (2.0 * forces_[i].impulse - micro_[0].forces[i].impulse).eval();
    forces_[i].moment = (2.0 * forces_[i].moment - micro_[0].forces[i].moment).eval();
  }
  sum.add_work(report);
  knows_first_ = true;
  return true;
}

void SecondOrder::open_what_parts() {
  const AnsweredProblem answer = answered(0.5 * micro_length());
  const auto bears = [&](int row) {
    return ContactModes::bears(answer, row, tolerances_.acceleration);
  };
  std::size_t index = 0;
  std::erase_if(closed_,
                [&](const Contact&) { return !bears(stage_.builder().contacts()[index++].first); });
  std::erase_if(closed_limits_, [&](const EntityKey& key) {
    for (const EntityRows& rows : stage_.builder().joints())
      if (rows.key == key) return !bears(rows.first);
    return false;
  });
}

// The end of the part where the first of the functions that were passed changes its sign; trial_
// has the whole part.
void SecondOrder::search(StepContext& context) {
  double good = 0.0, bad = trial_.length;
  std::vector<TransitionSignal>& low = good_;
  high_ = trial_.signals;
  const double resolution =
      std::max(1e-13 * grid_, 4.0 * std::numeric_limits<double>::epsilon() * std::abs(now_.time));
  int from_start = 0;
  for (int round = 1; round <= most_rounds && bad - good > resolution; ++round) {
    double guess = bad;
    for (std::size_t i = 0; i < high_.size(); ++i) {
      if (!high_[i].is_passed()) continue;
      double root = 0.5 * (good + bad);
      if (low[i].value > low[i].tolerance && std::isfinite(low[i].value) && round % 3 != 0)
        root = good + (bad - good) * low[i].value / (low[i].value - high_[i].value);
      guess = std::min(guess, root);
    }
    if (good == 0.0 && from_start > 1) guess = std::min(guess, 0.1 * bad);
    guess = std::clamp(guess, good + 1e-3 * (bad - good), bad - 1e-3 * (bad - good));
    try_part(context, guess);
    const auto passed = [](const TransitionSignal& signal) { return signal.is_passed(); };
    if (!trial_.solved || std::any_of(trial_.signals.begin(), trial_.signals.end(), passed)) {
      if (!trial_.solved) return;
      bad = guess;
      high_ = trial_.signals;
      ++from_start;
      continue;
    }
    good = guess;
    low = trial_.signals;
    for (std::size_t i = 0; i < high_.size(); ++i)
      trial_.signals[i].fired = high_[i].is_passed() && trial_.signals[i].is_due();
    if (std::any_of(trial_.signals.begin(), trial_.signals.end(),
                    [](const TransitionSignal& signal) { return signal.fired; }))
      return;
  }
  if (trial_.length != bad) try_part(context, bad);
  for (TransitionSignal& signal : trial_.signals) signal.fired = signal.is_passed();
}

// What bears and sticks at the end of the part does so without rest: gaps and errors of joints
// leave positions, and what velocities lack of it leaves velocities.
void SecondOrder::settle(StepContext& context) {
  constexpr int rounds = 3;
  constexpr double closed_enough = 1e-14, still_enough = 1e-14;
  const Model& model = *context.in.model;
  Trial& trial = trial_;
  if (closed_.empty() && closed_limits_.empty() && model.joints.empty()) return;
  bearing_.clear();
  const AnsweredProblem answer = answered(last_share() * trial.length);
  for (std::size_t i = 0; i < closed_.size(); ++i)
    bearing_.push_back(
        ContactModes::bears(answer, stage_.builder().contacts()[i].first, tolerances_.acceleration)
            ? 1
            : 0);
  sticking_.clear();
  for (const EntityRows& rows : stage_.builder().map())
    if (modes_.sticks_at(answer, rows, 2.0 * tolerances_.velocity))
      sticking_.push_back({rows.key, rows.point});
  const auto formulate = [&] {
    match_contacts(trial.seen);
    stage_.formulate(
        {model, trial.end, 1.0, trial.last.u, held_, stage_contacts_, closed_limits_, &in_}, form_,
        problem_);
  };
  const auto add = [&](int row, double load) {
    load_[rows_.rows] = load;
    for (int k = problem_.J.starts[row]; k < problem_.J.starts[row + 1]; ++k)
      rows_.push(problem_.J.indices[k], problem_.J.values[k]);
    rows_.end_row();
  };
  const auto least = [&] {
    load_.conservativeResize(rows_.rows);
    least_.factor(problem_.M, rows_);
    least_.solve(load_, displacement_);
    return displacement_.allFinite();
  };
  for (int round = 0; round < rounds; ++round) {
    formulate();
    rows_.reset(model.free_count);
    load_.setZero(problem_.rows() + 1);
    double largest = 0.0;
    for (std::size_t i = 0; i < stage_contacts_.size(); ++i) {
      if (!bearing_[i] || !matched_[i]) continue;
      largest = std::max(largest, std::abs(stage_contacts_[i].gap));
      add(stage_.builder().contacts()[i].first, stage_contacts_[i].gap);
    }
    find_limits(model, trial.end.joint_positions, limits_);
    for (const EntityRows& rows : stage_.builder().joints())
      for (const JointLimit& limit : limits_)
        if (limit.key == rows.key) {
          largest = std::max(largest, std::abs(limit.gap));
          add(rows.first, limit.gap);
        }
    if (!(largest > closed_enough)) break;
    for (const EntityRows& rows : stage_.builder().joints())
      for (int row = rows.first; row < rows.first + rows.count; ++row)
        if (is_held(rows, row)) add(row, 0.0);
    if (!least()) break;
    shift(model, trial.end, trial.end.time, displacement_, foreseen_);
    trial.end.poses = foreseen_.poses;
    trial.end.joint_positions = foreseen_.joint_positions;
    detect(context, trial.end, trial.seen);
    ++trial.report.passes;
  }
  if (!model.joints.empty()) {
    const JointOpening opening = closure_.close(model, trial.end);
    trial.report.joint_opening = opening.left;
    trial.report.closed_opening = opening.before;
    if (opening.before > 0.0) detect(context, trial.end, trial.seen);
  }
  for (int round = 0; round < 2; ++round) {
    set_velocities(model, trial.last.u, trial.end);
    formulate();
    scratch_ = problem_.b;
    problem_.J.multiply_add(trial.last.u.data(), scratch_.data());
    rows_.reset(model.free_count);
    load_.setZero(problem_.rows() + 1);
    std::size_t contact = 0;
    for (const EntityRows& rows : stage_.builder().map()) {
      const bool touches = rows.key.kind == EntityKind::contact;
      if (touches && !bearing_[contact++]) continue;
      if (touches) add(rows.first, scratch_[rows.first]);
      const bool sticks = std::any_of(sticking_.begin(), sticking_.end(), [&](const auto& place) {
        return place.first == rows.key && place.second == rows.point;
      });
      for (int row = rows.first; row < rows.first + rows.count; ++row)
        if ((sticks && !(touches && row == rows.first) &&
             problem_.J.starts[row] < problem_.J.starts[row + 1]) ||
            is_held(rows, row) || is_limit(rows))
          add(row, scratch_[row]);
    }
    if (rows_.rows == 0 || !(load_.head(rows_.rows).cwiseAbs().maxCoeff() > still_enough) ||
        !least())
      break;
    for (int i = 0; i < model.free_count; ++i)
      if (own_unknowns_[static_cast<std::size_t>(i)]) trial.last.u[i] += displacement_[i];
  }
  set_velocities(model, trial.last.u, trial.end);
}

// Rows of joints that hold without giving way.
bool SecondOrder::is_held(const EntityRows& rows, int row) const {
  if (rows.key.kind != EntityKind::joint && rows.key.kind != EntityKind::coupling) return false;
  if (problem_.C.diagonal(row) > 0.0) return false;
  for (const Block& block : problem_.blocks)
    if (row >= block.offset && row < block.offset + block.size) return block.law == Law::equality;
  return false;
}

bool SecondOrder::is_limit(const EntityRows& rows) const {
  return rows.key.kind == EntityKind::joint &&
         std::binary_search(closed_limits_.begin(), closed_limits_.end(), rows.key);
}

// Impulses of the part for the record: those of the stages by their weights.
void SecondOrder::add_results(StepContext& context, SubstepSum& sum) {
  const Model& model = *context.in.model;
  const double s = trial_.length;
  MemoryCursor first(forces_), middle(trial_.middle.forces), last(trial_.last.forces);
  solved_.clear();
  const auto impulse_of = [&](const EntityRows& rows) -> Vector3 {
    const auto force = [&](auto& cursor) -> Vector3 {
      const ImpulseMemory* known = cursor.find(rows.key, rows.point);
      return known ? known->impulse : Vector3::Zero();
    };
    return s * (first_share() * (force(first) + force(middle)) + last_share() * force(last));
  };
  for (std::size_t i = 0; i < stage_contacts_.size(); ++i) {
    const Contact& contact = stage_contacts_[i];
    const ContactTerms& terms = stage_.terms()[i];
    SolvedContact solved{contact, terms.frame.tangent_1, terms.frame.tangent_2};
    solved.friction = solved.friction_2 = terms.friction;
    solved.impulse = impulse_of(stage_.builder().contacts()[i]);
    const Vector3 velocity =
        relative_velocity(model, trial_.end.poses, trial_.end.velocities, contact) +
        surface_velocity(model, trial_.end.poses, contact, trial_.end.time, 0.0);
    solved.velocity = {contact.normal.dot(velocity), terms.frame.tangent_1.dot(velocity),
                       terms.frame.tangent_2.dot(velocity)};
    solved_.push_back(solved);
  }
  auto acting = stage_.builder().supports().begin();
  const auto end = stage_.builder().supports().end();
  for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b)
    for (int k = 0; moves(b) && k < static_cast<int>(model.bodies[b].supports.size()); ++k) {
      const Support& support = model.bodies[b].supports[k];
      SolvedContact solved;
      Contact& contact = solved.contact;
      contact.body_a = contact.body_b = b;
      contact.key = support_key(b, k);
      contact.point_a = contact.point_b = foreseen_.poses[b] * support.point;
      contact.normal = Vector3::UnitZ();
      solved.tangent_1 = Vector3::UnitX();
      solved.tangent_2 = Vector3::UnitY();
      solved.friction = solved.friction_2 = support.friction;
      const Vector3 arm = contact.point_a - center_of_mass(model, foreseen_.poses, b);
      solved.velocity.tail<2>() = body_twist(model, trial_.end.velocities, b).at(arm).head<2>();
      if (acting != end && acting->key == contact.key) solved.impulse = impulse_of(*acting++);
      solved.impulse[0] = s * support.load;
      solved.impulse.tail<2>() -= s * support.viscosity * solved.velocity.tail<2>();
      solved_.push_back(solved);
    }
  collect_joints(model, s);
  sum.add(trial_.report, solved_);
  sum.add_joints(solved_joints_);
}

// What joints bear, as in the last stage.
void SecondOrder::collect_joints(const Model& model, double s) {
  solved_joints_.assign(model.joints.size(), {});
  if (model.joints.empty()) return;
  const double beta = last_share() * s, scale = 1.0 / last_share();
  const JointBlocks& blocks = stage_.joints();
  for (std::size_t i = 0; i < blocks.terms().size(); ++i) {
    const JointTerms& terms = blocks.terms()[i];
    if (terms.key.kind == EntityKind::coupling) continue;
    const EntityRows& rows = stage_.builder().joints()[i];
    SolvedJoint& joint = solved_joints_[terms.key.ids[0]];
    const auto freedom = static_cast<int>(terms.key.ids[2]);
    const double own = scale * solution_.lambda[rows.first];
    switch (static_cast<JointPart>(terms.key.ids[1])) {
      case JointPart::constraint: {
        const JointBlocks::Wrench kept =
            blocks.wrench(terms, solution_.lambda.segment(rows.first, rows.count));
        joint.impulse = scale * kept.force;
        joint.moment = scale * kept.moment;
        break;
      }
      case JointPart::lower_limit:
        joint.limit[freedom] += own;
        break;
      case JointPart::upper_limit:
        joint.limit[freedom] -= own;
        break;
      case JointPart::friction:
        joint.friction[freedom] = own;
        break;
      case JointPart::servo:
        joint.motor[freedom] = own;
        break;
      case JointPart::yielding:
        break;
    }
  }
  const JointLoads& loads = stage_.loads();
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    for (int k = 0; k < rate_count(model.joints[j].kind); ++k) {
      const int at = model.joints[j].first_rate + k;
      solved_joints_[j].motor[k] +=
          scale * (loads.motor_push[at] -
                   loads.motor_resistance[at] * (trial_.end.joint_rates[at] - loads.driven[at]));
    }
  if (model.tree_order.empty()) return;
  scratch_ = stage_.forces().at_rest;
  if (stage_.forces().drag.size() > 0)
    scratch_ -= stage_.forces().drag.cwiseProduct(foreseen_.velocities);
  tree_loads_.begin(scratch_);
  for (const SolvedContact& solved : solved_)
    tree_loads_.add_contact(model, foreseen_.poses, solved, nullptr, s);
  for (std::size_t i = 0; i < stage_.elements().size(); ++i) {
    const ElementRow& row = stage_.elements()[i].row;
    const double force = solution_.lambda[stage_.builder().elements()[i].first] / beta;
    const auto push = [&](int b, const Vector3& point, double sign) {
      if (b >= 0)
        tree_loads_.push(model, b, point - center_of_mass(model, foreseen_.poses, b),
                         sign * force * row.axis, Vector3::Zero());
    };
    push(row.body_b, row.point_b, 1.0);
    push(row.body_a, row.point_a, -1.0);
  }
  tree_loads_.add_loop_joints(model, foreseen_.poses, solved_joints_, s);
  tree_loads_.collect(stage_.tree(),
                      {foreseen_.velocities, foreseen_.joint_rates,
                       stage_.prescribed_accelerations(), trial_.last.acceleration},
                      s, solved_joints_);
}

}  // namespace vinci
