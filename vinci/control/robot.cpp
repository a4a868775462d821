// SPDX-License-Identifier: Apache-2.0
// The recursions of trees behind one mechanism.
#include "vinci/control/robot.h"

#include <fmt/format.h>

#include "vinci/base/error.h"
#include "vinci/kinematics/joint_tree.h"

namespace vinci {

Model mechanism_of(const Model& model) {
  Model part;
  part.title = model.title;
  part.world = model.world;
  part.gravity = model.gravity;
  part.bodies = model.bodies;
  for (Body& body : part.bodies) body.first_shape = body.shape_count = 0;
  part.parameters = model.parameters;
  part.joints = model.joints;
  part.couplings = model.couplings;
  part.velocity_count = model.velocity_count;
  part.free_count = model.free_count;
  part.free_index = model.free_index;
  part.coordinate = model.coordinate;
  part.joint_coordinate_count = model.joint_coordinate_count;
  part.joint_rate_count = model.joint_rate_count;
  return part;
}

Robot::Robot(const Model& model) : model_(model) {
  make_tree(model_);
  // Bases are held, so that the unknowns are the rates alone.
  for (std::size_t b = 0; b < model_.bodies.size(); ++b)
    if (model_.tree_joint[b] < 0)
      for (Drive& drive : model_.bodies[b].drives) drive.prescribed = true;
  make_tree(model_);
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    const Joint& joint = model_.joints[j];
    const bool counts = rate_count(joint.kind) == position_count(joint.kind);
    for (int k = 0; k < rate_count(joint.kind); ++k) {
      joint_.push_back(static_cast<int>(j));
      coordinate_.push_back(counts ? joint.first_coordinate + k : -1);
    }
  }
  count_closures();
  set_driven({});
  for (const Body& body : model_.bodies) poses_.push_back(body.initial_pose);
  velocities_.setZero(model_.velocity_count);
  still_.setZero(model_.velocity_count);
  weights_.setZero(model_.velocity_count);
  add_weights(model_, weights_);
  place(start().positions);
}

JointState Robot::start() const {
  JointState state{VectorX::Zero(coordinates()), VectorX::Zero(rates())};
  for (const Joint& joint : model_.joints) {
    if (joint.kind == JointKind::ball) {
      const Quaternion& r = joint.rotation;
      state.positions.segment<4>(joint.first_coordinate) << r.w(), r.x(), r.y(), r.z();
      continue;
    }
    for (int k = 0; k < rate_count(joint.kind); ++k)
      state.positions[joint.first_coordinate + k] =
          joint.freedoms[static_cast<std::size_t>(k)].position;
  }
  return state;
}

Tip Robot::tip(const std::string& body, const Pose& frame) const {
  const int found = model_.find_body(body);
  if (found < 0) {
    std::string names;
    for (const Body& other : model_.bodies) names += (names.empty() ? "" : ", ") + other.name;
    throw Error(fmt::format("there is no body {}; accepted: {}", body, names));
  }
  return {found, frame};
}

const Joint& Robot::joint_of(int rate) const {
  return model_.joints[joint_[static_cast<std::size_t>(rate)]];
}

const JointFreedom& Robot::freedom(int rate) const {
  const Joint& joint = joint_of(rate);
  return joint.freedoms[static_cast<std::size_t>(rate - joint.first_rate)];
}

void Robot::set_driven(const std::vector<int>& rates, const std::vector<int>& others) {
  const auto count = static_cast<std::size_t>(this->rates());
  driven_.assign(count, rates.empty());
  held_.assign(count, 0);
  for (std::size_t i = 0; rates.empty() && i < model_.couplings.size(); ++i) {
    const Coupling& coupling = model_.couplings[i];
    const Joint& follower = model_.joints[static_cast<std::size_t>(coupling.joint_b)];
    driven_[static_cast<std::size_t>(follower.first_rate + coupling.freedom_b)] = 0;
  }
  for (const int rate : rates) driven_[static_cast<std::size_t>(rate)] = 1;
  for (const int rate : others) held_[static_cast<std::size_t>(rate)] = 1;
  for (std::size_t i = 0; i < count; ++i) {
    if (freedom(static_cast<int>(i)).motor.kind != MotorKind::none) held_[i] = 1;
    if (driven_[i]) held_[i] = 0;
  }
}

bool Robot::is_driven(int rate) const {
  return driven_[static_cast<std::size_t>(rate)] != 0;
}

bool Robot::is_plain() const {
  if (closures_ > 0) return false;
  for (std::size_t i = 0; i < driven_.size(); ++i)
    if (!driven_[i] && !held_[i]) return false;
  return true;
}

void Robot::set_bases(const std::vector<Pose>& poses) {
  for (std::size_t b = 0; b < poses_.size(); ++b)
    if (model_.tree_joint[b] < 0) poses_[b] = poses[b];
}

void Robot::place(const VectorX& positions) {
  rates_.setZero(rates());
  place(positions, rates_);
}

void Robot::place(const VectorX& positions, const VectorX& rates) {
  positions_ = positions;
  rates_ = rates;
  for (const Joint& joint : model_.joints)
    if (joint.kind == JointKind::ball) positions_.segment<4>(joint.first_coordinate).normalize();
  place_tree(model_, positions_, poses_);
  tree_.place(model_, poses_, positions_);
  tree_.spread_velocities(rates_, velocities_);
}

void Robot::advance(VectorX& positions, const VectorX& steps) const {
  for (const Joint& joint : model_.joints)
    vinci::advance(joint, steps.data() + joint.first_rate, 1.0,
                   positions.data() + joint.first_coordinate);
}

Pose Robot::pose(const Tip& tip) const {
  return poses_[static_cast<std::size_t>(tip.body)] * tip.frame;
}

Twist Robot::velocity(const Tip& tip) const {
  const Body& body = model_.bodies[static_cast<std::size_t>(tip.body)];
  const Twist twist = unpacked(body, velocities_);
  const Quaternion& r = poses_[static_cast<std::size_t>(tip.body)].rotation;
  return {twist.at(r * (tip.frame.position - body.mass.center)), twist.angular};
}

void Robot::jacobian(const Tip& tip, MatrixX& jacobian) {
  const std::size_t place = static_cast<std::size_t>(tip.body);
  const Vector3 arm =
      poses_[place].rotation * (tip.frame.position - model_.bodies[place].mass.center);
  tree_.jacobian(tip.body, arm, dense_);
  jacobian.setZero(6, rates());
  for (int i = 0; i < rates(); ++i)
    if (model_.rate_index[i] >= 0) jacobian.col(i) = dense_.col(model_.rate_index[i]);
}

// Joints that close loops have rates, but no unknowns.
void Robot::to_unknowns(const VectorX& along_rates, VectorX& unknowns) const {
  unknowns.setZero(model_.free_count);
  for (int i = 0; i < rates(); ++i)
    if (model_.rate_index[i] >= 0) unknowns[model_.rate_index[i]] = along_rates[i];
}
void Robot::to_rates(const VectorX& unknowns, VectorX& along_rates) const {
  along_rates.resize(rates());
  for (int i = 0; i < rates(); ++i)
    along_rates[i] = model_.rate_index[i] < 0 ? 0.0 : unknowns[model_.rate_index[i]];
}

void Robot::inverse_dynamics(const VectorX& accelerations, VectorX& efforts) {
  if (is_plain()) {
    to_unknowns(accelerations, unknowns_);
    dynamics_.inverse(tree_, {velocities_, rates_, weights_}, unknowns_, answer_);
    to_rates(answer_, efforts);
  } else {
    VectorX bias;
    find_bias(false, bias);
    solve_driven(accelerations, bias, efforts);
  }
  for (int i = 0; i < rates(); ++i)
    if (!is_driven(i)) efforts[i] = 0.0;
}

void Robot::drive_efforts(const std::vector<int>& driven, VectorX& numbers) {
  resting_.setZero(rates());
  for (std::size_t i = 0; i < driven.size(); ++i)
    resting_[driven[i]] = numbers[static_cast<Eigen::Index>(i)];
  if (is_plain()) {
    to_unknowns(resting_, unknowns_);
    dynamics_.inverse(tree_, {velocities_, rates_, weights_}, unknowns_, answer_);
    to_rates(answer_, all_);
  } else {
    VectorX bias;
    find_bias(true, bias);
    solve_driven(resting_, bias, all_);
  }
  for (std::size_t i = 0; i < driven.size(); ++i) {
    const int rate = driven[i], at = coordinate_of(rate);
    double& number = numbers[static_cast<Eigen::Index>(i)];
    number = all_[rate];
    if (!is_plain()) continue;
    const JointFreedom& own = freedom(rate);
    number += own.damping * rates_[rate];
    if (at >= 0) number += own.stiffness * (positions_[at] - own.rest);
  }
}

bool Robot::forward_dynamics(const VectorX& efforts, VectorX& accelerations) {
  if (closures_ > 0) {
    VectorX bias;
    find_bias(false, bias);
    return forward_in_loops(efforts - bias, accelerations);
  }
  to_unknowns(efforts, unknowns_);
  const bool finite = dynamics_.forward(tree_, {velocities_, rates_, weights_}, unknowns_, answer_);
  to_rates(answer_, accelerations);
  return finite;
}

void Robot::mass_matrix(MatrixX& mass) {
  dynamics_.mass(tree_, mass_);
  mass_.to_dense(dense_);
  mass.setZero(rates(), rates());
  for (int i = 0; i < rates(); ++i)
    for (int j = 0; j < rates(); ++j)
      if (model_.rate_index[i] >= 0 && model_.rate_index[j] >= 0)
        mass(i, j) = dense_(model_.rate_index[i], model_.rate_index[j]);
}

}  // namespace vinci
