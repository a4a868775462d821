// SPDX-License-Identifier: Apache-2.0
#include "apps/study_line.h"

#include "vinci/study/strategies.h"

namespace vinci {
namespace {

void set(StudyProgress& progress, const Tally& tally) {
  progress.set(
      {tally.with(Verdict::success), tally.with(Verdict::failure), tally.with(Verdict::unknown)},
      tally.statuses);
}

std::int64_t total_of(const Study& study) {
  return static_cast<std::int64_t>(make_strategy(study)->expected().value_or(0));
}

}  // namespace

StudyLine::StudyLine(const Study& study, const Tally& done, bool wanted)
    : progress_(study.title(), static_cast<std::int64_t>(done.done), total_of(study), wanted,
                "cases"),
      words_(study) {
  set(words_, done);
}

void StudyLine::update(const CampaignProgress& progress) {
  if (!progress_.is_due()) return;
  set(words_, progress.tally);
  progress_.set_total(static_cast<std::int64_t>(progress.expected.value_or(progress.known)));
  // How many there are stands before it.
  const std::string words = words_.words();
  const std::size_t comma = words.find(", ");
  progress_.set_note(comma == std::string::npos ? "" : words.substr(comma + 2));
  progress_.update(static_cast<std::int64_t>(progress.tally.done));
}

std::string words_of(const Study& study, const Tally& tally) {
  StudyProgress progress(study);
  set(progress, tally);
  return progress.words();
}

}  // namespace vinci
