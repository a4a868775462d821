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
  for (int j = 0; j < static_cast<int>(model_.joints.size()); ++j)
    if (is_loop_joint(model_, j))
      throw Error(fmt::format("joint {} closes a loop; accepted: joints that make trees",
                              model_.joints[static_cast<std::size_t>(j)].name));
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

void Robot::set_driven(const std::vector<int>& rates) {
  driven_ = rates;
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

void Robot::close(VectorX& positions, const std::vector<int>&) const {
  for (const Coupling& coupling : model_.couplings) {
    const auto at = [&](int joint, int freedom) -> double& {
      return positions[model_.joints[static_cast<std::size_t>(joint)].first_coordinate + freedom];
    };
    at(coupling.joint_b, coupling.freedom_b) =
        coupling.ratio * at(coupling.joint_a, coupling.freedom_a) + coupling.offset;
  }
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
  for (int i = 0; i < rates(); ++i) jacobian.col(i) = dense_.col(model_.rate_index[i]);
}

void Robot::to_unknowns(const VectorX& along_rates, VectorX& unknowns) const {
  unknowns.resize(rates());
  for (int i = 0; i < rates(); ++i) unknowns[model_.rate_index[i]] = along_rates[i];
}
void Robot::to_rates(const VectorX& unknowns, VectorX& along_rates) const {
  along_rates.resize(rates());
  for (int i = 0; i < rates(); ++i) along_rates[i] = unknowns[model_.rate_index[i]];
}

void Robot::inverse_dynamics(const VectorX& accelerations, VectorX& efforts) {
  to_unknowns(accelerations, unknowns_);
  dynamics_.inverse(tree_, {velocities_, rates_, weights_}, unknowns_, answer_);
  to_rates(answer_, efforts);
}

void Robot::drive_efforts(const std::vector<int>& driven, VectorX& numbers) {
  resting_.setZero(rates());
  for (std::size_t i = 0; i < driven.size(); ++i)
    resting_[driven[i]] = numbers[static_cast<Eigen::Index>(i)];
  inverse_dynamics(resting_, all_);
  for (std::size_t i = 0; i < driven.size(); ++i) {
    const int rate = driven[i], at = coordinate_of(rate);
    const JointFreedom& own = freedom(rate);
    numbers[static_cast<Eigen::Index>(i)] =
        all_[rate] + own.damping * rates_[rate] +
        (at < 0 ? 0.0 : own.stiffness * (positions_[at] - own.rest));
  }
}

void Robot::gravity_efforts(VectorX& efforts) {
  resting_.setZero(rates());
  dynamics_.inverse(tree_, {still_, resting_, weights_}, resting_, answer_);
  to_rates(answer_, efforts);
}

bool Robot::forward_dynamics(const VectorX& efforts, VectorX& accelerations) {
  to_unknowns(efforts, unknowns_);
  const bool finite = dynamics_.forward(tree_, {velocities_, rates_, weights_}, unknowns_, answer_);
  to_rates(answer_, accelerations);
  return finite;
}

void Robot::mass_matrix(MatrixX& mass) {
  dynamics_.mass(tree_, mass_);
  mass_.to_dense(dense_);
  mass.resize(rates(), rates());
  for (int i = 0; i < rates(); ++i)
    for (int j = 0; j < rates(); ++j)
      mass(i, j) = dense_(model_.rate_index[i], model_.rate_index[j]);
}

}  // namespace vinci
