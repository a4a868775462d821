// SPDX-License-Identifier: Apache-2.0
// Random scenes by class, in the plane and in space, each with its judge and its counters.
// VINCI_SWEEP=20 runs twenty times as many, VINCI_SEED=17 one of them.
#include <cstdlib>

#include <gtest/gtest.h>

#include "tests/sweeps/judge.h"

namespace vinci::test {
namespace {

struct SceneClass {
  const char* name;
  Sweep sweep;
  bool spatial;
  std::vector<const char*> counters;  // that must not be zero
};

constexpr int most_failures = 20;

class ClassSweep : public testing::TestWithParam<SceneClass> {};

int number(const char* name, int otherwise) {
  const char* const text = std::getenv(name);
  return text ? std::atoi(text) : otherwise;
}

TEST_P(ClassSweep, is_right_or_says_that_it_is_not) {
  const SceneClass& kind = GetParam();
  const int count = number("VINCI_SWEEP", 1) * (kind.spatial ? 75 : 125),
            only = number("VINCI_SEED", -1);
  Tally tally;
  int failed = 0;
  for (int seed = only < 0 ? 0 : only; seed < (only < 0 ? count : only + 1); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Draw draw(static_cast<unsigned>(100000 + seed));
    tally.begin();
    kind.sweep(draw, kind.spatial, tally);
    if (tally.failed() && ++failed >= most_failures) break;
  }
  std::string line;
  for (const auto& [name, times] : tally.counts) line += fmt::format(", {} {}", times, name);
  fmt::print("{} {}: {} scenes, {} steps, {} scenes not certified{}\n", kind.name,
             kind.spatial ? "in space" : "in the plane", tally.scenes, tally.steps,
             tally.uncertified, line);
  // Shelves may need more parts than a step has.
  EXPECT_LE(tally.uncertified, 1 + tally.scenes / 4);
  for (const char* counter : kind.counters) EXPECT_TRUE(tally[counter] > 0 || only >= 0) << counter;
}

std::vector<SceneClass> classes() {
  std::vector<SceneClass> all;
  for (const bool spatial : {false, true}) {
    all.push_back({"shelves", sweep_shelves, spatial, {"met", "cut", "lifted", "rebounds"}});
    all.push_back({"piles", sweep_piles, spatial, {"loaded", "lifted", "soft and deep"}});
    all.push_back({"drags", sweep_drags, spatial, {"loaded", "first-order", "dynamic"}});
    all.push_back({"mixed", sweep_mixed, spatial, {"loaded", "mixed", "turning"}});
    all.push_back({"sudden", sweep_sudden, spatial, {"lifted", "grown", "overlapping"}});
    if (!spatial) all.back().counters.push_back("grown layers");
    all.push_back({"rows", sweep_rows, spatial, {"joint", "impacts", "by events", "rebounds"}});
    all.push_back({"balance", sweep_balance, spatial, {"held", "not held", "within 1e-6"}});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Scenes, ClassSweep, testing::ValuesIn(classes()), [](const auto& kind) {
  return fmt::format("{}_{}", kind.param.name, kind.param.spatial ? "spatial" : "planar");
});

}  // namespace
}  // namespace vinci::test
