// SPDX-License-Identifier: Apache-2.0
// What a worker process does: it takes cases from its coordinator, runs them, and answers.
#pragma once

#include <functional>
#include <string>

#include "vinci/campaign/worker_page.h"
#include "vinci/study/case.h"

namespace vinci {

struct CaseRun {
  std::string hash;  // of the study
  std::function<CaseAnswer(const StudyCase&)> run;
};

// The whole life of a process that a coordinator has started: makes what runs cases, and runs what
// comes until the coordinator has no more. What `make` throws is told to the coordinator. Every
// case is announced before it begins, so that the coordinator knows which one ended the process.
// An exception of a case is its result, but where memory is missing: then the process ends.
// Throws Error where no coordinator has started the process.
void serve_cases(const std::function<CaseRun()>& make, const WorkerEnds& ends = {});

}  // namespace vinci
