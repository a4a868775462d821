// SPDX-License-Identifier: Apache-2.0
// Mechanisms that fly: joints in a part of a step on whose bodies no contact, support, element or
// limit acts. With u before and u' after it,
//
//   q_m = q ⊕ h/2 u,   M(q_m) (u' − u) = h f(q_m) − h c(q_m, (u + u')/2) + J(q_m)ᵀ λ,
//   q' = q_m ⊕ h/2 u',
//
// the position form of Verlet's rule, of second order; rows that hold joints see the mean velocity
// (joint_blocks.h), and at the end velocities are those that joints allow there. Other mechanisms
// make a step of the method.
#include <algorithm>
#include <cmath>

#include "vinci/formulation/free_motion.h"
#include "vinci/formulation/pair_columns.h"
#include "vinci/kinematics/joint_tree.h"
#include "vinci/kinematics/velocities.h"
#include "vinci/stepping/contact_stepper.h"

namespace vinci {

// At first all mechanisms fly, and no limit takes part.
void ContactStepper::begin_flight(const StepPart& part) {
  flight_.begin(*part.rules.flight);
  flying_.clear();
  limits_.clear();
  if (part.model.joints.empty()) return;
  mechanisms_.find(part.model);
  flying_.resize(part.model.bodies.size());
  for (std::size_t b = 0; b < flying_.size(); ++b)
    flying_[b] = mechanisms_.has(static_cast<int>(b)) ? 1 : 0;
}

bool ContactStepper::is_flying(const Joint& joint) const {
  const auto flies = [&](int b) { return b >= 0 && flying_[static_cast<std::size_t>(b)]; };
  return flies(joint.body_a) || flies(joint.body_b);
}

bool ContactStepper::is_flying(const Model& model, const HeldRow& held) const {
  const int joint = held.of == HeldRow::Of::coupling
                        ? model.couplings[static_cast<std::size_t>(held.index)].joint_b
                        : held.index;
  return is_flying(model.joints[static_cast<std::size_t>(joint)]);
}

// Rows of joints know where drivers are at the end of a step.
bool ContactStepper::is_driven_by_rows(const StepPart& part, const Joint& joint) const {
  const int index = static_cast<int>(&joint - part.model.joints.data());
  if (!is_loop_joint(part.model, index)) return false;
  const auto moves = [&](int b) {
    return b >= 0 && part.model.bodies[b].is_prescribed() &&
           (placed_[b].position != part.state.poses[b].position ||
            placed_[b].rotation.coeffs() != part.state.poses[b].rotation.coeffs());
  };
  return moves(joint.body_a) || moves(joint.body_b);
}

// Sorts out who flies, beside touched_; whether that is news.
bool ContactStepper::ground_mechanisms(const StepPart& part) {
  const Model& model = part.model;
  const bool news = limits_ != flight_.limits();
  limits_ = flight_.limits();
  const auto touch = [&](const Joint& joint) {
    for (const int b : {joint.body_a, joint.body_b})
      if (b >= 0) touched_[b] = 1;
  };
  for (const EntityKey& key : limits_) touch(model.joints[key.ids[0]]);
  for (const Joint& joint : model.joints)
    if (is_driven_by_rows(part, joint)) touch(joint);
  mechanisms_.spread(touched_);
  was_flying_ = flying_;
  for (std::size_t b = 0; b < flying_.size(); ++b)
    flying_[b] = mechanisms_.has(static_cast<int>(b)) && !touched_[b];
  return news || flying_ != was_flying_;
}

void ContactStepper::set_middle(const StepPart& part) {
  const Model& model = part.model;
  const State& start = part.state;
  const double half = 0.5 * part.h;
  middle_.time = start.time + half;
  middle_.poses = start.poses;
  middle_.velocities = start.velocities;
  middle_.joint_positions = start.joint_positions;
  middle_.joint_rates = start.joint_rates;
  middle_.coupling_offsets = start.coupling_offsets;
  for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b) {
    const Body& body = model.bodies[b];
    if (body.velocity_size == 0) continue;
    if (flying_[b])
      middle_.poses[b] =
          advanced(body, start.poses[b], body_twist(model, start.velocities, b), half);
    place_prescribed(body, middle_.time, middle_.poses[b]);
  }
  for (int j = 0; j < static_cast<int>(model.joints.size()); ++j)
    if (const Joint& joint = model.joints[static_cast<std::size_t>(j)];
        !is_loop_joint(model, j) && is_flying(joint))
      vinci::advance(joint, start.joint_rates.data() + joint.first_rate, half,
                     middle_.joint_positions.data() + joint.first_coordinate);
  if (!model.tree_order.empty()) place_tree(model, middle_.joint_positions, middle_.poses);
  flight_poses_ = placed_;
  for (std::size_t b = 0; b < flying_.size(); ++b)
    if (flying_[b]) flight_poses_[b] = middle_.poses[b];
  const auto pose = [&](int b) {
    return b < 0 ? Pose() : flight_poses_[static_cast<std::size_t>(b)];
  };
  for (int j = 0; j < static_cast<int>(model.joints.size()); ++j)
    if (const Joint& joint = model.joints[static_cast<std::size_t>(j)];
        is_loop_joint(model, j) && is_flying(joint))
      read_coordinates(joint, pose(joint.body_a), pose(joint.body_b),
                       middle_.joint_positions.data() + joint.first_coordinate);
}

// Of a limit that takes part: closed within the tolerance, and a limit that was overrun is come
// back to at the pace of the whole step.
double ContactStepper::flight_gap(const StepPart& part, double gap) const {
  const FlightRules& rules = *part.rules.flight;
  if (std::abs(gap) <= rules.touch) return 0.0;
  return gap < 0.0 ? gap * part.h / rules.step : gap;
}

// Packed velocities at the end, without contact, of what hangs on joints where it is then.
const VectorX& ContactStepper::flown_velocities(const StepPart& part) {
  const Model& model = part.model;
  if (model.tree_order.empty()) return foreseen_;
  advance_coordinates(part, foreseen_rates_);
  end_poses_ = placed_;
  for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b)
    if (flying_[b] && !hangs(&tree_, b))
      end_poses_[b] = advanced(model.bodies[b], middle_.poses[b], body_twist(model, foreseen_, b),
                               0.5 * part.h);
  place_tree(model, next_positions_, end_poses_);
  end_tree_.place(model, end_poses_, next_positions_);
  flown_ = foreseen_;
  end_tree_.spread_velocities(foreseen_rates_, flown_);
  return flown_;
}

// Joints of mechanisms that touch something keep their rates in a part that coasts.
void ContactStepper::keep_coasting(const StepPart& part) {
  for (const Joint& joint : part.model.joints)
    for (int k = joint.first_rate; k < joint.first_rate + rate_count(joint.kind); ++k)
      if (!is_flying(joint)) next_rates_[k] = part.state.joint_rates[k];
}

// The velocity product of a body in space: of the mean of its spins, in axes of the middle.
void ContactStepper::change_spins(const StepPart& part, const VectorX& from, const VectorX& to,
                                  bool first, VectorX& momentum) const {
  const Model& model = part.model;
  for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b) {
    const Body& body = model.bodies[b];
    const int entry = body.velocity_offset + 3;
    if (!flying_[b] || body.velocity_size != 6 || model.free_index[entry] < 0) continue;
    const Quaternion& r = middle_.poses[b].rotation;
    const Matrix3& inertia = body.mass.inertia;
    const int unknown = model.free_index[entry];
    const Vector3 start = r.conjugate() * part.state.velocities.segment<3>(entry);
    const auto product = [&](const VectorX& end) -> Vector3 {
      const Vector3 mean = 0.5 * (start + r.conjugate() * end.segment<3>(unknown));
      return -part.h * mean.cross(inertia * mean);
    };
    // At first that of the body by itself, which forces do not change (free_motion.h).
    const Vector3 was = first
                            ? Vector3(inertia * (gyroscopic_update(inertia, start, part.h) - start))
                            : product(from);
    momentum.segment<3>(unknown) += r * (product(to) - was);
  }
}

// Rows change velocities in a flight, and with them velocity products: these are taken at the
// velocities that come out. Each round has one more order of the step right.
void ContactStepper::settle_flight_products(StepContext& context, const StepPart& part,
                                            StepReport& report) {
  constexpr int rounds = 2;
  const Model& model = part.model;
  VectorX& momentum = context.work.problem.p;
  if (model.tree_order.empty() && model.world == World::planar) return;  // they have none
  const bool flies = std::any_of(flying_.begin(), flying_.end(), [](char own) { return own != 0; });
  for (int round = 0; round < rounds && flies && joint_blocks_.rows() > 0; ++round) {
    if (report.ending != Ending::none || report.solve.status == SolveStatus::refused) return;
    gather(model, next_, next_rates_, change_);
    if (model.tree_order.empty())
      change_spins(part, product_end_, change_, round == 0, momentum);
    else
      jointed_motion_.change_product({model, middle_, tree_, forces_.line(), joint_loads_, part.h},
                                     foreseen_, product_end_, change_, momentum);
    product_end_ = change_;
    const int iterations = report.solve.iterations;
    solve(context, report);  // from the last answer
    report.solve.iterations += iterations;
  }
}

// Velocities at the end of a flight that rows of joints allow there: the nearest, by inertia.
void ContactStepper::settle_flight(const ComplementarityProblem& solved, const StepPart& part,
                                   State& state) {
  const Model& model = part.model;
  tree_.place(model, state.poses, state.joint_positions);
  gather(model, state.velocities, state.joint_rates, free_);
  carried_velocities_ = state.velocities;
  for (int i = 0; i < model.velocity_count; ++i)
    if (model.free_index[i] >= 0) carried_velocities_[i] = 0.0;
  mean_rates_.setZero(model.joint_rate_count);
  tree_.spread_velocities(mean_rates_, carried_velocities_);
  held_blocks_.find_instant(
      {.model = model, .state = state, .placed = state.poses, .tree = tree_, .h = 1.0},
      {.before = free_, .carried = carried_velocities_, .only = &flying_, .impact = false});
  projection_.M = solved.M;
  projection_.p.setZero(model.free_count);
  solved.M.multiply_add(free_.data(), projection_.p.data());
  if (joined_motion_.solve(projection_, held_blocks_, free_))
    spread(model, free_, state.velocities, state.joint_rates);
  mean_rates_ = state.joint_rates;
  read_loop_rates(model, state.poses, state.velocities, mean_rates_);
  for (const Joint& joint : model.joints)
    if (is_flying(joint))
      for (int k = joint.first_rate; k < joint.first_rate + rate_count(joint.kind); ++k)
        state.joint_rates[k] = mean_rates_[k];
}

}  // namespace vinci
