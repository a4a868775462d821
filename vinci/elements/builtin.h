// SPDX-License-Identifier: Apache-2.0
// The element kinds that come with Vinci, in the order in which scenes list them.
#pragma once

#include <vector>

#include "vinci/model/element.h"

namespace vinci {

const std::vector<ElementKind>& element_kinds();

}  // namespace vinci
