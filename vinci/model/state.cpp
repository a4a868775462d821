// SPDX-License-Identifier: Apache-2.0
// The state's beginning, fingerprint and energy.
#include "vinci/model/state.h"

#include <algorithm>
#include <cmath>

#include "vinci/base/hash.h"
#include "vinci/model/actuation.h"
#include "vinci/model/element.h"

namespace vinci {

namespace {

Pose initial_pose(const Body& body) {
  Pose pose = body.initial_pose;
  place_prescribed(body, 0.0, pose);
  // The scene places frames, not centres of mass: a prescribed rotation turns about the frame.
  for (std::size_t i = 0; i < 3; ++i)
    if (!body.drives[i].prescribed)
      pose.position[static_cast<int>(i)] = body.initial_pose.position[static_cast<int>(i)];
  return pose;
}

}  // namespace

State initial_state(const Model& model) {
  State state;
  state.velocities = VectorX::Zero(model.velocity_count);
  state.poses.reserve(model.bodies.size());
  for (const Body& body : model.bodies) {
    state.poses.push_back(initial_pose(body));
    const Twist& twist = body.initial_twist;
    if (body.velocity_size == 3)
      state.velocities.segment<3>(body.velocity_offset) =
          Vector3(twist.linear.x(), twist.linear.y(), twist.angular.z());
    else if (body.velocity_size == 6)
      state.velocities.segment<6>(body.velocity_offset) << twist.linear, twist.angular;
  }
  prescribe_velocities(model, 0.0, state.poses, state.velocities);
  state.joint_positions = VectorX::Zero(model.joint_coordinate_count);
  state.joint_rates = VectorX::Zero(model.joint_rate_count);
  for (const Joint& joint : model.joints) {
    start_coordinates(joint, state.joint_positions.data() + joint.first_coordinate);
    for (std::size_t k = 0; k < joint.freedoms.size(); ++k)
      state.joint_rates[joint.first_rate + static_cast<int>(k)] = joint.freedoms[k].velocity;
  }
  state.coupling_offsets = VectorX::Zero(static_cast<Eigen::Index>(model.couplings.size()));
  for (std::size_t i = 0; i < model.couplings.size(); ++i)
    state.coupling_offsets[static_cast<Eigen::Index>(i)] = model.couplings[i].offset;
  return state;
}

// Every bit of every number counts: −0 and 0 differ, as do two NaNs of different payload.
std::uint64_t hash(const State& state) {
  Hash result;
  result.add(state.step);
  result.add(state.time);
  result.add(static_cast<std::uint64_t>(state.poses.size()));
  for (const Pose& pose : state.poses) {
    add_vector(result, pose.position);
    result.add(pose.rotation.w());
    add_vector(result, pose.rotation.vec());
  }
  result.add(static_cast<std::int64_t>(state.velocities.size()));
  for (const double velocity : state.velocities) result.add(velocity);
  add_memory(result, state.memory);
  // Runs without controllers and joints keep the hashes they had before there were any.
  for (const VectorX* numbers :
       {&state.controls, &state.joint_positions, &state.joint_rates, &state.coupling_offsets}) {
    if (numbers->size() == 0) continue;
    result.add(static_cast<std::int64_t>(numbers->size()));
    for (const double number : *numbers) result.add(number);
  }
  return result.value();
}

namespace {

bool same_bits(const VectorX& a, const VectorX& b) {
  return a.size() == b.size() && equal_bits(a.data(), b.data(), static_cast<std::size_t>(a.size()));
}

bool same_bits(const Pose& a, const Pose& b) {
  return equal_bits(a.position.data(), b.position.data(), 3) &&
         equal_bits(a.rotation.coeffs().data(), b.rotation.coeffs().data(), 4);
}

}  // namespace

bool State::operator==(const State& other) const {
  const auto same = [](const auto& a, const auto& b) { return same_bits(a, b); };
  return step == other.step && equal_bits(&time, &other.time, 1) &&
         std::equal(poses.begin(), poses.end(), other.poses.begin(), other.poses.end(), same) &&
         same_bits(velocities, other.velocities) && same_bits(controls, other.controls) &&
         same_bits(joint_positions, other.joint_positions) &&
         same_bits(joint_rates, other.joint_rates) &&
         same_bits(coupling_offsets, other.coupling_offsets) && memory == other.memory;
}

bool is_finite(const State& state) {
  if (!std::isfinite(state.time) || !state.velocities.allFinite() || !state.controls.allFinite() ||
      !state.joint_positions.allFinite() || !state.joint_rates.allFinite() ||
      !state.coupling_offsets.allFinite())
    return false;
  for (const Pose& pose : state.poses)
    if (!pose.position.allFinite() || !pose.rotation.coeffs().allFinite()) return false;
  return state.memory.is_finite();
}

Twist body_twist(const Model& model, const VectorX& velocities, int body) {
  const Body& owner = model.bodies[static_cast<std::size_t>(body)];
  const int first = owner.velocity_offset;
  if (owner.velocity_size == 3)
    return {Vector3(velocities[first], velocities[first + 1], 0.0),
            Vector3(0.0, 0.0, velocities[first + 2])};
  if (owner.velocity_size == 6)
    return {velocities.segment<3>(first), velocities.segment<3>(first + 3)};
  return {};
}

Vector3 center_of_mass(const Model& model, const std::vector<Pose>& poses, int body) {
  const auto index = static_cast<std::size_t>(body);
  const Vector3& center = model.bodies[index].mass.center;
  return center.isZero(0.0) ? poses[index].position : poses[index] * center;
}

namespace {

Energy body_energy(const Model& model, const State& state, std::size_t b) {
  const MassProperties& mass = model.bodies[b].mass;
  if (mass.mass == 0.0 && mass.inertia.isZero(0.0)) return {};
  const int index = static_cast<int>(b);
  const Twist twist = body_twist(model, state.velocities, index);
  // ωᵀ (R I Rᵀ) ω, taken in body axes.
  const Vector3 omega = state.poses[b].rotation.conjugate() * twist.angular;
  return {0.5 * mass.mass * twist.linear.squaredNorm() + 0.5 * omega.dot(mass.inertia * omega),
          -mass.mass * model.gravity.dot(center_of_mass(model, state.poses, index))};
}

// Of rotors and of springs in joints.
void add_joint_energy(const Model& model, const State& state, Energy& sum) {
  for (const Joint& joint : model.joints)
    for (std::size_t k = 0; k < joint.freedoms.size(); ++k) {
      const JointFreedom& freedom = joint.freedoms[k];
      const int i = static_cast<int>(k);
      const double rate = state.joint_rates[joint.first_rate + i];
      sum.kinetic += 0.5 * freedom.armature * rate * rate;
      if (freedom.stiffness == 0.0) continue;
      const double stretch = state.joint_positions[joint.first_coordinate + i] - freedom.rest;
      sum.potential += 0.5 * freedom.stiffness * stretch * stretch;
    }
}

}  // namespace

Energy energy(const Model& model, const State& state) {
  Energy sum;
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const Energy own = body_energy(model, state, b);
    sum.kinetic += own.kinetic;
    sum.potential += own.potential;
  }
  for (const auto& element : model.elements) sum.potential += element->potential(state.poses);
  add_joint_energy(model, state, sum);
  for (const LayerMemory& layer : state.memory.layers) sum.layers += layer.energy;
  sum.potential += sum.layers;
  return sum;
}

std::vector<double> body_energies(const Model& model, const State& state) {
  std::vector<double> energies;
  for (std::size_t b = 0; b < model.bodies.size(); ++b)
    energies.push_back(body_energy(model, state, b).total());
  return energies;
}

}  // namespace vinci
