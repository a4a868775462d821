// SPDX-License-Identifier: Apache-2.0
// `auto` beside every solver of Siconos on the same problems, from zero, each answer judged by the
// same judge (solvers/race.h).
#pragma once

#include <string>
#include <vector>

#include "vinci/complementarity/problem.h"

namespace vinci {

struct SiconosRace {
  int peers = 0;                                  // ways that were tried: methods and storages
  double ours = 0.0, virtual_best = 0.0;          // s of CPU time, means over the problems
  double virtual_ratio = 0.0, least_ratio = 0.0;  // its best over ours per problem: mean, least
  std::string most_used;                          // that was the best most often
  std::string best_name;                          // of those that solve all: the least in total
  double best = 0.0;                              // s, its mean
};

// Its local solvers are given W and q and charged nothing for them.
SiconosRace race_siconos(const std::vector<const ComplementarityProblem*>& problems,
                         double tolerance);

}  // namespace vinci
