// SPDX-License-Identifier: Apache-2.0
// The solvers that come with Vinci.
#pragma once

#include "vinci/complementarity/solver.h"

namespace vinci {

void add_builtin_solvers(SolverRegistry& registry);

}  // namespace vinci
