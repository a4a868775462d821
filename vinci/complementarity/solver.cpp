// SPDX-License-Identifier: Apache-2.0
// Names of the statuses, and the verdict.
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

void conclude(SolveReport& report, const Accuracy& accuracy, const Deadline& until) {
  if (report.status == SolveStatus::refused || report.status == SolveStatus::no_solution) return;
  if (accuracy.is_solved(report.residual)) {
    report.status = SolveStatus::solved;
    report.note = "";
  } else if (accuracy.is_settled(report.residual)) {
    report.status = SolveStatus::inaccurate;
    report.note = at_resolution;
  } else if (report.status == SolveStatus::limit && until.interrupted()) {
    report.note = "interrupted";
  }
}

}  // namespace vinci
