// SPDX-License-Identifier: Apache-2.0
#include "vinci/study/strategies.h"

#include <algorithm>

#include <fmt/format.h>

#include "vinci/base/error.h"
#include "vinci/study/design_rounds.h"
#include "vinci/study/rare_strategy.h"
#include "vinci/study/search_strategy.h"
#include "vinci/study/sensitivity_strategy.h"

namespace vinci {

std::unique_ptr<Strategy> make_strategy(const Study& study) {
  switch (study.kind()) {
    case StudyKind::search:
      return std::make_unique<SearchStrategy>(study);
    case StudyKind::sensitivity:
      return std::make_unique<SensitivityStrategy>(study);
    case StudyKind::rare:
      return std::make_unique<RareStrategy>(study);
    default:
      return std::make_unique<DesignRounds>(study);
  }
}

StudyCases::StudyCases(const Study& study, const ResultSource& results) {
  const std::unique_ptr<Strategy> strategy = make_strategy(study);
  for (;;) {
    std::optional<Round> round = strategy->next(results);
    complete_ = !round;
    if (!round) break;
    rounds_.push_back(std::move(*round));
    if (size() > results.size()) break;
  }
}

std::uint64_t StudyCases::size() const {
  return rounds_.empty() ? 0 : rounds_.back().first + rounds_.back().size;
}

StudyCase StudyCases::at(std::uint64_t number) const {
  if (number >= size())
    throw Error(fmt::format("there is no case {}{}; accepted: from 0 to {}", number,
                            complete_ ? "" : " yet", size() == 0 ? 0 : size() - 1));
  const auto after =
      std::upper_bound(rounds_.begin(), rounds_.end(), number,
                       [](std::uint64_t n, const Round& round) { return n < round.first; });
  return (after - 1)->at(number);
}

void StoredResults::read(std::uint64_t first, std::uint64_t count,
                         const std::function<void(const CaseResult&)>& visit) const {
  for (std::uint64_t i = first; i < std::min<std::uint64_t>(first + count, size()); ++i)
    visit(results_[i]);
}

}  // namespace vinci
