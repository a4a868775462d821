// SPDX-License-Identifier: Apache-2.0
// All that is needed to continue a run: plain data, saved and loaded bit for bit.
#pragma once

#include <cstdint>
#include <vector>

#include "vinci/base/math.h"
#include "vinci/model/memory.h"
#include "vinci/model/model.h"

namespace vinci {

struct State {
  std::int64_t step = 0;
  double time = 0.0;        // s
  std::vector<Pose> poses;  // body frames
  VectorX velocities;       // packed as Model says
  VectorX joint_positions;  // coordinates of all joints (joint.h); turns are counted
  VectorX joint_rates;
  VectorX coupling_offsets;  // that couplings hold; those that slip let go of theirs
  Memory memory;             // of entities
  VectorX controls;          // memory of the controllers, one after the other

  // Bit for bit, as hash() counts: −0 and 0 differ.
  bool operator==(const State& other) const;
};

// Bit for bit, whatever their step and time.
bool same_but_time(const State& a, const State& b);

State initial_state(const Model& model);
std::uint64_t hash(const State& state);
bool is_finite(const State& state);

// Twist of the centre of mass of a body.
Twist body_twist(const Model& model, const VectorX& velocities, int body);
// Centre of mass in world coordinates.
Vector3 center_of_mass(const Model& model, const std::vector<Pose>& poses, int body);

struct Energy {
  // J; potential: of weight, zero at the world origin, of elements, and of layers.
  double kinetic = 0.0, potential = 0.0;
  double layers = 0.0;  // J, the part of the potential that the layers of contacts hold
  double total() const { return kinetic + potential; }
};
Energy energy(const Model& model, const State& state);
std::vector<double> body_energies(const Model& model, const State& state);  // J, without elements

}  // namespace vinci
