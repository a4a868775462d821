// SPDX-License-Identifier: Apache-2.0
// A step of a recorded run once more.
#pragma once

#include "vinci/recording/recording.h"
#include "vinci/simulation/simulation.h"

namespace vinci {

// Performs step `step` of a recorded run (from 1), bit for bit as the run did: the simulation, made
// of the same scene and options, continues from the nearest earlier frame and has the step's
// problem, solution and contacts afterwards. Throws Error if the recording does not reach there, if
// it was made differently, or if the step does not lead to the recorded state.
void replay_step(const Recording& recording, std::int64_t step, Simulation& simulation);

}  // namespace vinci
