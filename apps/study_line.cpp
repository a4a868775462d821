// SPDX-License-Identifier: Apache-2.0
#include "apps/study_line.h"

#include <algorithm>

#include "vinci/study/strategies.h"

namespace vinci {
namespace {

// What `tally` has more than `counted`. Statuses and verdicts are counted each by itself.
void count_up(StudyProgress& progress, Tally& counted, const Tally& tally) {
  std::size_t status = 0, verdict = 0;
  for (; counted.done < tally.done; ++counted.done) {
    while (counted.statuses[status] == tally.statuses[status]) ++status;
    while (counted.verdicts[verdict] == tally.verdicts[verdict]) ++verdict;
    ++counted.statuses[status];
    ++counted.verdicts[verdict];
    CaseResult result;
    result.status = static_cast<CaseStatus>(status);
    result.verdict = static_cast<Verdict>(verdict);
    progress.add(result);
  }
}

std::int64_t total_of(const Study& study) {
  return static_cast<std::int64_t>(make_strategy(study)->expected().value_or(0));
}

}  // namespace

StudyLine::StudyLine(const Study& study, const Tally& done, bool wanted)
    : progress_(study.title(), static_cast<std::int64_t>(done.done), total_of(study), wanted,
                "cases"),
      words_(study) {
  count_up(words_, counted_, done);
}

void StudyLine::update(const CampaignProgress& progress) {
  if (!progress_.is_due()) return;
  count_up(words_, counted_, progress.tally);
  progress_.set_total(static_cast<std::int64_t>(progress.expected.value_or(progress.known)));
  // How many there are stands before it.
  const std::string words = words_.words();
  const std::size_t comma = words.find(", success");
  progress_.set_note(comma == std::string::npos ? "" : words.substr(comma + 2));
  progress_.update(static_cast<std::int64_t>(progress.tally.done));
}

std::string words_of(const Study& study, const Tally& tally) {
  StudyProgress progress(study);
  Tally counted;
  count_up(progress, counted, tally);
  return progress.words();
}

}  // namespace vinci
