// SPDX-License-Identifier: Apache-2.0
// Forces at rest where constraints that act depend on each other, so that balance leaves them open:
// whether any of them are such that no contact pulls and no friction holds more than it can.
#pragma once

#include "vinci/hybrid/constrained_system.h"
#include "vinci/hybrid/hybrid_state.h"

namespace vinci {

struct BearableForces {
  enum class Verdict {
    fit,   // these do
    pull,  // some contact pulls whatever is chosen
    slide  // no contact needs to pull, but friction holds too much; least so with these
  } verdict = Verdict::fit;
  VectorX multipliers;
};

// `multipliers` hold the balance of a state at rest; they are kept where they fit. Others differ
// from them by what nothing feels.
BearableForces bearable_forces(const ConstrainedSystem& system, const HybridState& state,
                               const VectorX& inputs, const VectorX& multipliers);

}  // namespace vinci
