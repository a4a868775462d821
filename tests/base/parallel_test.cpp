// SPDX-License-Identifier: Apache-2.0
#include "vinci/base/parallel.h"

#include <atomic>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace vinci::test {
namespace {

TEST(Parallel, every_task_is_done_once_on_any_number_of_threads) {
  for (const int threads : {1, 2, 5}) {
    Parallel parallel(threads);
    std::vector<int> done(1000, 0);
    parallel.for_each(1000, [&](int i, int) { ++done[static_cast<std::size_t>(i)]; });
    EXPECT_EQ(done, std::vector<int>(1000, 1)) << threads;
  }
}

TEST(Parallel, tasks_at_the_same_time_have_different_slots) {
  Parallel parallel(4);
  std::vector<std::atomic<int>> at_work(4);
  std::atomic<bool> shared = false;
  parallel.for_each(2000, [&](int, int slot) {
    std::atomic<int>& mine = at_work.at(static_cast<std::size_t>(slot));
    if (++mine != 1) shared = true;
    --mine;
  });
  EXPECT_FALSE(shared);
}

TEST(Parallel, what_a_task_throws_leaves) {
  for (const int threads : {1, 3}) {
    Parallel parallel(threads);
    EXPECT_THROW(parallel.for_each(100,
                                   [](int i, int) {
                                     if (i == 50) throw std::runtime_error("ends");
                                   }),
                 std::runtime_error);
  }
}

}  // namespace
}  // namespace vinci::test
