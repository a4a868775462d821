// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include "study_scenes.h"

namespace vinci {
namespace {

using test::Folder;

TEST(StudyReport, gives_the_probability_that_is_known_of_a_sliding_block) {
  const Folder folder;
  folder.write("scene.yaml", test::sliding_block);
  // It stops after v²/(2 mu g) - v h/2 in steps h by the velocity at their end: within 0.1 m where
  // mu is above 0.4997, as 0.572 of [0.2, 0.9] are.
  const Study study = Study::parse(R"(
scene: scene.yaml
run: {step: 4 ms}
uncertain: {mu: {uniform: [0.2, 0.9]}}
measures: {way: {end: block.x}}
success: way < 0.1
sample: {count: 400, method: latin-hypercube}
)",
                                   folder.path());
  const StoredResults results = test::run_all(study);
  const StudyReport report = make_report(study, results);
  const double truth = (0.9 - 1.0 / (2.0 * (0.1 + 0.002) * 9.81)) / 0.7;
  EXPECT_EQ(report.cases, 400u);
  EXPECT_NEAR(report.probability->value, truth, 0.003);
  EXPECT_LT(report.probability->lower, truth);
  EXPECT_GT(report.probability->upper, truth);
  EXPECT_EQ(report.statuses[0], 400u);

  // Against direct counts.
  std::vector<double> ways;
  std::uint64_t successes = 0;
  results.read(0, 400, [&](const CaseResult& result) {
    ways.push_back(result.measures[0]);
    successes += result.verdict == Verdict::success;
    EXPECT_EQ(result.verdict == Verdict::success, result.measures[0] < 0.1);
  });
  EXPECT_EQ(report.verdicts.successes, successes);
  std::sort(ways.begin(), ways.end());
  ASSERT_EQ(report.measures.size(), 1u);
  EXPECT_EQ(report.measures[0].least, ways.front());
  EXPECT_EQ(report.measures[0].greatest, ways.back());
  for (const MeasureQuantile& quantile : report.measures[0].quantiles)
    if (quantile.share == 0.5) {
      EXPECT_EQ(quantile.value, ways[199]);
    }
  ASSERT_FALSE(report.convergence.empty());
  EXPECT_EQ(report.convergence.back().cases, 400u);
  EXPECT_EQ(report.levels[0].verdicts.cases(), 400u);
  EXPECT_NE(report_words(report).find("400 cases"), std::string::npos);
}

TEST(StudyReport, keeps_unknown_cases_apart) {
  const Folder folder;
  folder.write("scene.yaml", test::projectile);
  const Study study = Study::parse(R"(
scene: scene.yaml
design: {vx: [1, 2]}
uncertain: {vy: {uniform: [0, 1]}}
measures: {way: {end: ball.x}}
success: way > 0
sample: {count: 100}
)",
                                   folder.path(), "s.yaml");
  StoredResults results;
  StudyProgress progress(study);
  for (std::uint64_t k = 0; k < 150; ++k) {
    CaseResult result;
    result.number = k;
    result.measures = {static_cast<double>(k)};
    result.verdict = k % 10 == 0 ? Verdict::unknown : k < 100 ? Verdict::success : Verdict::failure;
    if (k % 10 == 0) {
      result.status = CaseStatus::diverged;
      result.measures = {std::nan("")};
      result.message = "no longer finite: ball";
    }
    result.levels = {{0, result.status, result.verdict, 30}};
    progress.add(result);
    results.add(std::move(result));
  }
  const auto times = [](std::uint64_t) { return std::vector<double>{0.5}; };
  const StudyReport report = make_report(study, results, times);
  EXPECT_FALSE(report.complete);
  EXPECT_EQ(report.verdicts.unknown, 15u);
  // Of two designs there are two probabilities, and none of both.
  EXPECT_FALSE(report.probability);
  EXPECT_FALSE(progress.probability());
  const Probability second = report.designs[1].probability.value();
  EXPECT_EQ(second.value, 0.0);
  EXPECT_LE(second.least, second.lower);
  EXPECT_GT(second.most, second.upper);
  EXPECT_NE(progress.words().find("15 unknown"), std::string::npos) << progress.words();
  ASSERT_EQ(report.designs.size(), 2u);
  EXPECT_EQ(report.designs[0].verdicts.successes, 90u);
  EXPECT_EQ(report.designs[1].verdicts.failures, 45u);
  EXPECT_DOUBLE_EQ(report.designs[0].measures.at(0).mean, 50.0);
  EXPECT_EQ(report.measures[0].count, 135u);
  EXPECT_EQ(report.levels[0].steps, 4500u);
  EXPECT_DOUBLE_EQ(report.levels[0].cpu_seconds, 75.0);
  ASSERT_EQ(report.troubled.size(), 15u);
  EXPECT_EQ(report.troubled[1].number, 10u);

  const auto json = nlohmann::json::parse(report_json(report));
  EXPECT_EQ(json["cases"], 150);
  EXPECT_EQ(json["statuses"]["diverged"], 15);
  EXPECT_EQ(json["designs"][1]["values"]["vx"], 2.0);
  EXPECT_EQ(json["verdicts"]["unknown"], 15);
}

TEST(StudyTable, has_the_shortest_numbers_and_nothing_for_none) {
  const Folder folder;
  folder.write("scene.yaml", test::projectile);
  const Study study = Study::parse(R"(
scene: scene.yaml
designs: [{vx: 0.1}]
uncertain: {vy: {discrete: {values: [0.30000000000000004]}}}
measures: {way: {end: ball.x}, never: {first_time: ball.x > 10}}
success: way > 0
sample: {count: 1}
)",
                                   folder.path());
  StoredResults results;
  CaseResult result;
  result.verdict = Verdict::success;
  result.measures = {1e-300, std::nan("")};
  result.message = "a \"word\", and more";
  results.add(result);
  EXPECT_EQ(test::table_of(study, results),
            "number,design,sample,vx,vy,status,verdict,level,way,never,message\n"
            "0,0,0,0.1,0.30000000000000004,good,success,simulation,1e-300,,"
            "\"a \"\"word\"\", and more\"\n");
}

}  // namespace
}  // namespace vinci
