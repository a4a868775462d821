// SPDX-License-Identifier: Apache-2.0
#include "vinci/study/case.h"

namespace vinci {

const char* to_string(CaseStatus status) {
  constexpr const char* names[] = {"good",   "ended",     "inexact", "diverged",
                                   "failed", "timed-out", "crashed"};
  return names[static_cast<int>(status)];
}

const char* to_string(Verdict verdict) {
  constexpr const char* names[] = {"unknown", "success", "failure"};
  return names[static_cast<int>(verdict)];
}

}  // namespace vinci
