// SPDX-License-Identifier: Apache-2.0
// Runs simulations side by side in threads of their own. What they give does not depend on how many
// run at once; only the times do that they took.
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "vinci/recording/run_loop.h"

namespace vinci {

struct RunManyOptions {
  int jobs = 0;  // threads; 0: one per processor
  // Asked a few times a second in the caller's thread; false, or what it throws, ends all runs. The
  // arguments are the steps done and the steps of all runs.
  std::function<bool(std::int64_t done, std::int64_t total)> go_on;
  // Where runs are recorded, one file per simulation; empty: nowhere.
  std::vector<std::filesystem::path> recordings;
  bool overwrite = false;
  // Performs what uses HDF5, which knows no threads; by default one run after the other.
  std::function<void(const std::function<void()>&)> with_files;
};

// Each simulation has a watcher, which is called in its thread. False if go_on() said no. Throws
// what go_on() or a step threw, an Error of a step or a recording as a Failure, the first by the
// number of its simulation; all threads have ended then.
bool run_many(std::vector<Simulation>& simulations, const std::vector<StepWatcher*>& watchers,
              const RunManyOptions& options);

}  // namespace vinci
