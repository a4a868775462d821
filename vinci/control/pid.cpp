// SPDX-License-Identifier: Apache-2.0
// PID: τ = K_p e + K_d ė + K_i ∫ e dt. The controller adds the integral, since limits bound it.
#include "vinci/control/joint_law.h"

namespace vinci {

const JointLaw& pid_law() {
  static const JointLaw law{
      .name = "pid",
      .text =
          "PD and K_i times the integral of the error, which does not grow where it would "
          "drive an effort farther that is cut off.",
      .keys = {proportional_key(),
               derivative_key(),
               {"integral", "Gain on the integral of the error, in N/(m s) or N m/(rad s).", true}},
      .has_integral = true,
      .efforts = pd_law().efforts};
  return law;
}

}  // namespace vinci
