// SPDX-License-Identifier: Apache-2.0
// Why a motion model has no next state.
#pragma once

#include <cstdint>

namespace vinci {

// Why there is no next state by the motion model; the run ends there.
enum class Ending : std::uint8_t {
  none,
  no_equilibrium,  // quasi-static: no contact forces balance the applied ones
  no_motion,       // quasi-static: no motion keeps the bodies apart, or none was found
};
const char* to_string(Ending ending);  // in words, "" for none

}  // namespace vinci
