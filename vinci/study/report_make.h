// SPDX-License-Identifier: Apache-2.0
// What strategies add to the report of a study; private to study/.
#pragma once

#include "vinci/study/strategies.h"
#include "vinci/study/study_report.h"

namespace vinci {

// A strategy that knows more than counts say: what a search found, indices, small probabilities.
class ConcludingStrategy : public Strategy {
 public:
  // After next() was asked for all rounds that the results suffice for.
  virtual void conclude(const ResultSource& results, StudyReport& report) const = 0;
};

}  // namespace vinci
