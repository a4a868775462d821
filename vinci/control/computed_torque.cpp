// SPDX-License-Identifier: Apache-2.0
// Computed torque: τ = M (a* + K_p e + K_d ė) + c(q, v), with the springs and dampers of the
// joints, so that errors obey ë + K_d ė + K_p e = 0 [Luh, Walker and Paul 1980].
#include "vinci/control/joint_law.h"

namespace vinci {

const JointLaw& computed_torque_law() {
  static const JointLaw law{
      .name = "computed-torque",
      .text =
          "Inverse dynamics of the reference's acceleration and of PD on the errors, in 1/s² "
          "and 1/s.",
      .keys = {{"proportional", "Gain on the error of the coordinate, in 1/s².", true},
               {"derivative", "Gain on the error of the rate, in 1/s; 0 if not given."}},
      .uses_robot = true,
      .needs_inertia = true,
      .efforts = [](JointSample& sample, VectorX& efforts) {
        pd_law().efforts(sample, efforts);
        efforts += sample.reference_acceleration;
        sample.robot.drive_efforts(sample.rates, efforts);
      }};
  return law;
}

}  // namespace vinci
