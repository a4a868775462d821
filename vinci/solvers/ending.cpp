// SPDX-License-Identifier: Apache-2.0
// Endings in words.
#include "vinci/solvers/ending.h"

namespace vinci {

const char* to_string(Ending ending) {
  switch (ending) {
    case Ending::none:
      return "";
    case Ending::no_equilibrium:
      return "no contact forces can balance the applied ones: without inertia there is no motion";
    case Ending::no_motion:
      return "no motion with its contact forces balanced was found that keeps the bodies apart";
  }
  return "";
}

}  // namespace vinci
