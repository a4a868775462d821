// SPDX-License-Identifier: Apache-2.0
// Gravity compensation: τ = g(q) + K_p e + K_d ė, g the efforts that hold the mechanism.
#include "vinci/control/joint_law.h"

namespace vinci {

const JointLaw& gravity_compensation_law() {
  static const JointLaw law{
      .name = "gravity-compensation",
      .text = "The efforts that hold the mechanism against gravity, and PD where gains are given.",
      .keys = {{"proportional",
                "Gain on the error of the coordinate, in N/m or N m/rad; 0 if not given."},
               derivative_key()},
      .uses_robot = true,
      .efforts = [](JointSample& sample, VectorX& efforts) {
        sample.robot.gravity_efforts(sample.all);
        pd_law().efforts(sample, efforts);
        for (Eigen::Index i = 0; i < efforts.size(); ++i)
          efforts[i] += sample.all[sample.rates[static_cast<std::size_t>(i)]];
      }};
  return law;
}

}  // namespace vinci
