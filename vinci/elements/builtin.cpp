// SPDX-License-Identifier: Apache-2.0
// The list of element kinds.
#include "vinci/elements/builtin.h"

#include "vinci/elements/spring.h"

namespace vinci {

const std::vector<ElementKind>& element_kinds() {
  static const std::vector<ElementKind> kinds{spring_kind()};
  return kinds;
}

}  // namespace vinci
