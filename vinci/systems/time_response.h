// SPDX-License-Identifier: Apache-2.0
// Answers of linear systems to steps, impulses and given inputs over time, by exponentials of
// matrices: exact at the given times.
#pragma once

#include "vinci/systems/linear_system.h"

namespace vinci {

struct TimeResponse {
  VectorX times;    // s
  MatrixX outputs;  // one row per time
};

// A unit step, or a unit impulse, at one input at time 0, from rest, at `count` times from 0 to the
// duration, evenly spread; of a sampled system at its samples. An impulse through D is left out of
// the outputs of a continuous system. Throws Error for durations and counts that make no sense.
TimeResponse step_response(const LinearSystem& system, int input, double duration, int count);
TimeResponse impulse_response(const LinearSystem& system, int input, double duration, int count);
// From a state, without input.
TimeResponse free_response(const LinearSystem& system, const VectorX& start, double duration,
                           int count);
// How many times show every swing of the modes with a damping ratio below 0.3: 12 or more in each,
// between `least` and `most`.
int count_of_interest(const LinearSystem& system, double duration, int least, int most);
// Four times the slowest time constant of the stable poles, or 10 of the fastest unstable one.
double duration_of_interest(const LinearSystem& system);

}  // namespace vinci
