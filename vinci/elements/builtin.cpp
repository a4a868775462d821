// SPDX-License-Identifier: Apache-2.0
// The list of element kinds.
#include "vinci/elements/builtin.h"

namespace vinci {

const std::vector<ElementKind>& element_kinds() {
  static const std::vector<ElementKind> kinds;
  return kinds;
}

}  // namespace vinci
