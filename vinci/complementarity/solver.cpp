// SPDX-License-Identifier: Apache-2.0
// Names of the statuses.
#include "vinci/complementarity/solver.h"

namespace vinci {

std::string to_string(SolveStatus status) {
  switch (status) {
    case SolveStatus::solved:
      return "solved";
    case SolveStatus::inaccurate:
      return "inaccurate";
    case SolveStatus::no_solution:
      return "no solution";
    case SolveStatus::limit:
      return "limit";
    case SolveStatus::refused:
      return "refused";
  }
  return "unknown";
}

}  // namespace vinci
