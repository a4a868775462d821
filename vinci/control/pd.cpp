// SPDX-License-Identifier: Apache-2.0
// PD: τ = K_p e + K_d ė.
#include "vinci/control/joint_law.h"

namespace vinci {

ControllerKey proportional_key() {
  return {"proportional", "Gain on the error of the coordinate, in N/m or N m/rad.", true};
}

ControllerKey derivative_key() {
  return {"derivative", "Gain on the error of the rate, in N s/m or N m s/rad; 0 if not given."};
}

const JointLaw& pd_law() {
  static const JointLaw law{.name = "pd",
                            .text = "K_p e + K_d de/dt of the error e of a coordinate.",
                            .keys = {proportional_key(), derivative_key()},
                            .efforts = [](JointSample& sample, VectorX& efforts) {
                              efforts = sample.gains.proportional.cwiseProduct(sample.error) +
                                        sample.gains.derivative.cwiseProduct(sample.rate_error);
                            }};
  return law;
}

}  // namespace vinci
