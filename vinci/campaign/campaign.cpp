// SPDX-License-Identifier: Apache-2.0
#include "vinci/campaign/campaign.h"

#include <fmt/format.h>

#include "vinci/base/error.h"

namespace vinci {
namespace {

// What a strategy sees before its round is what it saw when it was asked for the first time.
std::uint64_t cases_before(const Ledger& ledger, std::uint64_t round) {
  return round == 0 ? 0 : ledger.rounds()[round - 1].end();
}

void check(const NumberRange& round, const Ledger& ledger, std::uint64_t number) {
  if (round.first != cases_before(ledger, number))
    throw Failure(
        fmt::format("round {} begins at case {}, not behind the one before", number, round.first));
  if (number < ledger.rounds().size() && ledger.rounds()[number] != round)
    throw Failure(
        fmt::format("round {} has other cases than when it was run: the study was begun by "
                    "another version; give --overwrite to begin anew",
                    number));
}

}  // namespace

std::optional<Round> next_round(Strategy& strategy, Ledger& ledger, std::uint64_t& round) {
  while (true) {
    std::optional<Round> next = strategy.next(LedgerResults(ledger, cases_before(ledger, round)));
    if (!next) {
      ledger.set_complete();
      return std::nullopt;
    }
    const NumberRange range{next->first, next->size};
    check(range, ledger, round);
    if (round == ledger.rounds().size()) ledger.add_round(range);
    ++round;
    if (!ledger.done().missing(range).empty()) return next;
  }
}

bool run_campaign(Strategy& strategy, Ledger& ledger, const CampaignSettings& settings) {
  Crew crew(settings.crew);
  std::uint64_t rounds = 0;
  while (const auto round = next_round(strategy, ledger, rounds)) {
    const auto go_on = [&] {
      settings.progress({.round = rounds - 1,
                         .expected = strategy.expected(),
                         .known = round->first + round->size,
                         .tally = ledger.tally()});
      return settings.go_on();
    };
    const Crew::Work work{ledger.done().missing({round->first, round->size}), round->at};
    if (!crew.run(work, ledger, go_on)) return false;
  }
  return true;
}

}  // namespace vinci
