// SPDX-License-Identifier: Apache-2.0
// The exact heights at the end: of a rigid ball, and of one whose contact follows
// h'' + α₁ h' + α₀ h = 0 while it pushes.
#pragma once

#include "events/run.h"
#include "vinci/base/stabilisation.h"

namespace vinci {

double rigid_height();
double stabilised_height(const Stabilisation& law);

}  // namespace vinci
