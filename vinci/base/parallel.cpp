// SPDX-License-Identifier: Apache-2.0
// By oneTBB; one thread does without.
#include "vinci/base/parallel.h"

#include <algorithm>

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace vinci {

// More threads than processors too: what is asked for is what is tried. Where another one asks for
// fewer at the same time, oneTBB gives both the fewer.
struct Parallel::Arena {
  explicit Arena(int threads)
      : allowed(limit, static_cast<std::size_t>(threads)),
        arena(std::min(threads, static_cast<int>(tbb::global_control::active_value(limit)))) {}
  static constexpr tbb::global_control::parameter limit =
      tbb::global_control::max_allowed_parallelism;
  tbb::global_control allowed;
  tbb::task_arena arena;
};

Parallel::Parallel(int threads)
    : threads_(std::max(1, threads)),
      arena_(threads_ > 1 ? std::make_unique<Arena>(threads_) : nullptr) {}
Parallel::~Parallel() = default;
Parallel::Parallel(Parallel&&) noexcept = default;
Parallel& Parallel::operator=(Parallel&&) noexcept = default;

void Parallel::for_each(int count, const std::function<void(int, int)>& task) {
  if (!arena_ || count < 2) {
    for (int i = 0; i < count; ++i) task(i, 0);
    return;
  }
  arena_->arena.execute([&] {
    tbb::parallel_for(
        tbb::blocked_range<int>(0, count),
        [&](const tbb::blocked_range<int>& range) {
          const int slot = tbb::this_task_arena::current_thread_index();
          for (int i = range.begin(); i < range.end(); ++i) task(i, slot);
        },
        tbb::simple_partitioner());
  });
}

}  // namespace vinci
