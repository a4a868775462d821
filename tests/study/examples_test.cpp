// SPDX-License-Identifier: Apache-2.0
// The studies that are shipped, and the page about them.
#include <gtest/gtest.h>

#include "study_scenes.h"

namespace vinci {
namespace {

std::filesystem::path example(const char* name) {
  return std::filesystem::path(VINCI_SOURCE_DIR) / "examples/studies" / name;
}

TEST(ExampleStudy, rejects_by_the_coarse_level_and_confirms_by_the_fine_one) {
  const Study study = Study::load(example("stopping_block.yaml"));
  const StudyReport report = make_report(study, test::run_all(study));
  EXPECT_TRUE(report.complete);
  ASSERT_EQ(report.designs.size(), 3u);
  EXPECT_EQ(report.verdicts.unknown, 0u);
  // v² / (2 mu g) < 0.5 m: mu above 0.2294, 0.4077 and 0.6371 of a normal number around 0.45.
  EXPECT_GT(report.designs[0].probability->value, 0.98);
  EXPECT_NEAR(report.designs[1].probability->value, 0.70, 0.03);
  EXPECT_NEAR(report.designs[2].probability->value, 0.01, 0.02);
  ASSERT_EQ(report.levels.size(), 2u);
  EXPECT_EQ(report.levels[0].verdicts.cases(), 300u);
  EXPECT_EQ(report.levels[1].verdicts.cases(), report.levels[0].verdicts.successes);
  EXPECT_GT(report.levels[0].verdicts.failures, 100u);
}

TEST(ExampleStudy, finds_the_speed_with_fewer_runs) {
  const Study study = Study::load(example("stopping_map.yaml"));
  const StudyReport report = make_report(study, test::run_all(study));
  ASSERT_TRUE(report.map);
  EXPECT_EQ(report.map->full_runs, 3200u);
  EXPECT_LT(report.map->runs, 1600u);
  for (const DesignSummary& cell : report.designs) {
    // mu = v² / (2 g 0.5) is exceeded in 90 of 100 cases at 1.845 m/s.
    const double speed = cell.values[0];
    if (speed < 1.75) {
      EXPECT_GT(cell.probability->value, 0.9) << speed;
    }
    if (speed > 1.95) {
      EXPECT_LT(cell.probability->value, 0.9) << speed;
    }
  }
}

}  // namespace
}  // namespace vinci
