// SPDX-License-Identifier: Apache-2.0
// Which cases of a study are independent draws of one design: only of these do shares and means
// estimate anything, and only there do intervals keep what they promise.
#pragma once

#include <string>

#include "vinci/study/case.h"
#include "vinci/study/study.h"

namespace vinci {

struct Draws {
  bool per_design = false;  // the cases of a design are draws of what is uncertain
  bool overall = false;     // and there is one design
  std::string reason;       // why there is no estimate over all cases; else ""
};

Draws draws_of(const Study& study);

// All cases of its design have this verdict, by one answer: of levels that see the design alone.
bool has_answer_of_design(const Study& study, const CaseResult& result);
// Whether one answer may be behind cases of which none has succeeded.
bool may_reject_designs(const Study& study);

// Verdicts may be unknown by what the models say, not by trouble: a level that confirms but does
// not reject, or a search for a way that proves nothing. Such cases are not like those that are
// known.
bool may_leave_open(const Study& study);

}  // namespace vinci
