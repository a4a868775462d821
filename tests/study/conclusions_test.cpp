// SPDX-License-Identifier: Apache-2.0
// What searches, indices and small probabilities say where cases have no number, and of the best of
// several.
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "study_scenes.h"
#include "vinci/sampling/random.h"

namespace vinci {
namespace {

using Judge = std::function<void(const StudyCase&, CaseResult&)>;

StudyReport concluded(const std::string& text, const Judge& judge) {
  const test::Folder folder;
  folder.write("scene.yaml", test::projectile);
  const Study study = Study::parse("scene: scene.yaml\n" + text, folder.path());
  StoredResults results;
  const auto strategy = make_strategy(study);
  while (const auto round = strategy->next(results))
    for (std::uint64_t k = round->first; k < round->first + round->size; ++k) {
      const StudyCase item = round->at(k);
      CaseResult result;
      result.number = k;
      result.measures.assign(study.measures().size(), std::nan(""));
      result.levels.push_back({});
      judge(item, result);
      results.add(std::move(result));
    }
  return make_report(study, results);
}

// All designs are alike: the first one found is the luckiest, and its interval holds all the same.
TEST(Search, tells_intervals_that_hold_of_the_luckiest_of_those_confirmed) {
  const CounterRandom random(8, "luck");
  int covered = 0, by_mean = 0;
  const int studies = 400;
  for (int study = 0; study < studies; ++study) {
    const auto draw = [&](const StudyCase& item, CaseResult& result) {
      const double u = random.uniform(static_cast<std::uint64_t>(study), item.number);
      result.verdict = u < 0.5 ? Verdict::success : Verdict::failure;
      result.measures[0] = u;
    };
    const std::string start =
        "design: {vx: {from: 1, to: 2}}\nuncertain: {vy: {uniform: [0, 1]}}\n"
        "measures: {z: {end: ball.x}}\nsuccess: z > 0\nsearch: {evaluations: 12, samples: 2, "
        "confirm: 50, best: 8, ";
    const FoundDesign best = concluded(start + "maximise: probability}\n", draw).found.at(0);
    covered += best.probability.lower <= 0.5 && 0.5 <= best.probability.upper;
    const FoundDesign mean = concluded(start + "maximise: mean, of: z}\n", draw).found.at(0);
    EXPECT_TRUE(mean.confirmed);
    by_mean += mean.objective_lower <= 0.5 && 0.5 <= mean.objective_upper;
  }
  EXPECT_GE(covered, 0.95 * studies - 3.0 * std::sqrt(0.05 * 0.95 * studies));
  EXPECT_GE(by_mean, 0.95 * studies - 3.0 * std::sqrt(0.05 * 0.95 * studies));
}

// The mean over the cases that have a number would be best where most have none.
TEST(Search, asks_for_a_number_of_every_case) {
  const auto gaps = [](const StudyCase& item, CaseResult& result) {
    const double b = item.values[0], a = item.values[1];
    result.measures[0] = a < 1.0 - b ? 5.0 - b : std::nan("");
    if (b < 0.5) result.measures[0] = 5.0 - b;
  };
  const std::string start =
      "design: {vx: {from: 0, to: 1}}\nuncertain: {vy: {uniform: [0, 1]}}\n"
      "measures: {z: {end: ball.x}}\nsearch: {minimise: mean, of: z, samples: 20, ";
  const StudyReport report = concluded(start + "evaluations: 60, confirm: 200, best: 2}\n", gaps);
  ASSERT_FALSE(report.found.empty());
  EXPECT_LT(report.found[0].values[0], 0.5);
  EXPECT_EQ(report.found[0].numbers, 200u);
  EXPECT_GT(report.without_value, 0u);
  EXPECT_NE(report_words(report).find("without value"), std::string::npos);

  const StudyReport none =
      concluded(start + "evaluations: 20}\n",
                [](const StudyCase&, CaseResult& result) { result.status = CaseStatus::failed; });
  EXPECT_TRUE(none.found.empty());
  EXPECT_EQ(none.without_value, 20u);
}

TEST(Search, gives_no_interval_of_designs_that_are_not_confirmed) {
  const StudyReport report = concluded(
      "design: {vx: {from: 0, to: 1}}\nuncertain: {vy: {uniform: [0, 1]}}\nsuccess: vx > 0\n"
      "search: {maximise: probability, samples: 20, evaluations: 20}\n",
      [](const StudyCase& item, CaseResult& result) {
        result.verdict = item.values[1] < item.values[0] ? Verdict::success : Verdict::failure;
      });
  ASSERT_FALSE(report.found.empty());
  EXPECT_TRUE(std::isnan(report.found[0].probability.upper));
  EXPECT_EQ(report_words(report).find("nan"), std::string::npos);
  EXPECT_NE(report_json(report).find("\"lower\":null"), std::string::npos);
}

// Fifty cases of a design that a level judges by the design alone are one answer.
TEST(Search, gives_no_interval_of_one_answer) {
  const auto judge = [](const StudyCase& item, CaseResult& result) {
    result.verdict = item.values[0] > 0.5 ? Verdict::success : Verdict::failure;
    result.levels[0].verdict = result.verdict;
    result.measures.assign(result.measures.size(), item.values[0]);
  };
  const std::string uncertain = "uncertain: {vy: {uniform: [0, 1]}}\n";
  const std::string start = "design: {vx: {from: 0, to: 1}}\nmeasures: {z: {end: ball.x}}\n";
  const std::string end =
      "success: vx > 0.5\nsearch: {samples: 5, evaluations: 20, confirm: 50, best: 2, ";
  const std::string levels = "levels: [{name: alone, per: design}]\n";
  for (const char* const goal : {"maximise: probability}\n", "maximise: mean, of: z}\n"})
    for (const std::string& what : {uncertain + levels, std::string()}) {
      const StudyReport report = concluded(start + what + end + goal, judge);
      ASSERT_EQ(report.found.size(), 2u);
      EXPECT_TRUE(report.found[0].confirmed);
      EXPECT_TRUE(std::isnan(report.found[0].probability.upper)) << what;
      EXPECT_TRUE(std::isnan(report.found[0].objective_lower)) << what;
      EXPECT_EQ(report_words(report).find("nan"), std::string::npos);
    }
  const StudyReport drawn = concluded(start + uncertain + end + "maximise: probability}\n", judge);
  EXPECT_FALSE(std::isnan(drawn.found[0].probability.upper));
}

// A level that confirms and does not reject leaves those open that it does not confirm: they are
// not like the ones that it does.
TEST(Levels, that_leave_cases_open_leave_their_interval_open) {
  const auto judge = [](const StudyCase& item, CaseResult& result) {
    result.verdict = item.values[0] > 0.4 ? Verdict::success : Verdict::unknown;
  };
  const std::string start = "uncertain: {vy: {uniform: [0, 1]}}\nsuccess: vy > 0.4\n";
  const std::string end = "sample: {count: 400}\n";
  const StudyReport report =
      concluded(start + "levels: [{name: a, rejects: false}]\n" + end, judge);
  ASSERT_TRUE(report.probability);
  EXPECT_LT(report.probability->lower, 0.6);
  EXPECT_GT(report.probability->lower, 0.5);
  EXPECT_EQ(report.probability->upper, 1.0);
  EXPECT_EQ(report.probability->lower, report.probability->least);
  // Of trouble it is told as if the others were like those that are known, beside the bounds.
  const StudyReport trouble = concluded(start + end, judge);
  EXPECT_GT(trouble.probability->lower, 0.9);
  EXPECT_LT(trouble.probability->least, 0.6);
}

const char* const indices =
    "uncertain: {vx: {uniform: [0, 1]}, vy: {uniform: [-1, 1]}}\nmeasures: {z: {end: ball.x}}\n"
    "success: z > 0\nsensitivity: {of: [z], count: 200}\n";

TEST(Sensitivity, is_withheld_where_many_cases_have_no_number_and_says_so) {
  const StudyReport report = concluded(indices, [](const StudyCase& item, CaseResult& result) {
    if (item.values[1] > 0.0) result.measures[0] = item.values[0] + item.values[1];
  });
  ASSERT_EQ(report.sensitivity.size(), 2u);
  EXPECT_TRUE(std::isnan(report.sensitivity[0].first));
  EXPECT_GT(report.sensitivity[0].dropped, 100u);
  EXPECT_NE(report.sensitivity[0].reason.find("rows have a case without a number"),
            std::string::npos);
  const StudyReport none = concluded(
      indices, [](const StudyCase&, CaseResult& result) { result.status = CaseStatus::failed; });
  EXPECT_EQ(none.sensitivity.at(0).dropped, 200u);
  EXPECT_EQ(report_words(none).find("nan"), std::string::npos);
  const StudyReport same =
      concluded(indices, [](const StudyCase&, CaseResult& result) { result.measures[0] = 3.0; });
  EXPECT_EQ(same.sensitivity.at(0).reason, "the numbers are all equal");
}

TEST(Sensitivity, counts_a_few_rows_that_it_left_out) {
  const StudyReport report = concluded(indices, [](const StudyCase& item, CaseResult& result) {
    result.measures[0] = item.number % 200 == 7 ? std::nan("") : item.values[0] + item.values[1];
  });
  EXPECT_EQ(report.sensitivity.at(0).dropped, 4u);
  EXPECT_EQ(report.sensitivity.at(0).rows, 196u);
  EXPECT_NEAR(report.sensitivity.at(0).first, 0.2, 0.1);
  EXPECT_NE(report_words(report).find("z: without 4 of 200 rows"), std::string::npos);
}

TEST(Sensitivity, says_where_events_are_too_few) {
  const StudyReport report = concluded(indices, [](const StudyCase& item, CaseResult& result) {
    result.measures[0] = item.values[0] + item.values[1] > 1.8 ? 1.0 : 0.0;
  });
  EXPECT_NE(report.sensitivity.at(0).reason.find("too few events"), std::string::npos);
  EXPECT_NE(report_words(report).find("too few events"), std::string::npos);
}

const char* const limits =
    "uncertain: {vx: {normal: {mean: 0, deviation: 1}}, vy: {normal: {mean: 0, deviation: 1}}}\n"
    "measures: {z: {end: ball.x}}\nrare: {of: z, count: 1000, method: ";

TEST(Rare, warns_of_regions_that_one_component_missed) {
  const auto two = [](const StudyCase& item, CaseResult& result) {
    result.measures[0] = 4.0 - std::abs(item.values[0]);
  };
  const double truth = 6.334248e-5;  // beyond 4 deviations on both sides
  const StudyReport one = concluded(std::string(limits) + "importance}\n", two);
  EXPECT_TRUE(one.rare->is_partial);
  EXPECT_FALSE(one.rare->converged);
  EXPECT_GT(one.rare->upper, truth);
  EXPECT_NE(report_words(one).find("method: subset"), std::string::npos);
  const StudyReport both = concluded(std::string(limits) + "importance, components: 2}\n", two);
  EXPECT_FALSE(both.rare->is_partial);
  EXPECT_TRUE(both.rare->converged);
  EXPECT_NEAR(both.rare->probability, truth, 0.2 * truth);
}

TEST(Rare, counts_cases_without_a_number) {
  const StudyReport report =
      concluded(std::string(limits) + "subset}\n", [](const StudyCase& item, CaseResult& result) {
        result.measures[0] = 3.5 - item.values[0];
        if (item.number % 10 == 3) result.status = CaseStatus::failed;
      });
  EXPECT_GT(report.rare->unknown, 100u);
  EXPECT_GT(report.rare->upper, 0.1);
  EXPECT_NE(report_words(report).find("whatever they were"), std::string::npos);
}

}  // namespace
}  // namespace vinci
