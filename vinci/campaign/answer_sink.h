// SPDX-License-Identifier: Apache-2.0
// Where answers go.
#pragma once

#include <span>

#include "vinci/study/case.h"

namespace vinci {

class AnswerSink {
 public:
  virtual ~AnswerSink() = default;
  // Answers whose numbers follow each other: all of them are kept, or none. Throws Failure.
  virtual void add(std::span<const CaseAnswer> answers) = 0;
};

}  // namespace vinci
