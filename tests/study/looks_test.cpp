// SPDX-License-Identifier: Apache-2.0
// What intervals promise although runs end by what they have shown: thousands of designs of one
// probability each, run by the strategy and judged by the report.
#include <cmath>

#include <gtest/gtest.h>

#include "study_scenes.h"
#include "vinci/sampling/random.h"

namespace vinci {
namespace {

constexpr int designs = 2000;

struct Kept {
  double covered = 0.0, above = 0.0, below = 0.0;  // shares of designs
  double cases = 0.0;                              // of a design
};

// How often the intervals of designs hold p, lie above it and below it.
Kept kept_by(const std::string& which, double p, double threshold = 0.0) {
  const test::Folder folder;
  folder.write("scene.yaml", test::projectile);
  const Study study =
      Study::parse("scene: scene.yaml\ndesign: {vx: {from: 1, to: 2" +
                       std::string(which.starts_with("map") ? "" : ", grid: 2000") +
                       "}}\nuncertain: {vy: {uniform: [0, 1]}}\nsuccess: vx > 0\n" + which,
                   folder.path());
  const CounterRandom random(5, "looks");
  StoredResults results;
  const auto strategy = make_strategy(study);
  while (const auto round = strategy->next(results))
    for (std::uint64_t k = round->first; k < round->first + round->size; ++k) {
      CaseResult result;
      result.number = k;
      result.levels.push_back({});
      result.verdict = random.uniform(k, 0) < p ? Verdict::success : Verdict::failure;
      results.add(std::move(result));
    }
  const StudyReport report = make_report(study, results);
  EXPECT_EQ(report.designs.size(), static_cast<std::size_t>(designs));
  Kept kept;
  for (const DesignSummary& it : report.designs) {
    const double share = 1.0 / designs;
    kept.covered += it.probability->lower <= p && p <= it.probability->upper ? share : 0.0;
    kept.above += it.probability->lower > threshold ? share : 0.0;
    kept.below += it.probability->upper < threshold ? share : 0.0;
    kept.cases += share * static_cast<double>(it.verdicts.cases());
  }
  return kept;
}

constexpr double chance = 3.0 * 0.0049;  // three deviations of a share of 0.95 of 2000

TEST(Looks, of_adaptive_maps_leave_their_intervals_right_at_the_threshold_and_beside_it) {
  for (const double p : {0.899, 0.9, 0.901}) {
    const Kept kept = kept_by(
        "map: {over: [vx], cells: [2000], adaptive: {first: 10, most: 160, threshold: 0.9}}\n", p,
        0.9);
    EXPECT_GE(kept.covered, 0.95 - chance) << p;
    EXPECT_LE(p <= 0.9 ? kept.above : 0.0, 0.025 + chance) << p;
    EXPECT_LE(p >= 0.9 ? kept.below : 0.0, 0.025 + chance) << p;
  }
  const Kept long_one = kept_by(
      "map: {over: [vx], cells: [2000], adaptive: {first: 10, most: 320, threshold: 0.95, width: "
      "0.05}}\n",
      0.949, 0.95);
  EXPECT_GE(long_one.covered, 0.95 - chance);
  EXPECT_LE(long_one.above, 0.025 + chance);
}

TEST(Looks, of_stops_leave_their_intervals_right) {
  const std::pair<const char*, double> rules[] = {
      {"{successes: 3, every: 10}", 0.05},
      {"{successes: 1, every: 1}", 0.05},
      {"{failures: 5, every: 1}", 0.5},
      {"{failures: 2, every: 7}", 0.93},
      {"{successes: 1, failures: 1, every: 1}", 0.5},
      {"{successes: 5, failures: 5, every: 1}", 0.2},
      {"{width: 0.3, every: 5}", 0.93},
      {"{width: 0.4, successes: 2, every: 5}", 0.3},
  };
  for (const auto& [stop, p] : rules) {
    const Kept kept = kept_by("sample: {count: 100}\nstop: " + std::string(stop) + "\n", p);
    EXPECT_GE(kept.covered, 0.95 - chance) << stop << " " << p;
  }
}

// Runs end by a measure's own numbers: intervals for a number of cases that was given would miss
// its mean and its median more often than they say.
TEST(Looks, of_stops_leave_intervals_of_measures_right) {
  const test::Folder folder;
  folder.write("scene.yaml", test::projectile);
  const std::string stops[] = {"{width: 0.45, every: 5}", "{successes: 1, failures: 1, every: 5}"};
  for (const std::string& stop : stops) {
    const CounterRandom random(11, "measures");
    const Study study = Study::parse(
        "scene: scene.yaml\nuncertain: {vy: {uniform: [0, 1]}}\nmeasures: {z: {end: ball.x}}\n"
        "success: z > 0.5\nsample: {count: 100}\nstop: " +
            stop + "\n",
        folder.path());
    int means = 0, medians = 0;
    const int studies = 1000;
    for (std::uint64_t seed = 0; seed < studies; ++seed) {
      StoredResults results;
      const auto strategy = make_strategy(study);
      while (const auto round = strategy->next(results))
        for (std::uint64_t k = round->first; k < round->first + round->size; ++k) {
          CaseResult result;
          result.number = k;
          result.levels.push_back({});
          const double u = random.uniform(seed, k);
          result.measures = {u};
          result.verdict = u > 0.5 ? Verdict::success : Verdict::failure;
          results.add(std::move(result));
        }
      const MeasureSummary it = make_report(study, results).measures.at(0);
      means += it.mean_lower <= 0.5 && 0.5 <= it.mean_upper;
      for (const MeasureQuantile& quantile : it.quantiles)
        if (quantile.share == 0.5) medians += quantile.lower <= 0.5 && 0.5 <= quantile.upper;
    }
    const double least = (0.95 - 3.0 * 0.0069) * studies;
    EXPECT_GE(means, least) << stop;
    EXPECT_GE(medians, least) << stop;
  }
}

TEST(Looks, cost_runs_but_save_most_of_them) {
  const Kept kept = kept_by(
      "map: {over: [vx], cells: [2000], adaptive: {first: 20, most: 320, threshold: 0.5}}\n", 0.9,
      0.5);
  EXPECT_LT(kept.cases, 30.0);
  EXPECT_GT(kept.above, 0.99);
}

}  // namespace
}  // namespace vinci
