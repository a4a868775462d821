// SPDX-License-Identifier: Apache-2.0
// Tasks side by side. Which thread does a task, and when, is open: what tasks leave must not depend
// on it.
#pragma once

#include <functional>
#include <memory>

namespace vinci {

class Parallel {
 public:
  explicit Parallel(int threads = 1);  // that take part, the caller's among them; at least 1
  ~Parallel();
  Parallel(Parallel&&) noexcept;
  Parallel& operator=(Parallel&&) noexcept;

  int threads() const { return threads_; }
  // task(i, slot) for every i from 0 to count − 1. Tasks that run at the same time have different
  // slots, from 0 to threads() − 1. One thread: in order, in the caller's. What a task throws ends
  // the others that did not begin, and leaves.
  void for_each(int count, const std::function<void(int, int)>& task);

 private:
  struct Arena;
  int threads_;
  std::unique_ptr<Arena> arena_;
};

}  // namespace vinci
