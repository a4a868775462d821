// SPDX-License-Identifier: Apache-2.0
// Rates of the joints on which nothing hangs, from the velocities of bodies.
#pragma once

#include <span>

#include "vinci/model/state.h"

namespace vinci {

void read_loop_rates(const Model& model, std::span<const Pose> poses, const VectorX& velocities,
                     VectorX& joint_rates);

}  // namespace vinci
