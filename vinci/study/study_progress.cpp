// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "vinci/base/words.h"
#include "vinci/study/draws.h"
#include "vinci/study/study_report.h"

namespace vinci {

StudyProgress::StudyProgress(const Study& study)
    : study_(study), drawn_(draws_of(study).overall), rejects_designs_(may_reject_designs(study)) {}

void StudyProgress::add(const CaseResult& result) {
  verdicts_.add(result.verdict);
  ++statuses_[static_cast<std::size_t>(result.status)];
}

void StudyProgress::set(const VerdictCounts& verdicts,
                        const std::array<std::uint64_t, case_status_count>& statuses) {
  verdicts_ = verdicts;
  statuses_ = statuses;
}

std::optional<Probability> StudyProgress::probability() const {
  if (!study_.has_success() || !drawn_) return std::nullopt;
  if (rejects_designs_ && verdicts_.successes == 0) return std::nullopt;
  return probability_of(study_, verdicts_);
}

std::string StudyProgress::words() const {
  std::string text = plural(static_cast<std::int64_t>(cases()), "case");
  if (!study_.has_success()) return text;
  const std::uint64_t known = verdicts_.successes + verdicts_.failures;
  if (const auto it = probability(); it && known > 0)
    text += fmt::format(", success {:.4g} ({:.4g} to {:.4g})", it->value, it->lower, it->upper);
  else if (known > 0)
    text += fmt::format(", {} succeed", verdicts_.successes);
  if (verdicts_.unknown > 0) text += fmt::format(", {} unknown", verdicts_.unknown);
  return text;
}

}  // namespace vinci
