// SPDX-License-Identifier: Apache-2.0
// What an expression says before any variable has a value.
#pragma once

#include "vinci/base/expression.h"

namespace vinci {

// Whether a part is infinite or no number whatever the variables are: 1/0, x/0.
bool has_no_value(const Expression& expression);

}  // namespace vinci
