// SPDX-License-Identifier: Apache-2.0
// Deadlines and interruptions.
#include "vinci/base/clock.h"

#include <thread>

#include <gtest/gtest.h>

namespace vinci {
namespace {

TEST(Deadline, without_a_limit_it_never_passes) {
  EXPECT_FALSE(Deadline().passed());
  EXPECT_EQ(Deadline().remaining(), std::numeric_limits<double>::infinity());
  EXPECT_FALSE(Deadline().interrupted());
  EXPECT_TRUE(Deadline(0.0).passed());
}

TEST(Interruption, it_is_asked_every_20_ms_at_most) {
  int asked = 0;
  Interruption interruption([&] { return ++asked < 0; });
  const Deadline until(std::numeric_limits<double>::infinity(), &interruption);
  const Stopwatch watch;
  int looks = 0;
  for (; asked < 3; ++looks) EXPECT_FALSE(until.passed());
  EXPECT_GE(looks, asked);
  EXPECT_GE(watch.seconds(), 3 * 0.02);
}

TEST(Interruption, a_yes_ends_the_time_and_holds_until_the_next_beginning) {
  int asked = 0;
  bool wanted = false;
  Interruption interruption([&] {
    ++asked;
    return wanted;
  });
  const Deadline until(1e9, &interruption);
  EXPECT_GT(until.remaining(), 0.0);
  wanted = true;
  std::this_thread::sleep_for(std::chrono::milliseconds(25));
  EXPECT_EQ(until.remaining(), 0.0);
  EXPECT_TRUE(until.interrupted());
  const int until_yes = asked;
  wanted = false;
  std::this_thread::sleep_for(std::chrono::milliseconds(25));
  EXPECT_TRUE(until.passed());
  EXPECT_EQ(asked, until_yes);
  interruption.begin();
  EXPECT_FALSE(until.passed());
  EXPECT_FALSE(until.interrupted());
}

}  // namespace
}  // namespace vinci
