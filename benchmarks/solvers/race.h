// SPDX-License-Identifier: Apache-2.0
// A contender against the clock, in a process of its own: it may crash, hang or print.
//
// Time is CPU time of the solve alone, the median of at least three repetitions (fifty where they
// are short) after a first one that is not counted. Every answer is judged by vinci's judge;
// neither the contender's own word nor its own stopping test decides.
#pragma once

#include "solvers/contender.h"
#include "vinci/complementarity/residual.h"

namespace vinci {

struct RaceLimits {
  double tolerance = 1e-8;
  double seconds = 10.0;  // CPU time of a solve; a longer one is killed
  double memory = 8e9;    // bytes of address space
};

enum class Finish : int { accepted, rejected, out_of_time, crashed };
std::string to_string(Finish finish);

struct RaceResult {
  Finish finish = Finish::crashed;
  double seconds = 0.0;    // median; of the first solve alone where it was not accepted
  double residual = 0.0;   // of the accepted answer, otherwise of the best one
  double rounding = 0.0;   // the judge's resolution, see Residual
  double tolerance = 0.0;  // what the contender was asked for
  int repetitions = 0;
  char status[16] = {};
};

RaceResult race(const ComplementarityProblem& problem, Contender& contender,
                const RaceLimits& limits);

}  // namespace vinci
