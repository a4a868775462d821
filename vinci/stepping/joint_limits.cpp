// SPDX-License-Identifier: Apache-2.0
// Limits of joints, one by one.
#include "vinci/stepping/joint_limits.h"

#include <cmath>

namespace vinci {

void find_limits(const Model& model, const VectorX& positions, std::vector<JointLimit>& limits) {
  limits.clear();
  for (int j = 0; j < static_cast<int>(model.joints.size()); ++j) {
    const Joint& joint = model.joints[static_cast<std::size_t>(j)];
    for (const bool lower : {true, false})
      for (int k = 0; k < static_cast<int>(joint.freedoms.size()); ++k) {
        const JointFreedom& freedom = joint.freedoms[static_cast<std::size_t>(k)];
        const double bound = lower ? freedom.lower : freedom.upper, sign = lower ? 1.0 : -1.0;
        if (!std::isfinite(bound) || freedom.lower == freedom.upper) continue;
        limits.push_back(
            {.key = joint_key(j, lower ? JointPart::lower_limit : JointPart::upper_limit, k),
             .joint = j,
             .rate = joint.first_rate + k,
             .sign = sign,
             .gap = sign * (positions[joint.first_coordinate + k] - bound),
             .restitution = freedom.restitution});
      }
  }
}

}  // namespace vinci
