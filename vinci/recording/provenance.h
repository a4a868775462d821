// SPDX-License-Identifier: Apache-2.0
// Where a recording comes from, and whether a simulation may continue it.
#pragma once

#include <string>

#include "vinci/recording/recording.h"
#include "vinci/simulation/simulation.h"
#include "vinci/storage/hdf5_file.h"

namespace vinci {

// {"run": {...}, "plugins": {"detector": {...}, ...}, "parameters": {...}, "set_parameters":
// {...}}, as the run begins.
std::string options_json(const Simulation& simulation);

// Throws Error naming the first difference between the recorded run and this one that would change
// its steps. The duration, the output interval and the accepted residual may differ.
void check_same_run(const Recording& recording, const Simulation& simulation);

// Sets the simulation to a recorded state, with parameters that were changed from code. Throws
// Error if the run diverged there or its parameters at that state cannot be had again.
void continue_from(const Recording& recording, Simulation& simulation, std::int64_t frame);

// Units and column texts as attributes of the tables.
void write_units(Hdf5File& file);

}  // namespace vinci
