// SPDX-License-Identifier: Apache-2.0
// Where a study tells estimates, and where it tells what holds instead.
#include "vinci/study/draws.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include "study_scenes.h"
#include "vinci/sampling/design_points.h"
#include "vinci/sampling/interval.h"

namespace vinci {
namespace {

using test::Folder;

Study drawn_study(const Folder& folder, const std::string& text) {
  folder.write("scene.yaml", test::projectile);
  return Study::parse("scene: scene.yaml\nmeasures: {z: {end: ball.x}}\n" + text, folder.path());
}

// z is a function of the values; a case succeeds where it is positive.
StoredResults answers_by(const Study& study,
                         const std::function<double(const std::vector<double>&)>& z) {
  StoredResults results;
  const auto strategy = make_strategy(study);
  while (const auto round = strategy->next(results))
    for (std::uint64_t k = round->first; k < round->first + round->size; ++k) {
      CaseResult result;
      result.number = k;
      result.measures = {z(round->at(k).values)};
      result.verdict = result.measures[0] > 0.0 ? Verdict::success : Verdict::failure;
      result.levels = {{0, CaseStatus::good, result.verdict, 30}};
      results.add(std::move(result));
    }
  return results;
}

nlohmann::json json_of(const StudyReport& report) {
  return nlohmann::json::parse(report_json(report));
}

// 0.95 of `seeds`, less four deviations.
int least_covered(int seeds) {
  return static_cast<int>(0.95 * seeds - 4.0 * std::sqrt(0.95 * 0.05 * seeds));
}

TEST(Draws, of_one_design_cover_the_probability_the_mean_and_the_median) {
  const Folder folder;
  int probability = 0, mean = 0, median = 0;
  constexpr int seeds = 300;
  for (int seed = 0; seed < seeds; ++seed) {
    const Study study = drawn_study(folder,
                                    "success: z > 0\nuncertain: {vx: {uniform: [-1, 1]}}\n"
                                    "sample: {count: 50}\nseed: " +
                                        std::to_string(seed));
    const StudyReport report =
        make_report(study, answers_by(study, [](const auto& values) { return values[0]; }));
    ASSERT_TRUE(report.probability && report.measures[0].drawn && report.withheld.empty());
    const MeasureSummary& z = report.measures[0];
    const auto holds = [](double low, double high, double x) { return low <= x && x <= high; };
    probability += holds(report.probability->lower, report.probability->upper, 0.5);
    mean += holds(z.mean_lower, z.mean_upper, 0.0);
    median += holds(z.quantiles[3].lower, z.quantiles[3].upper, 0.0);
  }
  // Wilson's interval of 50 trials at one half covers 0.935.
  EXPECT_GE(probability, least_covered(seeds) - 5);
  EXPECT_GE(mean, least_covered(seeds));
  EXPECT_GE(median, least_covered(seeds));
}

TEST(Draws, that_designs_share_are_told_design_by_design) {
  const Folder folder;
  int covered = 0, mean = 0;
  constexpr int seeds = 200;
  for (int seed = 0; seed < seeds; ++seed) {
    // Twenty designs that do nothing: pooled as 1000 draws, a third of the intervals held one half.
    const Study study =
        drawn_study(folder,
                    "success: z > 0\nuncertain: {vx: {uniform: [-1, 1]}}\n"
                    "design: {vy: {from: 0, to: 1, grid: 20}}\nsample: {count: 50}\nseed: " +
                        std::to_string(seed));
    const StudyReport report =
        make_report(study, answers_by(study, [](const auto& values) { return values[1]; }));
    EXPECT_FALSE(report.probability);
    EXPECT_FALSE(report.measures[0].drawn);
    EXPECT_TRUE(report.convergence.empty());
    ASSERT_EQ(report.designs.size(), 20u);
    const Probability it = report.designs[7].probability.value();
    covered += it.lower <= 0.5 && 0.5 <= it.upper;
    const DesignMeasure& z = report.designs[7].measures.at(0);
    ASSERT_TRUE(z.drawn);
    mean += z.mean_lower <= 0.0 && 0.0 <= z.mean_upper;
  }
  EXPECT_GE(covered, least_covered(seeds) - 5);
  EXPECT_GE(mean, least_covered(seeds));
}

class NotDrawn : public testing::TestWithParam<const char*> {};

TEST_P(NotDrawn, has_counts_and_no_estimate_over_all_cases) {
  const Folder folder;
  const Study study = drawn_study(folder, GetParam());
  const StoredResults results =
      answers_by(study, [](const auto& values) { return values.at(0) - 0.4; });
  const StudyReport report = make_report(study, results);
  StudyProgress progress(study);
  results.read(0, results.size(), [&](const CaseResult& result) { progress.add(result); });
  ASSERT_GT(report.cases, 0u);
  EXPECT_FALSE(report.probability);
  EXPECT_FALSE(progress.probability());
  EXPECT_FALSE(report.withheld.empty());
  EXPECT_EQ(progress.words().find('('), std::string::npos) << progress.words();
  EXPECT_NE(progress.words().find("succeed"), std::string::npos) << progress.words();
  const nlohmann::json json = json_of(report);
  EXPECT_TRUE(json["probability"].is_null());
  EXPECT_EQ(json["withheld"], report.withheld);
  EXPECT_TRUE(json["measures"][0]["mean"].is_null());
  EXPECT_TRUE(json["measures"][0]["quantiles"].empty());
  EXPECT_EQ(json["measures"][0]["count"], report.cases);
  const std::string words = report_words(report);
  EXPECT_NE(words.find("none over all cases: " + report.withheld), std::string::npos) << words;
  EXPECT_EQ(words.find("mean"), std::string::npos) << words;
}

INSTANTIATE_TEST_SUITE_P(
    Study, NotDrawn,
    testing::Values(
        "success: z > 0\nuncertain: {vx: {grid: {from: 0, to: 1, count: 11}}}\n"
        "sample: {method: grid}",
        "success: z > 0\ndesign: {vx: [1]}\nsample: {count: 100}",
        "success: z > 0\ndesign: {vx: {from: 0, to: 1, grid: 100}}\nsample: {}",
        "success: z > 0\nuncertain: {vy: {uniform: [0, 1]}}\ndesign: {vx: [0, 1]}\n"
        "sample: {count: 400}\nstop: {failures: 5}",
        "success: z > 0\nuncertain: {vy: {uniform: [0, 1]}}\ndesign: {vx: {from: 0, to: 1}}\n"
        "map: {over: [vx], cells: [20], adaptive: {first: 10, most: 40, width: 0.3}}",
        "success: z > 0\nuncertain: {vx: {normal: {mean: 2, deviation: 1}}}\n"
        "rare: {of: z, method: importance, count: 200}",
        "success: z > 0\nuncertain: {vx: {normal: {mean: 2, deviation: 1}}}\n"
        "rare: {of: z, method: subset, count: 200}",
        "success: z > 0\nuncertain: {vy: {uniform: [0, 1]}}\ndesign: {vx: {from: 0, to: 1}}\n"
        "search: {maximise: mean, of: z, evaluations: 30, samples: 2}",
        "success: z > 0\nuncertain: {vx: {uniform: [0, 1]}, vy: {uniform: [0, 1]}}\n"
        "sensitivity: {of: [z], count: 20}"));

TEST(Draws, of_very_long_sobol_samples_have_the_quantiles_of_all) {
  // Every second point of the sequence lies in one half of the cube.
  class Sobol : public ResultSource {
   public:
    std::uint64_t size() const override { return (std::uint64_t{1} << 20) + 1; }
    void read(std::uint64_t first, std::uint64_t count,
              const std::function<void(const CaseResult&)>& visit) const override {
      const DesignPoints points = DesignPoints::sobol(1, 1);
      CaseResult result;
      result.measures.resize(1);
      for (std::uint64_t k = first; k < first + count; ++k) {
        result.number = k;
        points.point(k, result.measures);
        visit(result);
      }
    }
  };
  const Folder folder;
  const Study study = drawn_study(folder,
                                  "uncertain: {vx: {uniform: [0, 1]}}\n"
                                  "sample: {count: 1048577, method: sobol}");
  const StudyReport report = make_report(study, Sobol());
  const MeasureSummary& z = report.measures.at(0);
  EXPECT_EQ(z.count, 1048577u);
  EXPECT_GT(z.quantiles_of, 400'000u);
  EXPECT_LT(z.quantiles_of, z.count);
  for (const MeasureQuantile& it : z.quantiles) {
    EXPECT_LE(it.lower, it.share);
    EXPECT_GE(it.upper, it.share);
    EXPECT_NEAR(it.value, it.share, 0.004);
  }
  EXPECT_EQ(json_of(report)["measures"][0]["quantiles_of"], z.quantiles_of);
  EXPECT_NE(report_words(report).find("of them, drawn"), std::string::npos);
}

TEST(Draws, on_a_ladder_are_measured_level_by_level) {
  const Folder folder;
  const Study study = drawn_study(folder, R"(
success: z > 0
uncertain: {vx: {uniform: [0, 1]}}
levels: [{name: coarse, run: {step: 20 ms}}, {name: fine}]
sample: {count: 400}
)");
  // The coarse model is 10 too low, rejects a half, and half of the rest fails by the fine one.
  StoredResults results;
  RunningMean fine;
  const StudyCases cases(study, results);
  for (std::uint64_t k = 0; k < 400; ++k) {
    const double v = cases.at(k).values[0];
    CaseResult result;
    result.number = k;
    const Verdict coarse = v < 0.5 ? Verdict::failure : Verdict::success;
    result.levels = {{0, CaseStatus::good, coarse, 10}};
    result.verdict = coarse;
    result.measures = {v - 10.0};
    if (coarse == Verdict::success) {
      result.verdict = v < 0.75 ? Verdict::failure : Verdict::success;
      result.levels.push_back({1, CaseStatus::good, result.verdict, 100});
      result.level = 1;
      result.measures = {v};
      fine.add(v);
    }
    results.add(std::move(result));
  }
  const StudyReport report = make_report(study, results);
  ASSERT_EQ(report.measures.size(), 2u);
  EXPECT_EQ(report.measures[0].level, "coarse");
  EXPECT_LT(report.measures[0].greatest, -9.0);
  EXPECT_EQ(report.measures[1].level, "fine");
  EXPECT_EQ(report.measures[1].count, fine.count());
  EXPECT_NEAR(report.measures[1].mean, fine.mean(), 1e-12);
  EXPECT_NEAR(report.measures[1].mean_lower, fine.interval(0.95).low, 1e-12);
  ASSERT_EQ(report.levels_apart.size(), 1u);
  EXPECT_EQ(report.levels_apart[0].cases, fine.count());
  EXPECT_EQ(report.levels_apart[0].first_only, fine.count() - report.verdicts.successes);
  EXPECT_EQ(report.levels_apart[0].second_only, 0u);
  const std::string words = report_words(report);
  EXPECT_NE(words.find("levels coarse and fine contradict each other"), std::string::npos) << words;
  EXPECT_NE(words.find("by level fine"), std::string::npos) << words;
  const nlohmann::json json = json_of(report);
  EXPECT_EQ(json["measures"][1]["level"], "fine");
  EXPECT_EQ(json["levels_apart"][0]["levels"][0], "coarse");
  EXPECT_TRUE(json["probability"].is_object());
}

TEST(Draws, are_no_fifty_failures_where_one_answer_is_repeated) {
  const Folder folder;
  folder.write("scene.yaml", test::sliding_block);
  const std::string start = R"(
scene: scene.yaml
run: {step: 10 ms}
design: {speed: [0.5, 2]}
uncertain: {mu: {uniform: [0.2, 0.9]}}
measures: {way: {end: block.x}}
success: way < 0.1
)";
  const Study alone = Study::parse(
      start + "levels: [{name: rough, per: design}]\nsample: {count: 50}\n", folder.path());
  const StudyReport one = make_report(alone, test::run_all(alone));
  EXPECT_EQ(one.verdicts.failures, 50u);
  EXPECT_EQ(one.levels[0].verdicts.cases(), 2u);
  EXPECT_EQ(one.levels[0].steps, 120u);
  EXPECT_EQ(one.measures[0].count, 2u);
  EXPECT_FALSE(one.designs[0].probability || one.designs[1].probability);
  EXPECT_NE(report_words(one).find("speed=0.5  50 of 50 cases"), std::string::npos)
      << report_words(one);

  const Study ladder = Study::parse(
      start + "levels: [{name: rough, per: design}, {name: fine}]\nsample: {count: 50}\n",
      folder.path());
  const StudyReport both = make_report(ladder, test::run_all(ladder));
  EXPECT_TRUE(both.designs[0].probability);   // of 50 draws of the fine level
  EXPECT_FALSE(both.designs[1].probability);  // rejected by one answer
  EXPECT_TRUE(json_of(both)["designs"][1]["probability"].is_null());
  EXPECT_EQ(both.best.at(0), 0u);
  EXPECT_EQ(both.levels[0].verdicts.cases(), 2u);
  EXPECT_EQ(both.levels[1].verdicts.cases(), 50u);
}

TEST(Draws, of_one_design_that_one_answer_rejects_have_no_interval) {
  const Folder folder;
  folder.write("scene.yaml", test::sliding_block);
  const Study study = Study::parse(R"(
scene: scene.yaml
run: {step: 10 ms}
set: {speed: 2}
uncertain: {mu: {uniform: [0.2, 0.9]}}
measures: {way: {end: block.x}}
success: way < 0.1
levels: [{name: rough, per: design}, {name: fine}]
sample: {count: 50}
)",
                                   folder.path());
  const StoredResults results = test::run_all(study);
  const StudyReport report = make_report(study, results);
  EXPECT_EQ(report.verdicts.failures, 50u);
  EXPECT_FALSE(report.probability);
  EXPECT_NE(report.withheld.find("one answer"), std::string::npos);
  StudyProgress progress(study);
  results.read(0, 50, [&](const CaseResult& result) { progress.add(result); });
  EXPECT_FALSE(progress.probability());
}

TEST(StudyReport, finds_the_best_of_very_many_designs) {
  const Folder folder;
  const Study study = drawn_study(folder,
                                  "success: z > 0\nsample: {count: 1}\n"
                                  "design: {vx: {from: 0, to: 1, grid: 30000}}");
  const StudyReport report =
      make_report(study, answers_by(study, [](const auto& values) { return values[0] - 0.9; }));
  EXPECT_EQ(report.design_count, 30'000u);
  EXPECT_EQ(report.designs.size(), 20'000u);
  ASSERT_EQ(report.best.size(), 10u);
  std::uint64_t successes = 0;
  for (const DesignSummary& it : report.designs) {
    successes += it.verdicts.successes;
    if (it.design == report.best[0]) {
      EXPECT_GT(it.values.at(0), 0.9);
    }
  }
  EXPECT_EQ(successes, report.verdicts.successes);  // all that succeed are among those listed
  EXPECT_GT(successes, 2900u);
  const std::string words = report_words(report);
  EXPECT_NE(words.find("best of 30000 designs"), std::string::npos) << words;
  EXPECT_NE(words.find("1 of 1 case"), std::string::npos) << words;
  EXPECT_EQ(json_of(report)["design_count"], 30'000);
}

TEST(StudyReport, tells_of_cases_that_wait_for_their_round) {
  class Waiting : public StoredResults {
   public:
    std::uint64_t waiting() const override { return 7; }
  };
  const Folder folder;
  const Study study =
      drawn_study(folder, "uncertain: {vx: {uniform: [0, 1]}}\nsample: {count: 100}");
  const StudyReport report = make_report(study, Waiting());
  EXPECT_NE(report_words(report).find("7 cases of a round"), std::string::npos)
      << report_words(report);
  EXPECT_EQ(json_of(report)["waiting"], 7);
}

TEST(Study, of_geometric_levels_alone_has_verdicts_without_success) {
  const Folder folder;
  const std::string levels =
      "levels: [{name: way, model: geometric, body: ball, goal: {x: [-9, 9]}, effort: 10}]\n"
      "sample: {count: 4}\nuncertain: {vx: {uniform: [0, 1]}}\n";
  const Study study = drawn_study(folder, levels);
  EXPECT_TRUE(study.has_success());
  EXPECT_TRUE(study.success().empty());
  const StudyReport report = make_report(study, test::run_all(study));
  EXPECT_EQ(report.verdicts.successes, 4u);
  EXPECT_EQ(report.probability.value().value, 1.0);
  try {
    static_cast<void>(drawn_study(folder, levels + "success: z > 0\n"));
    FAIL() << "it was accepted";
  } catch (const SceneError& error) {
    EXPECT_NE(std::string(error.what()).find("no level is one"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace vinci
