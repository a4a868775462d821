// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "study_scenes.h"
#include "vinci/base/math.h"
#include "vinci/sampling/special_functions.h"

namespace vinci {
namespace {

using test::Folder;

Study study_of(const Folder& folder, const std::string& text) {
  folder.write("scene.yaml", test::projectile);
  return Study::parse("scene: scene.yaml\n" + text, folder.path());
}

// Answers of cases by a function of their values, without simulation.
using Answer = std::function<void(const StudyCase&, CaseResult&)>;

StoredResults answer_all(const Study& study, const Answer& answer) {
  StoredResults results;
  const auto strategy = make_strategy(study);
  while (const auto round = strategy->next(results))
    for (std::uint64_t k = round->first; k < round->first + round->size; ++k) {
      const StudyCase item = round->at(k);
      CaseResult result;
      result.number = k;
      result.measures.assign(study.measures().size(), std::nan(""));
      result.levels.push_back({});
      answer(item, result);
      results.add(std::move(result));
    }
  return results;
}

// Success where a number that depends on the place alone is below p: the same in every run.
void toss(CaseResult& result, double p) {
  const double u = std::fmod(static_cast<double>(result.number) * 0.6180339887498949, 1.0);
  result.verdict = u < p ? Verdict::success : Verdict::failure;
}

TEST(Sample, RunsEveryDesignWithTheSameDraws) {
  const Folder folder;
  const Study study = study_of(folder, R"(
design: {vx: [1, 2, 3], mass: {from: 1, to: 2, grid: 2}}
uncertain: {vy: {normal: {mean: 2, deviation: 0.5}}}
sample: {count: 5, method: sobol}
)");
  const StoredResults none;
  const StudyCases cases(study, none);
  ASSERT_EQ(cases.size(), 30u);
  for (std::uint64_t k = 0; k < 30; ++k) {
    const StudyCase item = cases.at(k);
    EXPECT_EQ(item.design, k / 5);
    EXPECT_EQ(item.sample, k % 5);
    EXPECT_EQ(item.values[0], 1.0 + static_cast<double>(k / 10));
    EXPECT_EQ(item.values[1], k / 5 % 2 == 0 ? 1.0 : 2.0);
    EXPECT_EQ(item.values[2], cases.at(k % 5).values[2]);
  }
  EXPECT_THROW(cases.at(30), Error);
}

TEST(Sample, DrawsDesignsFromRangesAndListsAndDrawsOfTheirOwn) {
  const Folder folder;
  const Study study = study_of(folder, R"(
design: {vx: {from: 1, to: 3}, mass: [1, 2]}
uncertain: {vy: {uniform: [0, 1]}}
sample: {count: 2, designs: 16, method: latin-hypercube, common: false}
)");
  const StoredResults none;
  const StudyCases cases(study, none);
  ASSERT_EQ(cases.size(), 32u);
  std::set<int> slices, draws;
  for (std::uint64_t k = 0; k < 32; ++k) {
    const std::vector<double> values = cases.at(k).values;
    slices.insert(static_cast<int>((values[0] - 1.0) * 8.0));
    draws.insert(static_cast<int>(values[2] * 32.0));
    EXPECT_TRUE(values[1] == 1.0 || values[1] == 2.0);
  }
  EXPECT_EQ(slices.size(), 16u);
  EXPECT_EQ(draws.size(), 32u);
}

TEST(Sample, GoesThroughGridsOnce) {
  const Folder folder;
  const Study study = study_of(folder, R"(
uncertain: {vx: {grid: [1, 2, 3]}, vy: {grid: {from: 0, to: 1, count: 3}}}
sample: {method: grid}
)");
  const StoredResults none;
  const StudyCases cases(study, none);
  ASSERT_EQ(cases.size(), 9u);
  EXPECT_EQ(cases.at(5).values, (std::vector<double>{2.0, 1.0}));
  EXPECT_EQ(cases.at(7).values, (std::vector<double>{3.0, 0.5}));
}

TEST(Sample, CorrelatesWhatIsAskedFor) {
  const Folder folder;
  const Study study = study_of(folder, R"(
uncertain: {vx: {normal: {mean: 0, deviation: 1}}, vy: {normal: {mean: 0, deviation: 2}}}
correlations: [{of: [vx, vy], value: 0.8}]
sample: {count: 4000}
)");
  const StoredResults none;
  const StudyCases cases(study, none);
  double sum = 0.0;
  for (std::uint64_t k = 0; k < 4000; ++k) {
    const StudyCase item = cases.at(k);
    sum += item.values[0] * item.values[1] / 2.0;
  }
  EXPECT_NEAR(sum / 4000.0, 0.8, 0.06);
}

TEST(Sample, StopsBetweenRoundsOfOneSize) {
  const Folder folder;
  const Study study = study_of(folder, R"(
uncertain: {vx: {uniform: [0, 1]}}
success: vx > 0
stop: {width: 0.1, every: 50}
sample: {count: 10000}
)");
  const StoredResults results =
      answer_all(study, [](const StudyCase&, CaseResult& result) { toss(result, 0.5); });
  EXPECT_EQ(results.size() % 50, 0u);
  const StudyReport report = make_report(study, results);
  EXPECT_TRUE(report.complete);
  EXPECT_LE(report.probability.upper - report.probability.lower, 0.1);
  EXPECT_NEAR(static_cast<double>(results.size()), 0.25 * std::pow(2 * 1.96 / 0.1, 2), 60.0);
}

TEST(Strategy, GoesOnFromAnyNumberOfResults) {
  const Folder folder;
  const Study study = study_of(folder, R"(
design: {vx: {from: 0, to: 1}}
uncertain: {vy: {uniform: [0, 1]}}
success: vx > 0
map: {over: [vx], cells: [30], adaptive: {first: 10, most: 160, width: 0.2, threshold: 0.5}}
)");
  const Answer answer = [](const StudyCase& item, CaseResult& result) {
    toss(result, item.values[0]);
  };
  const StoredResults all = answer_all(study, answer);
  // As after an interruption: a new strategy meets results of all rounds, and of a part of them.
  const StudyCases again(study, all);
  EXPECT_TRUE(again.complete());
  EXPECT_EQ(again.size(), all.size());
  StoredResults part;
  all.read(0, 450, [&](const CaseResult& result) { part.add(result); });
  const StudyCases some(study, part);
  EXPECT_FALSE(some.complete());
  ASSERT_GT(some.size(), 450u);
  for (std::uint64_t k = 0; k < some.size(); ++k) EXPECT_EQ(some.at(k).values, again.at(k).values);
}

TEST(Map, PutsRunsWhereTheBoundaryPasses) {
  const Folder folder;
  const std::string start = R"(
design: {vx: {from: 0, to: 1}, vy: {from: 0, to: 1}}
uncertain: {mass: {uniform: [0.5, 1]}}
success: vx > 0
map: {over: [vx, vy], cells: [20, 20], )";
  const Answer answer = [](const StudyCase& item, CaseResult& result) {
    const double inside = 0.7 - std::hypot(item.values[0], item.values[1]);
    toss(result, normal_cdf(inside / 0.05));
  };
  const Study full = study_of(folder, start + "count: 160}\n");
  const Study adaptive =
      study_of(folder, start + "adaptive: {first: 20, most: 160, threshold: 0.8, width: 0.02}}\n");
  const StudyReport all = make_report(full, answer_all(full, answer));
  const StudyReport few = make_report(adaptive, answer_all(adaptive, answer));
  ASSERT_TRUE(few.map);
  EXPECT_EQ(all.map->runs, 64'000u);
  EXPECT_EQ(few.map->full_runs, 64'000u);
  EXPECT_LT(few.map->runs, 30'000u);
  ASSERT_EQ(few.designs.size(), 400u);
  int wrong = 0;
  for (const DesignSummary& cell : few.designs) {
    const double truth = normal_cdf((0.7 - std::hypot(cell.values[0], cell.values[1])) / 0.05);
    if (std::abs(truth - 0.8) > 0.15 && (cell.probability.value > 0.8) != (truth > 0.8)) ++wrong;
    // Cells at the threshold have all runs, those far from it the first ones.
    if (std::abs(truth - 0.8) < 0.005) {
      EXPECT_EQ(cell.verdicts.cases(), 160u);
    }
    if (truth < 0.01) {
      EXPECT_EQ(cell.verdicts.cases(), 20u);
    }
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(few.designs[1].values[0], 0.075);  // the first parameter runs fastest
}

TEST(Sensitivity, FindsTheSharesOfALinearMeasure) {
  const Folder folder;
  const Study study = study_of(folder, R"(
uncertain: {vx: {uniform: [0, 1]}, vy: {uniform: [0, 2]}, mass: {uniform: [1, 2]}}
measures: {way: {end: ball.x}}
sensitivity: {method: sobol, of: [way], count: 2000}
)");
  const StoredResults results = answer_all(study, [](const StudyCase& item, CaseResult& result) {
    result.measures[0] = item.values[0] + item.values[1];
  });
  EXPECT_EQ(results.size(), 10'000u);
  const StudyReport report = make_report(study, results);
  ASSERT_EQ(report.sensitivity.size(), 3u);
  const double shares[] = {0.2, 0.8, 0.0};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(report.sensitivity[i].first, shares[i], 0.03);
    EXPECT_NEAR(report.sensitivity[i].total, shares[i], 0.03);
    EXPECT_EQ(report.sensitivity[i].measure, "way");
  }
}

TEST(Sensitivity, TellsEffectsByMorris) {
  const Folder folder;
  const Study study = study_of(folder, R"(
uncertain: {vx: {uniform: [0, 1]}, vy: {uniform: [0, 2]}, mass: {uniform: [1, 2]}}
measures: {way: {end: ball.x}}
sensitivity: {method: morris, of: [way], count: 20}
)");
  const StoredResults results = answer_all(study, [](const StudyCase& item, CaseResult& result) {
    result.measures[0] = item.values[0] - 3.0 * item.values[1];
  });
  const StudyReport report = make_report(study, results);
  ASSERT_EQ(report.sensitivity.size(), 3u);
  EXPECT_NEAR(report.sensitivity[0].first, 1.0, 1e-9);
  EXPECT_NEAR(report.sensitivity[1].first, 6.0, 1e-9);
  EXPECT_NEAR(report.sensitivity[2].first, 0.0, 1e-9);
}

TEST(Rare, EstimatesAProbabilityThatIsKnown) {
  const Folder folder;
  for (const char* method : {"subset", "importance"}) {
    const Study study = study_of(folder, std::string(R"(
uncertain: {vx: {normal: {mean: 0, deviation: 1}}, vy: {normal: {mean: 3, deviation: 2}}}
measures: {margin: {end: ball.x}}
rare: {of: margin, count: 2000, rounds: 12, method: )") +
                                             method + "}\n");
    // Failure beyond 4.265 deviations: 1e-5.
    const StoredResults results = answer_all(study, [](const StudyCase& item, CaseResult& result) {
      const double distance = (item.values[0] + 0.5 * (item.values[1] - 3.0)) / std::sqrt(2.0);
      result.measures[0] = 4.2648907939 - distance;
    });
    const StudyReport report = make_report(study, results);
    ASSERT_TRUE(report.rare) << method;
    EXPECT_TRUE(report.rare->converged) << method;
    EXPECT_TRUE(report.complete) << method;
    EXPECT_LT(results.size(), 40'000u);
    EXPECT_GT(report.rare->probability, 0.5e-5) << method;
    EXPECT_LT(report.rare->probability, 2e-5) << method;
  }
}

}  // namespace
}  // namespace vinci
