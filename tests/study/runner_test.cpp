// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "study_scenes.h"
#include "vinci/recording/recording.h"

namespace vinci {
namespace {

using test::Folder;

Study study_of(const Folder& folder, const char* scene, const std::string& text) {
  folder.write("scene.yaml", scene);
  return Study::parse("scene: scene.yaml\n" + text, folder.path());
}

CaseResult run_one(const Study& study, std::vector<double> values) {
  return CaseRunner(study).run({0, 0, 0, std::move(values)}).result;
}

TEST(CaseRunner, measures_a_run_as_its_closed_form_says) {
  const Folder folder;
  const Study study = study_of(folder, test::projectile, R"(
uncertain: {vx: {uniform: [0, 3]}}
measures:
  x_end: {end: ball.x}
  top: {greatest: ball.y}
  bottom: {least: ball.y}
  mean_x: {mean: ball.x}
  area: {integral: ball.x}
  middle: {at: 0.155, of: ball.x}
  late: {at: 1 s, of: ball.x}
  high: {first_time: ball.y > 0.1 and t > 0.02}
  never: {first_time: ball.y > 10}
  when: {time_of: greatest of ball.y}
  when_low: {time_of: {least: ball.y}}
  sum: {end: ball.x + vx}
success: x_end > 0.5
sample: {count: 1}
)");
  const CaseResult result = run_one(study, {2.0});
  ASSERT_EQ(result.status, CaseStatus::good) << result.message;
  EXPECT_EQ(result.verdict, Verdict::success);
  const std::vector<double>& m = result.measures;
  EXPECT_NEAR(m[0], 0.6, 1e-12);
  EXPECT_NEAR(m[1], 2.0 * 2.0 / (2.0 * 9.81), 0.02);
  EXPECT_EQ(m[2], 0.0);
  EXPECT_NEAR(m[3], 0.3, 1e-12);
  EXPECT_NEAR(m[4], 0.09, 1e-12);
  EXPECT_NEAR(m[5], 0.31, 1e-12);
  EXPECT_TRUE(std::isnan(m[6]));
  EXPECT_NEAR(m[7], 0.06, 0.011);
  EXPECT_TRUE(std::isnan(m[8]));
  EXPECT_NEAR(m[9], 2.0 / 9.81, 0.011);
  EXPECT_EQ(m[10], 0.0);
  EXPECT_NEAR(m[11], 2.6, 1e-12);
}

TEST(CaseRunner, counts_contacts_and_their_forces) {
  const Folder folder;
  const Study study = study_of(folder, test::sliding_block, R"(
uncertain: {mu: {uniform: [0.1, 0.9]}}
measures:
  way: {end: block.x}
  touches: {onsets: [block, floor]}
  peak: {peak_force: [floor, block]}
sample: {count: 1}
)");
  const CaseResult result = run_one(study, {0.5});
  ASSERT_EQ(result.status, CaseStatus::good) << result.message;
  EXPECT_EQ(result.verdict, Verdict::unknown);  // no `success`
  EXPECT_NEAR(result.measures[0], 1.0 / (2.0 * 0.5 * 9.81), 1e-3);
  EXPECT_EQ(result.measures[1], 1.0);
  EXPECT_NEAR(result.measures[2], 0.2 * 0.1 * 700.0 * 9.81, 1e-6);
}

TEST(CaseRunner, gives_the_same_bytes_in_any_order_by_any_runner) {
  const Folder folder;
  const Study study = study_of(folder, test::sliding_block, R"(
uncertain: {mu: {uniform: [0.2, 0.9]}, speed: {normal: {mean: 1, deviation: 0.1, from: 0.5}}}
measures: {way: {end: block.x}, hard: {peak_force: [block, floor]}}
success: way < 0.12
sample: {count: 24}
)");
  const StoredResults none;
  const StudyCases cases(study, none);
  ASSERT_EQ(cases.size(), 24u);
  std::vector<std::uint64_t> order(24);
  std::iota(order.begin(), order.end(), 0u);
  std::shuffle(order.begin(), order.end(), std::mt19937(1));
  std::vector<CaseResult> mixed(24);
  CaseRunner one(study);
  for (const std::uint64_t k : order) mixed[k] = one.run(cases.at(k)).result;
  StoredResults in_order, fresh;
  for (std::uint64_t k = 0; k < 24; ++k) {
    in_order.add(mixed[k]);
    fresh.add(CaseRunner(study).run(cases.at(k)).result);
  }
  const std::string table = test::table_of(study, in_order);
  EXPECT_EQ(table, test::table_of(study, fresh));
  EXPECT_EQ(table, test::table_of(study, test::run_all(study)));
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 25);
}

TEST(CaseRunner, makes_results_of_runs_that_go_wrong) {
  const Folder folder;
  const Study study = study_of(folder, test::projectile, R"(
uncertain: {mass: {uniform: [-1, 1]}, vx: {uniform: [0, 1]}}
limits: {steps: 20}
measures: {x: {end: ball.x}}
success: x > 0.1
sample: {count: 1}
)");
  const CaseResult impossible = run_one(study, {-0.5, 1.0});
  EXPECT_EQ(impossible.status, CaseStatus::failed);
  EXPECT_EQ(impossible.verdict, Verdict::unknown);
  EXPECT_TRUE(std::isnan(impossible.measures[0]));
  EXPECT_NE(impossible.message.find("not positive"), std::string::npos) << impossible.message;
  EXPECT_EQ(impossible.message.find(folder.path().string()), std::string::npos);
  const CaseResult long_one = run_one(study, {0.5, 1.0});
  EXPECT_EQ(long_one.status, CaseStatus::timed_out);
  EXPECT_EQ(long_one.verdict, Verdict::unknown);
  EXPECT_EQ(long_one.levels[0].steps, 20u);
  const CaseResult lost = lost_case(study, 7, CaseStatus::crashed, "killed");
  EXPECT_EQ(lost.number, 7u);
  EXPECT_EQ(lost.measures.size(), 1u);
}

// Levels that tell their verdict by the parameter that they look at.
constexpr const char* ladder = R"(
design: {vx: [0.5, 1.5]}
uncertain: {vy: {uniform: [0, 4]}}
measures: {x: {end: ball.x}, y: {end: ball.y}, steps: {end: t}}
)";

TEST(CaseRunner, rejects_by_the_first_level_that_may) {
  const Folder folder;
  const Study study = study_of(folder, test::projectile, std::string(ladder) + R"(
success: x > 0.3 and y > 0
levels:
  - {name: coarse, run: {step: 50 ms}, rejects: true, confirms: false}
  - {name: fine, run: {step: 1 ms}, confirms: true}
sample: {count: 1}
)");
  const CaseResult bad = run_one(study, {0.5, 3.0});
  EXPECT_EQ(bad.verdict, Verdict::failure);
  EXPECT_EQ(bad.level, 0u);
  ASSERT_EQ(bad.levels.size(), 1u);
  EXPECT_EQ(bad.levels[0].steps, 6u);
  const CaseResult good = run_one(study, {1.5, 3.0});
  EXPECT_EQ(good.verdict, Verdict::success);
  EXPECT_EQ(good.level, 1u);
  ASSERT_EQ(good.levels.size(), 2u);
  EXPECT_EQ(good.levels[1].steps, 300u);
}

TEST(CaseRunner, succeeds_where_all_levels_that_confirm_say_so) {
  const Folder folder;
  const auto verdict = [&](const char* first, const char* second) {
    const Study study = study_of(folder, test::projectile, std::string(ladder) + R"(
success: steps < 0.2
levels:
  - {name: short, run: {duration: 0.1 s}, )" + first + R"(}
  - {name: long, run: {duration: 0.3 s}, )" + second + R"(}
sample: {count: 1}
)");
    return run_one(study, {1.0, 1.0}).verdict;
  };
  EXPECT_EQ(verdict("confirms: true", "confirms: false, rejects: true"), Verdict::failure);
  EXPECT_EQ(verdict("confirms: true", "confirms: false, rejects: false"), Verdict::success);
  EXPECT_EQ(verdict("confirms: false", "confirms: true, rejects: false"), Verdict::unknown);
  EXPECT_EQ(verdict("confirms: true", "confirms: true"), Verdict::failure);
}

TEST(CaseRunner, runs_levels_of_the_design_alone_once_a_design) {
  const Folder folder;
  const Study study = study_of(folder, test::projectile, std::string(ladder) + R"(
success: y > 0
levels:
  - {name: design, per: design, rejects: false, confirms: false}
  - {name: case, confirms: true}
sample: {count: 8}
)");
  // The scene's own vy = 2 throws the ball above 0; the case's does not.
  const CaseResult result = run_one(study, {0.5, 0.5});
  EXPECT_EQ(result.levels[0].verdict, Verdict::success);
  EXPECT_EQ(result.levels[1].verdict, Verdict::failure);
  CaseRunner runner(study);
  const CaseResult first = runner.run({0, 1, 0, {1.5, 0.5}}).result;
  const CaseResult second = runner.run({1, 1, 1, {1.5, 3.5}}).result;
  EXPECT_EQ(first.levels[0], second.levels[0]);
  EXPECT_EQ(second.verdict, Verdict::success);
}

TEST(CaseRunner, ends_a_case_where_its_condition_holds) {
  const Folder folder;
  const Study study = study_of(folder, test::projectile, R"(
uncertain: {vx: {uniform: [0, 3]}}
limits: {steps: 20}
measures: {x: {end: ball.x}, time: {end: t}}
until: ball.x > 0.195 or vx < 0.1
success: x < 0.205
sample: {count: 1}
)");
  const CaseResult result = run_one(study, {2.0});
  EXPECT_EQ(result.status, CaseStatus::good) << result.message;
  EXPECT_EQ(result.verdict, Verdict::success);
  EXPECT_NEAR(result.measures[0], 0.2, 1e-12);
  EXPECT_NEAR(result.measures[1], 0.1, 1e-12);
  EXPECT_EQ(result.levels[0].steps, 10u);
  EXPECT_EQ(run_one(study, {0.05}).levels[0].steps, 0u);  // it holds from the beginning
  EXPECT_EQ(run_one(study, {0.5}).status, CaseStatus::timed_out);
  const CaseResult last = run_one(study, {0.98});  // in the last step that the limit leaves
  EXPECT_EQ(last.status, CaseStatus::good);
  EXPECT_EQ(last.levels[0].steps, 20u);
}

TEST(CaseRunner, sets_parameters_of_a_level) {
  const Folder folder;
  const Study study = study_of(folder, test::projectile, std::string(ladder) + R"(
success: y > 0
levels:
  - {name: thrown low, per: design, set: {vy: 0.5}, rejects: false, confirms: false}
  - {name: thrown high, per: design, set: {vy: 3}, rejects: false, confirms: false}
  - {name: heavy, set: {vy: 3, mass: 5}, rejects: false, confirms: false}
  - {name: case, confirms: true}
sample: {count: 1}
)");
  const CaseResult result = run_one(study, {0.5, 0.5});
  ASSERT_EQ(result.levels.size(), 4u);
  EXPECT_EQ(result.levels[0].verdict, Verdict::failure);
  EXPECT_EQ(result.levels[1].verdict, Verdict::success);
  EXPECT_EQ(result.levels[2].verdict, Verdict::success);
  EXPECT_EQ(result.levels[3].verdict, Verdict::failure);
}

// x = vx t at the end: of the case's own duration, whatever ran before.
TEST(CaseRunner, runs_as_parameters_of_the_case_say) {
  const Folder folder;
  const Study study = study_of(folder, R"(
world: planar
parameters: {vx: 1, long: 0.3, h: 1 ms}
bodies: {ball: {shapes: [{circle: 0.01}], mass: 1, velocity: [vx, 0]}}
run: {step: h, duration: long}
)",
                               R"(
uncertain: {long: {uniform: [0.1, 0.9]}, h: {discrete: {values: [0.01, 0.02]}}}
measures: {x: {end: ball.x}}
success: x > 0
sample: {count: 1}
)");
  CaseRunner runner(study);
  for (const auto& [duration, step] : {std::pair(0.4, 0.01), {0.8, 0.02}, {0.2, 0.01}}) {
    const CaseResult result = runner.run({0, 0, 0, {duration, step}}).result;
    ASSERT_EQ(result.status, CaseStatus::good) << result.message;
    EXPECT_NEAR(result.measures[0], duration, 1e-12);
    EXPECT_EQ(result.levels[0].steps, static_cast<std::uint64_t>(std::lround(duration / step)));
  }
  const CaseResult bad = runner.run({0, 0, 0, {-0.4, 0.01}}).result;
  EXPECT_EQ(bad.status, CaseStatus::failed);
  EXPECT_NE(bad.message.find("run.duration"), std::string::npos) << bad.message;
}

TEST(CaseRunner, asks_the_geometric_model_first) {
  const Folder folder;
  const Study study = study_of(folder, R"(
world: planar
parameters: {gap: 0.3, push: 0.2}
bodies:
  left: {freedom: fixed, shapes: [{box: [1, 0.2]}], position: [-0.5 - gap/2, 0]}
  right: {freedom: fixed, shapes: [{box: [1, 0.2]}], position: [0.5 + gap/2, 0]}
  ball: {mass: 1, shapes: [{circle: 0.1}], position: [0, 0.5]}
run: {step: 5 ms, duration: 0.6 s}
)",
                               R"(
design: {gap: {from: 0.1, to: 0.4, grid: 4}}
measures: {y: {end: ball.y}}
success: y < -gap
levels:
  - {name: geometric, model: geometric, body: ball, goal: {y: {to: -0.3}}, bounds: {x: [-0.5, 0.5], y: [-0.6, 0.8]}, per: design, not-found: failure, effort: 300}
  - {name: dynamic}
sample: {}
)");
  const CaseResult narrow = run_one(study, {0.1});
  EXPECT_EQ(narrow.verdict, Verdict::failure) << narrow.message;
  EXPECT_EQ(narrow.level, 0u);
  EXPECT_TRUE(std::isnan(narrow.measures[0]));
  const CaseResult wide = run_one(study, {0.4});
  EXPECT_EQ(wide.verdict, Verdict::success) << wide.message;
  ASSERT_EQ(wide.levels.size(), 2u);
  EXPECT_LT(wide.measures[0], -0.4);
}

TEST(CaseRunner, tells_runs_that_end_before_their_time) {
  const Folder folder;
  const Study study = study_of(folder, test::sliding_block, R"(
run: {motion: quasi-static}
uncertain: {mu: {uniform: [0.1, 0.9]}}
measures: {end: {end: t}, turned: {first_time: block.angle > 20 deg}}
success: end < 0.5
sample: {count: 1}
)");
  const CaseResult held = run_one(study, {0.5});
  EXPECT_EQ(held.status, CaseStatus::good) << held.message;
  EXPECT_EQ(held.verdict, Verdict::failure);
  const Study flying = study_of(folder, test::projectile, R"(
run: {motion: quasi-static}
measures: {end: {end: t}}
success: end < 0.2
sample: {count: 1}
)");
  const CaseResult ended = run_one(flying, {});
  EXPECT_EQ(ended.status, CaseStatus::ended) << ended.message;
  EXPECT_EQ(ended.verdict, Verdict::success);
}

TEST(CaseRunner, records_a_case_as_it_ran) {
  const Folder folder;
  const Study study = study_of(folder, test::projectile, R"(
uncertain: {vx: {uniform: [0, 3]}}
measures: {x: {end: ball.x}}
sample: {count: 4}
)");
  const StoredResults none;
  const StudyCase item = StudyCases(study, none).at(3);
  CaseRunner runner(study);
  const CaseResult plain = runner.run(item).result;
  const CaseResult recorded = runner.record(item, folder.path() / "case.h5").result;
  EXPECT_EQ(plain.measures, recorded.measures);
  const Recording recording(folder.path() / "case.h5");
  EXPECT_EQ(recording.info(recording.frames() - 1).step, 30);
  EXPECT_THROW(runner.record(item, folder.path() / "case.h5"), Error);
}

TEST(CaseRunner, stops_when_asked) {
  const Folder folder;
  const Study study = study_of(folder, test::projectile, "sample: {count: 1}\n");
  CaseRunner runner(study);
  int asked = 0;
  runner.stop_when([&] { return ++asked > 10; });
  EXPECT_THROW(runner.run({0, 0, 0, {}}), CaseRunner::Stopped);
}

TEST(CaseRunner, needs_the_functions_of_python_measures) {
  const Folder folder;
  folder.write("own.py", "def tilt(run): return 1\n");
  const Study study = study_of(folder, test::projectile, R"(
measures: {tilt: {python: own.py:tilt}}
success: tilt == 0.25
sample: {count: 1}
)");
  EXPECT_THROW(CaseRunner{study}, Error);
  StudyCode code;
  code.measures["tilt"] = [](const Simulation& simulation) {
    return simulation.state().time - 0.05;
  };
  EXPECT_NEAR(CaseRunner(study, code).run({0, 0, 0, {}}).result.measures[0], 0.25, 1e-12);
}

}  // namespace
}  // namespace vinci
