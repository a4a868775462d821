// SPDX-License-Identifier: Apache-2.0
// A recorded run brought back: the simulation it was made with, and any of its steps.
#pragma once

#include "apps/command.h"

namespace vinci {

// The overrides that a recorded run was made with: where its options differ from what its scene and
// the defaults say. Throws Error where code of a program took part, which nothing here can replace.
RunOverrides recorded_overrides(const Recording& recording, const Scene& scene);

// The problem that led to the state after `step` steps, bit for bit as the run solved it: the run
// continues from the nearest earlier frame. Throws Error if the recording does not reach there.
ComplementarityProblem recorded_problem(const Recording& recording, std::int64_t step,
                                        const std::shared_ptr<const Plugins>& plugins);

}  // namespace vinci
