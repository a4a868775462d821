// SPDX-License-Identifier: Apache-2.0
// A study whose results are made up.
#pragma once

#include <fstream>
#include <limits>

#include <gtest/gtest.h>

#include "vinci/campaign/campaign.h"
#include "vinci/viewing/study_watch.h"
#include "vinci/viewing/temporary_folder.h"

namespace vinci {

struct ExampleStudy {
  TemporaryFolder folder;
  Study study;

  explicit ExampleStudy(int count, const std::string& title = "a study")
      : study(Study::parse("title: " + title + R"(
scene: block.yaml
design: {speed: [1, 2]}
uncertain: {mu: {uniform: [0.2, 0.8]}}
measures: {way: {end: block.x}, high: {end: block.y}}
success: way > 0
sample: {count: )" + std::to_string(count) +
                               "}\n",
                           scene_in(folder.path()))) {}

  static const std::filesystem::path& scene_in(const std::filesystem::path& folder) {
    std::ofstream(folder / "block.yaml") << "world: planar\nparameters: {mu: 0.5, speed: 1}\n"
                                            "bodies: {block: {mass: 1, inertia: 1, velocity: "
                                            "[speed, mu]}}\n";
    return folder;
  }
  StudyFolder run() const { return {folder.path() / "run"}; }
  Ledger writer() const {
    std::filesystem::create_directories(run().path);
    return Ledger::to_write(run().ledger(), {.hash = study.hash(), .title = study.title()});
  }
  StudyWatch watch() const { return {study, run(), {"repeat ", "", " --record"}}; }

  // Every third fails, every fifth is never known and has no second measure.
  static CaseAnswer answer_of(std::uint64_t number) {
    CaseAnswer answer;
    answer.result.number = number;
    answer.result.verdict = number % 5 == 0   ? Verdict::unknown
                            : number % 3 == 0 ? Verdict::failure
                                              : Verdict::success;
    answer.result.status = number % 5 == 0 ? CaseStatus::diverged : CaseStatus::good;
    answer.result.measures = {
        0.5 * static_cast<double>(number),
        number % 5 == 0 ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(number)};
    answer.result.levels = {{0, answer.result.status, answer.result.verdict, 10 + number}};
    answer.cpu_seconds = {0.25};
    return answer;
  }
  static std::vector<CaseAnswer> answers(std::uint64_t first, std::uint64_t end) {
    std::vector<CaseAnswer> all;
    for (std::uint64_t number = first; number < end; ++number) all.push_back(answer_of(number));
    return all;
  }
  // All cases of all rounds that the strategy asks for.
  void complete(Ledger& ledger) const {
    const auto strategy = make_strategy(study);
    std::uint64_t rounds = 0;
    while (const auto round = next_round(*strategy, ledger, rounds))
      for (const NumberRange& gap : ledger.done().missing({round->first, round->size}))
        ledger.add(answers(gap.first, gap.end()));
    ledger.set_complete();
  }
};

}  // namespace vinci
