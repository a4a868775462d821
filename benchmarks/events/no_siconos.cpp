// SPDX-License-Identifier: Apache-2.0
#include "events/run.h"

namespace vinci {

bool has_siconos() {
  return false;
}
BallRun siconos_events(double) {
  return {};
}
BallRun siconos_steps(double) {
  return {};
}

}  // namespace vinci
