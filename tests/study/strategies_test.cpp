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

TEST(Sample, runs_every_design_with_the_same_draws) {
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

TEST(Sample, draws_designs_from_ranges_and_lists_and_draws_of_their_own) {
  const Folder folder;
  const Study study = study_of(folder, R"(
design: {vx: {from: 1, to: 3}, mass: [1, 2]}
uncertain: {vy: {uniform: [0, 1]}}
sample: {count: 2, designs: 16, method: latin-hypercube, common: false}
)");
  const StoredResults none;
  const StudyCases cases(study, none);
  ASSERT_EQ(cases.size(), 32u);
  std::set<int> slices;
  std::set<double> draws;
  for (std::uint64_t k = 0; k < 32; ++k) {
    const std::vector<double> values = cases.at(k).values;
    slices.insert(static_cast<int>((values[0] - 1.0) * 8.0));
    draws.insert(values[2]);
    // Each design meets both halves.
    EXPECT_NE(values[2] < 0.5, cases.at(k ^ 1).values[2] < 0.5);
    EXPECT_TRUE(values[1] == 1.0 || values[1] == 2.0);
  }
  EXPECT_EQ(slices.size(), 16u);
  EXPECT_EQ(draws.size(), 32u);
}

TEST(Sample, goes_through_grids_once) {
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

TEST(Sample, correlates_what_is_asked_for) {
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

TEST(Sample, stops_between_rounds_of_one_size) {
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
  EXPECT_LE(report.probability->upper - report.probability->lower, 0.1);
  // Looked at up to 200 times: each interval has the level 1 - 0.05/200.
  EXPECT_EQ(report.looks, 200u);
  const double width = -normal_quantile(0.5 * 0.05 / 200.0);
  EXPECT_NEAR(static_cast<double>(results.size()), 0.25 * std::pow(2 * width / 0.1, 2), 60.0);
}

TEST(Strategy, goes_on_from_any_number_of_results) {
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

TEST(Map, puts_runs_where_the_boundary_passes) {
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
    if (std::abs(truth - 0.8) > 0.15 && (cell.probability->value > 0.8) != (truth > 0.8)) ++wrong;
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

TEST(Sensitivity, finds_the_shares_of_a_linear_measure) {
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

TEST(Sensitivity, tells_effects_by_morris) {
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

TEST(Rare, estimates_a_probability_that_is_known) {
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
    EXPECT_LT(report.rare->lower, 1e-5) << method;
    EXPECT_GT(report.rare->upper, 1e-5) << method;
    EXPECT_LT(report.rare->upper, 20.0 * report.rare->lower) << method;
  }
}

TEST(Search, finds_the_design_that_succeeds_most_often) {
  const Folder folder;
  const Study study = study_of(folder, R"(
design: {vx: {from: -2, to: 6}, mass: {from: 0, to: 1}}
uncertain: {vy: {normal: {mean: 0, deviation: 1}}}
success: vx > 0
search: {maximise: probability, evaluations: 300, samples: 40, confirm: 2000, best: 3}
)");
  const StoredResults results = answer_all(study, [](const StudyCase& item, CaseResult& result) {
    const double x = item.values[0] - 3.0, y = item.values[1] - 0.25;
    result.verdict =
        std::abs(item.values[2]) < 1.5 - x * x - 4.0 * y * y ? Verdict::success : Verdict::failure;
  });
  EXPECT_EQ(results.size(), 300u * 40u + 3u * 2000u);
  const StudyReport report = make_report(study, results);
  EXPECT_TRUE(report.complete);
  ASSERT_EQ(report.found.size(), 3u);
  const FoundDesign& best = report.found[0];
  EXPECT_TRUE(best.confirmed);
  EXPECT_NEAR(best.values[0], 3.0, 0.4);
  EXPECT_NEAR(best.values[1], 0.25, 0.2);
  EXPECT_EQ(best.verdicts.cases(), 2000u);
  EXPECT_NEAR(best.probability.value, 0.866, 0.04);
  EXPECT_LE(report.found[1].objective, best.objective);
}

TEST(Search, minimises_the_worst_of_a_measure) {
  const Folder folder;
  for (const char* method : {"cma-es", "sbplx", "direct-l"}) {
    const Study study = study_of(folder, std::string(R"(
design: {vx: {from: -2, to: 6}}
uncertain: {vy: {uniform: [0, 1]}}
measures: {way: {end: ball.x}}
search: {minimise: worst, of: way, evaluations: 60, samples: 4, method: )") +
                                             method + "}\n");
    const StoredResults results = answer_all(study, [](const StudyCase& item, CaseResult& result) {
      result.measures[0] = std::abs(item.values[0] - 1.0) + item.values[1];
    });
    const StudyReport report = make_report(study, results);
    ASSERT_FALSE(report.found.empty()) << method;
    EXPECT_NEAR(report.found[0].values[0], 1.0, 0.2) << method;
    EXPECT_LT(report.found[0].objective, 1.2) << method;
    EXPECT_FALSE(report.found[0].confirmed);
  }
}

}  // namespace
}  // namespace vinci
