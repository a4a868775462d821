// SPDX-License-Identifier: Apache-2.0
#include "plate/siconos_race.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "solvers/race.h"

namespace vinci {
namespace {

struct Tally {
  int solved = 0, best = 0;
  double seconds = 0.0;
};

}  // namespace

SiconosRace race_siconos(const std::vector<const ComplementarityProblem*>& problems,
                         double tolerance) {
  SiconosRace result;
  result.least_ratio = std::numeric_limits<double>::infinity();
  std::map<std::string, Tally> tallies;
  double logarithms = 0.0;
  for (const ComplementarityProblem* problem : problems) {
    const RaceLimits limits{.tolerance = tolerance, .seconds = 0.02, .memory = 8e9};
    Contenders ours = vinci_contenders(*problem);
    const double own = race(*problem, *ours.front(), limits).seconds;  // `auto`
    Contenders peers = siconos_contenders(*problem);
    if (peers.empty()) return result;
    result.peers = static_cast<int>(peers.size());
    double least = std::numeric_limits<double>::infinity();
    Tally* winner = nullptr;
    for (const auto& peer : peers) {
      const RaceResult found = race(*problem, *peer, limits);
      if (found.finish != Finish::accepted) continue;
      Tally& tally = tallies[peer->name()];
      ++tally.solved;
      tally.seconds += found.seconds;
      if (found.seconds >= least) continue;
      least = found.seconds;
      winner = &tally;
    }
    if (winner != nullptr) ++winner->best;
    result.ours += own / static_cast<double>(problems.size());
    result.virtual_best += least / static_cast<double>(problems.size());
    result.least_ratio = std::min(result.least_ratio, least / own);
    logarithms += std::log(least / own);
  }
  result.virtual_ratio = std::exp(logarithms / static_cast<double>(problems.size()));
  int most = 0;
  result.best = std::numeric_limits<double>::infinity();
  for (const auto& [name, tally] : tallies) {
    if (tally.best > most) {
      most = tally.best;
      result.most_used = name;
    }
    const double mean = tally.seconds / static_cast<double>(problems.size());
    if (tally.solved < static_cast<int>(problems.size()) || mean >= result.best) continue;
    result.best = mean;
    result.best_name = name;
  }
  return result;
}

}  // namespace vinci
