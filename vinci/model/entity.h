// SPDX-License-Identifier: Apache-2.0
// Keys of what takes part in a step: contacts, supports, elements, joints, couplings, constraints
// and machines. A key names the same thing from step to step; memory, rows of the problem, results
// and recordings refer to it.
#pragma once

#include <array>
#include <compare>
#include <cstdint>

namespace vinci {

// Kinds in the order of their rows in a problem.
enum class EntityKind : std::uint32_t {
  contact,
  support,
  element,
  joint,
  coupling,
  constraint,
  machine,
  body
};
const char* to_string(EntityKind kind);

struct EntityKey {
  EntityKind kind = EntityKind::contact;
  // contact: shapes a < b (indices into Model::shapes), then their features in the detector's
  // numbering; support: body, index into Body::supports; element: index into Model::elements;
  // joint: index into Model::joints, part of the joint (JointPart), freedom; coupling, constraint,
  // machine, body: index into Model::couplings, constraints, machines, bodies.
  std::array<std::uint32_t, 4> ids = {};
  auto operator<=>(const EntityKey&) const = default;

  // Of a contact.
  std::uint32_t shape_a() const { return ids[0]; }
  std::uint32_t shape_b() const { return ids[1]; }
};

inline EntityKey contact_key(std::uint32_t shape_a, std::uint32_t shape_b, std::uint32_t feature_a,
                             std::uint32_t feature_b) {
  return {EntityKind::contact, {shape_a, shape_b, feature_a, feature_b}};
}
inline EntityKey support_key(int body, int index) {
  return {EntityKind::support,
          {static_cast<std::uint32_t>(body), static_cast<std::uint32_t>(index), 0, 0}};
}
inline EntityKey element_key(int index) {
  return {EntityKind::element, {static_cast<std::uint32_t>(index), 0, 0, 0}};
}
// What a row of a joint is about.
enum class JointPart : std::uint32_t {
  constraint,
  lower_limit,
  upper_limit,
  friction,
  yielding,  // armature, damping and spring
  servo
};
inline EntityKey joint_key(int joint, JointPart part, int freedom) {
  return {EntityKind::joint,
          {static_cast<std::uint32_t>(joint), static_cast<std::uint32_t>(part),
           static_cast<std::uint32_t>(freedom), 0}};
}
inline EntityKey coupling_key(int index) {
  return {EntityKind::coupling, {static_cast<std::uint32_t>(index), 0, 0, 0}};
}

inline EntityKey constraint_key(int index) {
  return {EntityKind::constraint, {static_cast<std::uint32_t>(index), 0, 0, 0}};
}
inline EntityKey machine_key(int index) {
  return {EntityKind::machine, {static_cast<std::uint32_t>(index), 0, 0, 0}};
}
inline EntityKey body_key(int index) {
  return {EntityKind::body, {static_cast<std::uint32_t>(index), 0, 0, 0}};
}

// A key as four numbers, for hashes, files and the viewer: those of a contact as they are; of
// another kind, a first number that no shape has, then its first three.
std::array<std::uint32_t, 4> key_words(const EntityKey& key);
EntityKey key_of_words(const std::array<std::uint32_t, 4>& words);

}  // namespace vinci
