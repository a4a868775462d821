// SPDX-License-Identifier: Apache-2.0
// All that is needed to continue a run: plain data, saved and loaded bit for bit.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "vinci/base/math.h"
#include "vinci/model/model.h"

namespace vinci {

// A pair of features of two shapes; survives steps as long as the features do.
struct ContactKey {
  std::uint32_t shape_a = 0, shape_b = 0;      // indices into Model::shapes, shape_a < shape_b
  std::uint32_t feature_a = 0, feature_b = 0;  // the detector's numbering
  auto operator<=>(const ContactKey&) const = default;
};

// What a contact hands to the next step.
struct ContactMemory {
  ContactKey key;
  Vector3 impulse = Vector3::Zero();  // N s on body b: normal, tangent 1, tangent 2
  double approach = 0.0;              // m/s, closing speed of an impact whose rebound is still due
  std::int64_t patch_point = 0;       // of a contact that several points stand for, else 0
  // m, of the layers of a and b there: along the normal (> 0 pressed in), tangent 1, tangent 2.
  Vector3 deformation_a = Vector3::Zero(), deformation_b = Vector3::Zero();
};

struct State {
  std::int64_t step = 0;
  double time = 0.0;                    // s
  std::vector<Pose> poses;              // body frames
  VectorX velocities;                   // packed as Model says
  std::vector<ContactMemory> contacts;  // sorted by key and patch point
  VectorX controls;                     // memory of the controllers, one after the other

  // Bit for bit, as hash() counts: −0 and 0 differ.
  bool operator==(const State& other) const;
};

State initial_state(const Model& model);
std::uint64_t hash(const State& state);
bool is_finite(const State& state);

// Twist of the centre of mass of a body.
Twist body_twist(const Model& model, const VectorX& velocities, int body);
// Centre of mass in world coordinates.
Vector3 center_of_mass(const Model& model, const std::vector<Pose>& poses, int body);

struct Energy {
  double kinetic = 0.0, potential = 0.0;  // J; potential zero at the world origin
  double total() const { return kinetic + potential; }
};
Energy energy(const Model& model, const State& state);

}  // namespace vinci
