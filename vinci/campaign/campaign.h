// SPDX-License-Identifier: Apache-2.0
// A study from its first case to its last one, on this machine.
#pragma once

#include <functional>
#include <optional>

#include "vinci/campaign/crew.h"
#include "vinci/campaign/ledger.h"
#include "vinci/study/strategy.h"

namespace vinci {

struct CampaignProgress {
  std::uint64_t round = 0;                // from 0
  std::optional<std::uint64_t> expected;  // cases, where that is known
  std::uint64_t known = 0;                // cases of the rounds so far
  const Tally& tally;                     // of all that is done
};

struct CampaignSettings {
  CrewSettings crew;
  std::function<bool()> go_on = [] { return true; };  // asked ten times a second at least
  std::function<void(const CampaignProgress&)> progress = [](const CampaignProgress&) {};
};

// The round that is not done yet, after those that are; nothing where the study is complete. A
// strategy that has given no rounds is asked for all of them anew. Throws Failure if it gives other
// rounds than those of the ledger, of which `round` counts the ones that it has given.
std::optional<Round> next_round(Strategy& strategy, Ledger& ledger, std::uint64_t& round);

// Runs what is missing. False if `go_on` said no: the ledger can be resumed.
bool run_campaign(Strategy& strategy, Ledger& ledger, const CampaignSettings& settings);

}  // namespace vinci
