// SPDX-License-Identifier: Apache-2.0
// Names of the numbers of joints.
#include "vinci/model/joint_columns.h"

namespace vinci {

int joint_state_width(const Model& model) {
  return model.joint_coordinate_count + model.joint_rate_count +
         static_cast<int>(model.couplings.size());
}

std::vector<std::string> joint_columns(const Model& model) {
  std::vector<std::string> columns;
  const auto numbered = [](const Joint& joint, const char* what, int k, int count) {
    return joint.name + "." + what + (count > 1 ? "_" + std::to_string(k) : "");
  };
  const auto unit = [](const Joint& joint, int k, const char* shifting, const char* turning) {
    return std::string(" [") + (is_turning(joint.kind, k) ? turning : shifting) + "]";
  };
  for (const Joint& joint : model.joints) {
    const int count = position_count(joint.kind);
    for (int k = 0; k < count; ++k)
      columns.push_back(numbered(joint, "position", k, count) +
                        (joint.kind == JointKind::ball ? " [1]" : unit(joint, k, "m", "rad")));
  }
  for (const Joint& joint : model.joints)
    for (int k = 0; k < rate_count(joint.kind); ++k)
      columns.push_back(numbered(joint, "rate", k, rate_count(joint.kind)) +
                        unit(joint, k, "m/s", "rad/s"));
  for (const Coupling& coupling : model.couplings) columns.push_back(coupling.name + ".offset [1]");
  for (const Joint& joint : model.joints) {
    for (const char* what : {"motor", "friction", "limit"})
      for (int k = 0; k < rate_count(joint.kind); ++k)
        columns.push_back(numbered(joint, what, k, rate_count(joint.kind)) +
                          unit(joint, k, "N", "N m"));
    for (const char* axis : {"x", "y", "z"})
      columns.push_back(joint.name + ".force_" + axis + " [N]");
    for (const char* axis : {"x", "y", "z"})
      columns.push_back(joint.name + ".moment_" + axis + " [N m]");
  }
  return columns;
}

}  // namespace vinci
