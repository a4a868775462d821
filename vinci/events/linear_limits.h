// SPDX-License-Identifier: Apache-2.0
// Where the linear system of a mode describes one side of its point alone.
#pragma once

#include <string>
#include <vector>

#include "vinci/events/model_system.h"

namespace vinci {

// Contacts that touch without force, friction at its bound: sentences, without those whose other
// state moves alike. Gaps up to `tolerances` are closed.
std::vector<std::string> mode_limits(const ModelSystem& system, const HybridState& state,
                                     const VectorX& inputs, const VectorX& tolerances);

// Laws that turn or jump at the point, while the mode stays: sentences.
std::vector<std::string> law_kinks(const ModelSystem& system, const HybridState& state,
                                   const VectorX& inputs);

}  // namespace vinci
