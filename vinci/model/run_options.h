// SPDX-License-Identifier: Apache-2.0
// The run's own options: keys of `run:` in a scene and flags of `vinci run`. The plugins named here
// bring further options of their own, written as `solver: {name: gauss-seidel, tolerance: 1e-12}`.
#pragma once

#include "vinci/base/options.h"

namespace vinci {

const OptionTable& run_option_table();

}  // namespace vinci
