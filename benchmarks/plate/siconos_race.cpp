// SPDX-License-Identifier: Apache-2.0
#include "plate/siconos_race.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "solvers/condensed.h"
#include "solvers/race.h"

namespace vinci {
namespace {

struct Tally {
  int solved = 0, best = 0;
  double seconds = 0.0;
};

// The drivers for problems with velocities; the others are handed W there.
bool takes_part(const Contender& peer, RaceForm form) {
  return form == RaceForm::condensed || !peer.condensed();
}

}  // namespace

SiconosRace race_siconos(const std::vector<const ComplementarityProblem*>& problems, RaceForm form,
                         double tolerance) {
  const auto count = static_cast<double>(problems.size());
  constexpr double never = std::numeric_limits<double>::infinity();
  SiconosRace result;
  result.least = result.single = never;
  std::map<std::string, Tally> tallies;
  double logarithms = 0.0;
  for (const ComplementarityProblem* given : problems) {
    const ComplementarityProblem problem =
        form == RaceForm::velocities ? *given : condensed(*given);
    const RaceLimits limits{.tolerance = tolerance, .seconds = 0.02, .memory = 8e9};
    const Contenders ours = vinci_contenders(problem), peers = siconos_contenders(problem);
    if (peers.empty()) return result;
    const double own = race(problem, *ours.front(), limits).seconds;  // `auto`
    double least = never;
    Tally* winner = nullptr;
    result.peers = 0;
    for (const auto& peer : peers) {
      if (!takes_part(*peer, form)) continue;
      ++result.peers;
      const RaceResult found = race(problem, *peer, limits);
      if (found.finish != Finish::accepted) continue;
      Tally& tally = tallies[peer->name()];
      ++tally.solved;
      tally.seconds += found.seconds;
      if (found.seconds >= least) continue;
      least = found.seconds;
      winner = &tally;
    }
    if (winner != nullptr) ++winner->best;
    result.ours += own / count;
    result.theirs += least / count;
    result.least = std::min(result.least, least / own);
    logarithms += std::log(least / own) / count;
  }
  result.ratio = std::exp(logarithms);
  int most = 0;
  for (const auto& [name, tally] : tallies) {
    if (tally.best > most) {
      most = tally.best;
      result.most_used = name;
    }
    const double mean = tally.seconds / count;
    if (tally.solved < static_cast<int>(problems.size()) || mean >= result.single) continue;
    result.single = mean;
    result.single_name = name;
  }
  return result;
}

}  // namespace vinci
