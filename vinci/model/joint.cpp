// SPDX-License-Identifier: Apache-2.0
// Names and freedoms of the kinds of joints.
#include "vinci/model/joint.h"

#include <array>

namespace vinci {
namespace {

struct KindFacts {
  const char* name;
  int rates, coordinates;
  std::array<bool, 3> turning;
};

constexpr std::array<KindFacts, joint_kind_count> facts{{{"fixed", 0, 0, {}},
                                                         {"revolute", 1, 1, {true}},
                                                         {"prismatic", 1, 1, {false}},
                                                         {"screw", 1, 1, {true}},
                                                         {"cylindrical", 2, 2, {true, false}},
                                                         {"universal", 2, 2, {true, true}},
                                                         {"ball", 3, 4, {true, true, true}},
                                                         {"planar", 3, 3, {false, false, true}}}};

const KindFacts& facts_of(JointKind kind) {
  return facts[static_cast<std::size_t>(kind)];
}

}  // namespace

const char* to_string(JointKind kind) {
  return facts_of(kind).name;
}

std::optional<JointKind> joint_kind_named(const std::string& name) {
  for (int kind = 0; kind < joint_kind_count; ++kind)
    if (name == facts[static_cast<std::size_t>(kind)].name) return static_cast<JointKind>(kind);
  return {};
}

int rate_count(JointKind kind) {
  return facts_of(kind).rates;
}

int position_count(JointKind kind) {
  return facts_of(kind).coordinates;
}

bool is_turning(JointKind kind, int freedom) {
  return facts_of(kind).turning[static_cast<std::size_t>(freedom)];
}

void start_coordinates(const Joint& joint, double* q) {
  const Quaternion& r = joint.rotation;
  if (joint.kind == JointKind::ball) {
    q[0] = r.w(), q[1] = r.x(), q[2] = r.y(), q[3] = r.z();
    return;
  }
  for (std::size_t k = 0; k < joint.freedoms.size(); ++k) q[k] = joint.freedoms[k].position;
}

void set_start(Joint& joint, const double* q) {
  if (joint.kind == JointKind::ball) {
    joint.rotation = Quaternion(q[0], q[1], q[2], q[3]);
    return;
  }
  for (std::size_t k = 0; k < joint.freedoms.size(); ++k) joint.freedoms[k].position = q[k];
}

}  // namespace vinci
