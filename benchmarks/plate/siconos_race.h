// SPDX-License-Identifier: Apache-2.0
// `auto` beside every solver of Siconos on the same problems, from zero, each answer judged by the
// same judge (solvers/race.h). Two races: the problems as a step poses them, with velocities, by
// its drivers for those; and w = W λ + q, handed to both sides for nothing.
#pragma once

#include <string>
#include <vector>

#include "vinci/complementarity/problem.h"

namespace vinci {

struct SiconosRace {
  int peers = 0;                     // ways that were tried: methods and storages
  double ours = 0.0, theirs = 0.0;   // s of CPU time, means; theirs the best per problem
  double ratio = 0.0, least = 0.0;   // theirs over ours: geometric mean, least
  std::string most_used;             // that was the best most often
  std::string single_name = "none";  // of those that solve all: the least in total
  double single = 0.0;               // s, its mean
};

enum class RaceForm { velocities, condensed };

SiconosRace race_siconos(const std::vector<const ComplementarityProblem*>& problems, RaceForm form,
                         double tolerance);

}  // namespace vinci
