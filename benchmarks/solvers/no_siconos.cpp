// SPDX-License-Identifier: Apache-2.0
// In the place of siconos.cpp where Siconos was not found.
#include "solvers/contender.h"

namespace vinci {

Contenders siconos_contenders(const ComplementarityProblem&) {
  return {};
}

}  // namespace vinci
