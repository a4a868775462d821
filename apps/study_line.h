// SPDX-License-Identifier: Apache-2.0
// The progress line of a study: cases done, rate, time left, and what they show so far.
#pragma once

#include <string>

#include "apps/progress.h"
#include "vinci/campaign/campaign.h"
#include "vinci/study/study_report.h"

namespace vinci {

class StudyLine {
 public:
  StudyLine(const Study& study, const Tally& done, bool wanted);
  void update(const CampaignProgress& progress);

 private:
  Progress progress_;
  StudyProgress words_;
};

// What a tally shows, in words.
std::string words_of(const Study& study, const Tally& tally);

}  // namespace vinci
